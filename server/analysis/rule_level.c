/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The level forgets: it is the median of the last five commits, so one odd commit does not move it,
 * and a step is the new level after three. e_k is how far commit k lies from the level before it,
 * in units of the standard error that the runs alone would give; the median of |e_k| tells how much
 * more commits differ than that, and steps in the history do not spoil it.
 */
#include "server/analysis/rule_level.h"

#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/rule.h"

const double level_variance[6] = {NAN, 1, 0.5, 0.448671, 0.298230, 0.286834};

static void swap_if(double *a, double *b)
{
	double low = *a < *b ? *a : *b;

	*b = *a < *b ? *b : *a;
	*a = low;
}

/* Median of up to five values, by seven comparisons: this is asked for each commit of each metric.
 */
static double median_of_few(const double *v, size_t n)
{
	double s[5];

	if (n < 5) {
		for (size_t i = 0; i < n; i++)
			s[i] = v[i];
		return median_take(s, n);
	}
	for (size_t i = 0; i < 5; i++)
		s[i] = v[i];
	swap_if(&s[0], &s[1]);
	swap_if(&s[3], &s[4]);
	swap_if(&s[0], &s[3]); /* s[0] is the smallest of four: not the median */
	swap_if(&s[1], &s[4]); /* s[4] is the largest of four */
	swap_if(&s[1], &s[2]);
	swap_if(&s[2], &s[3]);
	swap_if(&s[1], &s[2]);
	return s[2];
}

static double mean_of(const double *u, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += u[i];
	return sum / (double)n;
}

struct rule_level rule_level_of(const double *m, const double *u, size_t n)
{
	size_t last = n < 5 ? n : 5;
	struct rule_level l = {.level = median_of_few(m + n - last, last),
			       .u = mean_of(u + n - last, last),
			       .p_between = NAN};
	double e[RULE_HISTORY_MAX + 1], rare;

	for (size_t k = 3; k < n; k++) {
		size_t of = k < 5 ? k : 5;
		double before = median_of_few(m + k - of, of);

		e[k - 3] = fabs(m[k] - before) /
			   sqrt(u[k] + level_variance[of] * mean_of(u + k - of, of));
	}
	if (n < 4)
		return l;
	rare = 1.4826 * median_take(e, n - 3);
	l.p_between = rare * rare;
	return l;
}
