/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /compare in its four forms, called without a socket: what the contract says of JSON, the robot's
 * row to the byte, the words of the HTML and how they turn, hostile names, and the answers to bad
 * requests.
 */
#include "compare_lab.h"

#include <math.h>

#include "server/pages/compare.h"

static int get(struct lab *l, enum form form, const char *query)
{
	return lab_page(l, page_compare, "/compare", form, query);
}

#define BOTH "commits=" BASE_ID "," NEXT_ID

static double real_at(json_t *j, const char *path)
{
	json_t *v = json_at(j, path);

	if (!json_is_number(v))
		fail_msg("%s is no number", path);
	return json_number_value(v);
}

static void assert_text_at(json_t *j, const char *path, const char *want)
{
	const char *s = json_string_value(json_at(j, path));

	if (!s || strcmp(s, want) != 0)
		fail_msg("%s is %s, not %s", path, s ? s : "no text", want);
}

static void assert_null_at(json_t *j, const char *path)
{
	if (!json_is_null(json_at(j, path)))
		fail_msg("%s is not null", path);
}

static void json_of_samples(void **state)
{
	struct lab *l = *state;
	json_t *j, *row;

	lab_put_hackbench(l);
	assert_int_equal(get(l, FORM_JSON, BOTH "&metric=hackbench.throughput"), 200);
	j = lab_json(l);
	assert_text_at(j, "schema", "plumbline.compare/1");
	assert_text_at(j, "commits.0.id", BASE_ID);
	assert_text_at(j, "commits.0.name", "7bc162d5cc");
	assert_text_at(j, "commits.1.asked", NEXT_ID);
	assert_text_at(j, "commits.1.subject", "Optimize slub memory");
	assert_null_at(j, "commits.1.label");
	assert_null_at(j, "next");
	assert_text_at(j, "tables.0.series.axes.mode", "process");
	assert_true(real_at(j, "tables.0.runs.1") == 6);
	assert_true(real_at(j, "tables.0.boots.0") == 2);
	assert_null_at(j, "tables.0.boots.1");
	assert_true(real_at(j, "tables.0.failed_runs.0") == 0);
	assert_text_at(j, "tables.0.info_differences.0.key", "microcode");
	assert_text_at(j, "tables.0.info_differences.0.values.1", "0xd0003a5");
	assert_null(json_at(j, "tables.0.base_is_younger"));
	assert_int_equal(json_array_size(json_at(j, "tables.0.rows")), 1);
	row = json_at(j, "tables.0.rows.0");
	assert_text_at(row, "unit", "KB/s");
	assert_text_at(row, "direction", "higher");
	assert_text_at(row, "kind", "value");
	assert_text_at(row, "role", "primary");
	assert_true(fabs(real_at(row, "cells.0.mean") - 479042.68774902937) < 1e-9);
	assert_true(fabs(real_at(row, "cells.0.stddev") - 1380.9406072156037) < 1e-9);
	assert_true(real_at(row, "cells.0.min") == 476795.9313413859);
	assert_null(json_at(row, "cells.0.verdict"));
	assert_null(json_at(row, "cells.0.values"));
	assert_true(fabs(real_at(row, "cells.1.change_pct") + 12.459253971775096) < 1e-12);
	assert_true(real_at(row, "cells.1.cliff_delta") == -1);
	assert_true(real_at(row, "cells.1.q") >= real_at(row, "cells.1.p"));
	assert_text_at(row, "cells.1.verdict", "regression");
	assert_text_at(row, "cells.1.origin", "judged");
	json_decref(j);
}

static void samples_in_run_order(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_put_hackbench(l);
	assert_int_equal(get(l, FORM_JSON, BOTH "&metric=*put&samples=1"), 200);
	j = lab_json(l);
	assert_int_equal(json_array_size(json_at(j, "tables.0.rows.0.cells.0.values")), 6);
	assert_true(real_at(j, "tables.0.rows.0.cells.0.values.0") == 480199.7631014502);
	assert_true(real_at(j, "tables.0.rows.0.cells.1.values.5") == 420062.1692010417);
	json_decref(j);
}

