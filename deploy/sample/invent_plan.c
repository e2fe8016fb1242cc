/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of the invented year: boxes, tests, metrics, and all that happens in it. Whoever judges
 * the year is held against these tables (through --truth), so a line here is a promise.
 */
#include "deploy/sample/invent_year.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct year_box year_boxes[] = {
	{"year-icl-2sp1", "SE5C620.86B.0X.02", "0xd0003b9", 1.00, 0.4, 0.95},
	{"year-csl-2sp2", "SE5C610.86B.0X.01", "0x5003604", 0.81, 1.0, 0.80},
	{"year-skl-d03", "KBE-1.54", "0xf4", 0.34, 4.0, 0.60}, /* the noisy one */
	{"year-hsw-d04", "A19", "0x28", 0.22, 1.0, 0.70},      /* drifts, then falls silent */
};
const size_t year_nboxes = COUNT(year_boxes);

enum { ICL, CSL, SKL, HSW };
enum { HACKBENCH, SCALE, FIO, VM };

const struct year_test year_tests[] = {
	{"hackbench",
	 "ipc",
	 "socket",
	 {
		 {"hackbench.throughput", SHAPE_LEVEL, 478000, .006, .002, 1},
		 {"hackbench.throughput_worst", SHAPE_LEVEL, 441000, .015, .004, 1},
		 {"hackbench.time.elapsed_time", SHAPE_LEVEL, 148.9, .008, .002, -1},
		 {"hackbench.time.voluntary_context_switches", SHAPE_WHOLE, 3.1e6, .03, .01, 1},
		 {"hackbench.time.page_size", SHAPE_CONSTANT, 4096, 0, 0, 0},
		 {"dmesg.invented_clocksource_is_flaky", SHAPE_FAILS, .01, 0, 0, 0},
	 },
	 15},
	{"will-it-scale",
	 "test",
	 "page_fault1",
	 {
		 {"will-it-scale.per_process_ops", SHAPE_WHOLE, 206000, .004, .0015, 1},
		 {"will-it-scale.per_thread_ops", SHAPE_MODES, 91000, .006, .002, 1},
		 {"will-it-scale.scalability", SHAPE_LEVEL, .73, .01, .003, 0},
		 {"will-it-scale.time.system_time", SHAPE_LEVEL, 11450, .004, .001, 0},
		 {"dmesg.WARNING:at_mm/invented.c:#invented_check", SHAPE_FAILS, 0, 0, 0, 0},
		 {"dmesg.invented_clocksource_is_flaky", SHAPE_FAILS, .01, 0, 0, 0},
	 },
	 15},
	{"fio-basic",
	 "rw",
	 "randread",
	 {
		 {"fio.read_iops", SHAPE_LEVEL, 310400, .008, .003, 1},
		 {"fio.read_bw_MBps", SHAPE_LEVEL, 1212, .008, .003, 1},
		 {"fio.read_clat_mean_us", SHAPE_LEVEL, 204.1, .008, .003, -1},
		 {"fio.read_clat_99%_us", SHAPE_WHOLE, 733, .02, .004, -1},
		 {"fio.latency_250us%", SHAPE_PERCENT, 61.5, .5, .2, 0},
		 {"fio.latency_50ms%", SHAPE_PERCENT, .04, .02, .005, 0},
		 {"fio.time.file_system_inputs", SHAPE_WHOLE, 5.2e6, .008, .003, 1},
	 },
	 15},
	{"vm-scalability",
	 "test",
	 "lru-file-mmap-read",
	 {
		 {"vm-scalability.throughput", SHAPE_LEVEL, 27.4e6, .007, .002, 1},
		 {"vm-scalability.median", SHAPE_LEVEL, 412000, .009, .003, 1},
		 {"vm-scalability.stddev%", SHAPE_PERCENT, 7.2, .8, .2, 0},
		 {"vm-scalability.time.minor_page_faults", SHAPE_WHOLE, 8.8e6, .002, .0005, 1},
	 },
	 7},
};
const size_t year_ntests = COUNT(year_tests);

