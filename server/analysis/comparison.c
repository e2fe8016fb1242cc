/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes rows of cells from the runs of each commit, and has them judged and sorted.
 *
 * Absent stays absent, with two exceptions: where a profile was taken, a function that is not in
 * it took no time; and a run that ended well did not have the failures it does not name.
 * comparison_values.c fills in both.
 */
#include "server/analysis/comparison.h"

#include <assert.h>
#include <math.h>

#include "server/analysis/comparison_values.h"
#include "server/analysis/describe.h"
#include "server/analysis/verdict.h"
#include "server/base/arena.h"

static void cell_clear(struct cell *c)
{
	c->n = c->fails = c->runs = -1;
	c->mean = c->stddev = c->stddev_pop = c->min = c->max = c->median = c->stddev_pct = NAN;
	c->change_abs = c->change_pct = c->reproduction_pct = NAN;
	c->p = c->q = c->cliff_delta = c->mde = NAN;
	c->history = c->boots = -1;
	c->gate = -1;
	c->verdict = VERDICT_NO_DATA;
}

static void cell_from_values(struct cell *c, const double *v, size_t n, bool functional, bool lent)
{
	struct description d;

	c->present = true;
	c->n = (int64_t)n;
	c->values = v;
	if (lent)
		return;
	d = describe(v, n);
	c->mean = d.mean;
	c->stddev = d.stddev;
	c->stddev_pop = d.stddev_pop;
	c->min = d.min;
	c->max = d.max;
	c->median = d.median;
	if (!functional)
		return;
	c->runs = (int64_t)n;
	c->fails = 0;
	for (size_t i = 0; i < n; i++)
		c->fails += v[i] != 0;
}

/* A printed cell keeps only what was printed: its number of runs and its stddev are not known. */
static void cell_from_summary(struct cell *c, const struct summary_cell *s)
{
	c->present = true;
	c->summary = s;
	c->mean = s->mean;
	c->min = s->min;
	c->max = s->max;
	c->stddev_pct = s->stddev_pct;
	c->fails = s->fails;
	c->runs = s->runs;
	if (s->printed != PRINTED_NO)
		return;
	c->n = s->n;
	c->stddev = s->stddev;
	if (s->n > 1)
		c->stddev_pop = s->stddev * sqrt((double)(s->n - 1) / (double)s->n);
}

/* Fills one column of cells; false: its values are too many. */
static bool column_fill(struct arena *a, const struct metric_index *all,
			const struct comparison_column *col, struct comparison *out, size_t c,
			size_t *room)
{
	struct comparison_row *rows = out->rows;
	struct column_values values;
	size_t s = 0;

	if (!column_values_gather(a, all, col, room, &values))
		return false;
	for (size_t k = 0; k < all->n; k++) {
		const struct metric *m = all->m[k];
		struct cell *cell = &rows[k].cells[c];
		size_t n = values.start[k + 1] - values.start[k];

		cell_clear(cell);
		while (s < col->ncells && col->cells[s].metric->id < m->id)
			s++;
		if (n) {
			cell_from_values(cell, values.v + values.start[k], n,
					 m->facts.kind == KIND_FUNCTIONAL,
					 out->own_only && rows[k].role == ROLE_MONITOR);
			cell->boots = col->boots > 0 ? col->boots : -1;
		} else if (s < col->ncells && col->cells[s].metric->id == m->id) {
			cell_from_summary(cell, &col->cells[s]);
		}
	}
	return true;
}

/* No run of the column ended well: the test's own figures did not stay, they failed. What monitors
 * would have shown is just not known. */
static void column_fail(struct arena *a, const struct comparison_column *col,
			struct comparison *cmp, size_t c)
{
	const char *reason;

	if (col->failed <= 0 || col->nruns || col->ncells)
		return;
	reason = arena_fmt(a, "none of %lld runs ended well", (long long)col->failed);
	for (size_t k = 0; k < cmp->nrows; k++) {
		struct comparison_row *r = &cmp->rows[k];

		if (r->role != ROLE_PRIMARY || !r->cells[col->base].present)
			continue;
		r->cells[c].verdict = VERDICT_FAILED;
		r->cells[c].reason = reason;
	}
}

