/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a fix is shown to be back at the old level. The expected figures are hand arithmetic with
 * tails of the normal distribution by another program's erfc.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/analysis/equivalence.h"
#include "server/analysis/rule.h"

#include <cmocka.h>

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

static struct rule_row row(enum rule_scale scale, double x, double y, double se)
{
	return (struct rule_row){
		.scale = scale,
		.unit = 10,
		.nx = 6,
		.ny = 6,
		.mean_x = scale_do(scale, 10, x),
		.mean_y = scale_do(scale, 10, y),
		.variance = se * se,
		.df = INFINITY,
	};
}

/* 10 points became 10.2, standard error .2: within 1 point by 4 standard errors. */
static void points(void **state)
{
	struct rule_row r = row(SCALE_PERCENT, 10, 10.2, .2);
	struct fix_check f = fix_check(&r, 2, false);

	(void)state;
	assert_int_equal(f.state, FIX_DONE);
	assert_near(f.margin, 1);
	assert_near(f.p, 3.167124183311986e-05);
	assert_near(f.low, .2 - 1.6448536269514722 * .2);
	assert_near(f.high, .2 + 1.6448536269514722 * .2);
	assert_near(fix_check(&r, 30, false).margin, 10);
}

/* -2.9 % left of -21.8 %, on logarithms: the margin reaches from ln(1 - .0727) up. */
static void logarithms(void **state)
{
	struct rule_row r = row(SCALE_LOG, 100, 97, .01);
	struct fix_check f = fix_check(&r, -21.8, false);

	(void)state;
	assert_int_equal(f.state, FIX_DONE);
	assert_near(f.margin, 21.8 / 3);
	assert_near(f.p, 3.424969511018862e-06);
	assert_near(f.low, -4.582457782783801);
	assert_near(f.high, -1.3912978540089407);
}

static void counts(void **state)
{
	struct rule_row r = row(SCALE_COUNT, 4, 4.1, .05);
	struct fix_check f = fix_check(&r, 90, false); /* within 30 %: from 2.8 to 5.2 */

	(void)state;
	assert_int_equal(f.state, FIX_DONE);
	assert_near(f.p, 4.223983271161702e-23);
	assert_near(f.low, -1.807170344657294);
	assert_near(f.high, 6.891718577597761);
}

/* Below zero: percent are parts of the distance from 0, upwards. */
static void negative(void **state)
{
	struct rule_row r = row(SCALE_PLAIN, -10, -10.2, .01);
	struct fix_check f = fix_check(&r, -30, false);

	(void)state;
	assert_int_equal(f.state, FIX_DONE);
	assert_near(f.p, 6.220960574271819e-16);
	assert_near(f.low, -2 - 1.6448536269514722);
	assert_near(f.high, -2 + 1.6448536269514722);
}

/* With history the old level is that of the commits before. */
static void beside_history(void **state)
{
	struct rule_row r = row(SCALE_PERCENT, 5, 10.2, .2);

	(void)state;
	r.nhistory = RULE_HISTORY_MIN;
	r.level = 10;
	assert_int_equal(fix_check(&r, 2, false).state, FIX_DONE);
	r.nhistory = RULE_HISTORY_MIN - 1;
	assert_int_equal(fix_check(&r, 2, false).state, FIX_NOT);
}

static void words(void **state)
{
	struct rule_row r = row(SCALE_PERCENT, 10, 12, .2);

	(void)state;
	assert_int_equal(fix_check(&r, 3, false).state, FIX_NOT); /* it had risen, and still has */
	assert_int_equal(fix_check(&r, -3, false).state, FIX_BEYOND);
	r.variance = 1; /* 12 ± 1.6 reaches into the margin */
	assert_int_equal(fix_check(&r, -3, false).state, FIX_NOT);
	r = row(SCALE_PERCENT, 10, 10.2, .2);
	assert_int_equal(fix_check(&r, 2, true).state, FIX_FEW); /* one boot */
	r.ny = 2;
	assert_int_equal(fix_check(&r, 2, false).state, FIX_FEW);
	r = row(SCALE_PERCENT, 10, 10.2, 2);
	assert_int_equal(fix_check(&r, 2, false).state, FIX_FEW);
	r.untested = RULE_NO_NOISE;
	assert_int_equal(fix_check(&r, 2, false).state, FIX_UNTESTED);
	assert_int_equal(fix_check(NULL, 2, false).state, FIX_UNTESTED);
	assert_true(isnan(fix_check(NULL, 2, false).p));
	r = row(SCALE_COUNT, 0, 1, .1); /* percent of nothing */
	assert_int_equal(fix_check(&r, 2, false).state, FIX_UNTESTED);
	assert_string_equal(fix_state_name(FIX_DONE), "fixed");
	assert_string_equal(fix_state_name(FIX_NOT), "not fixed");
	assert_string_equal(fix_state_name(FIX_FEW), "not told");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points),         cmocka_unit_test(logarithms),
		cmocka_unit_test(counts),         cmocka_unit_test(negative),
		cmocka_unit_test(beside_history), cmocka_unit_test(words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("equivalence", tests, NULL, NULL);
}
