/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How runs become rows and cells, and in which order rows stand. Each test draws its runs as lists
 * of values; X marks a metric that the run does not have.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#define X        NAN
#define METRICS  16
#define RUNS_MAX 8
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct lab {
	struct arena *arena;
	struct metric metrics[METRICS];
	size_t nmetrics;
};

static int lab_open(void **state)
{
	struct arena *a = arena_new();
	struct lab *lab = arena_array(a, struct lab, 1);

	lab->arena = a;
	*state = lab;
	return 0;
}

static int lab_close(void **state)
{
	arena_free(((struct lab *)*state)->arena);
	return 0;
}

/* The metric of a name; ids grow in the order in which names are first met. */
static const struct metric *met(struct lab *lab, const char *name)
{
	struct metric *m;

	for (size_t i = 0; i < lab->nmetrics; i++)
		if (strcmp(lab->metrics[i].name, name) == 0)
			return &lab->metrics[i];
	assert_true(lab->nmetrics < METRICS);
	m = &lab->metrics[lab->nmetrics++];
	*m = (struct metric){.id = (uint32_t)(10 * lab->nmetrics),
			     .name = name,
			     .name_len = strlen(name),
			     .facts = metric_facts_of(name)};
	return m;
}

/* A column of nruns runs from rows of values: v[metric][run], the names in the order of their ids.
 */
static struct comparison_column column(struct lab *lab, const char *const *names, size_t n,
				       const double (*v)[RUNS_MAX], size_t nruns)
{
	struct sample_run *runs = arena_array(lab->arena, struct sample_run, nruns);

	for (size_t i = 0; i < n; i++)
		met(lab, names[i]);
	for (size_t r = 0; r < nruns; r++) {
		const struct metric **metrics = arena_array(lab->arena, const struct metric *, n);
		double *values = arena_array(lab->arena, double, n);

		for (size_t i = 0; i < n; i++) {
			if (isnan(v[i][r]))
				continue;
			metrics[runs[r].n] = met(lab, names[i]);
			values[runs[r].n++] = v[i][r];
		}
		runs[r].metrics = metrics;
		runs[r].values = values;
		runs[r].run_id = (int64_t)r + 1;
	}
	return (struct comparison_column){.runs = runs, .nruns = nruns};
}

