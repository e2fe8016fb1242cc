/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests on two sets of samples, and what many tests at once cost. Spreads are kept as standard
 * errors, not as variances, so that samples of 1e300 or 1e-300 neither overflow nor vanish.
 */
#include "server/analysis/describe.h"

#include <math.h>

#include "server/analysis/special.h"

static struct t_test test_of(double difference, double se, double df)
{
	struct t_test t = {difference, se, difference / se, df, NAN};

	if (se > 0)
		t.p = student_t_two_sided(t.t, df);
	else if (difference != 0)
		t.p = 0;
	return t;
}

/* Welch's test on a difference of means and the two standard errors (stddev / sqrt n). */
static struct t_test welch_from(double difference, double se_a, size_t na, double se_b, size_t nb)
{
	double se = hypot(se_a, se_b);
	double share_a, share_b, df;

	if (!(se > 0))
		return test_of(difference, se, NAN);
	share_a = (se_a / se) * (se_a / se);
	share_b = (se_b / se) * (se_b / se);
	df = 1 / (share_a * share_a / (double)(na - 1) + share_b * share_b / (double)(nb - 1));
	return test_of(difference, se, df);
}

/* Equal values on both sides: there is no doubt that they are equal. */
static double p_or_one(struct t_test t)
{
	return isnan(t.p) && t.difference == 0 ? 1 : t.p;
}

static const struct t_test untested = {NAN, NAN, NAN, NAN, NAN};

struct t_test welch_test(const struct description *a, const struct description *b)
{
	if (a->n < 2 || b->n < 2)
		return untested;
	return welch_from(b->mean - a->mean, a->stddev / sqrt((double)a->n), a->n,
			  b->stddev / sqrt((double)b->n), b->n);
}

/* Root of the weighted mean of the two variances, weights n - 1; a side of one value has none. */
static double pooled_stddev(const struct description *a, const struct description *b)
{
	double df_a = (double)a->n - 1, df_b = (double)b->n - 1;
	double sd_a = a->n > 1 ? a->stddev : 0, sd_b = b->n > 1 ? b->stddev : 0;

	return hypot(sd_a * sqrt(df_a / (df_a + df_b)), sd_b * sqrt(df_b / (df_a + df_b)));
}

struct t_test student_test(const struct description *a, const struct description *b)
{
	double se;

	if (a->n < 2 || b->n < 2)
		return untested;
	se = pooled_stddev(a, b) * sqrt(1 / (double)a->n + 1 / (double)b->n);
	return test_of(b->mean - a->mean, se, (double)(a->n + b->n - 2));
}

double equivalence_p(const struct t_test *test, double margin)
{
	double nearest = margin - fabs(test->difference), two;

	if (isnan(nearest) || isnan(test->se))
		return NAN;
	if (!(test->se > 0))
		return nearest > 0 ? 0 : 1;
	two = student_t_two_sided(nearest / test->se, test->df);
	return nearest > 0 ? two / 2 : 1 - two / 2;
}

double hedges_g(const struct description *a, const struct description *b)
{
	double m = (double)a->n + (double)b->n - 2, pooled, difference = b->mean - a->mean;

	if (!a->n || !b->n || m < 2)
		return NAN;
	pooled = pooled_stddev(a, b);
	if (difference == 0)
		return 0;
	return difference / pooled * gamma_ratio((m - 1) / 2) / sqrt(m / 2);
}

double welch_p(const struct description *a, const struct description *b)
{
	return p_or_one(welch_test(a, b));
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
	return p_or_one(welch_from(log_ratio(b[0], a[0]) + mean_b - mean_a, se_a, na, se_b, nb));
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
