/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the robot's parsers make of programs' outputs, and what only outputs of other versions and
 * settings show: each text is one that a program printed, the names and figures are the robot's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void read_text(struct raw *r, const char *format, const char *text, const char *testcase)
{
	int e = raw_run(r, format, text, strlen(text), testcase);

	if (e != E_OK)
		raw_fail("%s", r->ctx.detail);
	r->bytes = NULL;
}

/* --- perf stat -I --- */

/* Two kinds of processors are one event; the last interval, which was not a whole one, counts in
 * sums and not in the mean of intervals. */
static void test_perf_stat_hybrid(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "perf-stat.total.cpu-cycles", 37093992959, ""},
		{0, "perf-stat.total.cpu_atom/cpu-cycles/", 476640680, ""},
		{0, "perf-stat.total.context-switches", 76359, ""},
		{0, "perf-stat.ps.cpu-cycles", 12315634485.637722, "1/s"},
		{0, "perf-stat.ps.context-switches", 25352.07074439912, "1/s"},
		{0, "perf-stat.i.cpu-cycles", 13027720341.639011, "1/s"},
		{0, "perf-stat.i.context-switches", 24716.905699075527, "1/s"},
		{0, "perf-stat.i.major-faults", 0, "1/s"},
		{0, "perf-stat.i.ipc", 1.4497386048957708, ""},
		{0, "perf-stat.i.cpi", 0.6923336749105149, ""},
		{0, "perf-stat.i.cache-miss-rate%", 35.10047608691539, "%"},
		{0, "perf-stat.overall.ipc", 1.3942861992281537, ""},
		{0, "perf-stat.overall.cache-miss-rate%", 32.23145121525449, "%"},
		{0, "perf-stat.overall.branch-miss-rate%", 5.86780789419616, "%"},
		{0, "perf-stat.overall.MPKI", 0.49681540280103564, ""},
		{0, "perf-stat.overall.cycles-between-cache-misses", 1443.6204297587303, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "perf-stat", "perf-stat-hybrid.csv");
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* Translation buffers and nodes count hits and misses apart: the rate is of both. */
static void test_perf_stat_rates(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "perf-stat.overall.dTLB-load-miss-rate%", 100.0 * 2 / 10, "%"},
		{0, "perf-stat.overall.iTLB-load-miss-rate%", 100.0 * 3 / 4, "%"},
		{0, "perf-stat.overall.instructions-per-iTLB-miss", 300, ""},
		{0, "perf-stat.overall.branch-miss-rate%", 5, "%"},
		{0, "perf-stat.i.branch-miss-rate%", 5, "%"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "perf-stat",
		  "1.0,900,,instructions,1000,100.00,,\n1.0,0,,cycles,1000,100.00,,\n"
		  "1.0,8,,dTLB-loads,1000,100.00,,\n1.0,2,,dTLB-load-misses,1000,100.00,,\n"
		  "1.0,1,,iTLB-loads,1000,100.00,,\n1.0,3,,iTLB-load-misses,1000,100.00,,\n"
		  "1.0,0,,node-loads,1000,100.00,,\n1.0,0,,node-load-misses,1000,100.00,,\n"
		  "1.0,200,,branches,1000,100.00,,\n1.0,10,,branch-misses,1000,100.00,,\n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	assert_true(isnan(raw_value(&r, 0, 0, "perf-stat.overall.node-load-miss-rate%")));
	assert_true(isnan(raw_value(&r, 0, 0, "perf-stat.overall.cpi"))); /* no cycles */
	raw_end(&r);
}

/* An event that only the first of two outputs has is not there in the second. */
static void test_perf_stat_two_outputs(void **state)
{
	struct raw r;

	(void)state;
	read_text(&r, "perf-stat",
		  "2.0,900,,instructions,1000,100.00,,\n2.0,20,,faults,1000,100.00,,\n"
		  "1.0,800,,instructions,1000,100.00,,\n",
		  NULL);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "perf-stat.ps.faults") == 10);
	assert_true(raw_value(&r, 0, 1, "perf-stat.ps.instructions") == 800);
	assert_int_equal(raw_metrics(&r, 0, 1), 3);
	raw_end(&r);
}

/* --- perf bench --- */

