/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of analysis/changepoint: prefix sums, segment costs, and the partition under one penalty.
 */
#ifndef ANALYSIS_CHANGEPOINT_FIT_H
#define ANALYSIS_CHANGEPOINT_FIT_H

#include "server/analysis/changepoint.h"

/* One partition under way. Sums of weights and of weighted products of index and value (about a
 * centre and in a unit, so that differences keep their digits and no square overflows) over the
 * points before each index: arrays of points + 1. F(t) is the best cost of the first t points. */
struct partition {
	struct arena *arena;
	double beta, kappa; /* in squares of the unit, weighted */
	double centre, unit;
	double *w, *x, *y, *xx, *xy, *yy;
	double *cost;    /* F(t), t = 0 … closed */
	double *tried;   /* by begin: cost up to the end at hand, without beta */
	size_t *last;    /* begin of the last segment of the first t points */
	size_t *dropped; /* the end from which a begin is no longer looked at; 0: it is */
	size_t first;    /* begins before it are dropped */
	size_t n, closed, cap;
};

struct partition *partition_new(struct arena *a, size_t points, double centre, double unit);
/* One more point, behind the last; it is not in the partition before partition_close. */
void partition_add(struct partition *p, double weight, double value);
void partition_close(struct partition *p);
/* All points again under other penalties. */
void partition_price(struct partition *p, double beta, double kappa);
/* Forgets all points behind the first n. */
void partition_cut(struct partition *p, size_t n);
/* Of all points, which must be closed. */
struct segmentation partition_segments(struct arena *a, const struct partition *p);

#endif
