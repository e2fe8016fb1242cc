/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit page's model: trailers of a message, the sentence over all results, the nearest
 * measured ancestor, worst first, and what is kept of long lists. The figures are those that were
 * published for the slab patch.
 */
#include "compare_lab.h"

#include <math.h>

#include "server/model/commit.h"

#define MID_ID "1111111111111111111111111111111111111111"

static void load_page(struct lab *l, const char *rev, struct commit_page *p)
{
	struct commit k;

	assert_int_equal(commit_resolve(&l->c, rev, &k, NULL), E_OK);
	assert_int_equal(commit_page_load(&l->c, &k, p), E_OK);
}

/* Six runs of the patched kernel, with the parents it names. */
static void put_next(struct lab *l, const char *parents, const char *machine)
{
	lab_store(l, arena_fmt(l->c.arena,
			       "{\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"%s\", "
			       "\"mode\": \"process\"}, \"commit\": {\"id\": \"" NEXT_ID
			       "\", \"parents\": [%s]}, "
			       "\"matrix\": {\"hackbench.throughput\": [422654.2688081149, "
			       "419017.82222470525, "
			       "416817.183983105, 423286.39557524625, 414307.41610274825, "
			       "420062.1692010417], "
			       "\"vmstat.system.in\": [101, 100, 99, 101, 100, 98]}}",
			       machine, parents));
}

static void put_base(struct lab *l, const char *machine)
{
	lab_store(l, arena_fmt(l->c.arena,
			       "{\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"%s\", "
			       "\"mode\": \"process\"}, \"commit\": {\"id\": \"" BASE_ID "\"}, "
			       "\"units\": {\"hackbench.throughput\": \"KiB/s\"}, "
			       "\"matrix\": {\"hackbench.throughput\": [480199.7631014502, "
			       "478713.21886768367, "
			       "480692.1967633392, 476795.9313413859, 478545.2225235285, "
			       "479309.7938967886], "
			       "\"vmstat.system.in\": [100, 101, 99, 100, 102, 98]}}",
			       machine));
}

static void trailers_of_a_message(void **state)
{
	struct lab *l = *state;
	size_t n;
	struct pair *t = commit_trailers(l->c.arena,
					 "mm: do less\n\nIt was slow: very slow.\n\n"
					 "Reported-by: A Robot <robot@example.org>\n"
					 "[vb: shortened]\n"
					 "Signed-off-by: A B <a@example.org>\r\n",
					 &n);

	assert_int_equal(n, 2);
	assert_string_equal(t[0].name, "Reported-by");
	assert_string_equal(t[0].value, "A Robot <robot@example.org>");
	assert_string_equal(t[1].name, "Signed-off-by");
	assert_string_equal(t[1].value, "A B <a@example.org>");
}

static void no_trailers(void **state)
{
	static const char *const messages[] = {
		NULL,
		"",
		"mm: do less", /* a subject looks like one */
		"mm: do less\n\nNote: this is prose\nthat goes on.\n",
		"mm: do less\n\nCc: a@example.org\n\nThe last paragraph counts.",
		"mm: do less\n\nFixes:\n: x\n",
	};
	struct lab *l = *state;
	size_t n;

	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		commit_trailers(l->c.arena, messages[i], &n);
		if (n)
			fail_msg("message %zu has %zu trailers", i, n);
	}
}

static void judged_against_its_parent(void **state)
{
	struct lab *l = *state;
	struct commit_page p;
	const struct commit_row *row;

	put_base(l, "lkp-icl-2sp2");
	put_next(l, "\"" BASE_ID "\"", "lkp-icl-2sp2");
	load_page(l, NEXT_ID, &p);
	assert_int_equal(p.nresults, 1);
	assert_true(p.results[0].has_base);
	assert_string_equal(p.results[0].base.name, BASE_ID);
	assert_int_equal(p.results[0].n, 6);
	assert_int_equal(p.results[0].worst.n, 1);
	assert_int_equal(p.results[0].best.n, 0);
	assert_int_equal(p.results[0].counts[VERDICT_SAME], 1);
	row = &p.results[0].worst.rows[0];
	assert_string_equal(row->metric->name, "hackbench.throughput");
	assert_string_equal(row->unit, "KiB/s"); /* as uploaded, not the rule's KB/s */
	assert_int_equal(row->now.verdict, VERDICT_REGRESSION);
	assert_true(fabs(row->base.mean - 479042.68774902937) < 1e-9);
	assert_true(fabs(row->now.change_pct + 12.459253971775096) < 1e-12);
	assert_true(fabs(commit_row_size(row) - 12.459253971775096) < 1e-12);
	assert_null(row->now.values);
	assert_non_null(row->now.reason);
	assert_string_equal(commit_change_text(l->c.arena, row), "-12.5 %");
	assert_string_equal(p.sentence, "worse in 1 of 1 test on 1 of 1 machine, worst -12.5 % "
					"hackbench.throughput; no change in 1 metric");
	load_page(l, BASE_ID, &p);
	assert_int_equal(p.nchildren, 1);
	assert_string_equal(p.children[0].name, NEXT_ID);
}

