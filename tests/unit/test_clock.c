/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times: examples of RFC 3339 with seconds from date(1), and the C library over 10,000 years. */
#include "server/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct {
	const char *text;
	int64_t t;
} known[] = {
	{"1970-01-01T00:00:00Z", 0},
	{"1969-12-31T23:59:59Z", -1},
	{"2023-07-20T03:01:00Z", 1689822060},
	{"2000-02-29T23:59:59Z", 951868799},
	{"2100-03-01T00:00:00Z", 4107542400},
	{"1900-02-28T00:00:00Z", -2203977600},
	{"0000-01-01T00:00:00Z", -62167219200},
	{"9999-12-31T23:59:59Z", 253402300799},
};

static void known_times_both_ways(void **state)
{
	char text[TIME_TEXT];
	int64_t t;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		clock_rfc3339(known[i].t, text);
		assert_string_equal(text, known[i].text);
		assert_true(clock_parse(known[i].text, &t));
		assert_int_equal(t, known[i].t);
	}
	clock_short(1689822060, text);
	assert_string_equal(text, "2023-07-20 03:01");
}

static void times_that_cannot_be_written_are_empty(void **state)
{
	char text[TIME_TEXT];
	const int64_t none[] = {TIME_NONE, INT64_MAX, 253402300800, -62167219201};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		clock_rfc3339(none[i], text);
		assert_string_equal(text, "");
		clock_short(none[i], text);
		assert_string_equal(text, "");
	}
}

static void other_spellings_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t t;
	} spellings[] = {
		{"2023-07-20", 1689811200},
		{"2023-07-20 03:01:00Z", 1689822060},
		{"2023-07-20t03:01:00z", 1689822060},
		{"2023-07-20T05:01:00+02:00", 1689822060},
		{"1985-04-12T23:20:50.52Z", 482196050},
		{"1996-12-19T16:39:57-08:00", 851042397},
		{"1990-12-31T23:59:60Z", 662688000},
		{"2023-07-20T03:01:00.123456789+00:00", 1689822060},
	};
	int64_t t;

	(void)state;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		assert_true(clock_parse(spellings[i].text, &t));
		assert_int_equal(t, spellings[i].t);
	}
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"now",
		"1689822060",
		"2023-7-20",
		"2023-02-29",
		"2100-02-29",
		"2023-13-01",
		"2023-00-10",
		"2023-04-31",
		"2023-01-00",
		"2023-07-20T",
		"2023-07-20T03:01",
		"2023-07-20T03:01:00",
		"2023-07-20T24:00:00Z",
		"2023-07-20T03:60:00Z",
		"2023-07-20T03:01:61Z",
		"2023-07-20T03:01:00.Z",
		"2023-07-20T03:01:00+2:00",
		"2023-07-20T03:01:00+0200",
		"2023-07-20T03:01:00+24:00",
		"2023-07-20T03:01:00Zx",
		"2023-07-20x",
		" 2023-07-20",
		"+2023-07-20",
		"12023-07-20",
	};
	int64_t t = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(clock_parse(wrong[i], &t));
	assert_int_equal(t, 77);
}

static void the_calendar_is_that_of_the_c_library(void **state)
{
	char text[TIME_TEXT], expected[TIME_TEXT + 20];

	(void)state;
	/* A step of 9 days and some, coprime to the day. */
	for (int64_t t = -62167219200; t <= 253402300799; t += 811873) {
		time_t tt = (time_t)t;
		struct tm tm;

		gmtime_r(&tt, &tm);
		snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02dZ",
			 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
			 tm.tm_sec);
		clock_rfc3339(t, text);
		assert_string_equal(text, expected);
	}
}

static void clocks_run(void **state)
{
	int64_t us = clock_us();

	(void)state;
	assert_true(clock_us() >= us);
	assert_true(clock_now() >= 1700000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_times_both_ways),
		cmocka_unit_test(times_that_cannot_be_written_are_empty),
		cmocka_unit_test(other_spellings_are_read),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(the_calendar_is_that_of_the_c_library),
		cmocka_unit_test(clocks_run),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
