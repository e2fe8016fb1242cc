/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the level of one metric changes over a line of commits: steps between segments, each of
 * which is constant or a drift. Optimal partitioning of weighted means by dynamic programming with
 * pruning (PELT, Killick, Fearnhead and Eckley 2012), penalties learned from the residuals. Pure;
 * results live in the arena that is handed in.
 *
 * All values are on the scale on which they are judged (logarithms, percent …): a caller that
 * reports percent turns a step d of logarithms into expm1(d).
 */
#ifndef ANALYSIS_CHANGEPOINT_H
#define ANALYSIS_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

#define CHANGEPOINT_SEGMENT_MIN 3 /* points of a segment */

enum changepoint_kind {
	CHANGEPOINT_BENCHMARK, /* points are means of runs whose spread is known */
	CHANGEPOINT_FOREIGN,   /* one value a point, nothing known of its noise */
};

/* A line of C points, oldest first. */
struct changepoint_series {
	enum changepoint_kind kind;
	const double *mean; /* of each point's runs */
	const double *runs; /* how many; ignored of FOREIGN */
	size_t n;           /* C */
	double within;      /* variance between runs of one point, pooled; 0: not known */
};

/* A stretch without a change. Of a constant one slope is 0. */
struct segment {
	size_t begin, end; /* points [begin, end) */
	double level;      /* fitted value at begin */
	double slope;      /* a point */
	bool drift;        /* a line fits it better than a level */
};

struct segmentation {
	struct segment *segments; /* in order, at least one unless there are no points */
	size_t n;
	double beta, kappa; /* penalties of the last pass: of a change, of a slope */
	double noise;       /* standard deviation of a residual, of FOREIGN; of BENCHMARK f of the
			       specification, 1: as the runs say */
	double autocorrelation; /* of neighbouring residuals, 0 … .9 */
};

/* Fewer than 6 points are one constant segment. */
struct segmentation changepoint_find(struct arena *a, const struct changepoint_series *s);

/* The fitted value at a point. */
double segment_at(const struct segment *s, size_t point);
/* The jump between the fits at the boundary before segment i >= 1: the new segment's first value
 * less what the old one says for that point. */
double changepoint_step(const struct segmentation *g, size_t i);

/* The same with new points at the end, one by one, for lines that only grow. Weights, clipping and
 * penalties are those of the full pass: changepoint_line_stale says when they no longer fit (the
 * line grew by a tenth, or the penalty by a fifth), and a full pass is due. */
struct changepoint_line;
struct changepoint_line *changepoint_line_new(struct arena *a, const struct changepoint_series *s);
void changepoint_line_append(struct changepoint_line *l, double mean, double runs);
/* From the point on (it has new runs) everything is to be told again by append. */
void changepoint_line_cut(struct changepoint_line *l, size_t point);
struct segmentation changepoint_line_segments(struct arena *a, const struct changepoint_line *l);
bool changepoint_line_stale(const struct changepoint_line *l);

#endif
