/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule "welch-log-bh/1", gate by gate, as it judged before there was a newer one. p is compared
 * with figures computed with 40 digits; everything else is small enough to follow by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/comparison.h"
#include "server/analysis/verdict.h"
#include "server/base/arena.h"

static const struct comparison_judging welch = {.rule = RULE_WELCH_LOG_BH_1};

#define RUNS_MAX 8
#define ROWS_MAX 24
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A metric with its samples on both sides. */
struct two {
	const char *name;
	size_t nx;
	double x[RUNS_MAX];
	size_t ny;
	double y[RUNS_MAX];
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

/* Run r holds the r-th value of each metric that has so many. */
static struct comparison_column side(struct arena *a, const struct metric *metrics,
				     const struct two *rows, size_t n, bool after)
{
	struct sample_run *runs = arena_array(a, struct sample_run, RUNS_MAX);
	size_t nruns = 0;

	for (size_t r = 0; r < RUNS_MAX; r++) {
		const struct metric **m = arena_array(a, const struct metric *, n);
		double *v = arena_array(a, double, n);

		for (size_t i = 0; i < n; i++) {
			if (r >= (after ? rows[i].ny : rows[i].nx))
				continue;
			m[runs[r].n] = &metrics[i];
			v[runs[r].n++] = after ? rows[i].y[r] : rows[i].x[r];
		}
		runs[r].metrics = m;
		runs[r].values = v;
		if (runs[r].n)
			nruns = r + 1;
	}
	return (struct comparison_column){.runs = runs, .nruns = nruns};
}

static struct metric metric_of(const char *name, size_t i)
{
	return (struct metric){.id = (uint32_t)i + 1,
			       .name = name,
			       .name_len = strlen(name),
			       .facts = metric_facts_of(name)};
}

/* Judges the metrics of a test "fio-basic"; rows come back in the order given. */
static struct comparison judge(struct arena *a, const struct two *rows, size_t n)
{
	struct metric *metrics = arena_array(a, struct metric, n);
	struct comparison_column cols[2];
	struct comparison c;

