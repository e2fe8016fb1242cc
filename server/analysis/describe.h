/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Description of a set of samples, and the elementary tests on two of them. Pure. */
#ifndef ANALYSIS_DESCRIBE_H
#define ANALYSIS_DESCRIBE_H

#include <stddef.h>

struct description {
	size_t n;
	double mean;
	double stddev;     /* sample, n-1; NAN when n < 2 */
	double stddev_pop; /* population, n; what the robot prints; NAN when n < 1 */
	double min, median, max;
};

/* Describes n finite values (n >= 0; with n = 0 all is NAN). Two passes, so that 1e300 and 1e-300
 * neither overflow nor vanish in the mean. Equal values give exactly 0 as stddev. */
struct description describe(const double *v, size_t n);

/* Two-sided p of Welch's unequal-variances t test (Welch 1947), Welch-Satterthwaite degrees of
 * freedom. NAN when a side has n < 2. Both variances 0: 1 when the means are equal, else 0. */
double welch_p(const struct description *a, const struct description *b);
/* The same on the natural logarithms of both sides; all values must be > 0. */
double welch_log_p(const double *a, size_t na, const double *b, size_t nb);
/* Two-sided tail of Student's t with df > 0 degrees of freedom (df may be fractional or INFINITY):
 * P(|T| >= |t|), by the regularised incomplete beta function, relative error below 1e-12. */
double student_t_two_sided(double t, double df);
/* Cliff's delta (Cliff 1993): P(b > a) - P(b < a), in [-1, 1]. NAN when a side is empty. */
double cliff_delta(const double *a, size_t na, const double *b, size_t nb);
/* Benjamini-Hochberg (1995) adjusted p: q[i] for p[i], monotone, at most 1. NAN stays NAN and does
 * not count as a test. scratch has room for n indices. */
void benjamini_hochberg(const double *p, double *q, size_t n, size_t *scratch);

#endif
