/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Description of samples, against figures that scipy gave for 16 pairs of samples (tolerance 1e-9
 * relative, 1e-12 absolute), small cases by hand, and cases at the edge of a double.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/describe.h"
#include "tests/unit/stats_reference.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void assert_close(const char *what, double got, double want, double relative)
{
	if (isnan(want) ? isnan(got) : fabs(got - want) <= 1e-12 + relative * fabs(want))
		return;
	fail_msg("%s: %.17g, not %.17g", what, got, want);
}

static void describes_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const struct pair_case *c = &pairs[i];
		struct description x = describe(c->x, c->nx), y = describe(c->y, c->ny);

		assert_int_equal(x.n, c->nx);
		assert_close(c->what, x.mean, c->mean_x, 1e-9);
		assert_close(c->what, y.mean, c->mean_y, 1e-9);
		assert_close(c->what, x.median, c->median_x, 1e-9);
		assert_close(c->what, y.median, c->median_y, 1e-9);
		assert_close(c->what, x.stddev, c->sd_x, 1e-9);
		assert_close(c->what, y.stddev, c->sd_y, 1e-9);
		assert_close(c->what, x.stddev_pop,
			     c->sd_x * sqrt((double)(c->nx - 1) / (double)c->nx), 1e-9);
	}
}

static void describes_hackbench(void **state)
{
	struct description x = describe(hackbench_before, 6), y = describe(hackbench_after, 6);

	(void)state;
	assert_true(x.mean == 479042.68774902937);
	assert_true(y.mean == 419357.54264916026);
	assert_close("sd", x.stddev, 1380.9406072156037, 1e-9);
	assert_close("sd", y.stddev, 3431.425287350316, 1e-9);
	assert_true(x.min == hackbench_before[3] && x.max == hackbench_before[2]);
	assert_true((y.mean - x.mean) / x.mean * 100 == -12.459253971775096);
}

static void few_values(void **state)
{
	struct description d = describe(NULL, 0);
	double one = 4.5, two[] = {1, 2};

	(void)state;
	assert_int_equal(d.n, 0);
	assert_true(isnan(d.mean) && isnan(d.stddev) && isnan(d.stddev_pop) && isnan(d.min) &&
		    isnan(d.median) && isnan(d.max));
	d = describe(&one, 1);
	assert_true(d.mean == 4.5 && d.min == 4.5 && d.median == 4.5 && d.max == 4.5);
	assert_true(isnan(d.stddev) && d.stddev_pop == 0);
	d = describe(two, 2);
	assert_close("sd of 1, 2", d.stddev, 0.7071067811865476, 1e-15);
	assert_true(d.stddev_pop == 0.5 && d.median == 1.5);
}

/* As numpy.percentile and scipy's median_abs_deviation say. */
static void places_in_order(void **state)
{
	static const double odd[] = {3.5, 1, 4, 1.5, 9, 2.6, 5}, even[] = {1, 2, 3, 4};
	struct quartiles q = quartiles_of(odd, 7);
	double many[1000], copy[] = {4, 1, 3, 2};

	(void)state;
	assert_close("first", q.first, 2.05, 1e-15);
	assert_close("second", q.second, 3.5, 1e-15);
	assert_close("third", q.third, 4.5, 1e-15);
	q = quartiles_of(even, 4);
	assert_true(q.first == 1.75 && q.second == 2.5 && q.third == 3.25);
	assert_true(median_deviation(odd, 7) == 1.5 && median_deviation(even, 4) == 1);
	assert_true(median_take(copy, 4) == 2.5);
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (double)(i * 7 % 1000);
	q = quartiles_of(many, 1000);
	assert_true(q.first == 249.75 && q.second == 499.5 && q.third == 749.25);
	assert_true(median_deviation(many, 1000) == 250);
	assert_true(median_take(many, 1000) == 499.5);
	for (size_t n = 1; n < COUNT(many); n++) { /* of every length, in several orders */
		for (size_t i = 0; i < n; i++)
			many[i] = (double)(n % 3 == 0 ? i : n % 3 == 1 ? n - 1 - i : i * 37 % n);
		if (n % 3 != 2 || n % 37 != 0)
			assert_true(median_take(many, n) == (double)(n - 1) / 2);
	}
	q = quartiles_of(NULL, 0);
	assert_true(isnan(q.first) && isnan(q.second) && isnan(q.third));
	assert_true(isnan(median_deviation(NULL, 0)) && isnan(median_take(NULL, 0)));
	q = quartiles_of(odd, 1);
	assert_true(q.first == 3.5 && q.third == 3.5 && median_deviation(odd, 1) == 0);
}

