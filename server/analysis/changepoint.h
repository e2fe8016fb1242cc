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

/*
 * Lines that grow. A full pass looks at every point, learns what noise there is, and takes time by
 * the square of the points; a new commit should cost what one commit costs. So of a line of n
 * points the full pass is made over the first changepoint_anchor(n), and the others follow it with
 * scale of noise, clipping and penalties frozen. As long as they only carry the last segment on,
 * that is the answer. Where they move, add or end a change or a drift, frozen prices decide
 * nothing: the full pass over all n points does. What is found thus depends on the n points
 * alone, not on what a process saw before, and every new change was found at prices of its day.
 *
 * Full passes are the same for the same points, so whoever keeps one by its points keeps nothing
 * that can become stale. Against full passes of every length: on the 30 marked series of `make
 * evaluate` cover and F1 are the same (.807, .814), on simulated lines (600 a kind, 60 to 300
 * points) false changes and late steps found, too, and on quiet lines one in 300 needs the second
 * pass. If frozen prices decided alone, F1 would stay, but lines that were still and begin to move
 * behind the full pass would be cut wrongly .95 times each, not .49.
 */

/* The largest count <= n of a grid of steps of a tenth: 6, 7, … 20, 22, 24, … 94, 103, 113 … */
size_t changepoint_anchor(size_t n);

struct changepoint_line;
/* The full pass. Borrows mean and runs of s. */
struct changepoint_line *changepoint_line_new(struct arena *a, const struct changepoint_series *s);
/* Lets the points of s follow that the line does not have yet; those that it has stand before them
 * in s, equal. Once, and for at most a tenth more. False: it is more than the last segment carried
 * on, so make a new line of all of s. */
bool changepoint_line_extend(struct changepoint_line *l, const struct changepoint_series *s,
			     struct segmentation *out);
struct segmentation changepoint_line_segments(struct arena *a, const struct changepoint_line *l);

/* A full pass of n points as bytes, aligned as doubles: for keeping in this process. A line that is
 * resumed with a series equal to the one that the pass was made of is equal to that line, bit by
 * bit, at the cost of n instead of n squared. */
size_t changepoint_pass_bytes(size_t n);
void changepoint_line_pass(const struct changepoint_line *l, void *to); /* before it is extended */
struct changepoint_line *changepoint_line_resume(struct arena *a,
						 const struct changepoint_series *s,
						 const void *pass);

#endif
