/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranks at the edges: the reference file has the ordinary cases. Distributions are counted by hand:
 * of C(8,4) = 70 rank sums one is the smallest, of C(10,5) = 252 four are among the three smallest.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/analysis/rank_tests.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MANY     10000

static void near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%.17g, not %.17g", got, want);
}

static void smallest_samples(void **state)
{
	double one = 3, two[] = {3, 5};
	struct mann_whitney m = mann_whitney(&one, 1, &one, 1);

	(void)state;
	assert_true(m.exact && m.p == 1 && m.u_a == 0.5 && m.u_b == 0.5 && m.p_normal == 1);
	assert_true(isnan(m.p_normal_plain)); /* all values are equal */
	m = mann_whitney(&one, 1, two, 2);
	assert_true(m.all == 3 && m.u_a == 0.5 && m.p == 1);
	m = mann_whitney(NULL, 0, two, 2);
	assert_true(isnan(m.p) && isnan(m.u_a) && !m.exact);
}

/* 10,000 a side: the normal approximation, and the k-th of 100 million differences. */
static void beyond_the_exact(void **state)
{
	double a[MANY], b[MANY];
	struct mann_whitney m;
	struct shift s;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		a[i] = (double)(i * 7919 % MANY);
		b[i] = a[i] + 1;
	}
	m = mann_whitney(a, MANY, b, MANY);
	assert_false(m.exact);
	/* of every value of a, one of b is equal and the others stand as b = a would, but one */
	near(m.u_a, 0.5 * MANY * MANY - MANY + 0.5, 1e-15);
	assert_true(m.p == m.p_normal && m.p > 0.8 && m.p < 1);
	s = hodges_lehmann(a, MANY, b, MANY, 0.05);
	assert_true(s.median == 1);
	assert_true(s.low < 1 && s.high > 1 && s.high - s.low < 400);
}

static void extreme_values(void **state)
{
	static const double a[] = {-1.7e308, -1e300, 1e-300, 5e-324};
	static const double b[] = {1.7e308, 1e300, 1e301, 1e302};
	struct mann_whitney m = mann_whitney(a, 4, b, 4);
	struct shift s = hodges_lehmann(a, 4, a, 4, 0.05);

	(void)state;
	assert_true(m.at_most == 1 && m.all == 70 && m.u_a == 0 && m.u_b == 16);
	near(m.p, 2.0 / 70, 1e-15);
	assert_true(s.median == 0);
	s = hodges_lehmann(a, 4, b, 4, 0.05);
	assert_true(s.low == b[1] - a[2]); /* 1e300 */
	assert_true(isinf(s.high));        /* 3.4e308 is no double */
}

/* P(U = 0) = 1/70 is below .025, P(U <= 1) = 2/70 above: the outermost differences. */
static void shift_with_limits(void **state)
{
	static const double a4[] = {1, 2, 3, 4}, b4[] = {10, 20, 30, 40};
	static const double a5[] = {0, 0.1, 0.2, 0.3, 0.4}, b5[] = {1, 2, 3, 4, 5};
	struct shift s = hodges_lehmann(a4, 4, b4, 4, 0.05);

	(void)state;
	/* 16 differences: 6 … 9, 16 … 19, 26 … 29, 36 … 39 */
	assert_true(s.median == 22.5 && s.low == 6 && s.high == 39);
	/* 4 of 252 sums up to U = 2, 7 up to 3: the third difference from both ends */
	s = hodges_lehmann(a5, 5, b5, 5, 0.05);
	near(s.low, 0.8, 1e-12);
	near(s.high, 4.8, 1e-12);
	near(s.median, 2.8, 1e-12);
	/* of 3 and 3, the smallest sum has P 1/20 alone: any shift is possible */
	s = hodges_lehmann(a4, 3, b4, 3, 0.05);
	assert_true(s.median == 18 && isinf(s.low) && s.low < 0 && isinf(s.high) && s.high > 0);
	s = hodges_lehmann(a4, 3, b4, 3, 0.1);
	assert_true(s.low == 7 && s.high == 29);
	s = hodges_lehmann(NULL, 0, b4, 3, 0.1);
	assert_true(isnan(s.median) && isnan(s.low) && isnan(s.high));
}

static void equal_everywhere(void **state)
{
	double a[30];
	struct mann_whitney m;
	struct shift s;

	(void)state;
	for (size_t i = 0; i < COUNT(a); i++)
		a[i] = -7.25;
	m = mann_whitney(a, 30, a, 30);
	assert_true(m.exact && m.p == 1 && m.at_most == m.all && m.at_least == m.all);
	near(m.all, 118264581564861424.0, 1e-12); /* C(60,30) */
	s = hodges_lehmann(a, 30, a, 30, 0.05);
	assert_true(s.median == 0 && s.low == 0 && s.high == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_samples), cmocka_unit_test(beyond_the_exact),
		cmocka_unit_test(extreme_values),   cmocka_unit_test(shift_with_limits),
		cmocka_unit_test(equal_everywhere),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rank_tests", tests, NULL, NULL);
}