/* base <- mid (not measured in this series) <- next */
static void nearest_measured_ancestor(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	put_base(l, "lkp-icl-2sp2");
	lab_put(l, "other", "\"id\": \"" MID_ID "\", \"parents\": [\"" BASE_ID "\"]",
		"\"runs\": [{\"other.x\": 1}]");
	put_next(l, "\"" MID_ID "\"", "lkp-icl-2sp2");
	load_page(l, NEXT_ID, &p);
	assert_true(p.results[0].has_base);
	assert_string_equal(p.results[0].base.name, BASE_ID);
}

static void without_an_ancestor(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	put_base(l, "lkp-icl-2sp2");
	put_next(l, "", "lkp-icl-2sp2");
	load_page(l, NEXT_ID, &p);
	assert_int_equal(l->c.err, E_OK);
	assert_int_equal(p.nresults, 1);
	assert_false(p.results[0].has_base);
	assert_int_equal(p.results[0].worst.n, 0);
	assert_int_equal(p.results[0].steady.n, 1);
	assert_true(fabs(p.results[0].steady.rows[0].now.mean - 419357.54264916026) < 1e-9);
	assert_string_equal(
		p.sentence,
		"measured in 1 test on 1 machine, with no measured ancestor to compare with");
}

/* Two runs a side are never more than suspect: that is not "not worse". */
static void a_suspect_is_no_proof(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	lab_put(l, "hackbench", "\"id\": \"" BASE_ID "\"",
		"\"matrix\": {\"hackbench.throughput\": [100, 101]}");
	lab_put(l, "hackbench", "\"id\": \"" NEXT_ID "\", \"parents\": [\"" BASE_ID "\"]",
		"\"matrix\": {\"hackbench.throughput\": [80, 81]}");
	load_page(l, NEXT_ID, &p);
	assert_string_equal(p.sentence,
			    "nothing proven to be worse in 1 test on 1 machine; 1 metric suspect");
}

/* A second box that did not move, and a third that was not measured before. */
static void worst_first(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	lab_put(l, "fsmark", "\"id\": \"" BASE_ID "\"",
		"\"runs\": [{\"fsmark.files_per_sec\": 10}]");
	lab_put(l, "fsmark", "\"id\": \"" NEXT_ID "\"",
		"\"runs\": [{\"fsmark.files_per_sec\": 10}]");
	put_next(l, "\"" BASE_ID "\"", "lkp-new");
	put_base(l, "lkp-icl-2sp2");
	put_next(l, "\"" BASE_ID "\"", "lkp-icl-2sp2");
	load_page(l, NEXT_ID, &p);
	assert_int_equal(p.nresults, 3);
	assert_string_equal(p.results[0].series.testcase, "hackbench");
	assert_string_equal(p.results[0].series.tbox_group, "lkp-icl-2sp2");
	assert_string_equal(p.results[1].series.testcase, "fsmark");
	assert_string_equal(p.results[2].series.tbox_group, "lkp-new");
	assert_false(p.results[2].has_base);
	assert_string_equal(p.sentence, "worse in 1 of 2 tests on 1 of 1 machine, worst -12.5 % "
					"hackbench.throughput; no change in 2 metrics");
}

/* More rows than are kept: all are counted, the largest stay. */
static void long_lists_are_cut(void **state)
{
	struct lab *l = *state;
	struct commit_page p;
	char *before = arena_str(l->c.arena, ""), *after = arena_str(l->c.arena, "");

	for (int i = 0; i < COMMIT_ROWS_MAX + 20; i++) {
		before = arena_fmt(l->c.arena,
				   "%s%s\"hackbench.m%03d.throughput\": [1000, 1001, 1002, 1003]",
				   before, i ? ", " : "", i);
		after = arena_fmt(l->c.arena,
				  "%s%s\"hackbench.m%03d.throughput\": [%d, %d, %d, %d]", after,
				  i ? ", " : "", i, 900 - i, 901 - i, 902 - i, 903 - i);
	}
	lab_put(l, "hackbench", "\"id\": \"" BASE_ID "\"",
		arena_fmt(l->c.arena, "\"matrix\": {%s}", before));
	lab_put(l, "hackbench", "\"id\": \"" NEXT_ID "\", \"parents\": [\"" BASE_ID "\"]",
		arena_fmt(l->c.arena, "\"matrix\": {%s}", after));
	load_page(l, NEXT_ID, &p);
	assert_int_equal(p.results[0].worst.n, COMMIT_ROWS_MAX);
	assert_int_equal(p.results[0].worst.seen, COMMIT_ROWS_MAX + 20);
	assert_int_equal(p.results[0].regressions[ROLE_PRIMARY], COMMIT_ROWS_MAX + 20);
	assert_string_equal(p.results[0].worst.rows[0].metric->name, "hackbench.m119.throughput");
}

