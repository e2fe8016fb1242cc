/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pytest-benchmark's JSON. Expected values were read off the file, which version 3.2.2 wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static void test_rounds(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "pytest-benchmark.test_sort.py::test_sorted[100].seconds",
		 5.042499651608523e-07, "s"},
		{5, "pytest-benchmark.test_sort.py::test_sorted[100].seconds", 3.94100061384961e-07,
		 "s"},
		{2, "pytest-benchmark.test_sort.py::test_sorted[1000].seconds",
		 4.342499960330315e-06, "s"},
		{4, "pytest-benchmark.test_sort.py::test_join.seconds", 6.149999535409733e-07, "s"},
	};
	struct raw r;

	(void)state;
	field_read(&r, "pytest-benchmark", "pytest-benchmark.json", NULL, NULL);
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 6);
	assert_int_equal(raw_metrics(&r, 0, 4), 3);
	assert_int_equal(raw_metrics(&r, 0, 5), 2); /* one test had five rounds */
	assert_string_equal(r.in.subs[0].tbox_group, "rig-3");
	assert_string_equal(r.in.subs[0].commit.id, "fa14b720e0d05e55bccaf47a846e34c4c998ac03");
	assert_int_equal(r.in.subs[0].commit.date, 1796056150); /* 2026-11-30T16:29:10+00:00 */
	assert_int_equal(r.in.subs[0].started, 1796056456);     /* 2026-11-30T16:34:16, UTC */
	assert_string_equal(raw_info(&r, 0, "python_version"), "3.11.2");
	assert_string_equal(raw_info(&r, 0, "program_version"), "3.2.2");
	assert_string_equal(raw_info(&r, 0, "test_sort.py::test_join.bytes"), "300");
	raw_end(&r);
}

static void test_means_alone(void **state)
{
	const struct summary_in *k;
	struct raw r;

	(void)state;
	field_taken(&r, "pytest-benchmark",
		    "{\"commit_info\":{\"id\":\"a0fd217e6d6f\",\"dirty\":true},\"machine_info\":"
		    "{\"node\":\"n\"},\"benchmarks\":[{\"name\":\"t\",\"stats\":{\"mean\":2,"
		    "\"stddev\":0.5,\"min\":1,\"max\":3,\"rounds\":7,\"ops\":0.5}}]}",
		    NULL, NULL);
	k = field_cell(&r, 0, "pytest-benchmark.t.seconds");
	assert_true(k->mean == 2 && k->stddev == 0.5 && k->min == 1 && k->max == 3);
	assert_int_equal(k->n, 7);
	assert_string_equal(raw_info(&r, 0, "commit.dirty"), "true");
	raw_end(&r);
}

static void test_what_is_missing(void **state)
{
	static const char text[] = "{\"machine_info\":{},\"commit_info\":{\"id\":\"unversioned\"},"
				   "\"benchmarks\":[{\"name\":\"t\",\"stats\":{\"data\":[1]}}]}";

	(void)state;
	field_refused("pytest-benchmark", text, NULL, NULL, "commit", "does not name the commit");
	field_refused("pytest-benchmark", text, NULL, "v6.4", "tbox_group", "the machine");
	field_refused("pytest-benchmark", "{\"benchmarks\":[{\"name\":\"t\"}]}", NULL, NULL,
		      "benchmarks[0].stats", "is missing");
	field_refused("pytest-benchmark",
		      "{\"benchmarks\":[{\"name\":\"t\",\"stats\":{\"data\":[1,[2]]}}]}", NULL,
		      NULL, "benchmarks[0].stats.data[1]", "must be a number");
	field_refused("pytest-benchmark", "{\"benchmarks\":7}", NULL, NULL, "benchmarks",
		      "must be an array");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_means_alone),
		cmocka_unit_test(test_what_is_missing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_pytest_benchmark", tests, NULL, NULL);
}
