/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unixbench, dbench, tbench, aim7, reaim, fs_mark and GNU time; expected values read off the files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

/* One copy and four are two series. */
static void test_unixbench(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "unixbench.score", 1038.4, ""},
		{0, "unixbench.Dhrystone_2_using_register_variables.index", 2457.6, ""},
		{0, "unixbench.Dhrystone_2_using_register_variables.result", 28680691.8, "lps"},
		{0, "unixbench.Shell_Scripts_1_concurrent.index", 2091.6, ""},
		{0, "unixbench.Shell_Scripts_1_concurrent.result", 8868.4, "lpm"},
		{0, "unixbench.Shell_Scripts_1_concurrent.time", 60, "s"},
		{0, "unixbench.Shell_Scripts_1_concurrent.samples", 2, "samples"},
		{0, "unixbench.Pipe-based_Context_Switching.baseline", 4000, ""},
		{0, "unixbench.test.pass", 1, ""},
	};
	static const struct raw_figure figures_1[] = {
		{0, "unixbench.score", 1871.1, ""},
		{0, "unixbench.Double-Precision_Whetstone.index", 2768.8, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "unixbench", "unixbench.txt");
	RAW_CHECK(&r, 0, figures_0);
	RAW_CHECK(&r, 1, figures_1);
	assert_int_equal(r.in.n, 2);
	assert_string_equal(raw_axis(&r, 0, "nr_task"), "1");
	assert_string_equal(raw_axis(&r, 1, "nr_task"), "4");
	assert_int_equal(raw_metrics(&r, 0, 0), 5 * 5 + 2);
	assert_int_equal(raw_metrics(&r, 1, 0), 2 * 5 + 2);
	assert_true(isnan(raw_value(&r, 0, 0, "unixbench.throughput")));
	raw_end(&r);
}

/* From 23:59:30 to 00:01:10 are 100 seconds. */
static void test_unixbench_one_test(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "unixbench.score", 2526.6, ""},
		{0, "unixbench.throughput", 3789860.2, "lps"},
		{0, "unixbench.workload", 378986020, ""},
		{0, "unixbench.System_Call_Overhead.index", 2526.6, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "unixbench", "unixbench-one.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 9);
	assert_string_equal(raw_axis(&r, 0, "nr_task"), "80");
	raw_end(&r);
}

static void test_dbench(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "dbench.throughput_MB/s", 1149.56, "MB/s"},
		{0, "dbench.clients", 2, "clients"},
		{0, "dbench.procs", 2, "procs"},
		{0, "dbench.max_latency", 4.642, "ms"},
		{0, "dbench.throughput_MB/s_harmonic_mean", 1149.56, "MB/s"},
		{0, "dbench.max_latency_harmonic_mean", 4.642, "ms"},
		{0, "dbench.NTCreateX.count", 74582, "operations"},
		{0, "dbench.Flush.avg_latency", 0.256, "ms"},
		{0, "dbench.Flush.max_latency", 4.801, "ms"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "dbench", "dbench.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 16 * 3 + 6);
	raw_end(&r);
}

/* Before and after a patch: no mean over both. Of a mail that was not decoded nothing is read
 * half. */
static void test_dbench_twice(void **state)
{
	static const char text[] =
		"> Before:\n>\n>  Operation      Count    AvgLat    MaxLat\n>  ------------\n"
		">  NTCreateX    10750455     0.011   155.088\n>\n"
		"> Throughput 1128.35 MB/sec  16 clients  16 procs  max_latency=1102.255 ms\n"
		">\n> After:\n>\n>  Operation      Count    AvgLat    MaxLat\n>  ------------\n"
		">  NTCreateX    10750999     0.010   100.088\n>\n"
		"> Throughput 1228.35 MB/sec  16 clients  16 procs  max_latency=902.255 ms\n";
	static const char undecoded[] =
		"Throughput 1128.35 MB/sec  16 clients  16 procs  max_latency=3D1102.255 ms\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "dbench", text, sizeof(text) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(raw_metrics(&r, 0, i), 7);
		assert_true(isnan(raw_value(&r, 0, i, "dbench.throughput_MB/s_harmonic_mean")));
		assert_true(isnan(raw_value(&r, 0, i, "dbench.max_latency_harmonic_mean")));
	}
	raw_end(&r);
	assert_int_equal(raw_run(&r, "dbench", undecoded, sizeof(undecoded) - 1, NULL), E_OK);
	assert_true(isnan(raw_value(&r, 0, 0, "dbench.max_latency")));
	raw_end(&r);
}

/* Three outputs: 3 / (1/100 + 1/200.5 + 1/400), and 3 / (1/2 + 1/4 + 1/8). */
static void test_tbench(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "tbench.throughput_MB/s", 100, "MB/s"},
		{1, "tbench.throughput_MB/s", 200.5, "MB/s"},
		{2, "tbench.throughput_MB/s", 400, "MB/s"},
		{2, "tbench.throughput_MB/s_harmonic_mean", 171.5508021390374, "MB/s"},
		{2, "tbench.max_latency_harmonic_mean", 24.0 / 7, "ms"},
		{0, "tbench.NTCreateX.count", 100000, "operations"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "tbench", "tbench.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_true(isnan(raw_value(&r, 0, 0, "tbench.throughput_MB/s_harmonic_mean")));
	raw_end(&r);
}

