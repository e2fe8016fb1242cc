/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule behind the cells of a comparison, gate by gate. With one metric and no history it is
 * Student's t on the metric's scale: p is what scipy says of that. Everything else is small enough
 * to follow by hand.
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
	comparison_build(a, "fio-basic", cols, 2, &c);
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

/* The same of a metric that is more than its name. */
static const struct cell *alone_with(struct arena *a, const struct metric *m, const struct two *row)
{
	const struct comparison_column cols[2] = {side(a, m, row, 1, false),
						  side(a, m, row, 1, true)};
	struct comparison c;

	comparison_build(a, "fio-basic", cols, 2, &c);
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
	assert_near(c->p, 4.2853242873812445e-12);
	assert_near(c->q, 4.2853242873812445e-12);
	assert_true(c->cliff_delta == -1 && c->history == 0 && c->boots == -1);
	assert_false(c->reported);
	assert_string_equal(c->reason,
			    "6 runs at 479043 ± 1381, then 6 runs at 419358 ± 3431, -12.5 %; delta "
			    "-1, p 4e-12, q 4e-12 over 1 monitor metric, noise between commits not "
			    "known: a regression (higher is better)");
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

/* Medians at the gates, and so little noise that nothing else decides. */
static void at_the_size_gate(void **state)
{
	const struct two rows[] = {
		{"a.at", 4, {99.99, 100, 100, 100.01}, 4, {100.99, 101, 101, 101.01}},
		{"a.under", 4, {99.99, 100, 100, 100.01}, 4, {100.98, 100.99, 100.99, 101}},
		{"a.down", 4, {99.99, 100, 100, 100.01}, 4, {98.99, 99, 99, 99.01}},
		{"a.rounded", 4, {33.29, 33.3, 33.3, 33.31}, 4, {33.62, 33.633, 33.633, 33.64}},
		{"a.negative", 4, {-99.9, -100, -100, -100.1}, 4, {-100.9, -101, -101, -101.1}},
		{"a.negative_under",
		 4,
		 {-99.9, -100, -100, -100.1},
		 4,
		 {-100.8, -100.9, -100.9, -101}},
		{"p.at%", 4, {4.9, 5, 5, 5.1}, 4, {5.9, 6, 6, 6.1}},
		{"p.under%", 4, {4.9, 5, 5, 5.1}, 4, {5.8, 5.9, 5.9, 6}},
		{"p.large%", 4, {499.9, 500, 500, 500.1}, 4, {500.9, 501, 501, 501.1}},
		{"perf-profile.self.f", 4, {1, 1, 1.1, 0.9}, 4, {0, 0, 0, 0}},
	};
	struct comparison c = judge(*state, rows, COUNT(rows));

	assert_verdict(cell_of(&c, "a.at"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "a.under"), VERDICT_SAME);
	assert_non_null(strstr(cell_of(&c, "a.under")->reason, ": less than 1 %; would have seen"));
	assert_verdict(cell_of(&c, "a.down"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "a.rounded"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "a.negative"), VERDICT_CHANGED);
	assert_near(cell_of(&c, "a.negative")->change_pct, 1);
	assert_verdict(cell_of(&c, "a.negative_under"), VERDICT_SAME);
	assert_verdict(cell_of(&c, "p.at%"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "p.under%"), VERDICT_SAME);
	/* a monitor that is the same takes few words */
	assert_non_null(
		strstr(cell_of(&c, "p.under%")->reason,
		       "4 against 4 runs, +0.9 points: less than 1 point; would have seen 0."));
	assert_verdict(cell_of(&c, "p.large%"), VERDICT_CHANGED);
	assert_verdict(cell_of(&c, "perf-profile.self.f"), VERDICT_CHANGED);
}

/* Where nothing ever varies there is nothing to hold a change against; beside metrics that do,
 * there is. */
static void without_noise(void **state)
{
	const struct two rows[] = {
		{"a.b", 4, {100, 100, 100, 100}, 4, {120, 120, 120, 120}},
		{"a.c", 4, {100, 100, 100, 100}, 4, {100, 100, 100, 100}},
		{"a.noisy", 4, {100, 101, 99, 100}, 4, {100, 101, 99, 100}},
	};
	const struct cell *c = alone(*state, rows[0]);
	struct comparison all;

	assert_true(c->p == 1 && c->q == 1 && isnan(c->mde));
	assert_verdict(c, VERDICT_SAME);
	assert_non_null(strstr(c->reason, "no noise measured"));
	c = alone(*state, (struct two){"a.b", 1, {100}, 1, {120}});
	assert_true(c->p == 1);
	assert_verdict(c, VERDICT_SAME);
	assert_non_null(strstr(c->reason, "no repeated runs"));
	all = judge(*state, rows, COUNT(rows));
	assert_verdict(cell_of(&all, "a.b"), VERDICT_CHANGED);
	assert_verdict(cell_of(&all, "a.c"), VERDICT_SAME);
	assert_true(cell_of(&all, "a.c")->p == 1);
}

/* Without history: 4 runs a side for a verdict; fewer, and it is suspect. */
static void runs_gate(void **state)
{
	const struct cell *c;

	c = alone(*state,
		  (struct two){"fio.write_iops", 4, {100, 101, 99, 100}, 4, {80, 81, 79, 80}});
	assert_verdict(c, VERDICT_REGRESSION);
	c = alone(*state, (struct two){"fio.write_iops", 3, {100, 101, 99}, 3, {80, 81, 79}});
	assert_near(c->p, 1.7453821827121174e-05);
	assert_verdict(c, VERDICT_SUSPECT);
	assert_non_null(strstr(c->reason, "needs 4 runs on both sides"));
	c = alone(*state, (struct two){"fio.write_iops", 2, {100, 101}, 2, {80, 80.1}});
	assert_verdict(c, VERDICT_SUSPECT);
	c = alone(*state, (struct two){"fio.write_iops", 1, {100}, 6, {80, 81, 79, 80, 81, 79}});
	assert_verdict(c, VERDICT_SUSPECT);
	/* with 4 runs, some pairs may stand the wrong way round: 3 of 16 are delta .625, 4 are .5
	 */
	c = alone(*state,
		  (struct two){"fio.write_iops", 4, {100, 101, 102, 103}, 4, {90, 91, 92, 102.5}});
	assert_true(c->cliff_delta == -0.625);
	assert_verdict(c, VERDICT_REGRESSION);
	c = alone(*state,
		  (struct two){"fio.write_iops", 4, {100, 101, 102, 103}, 4, {80, 81, 82, 103.5}});
	assert_true(c->cliff_delta == -0.5);
	assert_true(c->p <= 0.05);
	assert_verdict(c, VERDICT_SAME);
}

/* p .0052 is enough for one metric, not beside 14 that did not move. Each is the only one that has
 * noise like its own, so that nothing is borrowed: fewer than 10 of a scale. */
static void many_metrics_at_once(void **state)
{
	static const char *const quiet[] = {"fio.a%", "fio.b%", "fio.c%", "fio.d%", "fio.e%",
					    "fio.f%", "fio.g%", "fio.h%", "fio.i%", "fio.j",
					    "fio.k",  "fio.l",  "fio.m",  "fio.n"};
	struct two rows[16] = {
		{"fio.write_iops", 4, {100, 101, 99, 100}, 4, {102, 103, 101.5, 103}},
		{"perf-stat.i.ipc", 4, {100, 101, 99, 100}, 4, {102, 103, 101.5, 103}},
	};
	const struct cell *c = alone(*state, rows[0]);
	struct comparison all;

	assert_near(c->p, 0.005211885575723296);
	assert_verdict(c, VERDICT_IMPROVEMENT);
	for (size_t i = 0; i < COUNT(quiet); i++)
		rows[2 + i] = (struct two){quiet[i], 4, {1, 2, 3, 4}, 4, {4, 3, 2, 1}};
	all = judge(*state, rows, COUNT(rows));
	c = cell_of(&all, "fio.write_iops");
	assert_near(c->q, 15 * 0.005211885575723296);
	assert_verdict(c, VERDICT_SUSPECT);
	assert_non_null(strstr(c->reason, "p 0.005, q 0.078 over 15 primary metrics"));
	assert_non_null(strstr(c->reason, ": suspect, too common among so many metrics"));
	/* a monitor is adjusted among the monitors: it is the only one */
	c = cell_of(&all, "perf-stat.i.ipc");
	assert_near(c->q, 0.005211885575723296);
	assert_verdict(c, VERDICT_CHANGED);
	c = cell_of(&all, "fio.a%");
	assert_true(c->p == 1 && c->q == 1 && c->change_pct == 0 && c->cliff_delta == 0);
	assert_verdict(c, VERDICT_SAME);
}

/* Large, but p = .059 already before any adjustment; what would have been seen, by scipy's t.ppf.
 */
static void noise(void **state)
{
	const struct cell *c = alone(
		*state,
		(struct two){"fio.write_iops", 4, {100, 103, 98, 101}, 4, {104, 106, 101, 105}});

	assert_near(c->p, 0.058955312263750906);
	assert_verdict(c, VERDICT_SAME);
	assert_true(fabs(c->mde - 5.057468005247837) < 1e-5);
	assert_string_equal(
		c->reason, "4 runs at 100.5 ± 2.08, then 4 runs at 104 ± 2.16, +3.5 %; delta 0.81, "
			   "p 0.059, q 0.059 over 1 primary metric, noise between commits not "
			   "known: within the noise; would have seen 5.1 %");
}

/* Each scale: counts with zeros, percentages, and whatever else. */
static void other_scales(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"a.b", 4, {1, 0, 2, 1}, 4, {2, 4, 3, 3}});
	assert_near(c->p, 0.019571371694391507);
	assert_verdict(c, VERDICT_CHANGED);
	c = alone(*state, (struct two){"a.b", 4, {1, 0, 2, 1}, 4, {1, 1, 2, 1}});
	assert_true(fabs(c->mde - 217.9421027422992) < 1e-3);
	c = alone(*state, (struct two){"a.b%", 4, {10, 11, 10.5, 10.5}, 4, {11.5, 12.5, 12, 12.1}});
	assert_near(c->p, 0.0018958271091535843);
	assert_verdict(c, VERDICT_CHANGED);
	c = alone(*state,
		  (struct two){"a.b%", 4, {10, 11, 10.5, 10.5}, 4, {10.2, 11.1, 10.4, 10.6}});
	assert_near(c->p, 0.7984762708267599);
	assert_true(fabs(c->mde - 0.9420689444920465) < 1e-6); /* points */
	c = alone(*state,
		  (struct two){"a.b", 4, {-10, -9.5, -9.8, -9.9}, 4, {-8.8, -9.1, -8.5, -8.7}});
	assert_near(c->p, 0.0008083927380077103);
	assert_verdict(c, VERDICT_CHANGED);
	assert_true(c->change_abs > 0);
}

