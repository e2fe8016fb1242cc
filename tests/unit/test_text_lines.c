/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pasted lines, and the numbers in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "importers/text_lines.h"
#include "server/base/arena.h"

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* Alone in its memory: reading on would be seen. */
static void begin(struct text_lines *t, const char *text, size_t n)
{
	text_lines_init(t, arena, arena_copy(arena, text, n), n);
}

static void check(struct text_lines *t, const char *line, long number, size_t quote)
{
	const char *got = text_line(t);

	assert_non_null(got);
	assert_string_equal(got, line);
	assert_int_equal(t->number, number);
	assert_int_equal(t->quote, quote);
}

static void test_ends(void **state)
{
	static const char text[] = "\xef\xbb\xbfone \t\r\n\r\ntwo\n\n10%\r20%\rlast";
	struct text_lines t;

	(void)state;
	begin(&t, text, sizeof(text) - 1);
	check(&t, "one", 1, 0);
	check(&t, "", 2, 0);
	check(&t, "two", 3, 0);
	check(&t, "", 4, 0);
	check(&t, "10%", 5, 0);
	check(&t, "20%", 5, 0);
	check(&t, "last", 5, 0);
	assert_null(text_line(&t));
	assert_null(text_line(&t));
	begin(&t, "", 0);
	assert_null(text_line(&t));
	begin(&t, "x\n", 2);
	check(&t, "x", 1, 0);
	assert_null(text_line(&t));
}

static void test_quoting(void **state)
{
	static const char text[] = "> > >   lat\n>>x\n> >\n >  y\n>=2000=1%\n> >=5\nplain > x\n";
	struct text_lines t;

	(void)state;
	begin(&t, text, sizeof(text) - 1);
	check(&t, "  lat", 1, 3);
	check(&t, "x", 2, 2);
	check(&t, "", 3, 2);
	check(&t, " y", 4, 1);
	check(&t, ">=2000=1%", 5, 0);
	check(&t, ">=5", 6, 1);
	check(&t, "plain > x", 7, 0);
}

static void test_dirt(void **state)
{
	static const char text[] = "a\x1b[1;31mred\x1b[0m\nb\x1b]0;title\ad\x1b]8;;x\x1b\\e\x1b("
				   "Bf\nn\xc2\xa0p\0q\nend\x1b";
	struct text_lines t;

	(void)state;
	begin(&t, text, sizeof(text) - 1);
	check(&t, "ared", 1, 0);
	check(&t, "bdeBf", 2, 0);
	check(&t, "n p q", 3, 0);
	check(&t, "end", 4, 0);
}

static void test_long_line(void **state)
{
	const size_t n = 200000;
	char *text = malloc(n + 2);
	struct text_lines t;
	const char *line;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	text[n] = '\n';
	text[n + 1] = 'y';
	begin(&t, text, n + 2);
	line = text_line(&t);
	assert_int_equal(strlen(line), 65536);
	check(&t, "y", 2, 0);
	assert_int_equal(strlen(line), 65536); /* lines stay */
	free(text);
}

static void number(const char *text, bool grouping, double expected, const char *rest)
{
	const char *p = text;
	double v = -77;

	assert_true(text_number(&p, grouping, &v));
	assert_true(v == expected);
	assert_string_equal(p, rest);
}

static void no_number(const char *text)
{
	const char *p = text;
	double v;

	assert_false(text_number(&p, true, &v));
	assert_ptr_equal(p, text);
}

static void test_numbers(void **state)
{
	(void)state;
	number("12", false, 12, "");
	number(" -1.5e3us", false, -1500, "us");
	number("+.5)", false, 0.5, ")");
	number("2.", false, 2, "");
	number("1e", false, 1, "e");
	number("1e+x", false, 1, "e+x");
	number("1,234", false, 1, ",234");
	number("1,234,567.25 x", true, 1234567.25, " x");
	number("1,2345", true, 1, ",2345");
	number("1,23", true, 1, ",23");
	number("1234,567", true, 1234, ",567");
	number("14.4k", false, 14.4, "k");
	number("1.2.3", false, 1.2, ".3");
	no_number("");
	no_number("-");
	no_number(".");
	no_number("e5");
	no_number("inf");
	no_number("nan");
	no_number("0x10");
	no_number("1e999");
}

static void test_number_too_long(void **state)
{
	char text[600];

	(void)state;
	memset(text, '1', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	no_number(text);
}

static void scale(const char *text, double expected, const char *rest)
{
	const char *p = text;

	assert_true(text_scale(&p) == expected);
	assert_string_equal(p, rest);
}

static void test_scales(void **state)
{
	(void)state;
	scale("k", 1e3, "");
	scale("KiB/s", 1024, "B/s");
	scale("MB/s", 1e6, "B/s");
	scale("Gi", 1073741824, "");
	scale("T", 1e12, "");
	scale("Pi", 1125899906842624, "");
	scale("msec", 1, "msec");
	scale("", 1, "");
}

static void test_words(void **state)
{
	const char *p = "  one\ttwo three";
	char buf[4];

	(void)state;
	assert_string_equal(text_after("  Time: 0.1", "Time:"), " 0.1");
	assert_null(text_after("x Time: 0.1", "Time:"));
	assert_string_equal(text_find("x Time: 0.1", "Time: "), "0.1");
	assert_null(text_find("x", "Time"));
	assert_true(text_word(&p, buf, sizeof(buf)));
	assert_string_equal(buf, "one");
	assert_true(text_word(&p, buf, sizeof(buf)));
	assert_string_equal(buf, "two");
	assert_true(text_word(&p, buf, sizeof(buf)));
	assert_string_equal(buf, "thr");
	assert_false(text_word(&p, buf, sizeof(buf)));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ends),      TEST(test_quoting), TEST(test_dirt),
		TEST(test_long_line), TEST(test_numbers), TEST(test_number_too_long),
		TEST(test_scales),    TEST(test_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_lines", tests, NULL, NULL);
}
