/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large files are handed on submission by submission. The same bytes make the same submissions, in
 * the same order and under the same keys, with a stream and without; and with one, what a file
 * takes in memory does not grow with what it holds: a file of twice the length takes no more, but
 * for the few bytes a copy that its row in the table below allows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <dirent.h>

#include "importers/record.h"
#include "tests/unit/stream_lab.h"

static char *load(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *bytes;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*n = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*n + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	bytes[*n] = '\0';
	fclose(f);
	return bytes;
}

/* --- all samples --- */

/* What it is sniffed for; else what its name begins with. */
static const char *format_of(const char *path, const char *bytes, size_t n)
{
	struct import_guess guess;

	importer_guess(bytes, n, &guess);
	for (size_t i = 0; !guess.n && i < importer_count(); i++) {
		const char *name = importer_at(i)->name;

		if (!strncmp(strrchr(path, '/') + 1, name, strlen(name)))
			return name;
	}
	assert_true(guess.n > 0);
	return guess.list[0].format->name;
}

/* Whole, twice in one file, and cut in several places. format: NULL */
static void try_sample(const char *path, const char *format)
{
	size_t n;
	char *bytes = load(path, &n), *twice = malloc(2 * n);

	assert_non_null(twice);
	format = format ? format : format_of(path, bytes, n);
	memcpy(twice, bytes, n);
	memcpy(twice + n, bytes, n);
	made_same(path, format, bytes, n);
	made_same(path, format, twice, 2 * n);
	for (size_t i = 1; i < 16; i++)
		made_same(path, format, bytes, n * i / 16);
	free(bytes);
	free(twice);
}

static size_t try_folder(const char *folder, const char *format)
{
	struct dirent *e;
	DIR *d = opendir(folder);
	size_t tried = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		size_t n = strlen(e->d_name);
		char path[600];

		if (*e->d_name == '.' || (n > 9 && !strcmp(e->d_name + n - 9, ".expected")))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		try_sample(path, format);
		tried++;
	}
	closedir(d);
	return tried;
}

static void test_programs(void **state)
{
	(void)state;
	assert_true(try_folder("tests/data/raw", NULL) >= 87);
}

static void test_field(void **state)
{
	(void)state;
	assert_int_equal(try_folder("tests/data/field", NULL), 13);
}

static void test_mails(void **state)
{
	(void)state;
	assert_true(try_folder("tests/data/mails", "robot-mail") >= 30);
}

/* --- large files --- */

struct text {
	char *bytes;
	size_t n, cap;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->cap - t->n < 4096) {
		t->cap = 2 * t->cap + 8192;
		t->bytes = realloc(t->bytes, t->cap);
		assert_non_null(t->bytes);
	}
	va_start(ap, fmt);
	n = vsnprintf(t->bytes + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	assert_in_range(n, 0, 4095);
	t->n += (size_t)n;
}

static void put_file(struct text *t, const char *path)
{
	size_t n;
	char *bytes = load(path, &n);

	for (size_t i = 0; i < n; i += 4000)
		put(t, "%.*s", (int)(n - i < 4000 ? n - i : 4000), bytes + i);
	free(bytes);
}

/* A column a metric, all rows of one setup. */
static void put_wide(struct text *t, size_t copies)
{
	put(t, "commit,latency (us),throughput\n");
	for (size_t i = 0; i < copies; i++)
		put(t, "v6.5,%zu.5,%zu\n", i % 977, i);
}

/* A row a value; a commit of 100 rows after the other. */
static void put_long(struct text *t, size_t copies)
{
	put(t, "commit,metric,value,unit\n");
	for (size_t i = 0; i < copies; i++)
		for (int k = 0; k < 100; k++)
			put(t, "%012zx,%s,%d.25,us\n", i + 1, k % 2 ? "lat.p50" : "lat.p99", k);
}

/* The same with a column for the run. */
static void put_long_runs(struct text *t, size_t copies)
{
	put(t, "commit,run,metric,value\n");
	for (size_t i = 0; i < copies; i++)
		for (int k = 0; k < 100; k++)
			put(t, "%012zx,r%d,%s,%d\n", i + 1, k / 2, k % 2 ? "p50" : "p99", k);
}

