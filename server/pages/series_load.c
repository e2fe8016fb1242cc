/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page of one series shows: its metrics with the values of the last measured commit, small
 * pictures of the first primary ones, the commits newest first, and the series that are like it.
 */
#include "server/pages/series_one.h"

#include <math.h>

#include "server/base/arena.h"

/* Order of roles on pages: the test's own figures, then what failed, then monitors. */
static int role_rank(enum metric_role role)
{
	return role == ROLE_PRIMARY ? 0 : role == ROLE_FUNCTIONAL ? 1 : 2;
}

static int compare_values(const void *x, const void *y)
{
	const struct series_value *a = x, *b = y;
	int d = role_rank(a->role) - role_rank(b->role);

	return d ? d : strcmp(a->metric->name, b->metric->name);
}

static int load_metrics(struct ctx *c, struct series_page *out)
{
	struct series_metric *list;
	size_t n;
	int e = series_metrics(c, out->series.id, &list, &n);

	if (e < 0)
		return e;
	out->metrics = arena_array(c->arena, struct series_value, n);
	out->nmetrics = n;
	for (size_t i = 0; i < n; i++) {
		const struct metric *m = list[i].metric;

		out->metrics[i] = (struct series_value){
			.metric = m,
			.unit = list[i].unit,
			.role = metric_role_in(&m->facts, m->name, out->series.testcase),
			.mean = NAN,
			.stddev = NAN,
		};
	}
	if (n > 1)
		qsort(out->metrics, n, sizeof(*out->metrics), compare_values);
	return E_OK;
}

static int compare_ids(const void *x, const void *y)
{
	const struct measured *a = x, *b = y;

	return a->commit_id < b->commit_id ? -1 : a->commit_id > b->commit_id;
}

/* Of all its names. */
static void add_counts(struct series_commit *k, const struct measured *counts, size_t ncounts)
{
	for (size_t i = 0; i < k->nrows && ncounts; i++) {
		struct measured key = {.commit_id = k->rows[i]};
		const struct measured *m =
			bsearch(&key, counts, ncounts, sizeof(*counts), compare_ids);

		if (!m)
			continue;
		k->runs += m->runs;
		k->failed += m->failed;
		k->summaries += m->summaries;
		if (m->last_received > k->last_received)
			k->last_received = m->last_received;
	}
}

static int load_commits(struct ctx *c, struct series_page *out)
{
	uint32_t metric_id = out->nmetrics ? out->metrics[0].metric->id : 0;
	struct history_commit *history;
	struct measured *counts;
	size_t n, ncounts;
	int e = history_commits(c, out->series.id, metric_id, &history, &n);

	if (e >= 0)
		e = measured_of_series(c, out->series.id, SERIES_COMMITS, &counts, &ncounts);
	if (e < 0)
		return e;
	if (ncounts > 1)
		qsort(counts, ncounts, sizeof(*counts), compare_ids);
	out->commits = arena_array(c->arena, struct series_commit, n);
	out->ncommits = n;
	for (size_t i = 0; i < n; i++) {
		const struct history_commit *h = &history[n - 1 - i];

		out->commits[i] = (struct series_commit){
			.rows = h->rows,
			.nrows = h->nrows,
			.name = h->name,
			.subject = h->subject,
			.date = h->date,
			.last_received = h->first_received,
		};
		add_counts(&out->commits[i], counts, ncounts);
	}
	return E_OK;
}

static int compare_row_ids(const void *x, const void *y)
{
	const struct comparison_row *a = x, *b = y;

	return a->metric->id < b->metric->id ? -1 : a->metric->id > b->metric->id;
}

/* Means of the newest commit that has any; in an arena of its own, since a run may have thousands.
 */
