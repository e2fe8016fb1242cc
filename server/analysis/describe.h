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

/* Quartiles by linear interpolation at h = (n - 1) p of the sorted values (Hyndman and Fan 1996,
 * type 7: what R and numpy do by default); the second is the median. NAN when n < 1. */
struct quartiles {
	double first, second, third;
};
struct quartiles quartiles_of(const double *v, size_t n);
/* The median of v, whose order is lost; NAN when n < 1. Costs n, not n log n. */
double median_take(double *v, size_t n);
/* Median absolute deviation from the median, not scaled to a stddev (times 1.4826 it estimates that
 * of normal values). NAN when n < 1. */
double median_deviation(const double *v, size_t n);

/* A difference of means, b - a, in units of its standard error. */
struct t_test {
	double difference, se;
	double t, df; /* t: ±INFINITY or NAN where se is 0; df: NAN where it has no meaning */
	double p;     /* two-sided; NAN when it cannot be told */
};
/* Welch's test (unequal variances, Welch-Satterthwaite degrees of freedom) and Student's (pooled
 * variance, n_a + n_b - 2). Both spreads 0: t is ±INFINITY and p 0 when the means differ, both NAN
 * when they do not. NAN when a side has n < 2. */
struct t_test welch_test(const struct description *a, const struct description *b);
struct t_test student_test(const struct description *a, const struct description *b);
/* Two one-sided tests (Schuirmann 1987): the larger p of "the difference is above -margin" and "it
 * is below margin"; small: it is shown to lie within. The test gives difference, se and df. NAN
 * when se or df are not known; with se 0 it is 0 within and 1 outside. */
double equivalence_p(const struct t_test *test, double margin);
/* Standardised mean difference (b - a) / pooled stddev with Hedges' exact small-sample factor
 * J = gamma(m/2) / (sqrt(m/2) gamma((m-1)/2)), m = n_a + n_b - 2 (Hedges 1981). Pooled stddev 0:
 * ±INFINITY, or 0 when the means are equal. NAN when m < 2 or a side is empty. */
double hedges_g(const struct description *a, const struct description *b);

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
