/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Noise first, then the partition. Of benchmark histories the noise of a point is the spread of its
 * runs plus what differs between commits by itself, learned from neighbouring differences, so that
 * a change costs the same on every metric; a second pass raises the price by what the residuals
 * show (spread and autocorrelation). Of foreign series nothing is known beforehand, and the price
 * follows the residuals for up to three passes. Single spikes are clipped before either.
 */
#include "server/analysis/changepoint.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "server/analysis/changepoint_fit.h"
#include "server/analysis/describe.h"
#include "server/base/arena.h"

#define MAD_SIGMA    1.4826 /* standard deviations in a median of absolute residuals */
#define CLIP_SIGMAS  3.0
#define CLIP_WINDOW  5
#define PRICE        3.0 /* times ln C a change */
#define FIRST_PRICE  2.0 /* of foreign series, times the plain variance */
#define CORRELATED   .9  /* at most */
#define FOREIGN_MAX  3   /* passes */
#define POINTS_MIN   (2 * CHANGEPOINT_SEGMENT_MIN)
#define VARIANCE_MIN 1e-24 /* of the largest mean's square: what rounding leaves in a mean, */
#define SUMS_MIN     1e-14 /* … a point and of the widest square: and in sums over the line */
#define GROWTH       10    /* a full pass is due after a tenth of its points */

/* What a full pass learns: the same for all points, and frozen for those that follow. */
struct prices {
	double between;       /* variance between commits */
	double least;         /* … and of a point at least, in squares of the unit … */
	double least_foreign; /* … and of a residual of a foreign line */
	double clip;          /* residuals above it are clipped */
	double beta, kappa;
	double centre, unit; /* of the partition */
	double noise, autocorrelation;
};

struct changepoint_line {
	struct partition *p;
	struct arena *arena;
	bool foreign;
	double within;      /* variance of a run */
	const double *mean; /* the caller's: clipping a point needs its neighbours */
	const double *runs;
	size_t n;
	struct prices is;
};

/* Leaves v in another order. */
static double median_of(double *v, size_t n)
{
	return n ? median_take(v, n) : 0;
}

static void order(double *a, double *b)
{
	double x = *a, y = *b;

	*a = x < y ? x : y;
	*b = x < y ? y : x;
}

/* The running median of five at a point; beyond the ends the first and last value repeat. */
static double running_median(const double *v, size_t n, size_t at)
{
	double w[CLIP_WINDOW];

	for (size_t i = 0; i < CLIP_WINDOW; i++) {
		size_t from = at + i < CLIP_WINDOW / 2 ? 0 : at + i - CLIP_WINDOW / 2;

		w[i] = v[from < n ? from : n - 1];
	}
	order(&w[0], &w[1]);
	order(&w[3], &w[4]);
	order(&w[0], &w[3]); /* w[0] is one of the two smallest */
	order(&w[1], &w[4]); /* w[4] one of the two largest */
	order(&w[1], &w[2]);
	order(&w[2], &w[3]);
	order(&w[1], &w[2]);
	return w[2];
}

static double clip_width(struct arena *a, const double *v, size_t n)
{
	double *residual = arena_array(a, double, n);

	for (size_t i = 0; i < n; i++)
		residual[i] = fabs(v[i] - running_median(v, n, i));
	return CLIP_SIGMAS * MAD_SIGMA * median_of(residual, n);
}

static double clipped(const double *v, size_t n, size_t at, double width)
{
	double middle = running_median(v, n, at), low = middle - width, high = middle + width;

	return v[at] < low ? low : v[at] > high ? high : v[at];
}

/* What differs between neighbouring commits beyond what their runs explain. */
static double between_commits(struct arena *a, const struct changepoint_series *s)
{
	double *step = arena_array(a, double, s->n), share = 0, sigma;

	if (s->n < 2)
		return 0;
	for (size_t i = 0; i + 1 < s->n; i++) {
		step[i] = fabs(s->mean[i + 1] - s->mean[i]);
		share += 1 / s->runs[i] + 1 / s->runs[i + 1];
	}
	sigma = MAD_SIGMA * median_of(step, s->n - 1);
	return fmax(0, (sigma * sigma - s->within * share / (double)(s->n - 1)) / 2);
}

static double largest(const double *v, size_t n, double centre)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(v[i] - centre));
	return most;
}

static double weight_of(const struct changepoint_line *l, double runs)
{
	double unit = l->is.unit;

	return 1 / fmax((l->within / runs + l->is.between) / unit / unit, l->is.least);
}

/* Residuals of the fits in units of their weights: their sum of squares, and how alike neighbours
 * are. */