	assert_true(n <= ROWS_MAX);
	for (size_t i = 0; i < n; i++)
		metrics[i] = metric_of(rows[i].name, i);
	cols[0] = side(a, metrics, rows, n, false);
	cols[1] = side(a, metrics, rows, n, true);
	comparison_build_by(a, &welch, "fio-basic", cols, 2, &c);
	assert_int_equal(c.nrows, n);
	return c;
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

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g, not %.17g", got, want);
}

/* One metric alone. */
static const struct cell *alone(struct arena *a, struct two row)
{
	struct comparison c = judge(a, &row, 1);

	return &c.rows[0].cells[1];
}

#define THROUGHPUT                                                                                 \
	{                                                                                          \
		480199.7631014502, 478713.21886768367, 480692.1967633392, 476795.9313413859,       \
			478545.2225235285, 479309.7938967886                                       \
	}
#define THROUGHPUT_PATCHED                                                                         \
	{                                                                                          \
		422654.2688081149, 419017.82222470525, 416817.183983105, 423286.39557524625,       \
			414307.41610274825, 420062.1692010417                                      \
	}

static void hackbench(void **state)
{
	const struct cell *c = alone(
		*state, (struct two){"hackbench.throughput", 6, THROUGHPUT, 6, THROUGHPUT_PATCHED});

	assert_verdict(c, VERDICT_REGRESSION);
	assert_true(c->change_pct == -12.459253971775096);
	assert_near(c->change_abs, -59685.14509986911);
	assert_near(c->p, 1.4334812663280241e-8);
	assert_near(c->q, 1.4334812663280241e-8);
	assert_true(c->cliff_delta == -1);
	assert_false(c->reported);
	assert_string_equal(c->reason, "6 against 6 runs, -12.5 %, q 1e-08 over 1 monitor metric: "
				       "a regression (higher is better)");
}

static void the_direction_gives_the_word(void **state)
{
	const struct two rows[] = {
		{"fio.write_iops", 4, {100, 101, 99, 100}, 4, {120, 121, 119, 120}},
		{"fio.read_iops", 4, {120, 121, 119, 120}, 4, {100, 101, 99, 100}},
		{"fio.write_clat_mean_ns", 4, {100, 101, 99, 100}, 4, {120, 121, 119, 120}},
		{"fio.read_clat_mean_ns", 4, {120, 121, 119, 120}, 4, {100, 101, 99, 100}},
		{"fio.workload", 4, {100, 101, 99, 100}, 4, {120, 121, 119, 120}},
	};
	struct comparison c = judge(*state, rows, COUNT(rows));

	assert_verdict(cell_of(&c, "fio.write_iops"), VERDICT_IMPROVEMENT);
	assert_verdict(cell_of(&c, "fio.read_iops"), VERDICT_REGRESSION);
	assert_verdict(cell_of(&c, "fio.write_clat_mean_ns"), VERDICT_REGRESSION);
	assert_verdict(cell_of(&c, "fio.read_clat_mean_ns"), VERDICT_IMPROVEMENT);
	assert_verdict(cell_of(&c, "fio.workload"), VERDICT_CHANGED);
}

/* Constant on both sides: p is 0, so that only the size decides. */
static void at_the_size_gate(void **state)
{
	const struct two rows[] = {
		{"a.at", 3, {100, 100, 100}, 3, {101, 101, 101}},
		{"a.under", 3, {100, 100, 100}, 3, {100.99, 100.99, 100.99}},
		{"a.down", 3, {100, 100, 100}, 3, {99, 99, 99}},
		{"a.rounded", 3, {33.3, 33.3, 33.3}, 3, {33.633, 33.633, 33.633}},
		{"a.negative", 3, {-100, -100, -100}, 3, {-101, -101, -101}},
		{"a.negative_under", 3, {-100, -100, -100}, 3, {-100.9, -100.9, -100.9}},
		{"p.at%", 3, {5, 5, 5}, 3, {6, 6, 6}},
		{"p.under%", 3, {5, 5, 5}, 3, {5.9, 5.9, 5.9}},
		{"p.large%", 3, {500, 500, 500}, 3, {501, 501, 501}},
		{"perf-profile.self.f", 3, {1, 1, 1}, 3, {0, 0, 0}},
	};
	struct comparison c = judge(*state, rows, COUNT(rows));

	assert_verdict(cell_of(&c, "a.at"), VERDICT_CHANGED);
	assert_true(cell_of(&c, "a.at")->p == 0 && cell_of(&c, "a.at")->q == 0);
	assert_verdict(cell_of(&c, "a.under"), VERDICT_SAME);
	assert_string_equal(cell_of(&c, "a.under")->reason,
			    "3 against 3 runs, +1.0 %: less than 1 %");
	assert_verdict(cell_of(&c, "a.down"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "a.rounded"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "a.negative"), VERDICT_CHANGED);
	assert_true(cell_of(&c, "a.negative")->change_abs == -1);
	assert_true(cell_of(&c, "a.negative")->change_pct == 1);
	assert_verdict(cell_of(&c, "a.negative_under"), VERDICT_SAME);
	assert_verdict(cell_of(&c, "p.at%"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "p.under%"), VERDICT_SAME);
	assert_string_equal(cell_of(&c, "p.under%")->reason,
			    "3 against 3 runs, +0.9 points: less than 1 point");
	assert_verdict(cell_of(&c, "p.large%"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "perf-profile.self.f"), VERDICT_CHANGED);
}

/* 3 runs a side for a verdict, 2 for a suspicion, 1 for nothing. */
static void runs_gate(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"fio.write_iops", 3, {100, 101, 99}, 3, {80, 81, 79}});
	assert_verdict(c, VERDICT_REGRESSION);
	c = alone(*state, (struct two){"fio.write_iops", 3, {100, 101, 99}, 2, {80, 81}});
	assert_verdict(c, VERDICT_SUSPECT);
	assert_non_null(strstr(c->reason, "3 runs on both sides"));
	c = alone(*state, (struct two){"fio.write_iops", 2, {100, 101}, 2, {80, 80.1}});
	assert_verdict(c, VERDICT_SUSPECT);
	c = alone(*state, (struct two){"fio.write_iops", 1, {100}, 6, {80, 81, 79, 80, 81, 79}});
	assert_verdict(c, VERDICT_SAME);
	assert_true(isnan(c->p) && isnan(c->q));
	assert_non_null(strstr(c->reason, "one run on a side"));
	c = alone(*state, (struct two){"fio.write_iops", 1, {100}, 1, {50}});
	assert_verdict(c, VERDICT_SAME);
}

