/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SQLite engine: opening, transactions, upkeep. Statements are in engine_sqlite_stmt.c.
 *
 * Reads come from the mapped file, so the page caches stay small; all data are in WAL mode with a
 * sync a commit. Never open or close the database file or its -shm by hand anywhere in the process:
 * that drops SQLite's locks. What must be chosen when a file is made (page size, vacuum) is chosen
 * here.
 */
#include "db/engine_sqlite.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "server/base/arena.h"
#include "server/base/log.h"

#define APPLICATION_ID 0x504c4d42 /* "PLMB" */
#define CLAIM_PAUSE_MS 10
#define BUSY_MS        5000 /* commands write beside the server, in short transactions */

/* Blobs of 16 kB: 8192 read a third faster than 4096 and wasted no more; above it nothing was
 * gained. */
#define CREATE_PRAGMAS "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;"
#define COMMON_PRAGMAS                                                                             \
	"PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"         \
	"PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 1073741824;"
#define READ_PRAGMAS "PRAGMA query_only = ON; PRAGMA cache_size = -2048;"
#define WRITE_PRAGMAS                                                                              \
	"PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 67108864;"                         \
	"PRAGMA wal_autocheckpoint = 0;"

#define LOG_IDLE_PAGES 256   /* 2 MiB: worth moving while nobody waits */
#define LOG_MAX_PAGES  4096  /* 32 MiB: moved by the commit that gets here */
#define LOG_HUGE_PAGES 65536 /* 512 MiB: readers never left it alone; now they wait a moment */
#define LOG_HUGE_WAIT  100   /* ms */

static const char *const verb_text[VERBS] = {
	[VERB_BEGIN_READ] = "BEGIN",
	[VERB_BEGIN_WRITE] = "BEGIN IMMEDIATE",
	[VERB_COMMIT] = "COMMIT",
	[VERB_ROLLBACK] = "ROLLBACK",
};

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

/* Counting memory takes a lock that all threads share. */
static void library_start(void)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_initialize() != SQLITE_OK)
		die("SQLite cannot start");
}

int engine_fail(struct ctx *c, sqlite3 *h, int rc, const char *what)
{
	int os = h ? sqlite3_system_errno(h) : 0;
	int kind = rc & 0xff;

	if (kind == SQLITE_NOMEM)
		die("out of memory in SQLite");
	if (kind == SQLITE_FULL || (kind == SQLITE_IOERR && (os == ENOSPC || os == EDQUOT)))
		return fail(c, E_DISK_FULL, "the disk of the database is full");
	if (kind == SQLITE_BUSY || kind == SQLITE_PROTOCOL)
		return fail(c, E_BUSY, "the database is busy with another writer");
	if (kind == SQLITE_CANTOPEN && os)
		return fail(c, E_INTERNAL, "%s: %s (SQLite %d)", what, strerror(os), rc);
	/* The connection's own words, unless it has done something else since. */
	const char *text =
		h && sqlite3_extended_errcode(h) == rc ? sqlite3_errmsg(h) : sqlite3_errstr(rc);
	return fail(c, E_INTERNAL, "%s: %s (SQLite %d)", what, text, rc);
}

void engine_check_memory(sqlite3 *h)
{
	if (sqlite3_errcode(h) == SQLITE_NOMEM)
		die("out of memory in SQLite");
}

/* First column of the first row as text, "" without one. */
static int query_text(sqlite3 *h, const char *sql, char *buf, size_t size)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(h, sql, -1, &st, NULL);

	buf[0] = '\0';
	if (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const unsigned char *text = sqlite3_column_text(st, 0);

		if (!text)
			engine_check_memory(h);
		snprintf(buf, size, "%s", text ? (const char *)text : "");
		rc = SQLITE_DONE;
	}
	if (rc == SQLITE_DONE)
		rc = SQLITE_OK;
	sqlite3_finalize(st);
	return rc;
}

