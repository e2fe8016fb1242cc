/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts: where things are drawn, by hand arithmetic on the picture's measures (the plot is 868
 * wide from 76 on with 10 free at both ends, and 236 high from 48 on), and what odd data do. */
#include "server/view/chart.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "server/base/arena.h"
#include "server/view/chart_scale.h"
#include "server/view/url.h"

static struct chart_point point(const char *label, double mean, double stddev)
{
	return (struct chart_point){
		.label = label, .mean = mean, .stddev = stddev, .min = NAN, .max = NAN, .n = 1};
}

static struct chart chart_of(const struct chart_point *points, size_t n)
{
	return (struct chart){.title = "throughput",
			      .x_name = "commits, oldest first",
			      .y_name = "hackbench.throughput",
			      .y_unit = "KB/s",
			      .better = "higher is better",
			      .points = points,
			      .n = n};
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static void a_line_goes_through_the_means(void **state)
{
	struct chart_point pts[3] = {point("a", 100, NAN), point("b", 300, NAN),
				     point("c", 200, NAN)};
	struct chart c = chart_of(pts, 3);
	auto_out struct out o;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	c.y_unit = NULL;
	chart_history(&o, &c);
	/* 100..300 with a margin of a twentieth: 90 at y 284, 310 at 48; 100 is at 284 - 236 / 22.
	 */
	assert_non_null(
		strstr(o.p, "<path class=\"chart-line\" d=\"M86 273.3L510 58.7L934 166\"/>"));
	assert_non_null(strstr(o.p, ">hackbench.throughput</text>"));
	assert_non_null(strstr(o.p, ">higher is better</text>"));
	assert_non_null(strstr(o.p, ">commits, oldest first</text>"));
	assert_int_equal(count(o.p, "class=\"chart-grid\""), 5); /* 100, 150 … 300 */
	assert_non_null(strstr(o.p, ">150</text>"));
	assert_non_null(strstr(o.p, "aria-label=\"throughput. 3 points, from 100 at a to 200 at c. "
				    "higher is better.\""));
}

static void a_missing_mean_is_a_gap(void **state)
{
	struct chart_point pts[5] = {point("a", 1, 0.1), point("b", 2, 0.1), point("c", NAN, 0.1),
				     point("d", 2, NAN), point("e", INFINITY, 0)};
	struct chart c = chart_of(pts, 5);
	const char *line;
	auto_out struct out o;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	chart_history(&o, &c);
	line = strstr(o.p, "class=\"chart-line\" d=\"");
	assert_non_null(line);
	line += strlen("class=\"chart-line\" d=\"");
	/* M a L b, gap, M d */
	assert_int_equal(count(o.p, "<circle"), 3);
	assert_null(strstr(o.p, "nan"));
	assert_null(strstr(o.p, "inf"));
	*strchr(line, '"') = '\0';
	assert_int_equal(count(line, "M"), 2);
	assert_int_equal(count(line, "L"), 1);
}

static void links_titles_and_texts_are_escaped(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct chart_point pts[2] = {point("\"><script>", 479042.69, 1380.95),
				     point("b", 419357, 1)};
	struct chart c = chart_of(pts, 2);
	const double values[3] = {476795.9, 480692.2, NAN};
	auto_out struct out o;

	(void)state;
	pts[0].link = url_commit(a, "a&b");
	pts[0].subject = "<script>alert(1)</script>";
	pts[0].values = values;
	pts[0].n = 3;
	pts[0].min = 476795.9;
	pts[0].max = 480692.2;
	c.y_name = "<b>";
	c.y_unit = "<u>";
	c.title = "\" onload=\"";
	out_init(&o, OUT_MAX_DEFAULT);
	chart_history(&o, &c);
	assert_null(strstr(o.p, "<script"));
	assert_null(strstr(o.p, "<b>"));
	assert_null(strstr(o.p, "\" onload"));
	assert_non_null(strstr(o.p,
			       "<a href=\"/commit/a%26b\"><title>&#34;&gt;&lt;script&gt;: 479042 "
			       "&lt;u&gt; ± 1380 &lt;u&gt;, 3 values from 476795 &lt;u&gt; to "
			       "480692 &lt;u&gt;; &lt;script&gt;"));
	assert_int_equal(count(o.p, "h0"), 2); /* dots: the value that is none is left out */
}

static void axes_take_the_readable_unit(void **state)
{
	struct chart_point pts[2] = {point("a", 479042.69, NAN), point("b", 419357, NAN)};
	struct chart c = chart_of(pts, 2);
	auto_out struct out o;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	chart_history(&o, &c);
	assert_non_null(strstr(o.p, ">hackbench.throughput (MB/s)</text>"));
	assert_non_null(strstr(o.p, ">420</text>"));
	assert_non_null(strstr(o.p, ">480</text>"));
}

static void odd_values_stay_inside_the_picture(void **state)
{
	static const double sets[][2] = {
		{5, 5},
		{0, 0},
		{-3, -1},
		{1e300, -1e300},
		{DBL_MAX, -DBL_MAX},
		{1e-310, 2e-310},
		{5e-324, 5e-324},
		{DBL_MAX, DBL_MAX},
		{0, 5e-324},
		{1e9, 1e9 + 1e-3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct chart_point pts[2] = {point("a", sets[i][0], NAN),
					     point("b", sets[i][1], NAN)};
		struct chart c = chart_of(pts, 2);
		const char *at;
		auto_out struct out o;

		out_init(&o, OUT_MAX_DEFAULT);
		chart_history(&o, &c);
		assert_null(strstr(o.p, "nan"));
		assert_null(strstr(o.p, "inf"));
		for (at = o.p; (at = strstr(at, "cy=\"")) != NULL; at++) {
			double y = strtod(at + 4, NULL);

			assert_true(y >= 48 && y <= 284);
		}
	}
}

static void ticks_are_round_and_few(void **state)
{
	static const struct {
		double low, high;
	} ranges[] = {{0, 1},         {419357, 479042}, {-5, 5},     {0, 1e300},     {99, 101},
		      {0.001, 0.002}, {7, 7},           {-2, -1.99}, {12345, 99999}, {3, 1e6}};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct chart_scale s;
		double ticks[CHART_TICKS_MAX];
		size_t n;

		chart_scale_init(&s, ranges[i].low, ranges[i].high);
		n = chart_scale_ticks(&s, 1, ticks);
		assert_true(n >= 4 && n <= 7);
		for (size_t k = 0; k < n; k++) {
			char text[32];

			assert_true(ticks[k] >= s.low && ticks[k] <= s.high);
			/* at most four significant digits */
			snprintf(text, sizeof(text), "%.4g", ticks[k]);
			assert_true(fabs(strtod(text, NULL) - ticks[k]) <= fabs(ticks[k]) * 1e-12);
		}
	}
}

static void many_points_stay_bounded(void **state)
{
	auto_arena struct arena *a = arena_new();
	size_t n = 20000;
	struct chart_point *pts = arena_array(a, struct chart_point, n);
	struct chart c = chart_of(pts, n);
	static double values[20];
	auto_out struct out o;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		pts[i] = point(arena_fmt(a, "c%zu", i), (double)(i % 100), 1);
		pts[i].values = values;
		pts[i].n = 20;
	}
	out_init(&o, OUT_MAX_DEFAULT);
	chart_history(&o, &c);
	assert_true(count(o.p, "<circle") <= 2500);
	assert_true(count(o.p, "h0") <= 4001);
	assert_true(count(o.p, "rotate(-45)") <= 48);
	assert_non_null(strstr(o.p, ">c19999</text>")); /* the newest keeps its label */
}