static void look_at_residuals(struct arena *a, const struct partition *p,
			      const struct segmentation *g, double *squares, double *rho)
{
	double *z = arena_array(a, double, p->n), top = 0, mean = 0, below = 0;

	for (size_t k = 0; k < g->n; k++)
		for (size_t i = g->segments[k].begin; i < g->segments[k].end; i++) {
			double w = p->w[i + 1] - p->w[i];
			double y = p->centre + p->unit * ((p->y[i + 1] - p->y[i]) / w);

			z[i] = sqrt(w) * ((y - segment_at(&g->segments[k], i)) / p->unit);
			mean += z[i] / (double)p->n;
		}
	*squares = 0;
	for (size_t i = 0; i < p->n; i++) {
		*squares += z[i] * z[i];
		below += (z[i] - mean) * (z[i] - mean);
		if (i > 0)
			top += (z[i] - mean) * (z[i - 1] - mean);
	}
	*rho = below > 0 ? fmin(fmax(top / below, 0), CORRELATED) : 0;
}

static double free_points(const struct partition *p, const struct segmentation *g)
{
	return fmax(1, (double)p->n - 2 * (double)g->n);
}

static double stretched(double rho)
{
	return (1 + rho) / (1 - rho);
}

static void fit_benchmark(struct changepoint_line *l, struct partition *p)
{
	double log_n = log((double)p->n), squares, rho;
	struct segmentation g;

	partition_price(p, PRICE * log_n, PRICE * log_n / 2);
	g = partition_segments(l->arena, p);
	look_at_residuals(l->arena, p, &g, &squares, &rho);
	l->is.noise = fmax(1, squares / free_points(p, &g));
	l->is.autocorrelation = rho;
	l->is.beta = PRICE * log_n * l->is.noise * stretched(rho);
	partition_price(p, l->is.beta, l->is.beta / 2);
}

static bool same_segments(const struct segmentation *a, const struct segmentation *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->segments[i].begin != b->segments[i].begin ||
		    a->segments[i].drift != b->segments[i].drift)
			return false;
	return true;
}

static double plain_variance(const struct partition *p)
{
	double w = p->w[p->n], y = p->y[p->n];

	return fmax(0, (p->yy[p->n] - y * y / w) / (w - 1));
}

static void fit_foreign(struct changepoint_line *l, struct partition *p)
{
	double log_n = log((double)p->n), squares, rho;
	struct segmentation before, g;

	l->is.beta = FIRST_PRICE * log_n * fmax(plain_variance(p), l->is.least_foreign);
	partition_price(p, l->is.beta, l->is.beta / 2);
	before = partition_segments(l->arena, p);
	for (int pass = 1; pass < FOREIGN_MAX; pass++) {
		look_at_residuals(l->arena, p, &before, &squares, &rho);
		l->is.noise = sqrt(squares / free_points(p, &before)); /* in units */
		l->is.autocorrelation = rho;
		l->is.beta = PRICE * log_n * fmax(l->is.noise * l->is.noise, l->is.least_foreign) *
			     stretched(rho);
		partition_price(p, l->is.beta, l->is.beta / 2);
		g = partition_segments(l->arena, p);
		if (same_segments(&before, &g))
			break;
		before = g;
	}
}

/* Adds the points from on to the partition, which has those before. */
static void add_points(struct changepoint_line *l, size_t from)
{
	for (size_t i = from; i < l->n; i++)
		partition_add(l->p, l->foreign ? 1 : weight_of(l, l->runs[i]),
			      clipped(l->mean, l->n, i, l->is.clip));
}

static void fit_all(struct changepoint_line *l)
{
	if (l->n < POINTS_MIN) /* one level, whatever it costs */
		partition_price(l->p, DBL_MAX / 4, DBL_MAX / 4);
	else if (l->foreign)
		fit_foreign(l, l->p);
	else
		fit_benchmark(l, l->p);
}

/* Squares about a level come as differences of sums over the line: where steps are exact, what they
 * leave must not look like noise. */
static void set_least(struct changepoint_line *l, double centre, double unit, double top)
{
	double widest = 0;

	for (size_t i = 0; i < l->n; i++)
		widest = fmax(widest, fabs(clipped(l->mean, l->n, i, l->is.clip) - centre) / unit);
	l->is.least_foreign = fmax(VARIANCE_MIN, SUMS_MIN * (double)l->n * widest * widest);
	top = fmax(1, top / unit);
	l->is.least = fmax(VARIANCE_MIN * top * top, l->is.least_foreign);
}

static struct changepoint_line *line_of(struct arena *a, const struct changepoint_series *s)
{
	struct changepoint_line *l = arena_array(a, struct changepoint_line, 1);

	*l = (struct changepoint_line){
		.arena = a,
		.foreign = s->kind == CHANGEPOINT_FOREIGN,
		.within = s->within,
		.mean = s->mean,
		.runs = s->runs,
		.n = s->n,
	};
	return l;
}

