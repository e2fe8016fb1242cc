/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes of samples. Cheap tests that rarely speak: they are asked for every metric of every
 * comparison.
 */
#include "server/analysis/rule_shape.h"

#include <math.h>

#include "server/analysis/rule.h"

#define LOOKED_AT   32 /* values of a group; more are cut */
#define TREND_Z     3.29
#define TREND_MEANS 8

static size_t cut(const struct rule_group *g)
{
	return g->n < LOOKED_AT ? g->n : LOOKED_AT;
}

static void sort_few(const double *v, size_t n, double s[LOOKED_AT])
{
	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		for (; k > 0 && s[k - 1] > v[i]; k--)
			s[k] = s[k - 1];
		s[k] = v[i];
	}
}

static bool has_two_groups(const struct rule_group *g)
{
	double s[LOOKED_AT];
	size_t n = cut(g);
	double times = n < 8 ? 6 : n < 10 ? 3 : 2;

	if (n < 6)
		return false;
	sort_few(g->v, n, s);
	for (size_t k = 2; k + 2 <= n; k++) {
		double gap = s[k] - s[k - 1];

		if (gap > times * fmax(s[k - 1] - s[0], s[n - 1] - s[k]) &&
		    gap >= RULE_SIZE * fabs(s[k - 1]) && (!g->whole || gap > 1))
			return true;
	}
	return false;
}

/* Kendall's S of values in order, and what it varies by where there is no trend. */
static void trend_add(const double *v, size_t n, double *s, double *variance)
{
	int ahead = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			ahead += (v[k] > v[i]) - (v[k] < v[i]);
	*s += ahead;
	*variance += (double)n * ((double)n - 1) * (2 * (double)n + 5) / 18;
}

static bool is_trend(double s, double variance)
{
	return fabs(s) - 1 >= TREND_Z * sqrt(variance) && variance > 0;
}

static double mean_of(const struct rule_group *g)
{
	double sum = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += g->v[i] / (double)g->n;
	return sum;
}

enum rule_shape rule_shape_of(const struct rule_group *groups, size_t nhistory)
{
	const struct rule_group *x = &groups[nhistory], *y = x + 1;
	double at[RULE_HISTORY_MAX + 1], s = 0, variance = 0;

	if (has_two_groups(x) || has_two_groups(y))
		return SHAPE_TWO_GROUPS;
	trend_add(x->v, cut(x), &s, &variance);
	trend_add(y->v, cut(y), &s, &variance);
	if (is_trend(s, variance))
		return SHAPE_DRIFT_RUNS;
	if (nhistory + 1 < TREND_MEANS)
		return SHAPE_PLAIN;
	s = variance = 0;
	for (size_t i = 0; i <= nhistory; i++)
		at[i] = mean_of(&groups[i]);
	trend_add(at, nhistory + 1, &s, &variance);
	return is_trend(s, variance) ? SHAPE_DRIFT_COMMITS : SHAPE_PLAIN;
}
