/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cell after cell, each in an arena that the next one reuses; what is listed is copied out. */
#include "server/model/verdict_moves.h"

#include "db/commits.h"
#include "db/measured_newest.h"
#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/history/ancestors.h"
#include "server/model/cell_pair.h"
#include "server/model/compare_table.h"

struct work {
	struct ctx *c;
	const struct verdict_moves_query *q;
	struct arena *keep;
	struct rule_count *out;
	size_t cap;
};

/* The cell that is looked at. */
struct looked {
	struct series series;
	struct compare_commit base, own;
};

static void list_move(struct work *w, const struct looked *l, const struct comparison_row *before,
		      enum verdict from, enum verdict to)
{
	struct rule_count *k = w->out;
	struct arena *a = w->keep;

	if (k->nmoves == w->q->moves_max)
		return;
	k->moves = arena_grow(a, k->moves, &w->cap, k->nmoves + 1, sizeof(*k->moves));
	k->moves[k->nmoves++] = (struct verdict_move){
		.series = arena_str(a, l->series.digest),
		.testcase = arena_str(a, l->series.testcase),
		.machine = arena_str(a, l->series.tbox_group),
		.commit = arena_str(a, l->own.commit.name),
		.base = arena_str(a, l->base.commit.name),
		.metric = arena_str(a, before->metric->name),
		.role = role_name(before->role),
		.before = verdict_name(from),
		.after = verdict_name(to),
	};
}

static bool is_counted(const struct verdict_moves_query *q, const struct comparison_row *r)
{
	return r->role != ROLE_MONITOR || r->metric->id == q->metric_id;
}

/* Both ways have the same rows; their order may differ with the facts. */
static const struct comparison_row *row_of(const struct comparison *cmp, uint32_t metric_id,
					   size_t guess)
{
	if (guess < cmp->nrows && cmp->rows[guess].metric->id == metric_id)
		return &cmp->rows[guess];
	for (size_t i = 0; i < cmp->nrows; i++)
		if (cmp->rows[i].metric->id == metric_id)
			return &cmp->rows[i];
	return NULL;
}

static void count_rows(struct work *w, const struct looked *l, const struct comparison *before,
		       const struct comparison *after)
{
	for (size_t i = 0; i < before->nrows; i++) {
		const struct comparison_row *r = &before->rows[i], *now;
		enum verdict from = r->cells[1].verdict, to;

		if (!is_counted(w->q, r))
			continue;
		now = row_of(after, r->metric->id, i);
		to = now ? now->cells[1].verdict : VERDICT_NO_DATA;
		if (from == VERDICT_NO_DATA && to == VERDICT_NO_DATA)
			continue;
		w->out->verdicts++;
		if (from == to)
			continue;
		w->out->moved++;
		list_move(w, l, r, from, to);
	}
}

static int judge_twice(struct work *w, const struct looked *l)
{
	const char *quarantined = NULL;
	struct comparison before, after;
	struct cell_pair pair;
	int e = cell_pair_load(w->c, &l->series, &l->base, &l->own, false, &pair);

	if (e < 0)
		return e;
	e = cell_pair_judge(w->c, &pair, &w->q->before, &before, &quarantined);
	if (e >= 0)
		e = cell_pair_judge(w->c, &pair, &w->q->after, &after, &quarantined);
	cell_pair_release(&pair);
	if (e >= 0)
		count_rows(w, l, &before, &after);
	return e;
}

/* A cell without a base has no verdicts, and neither has one that is too large. */
static int look_at(struct work *w, const struct measured_cell *cell)
{
	struct looked l = {.base = {.older = false}};
	int64_t base;
	int e = series_get_id(w->c, cell->series_id, &l.series);

	if (e >= 0)
		e = ancestor_measured(w->c, cell->commit_id, cell->series_id, &base);
	if (e >= 0)
		e = commit_get(w->c, base, &l.base.commit);
	if (e >= 0)
		e = commit_get(w->c, cell->commit_id, &l.own.commit);
	if (e >= 0)
		e = compare_find_names(w->c, &l.base);
	if (e >= 0)
		e = compare_find_names(w->c, &l.own);
	if (e >= 0)
		e = judge_twice(w, &l);
	if (e != E_NOTFOUND && e != E_TOO_LARGE)
		return e;
	ctx_clear(w->c);
	return E_OK;
}

static int look_in_snapshot(struct work *w, struct arena *scratch, const struct measured_cell *cell)
{
	struct ctx *c = w->c;
	int e = db_begin_read(c);

	if (e < 0)
		return e;
	arena_reset(scratch);
	c->arena = scratch;
	e = metrics_refresh(c);
	if (e >= 0)
		e = look_at(w, cell);
	c->arena = w->keep;
	db_end_read(c);
	return e;
}

int verdict_moves_count(struct ctx *c, const struct verdict_moves_query *q, struct rule_count *out)
{
	struct work w = {.c = c, .q = q, .keep = c->arena, .out = out};
	auto_arena struct arena *scratch = arena_new();
	struct measured_cell *cells;
	size_t n;
	int e = measured_newest(c, q->metric_id, q->cells_max + 1, &cells, &n);

	*out = (struct rule_count){.from = rule_version_name(q->before.rule),
				   .to = rule_version_name(q->after.rule),
				   .cut = n > q->cells_max};
	if (out->cut)
		n = q->cells_max;
	out->cells = (int64_t)n;
	for (size_t i = 0; i < n && e >= 0; i++) {
		e = look_in_snapshot(&w, scratch, &cells[i]);
		if (e >= 0 && q->progress && q->progress(q->arg, i + 1, n))
			e = fail(c, E_BUSY, "it was stopped");
	}
	return e;
}
