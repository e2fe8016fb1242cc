/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One metric of one series over all its commits: what the history page and its chart show. */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "db/events.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/describe.h"

/* Where a point stands. With order=time, and where git knows no commit of it, all are DATED. */
enum history_place {
	HISTORY_DATED,  /* by what uploads told of parents, else by date */
	HISTORY_LINE,   /* on the first parents of the ref */
	HISTORY_BESIDE, /* elsewhere: behind its nearest ancestor on the line */
};
const char *history_place_name(enum history_place p); /* "date", "line", "beside" */
#define HISTORY_NO_POINT SIZE_MAX

struct history_point {
	int64_t commit_id;
	const int64_t
		*rows; /* of its commit in the series, commit_id first: one for each name that */
	const char *const *names; /* git has at its place */
	size_t nrows;
	size_t series; /* in history.joined */
	enum history_place place;
	size_t prev;         /* the point it is held against; HISTORY_NO_POINT */
	const char *beside;  /* BESIDE: name of the point of the line that it hangs at, NULL: before
				all of them; else NULL */
	const char *change;  /* what is another setup than the point before it, "ucode 0x1 -> 0x2";
				else NULL */
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
#define HISTORY_JOIN_MAX   8 /* axes that may differ */
struct history {
	struct series series;  /* that was asked for */
	struct series *joined; /* it, and the series that are joined with it */
	size_t njoined;
	const char *line; /* what orders the points, "mainline/master"; NULL: no git */
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

/* The point that p is held against, NULL: none. */
static inline const struct history_point *history_previous(const struct history *h,
							   const struct history_point *p)
{
	return p->prev == HISTORY_NO_POINT ? NULL : &h->points[p->prev];
}

/* The change against the point before as a comparison computes it: percent of its mean, or the
 * difference (points). NAN without a point before or from a mean of 0. */
double history_change(const struct history_point *p, const struct history_point *prev, bool points);

enum history_order { HISTORY_BY_COMMIT, HISTORY_BY_UPLOAD };

struct history_query {
	const char *series, *metric;
	enum history_order order;
	const char *ref;         /* NULL: the line that knows most of the commits */
	const char *const *join; /* names of axes in which series of the same test on the same
				    machine may differ from it; at most HISTORY_JOIN_MAX */
	size_t njoin;
};
/* As history_load; E_NOTFOUND and E_AMBIGUOUS also of the ref, E_INVALID of an axis that is part of
 * the test. */
int history_ask(struct ctx *c, const struct history_query *q, struct history *out);

/* E_NOTFOUND (series, metric, or the metric is not in the series), E_INVALID, E_AMBIGUOUS (series).
 */
int history_load(struct ctx *c, const char *series, const char *metric, enum history_order order,
		 struct history *out);

#endif
