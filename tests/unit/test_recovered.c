/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The share of a change that is recovered, and its interval. The expected bounds were found by
 * bisection on (a - R b)^2 = t^2 Var(a - R b), with Student's quantile from numerical integration:
 * not by the formula that the program uses.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/analysis/recovered.h"

#include <cmocka.h>

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

static const struct recovered_side base = {100, 2, 6}, slow = {78.2, 1.5, 5}, patch = {97.1, 1, 4};
static const struct recovered_side other_base = {200, 5, 6}, other_patch = {194.2, 2.5, 8};

static void on_one_base(void **state)
{
	struct recovered r = recovered_share(&base, &slow, &base, &patch, false);

	(void)state;
	assert_near(r.share, 1 - 2.9 / 21.8);
	assert_near(r.low, 0.780106568733);
	assert_near(r.high, 0.965525410166);
}

/* The same percentages on another base are less sure. */
static void on_two_bases(void **state)
{
	struct recovered r = recovered_share(&base, &slow, &other_base, &other_patch, false);

	(void)state;
	assert_near(r.share, 1 - 2.9 / 21.8);
	assert_near(r.low, 0.747137447962);
	assert_near(r.high, 0.984121422499);
}

static void points(void **state)
{
	const struct recovered_side a = {10, .5, 5}, b = {14, .7, 5}, c = {11, .4, 4},
				    d = {12, .6, 6};
	struct recovered r = recovered_share(&a, &b, &c, &d, true);

	(void)state;
	assert_near(r.share, .75);
	assert_near(r.low, 0.547250628109);
	assert_near(r.high, 0.928267631616);
}

static void without_an_interval(void **state)
{
	const struct recovered_side one = {97.1, NAN, 1}, noisy = {78.2, 40, 3}, zero = {0, 1, 5};
	struct recovered r = recovered_share(&base, &slow, &base, &one, false);

	(void)state;
	assert_near(r.share, 1 - 2.9 / 21.8);
	assert_true(isnan(r.low) && isnan(r.high));
	r = recovered_share(&base, &noisy, &base, &patch, false);
	assert_near(r.share, 1 - 2.9 / 21.8);
	assert_true(isnan(r.low) && isnan(r.high)); /* the change itself may be none */
	assert_true(isnan(recovered_share(&base, &base, &base, &patch, false).share));
	assert_true(isnan(recovered_share(&base, &slow, &zero, &patch, false).share));
	r = recovered_from_changes(-21.8, -2.9);
	assert_near(r.share, 1 - 2.9 / 21.8);
	assert_true(isnan(r.low));
	assert_true(isnan(recovered_from_changes(0, 1).share));
}

/* No spread anywhere: it is what it is. */
static void constants(void **state)
{
	const struct recovered_side a = {10, 0, 3}, b = {8, 0, 3}, c = {9, 0, 3};
	struct recovered r = recovered_share(&a, &b, &a, &c, false);

	(void)state;
	assert_near(r.share, .5);
	assert_near(r.low, .5);
	assert_near(r.high, .5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_one_base),
		cmocka_unit_test(on_two_bases),
		cmocka_unit_test(points),
		cmocka_unit_test(constants),
		cmocka_unit_test(without_an_interval),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("recovered", tests, NULL, NULL);
}
