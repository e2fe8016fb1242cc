/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs' outputs that were cut off anywhere, have the wrong thing in any place, or names that
 * mean harm: a file is refused with a word on why, or what is taken is sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <jansson.h>

#include "importers/native_write.h"
#include "raw_lab.h"
#include "server/base/out.h"

static const char *const files[][2] = {
	{"fio", "fio-plus.json"},
	{"fio", "fio-two-jobs.txt"},
	{"fio", "fio-2.txt"},
	{"fio", "fio-mail.txt"},
	{"fio", "fio-terse-3.txt"},
	{"fio", "fio-terse-5.txt"},
	{"fio", "fio-mixed-both.json"},
	{"fio", "fio-mixed-both.txt"},
	{"fio", "fio-mixed-both-terse-3.txt"},
	{"fio", "fio-status.txt"},
	{"iperf3", "iperf3-bidir.txt"},
	{"hackbench", "hackbench.txt"},
	{"hackbench", "hackbench-instances.txt"},
	{"filebench", "filebench.txt"},
	{"filebench", "filebench-old.txt"},
	{"vm-scalability", "vm-scalability.txt"},
	{"vm-scalability", "vm-scalability-forms.txt"},
	{"netperf", "netperf-udp-stream.txt"},
	{"netperf", "netperf-rr.txt"},
	{"netperf", "netperf-instances.txt"},
	{"iperf3", "iperf3-bidir.json"},
	{"iperf3", "iperf3-udp.json"},
	{"iperf3", "iperf3-tcp.txt"},
	{"iperf3", "iperf3-udp.txt"},
	{"will-it-scale", "will-it-scale.csv"},
	{"will-it-scale", "will-it-scale-threads.csv"},
};
#define FILES (sizeof(files) / sizeof(files[0]))

/* Sound: the native form of it is taken. */
static void check_native(const struct raw *r)
{
	struct out o;

	out_init(&o, OUT_MAX_DEFAULT);
	for (size_t i = 0; i < r->in.n; i++) {
		struct ctx c;
		struct import in = {.ctx = &c};

		ctx_init(&c, r->ctx.arena, NULL);
		out_truncate(&o, 0);
		native_write(&o, &r->in.subs[i]);
		if (import_native_line(&in, o.p, o.len) != E_OK)
			print_error("%s\n%s\n", c.detail, o.p);
		assert_int_equal(c.err, E_OK);
	}
	out_free(&o);
}

/* A copy without anything behind it, so that reading on is seen by the sanitizers. */
static int run_alone(struct raw *r, const char *format, const char *bytes, size_t n)
{
	char *alone = malloc(n ? n : 1);
	int e;

	assert_non_null(alone);
	memcpy(alone, bytes, n);
	*r = (struct raw){0};
	e = raw_run(r, format, alone, n, NULL);
	free(alone);
	if (e == E_OK)
		assert_true(r->in.n > 0);
	else
		assert_true(r->ctx.detail[0] != '\0');
	return e;
}

static void test_cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = raw_load(files[i][1], &n);

		for (size_t cut = 0; cut < n; cut++) {
			struct raw r;
			int e = run_alone(&r, files[i][0], bytes, cut);

			/* half a document is none; a line end may stand behind it */
			if (strstr(files[i][1], ".json") && cut > 1)
				assert_true(e != E_OK || cut + 2 > n);
			if (e == E_OK && cut % 64 == 0)
				check_native(&r);
			raw_end(&r);
		}
		free(bytes);
	}
}

/* --- a wrong type in each field --- */

struct walk {
	const char *format;
	json_t *top;
	size_t refused, taken;
};

static void try_document(struct walk *w)
{
	char *text = json_dumps(w->top, 0);
	struct raw r;

	assert_non_null(text);
	if (run_alone(&r, w->format, text, strlen(text)) == E_OK) {
		w->taken++;
		check_native(&r);
	} else {
		w->refused++;
	}
	free(text);
	raw_end(&r);
}

/* Puts each value in the place of a member or element, one after the other, and the old one back.
 */
static void replace_each(struct walk *w, json_t *parent, const char *key, size_t index)
{
	json_t *others[] = {json_string("x"), json_real(-1e300), json_true(),
			    json_null(),      json_array(),      json_object()};
	json_t *old = key ? json_object_get(parent, key) : json_array_get(parent, index);

	json_incref(old);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (key)
			json_object_set_new(parent, key, others[i]);
		else
			json_array_set_new(parent, index, others[i]);
		try_document(w);
	}
	if (key)
		json_object_set_new(parent, key, old);
	else
		json_array_set_new(parent, index, old);
}

