/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One metric over a range: which of its commits were measured, and the largest change between
 * neighbours that the rule calls one. Every pair is looked at by this metric alone first; then the
 * largest are judged as the compare page does, with all metrics of their cells.
 */
#include "server/model/range_inside.h"

#include <math.h>

#include "db/commit_places.h"
#include "db/rule_setting.h"
#include "server/base/arena.h"
#include "server/history/ancestors.h"
#include "server/history/graph.h"
#include "server/model/cell_pair.h"
#include "server/model/compare_table.h"

#define BELOW_MAX  20 /* measured ancestors that may lack the metric */
#define JUDGED_MAX 16 /* pairs that are judged in full */

/* --- what was measured --------------------------------------------------------------------------
 */

struct known_point {
	int64_t commit_id;
	const struct history_point *point;
};

static int by_commit(const void *a, const void *b)
{
	const struct known_point *x = a, *y = b;

	return (x->commit_id > y->commit_id) - (x->commit_id < y->commit_id);
}

static const struct history_point *point_of(const struct known_point *list, size_t n, int64_t id)
{
	struct known_point want = {.commit_id = id};
	const struct known_point *at = n ? bsearch(&want, list, n, sizeof(want), by_commit) : NULL;

	return at ? at->point : NULL;
}

/* Each under all rows of its commit. */
static struct known_point *sort_points(struct arena *a, const struct history *h, size_t *n)
{
	struct known_point *list;
	size_t total = 0;

	for (size_t i = 0; i < h->npoints; i++)
		total += h->points[i].nrows;
	list = arena_array(a, struct known_point, total);
	*n = 0;
	for (size_t i = 0; i < h->npoints; i++)
		for (size_t k = 0; k < h->points[i].nrows; k++)
			list[(*n)++] = (struct known_point){h->points[i].rows[k], &h->points[i]};
	if (total)
		qsort(list, total, sizeof(*list), by_commit);
	return list;
}

/* The nearest measured ancestor that has the metric. */
static int find_below(struct range_work *w, const struct known_point *list, size_t nlist,
		      struct range_hit *hit)
{
	int64_t series = w->out->history.series.id, ids[BELOW_MAX];
	size_t n;
	int e = ancestor_measured(w->c, hit->point->commit_id, series, ids);

	if (e == E_NOTFOUND) {
		ctx_clear(w->c);
		return E_OK;
	}
	if (e < 0)
		return e;
	hit->below = point_of(list, nlist, ids[0]);
	if (hit->below)
		return E_OK;
	e = measured_before(w->c, series, hit->point->commit_id, BELOW_MAX, ids, &n);
	for (size_t i = n; e >= 0 && i-- > 0 && !hit->below;)
		hit->below = point_of(list, nlist, ids[i]);
	return e;
}

/* Places of the set by position, and by row, as their points know them. */
struct member_place {
	int64_t key;
	size_t at;
};

