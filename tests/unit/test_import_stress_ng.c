/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stress-ng as text of old and new versions and as YAML; expected values read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void test_metrics(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "stress-ng.cpu.ops", 902, "bogo ops"},
		{0, "stress-ng.cpu.ops_per_sec", 900.47, "bogo ops/s"},
		{0, "stress-ng.cpu.ops_per_cpu_sec", 2166.25, "bogo ops/s"},
		{0, "stress-ng.vm.real_time", 1.00, "s"},
		{0, "stress-ng.vm.user_time", 0.46, "s"},
		{0, "stress-ng.vm.system_time", 0.14, "s"},
		{0, "stress-ng.vm.cpu_used_per_instance%", 59.67, "%"},
		{0, "stress-ng.vm.rss_max", 11400, "KB"},
		{0, "stress-ng.pipe.MB_per_sec_pipe_write_rate", 110.03, "MB/s"},
		{0, "stress-ng.memrate.write64stoq_MB_per_sec", 45209.46, "MB/s"},
		{0, "stress-ng.memrate.read8_MB_per_sec", 6408.86, "MB/s"},
		{0, "stress-ng.cpu.pass", 1, ""},
		{0, "stress-ng.memrate.pass", 1, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "stress-ng", "stress-ng-metrics.txt");
	RAW_CHECK(&r, 0, figures_0);
	/* 4 stressors of 8 figures and a pass, 1 + 23 further metrics */
	assert_int_equal(raw_metrics(&r, 0, 0), 4 * 9 + 24);
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_string_equal(r.in.subs[0].testcase, "stress-ng");
	raw_end(&r);
}

static void test_brief_and_times(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "stress-ng.flock.ops", 1297282, "bogo ops"},
		{0, "stress-ng.flock.ops_per_sec", 1293999.72, "bogo ops/s"},
		{0, "stress-ng.flock.nanosecs_per_flock_lock_call", 1023.05, "ns"},
		{0, "stress-ng.flock.nanosecs_per_flock_unlock_call", 1245.54, "ns"},
		{0, "stress-ng.run.run_time", 1.00, "s"},
		{0, "stress-ng.run.available_CPU_time", 2.01, "s"},
		{0, "stress-ng.run.user_time", 1.21, "s"},
		{0, "stress-ng.run.user_time%", 60.29, "%"},
		{0, "stress-ng.run.total_time%", 94.17, "%"},
		{0, "stress-ng.run.load_average_15_minutes", 0.63, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "stress-ng", "stress-ng-brief.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 2 * 7 + 2 + 8 + 3);
	raw_end(&r);
}

/* Failures: no operations, and a message. */
static void test_old(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "stress-ng.atomic.ops", 1060503, "bogo ops"},
		{0, "stress-ng.atomic.ops_per_sec", 106049.80, "bogo ops/s"},
		{0, "stress-ng.atomic.pass", 1, ""},
		{0, "stress-ng.splice.fail", 1, ""},
		{0, "stress-ng.splice.ops", 0, "bogo ops"},
		{0, "stress-ng.memrate.fail", 1, ""},
		{0, "stress-ng.memrate.write128_MB/sec", 1656.82, "MB/s"},
		{0, "stress-ng.memrate.write128nt_MB_per_sec", 2190.96, "MB/s"},
		{0, "stress-ng.udp-flood.%_sendto_calls_succeeded", 100, "%"},
		{0, "stress-ng.x86syscall.nanosecs_per_call_excluding_test_overhead", 120.82, "ns"},
		{0, "stress-ng.run.system_time%", 29.07, "%"},
		{0, "stress-ng.run.load_average_5_minutes", 303.16, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "stress-ng", "stress-ng-old.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_true(isnan(raw_value(&r, 0, 0, "stress-ng.splice.pass")));
	assert_true(isnan(raw_value(&r, 0, 0, "stress-ng.memrate.pass")));
	assert_true(isnan(raw_value(&r, 0, 0, "stress-ng.atomic.fail")));
	raw_end(&r);
}

static void test_yaml(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "stress-ng.cpu.ops", 2110, "bogo ops"},
		{0, "stress-ng.cpu.ops_per_sec", 2107.727598, "bogo ops/s"},
		{0, "stress-ng.cpu.ops_per_cpu_sec", 2130.594325, "bogo ops/s"},
		{0, "stress-ng.cpu.real_time", 1.001078, "s"},
		{0, "stress-ng.pipe.MB_per_sec_pipe_write_rate", 232.966997, "MB/s"},
		{0, "stress-ng.pipe.pass", 1, ""},
		{0, "stress-ng.pipe.perfstats.context_switches_total", 235532, ""},
		{0, "stress-ng.pipe.perfstats.duration", 1.002331, ""},
		{0, "stress-ng.run.user_time%", 54.373255, "%"},
		{0, "stress-ng.run.load_average_1_minute", 0.197266, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "stress-ng", "stress-ng.yaml");
	RAW_CHECK(&r, 0, figures_0);
	assert_string_equal(raw_info(&r, 0, "hostname"), "box-1");
	assert_string_equal(raw_info(&r, 0, "kernel"), "6.1.0-18-amd64");
	assert_string_equal(raw_info(&r, 0, "program_compiler"), "gcc 12.2.0");
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 1);
	raw_end(&r);
}

/* The same run as in the YAML, under the same names. */
static void test_counters(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "stress-ng.cpu.ops", 2110, "bogo ops"},
		{0, "stress-ng.pipe.perfstats.context_switches_total", 235532, ""},
		{0, "stress-ng.pipe.perfstats.context_switches_per_second", 235000, ""},
		{0, "stress-ng.cpu.perfstats.cpu_clock_per_second", 987000000, ""},
		{0, "stress-ng.cpu.perfstats.page_faults_total_total", 489, ""},
		{0, "stress-ng.cpu.perfstats.page_faults_total_per_second", 487.863, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "stress-ng", "stress-ng-perf.txt");
	RAW_CHECK(&r, 0, figures_0);
	raw_end(&r);
}

/* Tables of several processes put below one heading, with a note behind a row. */
static void test_rows_of_several_processes(void **state)
{
	static const char text[] =
		"stress-ng: info:  [10] stressor       bogo ops real time  usr time  sys time   "
		"bogo "
		"ops/s   bogo ops/s\n"
		"stress-ng: info:  [10] aio              222000     10.01      0.89     27.61     "
		"22200.50      7822.00  <--- (1)\n"
		"stress-ng: info:  [39] aio              217000     10.01      1.00     26.80     "
		"21700.50      7807.30\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "stress-ng", text, sizeof(text) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "stress-ng.aio.ops_per_sec") == 22200.5);
	assert_true(raw_value(&r, 0, 0, "stress-ng.aio.pass") == 1);
	assert_true(raw_value(&r, 0, 1, "stress-ng.aio.ops_per_sec") == 21700.5);
	assert_true(raw_value(&r, 0, 1, "stress-ng.aio.pass") == 1);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_several_processes),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_brief_and_times),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_yaml),
		cmocka_unit_test(test_counters),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_stress_ng", tests, NULL, NULL);
}