/* Newer versions group the digits. */
static void test_perf_bench_grouped(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "perf-bench.syscall-basic.ops_per_sec", 2344982, "ops/s"},
		{0, "perf-bench.syscall-basic.usecs_per_op", 0.426443, "us"},
		{0, "perf-bench.syscall-getpgid.ops_per_sec", 2659456, "ops/s"},
		{0, "perf-bench.futex-hash.ops/s", 2189312, "ops/s"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "perf-bench",
		  "# Running 'syscall/basic' benchmark:\n# Executed 10,000,000 getppid() calls\n"
		  "     Total time: 4.264 [sec]\n\n       0.426443 usecs/op\n      2,344,982 "
		  "ops/sec\n\n"
		  "# Running syscall/getpgid benchmark...\n# Executed 10,000,000 getpgid() calls\n"
		  "     Total time: 3.760 [sec]\n\n       0.376017 usecs/op\n      2,659,456 "
		  "ops/sec\n"
		  "# Running 'futex/hash' benchmark:\n"
		  "Averaged 2,189,312 operations/sec (+- 2.48%), total secs = 1\n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* As the robot's own script logs it: without what perf says first. */
static void test_perf_bench_without_heads(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "perf-bench-syscall.getppid.total_time_sec", 1.234, "s"},
		{0, "perf-bench-syscall.getppid.usecs_per_op", 0.1234, "us"},
		{0, "perf-bench-syscall.getppid.ops_per_sec", 8103727, "ops/s"},
		{0, "perf-bench-syscall.execve.total_time_sec", 1.567, "s"},
		{0, "perf-bench-syscall.execve.usecs_per_op", 156.7, "us"},
		{0, "perf-bench-syscall.execve.ops_per_sec", 6382, "ops/s"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "perf-bench",
		  "# Executed 10000000 getppid() calls\n     Total time: 1.234 [sec]\n\n"
		  "       0.123400 usecs/op\n     8103727 ops/sec\n\n"
		  "# Executed 10000 execve() calls\n     Total time: 1.567 [sec]\n\n"
		  "     156.700000 usecs/op\n        6382 ops/sec\n",
		  "perf-bench-syscall");
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(raw_metrics(&r, 0, 0), 6);
	raw_end(&r);
}

static void test_perf_bench_memory(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "perf-bench-mem.memcpy.default.GB_per_sec", 8.24531, "GB/s"},
		{0, "perf-bench-mem.memcpy.x86-64-movsq.GB_per_sec", 12.328273, "GB/s"},
		{0, "perf-bench-mem.memset.default.GB_per_sec", 10.512233, "GB/s"},
	};
	struct raw r;

	(void)state;
	read_text(
		&r, "perf-bench",
		"# Running 'mem/memcpy' benchmark:\n# function 'default' (Default memcpy() "
		"provided by glibc)\n# Copying 1MB bytes ...\n\n       8.245310 GB/sec\n\n"
		"# function 'x86-64-movsq' (movsq-based memcpy() in "
		"arch/x86/lib/memcpy_64.S)\n# Copying 1MB bytes ...\n\n      12.328273 "
		"GB/sec\n\n# Running 'mem/memset' benchmark:\n# function 'default' (Default "
		"memset() provided by glibc)\n# Copying 1MB bytes ...\n\n      10.512233 GB/sec\n",
		"perf-bench-mem");
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 1);
	raw_end(&r);
}

static void test_perf_bench_messaging(void **state)
{
	struct raw r;

	(void)state;
	read_text(&r, "perf-bench",
		  "# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes per "
		  "group\n# 10 groups == 400 processes run\n\n     Total time: 0.055 [sec]\n",
		  "perf-bench-sched-messaging");
	assert_true(raw_value(&r, 0, 0, "perf-bench-sched-messaging.total_time_sec") == 0.055);
	raw_end(&r);
}

/* --- schbench --- */

#define SCHBENCH(n, p50, p99, min, max, rps)                                                       \
	"Instance: " n "\nIteration : 1\n2026-07-21 10:00:00 ./schbench -m 1 -t 128 -r 10\n"       \
	"warmup done, zeroing stats\n"                                                             \
	"Wakeup Latencies percentiles (usec) runtime 10 (s) (100 total samples)\n"                 \
	"\t  50.0th: " p50 "          (50 samples)\n\t* 99.0th: " p99 "          (50 samples)\n"   \
	"\t  min=" min ", max=" max "\naverage rps: " rps "\n"

