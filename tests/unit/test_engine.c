/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The database engine on real files: binding by number, columns, sticky failures, transactions that
 * survive a full disk without lying, snapshots, and who may open what. */
#include "db/engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#include <cmocka.h> /* last: it has a macro called fail */

SQL(thing_insert, "INSERT INTO thing (id, name, size, data, at) VALUES ($1, $2, $3, $4, $5)")
SQL(thing_get, "SELECT id, name, size, data, at FROM thing WHERE id = $1")
SQL(thing_all, "SELECT id FROM thing ORDER BY id LIMIT 100")
SQL(thing_count, "SELECT count(*) FROM thing")
/* $2 stands first: SQLite alone would number it 1. */
SQL(minus, "SELECT $2 - $1")
SQL(thing_set_name, "UPDATE thing SET name = $2 WHERE id >= $1")

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
	assert_int_equal(db_exec(&f->c, "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT,"
					" size REAL, data BLOB, at INTEGER) STRICT"),
			 E_OK);
	assert_int_equal(db_commit(&f->c), E_OK);
}

static int insert(struct ctx *c, int64_t id, const char *name, const void *data, size_t n)
{
	auto_stmt struct stmt *st = db_stmt(c, &thing_insert);

	bind_int(st, 1, id);
	bind_text(st, 2, name);
	bind_real(st, 3, NAN);
	bind_blob(st, 4, data, n);
	bind_time(st, 5, TIME_NONE);
	return stmt_run(st);
}

static int64_t count(struct ctx *c)
{
	auto_stmt struct stmt *st = db_stmt(c, &thing_count);

	assert_int_equal(stmt_step(st), STMT_ROW);
	return col_int(st, 0);
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
	static const char *const ends[] = {"", "-wal", "-shm"};
	char name[160];

	(void)state;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		snprintf(name, sizeof name, "%s%s", path, ends[i]);
		unlink(name);
	}
	return rmdir(dir);
}

static const unsigned char bytes[] = {0, 1, 0, 255};

static void check_rows(struct ctx *c)
{
	size_t n;
	auto_stmt struct stmt *st = db_stmt(c, &thing_get);
	bind_int(st, 1, INT64_MAX);
	assert_int_equal(stmt_step(st), STMT_ROW);
	assert_true(col_int(st, 0) == INT64_MAX);
	assert_string_equal(col_text(st, 1), "x'); DROP TABLE thing; --");
	assert_true(col_real(st, 2) == -12.459253971775096);
	const void *blob = col_blob(st, 3, &n);
	assert_int_equal(n, 4);
	assert_memory_equal(blob, bytes, 4);
	assert_int_equal((uintptr_t)blob % 16, 0);
	assert_true(col_time(st, 4) == 1689822060);
	assert_int_equal(stmt_step(st), STMT_DONE);
	assert_int_equal(stmt_step(st), STMT_DONE); /* and not the rows again */

	bind_int(st, 1, 2); /* a finished statement takes new values */
	assert_int_equal(stmt_step(st), STMT_ROW);
	assert_null(col_text(st, 1));
	assert_true(isnan(col_real(st, 2)));
	assert_true(col_null(st, 1));
	assert_false(col_null(st, 3)); /* empty, not NULL */
	assert_non_null(col_blob_peek(st, 3, &n));
	assert_int_equal(n, 0);
	assert_true(col_time(st, 4) == TIME_NONE);
}

static void test_values_come_back(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	assert_int_equal(db_begin_write(&f.c), E_OK);
	{
		auto_stmt struct stmt *st = db_stmt(&f.c, &thing_insert);
		bind_blob(st, 4, bytes, sizeof bytes);
		bind_time(st, 5, 1689822060);
		bind_text(st, 2, "x'); DROP TABLE thing; --");
		bind_real(st, 3, -12.459253971775096);
		bind_int(st, 1, INT64_MAX);
		assert_int_equal(stmt_run(st), E_OK);
		assert_int_equal(db_changes(f.c.db), 1);
	}
	assert_int_equal(insert(&f.c, 2, NULL, NULL, 0), E_OK);
	assert_int_equal(db_commit(&f.c), E_OK);

	check_rows(&f.c);
	close_file(&f);
}

