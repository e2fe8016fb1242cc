/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tail of Student's t: P(|T| >= |t|) = I_x(df/2, 1/2) with x = df / (df + t^2), where I is the
 * regularised incomplete beta function, by its continued fraction (modified Lentz). The factor
 * before it comes from the ratio gamma(a + 1/2) / gamma(a) directly: the difference of two lgamma()
 * would lose digits as df grows, and lgamma() writes a global besides. For many degrees of freedom
 * the fraction gets long, and t is turned into a normal deviate (Hill 1970) instead.
 */
#include "server/analysis/describe.h"

#include <math.h>

#define DF_NORMAL    10000.0 /* from here the deviate is exact to 1e-12 as far as t = 35 */
#define FRACTION_MAX 500

/* gamma(a + 1/2) / gamma(a) for a > 0: raised to a >= 12 by the recurrence, then the even series in
 * w = a - 1/4 (Fields 1966), whose first left-out term is below 2e-15. */
static double gamma_ratio(double a)
{
	double up = 1, down = 1, w, u, series;

	while (a < 12) {
		up *= a;
		a += 0.5;
		down *= a;
		a += 0.5;
	}
	w = a - 0.25;
	u = 1 / (w * w);
	series = 20491783.0 / 8589934592.0;
	series = series * u - 174317.0 / 134217728.0;
	series = series * u + 631.0 / 524288.0;
	series = series * u - 19.0 / 8192.0;
	series = series * u + 1.0 / 64.0;
	series = series * u + 1;
	return sqrt(w) * series * up / down;
}

/* The continued fraction of I_x(a, b), converging fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d, h, step;
	int m;

	d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (m = 1; m <= FRACTION_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h;
}

static double tail_normal(double z)
{
	return erfc(z * M_SQRT1_2);
}

/* ln(1 + q^2), also where q^2 overflows. */
static double log1p_square(double q)
{
	return q > 1e8 ? 2 * log(q) : log1p(q * q);
}

/* Hill's transformation of t to a normal deviate. */
static double hill_deviate(double log_term, double df)
{
	double a = df - 0.5;
	double b = 48 * a * a;
	double y = a * log_term;
	double s = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b);

	return ((s + y + 3) / b + 1) * sqrt(y);
}

double student_t_two_sided(double t, double df)
{
	double q, x, y, a, log_term, front;

	if (isnan(t) || !(df > 0))
		return NAN;
	t = fabs(t);
	if (isinf(t))
		return 0;
	if (isinf(df))
		return tail_normal(t);
	q = t / sqrt(df);
	log_term = log1p_square(q);
	if (df > DF_NORMAL)
		return tail_normal(hill_deviate(log_term, df));
	a = df / 2;
	x = 1 / (1 + q * q);
	y = q > 1 ? 1 / (1 + 1 / (q * q)) : q * q / (1 + q * q);
	front = exp(-a * log_term) * sqrt(y) * gamma_ratio(a) * M_2_SQRTPI / 2;
	if (x < (a + 1) / (a + 2.5))
		return front / a * beta_fraction(a, 0.5, x);
	return 1 - 2 * front * beta_fraction(0.5, a, y);
}
