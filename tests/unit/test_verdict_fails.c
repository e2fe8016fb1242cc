/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fails of runs. Fisher's p by hand from binomial coefficients: of 12 runs with 5 fails, all 5 on
 * one side of 6: C(6,5)/C(12,5) = 6/792; 4 of 4: C(6,4)/C(12,4) = 15/495; 3: 20/220.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#define RUNS_MAX 24
#define ROWS_MAX 40

struct fails {
	const char *name;
	size_t x, nx, y, ny; /* seen in x of nx runs, in y of ny */
};

static int arena_open(void **state)
{
	*state = arena_new();
	return 0;
}

static int arena_close(void **state)
{
	arena_free(*state);
	return 0;
}

/* The last runs of a side are those that have it, or with first set, the first. */
static struct comparison_column side(struct arena *a, const struct metric *m,
				     const struct fails *rows, size_t n, bool after, bool first)
{
	struct sample_run *runs = arena_array(a, struct sample_run, RUNS_MAX);
	const struct metric **list = arena_array(a, const struct metric *, n);
	size_t nruns = after ? rows[0].ny : rows[0].nx;

	for (size_t i = 0; i < n; i++)
		list[i] = &m[i];
	for (size_t r = 0; r < nruns; r++) {
		double *v = arena_array(a, double, n);

		for (size_t i = 0; i < n; i++) {
			size_t seen = after ? rows[i].y : rows[i].x;

			v[i] = first && i == n - 1 ? r < seen : r >= nruns - seen;
		}
		runs[r] = (struct sample_run){list, v, n, (int64_t)r};
	}
	return (struct comparison_column){.runs = runs, .nruns = nruns};
}

static struct comparison judge(struct arena *a, const struct fails *rows, size_t n, bool first)
{
	struct metric *m = arena_array(a, struct metric, n);
	struct comparison_column cols[2];
	struct comparison c;

	for (size_t i = 0; i < n; i++)
		m[i] = (struct metric){.id = (uint32_t)i + 1,
				       .name = rows[i].name,
				       .name_len = strlen(rows[i].name),
				       .facts = metric_facts_of(rows[i].name)};
	cols[0] = side(a, m, rows, n, false, first);
	cols[1] = side(a, m, rows, n, true, first);
	assert_true(comparison_build(a, "t", cols, 2, &c));
	return c;
}

static const struct cell *alone(struct arena *a, struct fails row)
{
	return &judge(a, &row, 1, false).rows[0].cells[1];
}

static const struct cell *cell_of(const struct comparison *c, const char *name)
{
	for (size_t i = 0; i < c->nrows; i++)
		if (strcmp(c->rows[i].metric->name, name) == 0)
			return &c->rows[i].cells[1];
	fail_msg("no row %s", name);
	return NULL;
}

static void assert_verdict(const struct cell *c, enum verdict want)
{
	if (c->verdict != want)
		fail_msg("%s, not %s: %s", verdict_name(c->verdict), verdict_name(want), c->reason);
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * want))
		fail_msg("%.17g, not %.17g", got, want);
}

static void worse(void **state)
{
	const struct cell *c = alone(*state, (struct fails){"dmesg.BUG", 0, 6, 5, 6});

	near(c->p, 6.0 / 792);
	near(c->q, 6.0 / 792);
	assert_verdict(c, VERDICT_REGRESSION);
	assert_true(c->change_abs > 0 && fabs(c->reproduction_pct - 500.0 / 6) < 1e-12);
	assert_string_equal(c->reason, "seen in 0 of 6 runs, then in 5 of 6, p 0.008, q 0.008: a "
				       "regression (lower is better)");
	c = alone(*state, (struct fails){"dmesg.BUG", 0, 6, 4, 6});
	near(c->p, 15.0 / 495);
	assert_verdict(c, VERDICT_REGRESSION);
	/* for the first time, but chance may give that */
	c = alone(*state, (struct fails){"dmesg.BUG", 0, 6, 3, 6});
	near(c->p, 20.0 / 220);
	assert_true(isnan(c->q)); /* 3 fails of 12 runs could never have been rare enough */
	assert_verdict(c, VERDICT_SUSPECT);
	assert_verdict(alone(*state, (struct fails){"dmesg.BUG", 0, 6, 1, 6}), VERDICT_SUSPECT);
	assert_verdict(alone(*state, (struct fails){"dmesg.BUG", 2, 6, 3, 6}), VERDICT_SAME);
	assert_verdict(alone(*state, (struct fails){"dmesg.BUG", 0, 6, 0, 6}), VERDICT_SAME);
	/* 1 of 8, 4 of 4: C(8,1) C(4,4) / C(12,5) */
	c = alone(*state, (struct fails){"dmesg.BUG", 1, 8, 4, 4});
	near(c->p, 8.0 / 792);
	assert_verdict(c, VERDICT_REGRESSION);
	/* rare, but one fail alone: 0 of 20, 1 of 1 */
	c = alone(*state, (struct fails){"dmesg.BUG", 0, 20, 1, 1});
	near(c->p, 1.0 / 21);
	assert_verdict(c, VERDICT_SUSPECT);
	assert_non_null(strstr(c->reason, "a verdict needs 2 of them"));
}

