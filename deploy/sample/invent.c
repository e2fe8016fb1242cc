/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The invented lab: boxes, tests and commits that never were, with steps planted at known commits,
 * written as NDJSON in the native upload form. Seeded: the same options give the same bytes on
 * every machine. It fills the sample lab with something to click on, and the benchmarks with as
 * much as they want.
 *
 *   invent [--seed N] [--commits N] [--runs N] [--metrics N] [--boxes N] [--tests N] [--truth]
 *   invent --year [--seed N] [--truth]
 *
 * Everything it writes says that it is invented: tree, subject, info. --truth prints the planted
 * steps instead: "commit metric factor" a line. --year writes another lab: a year with a plan
 * (invent_plan.c), whose truth is JSON; of the options only the seed counts there.
 */
#include "deploy/sample/invent.h"

#include <math.h>

#include "server/base/num.h"

/* The one box that tells its boots, one a submission: of what it measured nothing is more than
 * suspect. The others do not tell. */
#define BOX_OF_BOOTS 1

struct options {
	uint64_t seed;
	long commits, runs, metrics, boxes, tests;
	bool truth, year;
};

static const struct test {
	const char *testcase, *axis, *value;
	const char *primary[4];
} tests[] = {
	{"hackbench", "ipc", "socket", {"hackbench.throughput", "hackbench.throughput_worst"}},
	{"will-it-scale",
	 "test",
	 "page_fault1",
	 {"will-it-scale.per_process_ops", "will-it-scale.per_thread_ops"}},
	{"fio-basic",
	 "rw",
	 "randread",
	 {"fio.read_iops", "fio.read_clat_mean_us", "fio.read_bw_MBps"}},
};
#define NTESTS (sizeof(tests) / sizeof(tests[0]))

static const char *const monitors[] = {
	"perf-stat.i.instructions", "perf-stat.i.cache-misses",
	"perf-stat.overall.ipc",    "vmstat.system.cs",
	"vmstat.system.in",         "meminfo.Active(anon)",
	"proc-vmstat.pgfault",      "turbostat.PkgWatt",
	"mpstat.cpu.all.usr%",      "sched_debug.cfs_rq:/.load.avg",
};
#define NMONITORS (sizeof(monitors) / sizeof(monitors[0]))

static void metric_name(const struct test *t, long m, char *buf, size_t n)
{
	long primaries = 0;

	while (primaries < 4 && t->primary[primaries])
		primaries++;
	if (m < primaries)
		snprintf(buf, n, "%s", t->primary[m]);
	else if (m - primaries < (long)NMONITORS)
		snprintf(buf, n, "%s", monitors[m - primaries]);
	else
		snprintf(buf, n, "proc-vmstat.invented_counter_%04ld", m);
}

static void commit_id(const struct options *o, long c, char id[41])
{
	for (int i = 0; i < 40; i += 8)
		snprintf(id + i, 9, "%08x",
			 (unsigned)invent_mix(o->seed * 1000003 + (uint64_t)c * 5 + (uint64_t)i));
}

/* The planted truth: one metric in forty of a test steps once, by 3 to 15 %, on every box alike. */
static bool step_of(const struct options *o, size_t test, long metric, long *at, double *factor)
{
	if (invent_uniform(o->seed, 1, test, (uint64_t)metric, 0) >= 0.025 && metric != 0)
		return false;
	*at = 1 + (long)(invent_uniform(o->seed, 2, test, (uint64_t)metric, 0) *
			 (double)(o->commits - 1));
	double size = 0.03 + 0.12 * invent_uniform(o->seed, 3, test, (uint64_t)metric, 0);
	*factor = invent_uniform(o->seed, 4, test, (uint64_t)metric, 0) < .5 ? 1 - size : 1 + size;
	return o->commits > 1;
}

static double sample(const struct options *o, long box, size_t test, long commit, long run,
		     long metric)
{
	uint64_t where = ((uint64_t)box << 8 | test) << 20 | (uint64_t)metric;
	double magnitude = invent_uniform(o->seed, 5, test, (uint64_t)metric, 0) * 6;
	double level =
		pow(10, 1 + floor(magnitude)) * (1 + 9 * invent_uniform(o->seed, 6, where, 0, 0));
	double relative = 0.002 + 0.02 * invent_uniform(o->seed, 7, where, 0, 0);
	long at;
	double factor;

	if (step_of(o, test, metric, &at, &factor) && commit >= at)
		level *= factor;
	level *= 1 + 0.3 * relative * invent_noise(o->seed, 8, where, (uint64_t)commit);
	level *= 1 +
		 relative * invent_noise(o->seed, 9, where, (uint64_t)commit * 64 + (uint64_t)run);
	/* Counters are whole numbers, rates are not. */
	return level > 1e5 ? nearbyint(level) : nearbyint(level * 1000) / 1000;
}

