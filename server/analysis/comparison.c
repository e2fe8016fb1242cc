/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers the runs of each commit into rows of cells. The runs of a series mostly share one list
 * of metrics, so everything is done by walking sorted lists side by side: no hashing, no table by
 * id, and a list that equals the one before costs one memcmp.
 *
 * Absent stays absent, with two exceptions: where a profile was taken, a function that is not in
 * it took no time; and a run that ended well did not have the failures it does not name.
 */
#include "server/analysis/comparison.h"

#include <assert.h>
#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/verdict.h"
#include "server/base/arena.h"

/* A list of metrics sorted by id, grown in the arena. */
struct metric_list {
	const struct metric **m;
	size_t n, cap;
};

/* Makes out the union of a and the n metrics of b. */
static void list_merge(struct arena *arena, const struct metric_list *a,
		       const struct metric *const *b, size_t n, struct metric_list *out)
{
	size_t i = 0, j = 0;

	out->m = arena_grow(arena, out->m, &out->cap, a->n + n, sizeof(*out->m));
	out->n = 0;
	while (i < a->n && j < n) {
		const struct metric *x = a->m[i], *y = b[j];

		out->m[out->n++] = x->id <= y->id ? x : y;
		i += x->id <= y->id;
		j += y->id <= x->id;
	}
	while (i < a->n)
		out->m[out->n++] = a->m[i++];
	while (j < n)
		out->m[out->n++] = b[j++];
}

/* The same for a list of summary cells, through a list of their metrics. */
static void list_merge_cells(struct arena *arena, struct metric_list *all,
			     struct metric_list *spare, const struct comparison_column *col)
{
	struct metric_list swap = *all;
	const struct metric **m = arena_array(arena, const struct metric *, col->ncells);

	for (size_t i = 0; i < col->ncells; i++)
		m[i] = col->cells[i].metric;
	list_merge(arena, all, m, col->ncells, spare);
	*all = *spare;
	*spare = swap;
}

static bool same_metrics(const struct sample_run *a, const struct sample_run *b)
{
	return a->n == b->n && (!a->n || a->metrics == b->metrics ||
				memcmp(a->metrics, b->metrics, a->n * sizeof(*a->metrics)) == 0);
}

/* Every metric of every column, once, by id. */
static struct metric_list list_all(struct arena *arena, const struct comparison_column *cols,
				   size_t ncols)
{
	struct metric_list all = {0}, spare = {0};
	const struct sample_run *before = NULL;

	for (size_t c = 0; c < ncols; c++) {
		for (size_t r = 0; r < cols[c].nruns; r++) {
			const struct sample_run *run = &cols[c].runs[r];
			struct metric_list swap = all;

			if (before && same_metrics(before, run))
				continue;
			before = run;
			list_merge(arena, &all, run->metrics, run->n, &spare);
			all = spare;
			spare = swap;
		}
		if (cols[c].ncells)
			list_merge_cells(arena, &all, &spare, &cols[c]);
	}
	return all;
}

/* Writes the run's values into column r of the grid, which has a line of nruns for each metric. */
static void grid_fill(double *grid, size_t nruns, size_t r, const struct metric_list *all,
		      const struct sample_run *run)
{
	size_t k = 0;

	for (size_t i = 0; i < run->n; i++) {
		const struct metric *m = run->metrics[i];

		while (k < all->n && all->m[k] != m && all->m[k]->id != m->id)
			k++;
		assert(k < all->n);
		if (isfinite(run->values[i]))
			grid[k * nruns + r] = run->values[i];
	}
}

/* All values of a column, NAN where a run has none. */
static double *grid_new(struct arena *a, const struct metric_list *all,
			const struct comparison_column *col)
{
	double *grid = arena_array(a, double, all->n * col->nruns);

	for (size_t i = 0; i < all->n * col->nruns; i++)
		grid[i] = NAN;
	for (size_t r = 0; r < col->nruns; r++)
		grid_fill(grid, col->nruns, r, all, &col->runs[r]);
	return grid;
}

