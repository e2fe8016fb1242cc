/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf bench, all suites. A suite met again begins the next run. Names are
 * "perf-bench.<collection>-<benchmark>.<figure>" (perf-bench.sched-pipe.ops_per_sec); when the
 * request calls the test perf-bench-… and the file has one suite, they are the robot's:
 * "perf-bench-sched-pipe.ops_per_sec", "perf-bench-futex.ops/s"; suites of perf-bench-mem and
 * perf-bench-syscall keep what tells them apart: "perf-bench-mem.memcpy.default.GB_per_sec",
 * "perf-bench-syscall.getppid.ops_per_sec". Figures:
 *
 *	total_time_sec, usecs_per_op, ops_per_sec, usecs_per_op_per_cpu
 *	<function>.GB_per_sec, .cycles_per_byte        mem, of each function
 *	ops/s, stddev%, total_secs, thread_<n>.ops/s   futex hash, lock-pi, epoll wait
 *	wakeup_ms, wakeup_latency_ms, requeue_ms; with .stddev% and .run<n>     futex
 *	<OP>_operations with .stddev%, thread_<n>.<op>_ops                  epoll ctl
 *	secs_slowest, secs_fastest, secs_avg, secs_latency, max_avg_diff, GB_per_thread,
 *	GB_total, nsecs_byte_thread, GB_sec_thread, GB_sec_total                 numa
 *	<what>.took with .stddev, <what>.<figure>      "Average <what> took: …"
 */
#include "importers/perf_bench.h"

#include "importers/formats.h"

#define SUITES_MAX 64

static void name_suite(const char *p, char *suite)
{
	char word[OUTPUT_WORD_MAX];

	*suite = '\0';
	if (!text_word(&p, word, sizeof(word)))
		return;
	join_words(word, sizeof(word), suite);
	for (char *c = suite; *c; c++)
		*c = *c == '/' ? '-' : *c;
	for (size_t n = strlen(suite); n && suite[n - 1] == '.'; n--)
		suite[n - 1] = '\0';
}

/* "# Running 'sched/messaging' benchmark:", in old versions without the quotes; NULL: another line.
 */
static const char *suite_head(const char *line)
{
	const char *p = text_after(line, "# Running ");

	return p && strstr(p, "benchmark") && strchr(p, '/') ? p : NULL;
}

/* "# Executed 10,000,000 getppid() calls" -> "syscall/getppid" */
static bool executed(const char *line, char *name)
{
	const char *p = text_after(line, "# Executed ");
	double calls;
	size_t n;

	if (!p || !text_number(&p, true, &calls))
		return false;
	p = past_spaces(p);
	n = strcspn(p, "( ");
	if (!n || n > OUTPUT_WORD_MAX / 2 || strncmp(p + n, "() calls", 8) != 0)
		return false;
	snprintf(name, OUTPUT_WORD_MAX, "syscall/%.*s", (int)n, p);
	return true;
}

/* What the robot has of the suite's name in metrics of the test perf-bench-<asked>: of "mem-memcpy"
 * the end, of others nothing. */
static const char *part_of(const char *suite, const char *asked)
{
	size_t n = strlen(asked);

	if (strcmp(asked, "mem") != 0 && strcmp(asked, "syscall") != 0)
		return "";
	return !strncmp(suite, asked, n) && suite[n] == '-' ? suite + n + 1 : "";
}

static void begin_suite(struct perf_bench *b, const char *name)
{
	char suite[OUTPUT_WORD_MAX];
	bool again = false;
	const char *part;

	name_suite(name, suite);
	for (size_t i = 0; i < b->nsuites; i++)
		again = again || !strcmp(b->suites[i], suite);
	if (again || b->nsuites == SUITES_MAX) {
		output_next(b->o);
		b->nsuites = 0;
	}
	memcpy(b->suites[b->nsuites++], suite, sizeof(suite));
	part = b->asked ? part_of(suite, b->asked) : suite;
	snprintf(b->prefix, sizeof(b->prefix), "%s%s", part, *part ? "." : "");
	*b->function = *b->test = *b->took = *b->group = '\0';
}

/* Whether the file has a single suite, or several of which the robot keeps a part each. */
static bool asked_alone(const char *bytes, size_t n, const char *asked)
{
	char first[OUTPUT_WORD_MAX] = "", suite[OUTPUT_WORD_MAX];
	struct output_lines l;
	const char *p;
	bool one = true;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if (!(p = suite_head(line)))
			continue;
		name_suite(p, suite);
		one = one && (!*first || !strcmp(first, suite) || *part_of(suite, asked));
		memcpy(first, suite, sizeof(first));
	}
	output_lines_end(&l);
	return one;
}

/* The test as the request calls it, or NULL. */
static const char *asked_testcase(const struct import *in)
{
	for (size_t i = 0; i < in->naxes; i++) {
		if (!strcmp(in->axes[i].name, "testcase"))
			return in->axes[i].value;
	}
	return NULL;
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	const char *testcase = asked_testcase(o->in), *p;
	struct perf_bench b = {.o = o};
	char call[OUTPUT_WORD_MAX];
	bool headed = false;
	struct output_lines l;
	char *line;

	if (testcase && !strncmp(testcase, "perf-bench-", 11) &&
	    asked_alone(bytes, n, testcase + 11)) {
		o->program = testcase;
		b.asked = testcase + 11;
	}
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if ((p = suite_head(line))) {
			begin_suite(&b, p);
			headed = true;
		} else if ((!headed || (b.asked && !strcmp(b.asked, "syscall"))) &&
			   executed(line, call)) {
			begin_suite(&b, call);
		} else if (b.nsuites) {
			perf_bench_line(&b, line);
		}
	}
	output_lines_end(&l);
}

int import_perf_bench(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "perf-bench", .read = read_output};

	return program_import(in, bytes, n, &form);
}

int perf_bench_sniff(const char *bytes, size_t n)
{
	if (sniff_line(bytes, n, "# Executed ") && sniff_finds(bytes, n, " usecs/op"))
		return 80;
	return sniff_line(bytes, n, "# Running '") && sniff_finds(bytes, n, "' benchmark:")   ? 90
	       : sniff_line(bytes, n, "# Running ") && sniff_finds(bytes, n, " benchmark...") ? 80
											      : 0;
}
