/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of a comparison: loads a cell for each commit, has all rows judged, then picks those
 * that the reader asked for. Filters come last on purpose: a verdict must not depend on what is
 * shown.
 */
#include "server/model/compare_table.h"

#include "db/series_units.h"
#include "server/base/arena.h"

/* A change was printed against a column that is named by an id, perhaps a cut one, or a tag. */
static bool names_commit(const char *said, const struct compare_commit *k)
{
	const char *name = k->commit.name;
	size_t n = strlen(said), m = strlen(name);
	bool hex = false;

	if (strcmp(said, name) == 0 || strcmp(said, k->asked) == 0)
		return true;
	return k->commit.kind != COMMIT_REF && commit_name_valid(said, &hex) && hex &&
	       strncmp(said, name, n < m ? n : m) == 0;
}

/* The column's summary cells, each knowing whether its printed change is one against our base. */
static const struct summary_cell *match_printed(struct arena *a,
						const struct comparison_column *col,
						const struct compare_commit *base)
{
	struct summary_cell *cells = arena_array(a, struct summary_cell, col->ncells);
	const char *last = NULL;
	bool matches = false;

	for (size_t i = 0; i < col->ncells; i++) {
		const char *said = col->cells[i].printed_base;

		cells[i] = col->cells[i];
		if (said && (!last || strcmp(said, last) != 0))
			matches = names_commit(said, base);
		if (said)
			last = said;
		cells[i].printed_base_matches = said && matches;
	}
	return cells;
}

static int load_columns(struct ctx *c, const struct compare_query *q, const struct compare *cmp,
			struct compare_table *t, struct cell_data *cells,
			struct comparison_column *cols)
{
	bool choose = compare_chooses_runs(q);
	int64_t *runs = arena_array(c->arena, int64_t, cmp->ncommits);
	int64_t *boots = arena_array(c->arena, int64_t, cmp->ncommits);
	int64_t *failed = arena_array(c->arena, int64_t, cmp->ncommits);
	bool *printed = arena_array(c->arena, bool, cmp->ncommits);

	t->runs = runs;
	t->boots = boots;
	t->failed = failed;
	t->printed = printed;
	for (size_t i = 0; i < cmp->ncommits; i++) {
		int64_t commit = cmp->commits[i].commit.id;
		int rc = cell_load(c, t->series.id, commit, true, &cells[i]);

		if (rc >= 0 && choose)
			rc = compare_choose_runs(c, q, t->series.id, commit, &cells[i]);
		if (rc < 0)
			return rc;
		cols[i] = cells[i].column;
		cols[i].failed = cells[i].failed;
		cols[i].cells = match_printed(c->arena, &cols[i], &cmp->commits[0]);
		runs[i] = (int64_t)cols[i].nruns;
		boots[i] = cols[i].nruns ? cells[i].boots : -1;
		failed[i] = cells[i].failed;
		printed[i] = cols[i].ncells > 0;
	}
	return E_OK;
}

/* The base and another commit have runs, or the only commit has. */
static bool can_compare(const struct cell_data *cells, size_t n)
{
	bool any = n == 1;

	for (size_t i = 1; i < n && !any; i++)
		any = cells[i].column.nruns || cells[i].failed;
	return any && (cells[0].column.nruns || cells[0].failed);
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

int compare_table_load(struct ctx *c, const struct compare_query *q, const struct compare *cmp,
		       struct compare_table *t)
{
	struct cell_data *cells = arena_array(c->arena, struct cell_data, cmp->ncommits);
	struct comparison_column *cols =
		arena_array(c->arena, struct comparison_column, cmp->ncommits);
	int rc = load_columns(c, q, cmp, t, cells, cols);

	if (rc < 0)
		return rc;
	if (compare_chooses_runs(q) && !can_compare(cells, cmp->ncommits))
		return COMPARE_NOTHING;
	comparison_build(c->arena, t->series.testcase, cols, cmp->ncommits, &t->all);
	if (q->order != ORDER_ROBOT)
		comparison_sort(&t->all, q->order);
	pick_rows(c->arena, q, t);
	compare_infos(c->arena, cells, cmp->ncommits, t);
	return load_units(c, t);
}