static void no_points_make_a_sentence(void **state)
{
	struct chart_point gap = point("a", NAN, NAN);
	struct chart none = chart_of(NULL, 0), gaps = chart_of(&gap, 1);
	auto_out struct out o;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	chart_history(&o, &none);
	chart_history(&o, &gaps);
	assert_null(strstr(o.p, "<svg"));
	assert_int_equal(count(o.p, "<p "), 2);
	out_truncate(&o, 0);
	chart_spark(&o, NULL, 0);
	assert_int_equal(o.len, 0);
}

static void a_spark_shows_the_last_values(void **state)
{
	double means[100];
	auto_out struct out o;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		means[i] = i % 10 == 5 ? NAN : (double)i;
	out_init(&o, OUT_MAX_DEFAULT);
	chart_spark(&o, means, 100);
	assert_int_equal(count(o.p, "h0"), 54); /* of the last 60, six are gaps */
	assert_non_null(strstr(o.p, "chart-last"));
	assert_null(strstr(o.p, "nan"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_goes_through_the_means),
		cmocka_unit_test(a_missing_mean_is_a_gap),
		cmocka_unit_test(links_titles_and_texts_are_escaped),
		cmocka_unit_test(axes_take_the_readable_unit),
		cmocka_unit_test(odd_values_stay_inside_the_picture),
		cmocka_unit_test(ticks_are_round_and_few),
		cmocka_unit_test(many_points_stay_bounded),
		cmocka_unit_test(no_points_make_a_sentence),
		cmocka_unit_test(a_spark_shows_the_last_values),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