/* Several at once are one run: the mean, and each by itself. */
static void test_schbench_instances(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "schbench.wakeup_latency_50%_us", 27.5, "us"},
		{0, "schbench.wakeup_latency_99%_us", 49.5, "us"},
		{0, "schbench.wakeup_latency_min_us", 5.5, "us"},
		{0, "schbench.wakeup_latency_max_us", 110, "us"},
		{0, "schbench.average_rps", 8800, "requests/s"},
		{0, "schbench.wakeup_latency_50%_us.instance1", 5, "us"},
		{0, "schbench.wakeup_latency_50%_us.instance2", 50, "us"},
		{0, "schbench.wakeup_latency_max_us.instance2", 200, "us"},
		{0, "schbench.average_rps.instance1", 16000, "requests/s"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "schbench",
		  SCHBENCH("1", "5", "9", "1", "20", "16000.00")
			  SCHBENCH("2", "50", "90", "10", "200", "1600.00"),
		  NULL);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 1);
	raw_end(&r);
	/* the same instances again: another run; one instance alone has no names of its own */
	read_text(&r, "schbench",
		  SCHBENCH("1", "5", "9", "1", "20", "16000.00")
			  SCHBENCH("1", "50", "90", "10", "200", "1600.00"),
		  NULL);
	assert_true(isnan(raw_value(&r, 0, 0, "schbench.average_rps.instance1")));
	assert_true(raw_value(&r, 0, 0, "schbench.average_rps") == 16000);
	raw_end(&r);
}

