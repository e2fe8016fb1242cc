/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scales. Deviations are taken from the first value of a group, not from 0: equal values then have
 * no spread at all, and close ones keep their digits.
 */
#include "server/analysis/rule_scale.h"

#include <math.h>

#include "server/analysis/describe.h"

const char *scale_name(enum rule_scale s)
{
	static const char *const names[] = {"log", "percent", "count", "plain"};

	return names[s];
}

/* ln(v / base), exact also where the two differ by little. */
static double log_ratio(double v, double base)
{
	double r = (v - base) / base;

	return r > -0.5 && r < 1 ? log1p(r) : log(v) - log(base);
}

/* From sum and sum of squares of deviations from what stands at start. Squares beyond the range of
 * a double are infinite, not what is left of their difference. */
static void moments_from(double start, double sum, double squares, size_t n, double *mean,
			 double *about)
{
	*mean = start + sum / (double)n;
	*about = isfinite(squares) ? fmax(squares - sum * sum / (double)n, 0) : (double)INFINITY;
}

static void log_moments(const double *v, size_t n, double *mean, double *squares)
{
	double sum = 0, sum2 = 0;

	for (size_t i = 1; i < n; i++) {
		double l = v[i] == v[0] ? 0 : log_ratio(v[i], v[0]);

		sum += l;
		sum2 += l * l;
	}
	moments_from(log(v[0]), sum, sum2, n, mean, squares);
}

/* 2 sqrt(v + 3/8) is 2 sqrt(v) for large v. */
static double anscombe(double v)
{
	return 2 * sqrt(v + 0.375);
}

static void count_moments(const double *v, size_t n, double *mean, double *squares)
{
	double first = anscombe(v[0]), sum = 0, sum2 = 0;

	for (size_t i = 1; i < n; i++) {
		double g = anscombe(v[i]) - first;

		sum += g;
		sum2 += g * g;
	}
	moments_from(first, sum, sum2, n, mean, squares);
}

static void plain_moments(const double *v, size_t n, double unit, double *mean, double *squares)
{
	double first = v[0] / unit, sum = 0, sum2 = 0;

	for (size_t i = 1; i < n; i++) {
		double g = v[i] / unit - first;

		sum += g;
		sum2 += g * g;
	}
	moments_from(first, sum, sum2, n, mean, squares);
}

void rule_group_fill(struct rule_group *g, const double *v, size_t n)
{
	*g = (struct rule_group){.v = v, .n = n, .positive = true, .whole = true};
	for (size_t i = 0; i < n; i++) {
		g->positive &= v[i] > 0;
		g->whole &= v[i] >= 0 && v[i] == floor(v[i]);
	}
	g->own = g->positive ? SCALE_LOG : g->whole ? SCALE_COUNT : SCALE_PLAIN;
	if (g->own != SCALE_PLAIN)
		scale_moments(g, g->own, 1, &g->mean, &g->squares);
}

enum rule_scale scale_of(const struct rule_group *groups, size_t n, bool percent)
{
	bool positive = true, whole = true;

	if (percent)
		return SCALE_PERCENT;
	for (size_t i = 0; i < n; i++) {
		positive &= groups[i].positive;
		whole &= groups[i].whole;
	}
	return positive ? SCALE_LOG : whole ? SCALE_COUNT : SCALE_PLAIN;
}

double scale_unit(const struct rule_group *groups, size_t n, double *room)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < groups[i].n; k++)
			if (groups[i].v[k] != 0)
				room[used++] = fabs(groups[i].v[k]);
	return used ? median_take(room, used) : 1;
}

void scale_moments(const struct rule_group *g, enum rule_scale s, double unit, double *mean,
		   double *squares)
{
	switch (s) {
	case SCALE_LOG:
		log_moments(g->v, g->n, mean, squares);
		break;
	case SCALE_COUNT:
		count_moments(g->v, g->n, mean, squares);
		break;
	default:
		plain_moments(g->v, g->n, s == SCALE_PLAIN ? unit : 1, mean, squares);
	}
}

double scale_back(enum rule_scale s, double unit, double v, double g)
{
	switch (s) {
	case SCALE_LOG:
		return expm1(g);
	case SCALE_PERCENT:
		return g;
	case SCALE_COUNT: /* (2 sqrt(v + 3/8) + g)^2 / 4 - 3/8 - v = g sqrt(v + 3/8) + g^2 / 4 */
		return v > 0 ? (g * sqrt(v + 0.375) + g * g / 4) / v : (double)NAN;
	default:
		return v != 0 ? g * unit / fabs(v) : (double)NAN;
	}
}

double scale_do(enum rule_scale s, double unit, double v)
{
	switch (s) {
	case SCALE_LOG:
		return v > 0 ? log(v) : -INFINITY;
	case SCALE_COUNT:
		return v > -0.375 ? 2 * sqrt(v + 0.375) : -INFINITY;
	case SCALE_PLAIN:
		return v / unit;
	default:
		return v;
	}
}

double scale_undo(enum rule_scale s, double unit, double g)
{
	switch (s) {
	case SCALE_LOG:
		return exp(g);
	case SCALE_COUNT:
		return g > 0 ? g * g / 4 - 0.375 : -0.375;
	case SCALE_PLAIN:
		return g * unit;
	default:
		return g;
	}
}
