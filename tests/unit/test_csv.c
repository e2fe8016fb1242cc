/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV by the rules of RFC 4180, and texts that a spreadsheet must not run. */
#include "server/view/csv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct out o;
static struct csv c;

static int start(void **state)
{
	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	csv_init(&c, &o);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	out_free(&o);
	return 0;
}

static void fields_and_lines(void **state)
{
	(void)state;
	csv_str(&c, "aaa");
	csv_str(&c, "b \"b\" b");
	csv_str(&c, NULL);
	csv_str(&c, "");
	csv_str(&c, "c,c");
	csv_end_line(&c);
	csv_str(&c, "two\r\nlines");
	csv_int(&c, -7);
	csv_num(&c, 479042.68774902937);
	csv_num(&c, NAN);
	csv_num(&c, -0.5);
	csv_num(&c, INFINITY);
	csv_end_line(&c);
	assert_string_equal(o.p, "aaa,\"b \"\"b\"\" b\",,,\"c,c\"\r\n"
				 "\"two\r\nlines\",-7,479042.68774902937,,-0.5,Inf\r\n");
}

static void formulas_are_defused(void **state)
{
	(void)state;
	csv_str(&c, "=1+1");
	csv_str(&c, "+cmd|' /C calc'!A0");
	csv_str(&c, "-2+3");
	csv_str(&c, "@SUM(A1)");
	csv_str(&c, "\t=1");
	csv_str(&c, "\r=1");
	csv_str(&c, "=HYPERLINK(\"http://x\",\"y\")");
	csv_end_line(&c);
	assert_string_equal(o.p, "'=1+1,'+cmd|' /C calc'!A0,'-2+3,'@SUM(A1),'\t=1,\"'\r=1\","
				 "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"\r\n");
}

static void numbers_that_are_texts_stay_numbers(void **state)
{
	(void)state;
	csv_str(&c, "-12.5");
	csv_str(&c, "+1e3");
	csv_str(&c, "a=b");
	csv_end_line(&c);
	assert_string_equal(o.p, "-12.5,+1e3,a=b\r\n");
}

static void large_fields_are_carried(void **state)
{
	static char million[1000001];

	(void)state;
	memset(million, '"', 1000000);
	csv_str(&c, million);
	assert_int_equal(o.len, 2000002);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(fields_and_lines),
		TEST(formulas_are_defused),
		TEST(numbers_that_are_texts_stay_numbers),
		TEST(large_fields_are_carried),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
