/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One metric over commits: puts the values under their commits and describes each group. A commit
 * that has the series but not this metric is left out and counted. What stands in which order is
 * history_order.c's business.
 */
#include "server/model/history.h"

#include <math.h>

#include "db/commits.h"
#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/compare.h"
#include "server/model/history_order.h"

double history_spread_pct(const struct history_point *p)
{
	if (!isnan(p->stddev_pct))
		return p->stddev_pct;
	return p->d.mean != 0 ? 100 * p->d.stddev / fabs(p->d.mean) : NAN;
}

double history_change(const struct history_point *p, const struct history_point *prev, bool points)
{
	double moved = prev ? p->d.mean - prev->d.mean : NAN;

	if (points || isnan(moved))
		return moved;
	return prev->d.mean != 0 ? 100 * moved / prev->d.mean : NAN;
}

/* The point of a row: sorted by row, to find the point of a value. */
struct place {
	int64_t row;
	size_t point;
};
struct places {
	struct place *list;
	size_t n;
};

static int by_row(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	return (a->row > b->row) - (a->row < b->row);
}

static void fill_points(struct arena *a, const struct history_commit *commits, size_t n,
			struct history *out)
{
	out->points = arena_array(a, struct history_point, n);
	out->npoints = n;
	for (size_t i = 0; i < n; i++) {
		const struct history_commit *k = &commits[i];

		out->points[i] = (struct history_point){
			.commit_id = k->commit_id,
			.rows = k->rows,
			.names = k->names,
			.nrows = k->nrows,
			.name = k->name,
			.shown = compare_name(a, k->name),
			.subject = k->subject,
			.date = k->date,
			.first_received = k->first_received,
			.d = {.mean = k->printed ? k->mean : NAN,
			      .stddev = k->printed ? k->stddev : NAN,
			      .stddev_pop = NAN,
			      .min = NAN,
			      .median = NAN,
			      .max = NAN},
			.printed = k->printed,
			.stddev_pct = k->printed ? k->stddev_pct : NAN,
		};
	}
}

static struct places make_places(struct arena *a, const struct history *h)
{
	struct places out = {0};
	size_t total = 0;

	for (size_t i = 0; i < h->npoints; i++)
		total += h->points[i].nrows;
	out.list = arena_array(a, struct place, total);
	for (size_t i = 0; i < h->npoints; i++)
		for (size_t k = 0; k < h->points[i].nrows; k++)
			out.list[out.n++] = (struct place){h->points[i].rows[k], i};
	if (out.n)
		qsort(out.list, out.n, sizeof(*out.list), by_row);
	return out;
}

/* Position of the row's point, or npoints. last: where the value before it went, mostly the same.
 */
static size_t find_point(const struct history *h, const struct places *places, int64_t row,
			 size_t last)
{
	struct place want = {.row = row};
	const struct place *at;

	if (last < h->npoints && h->points[last].commit_id == row)
		return last;
	if (places->n == 0)
		return h->npoints;
	at = bsearch(&want, places->list, places->n, sizeof(want), by_row);
	return at ? at->point : h->npoints;
}

/* The point that the value counts for, or npoints. A printed figure stands where no run names the
 * metric; last as in find_point. */
static size_t point_of(const struct history *h, const struct places *places,
		       const struct history_value *v, const bool *named, size_t last)
{
	size_t p = find_point(h, places, v->commit_id, last);

	return p < h->npoints && v->silent && h->points[p].printed && !named[p] ? h->npoints : p;
}

