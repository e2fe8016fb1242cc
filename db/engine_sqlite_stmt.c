/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements of the SQLite engine. A statement's place in the linker section is its slot on each
 * connection, so that finding it prepared takes neither a hash nor a lock.
 *
 * SQLite numbers $2 before $1 when it stands first (both are mere names to it): $n is looked up by
 * name once, when the statement is prepared. A parameter that was not bound is an error, not a
 * NULL.
 */
#include "db/engine_sqlite.h"

#include <assert.h>
#include <math.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

/* Made by the linker; weak, since a test may have no statement at all. */
extern const struct sql __start_sqltab[] __attribute__((weak));
extern const struct sql __stop_sqltab[] __attribute__((weak));

const struct sql *sql_first(void)
{
	return __start_sqltab;
}

size_t sql_count(void)
{
	return (size_t)((uintptr_t)__stop_sqltab - (uintptr_t)__start_sqltab) / sizeof(struct sql);
}

static int stmt_fail(struct stmt *st, int rc)
{
	if (st->status == E_OK)
		st->status = engine_fail(st->c, st->d->h, rc, st->sql->id);
	return st->status;
}

static int map_params(struct stmt *st)
{
	int count = sqlite3_bind_parameter_count(st->st);

	for (int i = 1; i <= count; i++) {
		const char *name = sqlite3_bind_parameter_name(st->st, i);
		int64_t n;
		if (!name || name[0] != '$' || !num_parse_int(name + 1, 1, PARAMS_MAX, &n))
			return st->status = fail(st->c, E_INTERNAL, "%s: bad parameter %s",
						 st->sql->id, name ? name : "?");
		st->at[n] = (unsigned char)i;
		st->params |= UINT64_C(1) << n;
	}
	return E_OK;
}

static void prepare(struct stmt *st)
{
	int rc = sqlite3_prepare_v3(st->d->h, st->sql->text, -1, SQLITE_PREPARE_PERSISTENT, &st->st,
				    NULL);

	if (rc != SQLITE_OK) {
		stmt_fail(st, rc);
	} else if (map_params(st) < 0) {
		sqlite3_finalize(st->st);
		st->st = NULL;
	}
}

struct stmt *db_stmt(struct ctx *c, const struct sql *s)
{
	struct stmt *st = &c->db->stmts[s - __start_sqltab];

	/* Two uses at once would take each other's rows. */
	assert(!st->st || !sqlite3_stmt_busy(st->st));
	st->c = c;
	st->d = c->db;
	st->sql = s;
	stmt_reset(st);
	if (!st->st)
		prepare(st);
	return st;
}

void stmt_reset(struct stmt *st)
{
	if (!st)
		return;
	st->status = E_OK;
	st->done = false;
	if (!st->st)
		return;
	sqlite3_reset(st->st);
	if (st->bound)
		sqlite3_clear_bindings(st->st); /* they are borrowed */
	st->bound = 0;
}

void engine_free_stmts(struct db *d)
{
	for (size_t i = 0; i < sql_count(); i++)
		sqlite3_finalize(d->stmts[i].st);
	free(d->stmts);
	d->stmts = NULL;
}

/* --- binding --- */

/* SQLite's index of $n, 0 when the statement failed before or has no such parameter. */
static int param(struct stmt *st, int n)
{
	if (st->status < 0)
		return 0;
	if (n < 1 || n > PARAMS_MAX || !st->at[n]) {
		st->status = fail(st->c, E_INTERNAL, "%s has no parameter $%d", st->sql->id, n);
		return 0;
	}
	st->done = false;
	st->bound |= UINT64_C(1) << n;
	return st->at[n];
}

static void check_bind(struct stmt *st, int rc)
{
	if (rc != SQLITE_OK)
		stmt_fail(st, rc);
}

void bind_int(struct stmt *st, int i, int64_t v)
{
	int at = param(st, i);

	if (at)
		check_bind(st, sqlite3_bind_int64(st->st, at, v));
}

