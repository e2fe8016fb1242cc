/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Minimum detectable effects. Thousands of rows ask for the quantiles of the same two probabilities
 * at different degrees of freedom, and a quantile costs ten tails, so each is found at a few places
 * of 1/df and interpolated between them (cubic, Lagrange); it is smooth there.
 */
#include "server/analysis/rule_mde.h"

#include <math.h>

#include "server/analysis/special.h"

#define PLACES 33
#define DF_MIN 2.0 /* below, 1/df leaves the table and the quantile is found directly */
#define POWER  0.8

struct quantiles {
	double p;
	double at[PLACES]; /* ln of the quantile at 1/df = i / (PLACES - 1) / DF_MIN */
	bool known[PLACES];
};

static double place_of(struct quantiles *q, size_t i)
{
	if (!q->known[i]) {
		double df = i ? DF_MIN * (PLACES - 1) / (double)i : INFINITY;

		q->at[i] = log(student_t_quantile(q->p, df));
		q->known[i] = true;
	}
	return q->at[i];
}

static double quantile_at(struct quantiles *q, double df)
{
	double x = DF_MIN / df * (PLACES - 1), f;
	size_t i;

	if (df < DF_MIN)
		return student_t_quantile(q->p, df);
	i = (size_t)x;
	i = i < 1 ? 0 : i > PLACES - 3 ? PLACES - 4 : i - 1;
	f = x - (double)i;
	return exp(-place_of(q, i) * (f - 1) * (f - 2) * (f - 3) / 6 +
		   place_of(q, i + 1) * f * (f - 2) * (f - 3) / 2 -
		   place_of(q, i + 2) * f * (f - 1) * (f - 3) / 2 +
		   place_of(q, i + 3) * f * (f - 1) * (f - 2) / 6);
}

void rule_mde_fill(struct rule_row *rows, size_t n, int role, double alpha)
{
	struct quantiles level = {.p = 1 - alpha / 2}, power = {.p = POWER};

	for (size_t i = 0; i < n; i++) {
		struct rule_row *r = &rows[i];
		double g;

		if (r->role != role || r->untested != RULE_TESTED)
			continue;
		g = (quantile_at(&level, r->df) + quantile_at(&power, r->df)) * sqrt(r->variance);
		r->mde = scale_back(r->scale, r->unit, r->median_x, g);
		if (isinf(r->mde)) /* nothing would have been found */
			r->mde = NAN;
	}
}
