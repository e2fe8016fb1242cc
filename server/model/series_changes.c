/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commit by commit the runs are loaded and sorted by metric, newest first and as long as there is
 * room; then metric by metric the line is looked at. A commit's runs as they were read are dropped
 * as soon as they are sorted, so memory goes by the values alone.
 */
#include "server/model/series_changes.h"

#include <math.h>
#include <stdlib.h>

#include "db/metrics.h"
#include "db/runs.h"
#include "server/analysis/comparison_values.h"
#include "server/base/arena.h"
#include "server/history/line.h"
#include "server/model/kept_passes.h"
#include "server/analysis/rule.h"

/* The values of a commit, metric by metric. */
struct scan {
	struct metric_index index;
	struct column_values *commits; /* parallel to series_changes.commits */
	size_t room;                   /* for values */
	size_t *before; /* of the metric at hand: the last commit before each that has it */
	size_t cap;     /* of changes */
	bool keep;      /* full passes */
};

static enum metric_role role_of(const struct series *s, const struct metric *m)
{
	return metric_role_in(&m->facts, m->name, s->testcase);
}

/* Commits of the line in order; without git all, as uploads order them. */
static int load_commits(struct ctx *c, const struct series *s, struct series_changes *out)
{
	struct history_commit *all;
	struct line_place *places;
	size_t n;
	int e = history_commits(c, s->id, 0, &all, &n);
	int64_t *ids = e < 0 ? NULL : arena_array(c->arena, int64_t, n);

	for (size_t i = 0; e >= 0 && i < n; i++)
		ids[i] = all[i].commit_id;
	if (e >= 0)
		e = history_line_of(c, s->id, ids, n, NULL, &places, &out->line);
	if (e < 0)
		return e;
	out->commits = arena_array(c->arena, struct series_change_commit, n);
	for (size_t i = 0; i < n; i++) {
		const struct history_commit *k = &all[places[i].given];

		if (out->line && !places[i].on_line)
			continue;
		out->commits[out->ncommits++] = (struct series_change_commit){
			k->rows, k->nrows, k->name, k->subject, k->date};
	}
	return E_OK;
}

static int by_id(const void *x, const void *y)
{
	uint32_t a = (*(const struct metric *const *)x)->id,
		 b = (*(const struct metric *const *)y)->id;

	return (a > b) - (a < b);
}

/* Every metric of the series once, as one run that has them all; without monitors if they are not
 * wanted. */
static int load_metrics(struct ctx *c, const struct series *s, bool primary_only, struct scan *scan)
{
	struct series_metric *list;
	const struct metric **m;
	size_t n, kept = 0;
	int e = series_metrics(c, s->id, &list, &n);

	if (e < 0)
		return e;
	m = arena_array(c->arena, const struct metric *, n);
	for (size_t i = 0; i < n; i++)
		if (!primary_only || role_of(s, list[i].metric) != ROLE_MONITOR)
			m[kept++] = list[i].metric;
	if (kept)
		qsort(m, kept, sizeof(*m), by_id);
	const struct sample_run all = {.metrics = m, .n = kept};
	const struct comparison_column column = {.runs = &all, .nruns = 1};
	metric_index_init(c->arena, &column, 1, &scan->index);
	return E_OK;
}

static bool has_metric(const struct metric_index *x, uint32_t id)
{
	uint32_t i = id - x->first;

	return x->n && id >= x->first && id <= x->m[x->n - 1]->id &&
	       (x->bits[i / 64] >> i % 64 & 1);
}

/* The column's runs without the metrics that are not looked at. */
static void drop_others(struct arena *a, const struct metric_index *x,
			struct comparison_column *col)
{
	struct sample_run *runs = arena_array(a, struct sample_run, col->nruns);

	for (size_t i = 0; i < col->nruns; i++) {
		const struct sample_run *all = &col->runs[i];
		const struct metric **metrics = arena_array(a, const struct metric *, all->n);
		double *values = arena_array(a, double, all->n);

		runs[i] = (struct sample_run){
			.metrics = metrics, .values = values, .run_id = all->run_id};
		for (size_t k = 0; k < all->n; k++) {
			if (!has_metric(x, all->metrics[k]->id))
				continue;
			metrics[runs[i].n] = all->metrics[k];
			values[runs[i].n++] = all->values[k];
		}
	}
	col->runs = runs;
}

/* The runs of one commit, sorted by metric; false in *fits: they are more than there is room for.
 */
static int load_commit(struct ctx *c, const struct series *s, bool primary_only,
		       const struct series_change_commit *k, struct scan *scan,
		       struct column_values *out, bool *fits)
{
	struct arena *kept = c->arena;
	auto_arena struct arena *scratch = arena_new();
	struct cell_data cell;
	size_t room = COMPARISON_VALUES_MAX;
	int e;

	c->arena = scratch;
	e = cell_load_names(c, s->id, k->rows, k->nrows, false, &room, &cell);
	if (e >= 0 && primary_only)
		drop_others(scratch, &scan->index, &cell.column);
	c->arena = kept;
	if (e < 0)
		return e;
	cell.column.cells = NULL; /* printed figures are not runs */
	cell.column.ncells = 0;
	*fits = column_values_gather(kept, &scan->index, &cell.column, &scan->room, out);
	return E_OK;
}

