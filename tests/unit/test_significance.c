/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests on samples and their adjustment, against figures of scipy 1.10 and statsmodels (tolerance
 * 1e-9 relative, 1e-12 absolute) and tails of t computed with 40 digits (1e-12 relative).
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

struct tail_case {
	double t, df, p;
};

/* Student's test and moderated t of the same reference. */
static const struct tail_case reference_tails[] = {
	{4.123105625617656, 2.0, 0.05409469707308281},
	{-16.571668362228767, 4.0, 7.766338103233121e-05},
	{1.6431676725154982, 6.0, 0.15145400164755},
	{1.6641005886756874, 8.0, 0.13466060342094102},
	{2.0123585110162416, 10.0, 0.07189128720806665},
	{0.5773124031046953, 8.0, 0.5796083713254093},
	{3.4865682437408405, 8.0, 0.008239803897881438},
	{1.0768275047585092, 4.0, 0.34217005690695357},
	{7.566118809941737, 8.0, 6.508719822314076e-05},
	{1.0040051084600645, 6.0, 0.35413384362297784},
	{4.2758167284920265, 4.0, 0.012890406076562578},
	{5.8387420812114215, 6.0, 0.001112216510866166},
	{3.305624115714071, 18.0, 0.003932181757452819},
	{1.31364520202913, 13.0, 0.21167727877568307},
	{6.622509441659143, 5.671239933676766, 0.0007186689824076977},
	{-0.9429335574036024, 5.671239933676766, 0.3841274701766221},
	{-0.172614030556247, 5.671239933676766, 0.8689490170748904},
	{-0.1868302517848087, 5.671239933676766, 0.8582966979293305},
	{-1.7773961497617732, 5.671239933676766, 0.1286877554195627},
	{15.722504392159001, 5.671239933676766, 6.809808953957759e-06},
};

/* Regularised incomplete beta function with 40 digits. */
static const struct tail_case exact_tails[] = {
	{1e-08, 3.0, 0.99999999264894806},
	{0.5, 0.7, 0.73040168668233002},
	{2.0, 1.0, 0.29516723530086655},
	{31.6, 4.25, 3.3172994274034419e-6},
	{12.0, 40.0, 7.8241713042559726e-15},
	{1.959963984540054, 9999.0, 0.050027733347913332},
	{1.959963984540054, 10001.0, 0.050027727801585877},
	{8.0, 10001.0, 1.3821064050174886e-15},
	{25.0, 9999.0, 7.4500723972093301e-134},
	{25.0, 10001.0, 7.4366224965427558e-134},
	{1e+100, 1.0, 6.3661977236758133e-101},
	{600.0, 4.0, 4.6295438969978686e-11},
};

struct bh_case {
	size_t n;
	double p[25], q[25];
};

static const struct bh_case adjustments[] = {
	{5,
	 {0.01, 0.02, 0.03, 0.04, 0.05},
	 {0.049999999999999996, 0.049999999999999996, 0.049999999999999996, 0.05, 0.05}},
	{4, {0.5, 0.01, 0.01, 0.2}, {0.5, 0.02, 0.02, 0.26666666666666666}},
	{1, {1}, {1}},
	{7,
	 {0.0001, 0.9, 0.003, 0.003, 0.6, 0.02, 0.04},
	 {0.0007, 0.9, 0.007, 0.007, 0.7000000000000001, 0.035, 0.05600000000000001}},
	{25,
	 {0.001873, 0.005038, 0.005533, 0.012381, 0.017438, 0.017897, 0.02404,  0.024887, 0.026982,
	  0.05206,  0.096732, 0.102793, 0.122103, 0.167827, 0.214126, 0.478034, 0.4826,   0.545667,
	  0.576835, 0.605131, 0.648288, 0.719833, 0.727823, 0.79569,  0.815978},
	 {0.046108333333333335,
	  0.046108333333333335,
	  0.046108333333333335,
	  0.07457083333333334,
	  0.07457083333333334,
	  0.07457083333333334,
	  0.07495,
	  0.07495,
	  0.07495,
	  0.13015000000000002,
	  0.21415208333333333,
	  0.21415208333333333,
	  0.23481346153846155,
	  0.2996910714285715,
	  0.3568766666666667,
	  0.7097058823529412,
	  0.7097058823529412,
	  0.7564137499999999,
	  0.7564137499999999,
	  0.7564137499999999,
	  0.7717714285714286,
	  0.7911119565217392,
	  0.7911119565217392,
	  0.8159779999999999,
	  0.8159779999999999}},
};

