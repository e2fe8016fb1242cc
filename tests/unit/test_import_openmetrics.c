/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OpenMetrics and Prometheus' text. Expected values were read off the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", "testcase=t", NULL};

static void test_gauges(void **state)
{
	static const char first[] = "bench_latency_seconds{op=\"read\",quantile=\"0.99\"}";
	static const struct raw_figure figures[] = {
		{0, first, 0.0125, "seconds"},
		{1, first, 0.0131, "seconds"}, /* its labels came in another order */
		{0, "bench_latency_seconds{op=\"write \\\"sync\\\"\"}", 0.0015, "seconds"},
		{0, "bench_rate", 4711, ""},
	};
	struct raw r;

	(void)state;
	field_read(&r, "openmetrics", "openmetrics.txt", box, NULL);
	assert_int_equal(r.in.n, 2);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_int_equal(raw_metrics(&r, 0, 0), 3); /* no counter, no histogram */
	assert_int_equal(raw_metrics(&r, 0, 1), 1);
	assert_string_equal(r.in.subs[0].commit.id, "a0fd217e6d6f");
	assert_int_equal(r.in.subs[0].started, 1689822060);
	assert_string_equal(r.in.subs[1].commit.id, "7bc162d5cc4d");
	assert_true(raw_value(&r, 1, 0, first) == 0.009);
	assert_int_equal(raw_metrics(&r, 1, 0), 1); /* NaN is no value */
	raw_end(&r);
}

static void test_machine_of_the_file(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "openmetrics",
		    "a{tbox_group=\"rig-2\",testcase=\"x\",tree=\"next\"} 1 1689822060000\n",
		    (const char *const[]){NULL}, "v6.4");
	assert_string_equal(r.in.subs[0].tbox_group, "rig-2");
	assert_string_equal(r.in.subs[0].testcase, "x");
	assert_string_equal(r.in.subs[0].commit.tree, "next");
	assert_int_equal(r.in.subs[0].started, 1689822060); /* milliseconds */
	assert_true(raw_value(&r, 0, 0, "a") == 1);
	raw_end(&r);
}

static void test_faults(void **state)
{
	static const char *const machine[] = {"tbox_group=box", NULL};

	(void)state;
	field_refused("openmetrics", "a 1\n", machine, "v6.4", "testcase", "the test");
	field_refused("openmetrics", "a 1\n", box, NULL, "commit", "the commit");
	field_refused("openmetrics", "a 1\nb{x=1} 2\n", box, "v6.4", "line 2", "is neither");
	field_refused("openmetrics", "a 1\nb x\n", box, "v6.4", "line 2", "is neither");
	field_refused("openmetrics", "a 1\nb 12", box, "v6.4", "line 2", "it was cut");
	field_refused("openmetrics", "a 1\n# EOF\nb 1\n", box, "v6.4", "line 3", "behind # EOF");
	field_refused("openmetrics", "# TYPE a counter\na_total 1\n# EOF\n", box, "v6.4", "",
		      "no gauge");
}

/* What is noted of each type grows with the file: there is an end to it. */
static void test_too_many_types(void **state)
{
	const size_t types = 200001;
	const size_t room = types * 32;
	char *text = malloc(room);
	size_t n = 0;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < types; i++)
		n += (size_t)snprintf(text + n, room - n, "# TYPE m%zu gauge\n", i);
	snprintf(text + n, room - n, "m1 1\n# EOF\n");
	field_refused("openmetrics", text, box, "v6.4", "", "line 200001: more than 200000");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gauges),
		cmocka_unit_test(test_machine_of_the_file),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_too_many_types),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_openmetrics", tests, NULL, NULL);
}
