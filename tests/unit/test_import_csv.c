/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV and TSV. Expected values were read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", "testcase=t", NULL};

static void test_long_form(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "hackbench.throughput", 422654.25, "KB/s"},
		{1, "hackbench.throughput", 419017.5, "KB/s"},
		{0, "hackbench.time.elapsed_time", 148.89, "s"},
	};
	size_t i;
	struct raw r;

	(void)state;
	field_read(&r, "csv", "long.csv", NULL, NULL);
	assert_int_equal(r.in.n, 3);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_int_equal(raw_metrics(&r, 0, 1), 1);
	assert_string_equal(r.in.subs[0].commit.id, "a0fd217e6d6f");
	assert_string_equal(r.in.subs[0].tbox_group, "rig-2");
	assert_string_equal(r.in.subs[0].testcase, "hackbench");
	assert_string_equal(raw_axis(&r, 0, "nr_threads"), "100%");
	assert_int_equal(r.in.subs[0].naxes, 3);
	assert_string_equal(r.in.subs[1].commit.id, "7bc162d5cc4d");
	assert_true(raw_value(&r, 1, 0, "hackbench.throughput") == 479042.5);
	i = field_find(&r, "nr_threads", "50%", NULL);
	assert_int_equal(r.in.subs[i].nruns, 1); /* the empty cell is none */
	assert_true(raw_value(&r, i, 0, "hackbench.throughput") == 401.5);
	raw_end(&r);
}

/* A byte order mark, CRLF, semicolons, doubled quotes; runs by name, and one that says it twice. */
static void test_runs_by_name(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "lat.p99", 12, ""},
		{0, "lat.p50", 2, ""},
		{1, "lat.p99", 13, ""},
		{2, "lat.p99", 14, ""},
	};
	struct raw r;

	(void)state;
	field_read(&r, "csv", "runs.csv", NULL, NULL);
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_int_equal(raw_metrics(&r, 0, 1), 1);
	assert_string_equal(r.in.subs[0].testcase, "say \"hi\"; twice");
	assert_string_equal(r.in.subs[0].commit.id, "v6.5");
	raw_end(&r);
}

static void test_wide_form(void **state)
{
	static const struct raw_figure figures[] = {{0, "latency", 12.5, "us"},
						    {0, "throughput", 900, "MB/s"},
						    {1, "latency", 12.75, "us"}};
	struct raw r;

	(void)state;
	field_read(&r, "csv", "wide.tsv", (const char *const[]){"testcase=t", NULL}, NULL);
	assert_int_equal(r.in.n, 2);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_int_equal(raw_metrics(&r, 0, 1), 1); /* NA */
	/* a parameter that tests are known to have, and one whose cells are words */
	assert_string_equal(raw_axis(&r, 0, "nr_threads"), "16");
	assert_string_equal(raw_axis(&r, 0, "scheduler"), "deadline");
	assert_string_equal(r.in.subs[0].boot, "b1");
	assert_string_equal(r.in.subs[1].commit.id, "v6.5");
	assert_true(raw_value(&r, 1, 0, "throughput") == 950.5);
	raw_end(&r);
}

static void test_other_columns(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "csv",
		    ",commit,axis.size,machine,started,status,tree,subject,x\n"
		    "0,v6.4,8,rig,2023-07-20T03:01:00Z,ok,next,\"a, b\",1\n"
		    "1,v6.4,8,rig,1689822061,failed,next,,2\n",
		    (const char *const[]){"testcase=t", NULL}, NULL);
	assert_int_equal(r.in.n, 2);
	assert_int_equal(r.in.subs[0].started, 1689822060);
	assert_int_equal(r.in.subs[1].started, 1689822061);
	assert_int_equal(r.in.subs[1].status, RUN_FAILED);
	assert_string_equal(raw_axis(&r, 0, "size"), "8");
	assert_string_equal(r.in.subs[0].tbox_group, "rig");
	assert_string_equal(r.in.subs[0].commit.tree, "next");
	assert_string_equal(r.in.subs[0].commit.subject, "a, b");
	assert_int_equal(raw_metrics(&r, 0, 0), 1);
	raw_end(&r);
}

static void test_request_wins(void **state)
{
	struct raw r;

	(void)state;
	field_read(&r, "csv", "long.csv", box, "v6.4");
	assert_int_equal(r.in.n, 2); /* both commits are one now */
	assert_string_equal(r.in.subs[0].tbox_group, "box");
	assert_string_equal(r.in.subs[0].commit.id, "v6.4");
	assert_true(raw_value(&r, 0, 2, "hackbench.throughput") == 479042.5);
	raw_end(&r);
}

static void test_line_ends_in_cells(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "csv", "info.note,x\r\"1\"\" of\n\nrain\" ,7\r\n", box, "v6.4");
	assert_true(raw_value(&r, 0, 0, "x") == 7);
	assert_string_equal(raw_info(&r, 0, "note"), "1\" of rain");
	raw_end(&r);
	field_taken(&r, "csv", "a.b,metric,value\n\"two\r\nlines\",\"a\tb\",7\n", box, "v6.4");
	assert_string_equal(raw_axis(&r, 0, "a.b"), "two lines");
	assert_true(raw_value(&r, 0, 0, "a b") == 7);
	raw_end(&r);
	field_refused("csv", "a.b,x\n\"two\nlines\",7\n\"x\n", box, "v6.4", "line 4", "has no end");
}

