/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds for every importer of programs' text: cut at any byte, with fields of another type,
 * with hostile words, it says what it found or that it found nothing, and what it makes is what the
 * native form takes. And each file is sniffed for what it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "importers/native_write.h"
#include "server/base/out.h"
#include "tests/unit/raw_lab.h"

static const struct {
	const char *file, *format;
} files[] = {
	{"unixbench.txt", "unixbench"},
	{"unixbench-one.txt", "unixbench"},
	{"dbench.txt", "dbench"},
	{"tbench.txt", "tbench"},
	{"stress-ng-metrics.txt", "stress-ng"},
	{"stress-ng-brief.txt", "stress-ng"},
	{"stress-ng-old.txt", "stress-ng"},
	{"stress-ng-perf.txt", "stress-ng"},
	{"stress-ng.yaml", "stress-ng"},
	{"sysbench-cpu.txt", "sysbench"},
	{"sysbench-cpu2.txt", "sysbench"},
	{"sysbench-mem.txt", "sysbench"},
	{"sysbench-threads.txt", "sysbench"},
	{"sysbench-mutex.txt", "sysbench"},
	{"sysbench-fileio.txt", "sysbench"},
	{"sysbench-0.4.txt", "sysbench"},
	{"sysbench-oltp.txt", "sysbench"},
	{"sysbench-oltp-0.4.txt", "sysbench"},
	{"aim7.txt", "aim7"},
	{"aim7-ramp.txt", "aim7"},
	{"reaim.txt", "reaim"},
	{"reaim-ramp.txt", "reaim"},
	{"fsmark.txt", "fsmark"},
	{"fsmark-calls.txt", "fsmark"},
	{"perf-stat.txt", "perf-stat"},
	{"perf-stat.csv", "perf-stat"},
	{"perf-stat.jsonl", "perf-stat"},
	{"perf-stat-semicolons.csv", "perf-stat"},
	{"perf-stat-spaces.txt", "perf-stat"},
	{"perf-stat-commas.csv", "perf-stat"},
	{"perf-stat-hybrid.csv", "perf-stat"},
	{"perf-stat-counters.txt", "perf-stat"},
	{"perf-stat-cpus.csv", "perf-stat"},
	{"perf-stat-cpus.txt", "perf-stat"},
	{"perf-stat-cpus.jsonl", "perf-stat"},
	{"perf-stat-interval.csv", "perf-stat"},
	{"perf-stat-interval.txt", "perf-stat"},
	{"perf-bench.txt", "perf-bench"},
	{"perf-bench-numa.txt", "perf-bench"},
	{"perf-bench-pipe.txt", "perf-bench"},
	{"schbench.txt", "schbench"},
	{"schbench-old.txt", "schbench"},
	{"cyclictest-screen.txt", "cyclictest"},
	{"cyclictest-quiet.txt", "cyclictest"},
	{"cyclictest-histogram.txt", "cyclictest"},
	{"cyclictest.json", "cyclictest"},
	{"time.txt", "time"},
	{"time-two.txt", "time"},
	{"build-gcc.log", "build-log"},
	{"build-clang.log", "build-log"},
	{"build-kernel.log", "build-log"},
};

#define FILES (sizeof(files) / sizeof(files[0]))

/* What was made must be what `import native` takes back. */
static void check_native(struct raw *r)
{
	auto_out struct out o;
	struct ctx c;
	auto_arena struct arena *a = arena_new();

	out_init(&o, OUT_MAX_DEFAULT);
	for (size_t i = 0; i < r->in.n; i++) {
		struct import back = {.ctx = &c};
		int e;

		ctx_init(&c, a, NULL);
		out_truncate(&o, 0);
		native_write(&o, &r->in.subs[i]);
		e = import_native_line(&back, o.p, o.len);
		if (e != E_OK)
			print_error("%s %s: %.*s\n", c.detail, c.nfaults ? c.faults[0].message : "",
				    (int)(o.len < 2000 ? o.len : 2000), o.p);
		assert_int_equal(e, E_OK);
		assert_int_equal(back.n, 1);
		assert_memory_equal(&back.subs[0].content, &r->in.subs[i].content,
				    sizeof(struct digest));
	}
}

/* True when it was taken; else it must say why. */
static bool tried(const char *format, const char *bytes, size_t n)
{
	struct raw r = {.bytes = NULL};
	int e = raw_run(&r, format, bytes, n, NULL);

	if (e == E_OK) {
		assert_true(r.in.n > 0);
		check_native(&r);
	} else {
		assert_true(e == E_INVALID || e == E_TOO_LARGE || e == E_SYNTAX);
		assert_true(r.ctx.nfaults > 0 || *r.ctx.detail);
	}
	raw_end(&r);
	return e == E_OK;
}

static void test_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = raw_load(files[i].file, &n);

		assert_true(tried(files[i].format, bytes, n));
		free(bytes);
	}
}

/* In a block of its very size, so that a read behind it is seen by the sanitizers. */
static void test_cut_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n, step;
		char *bytes = raw_load(files[i].file, &n);

		step = n > 8192 ? 13 : 1; /* of long ones the beginning at every byte */
		for (size_t cut = 0; cut < n; cut += cut < 3000 ? 1 : step) {
			char *part = malloc(cut ? cut : 1);

			assert_non_null(part);
			memcpy(part, bytes, cut);
			tried(files[i].format, part, cut);
			for (size_t k = 0; k < importer_count() && cut % 97 == 0; k++) {
				if (importer_at(k)->sniff)
					assert_in_range(importer_at(k)->sniff(part, cut), 0, 100);
			}
			free(part);
		}
		free(bytes);
	}
}

