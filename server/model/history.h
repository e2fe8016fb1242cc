/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One metric of one series over all its commits: what the history page and its chart show. */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "db/events.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/describe.h"

struct history_point {
	int64_t commit_id;
	const char *name;    /* 40 digits, a stub or a ref */
	const char *shown;   /* compare_name() of it */
	const char *subject; /* NULL */
	int64_t date;        /* of the commit, TIME_NONE */
	int64_t first_received;
	const double *values; /* d.n of them, in order of upload; NULL for printed figures */
	struct description d; /* printed: n 0, what is not known is NAN */
	bool printed;         /* a report gave the mean, there are no samples */
	double stddev_pct;    /* as printed, NAN */
};

#define HISTORY_EVENTS_MAX 1000
struct history {
	struct series series;
	const struct metric *metric;
	const char *unit;             /* as uploaded, else by rule, else NULL */
	struct history_point *points; /* in history order */
	size_t npoints;
	size_t without;       /* commits of the series that the metric was not measured on */
	struct event *events; /* of the machine, between the dates of the points; oldest first */
	size_t nevents;
};

/* The spread of a point in percent of its mean: as printed, else from the samples; NAN unknown. */
double history_spread_pct(const struct history_point *p);

/* The change against the point before as a comparison computes it: percent of its mean, or the
 * difference (points). NAN without a point before or from a mean of 0. */
double history_change(const struct history_point *p, const struct history_point *prev, bool points);

enum history_order { HISTORY_BY_COMMIT, HISTORY_BY_UPLOAD };

/* E_NOTFOUND (series, metric, or the metric is not in the series), E_INVALID, E_AMBIGUOUS (series).
 */
int history_load(struct ctx *c, const char *series, const char *metric, enum history_order order,
		 struct history *out);

#endif
