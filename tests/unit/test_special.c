/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Special functions against mpmath with 40 digits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/describe.h"
#include "server/analysis/special.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void near(const char *what, double at, double got, double want, double relative)
{
	if (isinf(want) ? got == want : fabs(got - want) <= relative * fabs(want))
		return;
	fail_msg("%s(%g): %.17g, not %.17g", what, at, got, want);
}

static void polygamma(void **state)
{
	static const double cases[][4] = {
		{1e-300, -1.0e+300, INFINITY, -INFINITY},
		{1e-8, -100000000.57721565, 10000000000000002.0, -2.0e+24},
		{0.5, -1.9635100260214235, 4.9348022005446793, -16.82879664423432},
		{1, -0.57721566490153286, 1.6449340668482264, -2.4041138063191886},
		{2.5, 0.70315664064524319, 0.49035775610023486, -0.2362040516417274},
		{7.25, 1.910453526883736, 0.14787923315893217, -0.021828952295197739},
		{11.999, 2.4425747743291192, 0.086909420732240828, -0.0075485156327047116},
		{12, 2.442661679975812, 0.086901872871768391, -0.0075472053689989119},
		{40, 3.6763273740348431, 0.025315103841291028, -0.00064082027183529859},
		{12345.5, 9.421006402052685, 8.1004455200744419e-5, -6.5617217587813935e-9},
		{1e10, 23.025850929890457, 1.00000000005e-10, -1.0000000001e-20},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		near("digamma", cases[i][0], digamma(cases[i][0]), cases[i][1], 1e-14);
		near("trigamma", cases[i][0], trigamma(cases[i][0]), cases[i][2], 1e-14);
		near("tetragamma", cases[i][0], tetragamma(cases[i][0]), cases[i][3], 1e-14);
	}
	assert_true(fabs(digamma(1.4616321449683622)) < 1e-15);
	assert_true(isnan(digamma(0)) && isnan(trigamma(-1)) && isnan(tetragamma(NAN)));
}

static void inverse(void **state)
{
	static const double at[] = {1e-8, 0.01, 0.5, 1, 2.5, 7.25, 40, 12345.5, 1e10};

	(void)state;
	for (size_t i = 0; i < COUNT(at); i++)
		near("trigamma_inverse", at[i], trigamma_inverse(trigamma(at[i])), at[i], 1e-12);
	assert_true(isinf(trigamma_inverse(1e-310)));
	assert_true(isnan(trigamma_inverse(0)));
}

static void normal(void **state)
{
	static const double quantiles[][2] = {
		{1e-300, -37.047096299361199}, {1e-20, -9.2623400897984076},
		{0.001, -3.0902323061678135},  {0.025, -1.9599639845400542},
		{0.3, -0.52440051270804078},   {0.8, 0.84162123357291421},
		{0.975, 1.9599639845400542},   {0.999999, 4.7534243088228989},
	};
	static const double tails[][2] = {
		{-3, 0.99865010196836991},
		{1, 0.15865525393145705},
		{8, 6.2209605742717841e-16},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(quantiles); i++)
		near("quantile", quantiles[i][0], normal_quantile(quantiles[i][0]), quantiles[i][1],
		     quantiles[i][0] > 0.99 ? 1e-11 : 1e-13); /* 1 - p has 11 digits */
	for (size_t i = 0; i < COUNT(tails); i++)
		near("tail", tails[i][0], normal_tail(tails[i][0]), tails[i][1], 1e-13);
	assert_true(normal_quantile(0.5) == 0 || fabs(normal_quantile(0.5)) < 1e-15);
	assert_true(isinf(normal_quantile(0)) && isinf(normal_quantile(1)));
	assert_true(isnan(normal_quantile(1.1)));
}

static void student(void **state)
{
	static const double cases[][3] = {
		{0.975, 1, 12.706204736174705},     {0.975, 0.5, 164.55767348048853},
		{0.975, 2, 4.3026527297494639},     {0.8, 3.7, 0.94987782429608448},
		{0.8, 4, 0.94096457723518117},      {0.9999999, 5.5, 31.508750589951971},
		{0.2, 10, -0.87905782855058869},    {0.975, 33.3, 2.0338192241340532},
		{0.99999, 200, 4.3693895523426035}, {0.975, 9999, 1.9602012636213577},
		{0.975, 20000, 1.9600826051581352}, {0.6, 1.2, 0.31283262132396813},
		{0.975, 1e6, 1.959966356814107},    {0.975, INFINITY, 1.9599639845400542},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		near("t", cases[i][1], student_t_quantile(cases[i][0], cases[i][1]), cases[i][2],
		     1e-9);
	/* 1 - p has but 12 digits here */
	near("t", 2.5, student_t_quantile(0.999999999999, 2.5), 55306.174076515815, 1e-4);
	near("t", 6, student_t_quantile(0.500001, 6), 2.6127890589721915e-6, 1e-9);
	assert_true(student_t_quantile(0.5, 3) == 0);
	assert_true(isinf(student_t_quantile(1, 3)) && isnan(student_t_quantile(0.9, 0)));
	/* and back, over the whole field */
	for (double df = 0.3; df < 1e5; df *= 1.7)
		for (double p = 0.51; p < 1; p += 0.03)
			near("tail", p, 1 - student_t_two_sided(student_t_quantile(p, df), df) / 2,
			     p, 1e-11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polygamma),
		cmocka_unit_test(inverse),
		cmocka_unit_test(normal),
		cmocka_unit_test(student),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