static void absent_is_null(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_put(l, "fio", "\"id\": \"v6.1\"", "\"runs\": [{\"fio.a\": 1, \"fio.b\": 0}]");
	lab_put(l, "fio", "\"id\": \"v6.2\"", "\"runs\": [{\"fio.b\": 2, \"fio.c\": 5}]");
	assert_int_equal(get(l, FORM_JSON, "commits=v6.1,v6.2&sort=name"), 200);
	j = lab_json(l);
	assert_text_at(j, "tables.0.rows.0.metric", "fio.a");
	assert_null_at(j, "tables.0.rows.0.cells.1");
	/* From 0 to 2: a difference, but no percentage. */
	assert_true(real_at(j, "tables.0.rows.1.cells.1.change_abs") == 2);
	assert_null_at(j, "tables.0.rows.1.cells.1.change_pct");
	/* Nothing to compare with. */
	assert_null_at(j, "tables.0.rows.2.cells.0");
	assert_null_at(j, "tables.0.rows.2.cells.1.change_abs");
	assert_text_at(j, "tables.0.rows.2.cells.1.verdict", "no-data");
	json_decref(j);
}

static void functional_rows(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_put(l, "fio", "\"id\": \"v6.1\"",
		"\"runs\": [{\"dmesg.bug\": 0}, {\"dmesg.bug\": 0}, {\"dmesg.bug\": 0}, "
		"{\"dmesg.bug\": 0}]");
	lab_put(l, "fio", "\"id\": \"v6.2\"",
		"\"runs\": [{\"dmesg.bug\": 1}, {\"dmesg.bug\": 0}, {\"dmesg.bug\": 2}, "
		"{\"dmesg.bug\": 1}]");
	assert_int_equal(get(l, FORM_JSON, "commits=v6.1,v6.2"), 200);
	j = lab_json(l);
	assert_text_at(j, "tables.0.rows.0.role", "functional");
	assert_true(real_at(j, "tables.0.rows.0.cells.0.fails") == 0);
	assert_true(real_at(j, "tables.0.rows.0.cells.1.fails") == 3);
	assert_true(real_at(j, "tables.0.rows.0.cells.1.runs") == 4);
	assert_true(real_at(j, "tables.0.rows.0.cells.1.reproduction_pct") == 75);
	json_decref(j);
	assert_int_equal(get(l, FORM_HTML, "commits=v6.1,v6.2"), 200);
	assert_contains(l, "3 of 4 failed");
	assert_contains(l, "+75 % of runs");
}

static void put_printed(struct lab *l)
{
	lab_put(l, "fio", "\"id\": \"361a2a229fa31ab7\"",
		"\"summary\": {\"fio.latency_10ms%\": {\"mean\": 0.27, \"stddev_pct\": 5, "
		"\"printed\": {}}, \"fio.read_iops\": {\"mean\": 1000, \"printed\": {}}}");
	lab_put(l, "fio", "\"id\": \"8cc621d2f45ddd3d\"",
		"\"summary\": {\"fio.latency_10ms%\": {\"mean\": 0.24, \"printed\": "
		"{\"base\": \"361a2a229fa31ab7\", \"change_abs\": -0.0}}, "
		"\"fio.read_iops\": {\"mean\": 900, \"printed\": "
		"{\"base\": \"361a2a229fa31ab7\", \"change_pct\": -10.4}}}");
}