static int by_run(const void *x, const void *y)
{
	const struct history_value *a = x, *b = y;

	return (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

/* Counts first, then hands out room, so that each commit's values lie side by side in order of
 * upload. */
static void fill_values(struct arena *a, struct history_value *values, size_t n, struct history *h)
{
	const struct places places = make_places(a, h);
	double *room = arena_array(a, double, n);
	size_t *next = arena_array(a, size_t, h->npoints);
	bool *named = arena_array(a, bool, h->npoints);
	size_t used = 0, p = h->npoints;

	if (n && places.n > h->npoints) /* what came under one name is in order already */
		qsort(values, n, sizeof(*values), by_run);
	for (size_t i = 0; i < n; i++) {
		p = find_point(h, &places, values[i].commit_id, p);
		if (p < h->npoints)
			named[p] |= !values[i].silent;
	}
	for (size_t i = 0; i < n; i++) {
		p = point_of(h, &places, &values[i], named, p);
		if (p < h->npoints)
			h->points[p].d.n++;
	}
	for (size_t i = 0; i < h->npoints; i++) {
		next[i] = used;
		used += h->points[i].d.n;
	}
	for (size_t i = 0; i < n; i++) {
		p = point_of(h, &places, &values[i], named, p);
		if (p < h->npoints)
			room[next[p]++] = values[i].value;
	}
	for (size_t i = 0; i < h->npoints; i++) {
		struct history_point *pt = &h->points[i];

		if (pt->d.n == 0)
			continue;
		pt->values = room + next[i] - pt->d.n;
		pt->d = describe(pt->values, pt->d.n);
		pt->printed = false; /* samples beat what was printed */
		pt->stddev_pct = NAN;
	}
}

static void drop_empty(struct history *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->npoints; i++)
		if (h->points[i].d.n || h->points[i].printed)
			h->points[kept++] = h->points[i];
	h->without = h->npoints - kept;
	h->npoints = kept;
}

/* Of the machine, from the first date of the points to the last, of commit or first upload. */
static int load_events(struct ctx *c, struct history *h)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < h->npoints; i++) {
		const struct history_point *p = &h->points[i];
		int64_t date = p->date != TIME_NONE ? p->date : p->first_received;

		if (date < from)
			from = date;
		if (date > to)
			to = date;
		if (p->first_received > to)
			to = p->first_received;
	}
	return event_range(c, h->series.tbox_group, from, to, HISTORY_EVENTS_MAX, &h->events,
			   &h->nevents);
}

/* A series may have a metric of which no value counts: as a distribution alone, or where every run
 * failed. Pages link to it, so that is an empty history. */
static int check_measured(struct ctx *c, const struct history *h)
{
	struct series_metric *list;
	size_t n;
	int e = series_metrics(c, h->series.id, &list, &n);

	for (size_t i = 0; e >= 0 && i < n; i++)
		if (list[i].metric->id == h->metric->id)
			return E_OK;
	return e < 0 ? e
		     : fail(c, E_NOTFOUND, "series %.8s has no values of %s", h->series.digest,
			    h->metric->name);
}

/* The points of one series, in db/'s order. */
static int load_points(struct ctx *c, const struct series *s, struct history *part)
{
	struct history_commit *commits = NULL;
	struct history_value *values = NULL;
	size_t ncommits = 0, nvalues = 0;
	int rc = history_commits(c, s->id, part->metric->id, &commits, &ncommits);

	if (rc >= 0)
		rc = history_values(c, s->id, part->metric->id, &values, &nvalues);
	if (rc < 0)
		return rc;
	fill_points(c->arena, commits, ncommits, part);
	fill_values(c->arena, values, nvalues, part);
	drop_empty(part);
	return E_OK;
}

int history_ask(struct ctx *c, const struct history_query *q, struct history *out)
{
	struct history *parts;
	int rc;

	*out = (struct history){0};
	rc = series_get(c, q->series, &out->series);
	if (rc < 0)
		return rc;
	out->metric = metric_by_name(c, q->metric);
	if (!out->metric) /* or the look-up failed, and has said so */
		return c->err ? (int)c->err
			      : fail(c, E_NOTFOUND, "no metric is called %s", q->metric);
	rc = series_unit(c, out->series.id, out->metric->id, &out->unit);
	if (rc >= 0)
		rc = history_join(c, q, out);
	if (rc < 0)
		return rc;
	if (!out->unit)
		out->unit = out->metric->facts.unit;
	parts = arena_array(c->arena, struct history, out->njoined);
	for (size_t i = 0; i < out->njoined; i++) {
		parts[i].metric = out->metric;
		rc = load_points(c, &out->joined[i], &parts[i]);
		if (rc < 0)
			return rc;
		out->without += parts[i].without;
	}
	rc = history_put_in_order(c, q, parts, out);
	if (rc >= 0 && out->npoints == 0)
		return check_measured(c, out);
	return rc < 0 ? rc : load_events(c, out);
}

int history_load(struct ctx *c, const char *series, const char *metric, enum history_order order,
		 struct history *out)
{
	return history_ask(
		c, &(struct history_query){.series = series, .metric = metric, .order = order},
		out);
}
