/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts beside the commits before the base. One metric alone borrows from no other, so its test
 * is a page of arithmetic, done with numpy and scipy: p, degrees of freedom, what would have been
 * seen.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RUNS_MAX 4
#define X        NAN /* no such run */

struct lab {
	struct arena *arena;
	struct metric metric;
};

static int lab_open(void **state)
{
	struct arena *a = arena_new();
	struct lab *lab = arena_array(a, struct lab, 1);

	lab->arena = a;
	lab->metric = (struct metric){.id = 7, .name = "fio.write_iops"};
	lab->metric.name_len = strlen(lab->metric.name);
	lab->metric.facts = metric_facts_of(lab->metric.name);
	*state = lab;
	return 0;
}

static int lab_close(void **state)
{
	arena_free(((struct lab *)*state)->arena);
	return 0;
}

static struct comparison_column column(struct lab *lab, const double v[RUNS_MAX])
{
	struct sample_run *runs = arena_array(lab->arena, struct sample_run, RUNS_MAX);
	const struct metric **list = arena_array(lab->arena, const struct metric *, 1);
	size_t n = 0;

	list[0] = &lab->metric;
	for (size_t r = 0; r < RUNS_MAX; r++)
		if (!isnan(v[r]))
			runs[n++] = (struct sample_run){list, &v[r], 1, (int64_t)r};
	return (struct comparison_column){.runs = runs, .nruns = n};
}

/* Judges y against x beside n commits before. */
static const struct cell *judge(struct lab *lab, const double (*before)[RUNS_MAX], size_t n,
				const double x[RUNS_MAX], const double y[RUNS_MAX])
{
	struct history_cell *cells = arena_array(lab->arena, struct history_cell, n);
	const struct history_cell **of = arena_array(lab->arena, const struct history_cell *, n);
	struct comparison_history history = {of, n};
	struct comparison_column cols[2] = {column(lab, x), column(lab, y)};
	struct comparison c;

	for (size_t i = 0; i < n; i++) {
		struct comparison_column col = column(lab, before[i]);

		assert_true(history_cell_fill(lab->arena, &col, 1000, &cells[i]));
		of[i] = &cells[i];
	}
	cols[1].history = &history;
	assert_true(comparison_build(lab->arena, "fio", cols, 2, &c));
	return &c.rows[0].cells[1];
}

static void near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%.17g, not %.17g", got, want);
}

static void assert_verdict(const struct cell *c, enum verdict want)
{
	if (c->verdict != want)
		fail_msg("%s, not %s: %s", verdict_name(c->verdict), verdict_name(want), c->reason);
}

static const double quiet[][RUNS_MAX] = {
	{100, 101, 99, X},   {100.5, 99.5, 100, X}, {101, 100, 99, X},
	{99, 100, 100.5, X}, {100, 100.5, 99.5, X}, {99.5, 100.5, 101, X},
};
static const double base3[] = {100, 101, 99, X};

/* With six commits before, three runs a side are enough. */
static void six_commits_before(void **state)
{
	static const double lower[] = {80, 81, 79, X}, same[] = {101, 99.5, 100.5, X};
	const struct cell *c = judge(*state, quiet, 6, base3, lower);

	near(c->p, 3.189771566332792e-17, 1e-7);
	assert_int_equal(c->history, 6);
	assert_verdict(c, VERDICT_REGRESSION);
	assert_non_null(strstr(c->reason, ", beside 6 commits before: a regression"));
	c = judge(*state, quiet, 6, base3, same);
	near(c->p, 0.5376283626716715, 1e-7);
	near(c->mde, 1.5958970762106263, 1e-5);
	assert_verdict(c, VERDICT_SAME);
	assert_non_null(strstr(c->reason, "less than 1 %; would have seen 1.6 %"));
	c = judge(*state, quiet, 5, base3, lower);
	assert_int_equal(c->history, 5);
	assert_verdict(c, VERDICT_SUSPECT);
	assert_non_null(strstr(c->reason, "noise between commits not known"));
	assert_non_null(strstr(c->reason, "4 runs on both sides, or 3 and 6 commits before"));
}

