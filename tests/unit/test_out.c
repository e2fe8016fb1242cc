/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output buffer: what is written, and what happens at its maximum. */
#include "server/base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void everything_arrives_in_order(void **state)
{
	auto_out struct out o;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, "a");
	out_char(&o, ' ');
	out_bytes(&o, "xyz", 2);
	out_fmt(&o, " %03d ", 7);
	out_int(&o, INT64_MIN);
	out_char(&o, ' ');
	out_int(&o, INT64_MAX);
	out_char(&o, ' ');
	out_int(&o, 0);
	out_char(&o, ' ');
	out_num(&o, -0.0);
	out_char(&o, ' ');
	out_num(&o, 479042.68774902937);
	assert_string_equal(o.p, "a xy 007 -9223372036854775808 9223372036854775807 0 -0.0 "
				 "479042.68774902937");
	assert_int_equal(o.len, strlen(o.p));
	assert_false(o.failed);
}

static void long_formats_are_not_cut(void **state)
{
	auto_out struct out o;
	static char text[100001];

	(void)state;
	memset(text, 'q', 100000);
	out_init(&o, OUT_MAX_DEFAULT);
	out_fmt(&o, "[%s]", text);
	assert_int_equal(o.len, 100002);
	assert_int_equal(o.p[100001], ']');
	assert_int_equal(o.p[100002], '\0');
}

static void the_maximum_holds_to_the_byte(void **state)
{
	auto_out struct out o;

	(void)state;
	out_init(&o, 10);
	out_str(&o, "0123456789");
	assert_false(o.failed);
	assert_string_equal(o.p, "0123456789");
	out_char(&o, 'x');
	assert_true(o.failed);
	assert_string_equal(o.p, "0123456789");
}

static void after_a_failure_nothing_more_is_kept(void **state)
{
	auto_out struct out o;

	(void)state;
	out_init(&o, 10);
	out_str(&o, "01234567");
	out_str(&o, "too long");
	out_char(&o, 'x'); /* would fit, but would leave a hole */
	out_num(&o, 1.5);
	assert_null(out_room(&o, 1));
	assert_true(o.failed);
	assert_string_equal(o.p, "01234567");
	out_truncate(&o, 4);
	assert_true(o.failed);
	out_truncate(&o, 0);
	assert_false(o.failed);
	out_str(&o, "sorry");
	assert_string_equal(o.p, "sorry");
}

static void absurd_sizes_fail_instead_of_wrapping(void **state)
{
	auto_out struct out o;

	(void)state;
	out_init(&o, 100);
	out_str(&o, "abc");
	assert_null(out_room(&o, SIZE_MAX));
	assert_null(out_room(&o, SIZE_MAX - 2));
	assert_true(o.failed);
}

static void numbers_near_the_maximum_are_whole_or_absent(void **state)
{
	(void)state;
	for (size_t max = 0; max < 40; max++) {
		auto_out struct out o;

		out_init(&o, max);
		out_num(&o, 419357.54264916026);
		if (max >= 18)
			assert_string_equal(o.p, "419357.54264916026");
		else
			assert_true(o.failed && o.len == 0);
	}
}

static void taking_leaves_an_empty_buffer(void **state)
{
	auto_out struct out o;
	size_t len = 9;
	char *p;

	(void)state;
	out_init(&o, 100);
	p = out_take(&o, &len);
	assert_int_equal(len, 0);
	assert_string_equal(p, "");
	free(p);
	out_str(&o, "body");
	p = out_take(&o, &len);
	assert_int_equal(len, 4);
	assert_string_equal(p, "body");
	free(p);
	assert_int_equal(o.len, 0);
	out_str(&o, "again");
	assert_string_equal(o.p, "again");
}

static void room_is_written_by_the_caller(void **state)
{
	auto_out struct out o;
	char *p;

	(void)state;
	out_init(&o, 5000);
	for (int i = 0; i < 1000; i++) {
		p = out_room(&o, 5);
		assert_non_null(p);
		memcpy(p, "12345", 5);
		o.len += 5;
	}
	assert_null(out_room(&o, 1));
	assert_int_equal(o.len, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_arrives_in_order),
		cmocka_unit_test(long_formats_are_not_cut),
		cmocka_unit_test(the_maximum_holds_to_the_byte),
		cmocka_unit_test(after_a_failure_nothing_more_is_kept),
		cmocka_unit_test(absurd_sizes_fail_instead_of_wrapping),
		cmocka_unit_test(numbers_near_the_maximum_are_whole_or_absent),
		cmocka_unit_test(taking_leaves_an_empty_buffer),
		cmocka_unit_test(room_is_written_by_the_caller),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