static void walk(struct walk *w, json_t *v)
{
	const char *key;
	json_t *member;
	size_t i;
	void *next;

	json_object_foreach_safe(v, next, key, member)
	{
		walk(w, member);
		replace_each(w, v, key, 0);
	}
	json_array_foreach(v, i, member)
	{
		walk(w, member);
		replace_each(w, v, NULL, i);
	}
}

static void test_wrong_type_in_each_field(void **state)
{
	static const char *const documents[][2] = {{"fio", "fio-plus.json"},
						   {"iperf3", "iperf3-bidir.json"},
						   {"iperf3", "iperf3-udp.json"}};

	(void)state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		struct walk w = {.format = documents[i][0]};
		json_error_t error;
		size_t n;
		char *bytes = raw_load(documents[i][1], &n);

		w.top = json_loadb(bytes, n, 0, &error);
		assert_non_null(w.top);
		walk(&w, w.top);
		assert_true(w.refused > 200); /* the fields that are read */
		json_decref(w.top);
		free(bytes);
	}
}

/* Each number in turn becomes a word, or a number out of all bounds. */
static void test_wrong_number_in_each_place(void **state)
{
	static const char *const words[] = {"abc", "-1", "1e300", ""};

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = raw_load(files[i][1], &n), *made = malloc(n + 16);

		assert_non_null(made);
		for (size_t at = 0; at < n; at++) {
			size_t len = strspn(bytes + at, "0123456789.");

			for (size_t k = 0; len && k < 4; k++) {
				size_t more = strlen(words[k]);
				struct raw r;

				memcpy(made, bytes, at);
				memcpy(made + at, words[k], more);
				memcpy(made + at + more, bytes + at + len, n - at - len);
				if (run_alone(&r, files[i][0], made, n - len + more) == E_OK &&
				    at % 8 == 0)
					check_native(&r);
				raw_end(&r);
			}
			at += len;
		}
		free(made);
		free(bytes);
	}
}

/* --- names that mean harm --- */

static void test_hostile_names(void **state)
{
	static const char *const names[] = {"%s%n%x",           "<script>alert(1)</script>",
					    "a\x1b[31mb",       "\xff\xfe",
					    "../../etc/passwd", "'; --",
					    "\xe2\x80\xae",     "."};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct raw r;

		snprintf(text, sizeof(text),
			 "%s: (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=1, BW=1MiB/s\n"
			 "%s: (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=2, BW=1MiB/s\n",
			 names[i], names[i]);
		assert_int_equal(run_alone(&r, "fio", text, strlen(text)), E_OK);
		assert_true(raw_value(&r, 0, 0, "fio.read_iops") == 3);
		assert_int_equal(raw_metrics(&r, 0, 0), 2 * 3);
		check_native(&r);
		raw_end(&r);
		snprintf(text, sizeof(text),
			 "3;fio-3;%s;0;0;1;2\nx\nflow%s 1ops 1ops/s 1mb/s 1ms/op\n"
			 "1: IO Summary: 1 ops 1 ops/s 1/1 rd/wr 1mb/s 1ms/op\n",
			 names[i], names[i]);
		assert_int_equal(run_alone(&r, "filebench", text, strlen(text)), E_OK);
		check_native(&r);
		raw_end(&r);
	}
}

static void test_long_names(void **state)
{
	enum { LONG = 100000 };
	char *text = malloc(LONG + 200);
	struct raw r;

	(void)state;
	assert_non_null(text);
	memset(text, 'n', LONG);
	snprintf(text + LONG, 200,
		 ": (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=1, BW=1MiB/s\n");
	assert_int_equal(run_alone(&r, "fio", text, strlen(text)), E_OK); /* the line was cut */
	check_native(&r);
	raw_end(&r);
	snprintf(text + 5000, 200,
		 ": (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=1, BW=1MiB/s\n");
	assert_int_equal(run_alone(&r, "fio", text, strlen(text)), E_OK);
	check_native(&r);
	raw_end(&r);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_wrong_type_in_each_field),
		cmocka_unit_test(test_wrong_number_in_each_place),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_long_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_damaged", tests, NULL, NULL);
}