/* What a mail printed is said as it was printed, and as reported. */
static void printed_figures(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	lab_put(l, "hackbench", "\"id\": \"" BASE_ID "\"",
		"\"summary\": {\"hackbench.throughput\": {\"mean\": 479042, \"printed\": {}}}");
	lab_put(l, "hackbench", "\"id\": \"" NEXT_ID "\", \"parents\": [\"" BASE_ID "\"]",
		"\"summary\": {\"hackbench.throughput\": {\"mean\": 419357, \"printed\": "
		"{\"base\": \"7bc162d5cc4de5c3\", \"change_pct\": -12.6}}}");
	load_page(l, NEXT_ID, &p);
	assert_true(p.results[0].printed);
	assert_int_equal(p.results[0].n, 0);
	assert_int_equal(p.results[0].worst.n, 1);
	assert_true(p.results[0].worst.rows[0].now.reported);
	assert_string_equal(commit_change_text(l->c.arena, &p.results[0].worst.rows[0]), "-12.6 %");
	assert_string_equal(p.sentence, "worse in 1 of 1 test on 1 of 1 machine, worst -12.6 % "
					"hackbench.throughput (as reported)");
}

static void failures_are_counted_in_runs(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	lab_put(l, "hackbench", "\"id\": \"" BASE_ID "\"",
		"\"summary\": {\"dmesg.BUG:soft_lockup\": {\"fails\": 0, \"runs\": 6}}");
	lab_put(l, "hackbench", "\"id\": \"" NEXT_ID "\", \"parents\": [\"" BASE_ID "\"]",
		"\"summary\": {\"dmesg.BUG:soft_lockup\": {\"fails\": 3, \"runs\": 6}}");
	load_page(l, NEXT_ID, &p);
	assert_int_equal(p.results[0].worst.n, 1);
	assert_true(commit_row_size(&p.results[0].worst.rows[0]) == 50);
	assert_string_equal(commit_change_text(l->c.arena, &p.results[0].worst.rows[0]),
			    "failed in 3 of 6 runs, before in 0 of 6");
}

/* By hand: a monitor comes after what the test measures, a suspect after a regression, however
 * large; of two that look the same the one that was tested here is first. */
static void order_of_rows(void **state)
{
	static const struct metric m = {.name = "m", .facts = {.kind = KIND_VALUE}};
	struct commit_row rows[] = {
		{&m,
		 ROLE_MONITOR,
		 NULL,
		 {0},
		 {.judged = true, .change_pct = -90, .verdict = VERDICT_REGRESSION},
		 NULL},
		{&m,
		 ROLE_PRIMARY,
		 NULL,
		 {0},
		 {.judged = true, .change_pct = -50, .verdict = VERDICT_SUSPECT},
		 NULL},
		{&m,
		 ROLE_PRIMARY,
		 NULL,
		 {0},
		 {.judged = true,
		  .change_pct = -12.5,
		  .verdict = VERDICT_REGRESSION,
		  .reported = true},
		 NULL},
		{&m,
		 ROLE_PRIMARY,
		 NULL,
		 {0},
		 {.judged = true, .change_pct = -12.46, .verdict = VERDICT_REGRESSION},
		 NULL},
		{&m,
		 ROLE_PRIMARY,
		 NULL,
		 {0},
		 {.judged = true, .change_pct = 13, .verdict = VERDICT_REGRESSION},
		 NULL},
	};

	(void)state;
	qsort(rows, 5, sizeof(rows[0]), commit_row_compare);
	assert_true(rows[0].now.change_pct == 13);
	assert_true(rows[1].now.change_pct == -12.46);
	assert_true(rows[2].now.change_pct == -12.5);
	assert_true(rows[3].now.change_pct == -50);
	assert_true(rows[4].now.change_pct == -90);
}

static void nothing_measured(void **state)
{
	struct lab *l = *state;
	struct commit_page p;

	put_next(l, "\"" BASE_ID "\"", "lkp-icl-2sp2");
	load_page(l, BASE_ID, &p); /* a parent that was only named */
	assert_int_equal(p.nresults, 0);
	assert_string_equal(p.sentence, "nothing was measured on this commit");
}

#define LAB(test) cmocka_unit_test_setup_teardown(test, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB(trailers_of_a_message),
		LAB(no_trailers),
		LAB(judged_against_its_parent),
		LAB(nearest_measured_ancestor),
		LAB(without_an_ancestor),
		LAB(a_suspect_is_no_proof),
		LAB(worst_first),
		LAB(long_lists_are_cut),
		LAB(printed_figures),
		LAB(failures_are_counted_in_runs),
		LAB(nothing_measured),
		cmocka_unit_test(order_of_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("commit_model", tests, NULL, NULL);
}
