/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schbench and cyclictest; expected values read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void test_schbench_old(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "schbench.latency_50%_us", 8, "us"},
		{0, "schbench.latency_99%_us", 35, "us"},
		{0, "schbench.latency_99.5%_us", 57, "us"},
		{0, "schbench.latency_99.9%_us", 2156, "us"},
		{0, "schbench.latency_min_us", 0, "us"},
		{0, "schbench.latency_max_us", 9218, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "schbench", "schbench-old.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 9);
	assert_string_equal(raw_distribution(&r, 0, "schbench.latency")->percentiles[6].name,
			    "99.9000");
	assert_true(raw_distribution(&r, 0, "schbench.latency")->percentiles[6].value == 2156);
	raw_end(&r);
}

/* The table after 20 s stands for the one after 10 s. */
static void test_schbench(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "schbench.wakeup_latency_50%_us", 69, "us"},
		{0, "schbench.wakeup_latency_99.9%_us", 262656, "us"},
		{0, "schbench.wakeup_latency_max_us", 375290, "us"},
		{0, "schbench.wakeup_samples", 1209, "samples"},
		{0, "schbench.wakeup_runtime", 20, "s"},
		{0, "schbench.request_latency_99%_us", 360960, "us"},
		{0, "schbench.rps_20%", 57, "requests/s"},
		{0, "schbench.rps_max", 61, "requests/s"},
		{0, "schbench.average_rps", 60.1, "requests/s"},
		{0, "schbench.current_rps", 55.93, "requests/s"},
		{0, "schbench.sched_delay_worker_us", 7, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "schbench", "schbench.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.n, 1);
	assert_int_equal(raw_metrics(&r, 0, 0), 27);
	assert_int_equal(raw_distribution(&r, 0, "schbench.request_latency")->n, 1202);
	assert_int_equal(raw_distribution(&r, 0, "schbench.request_latency")->buckets[2].count,
			 107);
	raw_end(&r);
}

static void test_cyclictest_screen(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "cyclictest.T0.min", 63, "us"},
		{0, "cyclictest.T0.act", 64, "us"},
		{0, "cyclictest.T0.avg", 64, "us"},
		{0, "cyclictest.T0.max", 104, "us"},
		{0, "cyclictest.T0.cycles", 200, "cycles"},
		{0, "cyclictest.T1.cycles", 134, "cycles"},
		{0, "cyclictest.min_latency", 62, "us"},
		{0, "cyclictest.max_latency", 104, "us"},
		{0, "cyclictest.avg_latency", (64.0 * 200 + 63.0 * 134) / 334, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "cyclictest", "cyclictest-screen.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_int_equal(raw_metrics(&r, 0, 0), 13);
	assert_string_equal(raw_info(&r, 0, "policy"), "other/other");
	raw_end(&r);
}

static void test_cyclictest_quiet(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "cyclictest.T1.min", 25, "us"},
		{0, "cyclictest.T1.max", 66, "us"},
		{0, "cyclictest.max_latency", 69, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "cyclictest", "cyclictest-quiet.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 13);
	raw_end(&r);
}

/* With the column of sums of -H. */
static void test_cyclictest_histogram(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "cyclictest.T0.cycles", 200, "cycles"},
		{0, "cyclictest.T0.min", 62, "us"},
		{0, "cyclictest.T1.min", 35, "us"},
		{0, "cyclictest.T1.max", 70, "us"},
		{0, "cyclictest.T1.overflows", 0, "cycles"},
		{0, "cyclictest.min_latency", 35, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "cyclictest", "cyclictest-histogram.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 13);
	assert_int_equal(r.in.subs[0].ndistributions, 2);
	{
		const struct distribution_in *d = raw_distribution(&r, 0, "cyclictest.T1.latency");

		assert_int_equal(d->nbuckets, 7);
		assert_true(d->buckets[0].le == 35 && d->buckets[0].count == 1);
		assert_true(d->buckets[2].le == 63 && d->buckets[2].count == 105);
	}
	raw_end(&r);
}

static void test_cyclictest_json(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "cyclictest.T0.avg", 63.71, "us"},   {0, "cyclictest.T1.avg", 63.27, "us"},
		{0, "cyclictest.T0.max", 67, "us"},      {0, "cyclictest.avg_latency", 63.49, "us"},
		{0, "cyclictest.min_latency", 35, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "cyclictest", "cyclictest.json");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 11);
	assert_string_equal(raw_info(&r, 0, "hostname"), "box-1");
	assert_int_equal(raw_distribution(&r, 0, "cyclictest.T0.latency")->nbuckets, 6);
	assert_int_equal(raw_distribution(&r, 0, "cyclictest.T0.latency")->buckets[2].count, 96);
	raw_end(&r);
}

/* With -p the figure that counts stands below the table. */
static void test_schbench_transfer(void **state)
{
	static const char text[] =
		"Wakeup Latencies percentiles (usec) runtime 10 (s) (1000 total samples)\n"
		"          50.0th: 11         (500 samples)\n"
		"          min=1, max=93\n"
		"avg worker transfer: 28211.5 ops/sec 13.75MB/s\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "schbench", text, sizeof(text) - 1, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "schbench.worker_transfer_ops/s") == 28211.5);
	assert_true(raw_value(&r, 0, 0, "schbench.worker_transfer_MB/s") == 13.75);
	raw_end(&r);
}

/* A board's log: hackbench without a time is the load beside cyclictest. */
static void test_load_beside_cyclictest(void **state)
{
	static const char log[] =
		"Running in process mode with 10 groups using 40 file descriptors each (== 400 "
		"tasks)\n"
		"Each sender will pass 100000 messages of 100 bytes\n"
		"# /dev/cpu_dma_latency set to 0us\n"
		"policy: fifo: loadavg: 1.73 0.79 0.30 1/112 421\n\n"
		"T: 0 (  412) P:98 I:1000 C:   1000 Min:     11 Act:   16 Avg:   17 Max:      74\n";
	struct import_guess g;
	struct raw r = {0};

	(void)state;
	importer_guess(log, sizeof(log) - 1, &g);
	assert_true(g.n > 0);
	assert_string_equal(g.list[0].format->name, "cyclictest");
	assert_int_equal(raw_run(&r, "cyclictest", log, sizeof(log) - 1, NULL), E_OK);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schbench_transfer),
		cmocka_unit_test(test_load_beside_cyclictest),
		cmocka_unit_test(test_schbench_old),
		cmocka_unit_test(test_schbench),
		cmocka_unit_test(test_cyclictest_screen),
		cmocka_unit_test(test_cyclictest_quiet),
		cmocka_unit_test(test_cyclictest_histogram),
		cmocka_unit_test(test_cyclictest_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_latency", tests, NULL, NULL);
}