static int load_last(struct ctx *c, struct series_page *out)
{
	auto_arena struct arena *scratch = arena_new();
	struct arena *keep = c->arena;
	struct cell_data data;
	struct comparison cmp;
	size_t at = 0, room = COMPARISON_VALUES_MAX;
	int e;

	while (at < out->ncommits && !out->commits[at].runs && !out->commits[at].summaries)
		at++;
	if (at == out->ncommits)
		return E_OK;
	c->arena = scratch;
	e = cell_load_names(c, out->series.id, out->commits[at].rows, out->commits[at].nrows, false,
			    &room, &data);
	c->arena = keep;
	if (e == E_TOO_LARGE ||
	    (e >= 0 && !comparison_build(scratch, out->series.testcase, &data.column, 1, &cmp))) {
		ctx_clear(c); /* the page without last values is still a page */
		return E_OK;
	}
	if (e < 0)
		return e;
	if (cmp.nrows > 1)
		qsort(cmp.rows, cmp.nrows, sizeof(*cmp.rows), compare_row_ids);
	for (size_t i = 0; i < out->nmetrics; i++) {
		struct series_value *v = &out->metrics[i];
		struct comparison_row key = {.metric = v->metric};
		const struct comparison_row *row =
			cmp.nrows ? bsearch(&key, cmp.rows, cmp.nrows, sizeof(*cmp.rows),
					    compare_row_ids)
				  : NULL;

		if (!row || !row->cells[0].present)
			continue;
		v->measured = true;
		v->mean = row->cells[0].mean;
		v->stddev = row->cells[0].stddev;
		if (v->metric->facts.kind == KIND_FUNCTIONAL && row->cells[0].fails >= 0)
			v->mean = (double)row->cells[0].fails;
	}
	return E_OK;
}

struct place { /* where the commit of a row stands in the history */
	int64_t row;
	size_t at;
};

static int compare_places(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	return a->row < b->row ? -1 : a->row > b->row;
}

static int load_spark(struct ctx *c, const struct series_page *p, const struct place *places,
		      size_t nplaces, struct series_value *v)
{
	struct history_value *values;
	size_t n, filled = 0;
	double *sums = arena_array(c->arena, double, p->ncommits);
	size_t *counts = arena_array(c->arena, size_t, p->ncommits);
	int e = history_values(c, p->series.id, v->metric->id, &values, &n);

	if (e < 0)
		return e;
	for (size_t i = 0; i < n; i++) {
		struct place key = {.row = values[i].commit_id};
		const struct place *place =
			bsearch(&key, places, nplaces, sizeof(*places), compare_places);

		if (place) {
			sums[place->at] += values[i].value;
			counts[place->at]++;
		}
	}
	for (size_t i = 0; i < p->ncommits; i++)
		if (counts[i])
			sums[filled++] = sums[i] / (double)counts[i];
	v->means = sums;
	v->nmeans = filled;
	return E_OK;
}

static int load_sparks(struct ctx *c, struct series_page *p)
{
	size_t nplaces = 0, total = 0;
	struct place *places;

	if (p->ncommits < 2)
		return E_OK;
	for (size_t i = 0; i < p->ncommits; i++)
		total += p->commits[i].nrows;
	places = arena_array(c->arena, struct place, total);
	for (size_t i = 0; i < p->ncommits; i++)
		for (size_t k = 0; k < p->commits[i].nrows; k++)
			places[nplaces++] =
				(struct place){p->commits[i].rows[k], p->ncommits - 1 - i};
	qsort(places, nplaces, sizeof(*places), compare_places);
	for (size_t i = 0; i < p->nmetrics && i < SERIES_SPARKS; i++) {
		int e;

		if (p->metrics[i].role != ROLE_PRIMARY)
			break;
		e = load_spark(c, p, places, nplaces, &p->metrics[i]);
		if (e < 0)
			return e;
	}
	return E_OK;
}

int series_page_load(struct ctx *c, const char *ref, struct series_page *out)
{
	int e = series_get(c, ref, &out->series);

	if (e >= 0)
		e = series_count(c, &out->series);
	if (e >= 0)
		e = load_metrics(c, out);
	if (e >= 0)
		e = load_commits(c, out);
	if (e >= 0)
		e = load_last(c, out);
	if (e >= 0)
		e = load_sparks(c, out);
	if (e >= 0)
		e = series_peers(c, &out->series, &out->peers, &out->npeers);
	if (e >= 0)
		e = series_neighbours(c, &out->series, &out->neighbours, &out->nneighbours);
	return e;
}

const char *series_difference(struct arena *a, const struct series *here,
			      const struct series *there)
{
	char *text = arena_str(a, "");

	for (size_t i = 0; i < here->naxes; i++) {
		const struct pair *x = &here->axes[i];
		const char *other = series_axis(there, x->name);

		if (!other || strcmp(other, x->value) != 0)
			text = arena_fmt(a, "%s%s%s: %s here, %s there", text, *text ? "; " : "",
					 x->name, x->value, other ? other : "not set");
	}
	for (size_t i = 0; i < there->naxes; i++) {
		const struct pair *x = &there->axes[i];

		if (!series_axis(here, x->name))
			text = arena_fmt(a, "%s%s%s: not set here, %s there", text,
					 *text ? "; " : "", x->name, x->value);
	}
	return text;
}
