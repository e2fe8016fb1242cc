/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moderated variances (Smyth 2004, "Linear models and empirical Bayes methods"): the metrics of one
 * comparison have few runs each, but there are many of them, so each variance is drawn towards what
 * is usual among all, as far as they agree. The same is done with ratios of variances. Pure.
 */
#ifndef ANALYSIS_MODERATION_H
#define ANALYSIS_MODERATION_H

#include <stddef.h>

#define MODERATION_MIN 10 /* metrics; fewer tell nothing of what is usual */

/* What is usual: a scaled inverse chi-square with df degrees of freedom about scale. df INFINITY:
 * all metrics have the same variance; df 0: nothing is known. */
struct prior {
	double df, scale;
};
/* From n variances > 0 with d > 0 degrees of freedom each: e = ln s2 - digamma(d/2) + ln(d/2) has
 * the mean and the variance of which df and scale follow. */
struct prior prior_fit(const double *s2, const double *d, size_t n);
/* The moderated variance (df scale + d s2) / (df + d), which has df + d degrees of freedom. With
 * d = 0 it is the scale. NAN when both are 0. */
double prior_moderate(const struct prior *prior, double s2, double d);

#endif
