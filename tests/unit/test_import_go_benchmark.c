/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's benchmark text. Expected values were read off the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", NULL};

static void test_samples(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "go-benchmark.Fib/n=10-8.ns/op", 312.4, "ns/op"},
		{1, "go-benchmark.Fib/n=10-8.ns/op", 318, "ns/op"},
		{2, "go-benchmark.Fib/n=10-8.ns/op", 315.5, "ns/op"},
		{1, "go-benchmark.Fib/n=20-8.ns/op", 38099, "ns/op"},
		{0, "go-benchmark.Fib/n=20-8.allocs/op", 0, "allocs/op"},
		{2, "go-benchmark.Fib/n=10-8.B/op", 16, "B/op"},
		{0, "go-benchmark.Broken.fail", 1, ""},
	};
	static const struct raw_figure others[] = {
		{0, "go-benchmark.Make-8.ms/op", 10.5, "ms/op"},
		{0, "go-benchmark.Make-8.widgets/s", 1250, "widgets/s"},
	};
	struct raw r;

	(void)state;
	field_read(&r, "go-benchmark", "go-benchmark.txt", box, NULL);
	assert_int_equal(r.in.n, 2);
	RAW_CHECK(&r, 0, figures);
	RAW_CHECK(&r, 1, others);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_int_equal(raw_metrics(&r, 0, 0), 7);
	assert_int_equal(raw_metrics(&r, 0, 2), 3);
	assert_int_equal(raw_metrics(&r, 1, 0), 2);
	assert_string_equal(raw_axis(&r, 0, "pkg"), "example.org/fib");
	assert_string_equal(raw_axis(&r, 1, "pkg"), "example.org/widgets");
	assert_string_equal(r.in.subs[1].commit.id, "7bc162d5cc4de5c33c4a30e5f1d8a8e1bb1c0a7c");
	assert_int_equal(r.in.subs[0].commit.date, 1689822060); /* 2023-07-20T03:01:00Z */
	assert_string_equal(raw_info(&r, 0, "unit.widgets/s"), "better=higher");
	assert_string_equal(raw_info(&r, 0, "goos"), "linux");
	raw_end(&r);
}

static void test_commits_of_one_file(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "go-benchmark",
		    "commit: a0fd217e6d6f\nBenchmarkA 1 5 ns/op\ncommit: 7bc162d5cc4d\n"
		    "BenchmarkA 1 6 ns/op\ncommit: a0fd217e6d6f\nBenchmarkA 1 7 ns/op\n",
		    box, NULL);
	assert_int_equal(r.in.n, 2);
	assert_true(raw_value(&r, 0, 0, "go-benchmark.A.ns/op") == 5);
	assert_true(raw_value(&r, 0, 1, "go-benchmark.A.ns/op") == 7);
	assert_true(raw_value(&r, 1, 0, "go-benchmark.A.ns/op") == 6);
	assert_string_equal(r.in.subs[1].commit.id, "7bc162d5cc4d");
	raw_end(&r);
}

static void test_faults(void **state)
{
	(void)state;
	field_refused("go-benchmark", "BenchmarkA 1 5 ns/op\n", NULL, "v6.4", "tbox_group",
		      "the machine");
	field_refused("go-benchmark", "BenchmarkA 1 5 ns/op\n", box, NULL, "commit", "the commit");
	field_refused("go-benchmark", "PASS\nBenchmarkA 1 5x ns/op\n", box, "v6.4", "line 2",
		      "\"5x\" is no number");
	field_refused("go-benchmark", "BenchmarkA 1 5 ns/op 7\n", box, "v6.4", "line 1",
		      "without a unit");
	field_refused("go-benchmark", "Benchmarking 1 2 3\nPASS\n", box, "v6.4", "", "no figure");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_commits_of_one_file),
		cmocka_unit_test(test_faults),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_go_benchmark", tests, NULL, NULL);
}
