/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing thread. A job called the gate holds it inside a transaction until the test says so;
 * what is queued meanwhile becomes one batch. Each job writes one audit row whose time is its
 * number.
 */
#include "db/writer.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include "db/migrate.h"
#include "db/tokens.h"
#include "server/base/arena.h"

#include <cmocka.h> /* last: it has a macro called fail */
#undef fail

SQL(writer_test_count, "SELECT count(*) FROM audit WHERE at >= $1 AND at <= $2")

enum { JOBS = 50 };

enum kind {
	GOOD,
	BAD_STATEMENT, /* its insert breaks a rule */
	BAD_COMMIT,    /* its insert breaks a rule that is looked at by COMMIT */
	LOSES_ALL,     /* the engine undoes the transaction during its check */
	REFUSED,       /* by its check */
	SHORT_OF_TIME, /* tells the connection not to wait for others */
	GATE,
};

struct work {
	struct job job;
	struct ctx ctx;
	enum kind kind;
	int number;
	int checked, stored, told, turn; /* turn: how many were told before, and one */
	bool was_on_disk;                /* when done() was called, a reader saw the row */
	sem_t entered, go;               /* of a gate */
};

static char dir[64];
static char path[96];
static struct arena *arena;
static struct ctx c;      /* the test's own connection, beside the writer's */
static struct ctx reader; /* for done() */
static struct writer *w;
static struct work works[JOBS + 1];
static int turns;
static const struct writer_limits limits = {JOBS, 1 << 20, 0};

static int64_t rows(struct ctx *ctx, int from, int to)
{
	auto_stmt struct stmt *st = db_stmt(ctx, &writer_test_count);

	bind_int(st, 1, from);
	bind_int(st, 2, to);
	assert_int_equal(stmt_step(st), STMT_ROW);
	return col_int(st, 0);
}

static int64_t generation(void)
{
	int64_t n = -1;

	assert_int_equal(generation_get(&c, &n), E_OK);
	return n;
}

static int check(struct ctx *ctx, struct job *j)
{
	struct work *k = j->arg;

	k->checked++;
	if (k->kind == LOSES_ALL && k->checked == 1)
		return db_exec(ctx, "ROLLBACK");
	if (k->kind == REFUSED)
		return fail(ctx, E_CONFLICT, "refused %d", k->number);
	return E_OK;
}

static int store(struct ctx *ctx, struct job *j)
{
	struct work *k = j->arg;

	k->stored++;
	if (k->kind == GATE) {
		sem_post(&k->entered);
		sem_wait(&k->go);
	}
	if (k->kind == SHORT_OF_TIME && db_exec(ctx, "PRAGMA busy_timeout = 1") < 0)
		return E_INTERNAL;
	if (k->kind == BAD_COMMIT && db_exec(ctx, "PRAGMA defer_foreign_keys = ON") < 0)
		return E_INTERNAL;
	int e = audit_add(ctx, k->number, k->kind == BAD_COMMIT ? 999 : -1,
			  k->kind == BAD_STATEMENT ? NULL : "test", "write", NULL, NULL);
	return e < 0 ? e : k->number;
}

/* On the writer's thread. reader is a connection that nobody else uses. */
static void done(struct job *j)
{
	struct work *k = j->arg;

	k->told++;
	k->turn = ++turns;
	k->was_on_disk = j->result >= 0 && rows(&reader, k->number, k->number) == 1;
}

static struct work *work(int number, enum kind kind)
{
	struct work *k = &works[number];

	*k = (struct work){.kind = kind, .number = number};
	ctx_init(&k->ctx, arena_new(), NULL);
	k->job = (struct job){.check = check,
			      .store = store,
			      .done = done,
			      .ctx = &k->ctx,
			      .arg = k,
			      .weight = 1000};
	sem_init(&k->entered, 0, 0);
	sem_init(&k->go, 0, 0);
	return k;
}

/* The writer is inside the gate's store() when this returns. */
static struct work *close_gate(void)
{
	struct work *gate = work(0, GATE);

	assert_int_equal(writer_submit(w, &gate->job), E_OK);
	sem_wait(&gate->entered);
	return gate;
}

static void submit(int from, int to, enum kind kind)
{
	for (int i = from; i <= to; i++)
		assert_int_equal(writer_submit(w, &work(i, kind)->job), E_OK);
}

static void stop(void)
{
	writer_stop(w);
	w = NULL;
}

static void assert_result(int number, int result, int stored)
{
	struct work *k = &works[number];

	assert_int_equal(k->told, 1);
	assert_int_equal(k->job.result, result);
	assert_int_equal(k->was_on_disk, result >= 0);
	assert_int_equal(k->stored, stored);
	assert_int_equal(k->ctx.err, result < 0 ? result : E_OK);
	assert_null(k->ctx.db);
}

