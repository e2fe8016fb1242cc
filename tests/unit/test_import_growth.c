/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs' outputs read as a stream: what is kept over the file must not grow with it, and what a
 * submission of one run takes must not depend on how many went before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <malloc.h>

#include "raw_lab.h"

#define FEW         30 /* times that a sample is read in one file */
#define MANY        120
#define FEW_BYTES   1500000 /* lines are let go by the MiB */
#define MANY_BYTES  4500000
#define KEPT_OUTPUT 128   /* bytes an output that may stay: where it stands in the file */
#define HEAP_SLACK  50000 /* arenas take their memory in blocks */

/* each: every run is a submission of its own, since it has distributions. */
static const struct {
	const char *format, *file;
	bool each;
} files[] = {
	{"fio", "fio-two-jobs.json", true},
	{"fio", "fio-plus.json", true},
	{"fio", "fio-two-jobs.txt", true},
	{"fio", "fio-2.txt", true},
	{"fio", "fio-mail.txt", true},
	{"fio", "fio-terse-5.txt", true},
	{"fio", "fio-status.json", true},
	{"fio", "fio-status.txt", true},
	{"iperf3", "iperf3-tcp.json", true},
	{"iperf3", "iperf3-bidir.txt", true},
	{"iperf3", "iperf3-udp-old.txt", true},
	{"schbench", "schbench.txt", true},
	{"schbench", "schbench-old.txt", true},
	{"cyclictest", "cyclictest-histogram.txt", true},
	{"cyclictest", "cyclictest-screen.txt", false},
	{"cyclictest", "cyclictest.json", true},
	{"hackbench", "hackbench.txt", false},
	{"hackbench", "hackbench-instances.txt", false},
	{"netperf", "netperf-load.txt", false},
	{"netperf", "netperf-udp-stream.txt", false},
	{"netperf", "netperf-instances.txt", false},
	{"perf-stat", "perf-stat.txt", false},
	{"perf-stat", "perf-stat.csv", false},
	{"perf-stat", "perf-stat.jsonl", false},
	{"perf-stat", "perf-stat-interval.csv", false},
	{"perf-stat", "perf-stat-summary.txt", false},
	{"perf-stat", "perf-stat-groups.txt", false},
	{"perf-stat", "perf-stat-cgroups.csv", false},
	{"perf-bench", "perf-bench.txt", false},
	{"stress-ng", "stress-ng-metrics.txt", false},
	{"stress-ng", "stress-ng-perf.txt", false},
	{"stress-ng", "stress-ng-several.txt", false},
	{"stress-ng", "stress-ng.yaml", false},
	{"sysbench", "sysbench-cpu.txt", false},
	{"sysbench", "sysbench-oltp.txt", false},
	{"unixbench", "unixbench.txt", false},
	{"unixbench", "unixbench-tables.txt", false},
	{"will-it-scale", "will-it-scale.csv", false},
	{"filebench", "filebench.txt", false},
	{"dbench", "dbench.txt", false},
	{"tbench", "tbench.txt", false},
	{"aim7", "aim7-ramp.txt", false},
	{"reaim", "reaim-ramp.txt", false},
	{"fsmark", "fsmark-calls.txt", false},
	{"vm-scalability", "vm-scalability.txt", false},
	{"time", "time-two.txt", false},
	{"build-log", "build-kernel.log", false},
};
#define FILES (sizeof(files) / sizeof(files[0]))

struct reading {
	size_t taken, runs;
	size_t filled; /* bytes of records and submissions, at most */
	size_t before; /* bytes of all memory when reading began … */
	size_t heap;   /* … and what came to them, at most; 0 where malloc does not tell */
	size_t kept;   /* bytes of the import's own arena */
	size_t calls, fail_at; /* of take; 0: it never fails */
};

