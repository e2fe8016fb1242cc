/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A database of its own for each test of db/, as writer, and short ways to put things into it. */
#ifndef TESTS_DB_LAB_H
#define TESTS_DB_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "db/engine.h"
#include "db/metrics.h"
#include "db/migrate.h"
#include "db/runs.h"
#include "importers/import.h"
#include "server/base/arena.h"
#include "server/base/log.h"

#include <cmocka.h> /* last: its macro fail() would hide ours */

#define LAB_TIME 1689822060

struct db_lab {
	char path[64];
	struct ctx c;
	int64_t now;
};

static inline int db_lab_open(void **state)
{
	struct db_lab *l = calloc(1, sizeof(*l));
	struct db *db;
	int fd;

	assert_non_null(l);
	snprintf(l->path, sizeof(l->path), "/tmp/plumbline-db-XXXXXX");
	fd = mkstemp(l->path);
	assert_true(fd >= 0);
	close(fd);
	unlink(l->path);
	metrics_forget_all();
	ctx_init(&l->c, arena_new(), NULL);
	log_set_level(LOG_WARN);
	assert_int_equal(db_open_migrated(&l->c, l->path, &db), E_OK);
	l->c.db = db;
	l->now = LAB_TIME;
	*state = l;
	return 0;
}

static inline int db_lab_close(void **state)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	struct db_lab *l = *state;
	char name[80];

	db_close(l->c.db);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", l->path, ends[i]);
		unlink(name);
	}
	arena_free(l->c.arena);
	free(l);
	return 0;
}

#define LAB_TEST(f) cmocka_unit_test_setup_teardown(f, db_lab_open, db_lab_close)

static inline void lab_begin(struct db_lab *l)
{
	assert_int_equal(db_begin_write(&l->c), E_OK);
}

static inline void lab_commit(struct db_lab *l)
{
	assert_int_equal(db_commit(&l->c), E_OK);
	metrics_publish();
}

static inline void lab_rollback(struct db_lab *l)
{
	db_rollback(&l->c);
	metrics_forget_pending();
}

/* Reads a native document, an object or an array. */
static inline struct import lab_parse(struct db_lab *l, const char *json)
{
	struct import in = {.ctx = &l->c};

	if (import_native(&in, json, strlen(json)) < 0)
		fail_msg("%s: %s", l->c.detail, l->c.nfaults ? l->c.faults[0].message : "");
	return in;
}

/* Stores a native document, a minute after the one before. */
static inline struct accepted *lab_store(struct db_lab *l, const char *json)
{
	struct import in = lab_parse(l, json);
	struct accepted *done = arena_array(l->c.arena, struct accepted, in.n);

	lab_begin(l);
	int e = submissions_check(&l->c, in.subs, in.n, done);
	if (e >= 0)
		e = submissions_store(&l->c, in.subs, in.n, -1, l->now, done);
	if (e < 0)
		fail_msg("%s", l->c.detail);
	lab_commit(l);
	l->now += 60;
	return done;
}

/* One number that a statement of the test answers; it must be one. */
static inline int64_t lab_number(struct db_lab *l, const struct sql *sql)
{
	auto_stmt struct stmt *st = db_stmt(&l->c, sql);

	assert_int_equal(stmt_step(st), STMT_ROW);
	return col_int(st, 0);
}

static inline void lab_exec(struct db_lab *l, const char *sql)
{
	lab_begin(l);
	assert_int_equal(db_exec(&l->c, sql), E_OK);
	lab_commit(l);
}

#endif