/* From a base of 0 there is no percentage: counts from 1 on count, other figures only where the
 * metric has a floor. */
static void from_zero(void **state)
{
	struct two row = {"a.b", 5, {0, 0, 1, 0, 0}, 5, {3, 4, 5, 3, 4}};
	struct metric m = metric_of("a.b", 0);
	const struct cell *c;

	c = alone(*state, (struct two){"a.b", 3, {0, 0, 0}, 3, {0, 0, 0}});
	assert_true(c->change_abs == 0 && c->change_pct == 0 && c->p == 1);
	assert_verdict(c, VERDICT_SAME);
	c = alone(*state, row);
	assert_near(c->p, 1.726446383048726e-05);
	assert_verdict(c, VERDICT_CHANGED);
	m.floor = 5;
	c = alone_with(*state, &m, &row);
	assert_verdict(c, VERDICT_SUSPECT); /* the median is 4 */
	assert_non_null(strstr(c->reason, "from 0"));
	row = (struct two){"a.b", 4, {0, 0, 0.5, 0}, 4, {3, 4, 5.5, 3}};
	c = alone(*state, row);
	assert_near(c->p, 0.0008042281642040214);
	assert_verdict(c, VERDICT_SUSPECT);
	m.floor = 3;
	assert_verdict(alone_with(*state, &m, &row), VERDICT_CHANGED);
	c = alone(*state, (struct two){"a.b", 4, {5, 6, 5, 6}, 4, {0, 0, 0, 0}});
	assert_true(c->change_pct == -100);
	assert_verdict(c, VERDICT_CHANGED);
}