static void assert_close(const char *what, double got, double want, double relative)
{
	if (isnan(want) ? isnan(got) : fabs(got - want) <= 1e-12 + relative * fabs(want))
		return;
	fail_msg("%s: %.17g, not %.17g", what, got, want);
}

/* No absolute slack: small tails count too. */
static void assert_relative(double t, double df, double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * want))
		fail_msg("t %g, df %g: %.17g, not %.17g", t, df, got, want);
}

static void tests_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const struct pair_case *c = &pairs[i];
		struct description x = describe(c->x, c->nx), y = describe(c->y, c->ny);
		/* scipy has no p where all values are equal; here nothing differs, so it is 1 */
		double p = isnan(c->p) ? 1 : c->p;

		assert_close(c->what, welch_p(&x, &y), p, 1e-9);
		assert_close(c->what, welch_p(&y, &x), p, 1e-9);
		if (isfinite(c->t) && isfinite(c->df))
			assert_close(c->what, student_t_two_sided(c->t, c->df), p, 1e-9);
	}
}

static void tails_of_t(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(reference_tails); i++) {
		const struct tail_case *c = &reference_tails[i];

		assert_relative(c->t, c->df, student_t_two_sided(c->t, c->df), c->p, 1e-9);
	}
	for (size_t i = 0; i < COUNT(exact_tails); i++) {
		const struct tail_case *c = &exact_tails[i];

		assert_relative(c->t, c->df, student_t_two_sided(c->t, c->df), c->p, 1e-12);
		assert_relative(c->t, c->df, student_t_two_sided(-c->t, c->df), c->p, 1e-12);
	}
	assert_relative(0, 5, student_t_two_sided(0, 5), 1, 0);
	/* normal: 5 % beyond 1.96 */
	assert_relative(1.96, INFINITY, student_t_two_sided(1.959963984540054, INFINITY), 0.05,
			1e-12);
	assert_true(student_t_two_sided(INFINITY, 3) == 0);
	assert_true(isnan(student_t_two_sided(1, 0)));
	assert_true(isnan(student_t_two_sided(NAN, 3)));
}

static void welch_edges(void **state)
{
	const double a[] = {2, 2, 2}, b[] = {3, 3, 3}, one[] = {1};
	struct description x = describe(a, 3), y = describe(b, 3), z = describe(one, 1);

	(void)state;
	assert_true(welch_p(&x, &x) == 1);
	assert_true(welch_p(&x, &y) == 0);
	assert_true(welch_log_p(a, 3, a, 3) == 1);
	assert_true(welch_log_p(a, 3, b, 3) == 0);
	assert_true(isnan(welch_p(&x, &z)) && isnan(welch_p(&z, &x)));
	assert_true(isnan(welch_log_p(a, 3, one, 1)));
	assert_close("tiny p",
		     welch_log_p((double[]){1e-300, 2e-300, 3e-300}, 3,
				 (double[]){1e300, 2e300, 3e300}, 3),
		     0, 1e-9);
}