/* Which runs took a profile. */
static bool *profiled_runs(struct arena *a, const struct metric_list *all, const double *grid,
			   size_t nruns)
{
	bool *ran = arena_array(a, bool, nruns);

	for (size_t k = 0; k < all->n; k++) {
		if (!all->m[k]->facts.is_profile)
			continue;
		for (size_t r = 0; r < nruns; r++)
			ran[r] |= !isnan(grid[k * nruns + r]);
	}
	return ran;
}

/* Moves the values that are there to the front, in run order; absent ones that mean 0 become 0. */
static size_t values_close_up(double *v, size_t nruns, bool all_zero, const bool *zero_where)
{
	size_t n = 0;

	for (size_t r = 0; r < nruns; r++) {
		if (!isnan(v[r]))
			v[n++] = v[r];
		else if (all_zero || (zero_where && zero_where[r]))
			v[n++] = 0;
	}
	return n;
}

static bool any_value(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			return true;
	return false;
}

static void cell_clear(struct cell *c)
{
	c->n = c->fails = c->runs = -1;
	c->mean = c->stddev = c->stddev_pop = c->min = c->max = c->median = c->stddev_pct = NAN;
	c->change_abs = c->change_pct = c->reproduction_pct = NAN;
	c->p = c->q = c->cliff_delta = NAN;
	c->verdict = VERDICT_NO_DATA;
}

static void cell_from_values(struct cell *c, const double *v, size_t n, bool functional)
{
	struct description d = describe(v, n);

	c->present = true;
	c->n = (int64_t)n;
	c->values = v;
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

/* Fills one column of cells. */
static void column_fill(struct arena *a, const struct metric_list *all,
			const struct comparison_column *col, struct comparison_row *rows, size_t c)
{
	double *grid = grid_new(a, all, col);
	bool *profiled = profiled_runs(a, all, grid, col->nruns);
	size_t s = 0;

	for (size_t k = 0; k < all->n; k++) {
		const struct metric *m = all->m[k];
		bool functional = m->facts.kind == KIND_FUNCTIONAL;
		struct cell *cell = &rows[k].cells[c];
		double *v = grid + k * col->nruns;
		bool summary;
		size_t n;

		cell_clear(cell);
		while (s < col->ncells && col->cells[s].metric->id < m->id)
			s++;
		summary = s < col->ncells && col->cells[s].metric->id == m->id;
		if (summary && !any_value(v, col->nruns)) {
			cell_from_summary(cell, &col->cells[s]);
			continue;
		}
		n = values_close_up(v, col->nruns, functional,
				    m->facts.is_profile ? profiled : NULL);
		if (n)
			cell_from_values(cell, v, n, functional);
	}
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

		if (r->role != ROLE_PRIMARY || !r->cells[0].present)
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

void comparison_build(struct arena *a, const char *testcase, const struct comparison_column *cols,
		      size_t ncols, struct comparison *out)
{
	struct metric_list all = list_all(a, cols, ncols);
	struct cell *cells = arena_array(a, struct cell, all.n * ncols);

	assert(ncols >= 1);
	*out = (struct comparison){.testcase = testcase, .ncols = ncols, .nrows = all.n};
	out->rows = arena_array(a, struct comparison_row, all.n);
	for (size_t k = 0; k < all.n; k++) {
		out->rows[k].metric = all.m[k];
		out->rows[k].role = metric_role_in(&all.m[k]->facts, all.m[k]->name, testcase);
		out->rows[k].cells = cells + k * ncols;
	}
	for (size_t c = 0; c < ncols; c++)
		column_fill(a, &all, &cols[c], out->rows, c);
	for (size_t c = 1; c < ncols; c++) {
		verdict_judge_column(a, out, c);
		column_fail(a, &cols[c], out, c);
	}
	for (size_t k = 0; k < all.n; k++)
		row_judge(&out->rows[k], ncols);
	comparison_sort(out, ORDER_ROBOT);
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