/* Some metrics move by 3 % every day: an administrator says what counts. */
static void own_threshold(void **state)
{
	const struct two row = {"fio.write_iops", 4, {100, 101, 99, 100}, 4, {120, 121, 119, 120}};
	struct metric m = metric_of("fio.write_iops", 0);
	const struct cell *c;

	m.threshold_pct = 20;
	assert_verdict(alone_with(*state, &m, &row), VERDICT_IMPROVEMENT);
	m.threshold_pct = 25;
	c = alone_with(*state, &m, &row);
	assert_verdict(c, VERDICT_SUSPECT);
	assert_non_null(strstr(c->reason, "less than the 25 % that count here"));
}

/* Six runs of one boot tell little of the next boot. */
static void one_boot(void **state)
{
	struct metric m = metric_of("fio.write_iops", 0);
	const struct two row = {"fio.write_iops", 4, {100, 101, 99, 100}, 4, {80, 81, 79, 80}};
	struct comparison_column cols[2] = {side(*state, &m, &row, 1, false),
					    side(*state, &m, &row, 1, true)};
	struct comparison c;

	cols[0].boots = 2;
	cols[1].boots = 4;
	comparison_build(*state, "fio-basic", cols, 2, &c);
	assert_verdict(&c.rows[0].cells[1], VERDICT_REGRESSION);
	assert_int_equal(c.rows[0].cells[1].boots, 4);
	assert_non_null(strstr(c.rows[0].cells[1].reason, "4 runs of 2 boots at 100 ± 0.816, then "
							  "4 runs of 4 boots at 80 ± 0.816"));
	cols[1].boots = 1;
	comparison_build(*state, "fio-basic", cols, 2, &c);
	assert_verdict(&c.rows[0].cells[1], VERDICT_SUSPECT);
	assert_non_null(strstr(c.rows[0].cells[1].reason, "4 runs of 1 boot"));
	cols[0].boots = 1;
	cols[1].boots = -1;
	comparison_build(*state, "fio-basic", cols, 2, &c);
	assert_verdict(&c.rows[0].cells[1], VERDICT_SUSPECT);
}