/* Every commit has its own level, ±10 %: 8 % more are nothing, however close the runs lie. */
static void noisy_commits(void **state)
{
	static const double before[][RUNS_MAX] = {
		{90, 91, 90.5, X},    {110, 111, 110.5, X}, {95, 95.5, 96, X},
		{105, 106, 105.5, X}, {92, 93, 92.5, X},    {108, 107, 107.5, X},
	};
	static const double x[] = {100, 101, 99, 100}, y[] = {108, 109, 107, 108};
	const struct cell *c = judge(*state, before, 6, x, y);

	near(c->p, 0.5744817578980388, 1e-7);
	near(c->mde, 85.88993354012041, 1e-5);
	/* the runs alone would say 7e-13: worth a look */
	assert_verdict(c, VERDICT_SUSPECT);
	c = judge(*state, NULL, 0, x, y);
	assert_verdict(c, VERDICT_IMPROVEMENT);
}

/* The base alone was slow; its change is back where all the others are. */
static void the_base_stands_apart(void **state)
{
	static const double x[] = {90, 90.5, 89.5, 90}, y[] = {100, 100.4, 99.6, 100};
	const struct cell *c = judge(*state, quiet, 6, x, y);

	near(c->p, 0.9941677734701488, 1e-7);
	assert_verdict(c, VERDICT_SUSPECT);
}

/* A commit that does not have the metric is left out; a function that is in no profile took no
 * time. */
static void absent_commits(void **state)
{
	static const double before[][RUNS_MAX] = {
		{100, 101, 99, X}, {X, X, X, X},        {100.5, 99.5, 100, X},
		{101, 100, 99, X}, {99, 100, 100.5, X},
	};
	static const double lower[] = {80, 81, 79, X};
	struct lab *lab = *state;
	struct metric other = {.id = 6, .name = "perf-profile.self.other"};
	const struct metric *list[] = {&other};
	const double one = 1;
	struct sample_run run = {list, &one, 1, 1};
	struct comparison_column col = {.runs = &run, .nruns = 1};
	struct history_cell cell;

	assert_int_equal(judge(lab, before, 5, base3, lower)->history, 4);
	other.facts = metric_facts_of(other.name);
	assert_true(history_cell_fill(lab->arena, &col, 10, &cell));
	assert_int_equal(cell.profiled, 1);
	assert_int_equal(cell.n, 1);
	assert_false(history_cell_fill(lab->arena, &col, 0, &cell));
	other.facts.kind = KIND_FUNCTIONAL;
	assert_true(history_cell_fill(lab->arena, &col, 10, &cell));
	assert_int_equal(cell.n, 0);
}

static void profile_of_nothing(void **state)
{
	static const double x[] = {5, 5.1, 4.9, 5}, y[] = {5, 5, 5, 5.1};
	struct lab *lab = *state;
	struct metric other = {.id = 3, .name = "perf-profile.self.other"};
	const struct metric *list[] = {&other};
	const double ones[] = {1, 1};
	struct sample_run runs[] = {{list, &ones[0], 1, 1}, {list, &ones[1], 1, 2}};
	struct comparison_column cols[2], col = {.runs = runs, .nruns = 2};
	struct history_cell cell;
	const struct history_cell *of[] = {&cell};
	struct comparison_history history = {of, 1};
	struct comparison c;

	other.facts = metric_facts_of(other.name);
	lab->metric.name = "perf-profile.self.mine";
	lab->metric.facts = metric_facts_of(lab->metric.name);
	assert_true(history_cell_fill(lab->arena, &col, 10, &cell));
	cols[0] = column(lab, x);
	cols[1] = column(lab, y);
	cols[1].history = &history;
	assert_true(comparison_build(lab->arena, "fio", cols, 2, &c));
	assert_int_equal(c.rows[0].cells[1].history, 1);
}

/* Up by half a percent with every commit: named, and no step. */
static void drifting(void **state)
{
	double before[10][RUNS_MAX], x[RUNS_MAX], y[RUNS_MAX];
	const struct cell *c;

	for (size_t k = 0; k < 12; k++)
		for (size_t r = 0; r < RUNS_MAX; r++) {
			double v = (100 + (r % 2 ? 0.3 : -0.3)) * (1 + 0.005 * (double)k);

			(k < 10 ? before[k] : k == 10 ? x : y)[r] = v;
		}
	c = judge(*state, before, 10, x, y);
	assert_verdict(c, VERDICT_SAME);
	assert_non_null(strstr(c->reason, "; drifting: from commit to commit, one way"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(six_commits_before), T(noisy_commits),      T(the_base_stands_apart),
		T(absent_commits),     T(profile_of_nothing), T(drifting),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verdict_history", tests, NULL, NULL);
}
