/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is no JSON, too deep or too large for the native importer, by line and column; and the
 * scanner that cuts a body into documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "importers/import.h"
#include "importers/json_scan.h"
#include "server/base/arena.h"
#include "server/base/out.h"

#define AXES   "\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box\"}"
#define COMMIT "\"commit\":{\"id\":\"a0fd217e6d6f\"}"
#define HEAD   "{" AXES "," COMMIT ","
#define RUNS   "\"runs\":[{\"m\":1}]"

struct fixture {
	struct ctx ctx;
	struct import in;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){0};
	ctx_init(&f->ctx, arena_new(), NULL);
	f->in.ctx = &f->ctx;
}

static void end(struct fixture *f)
{
	arena_free(f->ctx.arena);
}

static void check_syntax(const char *json, const char *begins)
{
	struct fixture f;
	int e;

	begin(&f);
	e = import_native(&f.in, json, strlen(json));
	if (e != E_SYNTAX || strncmp(f.ctx.detail, begins, strlen(begins)) != 0)
		print_message("%s\n  %s\n", json, f.ctx.detail);
	assert_int_equal(e, E_SYNTAX);
	assert_int_equal(f.ctx.err, E_SYNTAX);
	assert_int_equal(f.ctx.nfaults, 0);
	assert_memory_equal(f.ctx.detail, begins, strlen(begins));
	end(&f);
}

/* --- syntax
 * ----------------------------------------------------------------------------------------- */

static void test_syntax(void **state)
{
	(void)state;
	check_syntax("", "line 1, column 1: the body is empty");
	check_syntax(" \n \n", "line 1, column 1: the body is empty");
	check_syntax("{\n  \"axes\": {\n    \"a\": tru }}", "line 3, column 12: ");
	check_syntax("{\"axes\":{\"testcase\":\"x\"", "line 1, column 23: ");
	check_syntax("[{\"a\":\"abc", "line 1, column 10: ");
	check_syntax("[{},", "line 1, column 4: the array has no end");
	check_syntax("[{},]", "line 1, column 5: ");
	check_syntax("[{} {}]", "line 1, column 5: ',' or ']' expected");
	check_syntax("[{}\n] x", "line 2, column 3: nothing may follow");
	check_syntax("[] x", "line 1, column 4: nothing may follow");
	check_syntax("{} {}", "line 1, column 4: nothing may follow");
	check_syntax("{\"a\":1,\"a\":2}", "line 1, column 10: duplicate object key");
	check_syntax(HEAD "\"runs\":[{\"m\":NaN}]}", "line 1, column ");
	check_syntax(HEAD "\"runs\":[{\"m\":Infinity}]}", "line 1, column ");
	check_syntax(HEAD "\"runs\":[{\"m\":1e999}]}", "line 1, column ");
	check_syntax("{\"a\":\"\xff\"}", "line 1, column ");
	check_syntax("{\"a\":\"\\u0000\"}", "line 1, column ");
	check_syntax("{\"a\":\"\\ud800\"}", "line 1, column ");
	check_syntax("nonsense", "line 1, column 8: ");
}

/* Columns are characters, not bytes: "ä" has two. */
static void test_position_in_an_array(void **state)
{
	struct fixture f;
	const char *json = "[ " HEAD RUNS "},\n  {\"\xc3\xa4\": nope} ]";

	(void)state;
	begin(&f);
	assert_int_equal(import_native(&f.in, json, strlen(json)), E_SYNTAX);
	assert_memory_equal(f.ctx.detail, "line 2, column 12: ", 19);
	end(&f);
}

/* Half a document has no list of faults: what was found before its end is forgotten. */
static void test_syntax_after_faults(void **state)
{
	(void)state;
	check_syntax("[{\"wrong\":1},{\"also\":2},\n{\"x\":}]", "line 2, column 6: ");
	check_syntax("[{\"wrong\":1}", "line 1, column 12: ',' or ']' expected");
}

static void test_control_characters_in_messages(void **state)
{
	struct fixture f;
	const char *json = "{\"a\": \x1b[31m}";

	(void)state;
	begin(&f);
	assert_int_equal(import_native(&f.in, json, strlen(json)), E_SYNTAX);
	for (const char *p = f.ctx.detail; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	end(&f);
}

static void check_depth(const char *before, size_t depth, int expected)
{
	struct fixture f;
	auto_out struct out o;

	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, before);
	for (size_t i = 0; i < depth; i++)
		out_char(&o, '[');
	for (size_t i = 0; i < depth; i++)
		out_char(&o, ']');
	out_char(&o, '}');
	begin(&f);
	assert_int_equal(import_native(&f.in, o.p, o.len), expected);
	if (expected == E_SYNTAX)
		assert_non_null(strstr(f.ctx.detail, "deeper than 32"));
	end(&f);
}

static void test_depth(void **state)
{
	(void)state;
	check_depth("{\"runs\":", 31,
		    E_INVALID); /* 32 with the object itself: too odd, not too deep */
	check_depth("{\"runs\":", 32, E_SYNTAX);
	check_depth("{\"runs\":", 1000000, E_SYNTAX);
	check_depth("[[[[{\"runs\":", 100000, E_SYNTAX);
}