static int setup(void **state)
{
	struct db *d;

	(void)state;
	memset(works, 0, sizeof works);
	snprintf(dir, sizeof dir, "%s", "/tmp/plumbline-writer.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/test.db", dir);
	arena = arena_new();
	ctx_init(&c, arena, NULL);
	if (db_open_migrated(&c, path, &d) < 0)
		return -1;
	c.db = d;
	ctx_init(&reader, arena, NULL);
	if (db_open(&reader, path, DB_READ, &d) < 0)
		return -1;
	reader.db = d;
	return writer_start(&c, path, &limits, &w);
}

static int teardown(void **state)
{
	(void)state;
	if (w)
		writer_stop(w);
	for (int i = 0; i <= JOBS; i++)
		arena_free(works[i].ctx.arena);
	db_close(reader.db);
	db_close(c.db);
	arena_free(arena);
	unlink(path);
	return rmdir(dir);
}

static void test_a_batch_shares_a_commit(void **state)
{
	struct writer_stats s;
	int64_t before = generation();
	struct work *gate = close_gate();

	(void)state;
	submit(1, JOBS, GOOD);
	writer_get_stats(w, &s);
	assert_int_equal(s.queued, JOBS);
	assert_int_equal(rows(&c, 0, JOBS), 0);
	sem_post(&gate->go);
	stop();
	for (int i = 1; i <= JOBS; i++)
		assert_result(i, i, 1);
	assert_int_equal(rows(&c, 1, JOBS), JOBS);
	assert_int_equal(generation(), before + 2); /* the gate's and the batch's */
}

static void test_stats_and_run(void **state)
{
	struct writer_stats s;

	(void)state;
	assert_int_equal(writer_run(w, &work(7, GOOD)->job), 7);
	assert_int_equal(rows(&c, 7, 7), 1); /* on disk when it returns */
	assert_int_equal(writer_run(w, &work(8, BAD_STATEMENT)->job), E_INTERNAL);
	assert_int_equal(works[8].stored, 1); /* alone it was already */
	writer_get_stats(w, &s);
	assert_int_equal(s.queued, 0);
	assert_int_equal(s.jobs, 2);
	assert_int_equal(s.batches, 2);
	assert_int_equal(s.failed_batches, 1);
	assert_int_equal(s.refused, 0);
	assert_true(s.commit_us > 0);
}

/* What is wrong with job 13 must harm nobody else, whenever it is found out. */
static void one_fails_alone(enum kind kind)
{
	int64_t before = generation();
	struct work *gate = close_gate();

	submit(1, 12, GOOD);
	submit(13, 13, kind);
	submit(14, JOBS, GOOD);
	sem_post(&gate->go);
	stop();
	assert_result(13, E_INTERNAL, 2);
	assert_true(works[13].ctx.detail[0] != '\0');
	for (int i = 1; i <= JOBS; i++)
		if (i != 13)
			assert_int_equal(works[i].job.result, i);
	assert_int_equal(rows(&c, 1, JOBS), JOBS - 1);
	assert_int_equal(rows(&c, 13, 13), 0);
	assert_int_equal(generation(), before + 1 + JOBS - 1);
}

static void test_a_bad_statement_fails_alone(void **state)
{
	(void)state;
	one_fails_alone(BAD_STATEMENT);
	assert_result(12, 12, 2); /* it ran before the bad one, and again alone */
	assert_result(14, 14, 1);
}

static void test_a_bad_commit_fails_alone(void **state)
{
	(void)state;
	one_fails_alone(BAD_COMMIT);
	assert_result(12, 12, 2);
	assert_result(14, 14, 2);
}

static void test_a_lost_transaction_loses_no_job(void **state)
{
	struct work *gate = close_gate();

	(void)state;
	submit(1, 3, GOOD);
	submit(4, 4, LOSES_ALL);
	submit(5, 9, GOOD);
	sem_post(&gate->go);
	stop();
	for (int i = 1; i <= 9; i++)
		assert_int_equal(works[i].job.result, i);
	assert_int_equal(rows(&c, 1, 9), 9);
}

static void test_a_refusal_costs_the_others_nothing(void **state)
{
	int64_t before = generation();
	struct work *gate = close_gate();

	(void)state;
	submit(1, 4, GOOD);
	submit(5, 5, REFUSED);
	submit(6, 9, GOOD);
	sem_post(&gate->go);
	stop();
	for (int i = 1; i <= 9; i++)
		if (i != 5)
			assert_result(i, i, 1);
	assert_result(5, E_CONFLICT, 0);
	assert_string_equal(works[5].ctx.detail, "refused 5");
	assert_int_equal(rows(&c, 1, 9), 8);
	assert_int_equal(generation(), before + 2);
}