/* What spreadsheets write, in the language of whoever uses them. */
static void test_commas_in_numbers(void **state)
{
	static const struct {
		const char *text;
		double x;
	} taken[] = {
		{"metric;value\nx;1,5\n", 1.5},
		{"metric;value\nx;-12,5e-1\n", -1.25},
		{"metric;value\nx;1.234,5\n", 1234.5},
		{"metric;value\nx;1,234.5\n", 1234.5},
		{"metric;value\nx;1,234,567\n", 1234567},
		{"metric;value\nx;1,500\ny;0,25\n", 1.5},
		{"metric;value\nx;1.500\ny;0,25\n", 1500},
		{"metric;value\nx;1,500\ny;1,234.5\n", 1500},
		{"metric\tvalue\nx\t1,5\n", 1.5},
		{"metric,value\nx,\"1,234.5\"\n", 1234.5},
		{"metric,value\nx,\"1,500\"\n", 1500},
		{"x;y\n1,5;3\n", 1.5},
		{"x;y\n1,500;3\n2,25;4\n", 1.5},
		{"x,y\n\"1,500\",3\n", 1500},
		{"sep=;\nx;y\n3;4\n", 3},
		{"\xef\xbb\xbfsep=|\r\nx|y\r\n3|4\r\n", 3},
	};
	struct raw r;

	(void)state;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		field_taken(&r, "csv", taken[i].text, box, "v6.4");
		if (raw_value(&r, 0, 0, "x") != taken[i].x)
			raw_fail("%s: x is %g", taken[i].text, raw_value(&r, 0, 0, "x"));
		raw_end(&r);
	}
	/* lists of processors are no fractions where a comma parts the cells */
	field_taken(&r, "csv", "cpus,x\n\"0,1\",7\n\"2,3\",8\n", box, "v6.4");
	assert_int_equal(r.in.n, 2);
	assert_string_equal(raw_axis(&r, 0, "cpus"), "0,1");
	raw_end(&r);
	field_refused("csv", "metric;value\na;7\nx;1,500\n", box, "v6.4", "line 3",
		      "do not tell whether its comma groups");
	field_refused("csv", "x;y\n7;3\n1,500;4\n", box, "v6.4", "line 3",
		      "do not tell whether its comma groups");
	field_refused("csv", "metric;value\nx;1,5\ny;0.5\n", box, "v6.4", "line 3",
		      "\"0.5\" is no number");
	field_refused("csv", "metric,value\nx,\"1,5\"\n", box, "v6.4", "line 2",
		      "\"1,5\" is no number");
}

static void test_faults(void **state)
{
	(void)state;
	field_refused("csv", "metric,value\na,1\n", box, NULL, "commit", "the commit");
	field_refused("csv", "metric,value\na,1\n", NULL, "v6.4", "testcase", "the test");
	field_refused("csv", "metric,value\na,1\n", NULL, "v6.4", "tbox_group", "the machine");
	field_refused("csv", "metric,value\na,1\n\nb,fast\n", box, "v6.4", "line 4",
		      "\"fast\" is no number");
	field_refused("csv", "metric,value\na,1,2\n", box, "v6.4", "line 2", "has 3 cells");
	field_refused("csv", "commit,x\na,1\n", box, NULL, "line 2", "neither a commit id");
	field_refused("csv", "metric,value\n\"a\"b,1\n", box, "v6.4", "line 2",
		      "behind a closing quote");
	field_refused("csv", "metric,value,unit\na,1,s\na,2,ms\n", box, "v6.4", "units[\"a\"]",
		      "\"s\" in one place");
	field_refused("csv", "x,x\n1,2\n", box, "v6.4", "line 1", "two columns \"x\"");
	field_refused("csv", "x,7\n1,2\n", box, "v6.4", "line 1", "column 2 is a number");
	field_refused("csv", "x,status\n1,fine\n", box, "v6.4", "line 2", "is no status");
	field_refused("csv", "x,date\n1,soon\n", box, "v6.4", "line 2", "is no time");
	field_refused("csv", "a,b\nx,y\n", box, "v6.4", "", "no column has figures");
	field_refused("csv", "metric,value\n", box, "v6.4", "", "no row");
	field_refused("csv", "", box, "v6.4", "", "is empty");
	field_refused("csv", "a,b\nx\xff,1\n", box, "v6.4", "line 2", "must be UTF-8");
}

static void test_no_text(void **state)
{
	struct raw r;

	(void)state;
	assert_int_equal(field_run(&r, "csv", "a\0,\0b\0", 6, box, "v6.4"), E_INVALID);
	assert_non_null(strstr(r.ctx.detail, "UTF-16"));
	r.bytes = NULL;
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_form),
		cmocka_unit_test(test_runs_by_name),
		cmocka_unit_test(test_wide_form),
		cmocka_unit_test(test_other_columns),
		cmocka_unit_test(test_request_wins),
		cmocka_unit_test(test_line_ends_in_cells),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_no_text),
		cmocka_unit_test(test_commas_in_numbers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_csv", tests, NULL, NULL);
}
