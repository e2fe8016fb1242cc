/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything about one commit. Each series is loaded and judged in an arena of its own, of which
 * only the rows that are shown survive: 200 series of 2000 metrics would not fit into a request's
 * memory otherwise. What is judged, and how, is the same as on the compare page of base and commit.
 */
#include "server/model/commit.h"

#include <math.h>

#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/model/printed.h"
#include "server/model/quarantine.h"

/* Rows -------------------------------------------------------------------------------------------
 */

double commit_row_size(const struct commit_row *row)
{
	double v = row->now.change_pct;

	if (!row->now.judged)
		return 0;
	if (row->metric->facts.kind == KIND_FUNCTIONAL)
		v = row->now.reproduction_pct;
	else if (row->metric->facts.kind == KIND_PERCENT)
		v = row->now.change_abs;
	if (isnan(v))
		return row->metric->facts.kind == KIND_VALUE && row->now.change_abs != 0 ? INFINITY
											 : 0;
	return fabs(v);
}

bool commit_row_is_better(const struct commit_row *row)
{
	const struct cell *k = &row->now;

	if (k->verdict == VERDICT_IMPROVEMENT)
		return true;
	if (k->verdict != VERDICT_SUSPECT)
		return false;
	if (row->metric->facts.kind == KIND_FUNCTIONAL)
		return k->reproduction_pct < 0;
	return (row->metric->facts.direction == DIRECTION_HIGHER && k->change_abs > 0) ||
	       (row->metric->facts.direction == DIRECTION_LOWER && k->change_abs < 0);
}

/* Sizes as they are shown: of two that look the same, the one that was tested here comes first. */
static double shown_size(const struct commit_row *row)
{
	return round(commit_row_size(row) * 10) / 10;
}

/* Monitors move along with what the test itself says, so they come after it. */
int commit_row_compare(const void *x, const void *y)
{
	const struct commit_row *a = x, *b = y;
	bool monitor_a = a->role == ROLE_MONITOR, monitor_b = b->role == ROLE_MONITOR;
	int weight_a = verdict_weight(a->now.verdict), weight_b = verdict_weight(b->now.verdict);
	double size_a = shown_size(a), size_b = shown_size(b);

	if (monitor_a != monitor_b)
		return monitor_a ? 1 : -1;
	if (weight_a != weight_b)
		return weight_a > weight_b ? -1 : 1;
	if (size_a != size_b)
		return size_a > size_b ? -1 : 1;
	if (a->now.reported != b->now.reported)
		return a->now.reported ? 1 : -1;
	return strcmp(a->metric->name, b->metric->name);
}

/* Makes a cell outlive the arena of its series. */
static void keep_cell(struct arena *a, struct cell *k)
{
	k->values = NULL;
	k->reason = arena_str(a, k->reason);
	if (k->summary) {
		struct summary_cell *s = arena_copy(a, k->summary, sizeof(*s));

		s->printed_base = arena_str(a, s->printed_base);
		k->summary = s;
	}
}

struct growing {
	struct commit_row *rows;
	size_t n, cap;
};

static void list_add(struct arena *scratch, struct growing *l, const struct comparison_row *row,
		     size_t ncols)
{
	struct commit_row added = {
		.metric = row->metric,
		.role = row->role,
		.unit = row->metric->facts.unit,
		.now = row->cells[ncols - 1],
	};

	if (ncols == 2)
		added.base = row->cells[0];
	l->rows = arena_grow(scratch, l->rows, &l->cap, l->n + 1, sizeof(added));
	l->rows[l->n++] = added;
}

/* Sorts, and copies the first of them out of the scratch arena. */
static void list_keep(struct arena *a, struct growing *l, struct row_list *out)
{
	out->seen = l->n;
	out->n = l->n < COMMIT_ROWS_MAX ? l->n : COMMIT_ROWS_MAX;
	if (l->n > 1)
		qsort(l->rows, l->n, sizeof(*l->rows), commit_row_compare);
	if (l->n == 0)
		return;
	out->rows = arena_copy(a, l->rows, out->n * sizeof(*out->rows));
	for (size_t i = 0; i < out->n; i++) {
		keep_cell(a, &out->rows[i].base);
		keep_cell(a, &out->rows[i].now);
	}
}

/* Puts the rows of a judged comparison where they belong. */
static void sort_rows(struct arena *a, struct arena *scratch, const struct comparison *cmp,
		      struct commit_result *out)
{
	struct growing worst = {0}, best = {0}, steady = {0};

	for (size_t i = 0; i < cmp->nrows; i++) {
		const struct comparison_row *row = &cmp->rows[i];
		struct commit_row probe = {.metric = row->metric,
					   .now = row->cells[cmp->ncols - 1]};
		enum verdict v = probe.now.verdict;

		out->counts[v]++;
		if (v == VERDICT_REGRESSION)
			out->regressions[row->role]++;
		if (v == VERDICT_IMPROVEMENT)
			out->improvements[row->role]++;
		if (verdict_is_change(v))
			list_add(scratch, commit_row_is_better(&probe) ? &best : &worst, row,
				 cmp->ncols);
		else if (row->role == ROLE_PRIMARY)
			list_add(scratch, &steady, row, cmp->ncols);
	}
	list_keep(a, &worst, &out->worst);
	list_keep(a, &best, &out->best);
	list_keep(a, &steady, &out->steady);
}

static int by_metric_name(const void *name, const void *entry)
{
	return strcmp(name, ((const struct series_metric *)entry)->metric->name);
}

static void set_units(struct arena *keep, const struct series_metric *list, size_t n,
		      struct row_list *rows)
{
	for (size_t i = 0; i < rows->n && n; i++) {
		const struct series_metric *m =
			bsearch(rows->rows[i].metric->name, list, n, sizeof(*list), by_metric_name);

		if (m && m->unit)
			rows->rows[i].unit = arena_str(keep, m->unit);
	}
}