void bind_null(struct stmt *st, int i)
{
	int at = param(st, i);

	if (at)
		check_bind(st, sqlite3_bind_null(st->st, at));
}

void bind_time(struct stmt *st, int i, int64_t t)
{
	if (t == TIME_NONE)
		bind_null(st, i);
	else
		bind_int(st, i, t);
}

void bind_real(struct stmt *st, int i, double v)
{
	int at = param(st, i);

	if (at)
		check_bind(st, isnan(v) ? sqlite3_bind_null(st->st, at)
					: sqlite3_bind_double(st->st, at, v));
}

void bind_text(struct stmt *st, int i, const char *s)
{
	int at = param(st, i);

	if (at)
		check_bind(st, sqlite3_bind_text(st->st, at, s, -1, SQLITE_STATIC));
}

void bind_blob(struct stmt *st, int i, const void *p, size_t n)
{
	int at = param(st, i);

	/* An empty blob is not NULL, whatever its pointer. */
	if (at)
		check_bind(st, sqlite3_bind_blob64(st->st, at, n ? p : "", n, SQLITE_STATIC));
}

/* --- running --- */

static int check_ready(struct stmt *st)
{
	uint64_t missing = st->params & ~st->bound;

	if (missing)
		return st->status = fail(st->c, E_INTERNAL, "%s: $%d is not bound", st->sql->id,
					 __builtin_ctzll(missing));
	/* Also after the engine undid a transaction: the next statement would commit by itself. */
	if (!sqlite3_stmt_readonly(st->st) && !db_in_transaction(st->d))
		return st->status = fail(st->c, E_INTERNAL, "%s writes outside a transaction",
					 st->sql->id);
	return E_OK;
}

int stmt_step(struct stmt *st)
{
	if (st->status < 0)
		return st->status;
	if (st->done)
		return STMT_DONE;
	if (check_ready(st) < 0)
		return st->status;
	int rc = sqlite3_step(st->st);
	if (rc == SQLITE_ROW)
		return STMT_ROW;
	if (rc != SQLITE_DONE) {
		stmt_fail(st, rc);
		sqlite3_reset(st->st);
		return st->status;
	}
	st->done = true;
	sqlite3_reset(st->st); /* lets go of the tables at once */
	return STMT_DONE;
}

int stmt_run(struct stmt *st)
{
	int r;

	while ((r = stmt_step(st)) == STMT_ROW)
		;
	return r;
}

int stmt_status(const struct stmt *st)
{
	return st->status;
}

/* --- columns --- */

int64_t col_int(struct stmt *st, int i)
{
	return sqlite3_column_int64(st->st, i);
}

int64_t col_time(struct stmt *st, int i)
{
	return col_null(st, i) ? TIME_NONE : sqlite3_column_int64(st->st, i);
}

double col_real(struct stmt *st, int i)
{
	return col_null(st, i) ? (double)NAN : sqlite3_column_double(st->st, i);
}

bool col_null(struct stmt *st, int i)
{
	return sqlite3_column_type(st->st, i) == SQLITE_NULL;
}

const char *col_text_peek(struct stmt *st, int i)
{
	const char *s = (const char *)sqlite3_column_text(st->st, i);

	if (!s)
		engine_check_memory(st->d->h);
	return s;
}

char *col_text(struct stmt *st, int i)
{
	const char *s = col_text_peek(st, i);

	return s ? arena_strn(st->c->arena, s, (size_t)sqlite3_column_bytes(st->st, i)) : NULL;
}

const void *col_blob_peek(struct stmt *st, int i, size_t *n)
{
	const void *p = sqlite3_column_blob(st->st, i);

	if (!p)
		engine_check_memory(st->d->h);
	*n = p ? (size_t)sqlite3_column_bytes(st->st, i) : 0;
	return p || col_null(st, i) ? p : "";
}

void *col_blob(struct stmt *st, int i, size_t *n)
{
	const void *p = col_blob_peek(st, i, n);

	return p ? arena_copy(st->c->arena, p, *n) : NULL;
}
