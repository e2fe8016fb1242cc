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
		cmocka_unit_test(words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metric_rules", tests, NULL, NULL);
}
