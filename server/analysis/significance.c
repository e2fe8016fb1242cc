/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests on two sets of samples, and what many tests at once cost. Spreads are kept as standard
 * errors, not as variances, so that samples of 1e300 or 1e-300 neither overflow nor vanish.
 */
#include "server/analysis/describe.h"

#include <math.h>

/* Welch's test on a difference of means and the two standard errors (stddev / sqrt n). */
static double welch_from(double difference, double se_a, size_t na, double se_b, size_t nb)
{
	double se = hypot(se_a, se_b);
	double share_a, share_b, df;

	if (!(se > 0))
		return difference == 0 ? 1 : 0;
	share_a = (se_a / se) * (se_a / se);
	share_b = (se_b / se) * (se_b / se);
	df = 1 / (share_a * share_a / (double)(na - 1) + share_b * share_b / (double)(nb - 1));
	return student_t_two_sided(difference / se, df);
}

double welch_p(const struct description *a, const struct description *b)
{
	if (a->n < 2 || b->n < 2)
		return NAN;
	return welch_from(b->mean - a->mean, a->stddev / sqrt((double)a->n), a->n,
			  b->stddev / sqrt((double)b->n), b->n);
}

/* ln(v / base), exact also where the two differ by little. */
static double log_ratio(double v, double base)
{
	double r = (v - base) / base;

	return r > -0.5 && r < 1 ? log1p(r) : log(v) - log(base);
}

/* Mean of ln(v / v[0]) and the standard error of that mean. Taking the logarithms relative to one
 * of the samples keeps all digits of a small spread. */
static double log_mean(const double *v, size_t n, double *se)
{
	double sum = 0, squares = 0;

	for (size_t i = 1; i < n; i++) {
		double l = log_ratio(v[i], v[0]);

		sum += l;
		squares += l * l;
	}
	squares = fmax(squares - sum * sum / (double)n, 0);
	*se = sqrt(squares / (double)(n - 1) / (double)n);
	return sum / (double)n;
}

double welch_log_p(const double *a, size_t na, const double *b, size_t nb)
{
	double mean_a, mean_b, se_a, se_b;

	if (na < 2 || nb < 2)
		return NAN;
	mean_a = log_mean(a, na, &se_a);
	mean_b = log_mean(b, nb, &se_b);
	return welch_from(log_ratio(b[0], a[0]) + mean_b - mean_a, se_a, na, se_b, nb);
}

static int compare_p(const void *a, const void *b, void *arg)
{
	const double *p = arg;
	double x = p[*(const size_t *)a], y = p[*(const size_t *)b];

	return (x > y) - (x < y);
}

void benjamini_hochberg(const double *p, double *q, size_t n, size_t *scratch)
{
	size_t m = 0;
	double least = 1;

	for (size_t i = 0; i < n; i++) {
		q[i] = NAN;
		if (!isnan(p[i]))
			scratch[m++] = i;
	}
	qsort_r(scratch, m, sizeof(*scratch), compare_p, (void *)p);
	for (size_t rank = m; rank > 0; rank--) {
		size_t i = scratch[rank - 1];

		least = fmin(least, p[i] * (double)m / (double)rank);
		q[i] = least;
	}
}