static void printed_as_it_came(void **state)
{
	struct lab *l = *state;
	json_t *j, *row;

	put_printed(l);
	assert_int_equal(get(l, FORM_JSON, "commits=361a2a2,8cc621d&sort=name"), 200);
	assert_contains(l, "\"change_abs\":-0.0}"); /* the sign of nothing is kept */
	j = lab_json(l);
	assert_null_at(j, "tables.0.runs.0");
	row = json_at(j, "tables.0.rows.0");
	assert_null_at(row, "cells.0.n");
	assert_null_at(row, "cells.0.stddev");
	assert_true(real_at(row, "cells.0.stddev_pct") == 5);
	assert_int_equal(json_object_size(json_at(row, "cells.0.printed")), 0);
	assert_text_at(row, "cells.1.printed.base", "361a2a229fa31ab7");
	assert_true(fabs(real_at(row, "cells.1.change_abs") + 0.03) < 1e-12); /* computed */
	row = json_at(j, "tables.0.rows.1");
	assert_true(real_at(row, "cells.1.printed.change_pct") == -10.4);
	assert_true(fabs(real_at(row, "cells.1.change_pct") + 10) < 1e-12);
	assert_text_at(row, "cells.1.verdict", "regression");
	assert_text_at(row, "cells.1.origin", "reported");
	assert_null_at(row, "cells.1.p");
	json_decref(j);
	assert_int_equal(get(l, FORM_HTML, "commits=361a2a2,8cc621d&changed=0"), 200);
	assert_contains(l, "-10.4 %");
	assert_contains(l, "reported, runs unknown");
	assert_lacks(l, "≈</abbr>");
	/* The other way round nobody printed it: computed from rounded means, and marked. */
	assert_int_equal(get(l, FORM_HTML, "commits=8cc621d,361a2a2&changed=0"), 200);
	assert_contains(l, "≈</abbr>");
}

static void the_robots_row(void **state)
{
	struct lab *l = *state;

	lab_put_hackbench(l);
	assert_int_equal(get(l, FORM_TXT, BOTH), 200);
	assert_contains(l,
			"\n    479042           -12.5%     419357        hackbench.throughput\n");
	assert_int_equal(get(l, FORM_TXT, "commits=" BASE_ID), 200);
	assert_contains(l, "hackbench.throughput");
}

static void one_line_a_metric_in_csv(void **state)
{
	struct lab *l = *state;

	lab_put_hackbench(l);
	assert_int_equal(get(l, FORM_CSV, BOTH "&metric=hackbench.t*"), 200);
	assert_contains(l, "series,testcase,tbox_group,metric,unit,direction,kind,role,"
			   "n 7bc162d5cc,mean 7bc162d5cc,");
	assert_contains(l, ",hackbench,lkp-icl-2sp2,hackbench.throughput,KB/s,higher,value,primary,"
			   "6,479042.68774902937,");
	assert_contains(l, ",regression,judged\r\n");
}

static void html_says_it_in_words(void **state)
{
	struct lab *l = *state;

	lab_put_hackbench(l);
	assert_int_equal(get(l, FORM_HTML, BOTH), 200);
	assert_contains(l, "1 regression among 2 primary metrics.");
	assert_contains(l, "2 rows did not change");
	assert_contains(l, "2 rows hidden because they did not change.");
	assert_contains(l, "higher is better");
	assert_contains(l, "-12.5");
	assert_contains(l, "6 runs, 2 boots");
	assert_contains(l, "microcode");
	assert_contains(l, "▼ regression");
	assert_contains(l, "<div class=\"scroll\">");
	assert_lacks(l, "vmstat.system.in");
	assert_int_equal(get(l, FORM_HTML, BOTH "&changed=0"), 200);
	assert_contains(l, "vmstat.system.in");
	assert_lacks(l, "hidden because");
}

static void words_turn_with_a_younger_base(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_put_hackbench(l);
	lab_put(l, "hackbench",
		"\"id\": \"" NEXT_ID "\", \"parents\": [\"" BASE_ID "\"], \"label\": \"test\"",
		"\"key\": \"again\", \"runs\": [{\"hackbench.throughput\": 420000}]");
	assert_int_equal(get(l, FORM_JSON, "commits=" NEXT_ID "," BASE_ID), 200);
	j = lab_json(l);
	assert_true(json_is_true(json_at(j, "tables.0.base_is_younger")));
	json_decref(j);
	assert_int_equal(get(l, FORM_HTML, "commits=" NEXT_ID "," BASE_ID), 200);
	assert_contains(l, "reads from new to old");
	assert_contains(l, "<em>older than the base</em>");
	assert_contains(l, "▲ older is better");
	assert_contains(l, "1 better than in the base among");
	assert_lacks(l, "▲ improvement</span>");
}