static size_t heap_used(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static int take(struct import *in, void *arg)
{
	struct reading *r = arg;
	size_t heap = heap_used() - r->before;
	size_t filled = arena_used(in->stream->records) + arena_used(in->stream->made);

	assert_int_equal(in->ctx->err, E_OK);
	if (++r->calls == r->fail_at)
		return fail(in->ctx, E_CONFLICT, "enough");
	r->taken += in->n;
	for (size_t i = 0; i < in->n; i++)
		r->runs += in->subs[i].nruns;
	r->filled = filled > r->filled ? filled : r->filled;
	r->heap = heap > r->heap ? heap : r->heap;
	return E_OK;
}

/* The sample, so many times in one text. */
static char *repeat(const char *file, size_t times, size_t bytes, size_t *n)
{
	size_t one;
	char *sample = raw_load(file, &one), *all;

	times = times ? times : bytes / one + 1;
	all = malloc(times * (one + 2));
	assert_non_null(all);
	for (size_t k = 0; k < times; k++) {
		memcpy(all + k * (one + 2), sample, one);
		memcpy(all + k * (one + 2) + one, "\n\n", 2);
	}
	free(sample);
	*n = times * (one + 2);
	return all;
}

/* times: how often the sample stands in the file; 0: as often as makes that many bytes. Returns
 * what the reading came to. */
static int read_times(struct reading *r, size_t which, size_t times, size_t bytes)
{
	static const struct pair axes[] = {{"tbox_group", "box"}, {"testcase", "test"}};
	const struct importer *i = importer_find(files[which].format);
	struct import_stream s = {
		.take = take, .arg = r, .records = arena_new(), .made = arena_new()};
	struct import in = {.axes = axes, .naxes = 2, .commit = "a0fd217e6d6f", .stream = &s};
	struct ctx c;
	size_t n;
	char *all = repeat(files[which].file, times, bytes, &n);
	int e;

	assert_non_null(i);
	ctx_init(&c, arena_new(), NULL);
	in.ctx = &c;
	r->before = heap_used();
	e = i->run(&in, all, n);
	assert_int_equal(e, c.err);
	if (e != E_OK && !r->fail_at)
		print_error("%s: %s\n", files[which].file, c.detail);
	if (e == E_OK) {
		assert_int_equal(in.n, 0);
		assert_int_equal(s.open, 0);
		assert_int_equal(s.taken, r->taken);
		assert_int_equal(arena_used(s.records), 0);
		assert_int_equal(arena_used(s.made), 0);
	}
	r->kept = arena_used(c.arena);
	arena_free(c.arena);
	arena_free(s.records);
	arena_free(s.made);
	free(all);
	return e;
}

static void compare(size_t i, const struct reading *few, const struct reading *many)
{
	size_t more = many->runs - few->runs;

	assert_true(few->taken > 0 && many->runs >= few->runs);
	if (many->kept > few->kept + more * KEPT_OUTPUT)
		raw_fail("%s: %zu bytes are kept of %zu runs, %zu of %zu", files[i].file,
			 many->kept, many->runs, few->kept, few->runs);
	if (!files[i].each)
		return;
	assert_int_equal(many->taken, many->runs);
	if (many->filled > few->filled + few->filled / 8)
		raw_fail("%s: a submission takes %zu bytes, then %zu", files[i].file, few->filled,
			 many->filled);
	if (many->heap > few->heap + HEAP_SLACK)
		raw_fail("%s: reading takes %zu bytes, then %zu", files[i].file, few->heap,
			 many->heap);
}

static void test_nothing_grows(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		bool each = files[i].each;
		struct reading few = {0}, many = {0};

		assert_int_equal(read_times(&few, i, each ? 0 : FEW, FEW_BYTES), E_OK);
		assert_int_equal(read_times(&many, i, each ? 0 : MANY, MANY_BYTES), E_OK);
		compare(i, &few, &many);
	}
}

/* What take fails with ends the reading, and it is not called again. */
static void test_take_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		struct reading r = {.fail_at = files[i].each ? 3 : 1};

		assert_int_equal(read_times(&r, i, FEW, 0), E_CONFLICT);
		assert_int_equal(r.calls, r.fail_at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_grows),
		cmocka_unit_test(test_take_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_growth", tests, NULL, NULL);
}
