/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of a comparison: loads a cell for each commit, has all rows judged, then picks those
 * that the reader asked for. Filters come last on purpose: a verdict must not depend on what is
 * shown.
 */
#include "server/model/compare_table.h"

#include "db/series_units.h"
#include "server/base/arena.h"
#include "server/model/printed.h"
#include "server/model/quarantine.h"

static int load_columns(struct ctx *c, const struct compare_query *q, struct compare_table *t,
			struct cell_data *cells, struct comparison_column *cols)
{
	bool choose = compare_chooses_runs(q);
	size_t room = COMPARISON_VALUES_MAX;
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
		int64_t series = col->series.id, commit = col->commit->commit.id;
		int rc = cell_load_within(c, series, commit, true, &room, &cells[i]);

		if (rc >= 0 && choose)
			rc = compare_choose_runs(c, q, series, commit, &cells[i]);
		if (rc < 0)
			return rc;
		cols[i] = cells[i].column;
		cols[i].base = col->base;
		cols[i].failed = cells[i].failed;
		cols[i].cells = printed_match(c->arena, &cols[i], &base->commit, base->asked);
		if (q->own_only)
			compare_drop_monitors(c->arena, t->series.testcase, &cols[i]);
		runs[i] = (int64_t)cols[i].nruns;
		boots[i] = cols[i].nruns ? cells[i].boots : -1;
		failed[i] = cells[i].failed;
		printed[i] = cols[i].ncells > 0;
	}
	return E_OK;
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

static int load_corrected(struct ctx *c, struct compare_table *t)
{
	struct compare_corrected *all = arena_array(c->arena, struct compare_corrected, t->ncols);
	int rc = E_OK;

	t->corrected = all;
	for (size_t i = 0; i < t->ncols && rc >= 0; i++) {
		const struct compare_column *col = &t->columns[i];

		rc = correction_notes(c, col->series.id, col->commit->commit.id, &all[i].notes,
				      &all[i].n);
		for (size_t k = 0; rc >= 0 && k < all[i].n; k++)
			if (!all[i].notes[k].came)
				all[i].count += all[i].notes[k].runs + all[i].notes[k].summaries;
	}
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

static int load(struct ctx *c, const struct compare_query *q, struct compare_table *t)
{
	struct cell_data *cells = arena_array(c->arena, struct cell_data, t->ncols);
	struct comparison_column *cols = arena_array(c->arena, struct comparison_column, t->ncols);
	int rc = load_columns(c, q, t, cells, cols);

	if (rc < 0)
		return rc;
	if (compare_chooses_runs(q) && !can_compare(t, cells))
		return COMPARE_NOTHING;
	if (!comparison_build(c->arena, t->series.testcase, cols, t->ncols, &t->all))
		return fail(c, E_TOO_LARGE,
			    "series %lld has more rows and values than can be compared at once",
			    (long long)t->series.id);
	rc = load_corrected(c, t);
	if (rc >= 0)
		rc = hold_verdicts(c, t);
	if (rc < 0)
		return rc;
	if (q->order != ORDER_ROBOT)
		comparison_sort(&t->all, q->order);
	pick_rows(c->arena, q, t);
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
