/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of a comparison: loads a cell for each commit, has all rows judged, then picks those
 * that the reader asked for. Filters come last on purpose: a verdict must not depend on what is
 * shown.
 */
#include "server/model/compare_table.h"

#include "db/rule_setting.h"
#include "db/series_units.h"
#include "server/base/arena.h"
#include "server/model/judge_history.h"
#include "server/model/printed.h"
#include "server/model/quarantine.h"

static int load_columns(struct ctx *c, const struct compare_query *q, struct compare_table *t,
			size_t room, bool infos, struct cell_data *cells,
			struct comparison_column *cols)
{
	bool choose = compare_chooses_runs(q);
	int64_t *runs = arena_array(c->arena, int64_t, t->ncols);
	int64_t *boots = arena_array(c->arena, int64_t, t->ncols);
	int64_t *failed = arena_array(c->arena, int64_t, t->ncols);
	bool *printed = arena_array(c->arena, bool, t->ncols);

	t->runs = runs;
	t->boots = boots;
	t->failed = failed;
	t->printed = printed;
	for (size_t i = 0; i < t->ncols; i++) {
		const struct compare_column *col = &t->columns[i];
		const struct compare_commit *base = t->columns[col->base].commit;
		const struct compare_commit *k = col->commit;
		int64_t series = col->series.id;
		int rc = cell_load_names(c, series, k->rows, k->nnames, infos, &room, &cells[i]);

		if (rc >= 0 && choose)
			rc = compare_choose_runs(c, q, series, k, &cells[i]);
		if (rc < 0)
			return rc;
		cols[i] = cells[i].column;
		cols[i].base = col->base;
		cols[i].failed = cells[i].failed;
		cols[i].boots = cells[i].boots;
		cols[i].cells =
			printed_match(c->arena, &cols[i], base->names, base->nnames, base->asked);
		runs[i] = (int64_t)cols[i].nruns;
		boots[i] = cols[i].nruns ? cells[i].boots : -1;
		failed[i] = cells[i].failed;
		printed[i] = cols[i].ncells > 0;
	}
	return E_OK;
}

/* Loads the history of each column: the commits before the older of it and its base. Columns mostly
 * share one. There is none across an axis, since the level of another series tells nothing, and
 * none for a choice of runs, since what is told of the others does not hold for it. */
static int load_histories(struct ctx *c, const struct compare_query *q,
			  const struct compare_table *t, struct comparison_column *cols,
			  struct judge_history *histories)
{
	if (q->across || compare_chooses_runs(q))
		return E_OK;
	for (size_t i = 1; i < t->ncols; i++) {
		const struct compare_column *col = &t->columns[i];
		int64_t base = t->columns[col->base].commit->commit.id;
		int64_t own = col->commit->commit.id;
		int rc;

		if (col->base == i || !cols[i].nruns || !cols[col->base].nruns)
			continue;
		rc = judge_history_load(c, t->series.id, col->commit->older ? own : base,
					col->commit->older ? base : own, &histories[i]);
		if (rc < 0)
			return rc;
		cols[i].history = &histories[i].history;
	}
	return E_OK;
}

/* Judges all rows; the history is needed for that alone. */
static int judge(struct ctx *c, const struct compare_query *q, struct compare_table *t,
		 bool own_only, struct comparison_column *cols)
{
	struct judge_history *histories = arena_array(c->arena, struct judge_history, t->ncols);
	struct comparison_judging by = {.own_only = own_only};
	int rc = load_histories(c, q, t, cols, histories);

	if (rc >= 0)
		rc = rule_in_force(c, &by.rule);
	if (rc >= 0 &&
	    !comparison_build_by(c->arena, &by, t->series.testcase, cols, t->ncols, &t->all))
		rc = fail(c, E_TOO_LARGE,
			  "series %lld has more rows and values than can be compared at once",
			  (long long)t->series.id);
	for (size_t i = 0; i < t->ncols; i++)
		judge_history_release(&histories[i]);
	return rc;
}

static bool has_runs(const struct cell_data *cell)
{
	return cell->column.nruns || cell->failed;
}

/* A column and its base have runs, or the only column has. */
static bool can_compare(const struct compare_table *t, const struct cell_data *cells)
{
	if (t->ncols == 1)
		return has_runs(&cells[0]);
	for (size_t i = 1; i < t->ncols; i++)
		if (t->columns[i].base != i && has_runs(&cells[i]) &&
		    has_runs(&cells[t->columns[i].base]))
			return true;
	return false;
}

static void pick_rows(struct arena *a, const struct compare_query *q, struct compare_table *t)
{
	t->rows = arena_array(a, struct comparison_row, t->all.nrows);
	for (size_t i = 0; i < t->all.nrows; i++) {
		const struct comparison_row *row = &t->all.rows[i];

		if (q->role >= 0 && (int)row->role != q->role)
			continue;
		if (q->own_only && row->role == ROLE_MONITOR)
			continue;
		if (q->metric_glob && !glob_match(q->metric_glob, row->metric->name))
			continue;
		t->counts[row->verdict]++;
		t->primary[row->verdict] += row->role == ROLE_PRIMARY;
		if (q->changed_only && !verdict_is_change(row->verdict))
			t->hidden++;
		else
			t->rows[t->nrows++] = *row;
	}
}