/* A mail program's: U+2002 in front, U+202F and U+3000 between. */
static void test_schbench_typographic_spaces(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "schbench.wakeup_latency_50%_us", 6, "us"},
		{0, "schbench.wakeup_latency_99%_us", 29, "us"},
		{0, "schbench.wakeup_latency_max_us", 4741, "us"},
		{0, "schbench.wakeup_samples", 1698990, "samples"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "schbench",
		  "> Wakeup Latencies percentiles (usec) runtime 100 (s) (1698990 total samples)\n"
		  "> \xe2\x80\x82\xe2\x80\x82 50.0th: 6\xe2\x80\xaf\xe3\x80\x80(429125 samples)\n"
		  "> \xe2\x80\x82\xe2\x80\x89* 99.0th: 29     (126695 samples)\n"
		  "> \xe2\x80\x82\xe2\x80\x82 min=1, max=4741\n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* --- reaim, fs_mark, stress-ng --- */

#define REAIM_HEAD                                                                                 \
	"Num     Parent   Child   Child  Jobs per   Jobs/min/  Std_dev  Std_dev  JTI\n"            \
	"Forked  Time     SysTime UTime   Minute     Child      Time     Percent \n"

/* The best of the table stands for the line that was not printed; how much was done in all is what
 * the command asked for: (8 + 16 tasks) * 100 jobs * 2 times. */
static void test_reaim_command(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "reaim.max_jobs_per_min", 40000, "jobs/min"},
		{0, "reaim.workload", 4800, "jobs"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "reaim",
		  "2020-06-08 08:30:31 ./reaim -s8 -e16 -i8 -f workfile.short -r2 -j100\n"
		  "REAIM Workload\nTimes are in seconds - Child times from tms.cstime and "
		  "tms.cutime\n\n" REAIM_HEAD
		  "8       1.00     0.10    0.90    30000.00   3750.00    0.01     1.00     99  \n"
		  "16      1.50     0.10    0.90    40000.00   2500.00    0.01     1.00     99  \n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

static void test_fsmark_summary(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fsmark.files_per_sec", 8324.8, "files/s"},
		{0, "fsmark.app_overhead", 390190, "us"},
		{0, "fsmark.average_files_per_sec", 8324, "files/s"},
		{0, "fsmark.p50_files_per_sec", 8323, "files/s"},
		{0, "fsmark.p99_files_per_sec", 8325, "files/s"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "fsmark",
		  "#  fs_mark  -d  /fs/sda1/1  -D  16  -N  256  -n  1600  -L  1  -S  1  -s  8192\n"
		  "#       Version 3.3, 32 thread(s) starting at Mon Jun  7 09:52:25 2021\n"
		  "#       Files info: size 8192 bytes, written with an IO size of 16384 bytes per "
		  "write\n\nFSUse%        Count         Size    Files/sec     App Overhead\n"
		  "     5        51200         8192       8324.8           390190\n"
		  "Average Files/sec:       8324.0\np50 Files/sec: 8323\np90 Files/sec: 8324\n"
		  "p99 Files/sec: 8325\n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(raw_metrics(&r, 0, 0), 9);
	raw_end(&r);
}

#define STRESS "stress-ng: metrc: [13626] "

static void test_stress_ng_words(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "stress-ng.dentry.ops", 460800, "bogo ops"},
		{0, "stress-ng.dentry.ops_per_sec", 4520.60, "bogo ops/s"},
		{0, "stress-ng.dentry.nanosecs_per_file_creation", 75441.84, "ns"},
		{0, "stress-ng.dentry.directory_entries_allocated", 650354, ""},
		{0, "stress-ng.dentry.bogus_negative_directory_entries_accessed", 7168, ""},
		{0, "stress-ng.dentry.nanosecs_per_call_excluding_test_overhead", 120.82, "ns"},
		{0, "stress-ng.stream.memory_rate_MB_per_sec", 5372.21, "MB/s"},
		{0, "stress-ng.stream.memory_rate_Mflop_per_sec", 2148.88, ""},
		{0, "stress-ng.matrix-3d.add_matrix-3d_ops_per_sec", 60.43, ""},
		{0, "stress-ng.udp-flood.%_sendto_calls_succeeded", 100, "%"},
		{0, "stress-ng.physmmap./dev/kmem_mmaps_succeed", 40704, ""},
		{0, "stress-ng.dentry.pass", 1, ""},
	};
	struct raw r;

	(void)state;
	read_text(
		&r, "stress-ng",
		"stress-ng: info:  [13626] dispatching hogs: 224 dentry\n" STRESS
		"stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s "
		"CPU used per       RSS Max\n" STRESS
		"                          (secs)    (secs)    (secs)   (real time) (usr+sys time) "
		"instance (%)          (KB)\n" STRESS "dentry           460800    101.93      1.83 "
		" 19870.79      4520.60          23.19  "
		"      87.03          1828\n" STRESS "miscellaneous metrics:\n" STRESS
		"dentry             75441.84 nanosecs per file creation (harmonic mean of 224 "
		"instances)\n" STRESS
		"dentry            650354.00 directory entries allocated (maximum of 224 "
		"instances)\n" STRESS
		"dentry              7168.00 bogus (negative) directory entries accessed (maximum "
		"of 224 instances)\n" STRESS
		"dentry               120.82 nanosecs per call (excluding test overhead (harmonic "
		"mean of 224 instances)\n" STRESS
		"stream          5372.21 memory rate (MB per sec) (average per stressor)\n" STRESS
		"stream          2148.88 memory rate (Mflop per sec) (average per "
		"stressor)\n" STRESS
		"matrix-3d             60.43 add matrix-3d ops per sec (geometic mean of 128 "
		"instances)\n" STRESS
		"udp-flood            100.00 % sendto calls succeeded (geometric mean of 128 "
		"instances)\n" STRESS
		"physmmap           40704.00 /dev/kmem mmaps succeed (total of "
		"256 instances)\n",
		NULL);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* It did not get as far as a table. */
static void test_stress_ng_broken(void **state)
{
	struct raw r;

	(void)state;
	read_text(&r, "stress-ng",
		  "stress-ng: fail:  [5778] stress-ng: sigaction signal 6 'SIGABRT': errno=22 "
		  "(Invalid argument)\n",
		  NULL);
	assert_true(raw_value(&r, 0, 0, "stress-ng.sigaction.fail") == 1);
	assert_int_equal(raw_metrics(&r, 0, 0), 1);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schbench_typographic_spaces),
		cmocka_unit_test(test_perf_stat_hybrid),
		cmocka_unit_test(test_perf_stat_rates),
		cmocka_unit_test(test_perf_stat_two_outputs),
		cmocka_unit_test(test_perf_bench_grouped),
		cmocka_unit_test(test_perf_bench_without_heads),
		cmocka_unit_test(test_perf_bench_memory),
		cmocka_unit_test(test_perf_bench_messaging),
		cmocka_unit_test(test_schbench_instances),
		cmocka_unit_test(test_reaim_command),
		cmocka_unit_test(test_fsmark_summary),
		cmocka_unit_test(test_stress_ng_words),
		cmocka_unit_test(test_stress_ng_broken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_robot", tests, NULL, NULL);
}