static int load_values(struct ctx *c, const struct series *s, bool primary_only, struct scan *scan,
		       struct series_changes *out)
{
	size_t first = out->ncommits;
	bool fits = true;

	scan->room = SERIES_CHANGES_VALUES;
	scan->commits = arena_array(c->arena, struct column_values, out->ncommits);
	while (first > 0) {
		int e = load_commit(c, s, primary_only, &out->commits[first - 1], scan,
				    &scan->commits[first - 1], &fits);
		if (e < 0)
			return e;
		if (!fits)
			break;
		first--;
	}
	out->left_out = first;
	out->commits += first;
	out->ncommits -= first;
	scan->commits += first;
	return E_OK;
}

/* --- one metric ---------------------------------------------------------------------------------
 */

static struct series_change *add(struct ctx *c, struct series_changes *out, struct scan *scan)
{
	out->changes =
		arena_grow(c->arena, out->changes, &scan->cap, out->n + 1, sizeof(*out->changes));
	return &out->changes[out->n++];
}

static enum verdict way(const struct metric *m, double change)
{
	if (m->facts.direction == DIRECTION_NONE)
		return VERDICT_CHANGED;
	return (change > 0) == (m->facts.direction == DIRECTION_HIGHER) ? VERDICT_IMPROVEMENT
									: VERDICT_REGRESSION;
}

/* A drift that comes to less than a step would have to is left out. */
static bool is_small(const struct metric *m, double change)
{
	double least = m->facts.kind == KIND_PERCENT ? RULE_POINTS : 100 * RULE_SIZE;

	return fabs(change) < fmax(least, m->threshold_pct);
}

static void keep_changes(struct ctx *c, const struct series *s, const struct metric *m,
			 const struct history_changes *h, struct scan *scan,
			 struct series_changes *out)
{
	enum metric_role role = role_of(s, m);

	for (size_t i = 0; i < h->nsteps; i++)
		*add(c, out, scan) = (struct series_change){
			.metric = m,
			.role = role,
			.from = scan->before[h->steps[i].index],
			.to = h->steps[i].index,
			.before = h->steps[i].before,
			.after = h->steps[i].after,
			.change = h->steps[i].change,
			.verdict = h->steps[i].verdict,
		};
	for (size_t i = 0; i < h->nstretches; i++)
		if (h->stretches[i].drift && !is_small(m, h->stretches[i].drift_pct))
			*add(c, out, scan) = (struct series_change){
				.metric = m,
				.role = role,
				.drift = true,
				.from = h->stretches[i].first,
				.to = h->stretches[i].last,
				.before = h->stretches[i].at_first,
				.after = h->stretches[i].at_last,
				.change = h->stretches[i].drift_pct,
				.verdict = way(m, h->stretches[i].drift_pct),
			};
}

static void look_at(struct ctx *c, const struct series *s, size_t k, struct scan *scan,
		    struct arena *scratch, struct series_changes *out)
{
	const struct metric *m = scan->index.m[k];
	struct level_point *points = arena_array(scratch, struct level_point, out->ncommits);
	size_t n = 0, last = 0;

	for (size_t i = 0; i < out->ncommits; i++) {
		const struct column_values *v = &scan->commits[i];
		size_t runs = v->start[k + 1] - v->start[k];

		scan->before[i] = last;
		if (!runs)
			continue;
		points[n++] = (struct level_point){i, v->v + v->start[k], runs};
		last = i;
	}
	struct history_changes h = changes_find(scratch, m, points, n, scan->keep);
	keep_changes(c, s, m, &h, scan, out);
	out->metrics += n > 0;
}

static double size_of(const struct series_change *x)
{
	return isnan(x->change) ? (double)INFINITY : fabs(x->change);
}

static int by_weight(const void *x, const void *y)
{
	const struct series_change *a = x, *b = y;

	if (a->drift != b->drift)
		return a->drift ? 1 : -1;
	if (a->to != b->to)
		return a->to > b->to ? -1 : 1;
	if (a->role != b->role)
		return a->role == ROLE_PRIMARY || b->role == ROLE_MONITOR ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	return strcmp(a->metric->name, b->metric->name);
}

int series_changes_load(struct ctx *c, const struct series *s, bool primary_only,
			struct series_changes *out)
{
	auto_arena struct arena *scratch = arena_new();
	struct scan scan = {0};
	int e;

	*out = (struct series_changes){0};
	if ((e = load_commits(c, s, out)) < 0 ||
	    (e = load_metrics(c, s, primary_only, &scan)) < 0 ||
	    (e = load_values(c, s, primary_only, &scan, out)) < 0)
		return e;
	scan.before = arena_array(c->arena, size_t, out->ncommits);
	scan.keep = kept_passes_have_room(scan.index.n, out->ncommits);
	for (size_t k = 0; k < scan.index.n; k++) {
		if (scan.index.m[k]->facts.kind == KIND_FUNCTIONAL) /* fails have no level */
			continue;
		arena_reset(scratch);
		look_at(c, s, k, &scan, scratch, out);
	}
	if (out->n)
		qsort(out->changes, out->n, sizeof(*out->changes), by_weight);
	return E_OK;
}