static void equal_values_have_no_spread(void **state)
{
	double v[100];

	(void)state;
	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = 0.1;
	for (size_t n = 2; n <= COUNT(v); n++) {
		struct description d = describe(v, n);

		assert_true(d.mean == 0.1 && d.stddev == 0 && d.stddev_pop == 0);
	}
}

/* Values at both ends of what a double holds, by scaling 1, 2, 3: mean 2, sd 1. */
static void far_values(void **state)
{
	const double scales[] = {1e300, 5e307, 1e-300, 1e-150, -1e300};

	(void)state;
	for (size_t i = 0; i < COUNT(scales); i++) {
		double s = scales[i], v[] = {s, 2 * s, 3 * s};
		struct description d = describe(v, 3);

		assert_close("mean", d.mean / s, 2, 1e-12);
		assert_close("sd", d.stddev / fabs(s), 1, 1e-12);
		assert_close("median", d.median / s, 2, 1e-12);
	}
}

/* A spread in the last digits of a large level: 1e9 + {1, 2, 3}. */
static void small_spread(void **state)
{
	double v[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
	struct description d = describe(v, 3);

	(void)state;
	assert_true(d.mean == 1e9 + 2);
	assert_close("sd", d.stddev, 1, 1e-12);
}

/* 1..n in a mixed order: mean (n+1)/2, variance n(n+1)/12. */
static void many_values(void **state)
{
	static double v[1001], w[1001];
	struct description d;

	(void)state;
	for (size_t i = 0; i < COUNT(v); i++) {
		v[i] = (double)(i * 577 % 1001 + 1);
		w[i] = v[i] + 0.5;
	}
	d = describe(v, 1001);
	assert_close("mean", d.mean, 501, 1e-12);
	assert_close("median", d.median, 501, 1e-12);
	assert_close("sd", d.stddev, sqrt(1001.0 * 1002 / 12), 1e-12);
	assert_true(d.min == 1 && d.max == 1001);
	/* b_j = j + .5 is above j of the a and below 1001 - j: the sum of 2j - 1001 is 1001 */
	assert_close("cliff", cliff_delta(v, 1001, w, 1001), 1.0 / 1001, 1e-12);
	assert_close("cliff", cliff_delta(v, 1001, v, 1001), 0, 1e-12);
}

static void cliffs_delta(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const struct pair_case *c = &pairs[i];

		assert_close(c->what, cliff_delta(c->x, c->nx, c->y, c->ny), c->cliff, 1e-9);
		assert_close(c->what, cliff_delta(c->y, c->ny, c->x, c->nx), -c->cliff, 1e-9);
	}
	assert_true(isnan(cliff_delta(pairs[0].x, 2, pairs[0].y, 0)));
	assert_true(isnan(cliff_delta(pairs[0].x, 0, pairs[0].y, 2)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describes_the_reference),
		cmocka_unit_test(describes_hackbench),
		cmocka_unit_test(few_values),
		cmocka_unit_test(places_in_order),
		cmocka_unit_test(equal_values_have_no_spread),
		cmocka_unit_test(far_values),
		cmocka_unit_test(small_spread),
		cmocka_unit_test(many_values),
		cmocka_unit_test(cliffs_delta),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("describe", tests, NULL, NULL);
}
