/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Google Benchmark's JSON. Expected values were read off the file, which version 1.7.1 wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static void test_repetitions(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "google-benchmark.BM_Sum/64/repeats:3.real_time", 30.569693282867782, "ns"},
		{1, "google-benchmark.BM_Sum/64/repeats:3.real_time", 26.836195617095356, "ns"},
		{2, "google-benchmark.BM_Sum/64/repeats:3.cpu_time", 14.625635709388334, "ns"},
		{2, "google-benchmark.BM_Sum/4096/repeats:3.bytes_per_second", 16112080480.017645,
		 "B/s"},
		{0, "google-benchmark.BM_Sum/4096/repeats:3.items_per_second", 4002566019.0670877,
		 "1/s"},
		{0, "google-benchmark.BM_Sum/4096/repeats:3.depth", 3, ""},
		{0, "google-benchmark.BM_Us/real_time/threads:2.real_time", 0.52329443956512123,
		 "us"},
		{0, "google-benchmark.BM_Bad.error", 1, ""},
	};
	struct raw r;

	(void)state;
	field_read(&r, "google-benchmark", "google-benchmark.json", NULL, "v6.4");
	assert_int_equal(r.in.n, 1); /* no aggregate beside samples */
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_int_equal(raw_metrics(&r, 0, 0), 5 + 5 + 2 + 1);
	assert_int_equal(raw_metrics(&r, 0, 2), 5 + 5);
	assert_true(isnan(raw_value(&r, 0, 0, "google-benchmark.BM_Bad.real_time")));
	assert_string_equal(r.in.subs[0].tbox_group, "rig-7");
	assert_string_equal(raw_axis(&r, 0, "executable"), "sums");
	assert_string_equal(raw_info(&r, 0, "num_cpus"), "2");
	assert_int_equal(r.in.subs[0].started, 1796056151); /* date -d 2026-11-30T16:29:11Z +%s */
	raw_end(&r);
}

static void test_aggregates_alone(void **state)
{
	static const char text[] =
		"{\"context\":{\"host_name\":\"h\",\"commit\":\"A0FD217E6D6F\"},\"benchmarks\":["
		"{\"name\":\"B_mean\",\"run_name\":\"B\",\"run_type\":\"aggregate\","
		"\"aggregate_name\":\"mean\",\"repetitions\":5,\"real_time\":12.5,\"cpu_time\":11,"
		"\"time_unit\":\"ms\"},"
		"{\"name\":\"B_stddev\",\"run_name\":\"B\",\"run_type\":\"aggregate\","
		"\"aggregate_name\":\"stddev\",\"real_time\":0.25,\"cpu_time\":0.5,"
		"\"time_unit\":\"ms\"},"
		"{\"name\":\"B_cv\",\"run_name\":\"B\",\"run_type\":\"aggregate\","
		"\"aggregate_name\":\"cv\",\"real_time\":0.02,\"cpu_time\":NaN}]}";
	const struct summary_in *k;
	struct raw r;

	(void)state;
	field_taken(&r, "google-benchmark", text, NULL, NULL);
	assert_int_equal(r.in.subs[0].kind, SUBMISSION_SUMMARY);
	assert_int_equal(r.in.subs[0].ncells, 2);
	k = field_cell(&r, 0, "google-benchmark.B.real_time");
	assert_true(k->mean == 12.5 && k->stddev == 0.25);
	assert_int_equal(k->n, 5);
	assert_string_equal(raw_unit(&r, 0, "google-benchmark.B.cpu_time"), "ms");
	assert_string_equal(r.in.subs[0].commit.id, "a0fd217e6d6f");
	raw_end(&r);
}

/* A benchmark with samples and one without: the summary has the same commit; no spread is below 0.
 */
