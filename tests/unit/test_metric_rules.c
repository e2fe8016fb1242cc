/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What names tell: directions, kinds, roles, units. Names are those that the kernel test robot's
 * programs and monitors use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/metric_rules.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void globs(void **state)
{
	static const struct {
		const char *glob, *text;
		bool match;
	} cases[] = {
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"*", "", true},
		{"*", "anything", true},
		{"a*", "a", true},
		{"a*c", "abc", true},
		{"a*c", "abcb", false},
		{"*.fail", "xfstests.btrfs.172.fail", true},
		{"*.fail", "x.failed", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*bc", "abbbc", true},
		{"*ab", "aaab", true},
		{"?", "", false},
		{"?", "a", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"a.c", "abc", false},
		{"**", "x", true},
		{"*?*", "", false},
		/* would take for ever with one recursion a star */
		{"*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
		{"A", "a", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (glob_match(cases[i].glob, cases[i].text) != cases[i].match)
			fail_msg("%s on %s", cases[i].glob, cases[i].text);
}

static void assert_direction(const char *name, enum direction want)
{
	struct metric_facts f = metric_facts_of(name);

	if (f.direction != want)
		fail_msg("%s: %s by %s", name, direction_name(f.direction), f.rule);
	if (want != DIRECTION_NONE && !*f.rule)
		fail_msg("%s: no rule", name);
}

static void higher_is_better(void **state)
{
	static const char *const names[] = {
		"fio.write_bw_MBps",
		"fio.read_bw_MBps",
		"fio.write_iops",
		"vm-scalability.throughput",
		"unixbench.throughput",
		"anything.throughput",
		"filebench.sum_operations/s",
		"filebench.sum_bytes_mb/s",
		"vm-scalability.median",
		"will-it-scale.per_process_ops",
		"will-it-scale.per_thread_ops",
		"will-it-scale.scalability",
		"netperf.Throughput_Mbps",
		"netperf.Throughput_tps",
		"netperf.Throughput_total_tps",
		"unixbench.score",
		"stress-ng.sock.ops_per_sec",
		"stress-ng.sock.ops",
		"aim7.jobs-per-min",
		"reaim.jobs_per_min",
		"dbench.throughput_MB/s",
		"fsmark.files_per_sec",
		"phoronix-test-suite.unigine-heaven.0.fps",
		"hackbench.throughput",
		"hackbench.throughput_avg",
		"hackbench.throughput_best",
		"hackbench.throughput_worst",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_direction(names[i], DIRECTION_HIGHER);
}

static void lower_is_better(void **state)
{
	static const char *const names[] = {
		"ftq.wake_us",
		"pft.fault_ns",
		"schbench.wakeup_latency",
		"fio.write_clat_mean_ns",
		"fio.write_clat_99%_us",
		"fio.write_clat_stddev",
		"fio.write_slat_mean_us",
		"fio.write_slat_stddev",
		"dbench.max_latency",
		"hackbench.time.elapsed_time",
		"hackbench.time.elapsed_time.max",
		"fsmark.app_overhead",
		"vm-scalability.stddev%",
		"vm-scalability.median_stddev%",
		"phoronix-test-suite.build-gcc.0.seconds",
		"phoronix-test-suite.scimark2.0.milliseconds",
		"filebench.sum_time_ms/op",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_direction(names[i], DIRECTION_LOWER);
}

/* Monitors, amounts of work, and the shares of latency buckets are neither good nor bad. */
static void no_direction(void **state)
{
	static const char *const names[] = {
		"fio.latency_20ms%",
		"fio.workload",
		"vm-scalability.workload",
		"perf-stat.i.branch-instructions",
		"perf-stat.overall.ipc",
		"perf-profile.children.cycles-pp.wait_for_latency_us",
		"perf-sched.wait_time.avg.ms.pipe_read",
		"vmstat.system.cs",
		"mpstat.cpu.all.usr%",
		"proc-vmstat.nr_active_anon",
		"numa-meminfo.node1.Active(anon)",
		"turbostat.PKG_%",
		"sched_debug.cpu.nr_switches.avg",
		"latency_stats.avg.max",
		"hackbench.time.user_time",
		"hackbench.time.voluntary_context_switches",
		"never.heard_of",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_direction(names[i], DIRECTION_NONE);
	assert_string_equal(metric_facts_of("never.heard_of").rule, "");
	assert_null(metric_facts_of("never.heard_of").unit);
	assert_null(metric_facts_of("never.heard_of").meaning);
}

static void kinds(void **state)
{
	static const struct {
		const char *name;
		enum metric_kind kind;
	} cases[] = {
		{"hackbench.throughput", KIND_VALUE},
		{"fio.latency_20ms%", KIND_PERCENT},
		{"mpstat.cpu.all.irq%", KIND_PERCENT},
		{"perf-profile.self.cycles-pp.memcpy", KIND_PERCENT},
		{"fio.write_clat_95%_us", KIND_VALUE},
		{"dmesg.BUG:soft_lockup", KIND_FUNCTIONAL},
		{"kmsg.Oops", KIND_FUNCTIONAL},
		{"last_state.is_incomplete_run", KIND_FUNCTIONAL},
		{"stderr.has_stderr", KIND_FUNCTIONAL},
		{"ltp.read01.error", KIND_FUNCTIONAL},
		{"ltp.read01.warn", KIND_FUNCTIONAL},
		{"kernel-selftests.net.x.fail", KIND_FUNCTIONAL},
		{"xfstests.btrfs.172.pass", KIND_FUNCTIONAL},
		{"xfstests.generic.group-00.dmesg-fail", KIND_FUNCTIONAL},
		{"hackbench.killed_by_signal", KIND_FUNCTIONAL},
		{"dmesg.timestamp:last", KIND_VALUE},
		{"kmsg.timestamp:BUG", KIND_VALUE},
		{"dmesg.bootstage:last", KIND_VALUE},
		{"stderr.time.fail", KIND_VALUE},
		{"dmesg.timestamp:x%", KIND_PERCENT},
		{"hackbench.failures", KIND_VALUE},
		{"", KIND_VALUE},
		{"%", KIND_PERCENT},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (metric_facts_of(cases[i].name).kind != cases[i].kind)
			fail_msg("%s is %s", cases[i].name,
				 kind_name(metric_facts_of(cases[i].name).kind));
	assert_direction("xfstests.btrfs.172.pass", DIRECTION_HIGHER);
	assert_direction("xfstests.btrfs.172.fail", DIRECTION_LOWER);
	assert_direction("dmesg.BUG:soft_lockup", DIRECTION_LOWER);
}

static void roles(void **state)
{
	static const struct {
		const char *name, *testcase;
		enum metric_role role;
	} cases[] = {
		{"hackbench.throughput", "hackbench", ROLE_PRIMARY},
		{"fio.write_iops", "fio-basic", ROLE_PRIMARY},
		{"fio.write_iops", "fio", ROLE_PRIMARY},
		{"fio.write_iops", "fiobasic", ROLE_MONITOR},
		{"fio-basic.x", "fio", ROLE_MONITOR},
		{"hackbench.time.elapsed_time", "hackbench", ROLE_MONITOR},
		{"hackbench.timer", "hackbench", ROLE_PRIMARY},
		{"perf-stat.i.ipc", "hackbench", ROLE_MONITOR},
		{"stress-ng.sock.ops", "stress-ng", ROLE_PRIMARY},
		{"will-it-scale.per_process_ops", "will-it-scale", ROLE_PRIMARY},
		{"xfstests.btrfs.172.fail", "xfstests", ROLE_FUNCTIONAL},
		{"dmesg.BUG:soft_lockup", "hackbench", ROLE_FUNCTIONAL},
		{"hackbench", "hackbench", ROLE_PRIMARY},
		{".x", "hackbench", ROLE_MONITOR},
		{"", "", ROLE_MONITOR},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct metric_facts f = metric_facts_of(cases[i].name);
		enum metric_role r = metric_role_in(&f, cases[i].name, cases[i].testcase);

		if (r != cases[i].role)
			fail_msg("%s in %s is %s", cases[i].name, cases[i].testcase, role_name(r));
	}
}

static void units(void **state)
{
	static const struct {
		const char *name, *unit;
	} cases[] = {
		{"hackbench.throughput", "KB/s"},
		{"fio.write_bw_MBps", "MB/s"},
		{"fio.write_clat_mean_ns", "ns"},
		{"dbench.max_latency", "ms"},
		{"hackbench.time.elapsed_time", "s"},
		{"meminfo.Active", "KiB"},
		{"proc-vmstat.nr_dirty", "pages"},
		{"mpstat.cpu.all.usr%", "%"},
		{"filebench.sum_time_ms/op", "ms"},
		{"turbostat.RAMWatt", "W"},
		{"what.ever_us", "us"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *unit = metric_facts_of(cases[i].name).unit;

		if (!unit)
			fail_msg("%s has no unit", cases[i].name);
		assert_string_equal(unit, cases[i].unit);
	}
	/* the name lies: no unit is told, and a sentence says why */
	assert_null(metric_facts_of("fio.write_slat_mean_us").unit);
	assert_non_null(strstr(metric_facts_of("fio.write_slat_mean_us").meaning, "nanoseconds"));
}

/* The reviewed list: what the programs of the robot and the usual monitors write, how it is to be
 * read, and whether one way is plainly better. */
static void reviewed(void **state)
{
	static const struct {
		const char *name;
		enum direction direction;
		const char *unit;
	} cases[] = {
		{"fio.read_bw_MBps", DIRECTION_HIGHER, "MB/s"},
		{"fio.write_iops", DIRECTION_HIGHER, "IO/s"},
		{"fio.job1.write_iops", DIRECTION_HIGHER, "IO/s"},
		{"fio.read_clat_mean_ns", DIRECTION_LOWER, "ns"},
		{"fio.read_clat_99%_ns", DIRECTION_LOWER, "ns"},
		{"fio.write_slat_mean_us", DIRECTION_LOWER, NULL},
		{"fio.write_slat_mean_ns", DIRECTION_LOWER, "ns"},
		{"fio.write_clat_stddev_us", DIRECTION_LOWER, "us"},
		{"fio.write_slat_stddev_us", DIRECTION_LOWER, "us"},
		{"fio.latency_250us%", DIRECTION_NONE, "%"},
		{"fio.workload", DIRECTION_NONE, "IOs"},
		{"hackbench.throughput_worst", DIRECTION_HIGHER, "KB/s"},
		{"hackbench.workload", DIRECTION_NONE, NULL},
		{"filebench.sum_operations", DIRECTION_NONE, "op"},
		{"filebench.sum_writes/s", DIRECTION_HIGHER, "op/s"},
		{"filebench.sum_time_ms/op", DIRECTION_LOWER, "ms"},
		{"vm-scalability.median", DIRECTION_HIGHER, "KB/s"},
		{"vm-scalability.stddev%", DIRECTION_LOWER, "%"},
		{"vm-scalability.workload", DIRECTION_NONE, NULL},
		{"netperf.Throughput_Mbps", DIRECTION_HIGHER, "Mbit/s"},
		{"netperf.ThroughputRecv_Mbps", DIRECTION_HIGHER, "Mbit/s"},
		{"netperf.Throughput_total_tps", DIRECTION_HIGHER, "1/s"},
		{"netperf.workload", DIRECTION_NONE, NULL},
		{"will-it-scale.104.processes", DIRECTION_HIGHER, "op"},
		{"will-it-scale.104.threads_idle", DIRECTION_NONE, "%"},
		{"will-it-scale.per_thread_ops", DIRECTION_HIGHER, "op"},
		{"will-it-scale.scalability", DIRECTION_HIGHER, NULL},
		{"will-it-scale.workload", DIRECTION_NONE, "op"},
		{"unixbench.score", DIRECTION_HIGHER, NULL},
		{"unixbench.Dhrystone_2_using_register_variables.index", DIRECTION_HIGHER, NULL},
		{"unixbench.throughput", DIRECTION_HIGHER, NULL},
		{"unixbench.workload", DIRECTION_NONE, NULL},
		{"dbench.throughput-MB/sec", DIRECTION_HIGHER, "MB/s"},
		{"dbench.max_latency", DIRECTION_LOWER, "ms"},
		{"tbench.throughput-MB/sec-avg", DIRECTION_HIGHER, "MB/s"},
		{"tbench.max_latency", DIRECTION_LOWER, "ms"},
		{"stress-ng.pipe.ops", DIRECTION_HIGHER, "op"},
		{"stress-ng.pipe.ops_per_sec", DIRECTION_HIGHER, "op/s"},
		{"stress-ng.pipe.real_time", DIRECTION_NONE, "s"},
		{"aim7.jobs-per-min", DIRECTION_HIGHER, "jobs/min"},
		{"reaim.jobs_per_min_child", DIRECTION_HIGHER, "jobs/min"},
		{"reaim.parent_time", DIRECTION_NONE, "s"},
		{"fsmark.files_per_sec", DIRECTION_HIGHER, "files/s"},
		{"fsmark.app_overhead", DIRECTION_LOWER, "us"},
		{"fsmark.FSUse%", DIRECTION_NONE, "%"},
		{"schbench.wakeup_latency_99.9%_us", DIRECTION_LOWER, "us"},
		{"schbench.average_rps", DIRECTION_HIGHER, "1/s"},
		{"cyclictest.max_latency", DIRECTION_LOWER, "us"},
		{"cyclictest.T0.cycles", DIRECTION_NONE, NULL},
		{"sysbench.throughput_events/s", DIRECTION_HIGHER, "1/s"},
		{"sysbench.latency_95th_ms", DIRECTION_LOWER, "ms"},
		{"sysbench.latency_sum_ms", DIRECTION_NONE, "ms"},
		{"sysbench.total_time", DIRECTION_NONE, "s"},
		{"iperf.tcp.receiver.bps", DIRECTION_HIGHER, "bit/s"},
		{"iperf.tcp.sender.retransmits", DIRECTION_LOWER, "segments"},
		{"perf-bench-sched-pipe.ops_per_sec", DIRECTION_HIGHER, "op/s"},
		{"perf-bench-futex.wakeup_latency_ms", DIRECTION_LOWER, "ms"},
		{"phoronix-test-suite.x.0.fps", DIRECTION_HIGHER, "frames/s"},
		{"phoronix-test-suite.x.0.seconds", DIRECTION_LOWER, "s"},
		{"fio.time.elapsed_time", DIRECTION_LOWER, "s"},
		{"fio.time.system_time", DIRECTION_NONE, "s"},
		{"fio.time.maximum_resident_set_size", DIRECTION_NONE, "KiB"},
		{"fio.time.voluntary_context_switches", DIRECTION_NONE, "switches"},
		{"fio.time.percent_of_cpu_this_job_got", DIRECTION_NONE, "%"},
		{"fio.time.exit_status", DIRECTION_NONE, NULL},
		{"perf-stat.i.branch-instructions", DIRECTION_NONE, "1/s"},
		{"perf-stat.i.branch-miss-rate%", DIRECTION_NONE, "%"},
		{"perf-stat.overall.ipc", DIRECTION_NONE, "1/cycle"},
		{"perf-stat.overall.MPKI", DIRECTION_NONE, "1/1000 instructions"},
		{"perf-stat.overall.path-length", DIRECTION_NONE, "instructions"},
		{"perf-stat.ps.minor-faults", DIRECTION_NONE, "1/s"},
		{"perf-stat.total.instructions", DIRECTION_NONE, NULL},
		{"perf-stat.i.metric.GHz", DIRECTION_NONE, "GHz"},
		{"perf-stat.i.cpu-clock", DIRECTION_NONE, NULL},
		{"vmstat.cpu.id", DIRECTION_NONE, "%"},
		{"vmstat.system.cs", DIRECTION_NONE, "1/s"},
		{"vmstat.memory.free", DIRECTION_NONE, "KiB"},
		{"vmstat.io.bo", DIRECTION_NONE, "KiB/s"},
		{"vmstat.procs.r", DIRECTION_NONE, "tasks"},
		{"mpstat.cpu.all.usr%", DIRECTION_NONE, "%"},
		{"mpstat.max_utilization_pct", DIRECTION_NONE, "%"},
		{"mpstat.max_utilization.seconds", DIRECTION_NONE, "s"},
		{"cpuidle..time", DIRECTION_NONE, "us"},
		{"cpuidle.C1E.time", DIRECTION_NONE, "us"},
		{"cpuidle..usage", DIRECTION_NONE, NULL},
		{"proc-vmstat.nr_active_anon", DIRECTION_NONE, "pages"},
		{"proc-vmstat.pgfault", DIRECTION_NONE, "faults"},
		{"proc-vmstat.pgpgin", DIRECTION_NONE, "KiB"},
		{"proc-vmstat.pgalloc_normal", DIRECTION_NONE, "pages"},
		{"proc-vmstat.numa_hint_faults_local", DIRECTION_NONE, "faults"},
		{"proc-vmstat.numa_hit", DIRECTION_NONE, "pages"},
		{"proc-vmstat.compact_fail", DIRECTION_NONE, NULL},
		{"meminfo.Active(anon)", DIRECTION_NONE, "KiB"},
		{"meminfo.HugePages_Free", DIRECTION_NONE, "pages"},
		{"numa-meminfo.node0.Slab", DIRECTION_NONE, "KiB"},
		{"numa-meminfo.node0.HugePages_Total", DIRECTION_NONE, "pages"},
		{"numa-vmstat.node1.nr_dirty", DIRECTION_NONE, "pages"},
		{"numa-vmstat.node1.numa_local", DIRECTION_NONE, "pages"},
		{"numa-numastat.node0.other_node", DIRECTION_NONE, "pages"},
		{"turbostat.Busy%", DIRECTION_NONE, "%"},
		{"turbostat.CPU%c1", DIRECTION_NONE, "%"},
		{"turbostat.Avg_MHz", DIRECTION_NONE, "MHz"},
		{"turbostat.PkgWatt", DIRECTION_NONE, "W"},
		{"turbostat.PkgTmp", DIRECTION_NONE, "C"},
		{"turbostat.IRQ", DIRECTION_NONE, NULL},
		{"sched_debug.cpu.nr_switches.avg", DIRECTION_NONE, "switches"},
		{"sched_debug.cfs_rq:/.nr_running.max", DIRECTION_NONE, "tasks"},
		{"sched_debug.cfs_rq:/.load_avg.stddev", DIRECTION_NONE, NULL},
		{"sched_debug.sched_clk", DIRECTION_NONE, NULL},
		{"perf-profile.self.cycles-pp.memcpy", DIRECTION_NONE, "%"},
		{"perf-profile.calltrace.cycles-pp.x.y", DIRECTION_NONE, "%"},
		{"perf-sched.wait_time.avg.ms.pipe_read", DIRECTION_NONE, "ms"},
		{"perf-sched.wait_and_delay.count.pipe_read", DIRECTION_NONE, NULL},
		{"iostat.cpu.idle", DIRECTION_NONE, "%"},
		{"iostat.nvme0n1.rkB/s", DIRECTION_NONE, "kB/s"},
		{"iostat.nvme0n1.w/s", DIRECTION_NONE, "1/s"},
		{"iostat.nvme0n1.w_await", DIRECTION_NONE, "ms"},
		{"iostat.nvme0n1.%util", DIRECTION_NONE, "%"},
		{"iostat.nvme0n1.aqu-sz", DIRECTION_NONE, "requests"},
		{"slabinfo.kmalloc-512.active_objs", DIRECTION_NONE, "objects"},
		{"slabinfo.kmalloc-512.num_slabs", DIRECTION_NONE, "slabs"},
		{"softirqs.CPU0.RCU", DIRECTION_NONE, NULL},
		{"interrupts.CPU0.LOC:Local_timer_interrupts", DIRECTION_NONE, NULL},
		{"interrupts.CPU10.NMI:Non-maskable_interrupts", DIRECTION_NONE, NULL},
		{"boot-time.boot", DIRECTION_NONE, "s"},
		{"uptime.boot", DIRECTION_NONE, "s"},
		{"latency_stats.sum.pipe_wait", DIRECTION_NONE, "us"},
		{"kernel-size.text", DIRECTION_NONE, "B"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct metric_facts f = metric_facts_of(cases[i].name);

		if (!*f.rule)
			fail_msg("%s: no rule", cases[i].name);
		if (f.direction != cases[i].direction)
			fail_msg("%s: %s by %s", cases[i].name, direction_name(f.direction),
				 f.rule);
		if (cases[i].unit ? !f.unit || strcmp(f.unit, cases[i].unit) != 0 : f.unit != NULL)
			fail_msg("%s is in %s by %s", cases[i].name, f.unit, f.rule);
	}
}

static void parts_of_a_name(void **state)
{
	struct metric_facts f = metric_facts_of("hackbench.time.user_time");

	(void)state;
	assert_int_equal(f.prefix_len, 9);
	assert_true(f.is_time);
	assert_false(f.is_profile);
	f = metric_facts_of("perf-profile.children.cycles-pp.x.time.y");
	assert_int_equal(f.prefix_len, 12);
	assert_false(f.is_time);
	assert_true(f.is_profile);
	f = metric_facts_of("workload");
	assert_int_equal(f.prefix_len, 8);
	assert_false(metric_facts_of("perf-profile").is_profile);
}

static void words(void **state)
{
	(void)state;
	assert_string_equal(direction_name(DIRECTION_NONE), "none");
	assert_string_equal(direction_name(DIRECTION_HIGHER), "higher");
	assert_string_equal(direction_name(DIRECTION_LOWER), "lower");
	assert_string_equal(direction_words(DIRECTION_HIGHER), "higher is better");
	assert_string_equal(direction_words(DIRECTION_LOWER), "lower is better");
	assert_string_equal(kind_name(KIND_VALUE), "value");
	assert_string_equal(kind_name(KIND_PERCENT), "percent");
	assert_string_equal(kind_name(KIND_FUNCTIONAL), "functional");
	assert_string_equal(role_name(ROLE_PRIMARY), "primary");
	assert_string_equal(role_name(ROLE_MONITOR), "monitor");
	assert_string_equal(role_name(ROLE_FUNCTIONAL), "functional");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs),           cmocka_unit_test(higher_is_better),
		cmocka_unit_test(lower_is_better), cmocka_unit_test(no_direction),
		cmocka_unit_test(kinds),           cmocka_unit_test(roles),
		cmocka_unit_test(units),           cmocka_unit_test(parts_of_a_name),
		cmocka_unit_test(words),           cmocka_unit_test(reviewed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metric_rules", tests, NULL, NULL);
}
