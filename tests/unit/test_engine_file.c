/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The database as a file: whose it is, who may serve it, its version, its log and its health. */
#include "db/engine.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/arena.h"

#include <cmocka.h> /* last: it has a macro called fail */

SQL(thing_put, "INSERT INTO thing (id, data) VALUES ($1, $2)")

static char dir[64];
static char path[96];

struct fixture {
	struct ctx c;
	struct arena *arena;
};

static void open_file(struct fixture *f, enum db_mode mode)
{
	struct db *d;

	f->arena = arena_new();
	ctx_init(&f->c, f->arena, NULL);
	assert_int_equal(db_open(&f->c, path, mode, &d), E_OK);
	f->c.db = d;
}

static void close_file(struct fixture *f)
{
	db_close(f->c.db);
	arena_free(f->arena);
}

static void make_table(struct fixture *f)
{
	assert_int_equal(db_begin_write(&f->c), E_OK);
	assert_int_equal(
		db_exec(&f->c, "CREATE TABLE thing (id INTEGER PRIMARY KEY, data BLOB) STRICT"),
		E_OK);
	assert_int_equal(db_commit(&f->c), E_OK);
}

static int insert(struct ctx *c, int64_t id, const void *data, size_t n)
{
	auto_stmt struct stmt *st = db_stmt(c, &thing_put);

	bind_int(st, 1, id);
	bind_blob(st, 2, data, n);
	return stmt_run(st);
}

static int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "%s", "/tmp/plumbline-engine.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/test.db", dir);
	return 0;
}

static int teardown(void **state)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock", ".other"};
	char name[160];

	(void)state;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		snprintf(name, sizeof name, "%s%s", path, ends[i]);
		unlink(name);
	}
	return rmdir(dir);
}

static void test_opening_what_is_not_ours(void **state)
{
	struct fixture f;
	struct db *d;

	(void)state;
	f.arena = arena_new();
	ctx_init(&f.c, f.arena, NULL);
	assert_int_equal(db_open(&f.c, path, DB_READ, &d), E_INTERNAL); /* not there */
	assert_null(d);
	assert_int_equal(access(path, F_OK), -1); /* and not made */
	ctx_clear(&f.c);

	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd,
			       "This is a letter, and it is long enough to have a header. "
			       "It goes on so that it fills one hundred bytes and more.",
			       113),
			 113);
	close(fd);
	assert_int_equal(db_open(&f.c, path, DB_WRITE, &d), E_INTERNAL);
	assert_non_null(strstr(f.c.detail, "not a database"));
	unlink(path);
	arena_free(f.arena);

	open_file(&f, DB_WRITE); /* ours, made to look like another program's */
	make_table(&f);
	assert_int_equal(db_exec(&f.c, "PRAGMA application_id = 7"), E_OK);
	close_file(&f);
	f.arena = arena_new();
	ctx_init(&f.c, f.arena, NULL);
	assert_int_equal(db_open(&f.c, path, DB_WRITE, &d), E_INTERNAL);
	assert_non_null(strstr(f.c.detail, "another program"));
	arena_free(f.arena);
}

/* What can hardly be changed later, at the places that SQLite's description of its file format
 * gives. */
static void test_form_of_a_new_file(void **state)
{
	unsigned char head[100];
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	close_file(&f);
	int fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, head, sizeof head), sizeof head);
	close(fd);
	assert_int_equal(head[16] << 8 | head[17], 8192);
	assert_int_equal(head[18], 2); /* write-ahead log */
	assert_int_equal(head[67], 1); /* incremental vacuum */
	assert_memory_equal(head + 68, "PLMB", 4);
}

static void test_one_server(void **state)
{
	char other[112];
	struct fixture f;
	int first, second;

	(void)state;
	open_file(&f, DB_WRITE);
	assert_int_equal(db_lock_server(&f.c, path, &first), E_OK);
	assert_int_equal(db_lock_server(&f.c, path, &second), E_BUSY);
	assert_int_equal(second, -1);
	snprintf(other, sizeof other, "%s.other", path);
	assert_int_equal(symlink("test.db", other), 0);
	ctx_clear(&f.c);
	assert_int_equal(db_lock_server(&f.c, other, &second), E_BUSY);
	close(first);
	ctx_clear(&f.c);
	assert_int_equal(db_lock_server(&f.c, path, &second), E_OK);
	close(second);
	close_file(&f);
}

static void complain(void *arg, const char *text)
{
	snprintf(arg, 200, "%s", text);
}

static void test_upkeep(void **state)
{
	char said[200] = "", wal[112];
	struct fixture f;
	struct stat s;
	int version = -1;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	assert_int_equal(db_version(&f.c, &version), E_OK);
	assert_int_equal(version, 0);
	assert_int_equal(db_set_version(&f.c, 12), E_OK);
	assert_int_equal(db_version(&f.c, &version), E_OK);
	assert_int_equal(version, 12);
	assert_int_equal(db_integrity(&f.c, complain, said), 0);
	assert_string_equal(said, "");
	assert_true(db_disk_free(path) > 0);
	assert_true(db_disk_free("/nowhere/at/all") == -1);
	snprintf(wal, sizeof wal, "%s-wal", path);
	assert_int_equal(stat(wal, &s), 0);
	assert_true(s.st_size > 0);
	db_checkpoint(f.c.db);
	assert_int_equal(stat(wal, &s), 0);
	assert_int_equal(s.st_size, 0);

	assert_int_equal(db_exec(&f.c, "PRAGMA foreign_keys = OFF;"
				       "CREATE TABLE part (thing INTEGER REFERENCES thing) STRICT;"
				       "INSERT INTO part (thing) VALUES (99)"),
			 E_OK);
	assert_int_equal(db_integrity(&f.c, complain, said), 1);
	assert_non_null(strstr(said, "part refers to a row of thing"));
	close_file(&f);
}

static off_t size_of(const char *name)
{
	struct stat s;

	assert_int_equal(stat(name, &s), 0);
	return s.st_size;
}

static void write_mib(struct fixture *f, int64_t id, int n)
{
	static char mib[1 << 20];

	assert_int_equal(db_begin_write(&f->c), E_OK);
	for (int i = 0; i < n; i++)
		assert_int_equal(insert(&f->c, id + i, mib, sizeof mib), E_OK);
	assert_int_equal(db_commit(&f->c), E_OK);
}

/* The log goes into the main file when nobody waits, or when it has grown to 32 MiB. */
static void test_log_is_kept_short(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	write_mib(&f, 1, 1);
	db_idle(f.c.db);
	assert_true(size_of(path) < 1 << 20); /* not worth it yet */
	write_mib(&f, 2, 2);
	assert_true(size_of(path) < 1 << 20);
	db_idle(f.c.db);
	assert_true(size_of(path) > 3 << 20);
	write_mib(&f, 4, 33);
	assert_true(size_of(path) > 36 << 20);
	close_file(&f);
}

#define ON_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILE(test_opening_what_is_not_ours),
		ON_FILE(test_form_of_a_new_file),
		ON_FILE(test_one_server),
		ON_FILE(test_upkeep),
		ON_FILE(test_log_is_kept_short),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("engine_file", tests, NULL, NULL);
}