static void test_both(void **state)
{
	const struct summary_in *k;
	struct raw r;

	(void)state;
	field_taken(
		&r, "google-benchmark",
		"{\"benchmarks\":[{\"name\":\"A\",\"real_time\":1,\"time_unit\":\"ns\"},"
		"{\"name\":\"B_mean\",\"real_time\":2,\"time_unit\":\"ns\"},"
		"{\"name\":\"B_stddev\",\"real_time\":-1,\"time_unit\":\"ns\"}],"
		"\"context\":{\"host_name\":\"h\",\"commit\":\"a0fd217e6d6f\",\"tree\":\"next\"}}",
		NULL, NULL);
	assert_int_equal(r.in.n, 2);
	assert_true(raw_value(&r, 0, 0, "google-benchmark.A.real_time") == 1);
	k = field_cell(&r, 1, "google-benchmark.B.real_time");
	assert_true(k->mean == 2 && isnan(k->stddev));
	assert_string_equal(r.in.subs[1].commit.id, "a0fd217e6d6f");
	assert_string_equal(r.in.subs[1].commit.tree, "next");
	assert_string_equal(r.in.subs[1].tbox_group, "h");
	raw_end(&r);
}

/* Before 1.5 there was no run_type. */
static void test_old_form(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "google-benchmark",
		    "{\"context\":{},\"benchmarks\":["
		    "{\"name\":\"B\",\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"ns\"},"
		    "{\"name\":\"B\",\"real_time\":3,\"cpu_time\":3,\"time_unit\":\"ns\"},"
		    "{\"name\":\"B_mean\",\"real_time\":2,\"cpu_time\":2,\"time_unit\":\"ns\"}]}",
		    (const char *const[]){"tbox_group=b", NULL}, "v6.4");
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_int_equal(raw_metrics(&r, 0, 0), 2);
	assert_true(raw_value(&r, 0, 1, "google-benchmark.B.real_time") == 3);
	raw_end(&r);
}

static void test_request_wins(void **state)
{
	struct raw r;

	(void)state;
	field_read(&r, "google-benchmark", "google-benchmark.json",
		   (const char *const[]){"tbox_group=box", "testcase=sums", NULL}, "v6.4");
	assert_string_equal(r.in.subs[0].tbox_group, "box");
	assert_true(raw_value(&r, 0, 0, "sums.BM_Sum/64/repeats:3.depth") == 3);
	raw_end(&r);
}

static void test_what_is_missing(void **state)
{
	static const char text[] = "{\"context\":{},\"benchmarks\":[{\"name\":\"B\","
				   "\"real_time\":1,\"time_unit\":\"ns\"}]}";

	(void)state;
	field_refused("google-benchmark", text, NULL, "v6.4", "tbox_group", "--axis tbox_group");
	field_refused("google-benchmark", text, NULL, NULL, "commit", "--commit");
	field_refused("google-benchmark", "{\"context\":{}}", NULL, NULL, "benchmarks",
		      "is missing");
	field_refused("google-benchmark",
		      "{\"benchmarks\":[{\"name\":\"B\",\"real_time\":1},{\"real_time\":1}]}", NULL,
		      NULL, "benchmarks[1].name", "is missing");
	field_refused("google-benchmark",
		      "{\"benchmarks\":[{\"name\":\"B\",\"real_time\":1,\"time_unit\":\"ns\"},"
		      "{\"name\":\"B\",\"real_time\":1,\"time_unit\":\"ms\"}]}",
		      NULL, NULL, "units[\"google-benchmark.B.real_time\"]", "\"ns\" in one place");
}

/* What is kept of each name grows with the file: there is an end to it. */
static void test_too_many_benchmarks(void **state)
{
	const size_t names = 50001, room = names * 64;
	char *text = malloc(room);
	size_t n = (size_t)snprintf(text, room, "{\"context\":{},\"benchmarks\":[");

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < names; i++)
		n += (size_t)snprintf(text + n, room - n, "%s{\"name\":\"b%zu\",\"real_time\":1}",
				      i ? "," : "", i);
	snprintf(text + n, room - n, "]}");
	field_refused("google-benchmark", text, NULL, "v6.4", "", "more than 50000 different");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repetitions),
		cmocka_unit_test(test_aggregates_alone),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_old_form),
		cmocka_unit_test(test_request_wins),
		cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_too_many_benchmarks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_google_benchmark", tests, NULL, NULL);
}