static int by_metric_id(const void *x, const void *y)
{
	const struct series_unit *a = x, *b = y;

	return (a->metric_id > b->metric_id) - (a->metric_id < b->metric_id);
}

static int load_units(struct ctx *c, struct compare_table *t)
{
	const char **units = arena_array(c->arena, const char *, t->nrows);
	struct series_unit *own = NULL;
	size_t n = 0;
	int rc = series_units(c, t->series.id, &own, &n);

	for (size_t i = 0; i < t->nrows; i++) {
		struct series_unit want = {.metric_id = t->rows[i].metric->id};
		const struct series_unit *u =
			n ? bsearch(&want, own, n, sizeof(want), by_metric_id) : NULL;

		units[i] = u ? u->unit : t->rows[i].metric->facts.unit;
	}
	t->units = units;
	return rc;
}

/* Of all names of the commit. */
static int load_notes(struct ctx *c, const struct compare_column *col,
		      struct compare_corrected *out)
{
	size_t cap = 0;

	for (size_t i = 0; i < col->commit->nnames; i++) {
		struct correction_note *notes;
		size_t n;
		int rc = correction_notes(c, col->series.id, col->commit->rows[i], &notes, &n);

		if (rc < 0)
			return rc;
		out->notes =
			arena_grow(c->arena, out->notes, &cap, out->n + n, sizeof(*out->notes));
		for (size_t k = 0; k < n; k++) {
			out->notes[out->n++] = notes[k];
			if (!notes[k].came)
				out->count += notes[k].runs + notes[k].summaries;
		}
	}
	return E_OK;
}

static int load_corrected(struct ctx *c, struct compare_table *t)
{
	struct compare_corrected *all = arena_array(c->arena, struct compare_corrected, t->ncols);
	int rc = E_OK;

	t->corrected = all;
	for (size_t i = 0; i < t->ncols && rc >= 0; i++)
		rc = load_notes(c, &t->columns[i], &all[i]);
	return rc;
}

/* A column of a quarantined machine, or held against one, is not judged. */
static int hold_verdicts(struct ctx *c, struct compare_table *t)
{
	int rc = E_OK;

	for (size_t i = 0; i < t->ncols && rc >= 0; i++) {
		const char *own = t->columns[i].series.tbox_group;
		const char *base = t->columns[t->columns[i].base].series.tbox_group;

		rc = quarantine_hold(c, own, &t->all, i, &t->quarantined);
		if (rc >= 0 && strcmp(own, base) != 0)
			rc = quarantine_hold(c, base, &t->all, i, &t->quarantined);
	}
	return rc;
}

int compare_table_judge(struct ctx *c, const struct compare_query *q, struct compare_table *t,
			size_t room, bool own_only, struct cell_data *cells)
{
	struct comparison_column *cols = arena_array(c->arena, struct comparison_column, t->ncols);
	int rc = load_columns(c, q, t, room, !own_only, cells, cols);

	if (rc < 0)
		return rc;
	if (compare_chooses_runs(q) && !can_compare(t, cells))
		return COMPARE_NOTHING;
	rc = judge(c, q, t, own_only, cols);
	return rc < 0 ? rc : hold_verdicts(c, t);
}

/* One row that fits a pattern is looked at closely. */
static bool wants_detail(const struct compare_query *q, const struct compare_table *t)
{
	size_t fit = t->nrows + t->hidden;

	return q->others && t->ncols > 1 &&
	       (q->detail || (q->detail_one && q->metric_glob && fit == 1));
}

static int load(struct ctx *c, const struct compare_query *q, struct compare_table *t)
{
	struct cell_data *cells = arena_array(c->arena, struct cell_data, t->ncols);
	int rc = compare_table_judge(c, q, t, COMPARISON_VALUES_MAX, false, cells);

	if (rc < 0 || rc == COMPARE_NOTHING)
		return rc;
	rc = load_corrected(c, t);
	if (rc < 0)
		return rc;
	if (q->order != ORDER_ROBOT)
		comparison_sort(&t->all, q->order);
	pick_rows(c->arena, q, t);
	t->detail = wants_detail(q, t);
	compare_infos(c->arena, cells, t);
	return load_units(c, t);
}

int compare_table_load(struct ctx *c, const struct compare_query *q, struct compare_table *t)
{
	int rc = load(c, q, t);

	if (rc != E_TOO_LARGE || q->series)
		return rc;
	t->error = arena_str(c->arena, c->detail); /* the other series can be shown */
	ctx_clear(c);
	return E_OK;
}