/* p .0053 is enough for one metric, not beside 14 that did not move (q = 15 * .0053 = .080). */
static void many_metrics_at_once(void **state)
{
	static const char *const quiet[] = {"fio.a", "fio.b", "fio.c", "fio.d", "fio.e",
					    "fio.f", "fio.g", "fio.h", "fio.i", "fio.j",
					    "fio.k", "fio.l", "fio.m", "fio.n"};
	struct two rows[16] = {
		{"fio.write_iops", 4, {100, 101, 99, 100}, 4, {102, 103, 101.5, 103}},
		{"perf-stat.i.ipc", 4, {100, 101, 99, 100}, 4, {102, 103, 101.5, 103}},
	};
	const struct cell *c = alone(*state, rows[0]);
	struct comparison all;

	assert_near(c->p, 0.0053498745857561355);
	assert_verdict(c, VERDICT_IMPROVEMENT);
	for (size_t i = 0; i < COUNT(quiet); i++)
		rows[2 + i] = (struct two){quiet[i], 4, {1, 2, 3, 4}, 4, {4, 3, 2, 1}};
	all = judge(*state, rows, COUNT(rows));
	c = cell_of(&all, "fio.write_iops");
	assert_near(c->q, 15 * 0.0053498745857561355);
	assert_verdict(c, VERDICT_SUSPECT);
	assert_string_equal(c->reason, "4 against 4 runs, +2.4 %, p 0.005 but q 0.080 over 15 "
				       "primary metrics: suspect, more runs would tell");
	/* a monitor is adjusted among the monitors: it is the only one */
	c = cell_of(&all, "perf-stat.i.ipc");
	assert_near(c->q, 0.0053498745857561355);
	assert_verdict(c, VERDICT_CHANGED);
	c = cell_of(&all, "fio.a");
	assert_true(c->p == 1 && c->q == 1 && c->change_pct == 0 && c->cliff_delta == 0);
	assert_verdict(c, VERDICT_SAME);
}

/* Large, but p = .059 already before any adjustment. */
static void noise(void **state)
{
	const struct cell *c = alone(
		*state,
		(struct two){"fio.write_iops", 4, {100, 103, 98, 101}, 4, {104, 106, 101, 105}});

	assert_near(c->p, 0.058958752187476407);
	assert_verdict(c, VERDICT_SAME);
	assert_string_equal(c->reason, "4 against 4 runs, +3.5 %, q 0.059 over 1 primary metric: "
				       "within the noise (q above 0.05)");
}

/* Not positive, or a percentage: Welch on the values themselves. */
static void plain_values(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"a.b", 4, {1, 0, 2, 1}, 4, {2, 4, 3, 3}});
	assert_near(c->p, 0.013399964712331044);
	assert_verdict(c, VERDICT_CHANGED);
	c = alone(*state, (struct two){"a.b%", 3, {10, 11, 10.5}, 3, {11.5, 12.5, 12}});
	assert_near(c->p, 0.021311641128756726);
	assert_verdict(c, VERDICT_CHANGED);
	c = alone(*state, (struct two){"a.b", 3, {-10, -9.5, -9.8}, 3, {-8.8, -9.1, -8.5}});
	assert_near(c->p, 0.013742231300365575);
	assert_verdict(c, VERDICT_CHANGED);
	assert_true(c->change_abs > 0);
}

static void from_zero(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"a.b", 3, {0, 0, 0}, 3, {0, 0, 0}});
	assert_true(c->change_abs == 0 && c->change_pct == 0 && c->p == 1);
	assert_verdict(c, VERDICT_SAME);
	c = alone(*state, (struct two){"a.b", 3, {0, 0, 0}, 3, {5, 5, 5}});
	assert_true(c->change_abs == 5 && isnan(c->change_pct));
	assert_verdict(c, VERDICT_CHANGED);
	assert_non_null(strstr(c->reason, "from 0"));
	c = alone(*state, (struct two){"a.b", 3, {5, 5, 5}, 3, {0, 0, 0}});
	assert_true(c->change_pct == -100);
	assert_verdict(c, VERDICT_CHANGED);
}