/* Each number of the text in turn becomes something else. */
static void test_other_types(void **state)
{
	static const char *const others[] = {
		"x", "-1", "1e999", "nan", "", "[1]", "\"9\"", "99999999999999999999", "null"};

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n, which = 0;
		char *bytes = raw_load(files[i].file, &n);

		for (size_t p = 0; p < n && which < 400; p++) {
			const char *other = others[which % 9];
			size_t len = strspn(bytes + p, "0123456789.");
			char *changed;

			if (!len)
				continue;
			which++;
			changed = malloc(n + 32);
			assert_non_null(changed);
			memcpy(changed, bytes, p);
			memcpy(changed + p, other, strlen(other));
			memcpy(changed + p + strlen(other), bytes + p + len, n - p - len);
			tried(files[i].format, changed, n - len + strlen(other));
			free(changed);
			p += len;
		}
		free(bytes);
	}
}

/* Words with what breaks pages, files, formats and terminals. */
static void test_hostile_words(void **state)
{
	static const char *const hostile[] = {"<script>alert(1)</script>",
					      "\xff\xfe\x80",
					      "%n%s%s%s",
					      "a\x1b[31mb\x01\x02",
					      "../../../etc/passwd",
					      "\xe2\x80\xa8\xc2\x85\xc2\xa0",
					      "{[(\"',;:=</\\"};
	static char many[3000];

	(void)state;
	memset(many, 'w', sizeof(many));
	for (size_t i = 0; i < FILES; i++) {
		size_t n, which = 0;
		char *bytes = raw_load(files[i].file, &n);

		for (size_t p = 0; p < n && which < 200; p++) {
			size_t len = strspn(bytes + p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
						       "QRSTUVWXYZ-_"),
			       k = which % 8, add;
			char *changed;

			if (len < 2)
				continue;
			which++;
			add = k < 7 ? strlen(hostile[k]) : sizeof(many);
			changed = malloc(n + add);
			assert_non_null(changed);
			memcpy(changed, bytes, p);
			memcpy(changed + p, k < 7 ? hostile[k] : many, add);
			memcpy(changed + p + add, bytes + p + len, n - p - len);
			tried(files[i].format, changed, n - len + add);
			free(changed);
			p += len;
		}
		free(bytes);
	}
}

static void test_nothing(void **state)
{
	static const char *const texts[] = {
		"",   "\n\n",          "Dear all,\n\nthis is a letter.\n", "1 2 3 4 5 6\n",
		"{}", "a,b,c\n1,2,3\n"};

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			assert_false(tried(files[i].format, texts[k], strlen(texts[k])));
	}
}

/* Quoted three times as in a mail, with CRLF: the same figures. */
static void test_quoted(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n, len = 0;
		char *bytes = raw_load(files[i].file, &n), *quoted;
		struct raw plain = {.bytes = NULL}, r = {.bytes = NULL};
		bool begin = true;

		if (strstr(files[i].file, ".json") || strstr(files[i].file, ".yaml") ||
		    strchr(bytes, '\r') || bytes[0] == '>') {
			free(bytes);
			continue;
		}
		quoted = malloc(8 * n + 8);
		assert_non_null(quoted);
		for (size_t p = 0; p < n; p++) {
			if (begin) {
				memcpy(quoted + len, "> > > ", 6);
				len += 6;
			}
			begin = bytes[p] == '\n';
			if (begin)
				quoted[len++] = '\r';
			quoted[len++] = bytes[p];
		}
		assert_int_equal(raw_run(&plain, files[i].format, bytes, n, NULL), E_OK);
		assert_int_equal(raw_run(&r, files[i].format, quoted, len, NULL), E_OK);
		assert_int_equal(plain.in.n, r.in.n);
		for (size_t k = 0; k < r.in.n; k++)
			assert_memory_equal(&plain.in.subs[k].content, &r.in.subs[k].content,
					    sizeof(struct digest));
		raw_end(&plain);
		raw_end(&r);
		free(quoted);
		free(bytes);
	}
}

/* The file's own sniffer is sure of it, and so far ahead of all others that nobody need be asked.
 */
static void test_sniff(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = raw_load(files[i].file, &n);
		const char *best = "";
		int sure = 0, next = 0;

		for (size_t k = 0; k < importer_count(); k++) {
			const struct importer *m = importer_at(k);
			int v = m->sniff ? m->sniff(bytes, n) : 0;

			if (v > sure) {
				next = sure;
				sure = v;
				best = m->name;
			} else if (v > next) {
				next = v;
			}
		}
		if (strcmp(best, files[i].format) != 0)
			print_error("%s is taken for %s (%d)\n", files[i].file, best, sure);
		assert_string_equal(best, files[i].format);
		assert_true(sure >= 60 && sure - next >= 20);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),       cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_other_types), cmocka_unit_test(test_hostile_words),
		cmocka_unit_test(test_nothing),     cmocka_unit_test(test_quoted),
		cmocka_unit_test(test_sniff),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_raw_b", tests, NULL, NULL);
}