/* With room for what may follow before the next full pass is due. */
static void begin_partition(struct changepoint_line *l)
{
	l->p = partition_new(l->arena, l->n + l->n / GROWTH, l->is.centre, l->is.unit);
	add_points(l, 0);
}

struct changepoint_line *changepoint_line_new(struct arena *a, const struct changepoint_series *s)
{
	struct changepoint_line *l = line_of(a, s);
	double top = largest(s->mean, s->n, 0);

	l->is.centre = median_of(arena_copy(a, s->mean, s->n * sizeof(double)), s->n);
	l->is.unit = largest(s->mean, s->n, l->is.centre);
	if (l->is.unit == 0)
		l->is.unit = 1;
	l->is.clip = s->n ? clip_width(a, s->mean, s->n) : 0;
	if (!l->foreign)
		l->is.between = between_commits(a, s);
	set_least(l, l->is.centre, l->is.unit, top);
	begin_partition(l);
	fit_all(l);
	l->is.beta = l->p->beta;
	l->is.kappa = l->p->kappa;
	return l;
}

struct segmentation changepoint_line_segments(struct arena *a, const struct changepoint_line *l)
{
	struct segmentation g = partition_segments(a, l->p);

	g.noise = l->foreign ? l->is.noise * l->p->unit : l->is.noise;
	g.autocorrelation = l->is.autocorrelation;
	return g;
}

struct segmentation changepoint_find(struct arena *a, const struct changepoint_series *s)
{
	return changepoint_line_segments(a, changepoint_line_new(a, s));
}

/* --- lines that grow ----------------------------------------------------------------------------
 */

size_t changepoint_anchor(size_t n)
{
	size_t at = POINTS_MIN, next = at;

	if (n < POINTS_MIN)
		return n;
	while (next <= n) {
		at = next;
		next += at >= GROWTH ? at / GROWTH : 1;
	}
	return at;
}

/* The last two points of the full pass were clipped by what was then the end of the line. */
bool changepoint_line_extend(struct changepoint_line *l, const struct changepoint_series *s,
			     struct segmentation *out)
{
	struct segmentation before = partition_segments(l->arena, l->p);
	size_t from = l->n < CLIP_WINDOW / 2 ? 0 : l->n - CLIP_WINDOW / 2;

	partition_cut(l->p, from);
	l->mean = s->mean;
	l->runs = s->runs;
	l->n = s->n;
	add_points(l, from);
	partition_close(l->p);
	*out = changepoint_line_segments(l->arena, l);
	return same_segments(&before, out);
}

/* A full pass as it is kept, followed by F(t), the last begins and the ends of begins. */
struct kept_pass {
	struct prices is;
	size_t first;
};

size_t changepoint_pass_bytes(size_t n)
{
	return sizeof(struct kept_pass) + (n + 1) * (sizeof(double) + 2 * sizeof(uint32_t));
}

void changepoint_line_pass(const struct changepoint_line *l, void *to)
{
	struct kept_pass head = {l->is, l->p->first};
	double *cost = (double *)((char *)to + sizeof(head));
	uint32_t *last = (uint32_t *)(cost + l->n + 1), *dropped = last + l->n + 1;

	memcpy(to, &head, sizeof(head));
	memcpy(cost, l->p->cost, (l->n + 1) * sizeof(*cost));
	for (size_t t = 0; t <= l->n; t++) {
		last[t] = (uint32_t)l->p->last[t];
		dropped[t] = (uint32_t)l->p->dropped[t];
	}
}

struct changepoint_line *changepoint_line_resume(struct arena *a,
						 const struct changepoint_series *s,
						 const void *pass)
{
	const struct kept_pass *head = pass;
	const double *cost = (const double *)(head + 1);
	const uint32_t *last = (const uint32_t *)(cost + s->n + 1), *dropped = last + s->n + 1;
	struct changepoint_line *l = line_of(a, s);

	l->is = head->is;
	begin_partition(l);
	l->p->beta = l->is.beta;
	l->p->kappa = l->is.kappa;
	l->p->first = head->first;
	l->p->closed = s->n;
	memcpy(l->p->cost, cost, (s->n + 1) * sizeof(*cost));
	for (size_t t = 0; t <= s->n; t++) {
		l->p->last[t] = last[t];
		l->p->dropped[t] = dropped[t];
	}
	return l;
}

double segment_at(const struct segment *s, size_t point)
{
	return s->level + s->slope * ((double)point - (double)s->begin);
}

double changepoint_step(const struct segmentation *g, size_t i)
{
	const struct segment *s = &g->segments[i];

	return s->level - segment_at(&g->segments[i - 1], s->begin);
}
