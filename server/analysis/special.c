/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The polygamma functions, the normal tail and its inverse. Each is a short series where it
 * converges, reached by a recurrence; nothing is tabulated.
 */
#include "server/analysis/special.h"

#include <math.h>

#define SERIES_FROM 12.0 /* the first left-out term is below 1e-16 of the value */

double digamma(double x)
{
	double down = 0, u;

	if (!(x > 0))
		return NAN;
	for (; x < SERIES_FROM; x++)
		down += 1 / x;
	u = 1 / (x * x);
	return log(x) - 0.5 / x -
	       u * (1.0 / 12 -
		    u * (1.0 / 120 -
			 u * (1.0 / 252 -
			      u * (1.0 / 240 -
				   u * (1.0 / 132 - u * (691.0 / 32760 - u * (1.0 / 12))))))) -
	       down;
}

double trigamma(double x)
{
	double up = 0, u;

	if (!(x > 0))
		return NAN;
	for (; x < SERIES_FROM; x++)
		up += 1 / (x * x);
	u = 1 / (x * x);
	return up + 1 / x + u / 2 +
	       u / x *
		       (1.0 / 6 -
			u * (1.0 / 30 -
			     u * (1.0 / 42 -
				  u * (1.0 / 30 -
				       u * (5.0 / 66 - u * (691.0 / 2730 - u * (7.0 / 6)))))));
}

double tetragamma(double x)
{
	double down = 0, u;

	if (!(x > 0))
		return NAN;
	for (; x < SERIES_FROM; x++)
		down += 2 / (x * x * x);
	u = 1 / (x * x);
	return -down - u - u / x -
	       u * u *
		       (1.0 / 2 -
			u * (1.0 / 6 - u * (1.0 / 6 - u * (3.0 / 10 -
							   u * (5.0 / 6 - u * (691.0 / 210 -
									       u * (35.0 / 2)))))));
}

double trigamma_inverse(double v)
{
	double y = 0.5 + 1 / v;

	if (!(v > 0))
		return NAN;
	if (isinf(y)) /* trigamma(y) is 1/y there, beyond the range of a double */
		return INFINITY;
	for (int i = 0; i < 50; i++) {
		double t = trigamma(y);
		double step = t * (1 - t / v) / tetragamma(y);

		y += step;
		if (fabs(step) < 1e-14 * y)
			break;
	}
	return y;
}

double normal_tail(double z)
{
	return erfc(z * M_SQRT1_2) / 2;
}

/* Upper tail p in (0, 1/2]: Abramowitz and Stegun 26.2.23 has three digits, each step of Halley's
 * method on the tail triples them. */
static double upper_quantile(double p)
{
	double t = sqrt(-2 * log(p));
	double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
			       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));

	for (int i = 0; i < 3; i++) {
		double density = exp(-z * z / 2) / sqrt(2 * M_PI);
		double step = (normal_tail(z) - p) / density;

		if (!isfinite(step)) /* the density is a denormal or 0 */
			break;
		z += step / (1 + z * step / 2);
	}
	return z;
}

double normal_quantile(double p)
{
	if (!(p >= 0 && p <= 1))
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? -INFINITY : INFINITY;
	return p < 0.5 ? -upper_quantile(p) : upper_quantile(1 - p);
}
