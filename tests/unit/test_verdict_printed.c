/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts of cells that came printed: what the table said, or what its rounded figures give. The
 * rows are of real report mails.
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

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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

static struct metric metric_of(const char *name, size_t i)
{
	return (struct metric){.id = (uint32_t)i + 1,
			       .name = name,
			       .name_len = strlen(name),
			       .facts = metric_facts_of(name)};
}

static void assert_verdict(const struct cell *c, enum verdict want)
{
	if (c->verdict != want)
		fail_msg("%s, not %s: %s", verdict_name(c->verdict), verdict_name(want), c->reason);
}

/* A summary of which nothing is known yet. */
static struct summary_cell summary(const struct metric *m)
{
	return (struct summary_cell){
		.metric = m,
		.mean = NAN,
		.stddev = NAN,
		.stddev_pct = NAN,
		.min = NAN,
		.max = NAN,
		.n = -1,
		.fails = -1,
		.runs = -1,
	};
}

/* A table of two printed cells, judged. */
struct printed {
	const char *name;
	double x, y;
	enum printed_kind kind;
	double change;
	bool matches;
	enum verdict want;
};

static const struct cell *judge_printed(struct arena *a, const struct printed *p)
{
	struct metric *m = arena_array(a, struct metric, 1);
	struct summary_cell *s = arena_array(a, struct summary_cell, 2);
	struct comparison_column cols[] = {{.cells = &s[0], .ncells = 1},
					   {.cells = &s[1], .ncells = 1}};
	struct comparison c;

	*m = metric_of(p->name, 0);
	s[0] = s[1] = summary(m);
	s[0].mean = p->x;
	s[1].mean = p->y;
	s[0].printed = PRINTED_BASE;
	s[1].printed = p->kind;
	s[1].printed_change = p->change;
	s[1].printed_base_matches = p->matches;
	comparison_build(a, "fio-basic", cols, 2, &c);
	assert_int_equal(c.nrows, 1);
	return &c.rows[0].cells[1];
}

/* The printed change decides where it was printed against this base, else the means do. */
static void printed_cells_are_reported(void **state)
{
	static const struct printed cases[] = {
		{"fio.write_iops", 310403, 242761, PRINTED_PCT, -21.8, true, VERDICT_REGRESSION},
		{"fio.write_iops", 310403, 301531, PRINTED_PCT, -2.9, true, VERDICT_REGRESSION},
		{"fio.write_iops", 310403, 301531, PRINTED_PCT, 2.9, true, VERDICT_IMPROVEMENT},
		{"fio.write_clat_99%_us", 34865152, 34760294, PRINTED_PCT, -0.3, true,
		 VERDICT_SAME},
		{"fio.write_slat_stddev", 2139749, 2338598, PRINTED_PCT, 9.3, true,
		 VERDICT_REGRESSION},
		{"fio.latency_50ms%", 13.99, 19.96, PRINTED_ABS, 6.0, true, VERDICT_CHANGED},
		{"fio.latency_20ms%", 0.33, 0.44, PRINTED_ABS, 0.1, true, VERDICT_SAME},
		{"fio.latency_2000ms%", 0.01, 0, PRINTED_ABS, -0.0, true, VERDICT_SAME},
		{"filebench.sum_bytes_mb/s", 59.40, 58.80, PRINTED_PCT, -1.0, true,
		 VERDICT_REGRESSION},
		{"filebench.sum_bytes_mb/s", 59.40, 59.40, PRINTED_PCT, 0.0, true, VERDICT_SAME},
		/* against another column: -14.1 % by the means */
		{"fio.write_iops", 310403, 266610, PRINTED_PCT, 0.1, false, VERDICT_REGRESSION},
		{"fio.write_iops", 0, 12, PRINTED_PCT, 1.9e12, true, VERDICT_IMPROVEMENT},
		{"fio.write_iops", 0, 12, PRINTED_BASE, NAN, false, VERDICT_IMPROVEMENT},
		{"fio.write_iops", NAN, 12, PRINTED_BASE, NAN, false, VERDICT_NO_DATA},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct cell *c = judge_printed(*state, &cases[i]);

		assert_verdict(c, cases[i].want);
		assert_true(c->judged && c->reported);
		assert_true(isnan(c->p) && isnan(c->q) && isnan(c->cliff_delta));
		assert_int_equal(c->show_printed, cases[i].matches);
		assert_int_equal(c->from_rounded, !cases[i].matches);
		assert_non_null(c->reason);
	}
	assert_string_equal(
		judge_printed(*state, &cases[0])->reason,
		"the table said -21.8 %, without samples to judge: a regression (higher "
		"is better)");
	assert_string_equal(judge_printed(*state, &cases[10])->reason,
			    "-14.1 % by the rounded means, without samples to judge: a regression "
			    "(higher is better)");
}

/* ":6  50%  3:6" as printed. */
static void printed_fails_are_reported(void **state)
{
	struct metric m = metric_of("dmesg.BUG:soft_lockup", 0);
	struct summary_cell s[2];
	struct comparison_column cols[] = {{.cells = &s[0], .ncells = 1},
					   {.cells = &s[1], .ncells = 1}};
	struct comparison c;

	s[0] = s[1] = summary(&m);
	s[0].fails = 0;
	s[1].fails = 3;
	s[0].runs = s[1].runs = 6;
	s[0].printed = PRINTED_BASE;
	s[1].printed = PRINTED_REPRODUCTION;
	s[1].printed_change = 50;
	s[1].printed_base_matches = true;
	comparison_build(*state, "hackbench", cols, 2, &c);
	assert_verdict(&c.rows[0].cells[1], VERDICT_REGRESSION);
	assert_true(c.rows[0].cells[1].show_printed && c.rows[0].cells[1].reported);
	/* by itself, without the printed figure */
	s[1].printed_base_matches = false;
	comparison_build(*state, "hackbench", cols, 2, &c);
	assert_true(c.rows[0].cells[1].reproduction_pct == 50);
	assert_verdict(&c.rows[0].cells[1], VERDICT_REGRESSION);
	s[1].fails = 0;
	comparison_build(*state, "hackbench", cols, 2, &c);
	assert_verdict(&c.rows[0].cells[1], VERDICT_SAME);
}

/* Samples on one side, a printed mean on the other: nothing to test, reported by the means. */
static void samples_against_printed(void **state)
{
	struct metric m = metric_of("fio.write_iops", 0);
	const struct metric *metrics[] = {&m};
	const double values[] = {100};
	const struct sample_run run = {metrics, values, 1, 1};
	struct summary_cell s = summary(&m);
	struct comparison_column cols[] = {{.runs = &run, .nruns = 1}, {.cells = &s, .ncells = 1}};
	struct comparison c;

	s.mean = 90;
	s.printed = PRINTED_PCT;
	s.printed_change = 4;
	s.printed_base_matches = true;
	comparison_build(*state, "fio-basic", cols, 2, &c);
	assert_false(c.rows[0].cells[1].show_printed);
	assert_true(c.rows[0].cells[1].from_rounded && c.rows[0].cells[1].reported);
	assert_true(c.rows[0].cells[1].change_pct == -10);
	assert_verdict(&c.rows[0].cells[1], VERDICT_REGRESSION);
}

#define in_arena(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_arena(printed_cells_are_reported),
		in_arena(printed_fails_are_reported),
		in_arena(samples_against_printed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verdict_printed", tests, NULL, NULL);
}
