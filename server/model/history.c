/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One metric over commits: puts the values under their commits and describes each group. The order
 * comes from db/ (commit dates, else first upload); a commit that has the series but not this
 * metric is left out and counted.
 */
#include "server/model/history.h"

#include <math.h>

#include "db/commits.h"
#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/model/compare.h"

#define RUNS_COUNTED 10000 /* commits */

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

/* Where each commit's values begin: sorted by commit id, to find the point of a value. */
struct place {
	int64_t commit_id;
	size_t point;
};

static int by_commit(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	return (a->commit_id > b->commit_id) - (a->commit_id < b->commit_id);
}

static int by_upload(const void *x, const void *y)
{
	const struct history_point *a = x, *b = y;

	if (a->first_received != b->first_received)
		return a->first_received < b->first_received ? -1 : 1;
	return (a->commit_id > b->commit_id) - (a->commit_id < b->commit_id);
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

static struct place *make_places(struct arena *a, const struct history *h)
{
	struct place *places = arena_array(a, struct place, h->npoints);

	for (size_t i = 0; i < h->npoints; i++)
		places[i] = (struct place){h->points[i].commit_id, i};
	if (h->npoints)
		qsort(places, h->npoints, sizeof(*places), by_commit);
	return places;
}

/* Position of the commit's point, or npoints. last: where the value before it went, mostly the
 * same. */
static size_t find_point(const struct history *h, const struct place *places, int64_t commit_id,
			 size_t last)
{
	struct place want = {.commit_id = commit_id};
	const struct place *at;

	if (last < h->npoints && h->points[last].commit_id == commit_id)
		return last;
	if (h->npoints == 0)
		return 0;
	at = bsearch(&want, places, h->npoints, sizeof(want), by_commit);
	return at ? at->point : h->npoints;
}

/* Counts first, then hands out room, so that each commit's values lie side by side in order of
 * upload. */
static void fill_values(struct arena *a, const struct history_value *values, size_t n,
			struct history *h)
{
	const struct place *places = make_places(a, h);
	double *room = arena_array(a, double, n);
	size_t *next = arena_array(a, size_t, h->npoints);
	size_t used = 0, p = h->npoints;

	for (size_t i = 0; i < n; i++) {
		p = find_point(h, places, values[i].commit_id, p);
		if (p < h->npoints)
			h->points[p].d.n++;
	}
	for (size_t i = 0; i < h->npoints; i++) {
		next[i] = used;
		used += h->points[i].d.n;
	}
	for (size_t i = 0; i < n; i++) {
		p = find_point(h, places, values[i].commit_id, p);
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

static int by_measured(const void *x, const void *y)
{
	const struct measured *a = x, *b = y;

	return (a->commit_id > b->commit_id) - (a->commit_id < b->commit_id);
}

/* A run that ended well did not have the failures that it does not name: it counts as a 0. */
static int fill_clean_runs(struct ctx *c, struct history *h)
{
	struct measured *m;
	size_t n;
	int rc = measured_of_series(c, h->series.id, RUNS_COUNTED, &m, &n);

	if (rc < 0)
		return rc;
	if (n)
		qsort(m, n, sizeof(*m), by_measured);
	for (size_t i = 0; i < h->npoints; i++) {
		struct history_point *p = &h->points[i];
		struct measured want = {.commit_id = p->commit_id};
		const struct measured *at =
			n ? bsearch(&want, m, n, sizeof(*m), by_measured) : NULL;
		size_t runs = at ? (size_t)at->runs : 0;
		double *values;

		if (p->printed || runs <= p->d.n)
			continue;
		values = arena_array(c->arena, double, runs);
		for (size_t k = 0; k < p->d.n; k++)
			values[k] = p->values[k];
		p->values = values;
		p->d = describe(values, runs);
	}
	return E_OK;
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

int history_load(struct ctx *c, const char *series, const char *metric, enum history_order order,
		 struct history *out)
{
	struct history_commit *commits = NULL;
	struct history_value *values = NULL;
	size_t ncommits = 0, nvalues = 0;
	int rc;

	*out = (struct history){0};
	rc = series_get(c, series, &out->series);
	if (rc < 0)
		return rc;
	out->metric = metric_by_name(c, metric);
	if (!out->metric)
		return fail(c, E_NOTFOUND, "no metric is called %s", metric);
	rc = history_commits(c, out->series.id, out->metric->id, &commits, &ncommits);
	if (rc >= 0)
		rc = history_values(c, out->series.id, out->metric->id, &values, &nvalues);
	if (rc >= 0)
		rc = series_unit(c, out->series.id, out->metric->id, &out->unit);
	if (rc < 0)
		return rc;
	if (!out->unit)
		out->unit = out->metric->facts.unit;
	fill_points(c->arena, commits, ncommits, out);
	fill_values(c->arena, values, nvalues, out);
	if (out->metric->facts.kind == KIND_FUNCTIONAL && nvalues)
		rc = fill_clean_runs(c, out);
	if (rc < 0)
		return rc;
	drop_empty(out);
	if (out->npoints == 0)
		return fail(c, E_NOTFOUND, "series %.8s has no values of %s", out->series.digest,
			    metric);
	if (order == HISTORY_BY_UPLOAD)
		qsort(out->points, out->npoints, sizeof(*out->points), by_upload);
	return E_OK;
}
