/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the level of a metric changes over the commits of a history: steps, and stretches that
 * drift. Looked for along the line alone (commits elsewhere hang beside it), on the scale that the
 * rule judges the metric on (analysis/rule_scale.h), by analysis/changepoint.h: as a benchmark
 * where some point has several runs, else as a foreign line.
 */
#ifndef MODEL_HISTORY_CHANGES_H
#define MODEL_HISTORY_CHANGES_H

#include "server/analysis/comparison.h"
#include "server/analysis/rule_scale.h"

/* A stretch of the line without a step. Levels are the fit's, in the metric's unit. */
struct level_stretch {
	size_t first, last; /* points of the history */
	double at_first, at_last;
	bool drift;
	double drift_pct; /* from its first to its last point: percent, of percentages points; 0 of
			     a constant one */
	double slope_pct; /* the same for one commit */
};

struct level_step {
	size_t index;         /* the history's point where the new level begins */
	double before, after; /* levels at the boundary */
	double change;        /* percent, of percentages points; NAN from 0 */
	enum verdict verdict; /* by direction */
};

struct history_changes {
	enum rule_scale scale;
	struct level_stretch *stretches; /* in order; none without points */
	size_t nstretches, ndrifts;
	struct level_step *steps; /* those that pass the size gate */
	size_t nsteps;
};

/* One point of the line: the runs of a metric on one commit. */
struct level_point {
	size_t index; /* what the results call it by */
	const double *values;
	size_t n; /* >= 1 */
};

/* Points in order. The metric says direction, kind, threshold and floor. keep: full passes are
 * taken from those that are kept (model/kept_passes.h) and left there, which changes no result. */
struct history_changes changes_find(struct arena *a, const struct metric *m,
				    const struct level_point *points, size_t n, bool keep);

struct history;
/* Of a history: the points of its line; of one that git does not order, all. Printed figures count
 * as one run. With order by upload there are none to be found. */
struct history_changes history_changes(struct arena *a, const struct history *h);

#endif