static int by_key(const void *a, const void *b)
{
	const struct member_place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Git's positions count up from 1; rows that git does not know are told from them by their sign. */
static struct member_place *sort_members(struct arena *a, const struct range_set *set)
{
	struct member_place *list = arena_array(a, struct member_place, set->n);

	for (size_t i = 0; i < set->n; i++) {
		const struct range_member *m = &set->members[i];

		list[i] = (struct member_place){m->position ? m->position : -m->row, i};
	}
	if (set->n)
		qsort(list, set->n, sizeof(*list), by_key);
	return list;
}

static bool find_member(const struct member_place *list, size_t n, int64_t position, int64_t row,
			size_t *at)
{
	struct member_place want = {.key = position ? position : -row};
	const struct member_place *found = n ? bsearch(&want, list, n, sizeof(want), by_key) : NULL;

	if (found)
		*at = found->at;
	return found != NULL;
}

static int newest_first(const void *a, const void *b)
{
	const struct range_hit *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

int range_find_hits(struct range_work *w)
{
	struct history *h = &w->out->history;
	struct member_place *members = sort_members(w->c->arena, &w->set);
	struct known_point *list;
	size_t nlist;
	bool points;
	int e = history_load(w->c, w->q->series, w->q->metric, HISTORY_BY_COMMIT, h);

	if (e < 0)
		return e;
	list = sort_points(w->c->arena, h, &nlist);
	points = h->metric->facts.kind == KIND_PERCENT;
	w->hits = arena_array(w->c->arena, struct range_hit, h->npoints);
	for (size_t i = 0; i < h->npoints; i++) {
		struct range_hit hit = {.point = &h->points[i], .change = NAN};
		struct commit_place place;

		e = place_of_commit(w->c, h->points[i].commit_id, &place);
		if (e < 0)
			return e;
		if (!find_member(members, w->set.n, place.position, place.commit_id, &hit.at))
			continue;
		e = find_below(w, list, nlist, &hit);
		if (e < 0)
			return e;
		hit.change = hit.below ? history_change(hit.point, hit.below, points) : NAN;
		w->hits[w->nhits++] = hit;
	}
	if (w->nhits)
		qsort(w->hits, w->nhits, sizeof(*w->hits), newest_first);
	w->out->measured = w->nhits;
	return E_OK;
}

/* --- the step -----------------------------------------------------------------------------------
 */

static struct comparison_column column_of(struct arena *a, const struct metric *const *metric,
					  const struct history_point *p)
{
	struct sample_run *runs = arena_array(a, struct sample_run, p->d.n);

	for (size_t i = 0; i < p->d.n; i++)
		runs[i] = (struct sample_run){.metrics = metric, .values = &p->values[i], .n = 1};
	return (struct comparison_column){.runs = runs, .nruns = p->d.n};
}

/* One by the rule; what only looks like one is taken where there is none. */
static bool is_sure(enum verdict v)
{
	return verdict_is_change(v) && v != VERDICT_SUSPECT;
}

/* By this metric alone. What came printed has no samples to look at, and is judged in full. */
static bool may_be_change(struct arena *scratch, const struct range_work *w,
			  const struct range_hit *hit)
{
	const struct comparison_judging by = {.rule = w->rule};
	const struct history *h = &w->out->history;
	const struct metric *metric[1] = {h->metric};
	struct comparison_column cols[2];
	struct comparison cmp;

	if (!hit->below)
		return false;
	if (hit->point->printed || hit->below->printed)
		return true;
	cols[0] = column_of(scratch, metric, hit->below);
	cols[1] = column_of(scratch, metric, hit->point);
	return comparison_build_by(scratch, &by, h->series.testcase, cols, 2, &cmp) &&
	       cmp.nrows == 1 && verdict_is_change(cmp.rows[0].cells[1].verdict);
}

/* As the compare page judges them; *cell NULL: they are too large. */
static int judge(struct range_work *w, const struct range_hit *hit, const struct cell **cell)
{
	const struct history *h = &w->out->history;
	const struct comparison_judging by = {.rule = w->rule};
	const char *quarantined = NULL;
	struct cell_pair pair;
	struct comparison cmp;
	struct compare_commit base = {.older = false}, own = {.older = false};
	int e = commit_get(w->c, hit->below->commit_id, &base.commit);

	*cell = NULL;
	if (e >= 0)
		e = commit_get(w->c, hit->point->commit_id, &own.commit);
	if (e >= 0)
		e = compare_find_names(w->c, &base);
	if (e >= 0)
		e = compare_find_names(w->c, &own);
	if (e >= 0)
		e = cell_pair_load(w->c, &h->series, &base, &own, false, &pair);
	if (e >= 0) {
		e = cell_pair_judge(w->c, &pair, &by, &cmp, &quarantined);
		cell_pair_release(&pair);
	}
	if (e == E_TOO_LARGE) {
		ctx_clear(w->c);
		return E_OK;
	}
	for (size_t i = 0; e >= 0 && i < cmp.nrows; i++)
		if (cmp.rows[i].metric->id == h->metric->id)
			*cell = &cmp.rows[i].cells[1];
	return e;
}

static double size_of(const struct range_hit *hit)
{
	return isnan(hit->change) ? 0 : fabs(hit->change);
}

static int largest_first(const void *a, const void *b)
{
	const struct range_hit *const *x = a, *const *y = b;

	if (size_of(*x) != size_of(*y))
		return size_of(*x) > size_of(*y) ? -1 : 1;
	return ((*x)->at > (*y)->at) - ((*x)->at < (*y)->at);
}

/* The commits of good..bad, and which of the range they are. */
static int mark_suspects(struct range_work *w, struct range_step *step)
{
	struct member_place *members = sort_members(w->c->arena, &w->set);
	struct revision_range r = {0};
	struct range_set set;
	uint32_t *positions;
	size_t n = 0, at;
	int e = commit_get(w->c, step->good->commit_id, &r.from);

	if (e >= 0)
		e = commit_get(w->c, step->bad->commit_id, &r.to);
	if (e >= 0)
		e = range_find(w->c, &r, false, &set);
	if (e < 0)
		return e;
	w->suspects = arena_array(w->c->arena, bool, w->set.n);
	positions = arena_array(w->c->arena, uint32_t, set.n);
	for (size_t i = 0; i < set.n; i++) {
		const struct range_member *m = &set.members[i];

		if (m->position)
			positions[n++] = m->position;
		if (find_member(members, w->set.n, m->position, m->row, &at))
			w->suspects[at] = true;
		else
			step->outside++;
	}
	step->nsuspects = set.n;
	/* Ranges without git have no halving of their own: see range_suggest. */
	return range_suggest(w, positions, n == set.n ? n : 0);
}

static struct range_step *step_of(const struct range_work *w, const struct range_hit *hit,
				  const struct cell *cell)
{
	struct range_step *step = arena_alloc(w->c->arena, sizeof(*step));

	*step = (struct range_step){.good = hit->below,
				    .bad = hit->point,
				    .cell = cell,
				    .rule = w->rule,
				    .change = hit->change};
	return step;
}

int range_find_step(struct range_work *w)
{
	const struct range_hit **order =
		arena_array(w->c->arena, const struct range_hit *, w->nhits);
	auto_arena struct arena *scratch = arena_new();
	struct range_step *step = NULL;
	size_t n = 0;
	int e = rule_in_force(w->c, &w->rule);

	if (e < 0)
		return e;
	for (size_t i = 0; i < w->nhits; i++) {
		if (may_be_change(scratch, w, &w->hits[i]))
			order[n++] = &w->hits[i];
		arena_reset(scratch);
	}
	if (n)
		qsort(order, n, sizeof(*order), largest_first);
	for (size_t i = 0; i < n && i < JUDGED_MAX; i++) {
		const struct cell *cell;

		e = judge(w, order[i], &cell);
		if (e < 0)
			return e;
		if (!cell || !verdict_is_change(cell->verdict))
			continue;
		if (!step || is_sure(cell->verdict))
			step = step_of(w, order[i], cell);
		if (is_sure(cell->verdict))
			break;
	}
	w->out->step = step;
	return step ? mark_suspects(w, step) : E_OK;
}
