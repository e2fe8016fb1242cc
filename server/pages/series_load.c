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
		struct measured key = {.commit_id = h->commit_id};
		const struct measured *m =
			ncounts ? bsearch(&key, counts, ncounts, sizeof(*counts), compare_ids)
				: NULL;

		out->commits[i] = (struct series_commit){
			.commit_id = h->commit_id,
			.name = h->name,
			.subject = h->subject,
			.date = h->date,
			.runs = m ? m->runs : 0,
			.failed = m ? m->failed : 0,
			.summaries = m ? m->summaries : 0,
			.last_received = m ? m->last_received : h->first_received,
		};
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
	size_t at = 0;
	int e;

	while (at < out->ncommits && !out->commits[at].runs && !out->commits[at].summaries)
		at++;
	if (at == out->ncommits)
		return E_OK;
	c->arena = scratch;
	e = cell_load(c, out->series.id, out->commits[at].commit_id, false, &data);
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

struct place { /* where a commit stands in the history */
	int64_t commit_id;
	size_t at;
};

static int compare_places(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	return a->commit_id < b->commit_id ? -1 : a->commit_id > b->commit_id;
}

static int load_spark(struct ctx *c, const struct series_page *p, const struct place *places,
		      struct series_value *v)
{
	struct history_value *values;
	size_t n, filled = 0;
	double *sums = arena_array(c->arena, double, p->ncommits);
	size_t *counts = arena_array(c->arena, size_t, p->ncommits);
	int e = history_values(c, p->series.id, v->metric->id, &values, &n);

	if (e < 0)
		return e;
	for (size_t i = 0; i < n; i++) {
		struct place key = {.commit_id = values[i].commit_id};
		const struct place *place =
			bsearch(&key, places, p->ncommits, sizeof(*places), compare_places);

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
	struct place *places = arena_array(c->arena, struct place, p->ncommits);

	if (p->ncommits < 2)
		return E_OK;
	for (size_t i = 0; i < p->ncommits; i++)
		places[i] = (struct place){p->commits[i].commit_id, p->ncommits - 1 - i};
	qsort(places, p->ncommits, sizeof(*places), compare_places);
	for (size_t i = 0; i < p->nmetrics && i < SERIES_SPARKS; i++) {
		int e;

		if (p->metrics[i].role != ROLE_PRIMARY)
			break;
		e = load_spark(c, p, places, &p->metrics[i]);
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
