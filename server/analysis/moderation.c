/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fits the prior by the first two moments of the logarithms of the variances, as the paper does.
 * Degrees of freedom repeat from metric to metric, so the special functions of the last are kept.
 */
#include "server/analysis/moderation.h"

#include <math.h>

#include "server/analysis/special.h"

/* What the degrees of freedom alone add to ln s2 in the mean, and its variance. */
struct of_df {
	double d, mean, variance;
};

static void of_df_set(struct of_df *k, double d)
{
	if (k->d == d)
		return;
	k->d = d;
	k->mean = digamma(d / 2) - log(d / 2);
	k->variance = trigamma(d / 2);
}

struct prior prior_fit(const double *s2, const double *d, size_t n)
{
	struct prior prior = {0, NAN};
	struct of_df k = {.d = -1};
	double mean = 0, sampling = 0, squares = 0, excess;

	if (n < MODERATION_MIN)
		return prior;
	for (size_t i = 0; i < n; i++) {
		of_df_set(&k, d[i]);
		mean += log(s2[i]) - k.mean;
		sampling += k.variance;
	}
	mean /= (double)n;
	for (size_t i = 0; i < n; i++) {
		double e;

		of_df_set(&k, d[i]);
		e = log(s2[i]) - k.mean - mean;
		squares += e * e;
	}
	excess = squares / (double)(n - 1) - sampling / (double)n;
	if (!(excess > 0))
		return (struct prior){INFINITY, exp(mean)};
	prior.df = 2 * trigamma_inverse(excess);
	if (isinf(prior.df))
		return (struct prior){INFINITY, exp(mean)};
	prior.scale = exp(mean + digamma(prior.df / 2) - log(prior.df / 2));
	return prior;
}

double prior_moderate(const struct prior *prior, double s2, double d)
{
	if (isinf(prior->df) || d == 0)
		return prior->scale;
	if (prior->df == 0)
		return s2;
	return (prior->df * prior->scale + d * s2) / (prior->df + d);
}