/* Two commits whose rows take turns: nothing of either is whole before the end. */
static void put_turns(struct text *t, size_t copies)
{
	put(t, "commit,latency\n");
	for (size_t i = 0; i < copies; i++)
		put(t, "v6.5,%zu\nv6.6,%zu\n", i, i + 1);
}

/* --- of other systems --- */

static void put_hyperfine(struct text *t, size_t copies)
{
	put(t, "{\"results\":[");
	for (size_t i = 0; i < copies; i++)
		put(t, "%s{\"command\":\"sleep %zu\",\"times\":[0.5,%zu.25]}", i ? "," : "", i, i);
	put(t, "]}");
}

static void put_mmtests(struct text *t, size_t copies)
{
	put(t, "[");
	for (size_t i = 0; i < copies; i++)
		put(t,
		    "%s{\"_ModuleName\":\"ExtractA\",\"_TestName\":\"k%zu\",\"_ResultData\":"
		    "{\"op\":[{\"Values\":[1,%zu,3]}]}}",
		    i ? "," : "", i, i);
	put(t, "]");
}

/* Ten builds, which stand behind their tests. */
static void put_kcidb(struct text *t, size_t copies)
{
	put(t, "{\"version\":{\"major\":5},\"tests\":[");
	for (size_t i = 0; i < copies; i++)
		put(t,
		    "%s{\"build_id\":\"a:%zu\",\"path\":\"t.x\",\"status\":\"DONE\",\"number\":"
		    "{\"value\":%zu}}",
		    i ? "," : "", i % 10, i);
	put(t, "],\"builds\":[");
	for (int i = 0; i < 10; i++)
		put(t, "%s{\"id\":\"a:%d\",\"checkout_id\":\"a:c\"}", i ? "," : "", i);
	put(t, "],\"checkouts\":[{\"id\":\"a:c\"}]}");
}

/* Fifty tests, again and again. */
static void put_phoronix(struct text *t, size_t copies)
{
	put(t, "<PhoronixTestSuite>");
	for (size_t i = 0; i < copies; i++)
		put(t,
		    "<Result><Identifier>pts/t%zu-1.0</Identifier><Description>d</Description>"
		    "<Data><Entry><Identifier>s</Identifier><RawString>1:%zu</RawString></Entry>"
		    "</Data></Result>\n",
		    i % 50, i);
	put(t, "</PhoronixTestSuite>");
}

/* Twenty packages that take turns. */
static void put_go(struct text *t, size_t copies)
{
	for (size_t i = 0; i < copies; i++)
		put(t, "%s%.0zu\nBenchmarkA-8 10 %zu ns/op\n", i % 10 ? "x" : "pkg: example.org/p",
		    i % 10 ? 0 : i / 10 % 20 + 1, i);
}

/* Two commits, line by line. */
static void put_openmetrics(struct text *t, size_t copies)
{
	for (size_t i = 0; i < copies; i++)
		put(t, "load{testcase=\"t\",commit=\"v6.%zu\"} %zu\n", i % 2, i);
	put(t, "# EOF\n");
}

static void put_mailbox(struct text *t, size_t copies)
{
	for (size_t i = 0; i < copies; i++)
		put(t,
		    "From x Thu Jan  1 00:00:00 1970\nFrom: a@example.org\nSubject: mail %zu\n\n"
		    "a%05zx0123456789 b%05zx012345678901234567890 \n"
		    "---------------- --------------------------- \n"
		    "         %%stddev     %%change         %%stddev\n"
		    "             \\          |                \\  \n"
		    "      1.00           +50.0%%       1.50        vmstat.procs.a\n"
		    "      2.00 ±  5%%     -50.0%%       1.00 ±  7%%  vmstat.procs.b\n\n",
		    i, i, i);
}

static void put_native(struct text *t, size_t copies)
{
	put(t, "[");
	for (size_t i = 0; i < copies; i++)
		put(t,
		    "%s{\"axes\":{\"testcase\":\"t\",\"tbox_group\":\"b\"},\"commit\":{\"id\":"
		    "\"%012zx\"},\"runs\":[{\"a.b\":%zu},{\"a.b\":1}]}\n",
		    i ? "," : "", i, i);
	put(t, "]");
}

