/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums up the tables of a comparison as they come and lets go of them, so that a matrix of hundreds
 * of series needs the memory of one table and of its own cells.
 */
#include "server/model/compare_matrix.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/base/digest.h"
#include "server/model/compare_table.h"

#define MACHINE "tbox_group"

/* A summed-up series before it has its place. */
struct entry {
	struct matrix_cell cell;
	struct series series; /* in the page's arena */
	struct digest rest;   /* all axes but the machine */
};

const char *matrix_unit(const struct metric *m)
{
	return m->facts.kind == KIND_PERCENT      ? "points"
	       : m->facts.kind == KIND_FUNCTIONAL ? "% of runs"
						  : "%";
}

static double size_of(const struct metric *m, const struct cell *c)
{
	if (c->show_printed)
		return c->summary->printed_change;
	return m->facts.kind == KIND_PERCENT      ? c->change_abs
	       : m->facts.kind == KIND_FUNCTIONAL ? c->reproduction_pct
						  : c->change_pct;
}

/* The column that gave the row its verdict; of several the one that moved most. */
static size_t worst_column(const struct comparison_row *row, const struct compare_table *t)
{
	size_t worst = 0;

	for (size_t k = 1; k < t->ncols; k++) {
		const struct cell *c = &row->cells[k], *w = &row->cells[worst];

		if (t->columns[k].base == k || c->verdict != row->verdict)
			continue;
		if (!worst || fabs(size_of(row->metric, c)) > fabs(size_of(row->metric, w)))
			worst = k;
	}
	return worst;
}

/* Rows come in the order of change: worst first. */
static void sum_up(const struct compare_table *t, struct matrix_cell *cell)
{
	const struct comparison_row *shown = NULL;

	cell->verdict = VERDICT_NO_DATA;
	cell->change = (double)NAN;
	cell->rows = t->nrows;
	for (size_t i = 0; i < t->nrows; i++) {
		const struct comparison_row *row = &t->rows[i];

		cell->changed += verdict_is_change(row->verdict);
		if (verdict_weight(row->verdict) > verdict_weight(cell->verdict))
			cell->verdict = row->verdict;
		if (!shown || (shown->role != ROLE_PRIMARY && row->role == ROLE_PRIMARY))
			shown = row;
	}
	if (!shown)
		return;
	size_t k = worst_column(shown, t);
	cell->metric = shown->metric;
	if (k && shown->cells[k].judged)
		cell->change = size_of(shown->metric, &shown->cells[k]);
	cell->older = k && t->columns[k].commit->older;
}

static int by_place(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int c = strcmp(a->series.testcase, b->series.testcase);

	if (!c)
		c = memcmp(&a->rest, &b->rest, sizeof(a->rest));
	return c ? c : (a->series.id > b->series.id) - (a->series.id < b->series.id);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void find_machines(struct arena *a, const struct entry *entries, size_t n,
			  struct matrix *out)
{
	const char **machines = arena_array(a, const char *, n);

	for (size_t i = 0; i < n; i++)
		machines[i] = entries[i].series.tbox_group;
	if (n)
		qsort(machines, n, sizeof(*machines), by_text);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(machines[i], machines[out->nmachines - 1]) != 0)
			machines[out->nmachines++] = machines[i];
	out->machines = machines;
}

static void lay_out(struct arena *a, struct entry *entries, size_t n, struct matrix *out)
{
	find_machines(a, entries, n, out);
	if (n)
		qsort(entries, n, sizeof(*entries), by_place);
	out->rows = arena_array(a, struct matrix_row, n);
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = &entries[i];
		const char *const *at;

		if (i == 0 || memcmp(&e->rest, &e[-1].rest, sizeof(e->rest)) != 0) {
			struct matrix_row *row = &out->rows[out->nrows++];

			row->series = e->series;
			row->cells = arena_array(a, const struct matrix_cell *, out->nmachines);
		}
		at = bsearch(&e->series.tbox_group, out->machines, out->nmachines, sizeof(*at),
			     by_text);
		out->rows[out->nrows - 1].cells[at - out->machines] = &e->cell;
	}
}

/* Of the rows that hold the next series' text: what lies in scratch dies with its table. */
static void keep_series(struct arena *a, const struct compare_table *t, struct entry *e)
{
	struct pair *axes = arena_copy(a, t->series.axes, t->series.naxes * sizeof(*axes));

	e->series = t->series;
	for (size_t i = 0; i < t->series.naxes; i++) {
		axes[i].name = arena_str(a, axes[i].name);
		axes[i].value = arena_str(a, axes[i].value);
	}
	e->series.axes = axes;
	e->series.testcase = arena_str(a, t->series.testcase);
	e->series.tbox_group = arena_str(a, t->series.tbox_group);
}

int matrix_load(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		struct matrix *out)
{
	auto_arena struct arena *scratch = arena_new();
	struct compare_table t;
	struct entry *entries = NULL;
	size_t n = 0, cap = 0;
	int rc;

	*out = (struct matrix){0};
	while ((rc = compare_next(c, q, cmp, scratch, &t)) == COMPARE_TABLE) {
		struct entry *e;

		entries = arena_grow(c->arena, entries, &cap, n + 1, sizeof(*entries));
		e = &entries[n++];
		keep_series(c->arena, &t, e);
		e->rest = compare_rest_digest(scratch, &t.series, MACHINE);
		memcpy(e->cell.digest, t.series.digest, sizeof(e->cell.digest));
		e->cell.quarantined = arena_str(c->arena, t.quarantined);
		e->cell.error = arena_str(c->arena, t.error);
		sum_up(&t, &e->cell);
	}
	lay_out(c->arena, entries, n, out);
	return rc;
}