static const struct year_metric monitors[] = {
	{"perf-stat.i.instructions", SHAPE_LEVEL, 8.1e6, .01, .003, 0},
	{"perf-stat.i.cache-misses", SHAPE_LEVEL, 41200, .03, .01, 0},
	{"perf-stat.overall.ipc", SHAPE_LEVEL, .83, .005, .002, 0},
	{"perf-stat.i.branch-miss-rate%", SHAPE_PERCENT, 1.4, .03, .01, 0},
	{"vmstat.system.cs", SHAPE_WHOLE, 624000, .015, .004, 0},
	{"vmstat.system.in", SHAPE_WHOLE, 188000, .01, .003, 0},
	{"vmstat.procs.r", SHAPE_WHOLE, 96, .006, 0, 0},
	{"vmstat.cpu.sy", SHAPE_WHOLE, 71, .008, .002, 0},
	{"mpstat.cpu.all.usr%", SHAPE_PERCENT, 6.1, .15, .05, 0},
	{"mpstat.cpu.all.irq%", SHAPE_PERCENT, .72, .02, .005, 0},
	{"turbostat.PkgWatt", SHAPE_LEVEL, 331.5, .004, .001, 0},
	{"turbostat.Avg_MHz", SHAPE_WHOLE, 2610, .004, .001, 0},
	{"turbostat.C1%", SHAPE_PERCENT, 2.3, .2, .05, 0},
	{"meminfo.Active(anon)", SHAPE_WHOLE, 391000, .03, .01, 0},
	{"meminfo.AnonPages", SHAPE_WHOLE, 402000, .02, .006, 0},
	{"meminfo.Slab", SHAPE_WHOLE, 258000, .01, .004, 0},
	{"meminfo.HugePages_Rsvd", SHAPE_CONSTANT, 0, 0, 0, 0},
	{"meminfo.Hugepagesize", SHAPE_CONSTANT, 2048, 0, 0, 0},
	{"proc-vmstat.pgfault", SHAPE_WHOLE, 2.9e6, .01, .004, 0},
	{"proc-vmstat.pgmigrate_success", SHAPE_WHOLE, 61000, .03, .01, 0},
	{"proc-vmstat.thp_split_page", SHAPE_RARE, .7, 0, 0, 0},
	{"proc-vmstat.compact_stall", SHAPE_RARE, .12, 0, 0, 0},
	{"proc-vmstat.nr_dirtied", SHAPE_WHOLE, 1470, .03, .01, 0},
	{"sched_debug.cfs_rq:/.load.avg", SHAPE_LEVEL, 12950, .03, .01, 0},
	{"sched_debug.cpu.clock.stddev", SHAPE_LEVEL, 1.9, .03, .01, 0},
	{"slabinfo.kmalloc-512.active_objs", SHAPE_WHOLE, 51800, .01, .004, 0},
	{"slabinfo.filp.active_objs", SHAPE_WHOLE, 20950, .02, .006, 0},
	{"softirqs.RCU", SHAPE_WHOLE, 1.2e6, .02, .006, 0},
	{"softirqs.SCHED", SHAPE_WHOLE, 733000, .02, .006, 0},
	{"interrupts.CAL:Function_call_interrupts", SHAPE_WHOLE, 88400, .03, .01, 0},
	{"perf-profile.self.cycles-pp.clear_page_erms", SHAPE_PERCENT, 11.8, .3, .1, 0},
	{"perf-profile.self.cycles-pp.native_queued_spin_lock_slowpath", SHAPE_PERCENT, 4.4, .3, .1,
	 0},
	{"boot-time.boot", SHAPE_LEVEL, 38.2, .02, .005, 0},
};

