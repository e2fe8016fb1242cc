/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Migrations on real files: an empty file gets the whole schema, a second time changes nothing,
 * what is newer is refused untouched, and processes that start together do it once. */
#include "db/migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/engine.h"
#include "db/tokens.h"
#include "server/base/arena.h"

#include <cmocka.h> /* last: it has a macro called fail */

static char dir[64];
static char path[96];

static int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "%s", "/tmp/plumbline-migrate.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/test.db", dir);
	return 0;
}

static int teardown(void **state)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char name[112];

	(void)state;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		snprintf(name, sizeof name, "%s%s", path, ends[i]);
		unlink(name);
	}
	return rmdir(dir);
}

static void test_empty_file_gets_all(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct ctx c;
	struct db *d;
	int version = 0;
	int64_t generation = 0;

	(void)state;
	ctx_init(&c, a, NULL);
	assert_int_equal(db_open_migrated(&c, path, &d), E_OK);
	assert_null(c.db);
	c.db = d;
	assert_true(db_migrate_newest() >= 1);
	assert_int_equal(db_version(&c, &version), E_OK);
	assert_int_equal(version, db_migrate_newest());
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(generation_bump(&c), E_OK);
	assert_int_equal(db_commit(&c), E_OK);
	assert_int_equal(db_migrate(&c), E_OK); /* again: nothing happens */
	assert_int_equal(generation_get(&c, &generation), E_OK);
	assert_int_equal(generation, 2); /* born as 1 */
	db_close(d);
}

static void test_newer_is_refused(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct ctx c;
	struct db *d;
	int version = 0;

	(void)state;
	ctx_init(&c, a, NULL);
	assert_int_equal(db_open_migrated(&c, path, &d), E_OK);
	c.db = d;
	assert_int_equal(db_set_version(&c, 9999), E_OK);
	db_close(d);
	c.db = NULL;
	assert_int_equal(db_open_migrated(&c, path, &d), E_INTERNAL);
	assert_null(d);
	assert_non_null(strstr(c.detail, "of schema 9999, this program knows"));
	ctx_clear(&c);
	assert_int_equal(db_open(&c, path, DB_READ, &d), E_OK);
	c.db = d;
	assert_int_equal(db_version(&c, &version), E_OK);
	assert_int_equal(version, 9999);
	db_close(d);
}

/* A migration that fails leaves nothing of itself behind. */
static void test_failure_leaves_nothing(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct ctx c;
	struct db *d;
	int version = -1;

	(void)state;
	ctx_init(&c, a, NULL);
	assert_int_equal(db_open(&c, path, DB_WRITE, &d), E_OK);
	c.db = d;
	/* in the way of the last statement but few of the first migration */
	assert_int_equal(db_exec(&c, "CREATE TABLE correction (x INTEGER)"), E_OK);
	assert_int_equal(db_migrate(&c), E_INTERNAL);
	assert_non_null(strstr(c.detail, "correction already exists"));
	ctx_clear(&c);
	assert_int_equal(db_version(&c, &version), E_OK);
	assert_int_equal(version, 0);
	assert_int_equal(db_exec(&c, "SELECT * FROM series"), E_INTERNAL); /* no such table */
	ctx_clear(&c);
	assert_int_equal(db_exec(&c, "DROP TABLE correction"), E_OK);
	assert_int_equal(db_migrate(&c), E_OK);
	db_close(d);
}

/* In a process of its own: waits until all are there, then opens. */
static void start_together(int gate)
{
	auto_arena struct arena *a = arena_new();
	struct ctx c;
	struct db *d;
	char byte;

	ctx_init(&c, a, NULL);
	if (read(gate, &byte, 1) != 0)
		_exit(2);
	if (db_open_migrated(&c, path, &d) < 0) {
		fprintf(stderr, "# %s\n", c.detail);
		_exit(1);
	}
	db_close(d);
	_exit(0);
}

static void test_many_start_together(void **state)
{
	enum { PROCESSES = 6 };
	pid_t pids[PROCESSES];
	int gate[2];

	(void)state;
	assert_int_equal(pipe(gate), 0);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			close(gate[1]);
			start_together(gate[0]);
		}
	}
	close(gate[1]); /* opens the gate for all */
	close(gate[0]);
	for (int i = 0; i < PROCESSES; i++) {
		int status = -1;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

#define ON_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILE(test_empty_file_gets_all),
		ON_FILE(test_newer_is_refused),
		ON_FILE(test_failure_leaves_nothing),
		ON_FILE(test_many_start_together),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("migrate", tests, NULL, NULL);
}
