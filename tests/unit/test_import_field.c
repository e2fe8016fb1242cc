/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other systems that were cut off anywhere, have the wrong thing in any place, or names
 * that mean harm: a file is refused with a word on why, or what is taken is sound. And each file is
 * sniffed for what it is, before all other formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <dirent.h>
#include <jansson.h>

#include "field_lab.h"
#include "importers/native_write.h"
#include "server/base/out.h"

static const struct {
	const char *format, *file;
	bool whole; /* cut anywhere it is refused */
} files[] = {
	{"kcidb", "kcidb-4.json", true},
	{"kcidb", "kcidb-5.json", true},
	{"phoronix", "phoronix.xml", true},
	{"mmtests", "mmtests.json", true},
	{"lnt", "lnt.json", true},
	{"hyperfine", "hyperfine.json", true},
	{"google-benchmark", "google-benchmark.json", true},
	{"pytest-benchmark", "pytest-benchmark.json", true},
	{"go-benchmark", "go-benchmark.txt", false},
	{"openmetrics", "openmetrics.txt", false},
	{"csv", "long.csv", false},
	{"csv", "runs.csv", false},
	{"csv", "wide.tsv", false},
};
#define FILES (sizeof(files) / sizeof(files[0]))

static const char *const given[] = {"tbox_group=box", "testcase=t", NULL};

static char *load(size_t i, size_t *n)
{
	char path[100];

	snprintf(path, sizeof(path), "../field/%s", files[i].file);
	return raw_load(path, n);
}

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
			print_error("%s\n%s: %s\n%s\n", c.detail, c.nfaults ? c.faults[0].path : "",
				    c.nfaults ? c.faults[0].message : "", o.p);
		assert_int_equal(c.err, E_OK);
	}
	out_free(&o);
}

/* A copy without anything behind it, so that reading on is seen by the sanitizers. */
static int tried(const char *format, const char *bytes, size_t n, bool sound)
{
	char *alone = malloc(n ? n : 1);
	struct raw r = {0};
	int e;

	assert_non_null(alone);
	memcpy(alone, bytes, n);
	e = field_run(&r, format, alone, n, given, "v6.4");
	free(alone);
	if (e == E_OK) {
		assert_true(r.in.n > 0);
		if (sound)
			check_native(&r);
	} else {
		assert_true(r.ctx.detail[0] != '\0');
		assert_int_equal(e, r.ctx.err);
		for (size_t i = 0; i < r.ctx.nfaults; i++)
			assert_true(r.ctx.faults[i].message[0] != '\0');
	}
	raw_end(&r);
	return e;
}

static void test_whole_files_are_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = load(i, &n);

		assert_int_equal(tried(files[i].format, bytes, n, true), E_OK);
		free(bytes);
	}
}

static void test_cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = load(i, &n);

		for (size_t cut = 0; cut < n; cut++) {
			int e = tried(files[i].format, bytes, cut, cut % 64 == 0);

			/* half a document is none; a line end may stand behind it */
			if (files[i].whole && e == E_OK && cut + 2 <= n)
				raw_fail("%s is taken though it was cut at %zu", files[i].file,
					 cut);
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

	assert_non_null(text);
	if (tried(w->format, text, strlen(text), true) == E_OK)
		w->taken++;
	else
		w->refused++;
	free(text);
}

/* Puts each value in the place of a member or element, one after the other, and the old one back.
 */
static void replace_each(struct walk *w, json_t *parent, const char *key, size_t index)
{
	json_t *others[] = {json_string("x"), json_real(-1e300), json_true(),    json_null(),
			    json_array(),     json_object(),     json_string("")};
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
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		struct walk w = {.format = files[i].format};
		json_error_t error;
		size_t n;
		char *bytes;

		if (!strstr(files[i].file, ".json"))
			continue;
		bytes = load(i, &n);
		w.top = json_loadb(bytes, n, 0, &error);
		assert_non_null(w.top);
		walk(&w, w.top);
		if (w.refused < 25 || w.taken < 10)
			raw_fail("%s: %zu refused, %zu taken", files[i].file, w.refused, w.taken);
		json_decref(w.top);
		free(bytes);
	}
}

/* Each number of a text in turn becomes something else. */
static void test_wrong_number_in_each_place(void **state)
{
	static const char *const words[] = {"abc", "-1",  "1e300",
					    "",    "nan", "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		size_t n;
		char *bytes = load(i, &n), *made = malloc(n + 32);

		assert_non_null(made);
		for (size_t at = 0; at < n; at++) {
			size_t len = strspn(bytes + at, "0123456789.");

			for (size_t k = 0; len && k < sizeof(words) / sizeof(words[0]); k++) {
				size_t more = strlen(words[k]);

				memcpy(made, bytes, at);
				memcpy(made + at, words[k], more);
				memcpy(made + at + more, bytes + at + len, n - at - len);
				tried(files[i].format, made, n - len + more, at % 8 == 0);
			}
			at += len;
		}
		free(made);
		free(bytes);
	}
}

/* --- names that mean harm --- */

