/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Student's t. Its tail: P(|T| >= |t|) = I_x(df/2, 1/2) with x = df / (df + t^2), where I is the
 * regularised incomplete beta function, by its continued fraction (modified Lentz). The factor
 * before it comes from the ratio gamma(a + 1/2) / gamma(a) directly: the difference of two lgamma()
 * would lose digits as df grows, and lgamma() writes a global besides. For many degrees of freedom
 * the fraction gets long, and t is turned into a normal deviate (Hill 1970) instead.
 */
#include "server/analysis/describe.h"

#include <math.h>

#include "server/analysis/special.h"

#define DF_NORMAL    10000.0 /* from here the deviate is exact to 1e-12 as far as t = 35 */
#define FRACTION_MAX 500

/* gamma(a + 1/2) / gamma(a) for a > 0: raised to a >= 12 by the recurrence, then the even series in
 * w = a - 1/4 (Fields 1966), whose first left-out term is below 2e-15. */
double gamma_ratio(double a)
{
	double up = 1, down = 1, w, u, series;

	if (!(a > 0))
		return NAN;
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

/* ln of the density at t. */
static double log_density(double t, double df)
{
	double log_term = log1p_square(t / sqrt(df));

	if (isinf(df))
		return -t * t / 2 - log(2 * M_PI) / 2;
	return log(gamma_ratio(df / 2) / sqrt(df * M_PI)) - (df + 1) / 2 * log_term;
}

/* Hill's approximation of t with the two-sided tail p, for df >= 1. */
static double hill_quantile(double p, double df)
{
	double a = 1 / (df - 0.5), b = 48 / (a * a), c, d, x, y;

	c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
	d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * M_PI_2) * df;
	x = d * p;
	y = pow(x, 2 / df);
	if (y > 0.05 + a) {
		x = normal_quantile(p / 2);
		y = x * x;
		if (df < 5)
			c += 0.3 * (df - 4.5) * (x + 0.6);
		c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
		y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
		y = expm1(a * y * y);
	} else {
		y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) +
		      0.5 / (df + 4)) *
			     y -
		     1) * (df + 1) /
			    (df + 2) +
		    1 / y;
	}
	return sqrt(df * y);
}

/* A first guess that Newton's method cannot fail from: also for df < 1, where the tail is nearly a
 * power of t. */
static double first_guess(double p, double df)
{
	double t = df >= 1 ? hill_quantile(p, df) : pow(p, -1 / df);

	return t > 0 && isfinite(t) ? t : 1;
}

double student_t_quantile(double p, double df)
{
	double tail = 2 * fmin(p, 1 - p), t, x;

	if (!(p >= 0 && p <= 1 && df > 0))
		return NAN;
	if (isinf(df) || p == 0 || p == 1)
		return normal_quantile(p);
	if (p == 0.5)
		return 0;
	t = first_guess(tail, df);
	/* On ln tail over ln t, which is nearly straight far out and concave everywhere. */
	for (int i = 0; i < 50; i++) {
		double now = student_t_two_sided(t, df);

		if (!(now > 0))
			break;
		x = log(now / tail) * now / (2 * t * exp(log_density(t, df)));
		t *= exp(fmin(fmax(x, -5), 5));
		if (fabs(x) < 1e-13)
			break;
	}
	return p < 0.5 ? -t : t;
}