static void print_run(const struct options *o, long box, size_t test, long commit, long run)
{
	char name[64], number[NUM_MAX];

	putchar('{');
	for (long m = 0; m < o->metrics; m++) {
		metric_name(&tests[test], m, name, sizeof(name));
		size_t n = num_shortest(sample(o, box, test, commit, run, m), number);
		printf("%s\"%s\":%.*s", m ? "," : "", name, (int)n, number);
	}
	putchar('}');
}

static void print_submission(const struct options *o, long box, size_t test, long commit)
{
	const struct test *t = &tests[test];
	char id[41], parent[41];
	/* From the first day of 2026 on, a commit every six hours. */
	long when = 1767225600 + commit * 21600;
	char date[32];
	struct tm tm;
	time_t clock = when;

	gmtime_r(&clock, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	commit_id(o, commit, id);
	printf("{\"key\":\"invented/%llu/%ld/%zu/%ld\",", (unsigned long long)o->seed, box, test,
	       commit);
	printf("\"axes\":{\"testcase\":\"%s\",\"tbox_group\":\"invented-box%ld\",\"%s\":\"%s\","
	       "\"kconfig\":\"x86_64-invented\",\"compiler\":\"gcc-12\"},",
	       t->testcase, box + 1, t->axis, t->value);
	printf("\"commit\":{\"id\":\"%s\",\"tree\":\"invented\",\"date\":\"%s\","
	       "\"subject\":\"invented: change number %ld of the sample lab\","
	       "\"author\":{\"name\":\"Sample Generator\",\"email\":\"invented@example.org\"}",
	       id, date, commit + 1);
	if (commit > 0) {
		commit_id(o, commit - 1, parent);
		printf(",\"parents\":[\"%s\"]", parent);
	}
	printf("},\"started\":\"%s\",\"info\":{\"origin\":\"invented\",\"hostname\":\"invented-box%"
	       "ld-1\"",
	       date, box + 1);
	if (box == BOX_OF_BOOTS)
		printf(",\"boot\":\"invented-%ld-%zu-%ld\"", box, test, commit);
	fputs("},\"runs\":[", stdout);
	for (long r = 0; r < o->runs; r++) {
		if (r)
			putchar(',');
		print_run(o, box, test, commit, r);
	}
	puts("]}");
}

static void print_truth(const struct options *o)
{
	char id[41], name[64];
	long at;
	double factor;

	for (size_t t = 0; t < NTESTS && (long)t < o->tests; t++)
		for (long m = 0; m < o->metrics; m++)
			if (step_of(o, t, m, &at, &factor)) {
				commit_id(o, at, id);
				metric_name(&tests[t], m, name, sizeof(name));
				printf("%s %s %s %.4f\n", id, tests[t].testcase, name, factor);
			}
}

static void print_lab(const struct options *o)
{
	for (long c = 0; c < o->commits; c++)
		for (long b = 0; b < o->boxes; b++)
			for (size_t t = 0; t < NTESTS && (long)t < o->tests; t++)
				print_submission(o, b, t, c);
}

static bool parse(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int64_t v;

		if (strcmp(argv[i], "--truth") == 0) {
			o->truth = true;
			continue;
		}
		if (strcmp(argv[i], "--year") == 0) {
			o->year = true;
			continue;
		}
		if (i + 1 == argc || !num_parse_int(argv[i + 1], 1, 1000000, &v))
			return false;
		if (strcmp(argv[i], "--seed") == 0)
			o->seed = (uint64_t)v;
		else if (strcmp(argv[i], "--commits") == 0)
			o->commits = v;
		else if (strcmp(argv[i], "--runs") == 0)
			o->runs = v;
		else if (strcmp(argv[i], "--metrics") == 0)
			o->metrics = v;
		else if (strcmp(argv[i], "--boxes") == 0)
			o->boxes = v;
		else if (strcmp(argv[i], "--tests") == 0)
			o->tests = v;
		else
			return false;
		i++;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = {
		.seed = 7, .commits = 40, .runs = 4, .metrics = 100, .boxes = 2, .tests = NTESTS};

	if (!parse(&o, argc, argv)) {
		fprintf(stderr, "usage: invent [--seed N] [--commits N] [--runs N] [--metrics N] "
				"[--boxes N]"
				" [--tests N] [--truth] | invent --year [--seed N] [--truth]\n");
		return 2;
	}
	if (o.year)
		(o.truth ? invent_year_truth : invent_year)(o.seed);
	else if (o.truth)
		print_truth(&o);
	else
		print_lab(&o);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