static void test_aim7(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "aim7.jobs-per-min", 653872.32, "jobs/min"},
		{0, "aim7.jti", 91, ""},
		{0, "aim7.jobs-per-min-per-task", 217.9574, "jobs/min"},
		{0, "aim7.real", 27.8, "s"},
		{0, "aim7.cpu", 810.22, "s"},
		{0, "aim7.tasks", 3000, "tasks"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "aim7", "aim7.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 6);
	raw_end(&r);
}

/* The peak is at 101 tasks. */
static void test_aim7_ramp(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "aim7.1.jobs-per-min", 111.22, "jobs/min"},
		{0, "aim7.201.jobs-per-min", 6797.07, "jobs/min"},
		{0, "aim7.jobs-per-min", 6896.87, "jobs/min"},
		{0, "aim7.tasks", 101, "tasks"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "aim7", "aim7-ramp.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 3 * 5 + 6);
	assert_int_equal(r.in.subs[0].nruns, 1);
	raw_end(&r);
}

/* The same load twice is two runs. */
static void test_reaim(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "reaim.jobs_per_min", 5605.19, "jobs/min"},
		{1, "reaim.jobs_per_min", 5665.81, "jobs/min"},
		{1, "reaim.max_jobs_per_min", 5665.81, "jobs/min"},
		{0, "reaim.parent_time", 110.25, "s"},
		{0, "reaim.child_systime", 12.67, "s"},
		{0, "reaim.child_utime", 206.35, "s"},
		{0, "reaim.jobs_per_min_child", 56.05, "jobs/min"},
		{0, "reaim.std_dev_time", 3.48, "s"},
		{0, "reaim.std_dev_percent", 3.29, "%"},
		{0, "reaim.jti", 96, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "reaim", "reaim.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 2);
	raw_end(&r);
}

/* Quoted, and wrapped by a mail program. */
static void test_reaim_ramp(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "reaim.4000.jti", 90, ""},
		{0, "reaim.4100.jti", 95, ""},
		{0, "reaim.jobs_per_min", 204051.01, "jobs/min"},
		{0, "reaim.tasks", 4000, "tasks"},
		{0, "reaim.max_jobs_per_min", 204051.01, "jobs/min"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "reaim", "reaim-ramp.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 2 * 8 + 8 + 2);
	raw_end(&r);
}

static void test_fsmark(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "fsmark.files_per_sec", 6004.2, "files/s"},
		{1, "fsmark.files_per_sec", 5979.1, "files/s"},
		{2, "fsmark.files_per_sec", 5802.1, "files/s"},
		{1, "fsmark.app_overhead", 54, "us"},
		{2, "fsmark.count", 60, "files"},
		{0, "fsmark.size", 1024, "B"},
		{0, "fsmark.FSUse%", 72, "%"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fsmark", "fsmark.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_int_equal(raw_metrics(&r, 0, 0), 5);
	raw_end(&r);
}

static void test_fsmark_calls(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "fsmark.creat_max_us", 14, "us"},
		{1, "fsmark.creat_max_us", 52, "us"},
		{0, "fsmark.fsync_avg_us", 149, "us"},
		{1, "fsmark.unlink_max_us", 0, "us"},
		{1, "fsmark.files_per_sec", 5837.7, "files/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fsmark", "fsmark-calls.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 5 + 6 * 3);
	raw_end(&r);
}

static void test_time(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "sleep.time.elapsed_time", 0.10, "s"},
		{0, "sleep.time.maximum_resident_set_size", 1676, "KiB"},
		{0, "sleep.time.major_page_faults", 1, "faults"},
		{0, "sleep.time.minor_page_faults", 97, "faults"},
		{0, "sleep.time.voluntary_context_switches", 4, "switches"},
		{0, "sleep.time.involuntary_context_switches", 0, "switches"},
		{0, "sleep.time.file_system_inputs", 80, "blocks"},
		{0, "sleep.time.percent_of_cpu_this_job_got", 0, "%"},
		{0, "sleep.time.page_size", 4096, "B"},
		{0, "sleep.time.exit_status", 0, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "time", "time.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 22);
	assert_string_equal(r.in.subs[0].testcase, "sleep");
	raw_end(&r);
}

/* The request names the test; 1:02:03 are 3723 s; "?%" is no figure. */
static void test_time_of_a_test(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "kbuild.time.elapsed_time", 3723, "s"},
		{1, "kbuild.time.elapsed_time", 500.5, "s"},
		{0, "kbuild.time.user_time", 3600.25, "s"},
		{0, "kbuild.time.percent_of_cpu_this_job_got", 750, "%"},
		{0, "kbuild.time.exit_status", 2, ""},
		{1, "kbuild.time.exit_status", 0, ""},
	};
	struct raw r;

	(void)state;
	raw_read_as(&r, "time", "time-two.txt", "kbuild");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(isnan(raw_value(&r, 0, 1, "kbuild.time.percent_of_cpu_this_job_got")));
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dbench_twice),
		cmocka_unit_test(test_unixbench),
		cmocka_unit_test(test_unixbench_one_test),
		cmocka_unit_test(test_dbench),
		cmocka_unit_test(test_tbench),
		cmocka_unit_test(test_aim7),
		cmocka_unit_test(test_aim7_ramp),
		cmocka_unit_test(test_reaim),
		cmocka_unit_test(test_reaim_ramp),
		cmocka_unit_test(test_fsmark),
		cmocka_unit_test(test_fsmark_calls),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_of_a_test),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_throughput", tests, NULL, NULL);
}
