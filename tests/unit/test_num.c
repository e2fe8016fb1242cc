/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text and back; strtod() of the C library is the judge. */
#include "server/base/num.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *shortest(double v)
{
	static char buf[NUM_MAX + 1];

	buf[num_shortest(v, buf)] = '\0';
	return buf;
}

static void known_numbers_look_as_expected(void **state)
{
	(void)state;
	assert_string_equal(shortest(0), "0");
	assert_string_equal(shortest(-0.0), "-0.0");
	assert_string_equal(shortest(5), "5");
	assert_string_equal(shortest(-479042), "-479042");
	assert_string_equal(shortest(0.1), "0.1");
	assert_string_equal(shortest(-0.5), "-0.5");
	assert_string_equal(shortest(479042.68774902937), "479042.68774902937");
	assert_string_equal(shortest(1e30), "1e+30");
	assert_string_equal(shortest(1e300), "1e+300");
	assert_string_equal(shortest(5e-324), "5e-324");
	assert_string_equal(shortest(9007199254740991.0), "9007199254740991");
	assert_string_equal(shortest(9007199254740992.0), "9007199254740992");
}

static void everything_reads_back_the_same(void **state)
{
	uint64_t bits = UINT64_C(88172645463325252);
	char buf[NUM_MAX + 1];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double v, back;
		size_t n;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&v, &bits, sizeof(v));
		if (i % 2)
			v = (double)(int64_t)(bits >> 20) / 1024;
		if (!isfinite(v))
			continue;
		n = num_shortest(v, buf);
		assert_true(n < NUM_MAX);
		buf[n] = '\0';
		back = strtod(buf, NULL);
		assert_memory_equal(&back, &v, sizeof(v));
	}
}

static void rounding_is_that_of_printf(void **state)
{
	const double values[] = {0,     0.05,      1e-9,    1.234567891e-9, 0.99999999, 123456.5,
				 1e300, 2.0 / 3.0, -1.5e-7, DBL_MAX,        DBL_MIN,    1};
	char buf[NUM_MAX + 1], expected[NUM_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		buf[num_rounded(values[i], 6, buf)] = '\0';
		snprintf(expected, sizeof(expected), "%.6g", values[i]);
		assert_string_equal(buf, expected);
	}
}

static void integers_are_read_whole_and_in_range(void **state)
{
	static const char *const wrong[] = {"",
					    "-",
					    "+5",
					    " 5",
					    "5 ",
					    "5x",
					    "0x5",
					    "5.0",
					    "--5",
					    "1e3",
					    "9223372036854775808",
					    "-9223372036854775809",
					    "99999999999999999999999999"};
	int64_t v = 77;

	(void)state;
	assert_true(num_parse_int("0", 0, 10, &v) && v == 0);
	assert_true(num_parse_int("-0", 0, 10, &v) && v == 0);
	assert_true(num_parse_int("007", 0, 10, &v) && v == 7);
	assert_true(num_parse_int("9223372036854775807", INT64_MIN, INT64_MAX, &v));
	assert_int_equal(v, INT64_MAX);
	assert_true(num_parse_int("-9223372036854775808", INT64_MIN, INT64_MAX, &v));
	assert_int_equal(v, INT64_MIN);
	v = 77;
	assert_false(num_parse_int("11", 0, 10, &v));
	assert_false(num_parse_int("-1", 0, 10, &v));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(num_parse_int(wrong[i], INT64_MIN, INT64_MAX, &v));
	assert_int_equal(v, 77);
}

static void reals_are_read_whole_and_finite(void **state)
{
	static const char *const wrong[] = {"",      ".",   "-",     "1e", "e5",       "1e400",
					    "inf",   "nan", "0x1p3", " 1", "1 ",       "1,5",
					    "1.5.2", "12%", "1e+",   "-.", "infinity", "1_0"};
	char digits[1000];
	double v = 77;

	(void)state;
	assert_true(num_parse_real("-12.5", &v) && v == -12.5);
	assert_true(num_parse_real("+1.5E-3", &v) && v == 0.0015);
	assert_true(num_parse_real(".5", &v) && v == 0.5);
	assert_true(num_parse_real("5.", &v) && v == 5);
	assert_true(num_parse_real("-0", &v) && v == 0 && signbit(v));
	assert_true(num_parse_real("1e-400", &v) && v == 0);
	v = 77;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(num_parse_real(wrong[i], &v));
	memset(digits, '1', sizeof(digits) - 1);
	digits[sizeof(digits) - 1] = '\0';
	assert_false(num_parse_real(digits, &v));
	assert_true(v == 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_numbers_look_as_expected),
		cmocka_unit_test(everything_reads_back_the_same),
		cmocka_unit_test(rounding_is_that_of_printf),
		cmocka_unit_test(integers_are_read_whole_and_in_range),
		cmocka_unit_test(reals_are_read_whole_and_finite),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