static void hostile_names_are_only_text(void **state)
{
	struct lab *l = *state;

	lab_put(l, "fio", "\"id\": \"v6.1\", \"subject\": \"<script>alert(1)</script>\"",
		"\"info\": {\"k<b>\": \"'\\\"<i>1\"}, \"runs\": [{\"fio.<img src=x>\\\"'&\": 1}]");
	lab_put(l, "fio", "\"id\": \"v6.2\"",
		"\"info\": {\"k<b>\": \"2\"}, \"runs\": [{\"fio.<img src=x>\\\"'&\": 2}]");
	assert_int_equal(get(l, FORM_HTML, "commits=v6.1,v6.2&changed=0&metric=*"), 200);
	assert_lacks(l, "<script>alert");
	assert_lacks(l, "<img");
	assert_lacks(l, "<b>");
	assert_lacks(l, "<i>");
	assert_contains(l, "fio.&lt;img src=x&gt;");
	assert_int_equal(get(l, FORM_JSON, "commits=v6.1,v6.2"), 200);
	assert_lacks(l, "<");
}

static void nothing_shared_is_explained(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_put(l, "fio", "\"id\": \"v6.1\"", "\"runs\": [{\"fio.a\": 1}]");
	lab_put(l, "dbench", "\"id\": \"v6.2\"", "\"runs\": [{\"dbench.a\": 1}]");
	assert_int_equal(get(l, FORM_JSON, "commits=v6.1,v6.2"), 200);
	j = lab_json(l);
	assert_int_equal(json_array_size(json_at(j, "tables")), 0);
	json_decref(j);
	assert_int_equal(get(l, FORM_HTML, "commits=v6.1,v6.2"), 200);
	assert_contains(l, "there is nothing to compare");
	assert_contains(l, "has results in 1 series, 1 run");
	assert_int_equal(get(l, FORM_TXT, "commits=v6.1,v6.2"), 200);
	assert_contains(l, "No series has results of v6.1");
	/* One alone: its values, although nothing can have changed. */
	assert_int_equal(get(l, FORM_HTML, "commits=v6.1"), 200);
	assert_contains(l, "fio.a");
}

static void bad_requests(void **state)
{
	struct lab *l = *state;

	lab_put(l, "fio", "\"id\": \"abcdef0123456789abcdef0123456789abcdef01\"",
		"\"runs\": [{\"fio.a\": 1}]");
	lab_put(l, "fio", "\"id\": \"abcdef0fffffffffffffffffffffffffffffffff\"",
		"\"runs\": [{\"fio.a\": 1}]");
	assert_int_equal(get(l, FORM_JSON, ""), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "commits="), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01,"), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01&changed=2&sort=x&limit=0"), E_INVALID);
	assert_int_equal(l->c.nfaults, 3); /* each is named */
	assert_int_equal(get(l, FORM_JSON, "commits=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"),
			 E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01,7654321"), E_NOTFOUND);
	assert_non_null(strstr(l->c.detail, "7654321"));
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01,master"), E_NOTFOUND);
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01,a b"), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef0"), E_AMBIGUOUS);
	assert_int_equal(l->c.nfaults, 2);
	assert_int_equal(get(l, FORM_HTML, "commits=abcdef01,abcdef0"), 300);
	assert_contains(l, "commits=abcdef01,abcdef0fffffffffffffffffffffffffffffffff");
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01&series=zz"), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "commits=abcdef01&unheard=of"), 200);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)
	const struct CMUnitTest tests[] = {
		T(json_of_samples),
		T(samples_in_run_order),
		T(absent_is_null),
		T(functional_rows),
		T(printed_as_it_came),
		T(the_robots_row),
		T(one_line_a_metric_in_csv),
		T(html_says_it_in_words),
		T(words_turn_with_a_younger_base),
		T(hostile_names_are_only_text),
		T(nothing_shared_is_explained),
		T(bad_requests),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("compare_page", tests, NULL, NULL);
}
