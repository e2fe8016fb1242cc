/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * F(0) = -beta, F(t) = min over begins s of F(s) + C(s, t) + beta, with C(s, t) the smaller of the
 * squares about a level and those about a line plus kappa. A begin s is dropped once F(s) + C(s, t)
 * >= F(t) + kappa: a segment from s can gain at most kappa (the price of its one slope) on one that
 * begins at t. It is dropped for ends from t + 3 on alone, since a segment at t needs three points.
 */
#include "server/analysis/changepoint_fit.h"

#include <math.h>

#include "server/base/arena.h"

#define MIN CHANGEPOINT_SEGMENT_MIN

/* Eight or four doubles at a time where the processor can; gcc needs telling at -O2. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif
#ifdef __clang__
#define VECTORS CLONES
#else
#define VECTORS CLONES __attribute__((optimize("O3")))
#endif

struct partition *partition_new(struct arena *a, size_t points, double centre, double unit)
{
	struct partition *p = arena_array(a, struct partition, 1);
	double **arrays[] = {&p->w, &p->x, &p->y, &p->xx, &p->xy, &p->yy, &p->cost, &p->tried};

	p->arena = a;
	p->centre = centre;
	p->unit = unit;
	p->cap = points;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		*arrays[i] = arena_array(a, double, points + 1);
	p->last = arena_array(a, size_t, points + 1);
	p->dropped = arena_array(a, size_t, points + 1);
	return p;
}

static void make_room(struct partition *p)
{
	double **arrays[] = {&p->w, &p->x, &p->y, &p->xx, &p->xy, &p->yy, &p->cost, &p->tried};
	size_t old = p->cap + 1, cap = old;

	if (p->n < p->cap)
		return;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++, cap = old)
		*arrays[i] = arena_grow(p->arena, *arrays[i], &cap, p->n + 2, sizeof(double));
	p->last = arena_grow(p->arena, p->last, &cap, p->n + 2, sizeof(*p->last));
	cap = old;
	p->dropped = arena_grow(p->arena, p->dropped, &cap, p->n + 2, sizeof(*p->dropped));
	p->cap = cap - 1;
}

/* Squares about the best level and the best line of points [s, t), and the line. */
struct fit {
	double constant, linear, level, slope, middle;
};

static struct fit fit_segment(const struct partition *p, size_t s, size_t t)
{
	double w = p->w[t] - p->w[s], x = p->x[t] - p->x[s], y = p->y[t] - p->y[s];
	double sxx = p->xx[t] - p->xx[s] - x * x / w, sxy = p->xy[t] - p->xy[s] - x * y / w;
	struct fit f = {.level = y / w, .middle = x / w};

	f.constant = fmax(0, p->yy[t] - p->yy[s] - y * y / w);
	f.slope = sxx > 0 ? sxy / sxx : 0;
	f.linear = fmax(0, f.constant - f.slope * sxy);
	return f;
}

/* tried[s] = F(s) + C(s, t) for s in [from, to): the inner loop of it all, written for vectors.
 * With a = w sxx, b = w sxy, c = w syy the smaller of c / w and (c - b^2 / a) / w + kappa is min(c
 * a, c a - b^2 + kappa w a) / (w a), one division. */
VECTORS static void try_begins(const struct partition *p, size_t t, size_t from, size_t to)
{
	const double *restrict W = p->w, *restrict X = p->x, *restrict Y = p->y;
	const double *restrict XX = p->xx, *restrict XY = p->xy, *restrict YY = p->yy;
	const double *restrict F = p->cost;
	double *restrict out = p->tried;
	const double wt = W[t], xt = X[t], yt = Y[t], xxt = XX[t], xyt = XY[t], yyt = YY[t];
	const double kappa = p->kappa;

	for (size_t s = from; s < to; s++) {
		double w = wt - W[s], x = xt - X[s], y = yt - Y[s];
		double a = w * (xxt - XX[s]) - x * x, b = w * (xyt - XY[s]) - x * y;
		double c = w * (yyt - YY[s]) - y * y, wa = w * a;
		double level = c * a, line = level - b * b;

		level = level > 0 ? level : 0;
		line = (line > 0 ? line : 0) + kappa * wa;
		out[s] = F[s] + (level < line ? level : line) / wa;
	}
}

/* The best begin of a segment that ends at t; of equal ones the oldest, which makes fewer changes.
 * Whatever stands before the first begin that is not dropped is never looked at again. */
static void close_at(struct partition *p, size_t t)
{
	double best = INFINITY;

	while (p->first + MIN < t && p->dropped[p->first] > 0 && t >= p->dropped[p->first])
		p->first++;
	try_begins(p, t, p->first, t - MIN + 1);
	for (size_t s = p->first; s + MIN <= t; s++)
		if (p->tried[s] < best) {
			best = p->tried[s];
			p->last[t] = s;
		}
	best += p->beta;
	p->cost[t] = best;
	for (size_t s = p->first; s + MIN <= t && p->tried[s] >= best + p->kappa; s++)
		if (p->dropped[s] == 0)
			p->dropped[s] = t + MIN;
}

/* Points one and two end no segment. */
static void close_next(struct partition *p)
{
	size_t t = ++p->closed;

	p->dropped[t] = 0;
	p->cost[t] = INFINITY;
	if (t >= MIN)
		close_at(p, t);
}

void partition_add(struct partition *p, double weight, double value)
{
	make_room(p);
	double x = (double)p->n, y = (value - p->centre) / p->unit;
	size_t n = p->n++;

	p->w[n + 1] = p->w[n] + weight;
	p->x[n + 1] = p->x[n] + weight * x;
	p->y[n + 1] = p->y[n] + weight * y;
	p->xx[n + 1] = p->xx[n] + weight * x * x;
	p->xy[n + 1] = p->xy[n] + weight * x * y;
	p->yy[n + 1] = p->yy[n] + weight * y * y;
}

void partition_close(struct partition *p)
{
	while (p->closed < p->n)
		close_next(p);
}

void partition_price(struct partition *p, double beta, double kappa)
{
	p->beta = beta;
	p->kappa = kappa;
	p->closed = 0;
	p->first = 0;
	p->cost[0] = -beta;
	p->dropped[0] = 0;
	partition_close(p);
}

void partition_cut(struct partition *p, size_t n)
{
	if (n >= p->n)
		return;
	p->n = n;
	if (p->closed <= n)
		return;
	p->closed = n;
	for (size_t s = 0; s <= n; s++)
		if (p->dropped[s] > n + MIN) /* by an end that is no longer there */
			p->dropped[s] = 0;
	p->first = 0;
}

struct segmentation partition_segments(struct arena *a, const struct partition *p)
{
	struct segmentation g = {.beta = p->beta, .kappa = p->kappa};

	for (size_t t = p->n; t > 0; t = p->last[t])
		g.n++;
	g.segments = arena_array(a, struct segment, g.n);
	size_t at = g.n;
	for (size_t t = p->n; t > 0; t = p->last[t]) {
		size_t s = p->last[t];
		struct fit f = fit_segment(p, s, t);
		bool drift = f.linear + p->kappa < f.constant;
		double slope = drift ? f.slope : 0;

		g.segments[--at] = (struct segment){
			.begin = s,
			.end = t,
			.level = p->centre + p->unit * (f.level + slope * ((double)s - f.middle)),
			.slope = p->unit * slope,
			.drift = drift,
		};
	}
	return g;
}