static void test_only_refusals_write_nothing(void **state)
{
	int64_t before = generation();

	(void)state;
	assert_int_equal(writer_run(w, &work(1, REFUSED)->job), E_CONFLICT);
	assert_int_equal(generation(), before);
}

static void test_a_full_queue(void **state)
{
	struct writer_stats s;
	struct work *gate = close_gate();

	(void)state;
	submit(1, JOBS - 1, GOOD);
	struct work *k = work(JOBS, GOOD);
	k->job.weight = limits.bytes;
	assert_int_equal(writer_submit(w, &k->job), E_BUSY); /* too many bytes */
	assert_int_equal(k->ctx.err, E_BUSY);
	arena_free(k->ctx.arena);
	submit(JOBS, JOBS, GOOD);
	struct ctx late_ctx;
	ctx_init(&late_ctx, arena, NULL);
	struct job late = {.store = store, .done = done, .ctx = &late_ctx, .arg = NULL};
	assert_int_equal(writer_submit(w, &late), E_BUSY); /* too many jobs */
	writer_get_stats(w, &s);
	assert_int_equal(s.refused, 2);
	sem_post(&gate->go);
	stop();
	assert_int_equal(rows(&c, 1, JOBS), JOBS);
}

static void test_a_job_over_the_limit_alone_is_taken(void **state)
{
	struct work *k = work(1, GOOD);

	(void)state;
	k->job.weight = limits.bytes * 2;
	assert_int_equal(writer_run(w, &k->job), 1);
}

static void submit_heavy(int number, enum kind kind)
{
	struct work *k = work(number, kind);

	k->job.weight = (4 << 20) + 1;
	assert_int_equal(writer_submit(w, &k->job), E_OK);
}

/* Light ones wait for one heavy job, not for all; a heavy one that fails undoes nobody's work. */
static void test_heavy_jobs_take_turns(void **state)
{
	const struct writer_limits wide = {JOBS, 1 << 30, 0};
	struct work *gate;

	(void)state;
	stop();
	assert_int_equal(writer_start(&c, path, &wide, &w), E_OK);
	turns = 0;
	gate = close_gate();
	submit_heavy(1, GOOD);
	submit_heavy(2, BAD_STATEMENT);
	submit(3, 4, GOOD);
	submit_heavy(5, GOOD);
	submit(6, 6, GOOD);
	sem_post(&gate->go);
	stop();
	static const int order[] = {1, 3, 4, 6, 2, 5};
	for (int i = 0; i < 6; i++) {
		int number = order[i];

		assert_int_equal(works[number].turn, 2 + i); /* the gate was the first */
		assert_int_equal(works[number].stored, 1);
	}
	assert_true(works[2].job.result < 0);
	assert_int_equal(rows(&c, 1, 6), 5);
}

static void test_a_nearly_full_disk(void **state)
{
	const struct writer_limits greedy = {JOBS, 1 << 20, INT64_MAX};
	struct work *k = work(1, GOOD);

	(void)state;
	stop();
	assert_int_equal(writer_start(&c, path, &greedy, &w), E_OK);
	assert_int_equal(writer_run(w, &k->job), E_DISK_FULL);
	assert_int_equal(k->told, 0);
	assert_int_equal(rows(&c, 1, 1), 0);
}

/* Somebody else keeps the database: the batch fails as a whole, with one wait and not one for each.
 */
static void test_a_held_database(void **state)
{
	(void)state;
	assert_int_equal(writer_run(w, &work(1, SHORT_OF_TIME)->job), 1);
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(writer_run(w, &work(2, GOOD)->job), E_BUSY);
	assert_result(2, E_BUSY, 0);
	db_rollback(&c);
	assert_int_equal(writer_run(w, &work(3, GOOD)->job), 3);
}

#define ON_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILE(test_a_batch_shares_a_commit),
		ON_FILE(test_stats_and_run),
		ON_FILE(test_a_bad_statement_fails_alone),
		ON_FILE(test_a_bad_commit_fails_alone),
		ON_FILE(test_a_lost_transaction_loses_no_job),
		ON_FILE(test_a_refusal_costs_the_others_nothing),
		ON_FILE(test_only_refusals_write_nothing),
		ON_FILE(test_a_full_queue),
		ON_FILE(test_a_job_over_the_limit_alone_is_taken),
		ON_FILE(test_heavy_jobs_take_turns),
		ON_FILE(test_a_nearly_full_disk),
		ON_FILE(test_a_held_database),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