static void better(void **state)
{
	const struct cell *c = alone(*state, (struct fails){"dmesg.BUG", 5, 6, 0, 6});

	near(c->p, 6.0 / 792);
	assert_verdict(c, VERDICT_IMPROVEMENT);
	assert_verdict(alone(*state, (struct fails){"dmesg.BUG", 3, 6, 0, 6}), VERDICT_SAME);
	assert_verdict(alone(*state, (struct fails){"dmesg.BUG", 6, 6, 6, 6}), VERDICT_SAME);
}

/* Passes: fewer are worse. */
static void passes(void **state)
{
	const struct cell *c = alone(*state, (struct fails){"x.t.pass", 6, 6, 1, 6});

	near(c->p, 6.0 / 792);
	assert_verdict(c, VERDICT_REGRESSION);
	assert_string_equal(c->reason, "passed in 6 of 6 runs, then in 1 of 6, p 0.008, q 0.008: a "
				       "regression (higher is better)");
	assert_verdict(alone(*state, (struct fails){"x.t.pass", 1, 6, 6, 6}), VERDICT_IMPROVEMENT);
	assert_verdict(alone(*state, (struct fails){"x.t.pass", 6, 6, 6, 6}), VERDICT_SAME);
	assert_verdict(alone(*state, (struct fails){"x.t.pass", 6, 6, 3, 6}), VERDICT_SUSPECT);
}

/* Adjusted among those that could have come out rare: 7 tests with p 6/792, here 6 of them no
 * change; 30 metrics that never failed do not count. */
static void many_at_once(void **state)
{
	static const char *const names[] = {"a.1.fail", "a.2.fail", "a.3.fail", "a.4.fail",
					    "a.5.fail", "a.6.fail", "a.7.fail"};
	struct fails rows[ROWS_MAX];
	struct comparison c;
	const struct cell *k;

	for (size_t i = 0; i < ROWS_MAX; i++)
		rows[i] = (struct fails){arena_fmt(*state, "b.%zu.fail", i), 0, 6, 0, 6};
	for (size_t i = 0; i < 7; i++)
		rows[i] = (struct fails){names[i], i ? 3 : 0, 6, i ? 3 : 5, 6};
	c = judge(*state, rows, ROWS_MAX, false);
	k = cell_of(&c, "a.1.fail");
	near(k->q, 7 * 6.0 / 792);
	assert_verdict(k, VERDICT_SUSPECT);
	assert_non_null(strstr(k->reason, "q 0.053: suspect"));
}

/* Five runs crashed before they could show it: they are not clean. */
static void died_of_something_else(void **state)
{
	const struct fails rows[] = {{"dmesg.WARN", 0, 6, 1, 6},
				     {"last_state.is_incomplete_run", 0, 6, 5, 6}};
	struct comparison c = judge(*state, rows, 2, true);
	const struct cell *k = cell_of(&c, "dmesg.WARN");

	/* the last run has the warning, the first five died: 0 of 6 against 1 of 1 */
	near(k->p, 1.0 / 7);
	assert_int_equal(k->fails, 1);
	assert_int_equal(k->runs, 6); /* what is shown stays fails of runs */
	assert_non_null(strstr(k->reason, "then in 1 of 1 (5 runs that died of something else left "
					  "out)"));
	assert_verdict(cell_of(&c, "last_state.is_incomplete_run"), VERDICT_REGRESSION);
}

static void one_boot(void **state)
{
	struct metric m = {.id = 1, .name = "dmesg.BUG", .name_len = 9};
	const struct fails row = {"dmesg.BUG", 0, 6, 6, 6};
	struct comparison_column cols[2];
	struct comparison c;

	m.facts = metric_facts_of(m.name);
	cols[0] = side(*state, &m, &row, 1, false, false);
	cols[1] = side(*state, &m, &row, 1, true, false);
	cols[1].boots = 1;
	assert_true(comparison_build(*state, "t", cols, 2, &c));
	assert_verdict(&c.rows[0].cells[1], VERDICT_SUSPECT);
	assert_non_null(strstr(c.rows[0].cells[1].reason, "one boot"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(worse),    T(better), T(passes), T(many_at_once), T(died_of_something_else),
		T(one_boot),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verdict_fails", tests, NULL, NULL);
}