/* A string of size bytes as the value of "key", in an array after an element that is small. */
static int read_sized(const char *before, size_t size, const char *after)
{
	struct fixture f;
	auto_out struct out o;
	char *p;
	int e;

	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, before);
	p = out_room(&o, size);
	assert_non_null(p);
	memset(p, 'x', size);
	o.len += size;
	out_str(&o, after);
	begin(&f);
	e = import_native(&f.in, o.p, o.len);
	end(&f);
	return e;
}

static void test_size(void **state)
{
	const char *before = "{\"key\":\"", *after = "\"}";
	size_t frame = strlen(before) + strlen(after);

	(void)state;
	assert_int_equal(read_sized(before, ((size_t)4 << 20) - frame, after), E_INVALID);
	assert_int_equal(read_sized(before, ((size_t)4 << 20) - frame + 1, after), E_TOO_LARGE);
	assert_int_equal(read_sized("[{},{\"key\":\"", (size_t)5 << 20, "\"}]"), E_TOO_LARGE);
	assert_int_equal(read_sized("{\"key\":\"", (size_t)5 << 20, ""), E_TOO_LARGE);
	assert_int_equal(read_sized("{\"key\":\"", (size_t)65 << 20, ""), E_TOO_LARGE);
	/* bare words are documents too */
	assert_int_equal(read_sized("[", (size_t)5 << 20, "]"), E_TOO_LARGE);
}

static void test_lines(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(import_native_line(&f.in, "{\"a\":}", 6), E_SYNTAX);
	assert_memory_equal(f.ctx.detail, "column 6: ", 10);
	ctx_clear(&f.ctx);
	assert_int_equal(import_native_line(&f.in, "[{}]", 4), E_INVALID);
	assert_non_null(strstr(f.ctx.detail, "must be an object, is an array"));
	ctx_clear(&f.ctx);
	assert_int_equal(import_native_line(&f.in, "  ", 2), E_SYNTAX);
	ctx_clear(&f.ctx);
	assert_int_equal(import_native_line(&f.in, "{} {}", 5), E_SYNTAX);
	end(&f);
}

/* An array of many small documents is bounded too: the memory that it takes is many times its own
 * size. */
static void test_many_documents(void **state)
{
	struct fixture f;
	auto_out struct out json;

	(void)state;
	out_init(&json, 1 << 20);
	out_char(&json, '[');
	for (int i = 0; i < 20001; i++)
		out_str(&json, i ? ",1" : "1");
	begin(&f);
	assert_int_equal(import_native(&f.in, json.p, json.len), E_TOO_LARGE);
	assert_int_equal(f.ctx.nfaults, 0);
	assert_non_null(strstr(f.ctx.detail, "more than 20000 documents"));
	end(&f);
	out_truncate(&json, json.len - 2);
	out_char(&json, ']');
	begin(&f);
	assert_int_equal(import_native(&f.in, json.p, json.len), E_INVALID);
	end(&f);
}

/* 25,000 summary cells with what was printed of them are 50,001 objects and more: too many for one
 * tree. */
static void test_too_many_objects(void **state)
{
	struct fixture f;
	auto_out struct out json = {0};

	(void)state;
	out_init(&json, OUT_MAX_DEFAULT);
	out_str(&json, "{\"summary\":{");
	for (int i = 0; i < 25000; i++)
		out_fmt(&json, "%s\"m%d\":{\"printed\":{}}", i ? "," : "", i);
	out_str(&json, "}}");
	begin(&f);
	assert_int_equal(import_native(&f.in, json.p, json.len), E_TOO_LARGE);
	assert_non_null(strstr(f.ctx.detail, "more than 50000 objects and arrays"));
	end(&f);
}

/* --- the scanner
 * --------------------------------------------------------------------------------------- */

static void check_scan(const char *json, enum json_scan expected, size_t length)
{
	const char *stop;

	assert_int_equal(json_scan_value(json, json + strlen(json), 3, 6, &stop), expected);
	assert_int_equal(stop - json, length);
}

static void test_scan(void **state)
{
	(void)state;
	check_scan("{}x", JSON_SCAN_OK, 2);
	check_scan("[[[]]],", JSON_SCAN_OK, 6);
	check_scan("[[[[]]]]", JSON_SCAN_DEEP, 3);
	check_scan("[[],[],[],[],[]]", JSON_SCAN_OK, 16);
	check_scan("[[],[],[],[],[],[]]", JSON_SCAN_MANY, 16);
	check_scan("{\"}\":\"]\"}]", JSON_SCAN_OK, 9);
	check_scan("\"a\\\"b\" ", JSON_SCAN_OK, 6);
	check_scan("\"a\\\\\" \"", JSON_SCAN_OK, 5);
	check_scan("\"a\\\\\\\" \"", JSON_SCAN_OK, 8);
	check_scan("12,", JSON_SCAN_OK, 2);
	check_scan("true]", JSON_SCAN_OK, 4);
	check_scan("]", JSON_SCAN_OK, 1);
	check_scan("}", JSON_SCAN_OK, 1);
	check_scan(",,", JSON_SCAN_OK, 1);
	check_scan("{\"a\":[1,", JSON_SCAN_CUT, 8);
	check_scan("\"abc\\", JSON_SCAN_CUT, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_position_in_an_array),
		cmocka_unit_test(test_syntax_after_faults),
		cmocka_unit_test(test_control_characters_in_messages),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_too_many_objects),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_many_documents),
		cmocka_unit_test(test_scan),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("native_syntax", tests, NULL, NULL);
}