static int query_int(sqlite3 *h, const char *sql, int64_t *v)
{
	char buf[32];
	int rc = query_text(h, sql, buf, sizeof buf);

	*v = strtoll(buf, NULL, 10);
	return rc;
}

/* Whose file it is. */
struct owner {
	int64_t application, objects;
	char journal[16];
};

static bool is_fresh(const struct owner *o)
{
	return o->application == 0 && o->objects == 0;
}

static bool is_ours(const struct owner *o)
{
	return o->application == APPLICATION_ID || is_fresh(o);
}

/* Both at one moment: another process may just be making the file. */
static int look(sqlite3 *h, struct owner *o)
{
	int rc = sqlite3_exec(h, "BEGIN", NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = query_int(h, "PRAGMA application_id", &o->application);
	if (rc == SQLITE_OK)
		rc = query_int(h, "SELECT count(*) FROM sqlite_schema", &o->objects);
	int end = sqlite3_exec(h, "ROLLBACK", NULL, NULL, NULL);
	return rc == SQLITE_OK ? end : rc;
}

/* Looks, and gives a writer's file its lasting form when it is new. Nothing is changed in a file
 * that is not ours. */
static int claim(sqlite3 *h, enum db_mode mode, struct owner *o)
{
	char sql[160];
	int rc = look(h, o);

	if (rc != SQLITE_OK || mode == DB_READ || !is_ours(o))
		return rc;
	if (is_fresh(o)) {
		snprintf(sql, sizeof sql, CREATE_PRAGMAS " PRAGMA application_id = %d;",
			 APPLICATION_ID);
		rc = sqlite3_exec(h, sql, NULL, NULL, NULL);
	}
	if (rc == SQLITE_OK)
		rc = query_text(h, "PRAGMA journal_mode = WAL", o->journal, sizeof o->journal);
	return rc;
}

/* Two processes that make one file stand in each other's way, and SQLite then says "busy" without
 * waiting. */
static int claim_patiently(struct ctx *c, struct db *d, const char *path, enum db_mode mode)
{
	struct owner o = {0};
	int rc = claim(d->h, mode, &o);

	for (int ms = 0; (rc & 0xff) == SQLITE_BUSY && ms < BUSY_MS; ms += CLAIM_PAUSE_MS) {
		sqlite3_sleep(CLAIM_PAUSE_MS);
		rc = claim(d->h, mode, &o);
	}
	if (mode == DB_READ && (rc == SQLITE_READONLY_DIRECTORY || rc == SQLITE_CANTOPEN)) {
		int e = engine_open_frozen(c, d, path, rc);
		if (e < 0)
			return e;
		rc = claim(d->h, mode, &o);
	}
	if (rc != SQLITE_OK)
		return engine_fail(c, d->h, rc, path);
	if (!is_ours(&o))
		return fail(c, E_INTERNAL, "%s is a database of another program", path);
	if (mode == DB_WRITE && strcmp(o.journal, "wal") != 0)
		return fail(c, E_INTERNAL, "%s: its file system allows no write-ahead log", path);
	return E_OK;
}

/* Runs after each commit of the writer: keeps the log short. Whether that works is no matter of the
 * commit, which is on disk already. */
static int after_commit(void *arg, sqlite3 *h, const char *schema, int pages)
{
	struct db *d = arg;

	d->log_pages = pages;
	if (pages >= LOG_HUGE_PAGES) {
		sqlite3_busy_timeout(h, LOG_HUGE_WAIT);
		sqlite3_wal_checkpoint_v2(h, schema, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
		sqlite3_busy_timeout(h, BUSY_MS);
	} else if (pages >= LOG_MAX_PAGES) {
		sqlite3_wal_checkpoint_v2(h, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	}
	return SQLITE_OK;
}

static int setup(struct ctx *c, struct db *d, const char *path, enum db_mode mode)
{
	sqlite3_extended_result_codes(d->h, 1);
	sqlite3_busy_timeout(d->h, BUSY_MS);
	int e = claim_patiently(c, d, path, mode);
	if (e < 0)
		return e;
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* "name" is never a text: PostgreSQL would not take it so. */
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	int rc = sqlite3_exec(d->h, COMMON_PRAGMAS, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(d->h, mode == DB_READ ? READ_PRAGMAS : WRITE_PRAGMAS, NULL, NULL,
				  NULL);
	if (mode == DB_WRITE)
		sqlite3_wal_hook(d->h, after_commit, d);
	for (int v = 0; v < VERBS && rc == SQLITE_OK; v++)
		rc = sqlite3_prepare_v3(d->h, verb_text[v], -1, SQLITE_PREPARE_PERSISTENT,
					&d->verbs[v], NULL);
	return rc == SQLITE_OK ? E_OK : engine_fail(c, d->h, rc, path);
}

int db_open(struct ctx *c, const char *path, enum db_mode mode, struct db **out)
{
	int flags =
		mode == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

	*out = NULL;
	pthread_once(&library_once, library_start);
	struct db *d = calloc(1, sizeof *d);
	struct stmt *stmts = calloc(sql_count() + 1, sizeof *stmts);
	if (!d || !stmts)
		die("out of memory");
	d->stmts = stmts;
	int rc = sqlite3_open_v2(path, &d->h, flags | SQLITE_OPEN_NOMUTEX, NULL);
	int e = rc == SQLITE_OK ? setup(c, d, path, mode) : engine_fail(c, d->h, rc, path);
	if (e < 0) {
		db_close(d);
		return e;
	}
	*out = d;
	return E_OK;
}

void db_close(struct db *d)
{
	if (!d)
		return;
	engine_free_stmts(d);
	for (int v = 0; v < VERBS; v++)
		sqlite3_finalize(d->verbs[v]);
	int rc = sqlite3_close(d->h);
	assert(rc == SQLITE_OK);
	free(d->frozen);
	free(d);
}

const char *db_name(const struct db *d)
{
	return sqlite3_db_filename(d->h, "main");
}

bool db_writes(const struct db *d)
{
	return sqlite3_db_readonly(d->h, "main") == 0;
}

/* --- transactions --- */

static int run_verb(struct db *d, enum verb v)
{
	int rc = sqlite3_step(d->verbs[v]);

	sqlite3_reset(d->verbs[v]);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int db_begin_read(struct ctx *c)
{
	struct db *d = c->db;

	assert(!d->reading && !d->writing);
	if (d->frozen && engine_check_frozen(c, d) < 0)
		return c->err;
	int rc = run_verb(d, VERB_BEGIN_READ);
	if (rc != SQLITE_OK)
		return engine_fail(c, d->h, rc, "begin");
	d->reading = true;
	return E_OK;
}

void db_end_read(struct ctx *c)
{
	struct db *d = c->db;

	if (!d->reading)
		return;
	d->reading = false;
	if (!sqlite3_get_autocommit(d->h) && run_verb(d, VERB_COMMIT) != SQLITE_OK)
		run_verb(d, VERB_ROLLBACK);
	/* A statement left open would keep the old snapshot for whoever comes next. */
	assert(sqlite3_txn_state(d->h, NULL) == SQLITE_TXN_NONE);
}

int db_begin_write(struct ctx *c)
{
	struct db *d = c->db;

	assert(!d->reading && !d->writing);
	int rc = run_verb(d, VERB_BEGIN_WRITE);
	if (rc != SQLITE_OK)
		return engine_fail(c, d->h, rc, "begin");
	d->writing = true;
	return E_OK;
}

int db_commit(struct ctx *c)
{
	struct db *d = c->db;
	int e = E_OK;

	assert(d->writing);
	if (sqlite3_get_autocommit(d->h)) {
		e = fail(c, E_INTERNAL, "the engine had undone the transaction");
	} else {
		int rc = run_verb(d, VERB_COMMIT);
		if (rc != SQLITE_OK)
			e = engine_fail(c, d->h, rc, "commit");
	}
	db_rollback(c); /* after a commit there is nothing left to undo */
	return e;
}

void db_rollback(struct ctx *c)
{
	struct db *d = c->db;

	/* A full disk or a failed sync has often rolled back by itself. */
	if (d->writing && !sqlite3_get_autocommit(d->h))
		run_verb(d, VERB_ROLLBACK);
	d->writing = false;
}

bool db_in_transaction(struct db *d)
{
	return d->writing && !sqlite3_get_autocommit(d->h);
}

int64_t db_changes(struct db *d)
{
	return sqlite3_changes64(d->h);
}

/* --- upkeep --- */

int db_exec(struct ctx *c, const char *sql)
{
	struct db *d = c->db;

	if (d->writing && !db_in_transaction(d))
		return fail(c, E_INTERNAL, "the engine had undone the transaction");
	int rc = sqlite3_exec(d->h, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? E_OK : engine_fail(c, d->h, rc, "SQL");
}

int db_version(struct ctx *c, int *version)
{
	int64_t v = 0;
	int rc = query_int(c->db->h, "PRAGMA user_version", &v);

	*version = (int)v;
	return rc == SQLITE_OK ? E_OK : engine_fail(c, c->db->h, rc, "reading the version");
}

int db_set_version(struct ctx *c, int version)
{
	char sql[64];

	snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version);
	return db_exec(c, sql);
}

struct complaints {
	void (*say)(void *arg, const char *complaint);
	void *arg;
	int n;
};

static int on_integrity_row(void *arg, int ncols, char **values, char **names)
{
	struct complaints *k = arg;

	(void)ncols;
	(void)names;
	if (values[0] && strcmp(values[0], "ok") == 0)
		return 0;
	k->n++;
	k->say(k->arg, values[0] ? values[0] : "?");
	return 0;
}

static int on_foreign_key_row(void *arg, int ncols, char **values, char **names)
{
	struct complaints *k = arg;
	char text[200];

	(void)names;
	if (ncols < 3)
		return 0;
	snprintf(text, sizeof text, "row %s of %s refers to a row of %s that is not there",
		 values[1] ? values[1] : "?", values[0], values[2]);
	k->n++;
	k->say(k->arg, text);
	return 0;
}

int db_integrity(struct ctx *c, void (*say)(void *arg, const char *complaint), void *arg)
{
	struct complaints k = {say, arg, 0};
	sqlite3 *h = c->db->h;
	int rc = sqlite3_exec(h, "PRAGMA integrity_check", on_integrity_row, &k, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(h, "PRAGMA foreign_key_check", on_foreign_key_row, &k, NULL);
	return rc == SQLITE_OK ? k.n : engine_fail(c, h, rc, "checking");
}

void db_checkpoint(struct db *d)
{
	int rc = sqlite3_wal_checkpoint_v2(d->h, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	if (rc != SQLITE_OK && rc != SQLITE_BUSY)
		log_msg(LOG_WARN, "checkpoint", "%s", sqlite3_errmsg(d->h));
	d->log_pages = 0;
}

void db_idle(struct db *d)
{
	if (d->log_pages < LOG_IDLE_PAGES)
		return;
	sqlite3_wal_checkpoint_v2(d->h, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	d->log_pages = 0;
}

int64_t db_disk_free(const char *path)
{
	struct statvfs s;

	if (statvfs(path, &s) != 0)
		return -1;
	return (int64_t)s.f_bavail * (int64_t)s.f_frsize;
}

int db_lock_server(struct ctx *c, const char *path, int *fd)
{
	char real[PATH_MAX];
	/* By two names of one file there is still one lock. */
	char *name = arena_fmt(c->arena, "%s.lock", realpath(path, real) ? real : path);

	*fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (*fd < 0)
		return fail(c, E_INTERNAL, "cannot open %s: %s", name, strerror(errno));
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
		return E_OK;
	int e = errno == EWOULDBLOCK
			? fail(c, E_BUSY, "another server runs on %s (it holds %s)", path, name)
			: fail(c, E_INTERNAL, "cannot lock %s: %s", name, strerror(errno));
	close(*fd);
	*fd = -1;
	return e;
}