/* The weightiest verdict of the later columns. */
static void row_judge(struct comparison_row *r, size_t ncols)
{
	r->verdict = VERDICT_NO_DATA;
	for (size_t c = 1; c < ncols; c++)
		if (verdict_weight(r->cells[c].verdict) > verdict_weight(r->verdict))
			r->verdict = r->cells[c].verdict;
}

/* All rows with their cells, not judged yet; false: too many of them, or of their values. */
static bool fill_rows(struct arena *a, const struct metric *instead,
		      const struct comparison_column *cols, struct comparison *out)
{
	size_t ncols = out->ncols, room = COMPARISON_VALUES_MAX;
	struct metric_index all;
	struct cell *cells;

	metric_index_init(a, cols, ncols, &all);
	for (size_t k = 0; instead && k < all.n; k++)
		if (all.m[k]->id == instead->id)
			all.m[k] = instead;
	if (all.n > COMPARISON_CELLS_MAX / ncols)
		return false;
	cells = arena_array(a, struct cell, all.n * ncols);
	out->rows = arena_array(a, struct comparison_row, all.n);
	for (size_t k = 0; k < all.n; k++) {
		out->rows[k].metric = all.m[k];
		out->rows[k].role = metric_role_in(&all.m[k]->facts, all.m[k]->name, out->testcase);
		out->rows[k].cells = cells + k * ncols;
	}
	for (size_t c = 0; c < ncols; c++)
		if (!column_fill(a, &all, &cols[c], out, c, &room))
			return false;
	out->nrows = all.n;
	return true;
}

bool comparison_build_by(struct arena *a, const struct comparison_judging *by, const char *testcase,
			 const struct comparison_column *cols, size_t ncols, struct comparison *out)
{
	assert(ncols >= 1);
	*out = (struct comparison){.testcase = testcase, .ncols = ncols};
	out->own_only = by->own_only && by->rule != RULE_WELCH_LOG_BH_1;
	if (!fill_rows(a, by->instead, cols, out))
		return false;
	verdict_judge(a, by->rule, out, cols);
	for (size_t c = 1; c < ncols; c++)
		if (cols[c].base != c)
			column_fail(a, &cols[c], out, c);
	for (size_t k = 0; k < out->nrows; k++)
		row_judge(&out->rows[k], ncols);
	if (!out->own_only)
		comparison_sort(out, ORDER_ROBOT);
	return true;
}

bool comparison_build(struct arena *a, const char *testcase, const struct comparison_column *cols,
		      size_t ncols, struct comparison *out)
{
	static const struct comparison_judging newest = {.rule = RULE_NEWEST};

	return comparison_build_by(a, &newest, testcase, cols, ncols, out);
}

bool row_counts_fails(const struct comparison_row *r, size_t ncols)
{
	for (size_t c = 0; c < ncols; c++)
		if (r->cells[c].present && r->cells[c].fails >= 0)
			return true;
	return false;
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_NO_DATA] = "no-data",       [VERDICT_SAME] = "same",
		[VERDICT_SUSPECT] = "suspect",       [VERDICT_CHANGED] = "changed",
		[VERDICT_REGRESSION] = "regression", [VERDICT_IMPROVEMENT] = "improvement",
		[VERDICT_FAILED] = "failed",
	};

	return names[v];
}

bool verdict_is_change(enum verdict v)
{
	return v != VERDICT_SAME && v != VERDICT_NO_DATA;
}

int verdict_weight(enum verdict v)
{
	static const int weights[] = {
		[VERDICT_NO_DATA] = 0,    [VERDICT_SAME] = 1,    [VERDICT_IMPROVEMENT] = 2,
		[VERDICT_CHANGED] = 3,    [VERDICT_SUSPECT] = 4, [VERDICT_FAILED] = 5,
		[VERDICT_REGRESSION] = 6,
	};

	return weights[v];
}