static void test_parameters_go_by_number(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	{
		auto_stmt struct stmt *st = db_stmt(&f.c, &minus);
		bind_int(st, 1, 3);
		bind_int(st, 2, 10);
		assert_int_equal(stmt_step(st), STMT_ROW);
		assert_int_equal(col_int(st, 0), 7);
	}
	{
		auto_stmt struct stmt *st = db_stmt(&f.c, &minus);
		bind_int(st, 2, 10); /* $1 forgotten, also by the use before */
		assert_int_equal(stmt_step(st), E_INTERNAL);
		assert_non_null(strstr(f.c.detail, "$1 is not bound"));
	}
	ctx_clear(&f.c);
	{
		auto_stmt struct stmt *st = db_stmt(&f.c, &minus);
		bind_int(st, 3, 1);
		bind_int(st, 1, 1);
		bind_int(st, 2, 1);
		assert_int_equal(stmt_step(st), E_INTERNAL); /* sticky */
		assert_int_equal(stmt_status(st), E_INTERNAL);
	}
	close_file(&f);
}

static void test_broken_statement_is_sticky(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE); /* and no table in it */
	{
		auto_stmt struct stmt *st = db_stmt(&f.c, &thing_get);
		bind_int(st, 1, 1);
		assert_int_equal(stmt_step(st), E_INTERNAL);
		assert_int_equal(stmt_status(st), E_INTERNAL);
		assert_non_null(strstr(f.c.detail, "no such table"));
	}
	ctx_clear(&f.c);
	make_table(&f); /* prepared anew when it can be */
	{
		auto_stmt struct stmt *st = db_stmt(&f.c, &thing_get);
		bind_int(st, 1, 1);
		assert_int_equal(stmt_step(st), STMT_DONE);
	}
	close_file(&f);
}

static void test_rollback_and_writes_outside(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	assert_int_equal(insert(&f.c, 1, "a", "", 0), E_INTERNAL);
	assert_non_null(strstr(f.c.detail, "outside a transaction"));
	ctx_clear(&f.c);
	assert_int_equal(db_begin_write(&f.c), E_OK);
	assert_true(db_in_transaction(f.c.db));
	assert_int_equal(insert(&f.c, 1, "a", "", 0), E_OK);
	assert_int_equal(insert(&f.c, 1, "b", "", 0), E_INTERNAL); /* unique key */
	db_rollback(&f.c);
	assert_false(db_in_transaction(f.c.db));
	assert_int_equal(count(&f.c), 0);
	close_file(&f);
}

/* A full disk undoes the whole transaction behind our back; what follows must not commit by itself.
 */
static void test_full_disk_undoes_all(void **state)
{
	static char big[1 << 20];
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	assert_int_equal(db_exec(&f.c, "PRAGMA max_page_count = 20"), E_OK);
	assert_int_equal(db_begin_write(&f.c), E_OK);
	assert_int_equal(insert(&f.c, 1, "a", "", 0), E_OK);
	assert_int_equal(insert(&f.c, 2, "b", big, sizeof big), E_DISK_FULL);
	assert_int_equal(f.c.err, E_DISK_FULL);
	ctx_clear(&f.c);
	int e = insert(&f.c, 3, "c", "", 0);
	if (db_in_transaction(f.c.db)) {
		assert_int_equal(e, E_OK);
		db_rollback(&f.c);
	} else {
		assert_int_equal(e, E_INTERNAL);
		assert_true(db_commit(&f.c) < 0);
	}
	assert_int_equal(count(&f.c), 0);
	ctx_clear(&f.c);
	assert_int_equal(db_begin_write(&f.c), E_OK); /* and life goes on */
	assert_int_equal(insert(&f.c, 4, "d", "", 0), E_OK);
	assert_int_equal(db_commit(&f.c), E_OK);
	assert_int_equal(count(&f.c), 1);
	close_file(&f);
}

/* The transaction vanishes for another reason: nothing may be written after it, and commit must say
 * so. */