const struct year_step year_steps[] = {
	{24, YEAR_ALL, HACKBENCH, "hackbench.throughput", .872, 41, false},
	{24, YEAR_ALL, HACKBENCH, "hackbench.time.elapsed_time", 1.147, 41, false},
	{24, YEAR_ALL, HACKBENCH, "vmstat.system.cs", .86, 41, false},
	{52, YEAR_ALL, FIO, "fio.read_iops", 1.052, YEAR_ALL, false},
	{52, YEAR_ALL, FIO, "fio.read_bw_MBps", 1.052, YEAR_ALL, false},
	{52, YEAR_ALL, FIO, "fio.read_clat_mean_us", .951, YEAR_ALL, false},
	{68, CSL, SCALE, "will-it-scale.per_process_ops", .94, YEAR_ALL, false},
	{85, YEAR_ALL, HACKBENCH, "hackbench.throughput", 1.03, YEAR_ALL, false},
	{110, YEAR_ALL, FIO, "fio.read_clat_99%_us", 1.30, YEAR_ALL, false},
	{118, YEAR_ALL, VM, "vm-scalability.throughput", .985, YEAR_ALL, false},
	{126, YEAR_ALL, HACKBENCH, "slabinfo.filp.active_objs", 1.25, YEAR_ALL, false},
	{126, YEAR_ALL, SCALE, "slabinfo.filp.active_objs", 1.25, YEAR_ALL, false},
	{126, YEAR_ALL, FIO, "slabinfo.filp.active_objs", 1.25, YEAR_ALL, false},
	{126, YEAR_ALL, VM, "slabinfo.filp.active_objs", 1.25, YEAR_ALL, false},
	/* too small to matter: nobody should hear of it */
	{140, YEAR_ALL, SCALE, "will-it-scale.per_process_ops", .992, YEAR_ALL, false},
	{150, ICL, HACKBENCH, "hackbench.throughput", .975, YEAR_ALL, false},
	{160, YEAR_ALL, VM, "vm-scalability.median", .80, 166, false},
	{180, ICL, FIO, "fio.read_iops", .957, 240, false},
	{188, YEAR_ALL, FIO, "fio.latency_250us%", 4, YEAR_ALL, false},
	{199, YEAR_ALL, SCALE, "will-it-scale.per_process_ops", 1.11, YEAR_ALL, false},
	{215, YEAR_ALL, HACKBENCH, "hackbench.throughput", .953, YEAR_ALL, false},
	{222, YEAR_ALL, SCALE, "dmesg.WARNING:at_mm/invented.c:#invented_check", .6, 262, true},
	{233, SKL, VM, "vm-scalability.throughput", .93, YEAR_ALL, false},
	{247, YEAR_ALL, FIO, "fio.read_iops", .918, 281, true},
	{247, YEAR_ALL, FIO, "fio.read_bw_MBps", .918, 281, true},
	{258, YEAR_ALL, VM, "proc-vmstat.thp_split_page", 5, YEAR_ALL, false},
	{270, YEAR_ALL, HACKBENCH, "hackbench.throughput", .90, YEAR_ALL, false},
	{288, YEAR_ALL, SCALE, "will-it-scale.per_process_ops", .966, YEAR_ALL, false},
};
const size_t year_nsteps = COUNT(year_steps);

const struct year_drift year_drifts[] = {
	{60, 240, HSW, HACKBENCH, "hackbench.throughput", -.00025},
	{60, 240, HSW, HACKBENCH, "hackbench.throughput_worst", -.00025},
};
const size_t year_ndrifts = COUNT(year_drifts);

const struct year_event year_events[] = {
	[EVENT_MICROCODE] = {170, YEAR_ALL, CSL, "microcode", "0x5003604", "0x5003707", "levels"},
	[EVENT_CMDLINE] = {205, YEAR_ALL, ICL, "cmdline", "ro console=ttyS0,115200",
			   "ro console=ttyS0,115200 nowatchdog", "none"},
	[EVENT_BAD_RIG] = {96, 101, ICL, "rig_version", "1.8", "1.9-rc1", "bad-values"},
};
const size_t year_nevents = COUNT(year_events);

const struct year_patch year_patches[] = {
	{230, 1, "year-slab-cut", "slab: invented: cut the partial list", HACKBENCH,
	 "hackbench.throughput", 1.00},
	{262, 1, "year-iops-fix-v1", "block: invented: give the plug back", FIO, "fio.read_iops",
	 1.05},
	{262, 2, "year-iops-fix-v2", "block: invented: give the plug back", FIO, "fio.read_iops",
	 1.0893},
	{284, 1, "year-faults", "mm: invented: batch the fault path", SCALE,
	 "will-it-scale.per_process_ops", .955},
};
const size_t year_npatches = COUNT(year_patches);

/* Fills a test up to YEAR_METRICS: counters without a story. */
static struct year_metric filler(size_t test, size_t m, char name[64])
{
	static const double levels[] = {14, 210, 3300, 47000, 580000};
	struct year_metric f = {.name = name, .shape = SHAPE_WHOLE, .within = .02, .between = .005};

	snprintf(name, 64, "proc-vmstat.invented_%02zu", m);
	f.level = levels[(m * 7 + test) % COUNT(levels)] * (1 + .09 * (double)(m % 11));
	return f;
}

struct year_metric year_metric(size_t test, size_t m, char name[64])
{
	const struct year_metric *own = year_tests[test].own;
	size_t n = 0;

	while (n < COUNT(year_tests[test].own) && own[n].name)
		n++;
	if (m < n)
		return own[m];
	return m - n < COUNT(monitors) ? monitors[m - n] : filler(test, m, name);
}
