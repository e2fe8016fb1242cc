/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture of samples: where dots lie is hand arithmetic on its width of 960, of which 16 and 24
 * are margins; words for those who do not see it; hostile names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/view/chart_samples.h"

#include <cmocka.h>

static struct out out;

static void draw(const struct sample_lane *lanes, size_t n)
{
	const struct sample_chart c = {.title = "Samples of <x>",
				       .x_name = "t.<x>",
				       .x_unit = "KB/s",
				       .better = "higher is better",
				       .lanes = lanes,
				       .n = n};

	out_truncate(&out, 0);
	chart_samples(&out, &c);
	out_char(&out, '\0');
}

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *s = out.p; (s = strstr(s, what)); s++)
		n++;
	return n;
}

/* The place of the k-th dot. */
static double number_behind(const char *what, size_t k)
{
	const char *s = out.p;

	for (size_t i = 0; i <= k; i++) {
		s = strstr(s, what);
		if (!s)
			fail_msg("there is no %zuth %s in %s", k, what, out.p);
		s += strlen(what);
	}
	return strtod(s, NULL);
}

/* 100, 150 and 200 lie evenly; equal values stand on each other, the lanes on lines of their own.
 */
static void places(void **state)
{
	const double x[] = {200, 100, 150}, y[] = {150, 150};
	const struct sample_lane lanes[] = {{"base", x, 3, 150}, {"next", y, 2, 150}};
	double left, middle, right;

	(void)state;
	draw(lanes, 2);
	assert_int_equal(count("<circle "), 5);
	left = number_behind("cx=\"", 0);
	middle = number_behind("cx=\"", 1);
	right = number_behind("cx=\"", 2);
	assert_true(left >= 16 && left < middle && middle < right && right <= 936);
	assert_true(middle - left - (right - middle) < 0.2 &&
		    middle - left - (right - middle) > -0.2);
	assert_true(number_behind("cx=\"", 3) == middle && number_behind("cx=\"", 4) == middle);
	assert_true(number_behind("cy=\"", 0) == number_behind("cy=\"", 2));
	assert_true(number_behind("cy=\"", 3) == number_behind("cy=\"", 0) + 56); /* a lane below */
	assert_true(number_behind("cy=\"", 4) == number_behind("cy=\"", 3) - 8);  /* a dot above */
}

static void words(void **state)
{
	const double x[] = {100, 200, 150}, y[] = {7};
	const struct sample_lane lanes[] = {{"base", x, 3, 150}, {"\"><script>", y, 1, 7}};

	(void)state;
	draw(lanes, 2);
	assert_non_null(strstr(out.p, "aria-label=\"Samples of &lt;x&gt;. 3 runs of base from "));
	assert_non_null(strstr(out.p, "1 run of &#34;&gt;&lt;script&gt; from "));
	assert_null(strstr(out.p, "<script"));
	assert_non_null(strstr(out.p, "higher is better"));
}

static void much_and_nothing(void **state)
{
	static double many[10000];
	const struct sample_lane lane = {"base", many, 10000, 5000}, none = {"base", many, 0, 0};

	(void)state;
	for (size_t i = 0; i < 10000; i++)
		many[i] = (double)i;
	draw(&lane, 1);
	assert_int_equal(count("<circle "), 2000);
	draw(&none, 1);
	assert_int_equal(count("<svg"), 0);
	assert_non_null(strstr(out.p, "there are no samples"));
	many[0] = 1e300;
	many[1] = -1e300;
	draw(&(struct sample_lane){"base", many, 2, 0}, 1);
	assert_int_equal(count("nan") + count("inf"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(words),
		cmocka_unit_test(much_and_nothing),
	};

	out_init(&out, OUT_MAX_DEFAULT);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("chart_samples", tests, NULL, NULL);
}
