/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf stat in its three forms and perf bench; expected values read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void test_csv(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.task-clock", 0.71, "msec"},
		{0, "perf-stat.task-clock.stddev%", 5.5, "%"},
		{0, "perf-stat.task-clock.run_time", 712713, "ns"},
		{0, "perf-stat.task-clock.running%", 100, "%"},
		{0, "perf-stat.task-clock.CPUs_utilized", 0.014, ""},
		{0, "perf-stat.context-switches", 1, ""},
		{0, "perf-stat.context-switches.per_sec", 1458, "1/s"},
		{0, "perf-stat.page-faults.per_sec", 107856, "1/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat.csv");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 15);
	assert_true(isnan(raw_value(&r, 0, 0, "perf-stat.cycles")));
	assert_string_equal(raw_info(&r, 0, "perf-stat.not_supported"), "cycles");
	raw_end(&r);
}

static void test_separators(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.page-faults", 74, ""},
		{0, "perf-stat.page-faults.stddev%", 1.19, "%"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-semicolons.csv");
	RAW_CHECK(&r, 0, figures_0);
	raw_end(&r);
	raw_read(&r, "perf-stat", "perf-stat-spaces.txt");
	assert_true(raw_value(&r, 0, 0, "perf-stat.page-faults") == 76);
	assert_true(raw_value(&r, 0, 0, "perf-stat.page-faults.per_sec") == 95402);
	assert_true(raw_value(&r, 0, 0, "perf-stat.task-clock.CPUs_utilized") == 0.016);
	assert_int_equal(raw_metrics(&r, 0, 0), 8);
	raw_end(&r);
}

static void test_names_with_commas(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.cpu/event=0x3c,umask=0x1,name=x/", 123456, ""},
		{0, "perf-stat.cpu/event=0x3c,umask=0x1,name=x/.stddev%", 0.35, "%"},
		{0, "perf-stat.cpu/event=0x3c,umask=0x1,name=x/.running%", 83.31, "%"},
		{0, "perf-stat.cpu/event=0x3c,umask=0x1,name=x/.per_sec", 1235000, "1/s"},
		{0, "perf-stat.instructions:u", 4980123456, ""},
		{0, "perf-stat.instructions:u.insn_per_cycle", 0.81, ""},
		{0, "perf-stat.instructions:u.stalled_cycles_per_insn", 0.52, ""},
		{0, "perf-stat.branch-misses.of_all_branches%", 1, "%"},
		{0, "perf-stat.power/energy-pkg/", 3.14, "Joules"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-commas.csv");
	RAW_CHECK(&r, 0, figures_0);
	assert_string_equal(raw_info(&r, 0, "perf-stat.not_counted"), "LLC-loads");
	assert_string_equal(raw_info(&r, 0, "perf-stat.multiplexed"),
			    "cpu/event=0x3c,umask=0x1,name=x/, instructions:u");
	raw_end(&r);
}

/* A figure for each processor, and their sum. */
static void test_places(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.CPU0.task-clock", 101.36, "msec"},
		{0, "perf-stat.CPU1.task-clock", 101.37, "msec"},
		{0, "perf-stat.task-clock", 202.73, "msec"},
		{0, "perf-stat.CPU1.task-clock.run_time", 101366763, "ns"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-cpus.csv");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 9);
	raw_end(&r);
}

static void test_json(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.task-clock", 0.613965, "msec"},
		{0, "perf-stat.task-clock.CPUs_utilized", 0.011984, ""},
		{0, "perf-stat.context-switches.per_sec", 1628.757, "1/s"},
		{0, "perf-stat.page-faults.per_sec", 123785.558, "1/s"},
		{0, "perf-stat.page-faults.run_time", 613965, "ns"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat.jsonl");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 12);
	assert_string_equal(raw_info(&r, 0, "perf-stat.not_supported"), "cycles");
	raw_end(&r);
	raw_read(&r, "perf-stat", "perf-stat-cpus.jsonl");
	assert_true(raw_value(&r, 0, 0, "perf-stat.CPU1.task-clock") == 52.206037);
	assert_true(raw_value(&r, 0, 0, "perf-stat.task-clock") == 104.38919);
	raw_end(&r);
}

/* Two outputs: grouped digits, variance, events that took turns. */
static void test_plain(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.task-clock", 2066.32, "msec"},
		{0, "perf-stat.task-clock.stddev%", 0.51, "%"},
		{0, "perf-stat.context-switches", 65215, ""},
		{0, "perf-stat.context-switches.per_sec", 31561, "1/s"},
		{0, "perf-stat.cycles", 6123456789, ""},
		{0, "perf-stat.cycles.GHz", 2.963, "GHz"},
		{0, "perf-stat.cycles.stddev%", 0.35, "%"},
		{0, "perf-stat.cycles.running%", 83.31, "%"},
		{0, "perf-stat.instructions.insn_per_cycle", 0.81, ""},
		{0, "perf-stat.instructions.stalled_cycles_per_insn", 0.52, ""},
		{0, "perf-stat.branches.per_sec", 477978000, "1/s"},
		{0, "perf-stat.branch-misses.of_all_branches%", 1, "%"},
		{0, "perf-stat.power/energy-pkg/", 3.14, "Joules"},
		{0, "perf-stat.elapsed_time", 0.29034, "s"},
		{0, "perf-stat.elapsed_time.stddev", 0.00312, "s"},
		{0, "perf-stat.elapsed_time.stddev%", 1.07, "%"},
		{1, "perf-stat.context-switches", 65000, ""},
		{1, "perf-stat.elapsed_time", 0.285714286, "s"},
		{1, "perf-stat.user_time", 1.9, "s"},
		{1, "perf-stat.system_time", 0.1, "s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-counters.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_int_equal(raw_metrics(&r, 0, 0), 24);
	assert_int_equal(raw_metrics(&r, 0, 1), 7);
	assert_string_equal(raw_info(&r, 0, "perf-stat.not_counted"), "LLC-loads");
	assert_string_equal(raw_info(&r, 0, "perf-stat.multiplexed"), "cycles, instructions");
	raw_end(&r);
}

static void test_plain_places(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.CPU0.task-clock", 102.25, "msec"},
		{0, "perf-stat.task-clock", 204.49, "msec"},
		{0, "perf-stat.elapsed_time", 0.102238788, "s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-cpus.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 6);
	raw_end(&r);
}

/* Five intervals that end at 0.202069815 s; "i." is the mean of the four whole ones. */
static void test_intervals(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-stat.total.context-switches", 79, ""},
		{0, "perf-stat.ps.context-switches", 79 / 0.202069815, "1/s"},
		{0, "perf-stat.i.context-switches", 348.1040682042582, "1/s"},
		{0, "perf-stat.total.task-clock", 404.4, "msec"},
		{0, "perf-stat.ps.task-clock", 404.4 / 0.202069815, "msec/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-interval.csv");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 6);
	raw_end(&r);
	raw_read(&r, "perf-stat", "perf-stat-interval.txt");
	assert_true(raw_value(&r, 0, 0, "perf-stat.total.context-switches") == 66);
	assert_true(raw_value(&r, 0, 0, "perf-stat.ps.context-switches") == 66 / 0.202150846);
	raw_end(&r);
}

/* syscall/basic comes twice and begins another run. */
static void test_bench(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-bench.sched-messaging.total_time_sec", 0.067, "s"},
		{0, "perf-bench.sched-pipe.usecs_per_op", 19.979, "us"},
		{0, "perf-bench.sched-pipe.ops_per_sec", 50052, "ops/s"},
		{0, "perf-bench.syscall-basic.ops_per_sec", 8948545, "ops/s"},
		{1, "perf-bench.syscall-basic.ops_per_sec", 7477418, "ops/s"},
		{1, "perf-bench.mem-memcpy.default.GB_per_sec", 50.730519, "GB/s"},
		{1, "perf-bench.mem-memset.x86-64-stosb.GB_per_sec", 162.760417, "GB/s"},
		{1, "perf-bench.mem-find_bit.2_of_8_bits.for_each_set_bit.took", 629.1, "us"},
		{1, "perf-bench.mem-find_bit.2_of_8_bits.test_bit_loop.took.stddev", 409.402, "us"},
		{1, "perf-bench.futex-hash.ops/s", 2189312, "ops/s"},
		{1, "perf-bench.futex-hash.stddev%", 2.48, "%"},
		{1, "perf-bench.futex-hash.thread_1.ops/s", 2135040, "ops/s"},
		{1, "perf-bench.futex-hash.total_secs", 1, "s"},
		{1, "perf-bench.futex-wake.wakeup_ms", 0.0382, "ms"},
		{1, "perf-bench.futex-wake.wakeup_ms.stddev%", 26.82, "%"},
		{1, "perf-bench.futex-wake.wakeup_ms.run10", 0.0160, "ms"},
		{1, "perf-bench.futex-wake-parallel.wakeup_latency_ms", 0.0153, "ms"},
		{1, "perf-bench.futex-requeue.requeue_ms", 0.0066, "ms"},
		{1, "perf-bench.futex-lock-pi.ops/s", 5829, "ops/s"},
		{1, "perf-bench.epoll-wait.ops/s", 449120, "ops/s"},
		{1, "perf-bench.epoll-ctl.ADD_operations", 217760, "ops"},
		{1, "perf-bench.epoll-ctl.thread_1.del_ops", 222976, "ops"},
		{1, "perf-bench.numa-mem.secs_slowest", 0.067, "s"},
		{1, "perf-bench.numa-mem.secs_fastest", 0, "s"},
		{1, "perf-bench.numa-mem.max_avg_diff", 50, "%"},
		{1, "perf-bench.numa-mem.GB_per_thread", 0.273, "GB"},
		{1, "perf-bench.numa-mem.nsecs_byte_thread", 0.246, "ns/B"},
		{1, "perf-bench.numa-mem.GB_sec_total", 4.068, "GB/s"},
		{1, "perf-bench.internals-synthesize.synthesis.took", 272.54, "us"},
		{1, "perf-bench.internals-synthesize.synthesis.num_events", 31, ""},
		{1, "perf-bench.internals-synthesize.synthesis.time_per_event", 8.792, "us"},
		{1, "perf-bench.internals-synthesize.data_synthesis.took.stddev", 81.413, "us"},
		{1, "perf-bench.internals-kallsyms-parse.kallsyms__parse.took", 59.568, "ms"},
		{1, "perf-bench.internals-inject-build-id.build-id_injection.memory_usage", 11132,
		 "KB"},
		{1, "perf-bench.internals-inject-build-id.build-id-all_injection.time_per_event",
		 0.655, "us"},
		{1, "perf-bench.internals-evlist-open-close.open-close.took", 474, "us"},
		{1, "perf-bench.internals-evlist-open-close.number_of_cpus", 2, ""},
		{1, "perf-bench.breakpoint-thread.usecs_per_op_per_cpu", 61.5, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-bench", "perf-bench.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 2);
	raw_end(&r);
}

static void test_bench_robot_names(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-bench-sched-pipe.ops_per_sec", 194511, "ops/s"},
		{1, "perf-bench-sched-pipe.ops_per_sec", 192308, "ops/s"},
		{1, "perf-bench-sched-pipe.total_time_sec", 5.2, "s"},
	};
	struct raw r;

	(void)state;
	raw_read_as(&r, "perf-bench", "perf-bench-pipe.txt", "perf-bench-sched-pipe");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_int_equal(raw_metrics(&r, 0, 0), 3);
	raw_end(&r);
}

static void test_bench_old(void **state)
{
	static const struct raw_figure figures_0[] = {
		{0, "perf-bench.numa-mem.RAM-bw-local.secs_avg", 20.008, "s"},
		{0, "perf-bench.numa-mem.RAM-bw-local.GB_sec_thread", 20.672, "GB/s"},
		{0, "perf-bench.mem-memcpy.default.GB_per_sec", 971.280682 / 1024, "GB/s"},
		{0, "perf-bench.mem-memcpy.default.prefault.GB_per_sec", 2.504407, "GB/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-bench", "perf-bench-numa.txt");
	RAW_CHECK(&r, 0, figures_0);
	assert_int_equal(raw_metrics(&r, 0, 0), 11);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_separators),
		cmocka_unit_test(test_names_with_commas),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_plain_places),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_bench),
		cmocka_unit_test(test_bench_robot_names),
		cmocka_unit_test(test_bench_old),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_perf", tests, NULL, NULL);
}