static void test_lost_transaction_is_noticed(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	assert_int_equal(db_begin_write(&f.c), E_OK);
	assert_int_equal(insert(&f.c, 1, "a", "", 0), E_OK);
	assert_int_equal(db_exec(&f.c, "ROLLBACK"), E_OK);
	assert_false(db_in_transaction(f.c.db));
	assert_int_equal(insert(&f.c, 2, "b", "", 0), E_INTERNAL);
	assert_int_equal(db_exec(&f.c, "INSERT INTO thing (id) VALUES (3)"), E_INTERNAL);
	assert_int_equal(db_commit(&f.c), E_INTERNAL);
	assert_int_equal(count(&f.c), 0);
	close_file(&f);
}

static void test_reader_sees_one_snapshot(void **state)
{
	struct fixture w, r;

	(void)state;
	open_file(&w, DB_WRITE);
	make_table(&w);
	open_file(&r, DB_READ);
	assert_int_equal(db_begin_read(&r.c), E_OK);
	assert_int_equal(count(&r.c), 0);
	assert_int_equal(db_begin_write(&w.c), E_OK);
	assert_int_equal(insert(&w.c, 1, "a", "", 0), E_OK);
	assert_int_equal(db_commit(&w.c), E_OK);
	assert_int_equal(count(&r.c), 0);
	db_end_read(&r.c);
	assert_int_equal(count(&r.c), 1);
	{
		auto_stmt struct stmt *st = db_stmt(&r.c, &thing_set_name);
		bind_int(st, 1, 0);
		bind_text(st, 2, "never");
		assert_int_equal(stmt_run(st), E_INTERNAL);
	}
	ctx_clear(&r.c);
	assert_true(db_begin_write(&r.c) < 0 || db_exec(&r.c, "DELETE FROM thing") < 0);
	db_rollback(&r.c);
	close_file(&r);
	assert_int_equal(count(&w.c), 1);
	close_file(&w);
}

/* Readers also come when no writer is there, and after one that died with its log full. */
static void test_reader_alone(void **state)
{
	struct fixture f;

	(void)state;
	open_file(&f, DB_WRITE);
	make_table(&f);
	close_file(&f);
	open_file(&f, DB_READ);
	assert_int_equal(count(&f.c), 0);
	close_file(&f);
}

static void test_another_writer_waits_its_turn(void **state)
{
	struct fixture a, b;

	(void)state;
	open_file(&a, DB_WRITE);
	make_table(&a);
	open_file(&b, DB_WRITE);
	assert_int_equal(db_exec(&b.c, "PRAGMA busy_timeout = 1"), E_OK);
	assert_int_equal(db_begin_write(&a.c), E_OK);
	assert_int_equal(insert(&a.c, 1, "a", "", 0), E_OK);
	assert_int_equal(db_begin_write(&b.c), E_BUSY);
	assert_int_equal(b.c.err, E_BUSY);
	assert_false(db_in_transaction(b.c.db));
	assert_int_equal(db_commit(&a.c), E_OK);
	assert_int_equal(db_begin_write(&b.c), E_OK);
	db_rollback(&b.c);
	close_file(&b);
	close_file(&a);
}

static void test_statements_file_themselves(void **state)
{
	bool seen = false;

	(void)state;
	for (size_t i = 0; i < sql_count(); i++) {
		assert_non_null(sql_first()[i].id);
		seen |= strcmp(sql_first()[i].id, "thing_all") == 0;
	}
	assert_true(seen);
}

#define ON_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILE(test_values_come_back),
		ON_FILE(test_parameters_go_by_number),
		ON_FILE(test_broken_statement_is_sticky),
		ON_FILE(test_rollback_and_writes_outside),
		ON_FILE(test_full_disk_undoes_all),
		ON_FILE(test_lost_transaction_is_noticed),
		ON_FILE(test_reader_sees_one_snapshot),
		ON_FILE(test_reader_alone),
		ON_FILE(test_another_writer_waits_its_turn),
		cmocka_unit_test(test_statements_file_themselves),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