static void far_values(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"a.b", 3, {1e300, 2e300, 3e300}, 3, {1e300, 2e300, 3e300}});
	assert_true(c->p == 1 && c->change_pct == 0);
	c = alone(
		*state,
		(struct two){"a.b", 4, {1e-300, 1.1e-300, 1e-300, 1.1e-300}, 4, {1, 1.1, 1, 1.1}});
	assert_verdict(c, VERDICT_CHANGED);
	assert_near(c->change_pct, 1e302);
	assert_non_null(strstr(c->reason, "+1e+302 %"));
	c = alone(*state, (struct two){"a.b",
				       4,
				       {5e-324, 1e-323, 5e-324, 1e-323},
				       4,
				       {5e-324, 1e-323, 5e-324, 1e-323}});
	assert_verdict(c, VERDICT_SAME);
	c = alone(*state, (struct two){"a.b", 3, {-1e300, 0, 1e300}, 3, {-1e-300, 0, 1e-300}});
	assert_true(c->p == 1 && c->change_abs == 0);
	c = alone(*state, (struct two){"a.b", 4, {-1, 1, -1, 1}, 4, {1e200, -1e200, 2e200, 1e200}});
	assert_true(c->p == 1);
	assert_non_null(strstr(c->reason, "too far apart"));
	c = alone(*state, (struct two){"a.b", 2, {-1.7e308, -1.6e308}, 2, {1.7e308, 1.6e308}});
	assert_false(isnan(c->p) || isnan(c->change_abs));
}

/* What a reader should know besides. */
static void shapes(void **state)
{
	const struct cell *c;

	c = alone(*state, (struct two){"fio.b",
				       6,
				       {100, 120, 101, 121, 100.5, 120.5},
				       6,
				       {121, 100, 101, 120, 120.5, 100.5}});
	assert_verdict(c, VERDICT_SAME);
	assert_non_null(strstr(c->reason, "; bimodal: the runs fall into two groups"));
	c = alone(*state, (struct two){"fio.b",
				       8,
				       {100, 101, 102, 103, 104, 105, 106, 107},
				       8,
				       {100.5, 101.5, 102.5, 103.5, 104.5, 105.5, 106.5, 107.5}});
	assert_verdict(c, VERDICT_SAME);
	assert_non_null(strstr(c->reason, "; drifting: from run to run"));
	/* whole numbers that differ by one are not two groups */
	c = alone(*state, (struct two){"fio.b", 6, {3, 4, 3, 4, 3, 4}, 6, {4, 3, 3, 4, 3, 4}});
	assert_null(strstr(c->reason, "bimodal"));
	c = alone(*state, (struct two){"fio.b",
				       6,
				       {100, 103, 101, 104, 99, 102},
				       6,
				       {101, 99, 104, 103, 100, 102}});
	assert_null(strstr(c->reason, "bimodal"));
	assert_null(strstr(c->reason, "drifting"));
}

#define in_arena(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_arena(hackbench),
		in_arena(the_direction_gives_the_word),
		in_arena(at_the_size_gate),
		in_arena(without_noise),
		in_arena(runs_gate),
		in_arena(many_metrics_at_once),
		in_arena(noise),
		in_arena(other_scales),
		in_arena(from_zero),
		in_arena(own_threshold),
		in_arena(one_boot),
		in_arena(far_values),
		in_arena(shapes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