static const struct comparison_row *row(const struct comparison *c, const char *name)
{
	for (size_t i = 0; i < c->nrows; i++)
		if (strcmp(c->rows[i].metric->name, name) == 0)
			return &c->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static struct summary_cell summary(struct lab *lab, const char *name, double mean)
{
	return (struct summary_cell){
		.metric = met(lab, name),
		.mean = mean,
		.stddev = NAN,
		.stddev_pct = NAN,
		.min = NAN,
		.max = NAN,
		.n = -1,
		.fails = -1,
		.runs = -1,
		.printed_change = NAN,
	};
}

/* Union of the metrics; what a run lacks is not 0; values stand together in run order. */
static void absent_stays_absent(void **state)
{
	static const char *const names[] = {"t.a", "t.b", "t.c"};
	static const double old[][RUNS_MAX] = {{1, 2, 3}, {5, X, 7}, {X, X, X}};
	static const double new[][RUNS_MAX] = {{4, 5}, {X, X}, {8, 9}};
	struct lab *lab = *state;
	struct comparison_column cols[] = {column(lab, names, 3, old, 3),
					   column(lab, names, 3, new, 2)};
	struct comparison c;
	const struct cell *cell;

	comparison_build(lab->arena, "t", cols, 2, &c);
	assert_int_equal(c.nrows, 3);
	assert_int_equal(c.ncols, 2);
	cell = &row(&c, "t.a")->cells[0];
	assert_true(cell->present && cell->n == 3 && cell->mean == 2 && cell->median == 2);
	assert_true(cell->min == 1 && cell->max == 3 && cell->stddev == 1);
	assert_true(cell->fails == -1 && cell->runs == -1 && !cell->judged && !cell->summary);
	assert_true(isnan(cell->change_abs) && isnan(cell->p));
	cell = &row(&c, "t.a")->cells[1];
	assert_true(cell->judged && cell->change_abs == 2.5 && cell->change_pct == 125);
	assert_true(cell->cliff_delta == 1);
	cell = &row(&c, "t.b")->cells[0];
	assert_true(cell->n == 2 && cell->values[0] == 5 && cell->values[1] == 7);
	assert_false(row(&c, "t.b")->cells[1].present);
	assert_false(row(&c, "t.b")->cells[1].judged);
	assert_int_equal(row(&c, "t.b")->verdict, VERDICT_NO_DATA);
	assert_false(row(&c, "t.c")->cells[0].present);
	assert_true(row(&c, "t.c")->cells[1].present && !row(&c, "t.c")->cells[1].judged);
}

/* A damaged value is left out like an absent one: no NaN and no infinity gets through. */
static void not_finite_is_absent(void **state)
{
	static const char *const names[] = {"t.a"};
	static const double old[][RUNS_MAX] = {{INFINITY, 2, -INFINITY}};
	struct lab *lab = *state;
	struct comparison_column col = column(lab, names, 1, old, 3);
	struct comparison c;

	comparison_build(lab->arena, "t", &col, 1, &c);
	assert_int_equal(c.nrows, 1);
	assert_true(c.rows[0].cells[0].n == 1 && c.rows[0].cells[0].mean == 2);
	assert_int_equal(c.rows[0].verdict, VERDICT_NO_DATA);
}

/* A profile that was taken and does not name the function: it took no time. No profile: unknown. */
static void profile_absent_is_zero_where_it_ran(void **state)
{
	static const char *const names[] = {"perf-profile.self.a", "perf-profile.self.b", "t.x"};
	static const double old[][RUNS_MAX] = {{1, 1, X}, {X, 6, X}, {1, 1, 1}};
	static const double new[][RUNS_MAX] = {{2, 2, 2}, {X, X, X}, {1, 1, 1}};
	static const double without[][RUNS_MAX] = {{X}, {X}, {1}};
	struct lab *lab = *state;
	struct comparison_column cols[] = {column(lab, names, 3, old, 3),
					   column(lab, names, 3, new, 3),
					   column(lab, names, 3, without, 1)};
	struct comparison c;
	const struct cell *cells;

	comparison_build(lab->arena, "t", cols, 3, &c);
	cells = row(&c, "perf-profile.self.b")->cells;
	assert_true(cells[0].n == 2 && cells[0].values[0] == 0 && cells[0].values[1] == 6);
	assert_true(cells[1].present && cells[1].n == 3 && cells[1].mean == 0);
	assert_true(cells[1].judged && cells[1].change_abs == -3);
	assert_false(cells[2].present);
}

/* Fails of all runs; a failure that no run names happened in none; a present 0 is no fail. */
static void functional_rows_count_all_runs(void **state)
{
	static const char *const names[] = {"dmesg.BUG", "x.y.fail", "t.x"};
	static const double old[][RUNS_MAX] = {
		{X, X, X, X, X, X}, {0, 0, 0, 1, X, X}, {1, 1, 1, 1, 1, 1}};
	static const double new[][RUNS_MAX] = {{1, X, 2, X}, {X, X, X, X}, {1, 1, 1, 1}};
	struct lab *lab = *state;
	struct comparison_column cols[] = {column(lab, names, 3, old, 6),
					   column(lab, names, 3, new, 4)};
	struct comparison c;
	const struct cell *cells;

	comparison_build(lab->arena, "t", cols, 2, &c);
	cells = row(&c, "dmesg.BUG")->cells;
	assert_true(cells[0].present && cells[0].fails == 0 && cells[0].runs == 6);
	assert_true(cells[1].present && cells[1].fails == 2 && cells[1].runs == 4);
	/* 100 * (2/4 - 0/6) */
	assert_true(cells[1].reproduction_pct == 50);
	cells = row(&c, "x.y.fail")->cells;
	assert_true(cells[0].fails == 1 && cells[0].runs == 6);
	assert_true(cells[1].fails == 0 && cells[1].runs == 4);
	assert_true(fabs(cells[1].reproduction_pct + 100.0 / 6) < 1e-12);
	assert_int_equal(row(&c, "x.y.fail")->role, ROLE_FUNCTIONAL);
	assert_true(row_counts_fails(row(&c, "x.y.fail"), 2));
	assert_false(row_counts_fails(row(&c, "t.x"), 2));
}

/* Samples beat a summary, metric by metric; a metric that only the summary has comes from it. */
static void samples_beat_summaries(void **state)
{
	static const char *const names[] = {"t.a", "t.b", "dmesg.X", "t.z"};
	static const double v[][RUNS_MAX] = {{1, 2}, {X, X}, {X, X}, {9, 9}};
	struct lab *lab = *state;
	struct comparison_column col = column(lab, names, 4, v, 2);
	struct summary_cell cells[] = {summary(lab, "t.a", 100), summary(lab, "t.b", 200),
				       summary(lab, "dmesg.X", NAN)};
	struct comparison c;
	const struct cell *cell;

	cells[1].n = 4;
	cells[1].stddev = 2;
	cells[1].min = 190;
	cells[1].max = 210;
	cells[2].fails = 1;
	cells[2].runs = 3;
	col.cells = cells;
	col.ncells = 3;
	comparison_build(lab->arena, "t", &col, 1, &c);
	assert_int_equal(c.nrows, 4);
	cell = &row(&c, "t.a")->cells[0];
	assert_true(cell->mean == 1.5 && !cell->summary && cell->values);
	cell = &row(&c, "t.b")->cells[0];
	assert_true(cell->mean == 200 && cell->summary == &cells[1] && !cell->values);
	assert_true(cell->n == 4 && cell->stddev == 2 && cell->min == 190 && cell->max == 210);
	/* population: 2 * sqrt(3/4) */
	assert_true(fabs(cell->stddev_pop - 1.7320508075688772) < 1e-12);
	assert_true(isnan(cell->median) && isnan(cell->stddev_pct));
	cell = &row(&c, "dmesg.X")->cells[0];
	assert_true(cell->fails == 1 && cell->runs == 3 && isnan(cell->mean));
}

/* What came printed has no number of runs and no stddev, whatever was sent along. */
static void printed_cells(void **state)
{
	struct lab *lab = *state;
	struct summary_cell old = summary(lab, "t.a", 100), new = summary(lab, "t.a", 80);
	struct summary_cell other = summary(lab, "t.a", 90);
	struct comparison_column cols[] = {{.cells = &old, .ncells = 1},
					   {.cells = &new, .ncells = 1},
					   {.cells = &other, .ncells = 1}};
	struct comparison c;
	const struct cell *cells;

	old.printed = PRINTED_BASE;
	old.stddev_pct = 5;
	old.stddev = 5;
	old.n = 6;
	new.printed = other.printed = PRINTED_PCT;
	new.printed_change = -20.4;
	new.printed_base_matches = true;
	other.printed_change = 3;
	comparison_build(lab->arena, "t", cols, 3, &c);
	cells = c.rows[0].cells;
	assert_true(cells[0].n == -1 && isnan(cells[0].stddev) && cells[0].stddev_pct == 5);
	assert_true(cells[1].show_printed && !cells[1].from_rounded);
	assert_true(cells[1].change_abs == -20 && cells[1].change_pct == -20);
	/* printed against another column: computed from the rounded means */
	assert_true(!cells[2].show_printed && cells[2].from_rounded);
	assert_true(cells[2].change_abs == -10 && cells[2].change_pct == -10);
}

/* The first column alone, and nothing at all. */
static void one_column_and_none(void **state)
{
	static const char *const names[] = {"t.a"};
	static const double v[][RUNS_MAX] = {{1, 2}};
	struct lab *lab = *state;
	struct comparison_column col = column(lab, names, 1, v, 2), empty = {0};
	struct comparison c;

	comparison_build(lab->arena, "t", &col, 1, &c);
	assert_int_equal(c.nrows, 1);
	assert_int_equal(c.rows[0].verdict, VERDICT_NO_DATA);
	comparison_build(lab->arena, "t", &empty, 1, &c);
	assert_int_equal(c.nrows, 0);
	comparison_sort(&c, ORDER_CHANGE);
}

/* Runs with different lists of metrics, two objects for one id among them. */
static void lists_that_differ(void **state)
{
	struct metric m[] = {{.id = 1, .name = "t.a"},
			     {.id = 2, .name = "t.b"},
			     {.id = 3, .name = "t.c"},
			     {.id = 2, .name = "t.b"}};
	const struct metric *first[] = {&m[1]}, *second[] = {&m[0], &m[3], &m[2]},
			    *third[] = {&m[0]};
	const double v[] = {5, 6, 7};
	const struct sample_run runs[] = {
		{first, v, 1, 1}, {second, v, 3, 2}, {third, v, 1, 3}, {NULL, NULL, 0, 4}};
	struct comparison_column col = {.runs = runs, .nruns = 4};
	struct lab *lab = *state;
	struct comparison c;

	comparison_build(lab->arena, "t", &col, 1, &c);
	assert_int_equal(c.nrows, 3);
	assert_true(row(&c, "t.a")->cells[0].n == 2 && row(&c, "t.a")->cells[0].mean == 5);
	assert_true(row(&c, "t.b")->cells[0].n == 2 && row(&c, "t.b")->cells[0].mean == 5.5);
	assert_true(row(&c, "t.c")->cells[0].n == 1 && row(&c, "t.c")->cells[0].mean == 7);
}

static void assert_order(const struct comparison *c, const char *const *want, size_t n)
{
	assert_int_equal(c->nrows, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(c->rows[i].metric->name, want[i]);
}

/* Failures first; the test's own group next; then small groups before large, by name when equal;
 * profiles by their second part, then by change. */
static void robots_order(void **state)
{
	static const char *const names[] = {
		"vmstat.system.cs",
		"meminfo.Active",
		"meminfo.AnonPages",
		"fio.write_iops",
		"fio.read_iops",
		"fio.time.elapsed_time",
		"fio.workload",
		"dmesg.BUG",
		"perf-profile.self.x",
		"perf-profile.children.b",
		"perf-profile.children.a",
		"boot-time.boot",
		"meminfo.A",
	};
	static const double old[][RUNS_MAX] = {{1}, {1}, {1}, {1}, {1}, {1}, {1},
					       {1}, {1}, {1}, {1}, {1}, {1}};
	static const double new[][RUNS_MAX] = {{1}, {1}, {1}, {1}, {1}, {1}, {1},
					       {1}, {9}, {2}, {4}, {1}, {1}};
	static const char *const want[] = {
		"dmesg.BUG",
		"fio.read_iops",
		"fio.time.elapsed_time",
		"fio.workload",
		"fio.write_iops",
		"boot-time.boot",
		"vmstat.system.cs",
		"meminfo.A",
		"meminfo.Active",
		"meminfo.AnonPages",
		"perf-profile.children.b",
		"perf-profile.children.a",
		"perf-profile.self.x",
	};
	struct lab *lab = *state;
	struct comparison_column cols[] = {column(lab, names, COUNT(names), old, 1),
					   column(lab, names, COUNT(names), new, 1)};
	struct comparison c;

	comparison_build(lab->arena, "fio-basic", cols, 2, &c);
	assert_order(&c, want, COUNT(want));
	comparison_sort(&c, ORDER_NAME);
	comparison_sort(&c, ORDER_ROBOT);
	assert_order(&c, want, COUNT(want));
}

/* Names that differ only far behind, or in bytes above 0x7f. */
static void long_names_in_order(void **state)
{
	static const char *const names[] = {"t.a_name_that_is_quite_long.2",
					    "t.\xc3\xa9",
					    "t.z",
					    "t.a_name_that_is_quite_long.1",
					    "t.a_name_that_is",
					    "t",
					    "t.b",
					    "t.a\xc3\xa9"};
	static const double v[][RUNS_MAX] = {{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}};
	static const char *const want[] = {"t",
					   "t.a_name_that_is",
					   "t.a_name_that_is_quite_long.1",
					   "t.a_name_that_is_quite_long.2",
					   "t.a\xc3\xa9",
					   "t.b",
					   "t.z",
					   "t.\xc3\xa9"};
	struct lab *lab = *state;
	struct comparison_column col = column(lab, names, COUNT(names), v, 1);
	struct comparison c;

	comparison_build(lab->arena, "other", &col, 1, &c);
	assert_order(&c, want, COUNT(want));
	comparison_sort(&c, ORDER_NAME);
	assert_order(&c, want, COUNT(want));
}

/* Six runs a side. "fio.write_iops" falls by 20 %, "fio.read_iops" by 5 %, "fio.write_bw_MBps"
 * rises, the others stay. */
static void worst_first(void **state)
{
	static const char *const names[] = {"fio.write_bw_MBps", "fio.read_bw_MBps",
					    "fio.read_iops", "fio.write_iops", "fio.workload"};
	static const double old[][RUNS_MAX] = {{100, 101, 99, 100, 101, 99},
					       {100, 101, 99, 100, 101, 99},
					       {100, 101, 99, 100, 101, 99},
					       {100, 101, 99, 100, 101, 99},
					       {100, 101, 99, 100, 101, 99}};
	static const double new[][RUNS_MAX] = {{150, 151, 149, 150, 151, 149},
					       {99, 101, 100, 100, 101, 99},
					       {95, 96, 94, 95, 96, 94},
					       {80, 81, 79, 80, 81, 79},
					       {60, 61, 59, 60, 61, 59}};
	static const char *const want[] = {"fio.write_iops", "fio.read_iops", "fio.workload",
					   "fio.write_bw_MBps", "fio.read_bw_MBps"};
	static const char *const sure[] = {"fio.write_bw_MBps", "fio.workload", "fio.write_iops",
					   "fio.read_iops", "fio.read_bw_MBps"};
	struct lab *lab = *state;
	struct comparison_column cols[] = {column(lab, names, COUNT(names), old, 6),
					   column(lab, names, COUNT(names), new, 6)};
	struct comparison c;

	comparison_build(lab->arena, "fio-basic", cols, 2, &c);
	comparison_sort(&c, ORDER_CHANGE);
	assert_order(&c, want, COUNT(want));
	assert_int_equal(c.rows[0].verdict, VERDICT_REGRESSION);
	assert_int_equal(c.rows[2].verdict, VERDICT_CHANGED);
	assert_int_equal(c.rows[3].verdict, VERDICT_IMPROVEMENT);
	assert_int_equal(c.rows[4].verdict, VERDICT_SAME);
	comparison_sort(&c, ORDER_CONFIDENCE);
	assert_order(&c, sure, COUNT(sure));
}

/* The row's verdict is the weightiest of its cells. */
static void verdict_of_a_row(void **state)
{
	static const char *const names[] = {"fio.write_iops"};
	static const double base[][RUNS_MAX] = {{100, 101, 99, 100}};
	static const double good[][RUNS_MAX] = {{150, 151, 149, 150}};
	static const double bad[][RUNS_MAX] = {{50, 51, 49, 50}};
	struct lab *lab = *state;
	struct comparison_column cols[] = {column(lab, names, 1, base, 4),
					   column(lab, names, 1, bad, 4),
					   column(lab, names, 1, good, 4)};
	struct comparison c;

	comparison_build(lab->arena, "fio-basic", cols, 3, &c);
	assert_int_equal(c.rows[0].cells[1].verdict, VERDICT_REGRESSION);
	assert_int_equal(c.rows[0].cells[2].verdict, VERDICT_IMPROVEMENT);
	assert_int_equal(c.rows[0].verdict, VERDICT_REGRESSION);
}

static void verdicts_have_weights(void **state)
{
	static const enum verdict falling[] = {
		VERDICT_REGRESSION,  VERDICT_FAILED, VERDICT_SUSPECT, VERDICT_CHANGED,
		VERDICT_IMPROVEMENT, VERDICT_SAME,   VERDICT_NO_DATA};
	static const char *const names[] = {"regression",  "failed", "suspect", "changed",
					    "improvement", "same",   "no-data"};

	(void)state;
	for (size_t i = 0; i < COUNT(falling); i++) {
		assert_string_equal(verdict_name(falling[i]), names[i]);
		assert_int_equal(verdict_is_change(falling[i]), i < 5);
		if (i)
			assert_true(verdict_weight(falling[i - 1]) > verdict_weight(falling[i]));
	}
}

#define in_lab(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_lab(absent_stays_absent),
		in_lab(not_finite_is_absent),
		in_lab(profile_absent_is_zero_where_it_ran),
		in_lab(functional_rows_count_all_runs),
		in_lab(samples_beat_summaries),
		in_lab(printed_cells),
		in_lab(one_column_and_none),
		in_lab(lists_that_differ),
		in_lab(robots_order),
		in_lab(long_names_in_order),
		in_lab(worst_first),
		in_lab(verdict_of_a_row),
		cmocka_unit_test(verdicts_have_weights),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