/* On logarithms: e^1..e^3 against e^2..e^4 is 1..3 against 2..4: t = sqrt(3/2), df 4. */
static void welch_on_logarithms(void **state)
{
	double a[3], b[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		a[i] = exp(i + 1);
		b[i] = exp(i + 2);
	}
	assert_close("p", welch_log_p(a, 3, b, 3), 0.28786413472669081, 1e-9);
	/* samples that differ by little */
	assert_close(
		"p",
		welch_log_p((double[]){100, 101, 99, 100}, 4, (double[]){102, 103, 101.5, 103}, 4),
		0.0053498745857561355, 1e-9);
	/* a factor changes nothing */
	for (int i = 0; i < 3; i++) {
		a[i] *= 1e9;
		b[i] *= 1e9;
	}
	assert_close("p", welch_log_p(a, 3, b, 3), 0.28786413472669081, 1e-9);
}

static void adjusts_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(adjustments); i++) {
		const struct bh_case *c = &adjustments[i];
		double q[25];
		size_t scratch[25];

		benjamini_hochberg(c->p, q, c->n, scratch);
		for (size_t k = 0; k < c->n; k++)
			assert_close("q", q[k], c->q[k], 1e-9);
	}
}

/* What was not tested does not count: the others are adjusted as if alone. */
static void adjusts_without_the_untested(void **state)
{
	const double p[] = {NAN, 0.01, NAN, 0.02};
	double q[4];
	size_t scratch[4];

	(void)state;
	benjamini_hochberg(p, q, 4, scratch);
	assert_true(isnan(q[0]) && isnan(q[2]));
	assert_close("q", q[1], 0.02, 1e-12);
	assert_close("q", q[3], 0.02, 1e-12);
	benjamini_hochberg(p, q, 0, scratch);
}

/* t with 7 degrees of freedom, standard error .2: scipy's t.sf and t.cdf. */
static void two_one_sided_tests(void **state)
{
	struct t_test t = {.difference = 0.3, .se = 0.2, .df = 7};

	(void)state;
	assert_true(fabs(equivalence_p(&t, 1) - 0.004996520440942777) < 1e-12);
	t.difference = -0.3;
	assert_true(fabs(equivalence_p(&t, 1) - 0.004996520440942777) < 1e-12);
	t.difference = 1.3; /* beyond the margin */
	assert_true(fabs(equivalence_p(&t, 1) - 0.911350756505015) < 1e-12);
	t.se = 0;
	assert_true(equivalence_p(&t, 1) == 1 && equivalence_p(&t, 2) == 0);
	t.se = NAN;
	assert_true(isnan(equivalence_p(&t, 1)));
}

static void hedges_edges(void **state)
{
	static const double a[] = {1e300, 1.1e300, 1.2e300}, b[] = {2e300, 2.1e300, 2.2e300};
	static const double c[] = {1e-300, 1.1e-300, 1.2e-300}, d[] = {2e-300, 2.1e-300, 2.2e-300};
	struct description x = describe(a, 3), y = describe(b, 3);

	(void)state;
	/* difference 10 stddevs of 1; J of 4 degrees of freedom is sqrt(2/pi) */
	assert_true(fabs(hedges_g(&x, &y) - 10 * 0.7978845608028654) < 1e-9);
	assert_true(fabs(hedges_g(&y, &x) + 10 * 0.7978845608028654) < 1e-9);
	x = describe(c, 3);
	y = describe(d, 3);
	assert_true(fabs(hedges_g(&x, &y) - 10 * 0.7978845608028654) < 1e-9);
	assert_true(fabs(student_test(&x, &y).t - 10 / sqrt(2.0 / 3)) < 1e-9);
	y = describe(d, 1);
	assert_true(isnan(student_test(&x, &y).p) && isfinite(hedges_g(&x, &y)));
	x = describe(c, 1);
	assert_true(isnan(hedges_g(&x, &y)));
	y = describe(d, 0);
	assert_true(isnan(hedges_g(&x, &y)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tests_the_reference),
		cmocka_unit_test(tails_of_t),
		cmocka_unit_test(welch_edges),
		cmocka_unit_test(welch_on_logarithms),
		cmocka_unit_test(adjusts_the_reference),
		cmocka_unit_test(adjusts_without_the_untested),
		cmocka_unit_test(two_one_sided_tests),
		cmocka_unit_test(hedges_edges),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("significance", tests, NULL, NULL);
}
