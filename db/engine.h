/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one interface to a database. engine_sqlite.c stands behind it and is the only file that
 * includes sqlite3.h; an engine for PostgreSQL can stand beside it.
 *
 * SQL is a compile-time literal in the subset that SQLite >= 3.40 and PostgreSQL >= 15 share, with
 * parameters $1, $2 … bound by number. A statement files itself in a linker section, so that the
 * tests can prepare every one on both engines, and each connection keeps it prepared:
 *
 *	SQL(run_by_id, "SELECT series_id, status FROM run WHERE run_id = $1")
 *
 *	auto_stmt struct stmt *st = db_stmt(c, &run_by_id);
 *	bind_int(st, 1, run_id);
 *	if (stmt_step(st) == STMT_ROW)
 *		series = col_int(st, 0);
 *	return stmt_status(st);
 *
 * A connection belongs to one thread at a time. Failure is sticky: binds and steps after one do
 * nothing, stmt_status says it at the end, and the text is in the ctx.
 */
#ifndef DB_ENGINE_H
#define DB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/err.h"

struct db;
struct stmt;

struct sql {
	const char *id;
	const char *text;
} __attribute__((aligned(16)));

#define SQL(name, text)                                                                            \
	static const struct sql name                                                               \
		__attribute__((section("sqltab"), used, aligned(16))) = {#name, "" text};
/* All statements of the program: [sql_first(), sql_first() + sql_count()). */
const struct sql *sql_first(void);
size_t sql_count(void);

enum db_mode {
	DB_READ,  /* query only: cannot write even by mistake */
	DB_WRITE, /* the one writer of a process */
};

/* Opens the database file (created with DB_WRITE; DB_READ needs it to exist). Pragmas are set,
 * nothing is migrated. The caller closes. E_INTERNAL, E_DISK_FULL. */
int db_open(struct ctx *c, const char *path, enum db_mode mode, struct db **out);
void db_close(struct db *d); /* NULL is ignored */
/* What tells the database from others in this process: the file's whole path. Lives as long as d.
 */
const char *db_name(const struct db *d);
/* It was opened to write: what it reads may be later than the generation says. */
bool db_writes(const struct db *d);

/* Readers, in one snapshot: all statements between the two see the same state. */
int db_begin_read(struct ctx *c);
void db_end_read(struct ctx *c);
/* The writer. Commit returns only when the data are on disk; on failure everything is undone and
 * the error says why (E_DISK_FULL, E_BUSY, E_INTERNAL). */
int db_begin_write(struct ctx *c);
int db_commit(struct ctx *c);
void db_rollback(struct ctx *c);
/* True between begin_write and commit or rollback, as the engine itself sees it. */
bool db_in_transaction(struct db *d);

/* The prepared statement, reset and unbound, on c->db. Never NULL: a failure is sticky in it. One
 * use at a time for each statement and connection. */
struct stmt *db_stmt(struct ctx *c, const struct sql *s);
void bind_int(struct stmt *st, int i, int64_t v);
void bind_time(struct stmt *st, int i, int64_t t);     /* TIME_NONE: NULL */
void bind_real(struct stmt *st, int i, double v);      /* NAN: NULL */
void bind_text(struct stmt *st, int i, const char *s); /* NULL: NULL. Borrowed until reset */
void bind_blob(struct stmt *st, int i, const void *p, size_t n); /* borrowed until reset */
void bind_null(struct stmt *st, int i);

#define STMT_DONE 0
#define STMT_ROW  1
/* STMT_ROW, STMT_DONE, or a negative enum err. */
int stmt_step(struct stmt *st);
/* Steps a statement that returns no rows to its end: E_OK or a negative enum err. */
int stmt_run(struct stmt *st);
/* E_OK, or the failure that any bind or step met. */
int stmt_status(const struct stmt *st);
/* Rows changed by the last INSERT, UPDATE or DELETE on this connection. */
int64_t db_changes(struct db *d);
/* Done with it; the rows are gone. Called by auto_stmt. */
void stmt_reset(struct stmt *st);

int64_t col_int(struct stmt *st, int i);
int64_t col_time(struct stmt *st, int i); /* NULL: TIME_NONE */
double col_real(struct stmt *st, int i);  /* NULL: NAN */
bool col_null(struct stmt *st, int i);
char *col_text(struct stmt *st, int i);            /* copied into the arena; NULL: NULL */
const char *col_text_peek(struct stmt *st, int i); /* valid until the next step or reset */
const void *col_blob_peek(struct stmt *st, int i,
			  size_t *n);              /* valid until the next step or reset */
void *col_blob(struct stmt *st, int i, size_t *n); /* copied into the arena, aligned to 16 */

static inline void stmt_cleanup(struct stmt **st)
{
	stmt_reset(*st);
}
#define auto_stmt __attribute__((cleanup(stmt_cleanup)))

/* A few bytes of a large blob without the rest of it, row by integer key; table and column are
 * literals. Open inside a read transaction and close before its end. Never NULL. */
struct blob_reader;
struct blob_reader *blob_reader_open(struct ctx *c, const char *table, const char *column);
/* n bytes at offset of that row's blob into buf. E_INTERNAL when the row or the bytes are not
 * there. */
int blob_read_at(struct blob_reader *b, int64_t row, size_t offset, void *buf, size_t n);
void blob_reader_close(struct blob_reader *b); /* NULL is ignored */

static inline void blob_reader_cleanup(struct blob_reader **b)
{
	blob_reader_close(*b);
}
#define auto_blob_reader __attribute__((cleanup(blob_reader_cleanup)))

/* Statements of migrations and maintenance: several, separated by ';', no parameters. */
int db_exec(struct ctx *c, const char *sql);
/* Number of the last migration applied (0: empty database), and setting it. */
int db_version(struct ctx *c, int *version);
int db_set_version(struct ctx *c, int version);
/* Integrity check of the engine: calls say for each complaint; returns how many, or an error. */
int db_integrity(struct ctx *c, void (*say)(void *arg, const char *complaint), void *arg);
/* Moves the log into the main file, for a clean stop. */
void db_checkpoint(struct db *d);
/* For moments when nothing waits: moves a log that has grown, so that no commit has to. */
void db_idle(struct db *d);
/* A whole copy of what is committed, made beside a busy writer and on disk when this returns; c->db
 * is a reader's connection outside of a snapshot. E_CONFLICT: the file exists. */
int db_backup(struct ctx *c, const char *path);
/* Bytes free on the database's disk, -1 unknown. */
int64_t db_disk_free(const char *path);
/* Takes the lock that only one server may hold (flock on <path>.lock; the file stays). The
 * descriptor is kept until the process ends. E_BUSY when another server has it. */
int db_lock_server(struct ctx *c, const char *path, int *fd);

#endif
