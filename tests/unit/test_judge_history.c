/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history that a column is judged with: which commits, in which order, and that what is kept of
 * them follows what is stored.
 */
#include "tests/unit/compare_lab.h"

#include "db/commits.h"
#include "db/metrics.h"
#include "server/analysis/rule.h"
#include "server/model/judge_history.h"

#define COMMITS 24

/* Forty digits of the number of a commit. */
static const char *id_of(struct lab *l, int n)
{
	return arena_fmt(l->c.arena, "%040x", n + 0x1000);
}

/* Stores runs of commit n, whose parent is n - 1. */
static void put_commit(struct lab *l, int n, const char *runs)
{
	const char *parent =
		n > 1 ? arena_fmt(l->c.arena, ", \"parents\": [\"%s\"]", id_of(l, n - 1)) : "";

	lab_put(l, "hackbench",
		arena_fmt(l->c.arena, "\"id\": \"%s\", \"date\": \"2023-01-%02dT00:00:00Z\"%s",
			  id_of(l, n), n, parent),
		arena_fmt(l->c.arena, "\"runs\": [%s]", runs));
}

/* Commits 1 to COMMITS in a line, uploaded in reverse; commit n measured n and n + 1. */
static void put_line(struct lab *l)
{
	for (int n = COMMITS; n >= 1; n--)
		put_commit(
			l, n,
			arena_fmt(l->c.arena,
				  "{\"hackbench.x\": %d}, {\"hackbench.x\": %d, \"dmesg.oops\": 1}",
				  n, n + 1));
}

static int64_t row_of(struct lab *l, int n)
{
	struct commit k;

	assert_int_equal(commit_resolve(&l->c, id_of(l, n), &k, NULL), E_OK);
	return k.id;
}

static struct judge_history load(struct lab *l, int older, int other)
{
	struct judge_history h;

	assert_int_equal(judge_history_load(&l->c, 1, row_of(l, older), row_of(l, other), &h),
			 E_OK);
	return h;
}

/* The first value that commit number i of the history has. */
static double first_value(const struct judge_history *h, size_t i)
{
	assert_int_equal(h->history.cells[i]->n, 1); /* fails are not in it */
	return h->history.cells[i]->groups[0].v[0];
}

static void nearest_last(void **state)
{
	struct lab *l = *state;
	struct judge_history h;

	put_line(l);
	h = load(l, COMMITS - 1, COMMITS);
	assert_int_equal(h.history.n, RULE_HISTORY_MAX);
	for (int i = 0; i < RULE_HISTORY_MAX; i++)
		assert_true(first_value(&h, (size_t)i) == 3 + i); /* 3 to 22, before 23 */
	assert_int_equal(h.history.cells[0]->groups[0].n, 2);
	judge_history_release(&h);
	h = load(l, 4, 5);
	assert_int_equal(h.history.n, 3);
	assert_true(first_value(&h, 0) == 1 && first_value(&h, 2) == 3);
	judge_history_release(&h);
	h = load(l, 1, 2);
	assert_int_equal(h.history.n, 0);
	judge_history_release(&h);
}

/* The commit that is judged is never its own history. */
static void without_the_other(void **state)
{
	struct lab *l = *state;
	struct judge_history h;

	put_line(l);
	h = load(l, 6, 4);
	assert_int_equal(h.history.n, 4);
	assert_true(first_value(&h, 2) == 3 && first_value(&h, 3) == 5);
	judge_history_release(&h);
}

/* A run more, and a run less, are seen at once, in whatever order. */
static void follows_what_is_stored(void **state)
{
	struct lab *l = *state;
	struct judge_history h, before;

	put_line(l);
	before = load(l, 4, 5);
	put_commit(l, 3, "{\"hackbench.x\": 77}");
	h = load(l, 4, 5);
	assert_int_equal(h.history.cells[2]->groups[0].n, 3);
	assert_true(h.history.cells[2]->groups[0].v[2] == 77);
	/* what somebody still uses stays as it was */
	assert_int_equal(before.history.cells[2]->groups[0].n, 2);
	judge_history_release(&h);
	judge_history_release(&before);
	assert_int_equal(db_begin_write(&l->c), E_OK);
	assert_int_equal(db_exec(&l->c, "UPDATE run SET status = 3 WHERE run_id = (SELECT "
					"max(run_id) FROM run)"),
			 E_OK);
	assert_int_equal(db_commit(&l->c), E_OK);
	h = load(l, 4, 5);
	assert_int_equal(h.history.cells[2]->groups[0].n, 2);
	judge_history_release(&h);
}

/* The same rows of another database are other data: each test has one of its own. */
static void another_database(void **state)
{
	struct lab *l = *state;
	struct judge_history h;

	for (int n = 1; n <= 3; n++)
		put_commit(l, n, "{\"hackbench.x\": 500}");
	h = load(l, 3, 2);
	assert_int_equal(h.history.n, 1);
	assert_true(first_value(&h, 0) == 500);
	judge_history_release(&h);
}

/* More than is kept: histories are right all the same. */
static void more_than_is_kept(void **state)
{
	struct lab *l = *state;
	struct out o;
	struct judge_history h;

	out_init(&o, OUT_MAX_DEFAULT);
	for (int i = 0; i < 40000; i++)
		out_fmt(&o, "%s\"hackbench.m%d\": %d", i ? "," : "", i, i + 1);
	for (int n = 1; n <= 20; n++)
		put_commit(l, n, arena_fmt(l->c.arena, "{%s}", o.p));
	out_free(&o);
	for (int again = 0; again < 2; again++) {
		h = load(l, 20, 19);
		assert_int_equal(h.history.n, 18);
		for (size_t i = 0; i < h.history.n; i++) {
			const struct history_cell *cell = h.history.cells[i];
			double sum = 0;

			assert_int_equal(cell->n, 40000);
			for (size_t m = 0; m < cell->n; m++)
				sum += cell->groups[m].v[0];
			assert_true(sum == 40000.0 * 40001 / 2);
		}
		judge_history_release(&h);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(nearest_last),     T(without_the_other), T(follows_what_is_stored),
		T(another_database), T(more_than_is_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("judge_history", tests, NULL, NULL);
}