static void far_values(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"a.b", 3, {1e300, 2e300, 3e300}, 3, {1e300, 2e300, 3e300}});
	assert_true(c->p == 1 && c->change_pct == 0);
	c = alone(*state, (struct two){"a.b", 3, {1e-300, 1.1e-300, 1e-300}, 3, {1, 1.1, 1}});
	assert_verdict(c, VERDICT_CHANGED);
	assert_near(c->change_pct, 1e302);
	assert_non_null(strstr(c->reason, "+1e+302 %"));
	c = alone(*state, (struct two){"a.b", 3, {-1e300, 0, 1e300}, 3, {-1e-300, 0, 1e-300}});
	assert_true(c->p == 1 && c->change_abs == 0);
	c = alone(*state, (struct two){"a.b", 2, {-1.7e308, -1.6e308}, 2, {1.7e308, 1.6e308}});
	assert_false(isnan(c->p) || isnan(c->change_abs));
}

static const struct cell *fails(struct arena *a, const char *name, size_t x, size_t nx, size_t y,
				size_t ny)
{
	struct two row = {name, nx, {0}, ny, {0}};

	for (size_t i = 0; i < x; i++)
		row.x[i] = 1;
	for (size_t i = 0; i < y; i++)
		row.y[i] = 1;
	return alone(a, row);
}

static void functional_rows(void **state)
{
	const struct cell *c = fails(*state, "dmesg.BUG", 0, 6, 3, 6);

	assert_verdict(c, VERDICT_REGRESSION);
	assert_true(c->reproduction_pct == 50 && isnan(c->p) && isnan(c->q));
	assert_string_equal(c->reason,
			    "seen in 0 of 6 runs, then in 3 of 6: a regression (lower is "
			    "better)");
	assert_verdict(fails(*state, "dmesg.BUG", 3, 6, 0, 6), VERDICT_IMPROVEMENT);
	assert_verdict(fails(*state, "dmesg.BUG", 0, 6, 1, 6), VERDICT_SUSPECT);
	assert_verdict(fails(*state, "dmesg.BUG", 2, 6, 3, 6), VERDICT_SUSPECT);
	assert_verdict(fails(*state, "dmesg.BUG", 3, 6, 3, 6), VERDICT_SAME);
	assert_verdict(fails(*state, "dmesg.BUG", 0, 6, 0, 6), VERDICT_SAME);
	assert_verdict(fails(*state, "dmesg.BUG", 0, 6, 2, 6), VERDICT_REGRESSION);
	/* passes: fewer are worse */
	assert_verdict(fails(*state, "x.t.pass", 6, 6, 3, 6), VERDICT_REGRESSION);
	assert_verdict(fails(*state, "x.t.pass", 3, 6, 6, 6), VERDICT_IMPROVEMENT);
	/* unequal runs: 4 of 8 and 2 of 4 are the same rate; 1 of 8 and 4 of 4 differ by 3.5 of 4
	 */
	assert_verdict(fails(*state, "dmesg.BUG", 4, 8, 2, 4), VERDICT_SAME);
	assert_verdict(fails(*state, "dmesg.BUG", 1, 8, 4, 4), VERDICT_REGRESSION);
	assert_verdict(fails(*state, "dmesg.BUG", 4, 4, 4, 8), VERDICT_IMPROVEMENT);
	/* 1/8 and 2/4: 1.5 of 4 */
	assert_verdict(fails(*state, "dmesg.BUG", 1, 8, 2, 4), VERDICT_SUSPECT);
}

#define in_arena(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_arena(hackbench),
		in_arena(the_direction_gives_the_word),
		in_arena(at_the_size_gate),
		in_arena(runs_gate),
		in_arena(many_metrics_at_once),
		in_arena(noise),
		in_arena(plain_values),
		in_arena(from_zero),
		in_arena(far_values),
		in_arena(functional_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verdict_welch", tests, NULL, NULL);
}