static const char *const names[] = {"%s%n%x",
				    "<script>alert(1)</script>",
				    "a\x1b[31mb",
				    "\xff\xfe",
				    "../../etc/passwd",
				    "'; --",
				    "\xe2\x80\xae",
				    ".",
				    "..",
				    "\x1f",
				    "a\tb"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static void try_name(const char *name)
{
	static const char *const texts[][2] = {
		{"hyperfine", "{\"results\":[{\"command\":\"%s\",\"times\":[1],\"parameters\":"
			      "{\"%s\":\"%s\"}}]}"},
		{"google-benchmark", "{\"context\":{\"executable\":\"%s\",\"host_name\":\"%s\"},"
				     "\"benchmarks\":[{\"name\":\"%s\",\"real_time\":1}]}"},
		{"pytest-benchmark", "{\"machine_info\":{\"%s\":\"%s\"},\"benchmarks\":[{\"name\":"
				     "\"%s\",\"stats\":{\"data\":[1]}}]}"},
		{"lnt", "{\"format_version\":\"2\",\"machine\":{\"name\":\"%s\"},\"tests\":[{"
			"\"name\":\"%s\",\"%s\":1}]}"},
		{"mmtests", "[{\"_ModuleName\":\"Extract%s\",\"_TestName\":\"%s\",\"_ResultData\":"
			    "{\"%s\":[{\"Values\":[1]}]}}]"},
		{"kcidb", "{\"version\":{\"major\":5},\"checkouts\":[{\"id\":\"a:c\","
			  "\"tree_name\":\"%s\"}],\"builds\":[{\"id\":\"a:b\",\"checkout_id\":"
			  "\"a:c\",\"compiler\":\"%s\"}],\"tests\":[{\"build_id\":\"a:b\",\"path\":"
			  "\"x.%s\",\"status\":\"PASS\"}]}"},
		{"go-benchmark", "pkg: %s\nBenchmark%s 1 5 %s\n"},
		{"openmetrics", "a{%s=\"%s\",commit=\"%s\"} 1\n"},
		{"csv", "metric,value,%s\nm%s,1,%s\n"},
		{"csv", "\"%s\",\"x%s\"\n\"%s\",1\n"},
		{"phoronix", "<PhoronixTestSuite><System><Identifier>%s</Identifier></System>"
			     "<Result><Identifier>%s</Identifier><Scale>%s</Scale><Data><Entry>"
			     "<Identifier>a</Identifier><Value>1</Value></Entry></Data></Result>"
			     "</PhoronixTestSuite>"},
	};
	size_t room = 3 * strlen(name) + 600;
	char *text = malloc(room);

	assert_non_null(text);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *from = texts[i][1], *place;
		size_t n = 0;

		while ((place = strstr(from, "%s"))) {
			n += (size_t)snprintf(text + n, room - n, "%.*s%s", (int)(place - from),
					      from, name);
			from = place + 2;
		}
		snprintf(text + n, room - n, "%s", from);
		tried(texts[i][0], text, strlen(text), true);
	}
	free(text);
}

static void test_hostile_names(void **state)
{
	char *text;

	(void)state;
	for (size_t i = 0; i < NAMES; i++)
		try_name(names[i]);
	for (size_t n = 60; n < 300000; n = n * 5 / 2) { /* long ones */
		text = malloc(n + 1);
		assert_non_null(text);
		memset(text, 'n', n);
		text[n] = '\0';
		try_name(text);
		for (size_t i = 0; i + 1 < n; i += 2)
			memcpy(text + i, "\xc3\xa9", 2);
		try_name(text);
		free(text);
	}
}

/* Names that differ only in what cannot be kept: none may take the other's place. */
static void test_names_that_become_one(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "mmtests",
		    "[{\"_ResultData\":{\"a\\u0001\":[{\"Values\":[1]}],\"a\\u0002\":[{\"Values\":"
		    "[2]}]}}]",
		    given, "v6.4");
	assert_int_equal(r.in.subs[0].nruns, 2);
	raw_end(&r);
}

/* --- what is it? --- */

static void check_guess(const char *path, const char *format)
{
	struct import_guess g;
	size_t n;
	char *bytes = raw_load(path, &n);

	importer_guess(bytes, n, &g);
	if (!g.n || strcmp(g.list[0].format->name, format) != 0 || g.list[0].sure < 60 ||
	    (g.n > 1 && g.list[0].sure < g.list[1].sure + 20))
		raw_fail("%s: %s %d, %s %d", path, g.n ? g.list[0].format->name : "nothing",
			 g.n ? g.list[0].sure : 0, g.n > 1 ? g.list[1].format->name : "nothing",
			 g.n > 1 ? g.list[1].sure : 0);
	free(bytes);
}

static void test_each_is_known(void **state)
{
	char path[100];

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "../field/%s", files[i].file);
		check_guess(path, files[i].format);
	}
}

/* Programs' outputs are none of ours. */
static void test_others_are_not(void **state)
{
	DIR *folder = opendir("tests/data/raw");
	struct dirent *entry;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		size_t n;
		char *bytes;

		if (entry->d_name[0] == '.')
			continue;
		bytes = raw_load(entry->d_name, &n);
		for (size_t i = 0; i < FILES; i++) {
			const struct importer *one = importer_find(files[i].format);

			if (one->sniff(bytes, n) > 25)
				raw_fail("%s is taken for %s", entry->d_name, one->name);
		}
		free(bytes);
	}
	closedir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_files_are_sound),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_wrong_type_in_each_field),
		cmocka_unit_test(test_wrong_number_in_each_place),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_names_that_become_one),
		cmocka_unit_test(test_each_is_known),
		cmocka_unit_test(test_others_are_not),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_field", tests, NULL, NULL);
}