/* Units as uploaded, for the rows that were kept. c->arena is the scratch arena. */
static int load_units(struct ctx *c, struct arena *keep, struct commit_result *out)
{
	struct series_metric *list;
	size_t n;
	int e = series_metrics(c, out->series.id, &list, &n);

	if (e < 0)
		return e;
	set_units(keep, list, n, &out->worst);
	set_units(keep, list, n, &out->best);
	set_units(keep, list, n, &out->steady);
	return E_OK;
}

/* Results -----------------------------------------------------------------------------------------
 */

static int load_base(struct ctx *c, int64_t commit_id, struct commit_result *out)
{
	int64_t ancestor;
	int e = commit_measured_ancestor(c, commit_id, out->series.id, &ancestor);

	if (e == E_NOTFOUND) {
		ctx_clear(c);
		return E_OK;
	}
	if (e >= 0)
		e = commit_get(c, ancestor, &out->base);
	if (e >= 0)
		out->has_base = true;
	return e;
}

/* c->arena is the scratch arena here; what stays goes to keep. */
static int judge(struct ctx *c, struct arena *keep, int64_t commit_id, struct commit_result *out)
{
	struct cell_data data[2] = {{.failed = 0}};
	struct comparison_column cols[2];
	struct comparison cmp;
	size_t ncols = 0;
	int e = E_OK;

	if (out->has_base) {
		e = cell_load(c, out->series.id, out->base.id, false, &data[ncols]);
		cols[ncols] = data[ncols].column;
		ncols++;
	}
	if (e >= 0)
		e = cell_load(c, out->series.id, commit_id, false, &data[ncols]);
	if (e < 0)
		return e;
	cols[ncols] = data[ncols].column;
	cols[ncols].failed = out->failed;
	if (out->has_base)
		cols[ncols].cells = printed_match(c->arena, &cols[ncols], &out->base, NULL);
	ncols++;
	if (!comparison_build(c->arena, out->series.testcase, cols, ncols, &cmp))
		return fail(c, E_TOO_LARGE,
			    "series %lld has more rows and values than can be compared at once",
			    (long long)out->series.id);
	e = quarantine_hold(c, out->series.tbox_group, &cmp, ncols - 1, &out->quarantined);
	if (e < 0)
		return e;
	sort_rows(keep, c->arena, &cmp, out);
	return load_units(c, keep, out);
}

static int load_result(struct ctx *c, struct arena *scratch, const struct measured *m,
		       struct commit_result *out)
{
	struct arena *keep = c->arena;
	int e = series_get_id(c, m->series_id, &out->series);

	out->n = m->runs;
	out->failed = m->failed;
	out->printed = m->summaries > 0;
	if (e >= 0)
		e = load_base(c, m->commit_id, out);
	if (e < 0)
		return e;
	c->arena = scratch;
	e = judge(c, keep, m->commit_id, out);
	c->arena = keep;
	arena_reset(scratch);
	if (e != E_TOO_LARGE)
		return e;
	/* The other series of the commit are still worth reading. */
	out->too_large = arena_str(keep, c->detail);
	ctx_clear(c);
	return E_OK;
}

/* Series whose own figures got worse come first, then those where anything did; ties by the largest
 * row. */
static int compare_results(const void *x, const void *y)
{
	const struct commit_result *a = x, *b = y;

	if (a->worst.n && b->worst.n) {
		int d = commit_row_compare(&a->worst.rows[0], &b->worst.rows[0]);

		if (d)
			return d;
	} else if (a->worst.n || b->worst.n) {
		return a->worst.n ? -1 : 1;
	}
	if (a->has_base != b->has_base)
		return a->has_base ? -1 : 1;
	if (a->best.seen != b->best.seen)
		return a->best.seen > b->best.seen ? -1 : 1;
	return a->series.id < b->series.id ? -1 : a->series.id > b->series.id;
}

static int load_results(struct ctx *c, struct commit_page *out)
{
	auto_arena struct arena *scratch = arena_new();
	struct measured *m;
	size_t n;
	int e = measured_of_commit(c, out->commit.id, COMMIT_RESULTS_MAX + 1, &m, &n);

	if (e < 0)
		return e;
	out->cut = n > COMMIT_RESULTS_MAX;
	if (out->cut)
		n = COMMIT_RESULTS_MAX;
	out->results = arena_array(c->arena, struct commit_result, n);
	for (size_t i = 0; i < n; i++) {
		e = load_result(c, scratch, &m[i], &out->results[i]);
		if (e < 0)
			return e;
	}
	out->nresults = n;
	if (n > 1)
		qsort(out->results, n, sizeof(*out->results), compare_results);
	return E_OK;
}

int commit_page_load(struct ctx *c, const struct commit *commit, struct commit_page *out)
{
	int e;

	*out = (struct commit_page){.commit = *commit};
	out->trailers = commit_trailers(c->arena, commit->message, &out->ntrailers);
	e = commit_parents(c, commit->id, &out->parents, &out->nparents);
	if (e >= 0)
		e = commit_children(c, commit->id, &out->children, &out->nchildren);
	if (e >= 0)
		e = commit_builds(c, commit->id, &out->builds, &out->nbuilds);
	if (e >= 0)
		e = commit_reports(c, commit->id, &out->reports, &out->nreports);
	if (e >= 0)
		e = load_results(c, out);
	if (e < 0)
		return e;
	for (size_t i = 0; i < out->nbuilds; i++)
		out->nwarnings += out->builds[i].nwarnings;
	out->sentence = commit_sentence(c->arena, out->results, out->nresults);
	return E_OK;
}
