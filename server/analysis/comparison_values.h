/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of analysis/comparison: the runs of the columns, sorted by metric. */
#ifndef ANALYSIS_COMPARISON_VALUES_H
#define ANALYSIS_COMPARISON_VALUES_H

#include "server/analysis/comparison.h"

/* Every metric of every column, once, by id; and where an id stands in that list. */
struct metric_index {
	const struct metric **m;
	size_t n;
	uint32_t first;   /* the smallest id */
	uint64_t *bits;   /* an id each, from first on: there is such a metric … */
	uint32_t *before; /* … and how many stand before those 64 */
};
void metric_index_init(struct arena *a, const struct comparison_column *cols, size_t ncols,
		       struct metric_index *x);

/* The values of one column, those of a metric side by side and in run order. Metric k has
 * v[start[k]] to v[start[k + 1]]. What is absent and means 0 is there as 0. */
struct column_values {
	double *v;
	size_t *start; /* n + 1 */
};
/* Takes from *room as many values as it keeps. False: they are more, and there are none in out. */
bool column_values_gather(struct arena *a, const struct metric_index *x,
			  const struct comparison_column *col, size_t *room,
			  struct column_values *out);

#endif
