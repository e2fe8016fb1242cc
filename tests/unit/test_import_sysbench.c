/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysbench 0.4 and 1.0; expected values read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void test_cpu(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.throughput_events/s", 5065.92, "events/s"},
		{0, "sysbench.total_time", 1.0002, "s"},
		{0, "sysbench.total_events", 5071, "events"},
		{0, "sysbench.latency_min_ms", 0.19, "ms"},
		{0, "sysbench.latency_avg_ms", 0.20, "ms"},
		{0, "sysbench.latency_max_ms", 0.47, "ms"},
		{0, "sysbench.latency_95th_ms", 0.21, "ms"},
		{0, "sysbench.latency_sum_ms", 999.27, "ms"},
		{0, "sysbench.thread_events_avg", 5071, "events"},
		{0, "sysbench.thread_events_stddev", 0, "events"},
		{0, "sysbench.thread_time_avg", 0.9993, "s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-cpu.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 14);
	assert_int_equal(r.in.subs[0].ndistributions, 0);
	assert_string_equal(raw_axis(&r, 0, "test"), "cpu");
	assert_string_equal(r.in.subs[0].testcase, "sysbench");
	raw_end(&r);
}

static void test_histogram(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.thread_events_stddev%", 100 * 83.5 / 10266.5, "%"},
		{0, "sysbench.throughput_events/s", 10257.89, "events/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-cpu2.txt");
	RAW_CHECK(&r, 0, figures_0);
	{
		const struct distribution_in *d = raw_distribution(&r, 0, "sysbench.latency_ms");

		assert_int_equal(d->nbuckets, 51);
		assert_true(d->buckets[2].le == 0.192 && d->buckets[2].count == 10747);
		assert_true(d->buckets[50].le == 4.569 && d->buckets[50].count == 1);
		assert_int_equal(d->n, 20533); /* the number of events */
		assert_int_equal(d->npercentiles, 1);
		assert_true(d->percentiles[0].value == 0.21);
		assert_string_equal(d->unit, "ms");
	}
	raw_end(&r);
}

static void test_memory(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.operations", 1048576, "operations"},
		{0, "sysbench.throughput_ops/s", 7745679.66, "ops/s"},
		{0, "sysbench.transferred_MiB", 1024, "MiB"},
		{0, "sysbench.throughput_MB/s", 7564.14, "MiB/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-mem.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 17);
	raw_end(&r);
}

static void test_fileio(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.read_operations/s", 77932.98, "ops/s"},
		{0, "sysbench.write_operations/s", 51955.65, "ops/s"},
		{0, "sysbench.fsync_operations/s", 5196.06, "ops/s"},
		{0, "sysbench.read_bytes_MiB/s", 1217.70, "MiB/s"},
		{0, "sysbench.write_bytes_MiB/s", 811.81, "MiB/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-fileio.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 18);
	raw_end(&r);
}

static void test_threads_and_mutex(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.total_events", 2485, "events"},
		{0, "sysbench.latency_max_ms", 2.06, "ms"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-threads.txt");
	RAW_CHECK(&r, 0, figures_0);
	raw_end(&r);
	raw_read(&r, "sysbench", "sysbench-mutex.txt");
	assert_true(raw_value(&r, 0, 0, "sysbench.latency_min_ms") == 2.45);
	assert_true(raw_value(&r, 0, 0, "sysbench.latency_95th_ms") == 2.43);
	raw_end(&r);
}

/* cpu and fileio in one file are two series. */
static void test_two_tests_of_0_4(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.total_time", 29.4001, "s"},
		{0, "sysbench.event_execution_time", 29.3989, "s"},
		{0, "sysbench.latency_95th_ms", 2.95, "ms"},
		{0, "sysbench.latency_avg_ms", 2.94, "ms"},
	};
	static const struct raw_figure figures_1[] = {
		{0, "sysbench.read_operations", 600, "operations"},
		{0, "sysbench.write_operations", 400, "operations"},
		{0, "sysbench.other_operations", 1186, "operations"},
		{0, "sysbench.total_operations", 2186, "operations"},
		{0, "sysbench.read_MiB", 9.375, "MiB"},
		{0, "sysbench.written_MiB", 6.25, "MiB"},
		{0, "sysbench.transferred_MiB", 15.625, "MiB"},
		{0, "sysbench.throughput_MB/s", 53.316 / 1024, "MiB/s"},
		{0, "sysbench.requests/s", 3.33, "requests/s"},
		{0, "sysbench.latency_max_ms", 2596.96, "ms"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-0.4.txt");
	RAW_CHECK(&r, 0, figures_0);
	RAW_CHECK(&r, 1, figures_1);
	assert_int_equal(r.in.n, 2);
	assert_string_equal(raw_axis(&r, 0, "test"), "cpu");
	assert_string_equal(raw_axis(&r, 1, "test"), "fileio");
	assert_true(isnan(raw_value(&r, 0, 0, "sysbench.read_MiB")));
	assert_true(isnan(raw_value(&r, 1, 0, "sysbench.operations")));
	raw_end(&r);
}

static void test_oltp_0_4(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.read", 1039077, "queries"},
		{0, "sysbench.write", 12, "queries"},
		{0, "sysbench.other", 1039078, "queries"},
		{0, "sysbench.total_queries", 2078167, "queries"},
		{0, "sysbench.transactions", 1039077, "transactions"},
		{0, "sysbench.transactions/s", 17317.01, "1/s"},
		{0, "sysbench.deadlocks/s", 0.05, "1/s"},
		{0, "sysbench.read_write_requests/s", 17317.21, "1/s"},
		{0, "sysbench.other_operations", 1039078, "other_operations"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-oltp-0.4.txt");
	RAW_CHECK(&r, 0, figures_0);
	raw_end(&r);
}

static void test_oltp(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sysbench.total_queries", 154235952, "queries"},
		{0, "sysbench.queries", 154235952, "queries"},
		{0, "sysbench.queries/s", 257043.25, "1/s"},
		{0, "sysbench.transactions/s", 16065.20, "1/s"},
		{0, "sysbench.ignored_errors/s", 0, "1/s"},
		{0, "sysbench.latency_99th_ms", 2.35, "ms"},
		{0, "sysbench.thread_time_stddev", 0.01, "s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "sysbench", "sysbench-oltp.txt");
	RAW_CHECK(&r, 0, figures_0);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_fileio),
		cmocka_unit_test(test_threads_and_mutex),
		cmocka_unit_test(test_two_tests_of_0_4),
		cmocka_unit_test(test_oltp_0_4),
		cmocka_unit_test(test_oltp),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_sysbench", tests, NULL, NULL);
}