/* What a file is made of: a text that is repeated (path), or what make writes. Of `copies` copies
 * it makes `submissions` with `runs`, counted by hand; and twice as many copies may take grows
 * bytes a copy more. */
static const struct large {
	const char *format, *path;
	void (*make)(struct text *t, size_t copies);
	size_t copies, submissions, runs, grows;
} large[] = {
	/* csv: 16 bytes where one submission ends and another begins, 60 a submission */
	{"csv", NULL, put_wide, 200000, 20, 200000, 0},
	{"csv", NULL, put_long, 2000, 2000, 100000, 80},
	{"csv", NULL, put_long_runs, 2000, 2000, 100000, 80},
	{"csv", NULL, put_turns, 60000, 12, 120000, 34},
	/* built on program_output.h: 16 bytes an output; the sample has as many as runs a copy */
	{"hackbench", "tests/data/raw/hackbench.txt", NULL, 20000, 4, 40000, 36},
	{"dbench", "tests/data/raw/dbench.txt", NULL, 10500, 2, 10500, 18},
	/* an output in the file, which is a run; those with distributions are submissions too */
	{"perf-stat", "tests/data/raw/perf-stat.txt", NULL, 10500, 2, 10500, 0},
	{"schbench", "tests/data/raw/schbench.txt", NULL, 600, 600, 600, 0},
	{"cyclictest", "tests/data/raw/cyclictest-histogram.txt", NULL, 60, 60, 60, 0},
	{"fio", "tests/data/raw/fio-two-jobs.json", NULL, 60, 60, 60, 0},
	{"fio", "tests/data/raw/fio-two-jobs.txt", NULL, 150, 150, 150, 0},
	{"iperf3", "tests/data/raw/iperf3-tcp.json", NULL, 100, 100, 100, 0},
	{"iperf3", "tests/data/raw/iperf3-tcp.txt", NULL, 600, 600, 600, 0},
	{"hyperfine", NULL, put_hyperfine, 20000, 20000, 40000, 0},
	{"mmtests", NULL, put_mmtests, 20000, 20000, 60000, 0},
	/* 12 bytes where a test stands, and the run itself: a build's are one submission */
	{"kcidb", NULL, put_kcidb, 40000, 10, 40000, 20},
	/* the texts of a result, and its runs */
	{"phoronix", NULL, put_phoronix, 20000, 50, 40000, 180},
	/* 20 bytes where another package or commit begins */
	{"go-benchmark", NULL, put_go, 40000, 20, 40000, 6},
	{"openmetrics", NULL, put_openmetrics, 20000, 2, 20000, 52},
	{"robot-mail", NULL, put_mailbox, 5000, 10000, 0, 0},
	{"native", NULL, put_native, 10000, 10000, 20000, 0},
};

static void made_large(const struct large *l, size_t times, struct made *m)
{
	struct text t = {0};

	if (l->make)
		l->make(&t, times * l->copies);
	for (size_t i = 0; !l->make && i < times * l->copies; i++)
		put_file(&t, l->path);
	made_run(m, l->format, t.bytes, t.n, true);
	if (m->e != E_OK)
		print_error("%s: %s %s\n", l->format, m->ctx.detail,
			    m->ctx.nfaults ? m->ctx.faults[0].message : "");
	assert_int_equal(m->e, E_OK);
	if (times == 1)
		made_same(l->format, l->format, t.bytes, t.n);
	free(t.bytes);
}

static void test_large(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		const struct large *l = &large[i];
		struct made once, twice;
		size_t allowed;

		made_large(l, 1, &once);
		made_large(l, 2, &twice);
		assert_int_equal(once.n, l->submissions);
		assert_int_equal(once.runs, l->runs);
		assert_int_equal(twice.runs, 2 * l->runs);
		/* blocks and tables grow by leaps */
		allowed = once.most + l->grows * l->copies + 4096;
		if (twice.most > allowed)
			print_error("%s (row %zu): %zu copies %zu bytes, %zu copies %zu bytes\n",
				    l->format, i, l->copies, once.most, 2 * l->copies, twice.most);
		assert_true(twice.most <= allowed);
		made_end(&once);
		made_end(&twice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_field),
		cmocka_unit_test(test_mails),
		cmocka_unit_test(test_large),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_stream", tests, NULL, NULL);
}
