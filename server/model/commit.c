/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything about one commit. Each series is loaded and judged in an arena of its own, of which
 * only the rows that are shown survive: 200 series of 2000 metrics would not fit into a request's
 * memory otherwise. What is judged, and how, is the same as on the compare page of base and commit.
 */
#include "server/model/commit.h"

#include <math.h>

#include "db/git_commits.h"
#include "db/metrics.h"
#include "db/rule_setting.h"
#include "server/base/arena.h"
#include "server/history/ancestors.h"
#include "server/model/cell_pair.h"
#include "server/model/commit_git.h"
#include "server/model/compare_table.h"

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
		out->rows[i].base = *cell_keep(a, &out->rows[i].base);
		out->rows[i].now = *cell_keep(a, &out->rows[i].now);
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

/* n entries behind those that are there, in one list. */
static void *join(struct arena *a, const void *list, size_t nlist, const void *more, size_t n,
		  size_t size)
{
	char *all;

	if (!nlist || !n)
		return (void *)(nlist ? list : more);
	all = arena_alloc(a, (nlist + n) * size);
	memcpy(all, list, nlist * size);
	memcpy(all + nlist * size, more, n * size);
	return all;
}

/* Results -----------------------------------------------------------------------------------------
 */

/* A commit's results are loaded for all of its names at once, and so is the base that was asked
 * for. */
struct asked {
	struct compare_commit own, against; /* against.nnames 0: there is none */
};

/* The base that was asked for where it was measured in the series, else the nearest measured
 * ancestor. */
static int find_base(struct ctx *c, const struct asked *k, int64_t series_id, int64_t *base)
{
	int64_t *ids;
	size_t n = 0;
	int e = k->against.nnames
			? compare_shared(c, &k->against, NULL, 0, series_id - 1, 1, &ids, &n)
			: E_OK;

	if (e < 0)
		return e;
	if (n && ids[0] == series_id) {
		*base = k->against.commit.id;
		return E_OK;
	}
	return ancestor_measured(c, k->own.commit.id, series_id, base);
}

static int load_base(struct ctx *c, const struct asked *k, struct commit_result *out)
{
	int64_t ancestor;
	int e = find_base(c, k, out->series.id, &ancestor);

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

static bool own_changed(const struct row_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].role != ROLE_MONITOR)
			return true;
	return false;
}

/* What differs besides the commit, of a series in which something of its own changed. */
static int load_beside(struct ctx *c, struct arena *keep, const struct compare_commit *base,
		       const struct compare_commit *own, const struct cell_data data[2],
		       struct commit_result *out)
{
	struct compare_table t = {.series = out->series, .ncols = 2};
	int e;

	if (!own_changed(&out->worst) && !own_changed(&out->best))
		return E_OK;
	compare_infos(c->arena, data, &t);
	e = compare_besides(c, &t, 0, 1, (struct compare_rows){base->rows, base->nnames},
			    (struct compare_rows){own->rows, own->nnames}, &out->beside);
	out->beside = arena_str(keep, out->beside);
	return e;
}

/* c->arena is the scratch arena here; what stays goes to keep. */
static int judge(struct ctx *c, struct arena *keep, const struct compare_commit *own,
		 struct commit_result *out)
{
	struct comparison_judging by = {.instead = NULL};
	struct compare_commit base = {.commit = out->base};
	struct comparison cmp;
	struct cell_pair pair;
	int e = rule_in_force(c, &by.rule);

	if (e >= 0 && out->has_base)
		e = compare_find_names(c, &base);
	if (e >= 0)
		e = cell_pair_load(c, &out->series, out->has_base ? &base : NULL, own,
				   out->has_base, &pair);
	if (e < 0)
		return e;
	e = cell_pair_judge(c, &pair, &by, &cmp, &out->quarantined);
	cell_pair_release(&pair);
	if (e < 0)
		return e;
	sort_rows(keep, c->arena, &cmp, out);
	e = out->has_base ? load_beside(c, keep, &base, own, pair.data, out) : E_OK;
	return e < 0 ? e : load_units(c, keep, out);
}

static int load_result(struct ctx *c, struct arena *scratch, const struct measured *m,
		       const struct asked *k, struct commit_result *out)
{
	struct arena *keep = c->arena;
	int e = series_get_id(c, m->series_id, &out->series);

	out->n = m->runs;
	out->failed = m->failed;
	out->printed = m->summaries > 0;
	if (e >= 0)
		e = load_base(c, k, out);
	if (e < 0)
		return e;
	c->arena = scratch;
	e = judge(c, keep, &k->own, out);
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

/* Its own row first. */
static int load_names(struct ctx *c, struct commit_page *out)
{
	int64_t *ids = NULL;
	size_t n = 0;
	int e = out->commit.position ? git_commit_rows(c, out->commit.position, &ids, &n) : E_OK;

	out->rows = arena_array(c->arena, int64_t, n + 1);
	out->nrows = 0;
	if (out->commit.id)
		out->rows[out->nrows++] = out->commit.id;
	for (size_t i = 0; i < n; i++)
		if (ids[i] != out->commit.id)
			out->rows[out->nrows++] = ids[i];
	return e;
}

static int by_series(const void *x, const void *y)
{
	const struct measured *a = x, *b = y;

	if (a->series_id != b->series_id)
		return a->series_id < b->series_id ? -1 : 1;
	return (a->commit_id > b->commit_id) - (a->commit_id < b->commit_id);
}

/* What was measured under any of its names, by series: each name's own list is whole up to the
 * limit, so the first of all lists are, too. */
static int find_measured(struct ctx *c, const struct compare_commit *k, size_t limit,
			 struct measured **out, size_t *n)
{
	struct measured *all = NULL;
	size_t total = 0, cap = 0;

	*n = 0;
	for (size_t i = 0; i < k->nnames; i++) {
		struct measured *m;
		size_t nm;
		int e = measured_of_commit(c, k->rows[i], limit, &m, &nm);

		if (e < 0)
			return e;
		all = arena_grow(c->arena, all, &cap, total + nm, sizeof(*all));
		for (size_t j = 0; j < nm; j++)
			all[total++] = m[j];
	}
	if (total)
		qsort(all, total, sizeof(*all), by_series);
	for (size_t i = 0; i < total; i++) {
		struct measured *last = *n ? &all[*n - 1] : NULL;

		if (!last || last->series_id != all[i].series_id) {
			all[(*n)++] = all[i];
			continue;
		}
		if (all[i].commit_id == k->commit.id)
			last->commit_id = all[i].commit_id;
		last->runs += all[i].runs;
		last->failed += all[i].failed;
		last->summaries += all[i].summaries;
	}
	*n = *n < limit ? *n : limit;
	*out = all;
	return E_OK;
}

/* As it was uploaded: by its own name, or the first one that measured the series. */
static const char *address_of(struct arena *a, const struct compare_commit *k, int64_t row)
{
	for (size_t i = 0; i < k->nnames; i++)
		if (k->rows[i] == row)
			return commit_address(a, &k->names[i]);
	return commit_address(a, &k->commit);
}

static int load_asked(struct ctx *c, const struct commit_page *p, struct asked *out)
{
	int e;

	*out = (struct asked){.own = {.commit = p->commit}};
	e = compare_find_names(c, &out->own);
	if (e < 0 || !p->against)
		return e;
	e = commit_get(c, p->against, &out->against.commit);
	return e < 0 ? e : compare_find_names(c, &out->against);
}

int commit_results_load(struct ctx *c, size_t max, struct commit_page *out)
{
	auto_arena struct arena *scratch = arena_new();
	struct measured *m = NULL;
	struct asked k;
	size_t n = 0;
	int e = load_names(c, out);

	if (e >= 0)
		e = rule_in_force(c, &out->rule);
	if (e >= 0)
		e = load_asked(c, out, &k);
	if (e >= 0)
		e = find_measured(c, &k.own, max + 1, &m, &n);
	out->results = arena_array(c->arena, struct commit_result, max);
	out->cut = n > max;
	for (size_t i = 0; e >= 0 && i < n && i < max; i++) {
		struct commit_result *x = &out->results[out->nresults++];

		*x = (struct commit_result){.address =
						    address_of(c->arena, &k.own, m[i].commit_id)};
		e = load_result(c, scratch, &m[i], &k, x);
	}
	if (e >= 0 && out->nresults > 1)
		qsort(out->results, out->nresults, sizeof(*out->results), compare_results);
	if (e >= 0)
		commit_results_join(c->arena, out->results, out->nresults);
	return e;
}

/* Builds and reports of all its names. */
static int load_about(struct ctx *c, struct commit_page *out)
{
	for (size_t i = 0; i < out->nrows; i++) {
		struct build *builds;
		struct report *reports;
		size_t nbuilds, nreports;
		int e = commit_builds(c, out->rows[i], &builds, &nbuilds);

		if (e >= 0)
			e = commit_reports(c, out->rows[i], &reports, &nreports);
		if (e < 0)
			return e;
		out->builds =
			join(c->arena, out->builds, out->nbuilds, builds, nbuilds, sizeof(*builds));
		out->reports = join(c->arena, out->reports, out->nreports, reports, nreports,
				    sizeof(*reports));
		out->nbuilds += nbuilds;
		out->nreports += nreports;
	}
	return E_OK;
}

int commit_page_load(struct ctx *c, const struct commit *commit, struct commit_page *out)
{
	int e;

	*out = (struct commit_page){.commit = *commit};
	e = commit_parents(c, commit->id, &out->parents, &out->nparents);
	if (e >= 0)
		e = commit_children(c, commit->id, &out->children, &out->nchildren);
	if (e >= 0)
		e = commit_git_load(c, out);
	if (e < 0)
		return e;
	out->trailers = commit_trailers(c->arena, out->commit.message, &out->ntrailers);
	e = commit_results_load(c, COMMIT_RESULTS_MAX, out);
	if (e >= 0)
		e = load_about(c, out);
	if (e >= 0)
		e = commit_git_finish(c, out);
	if (e < 0)
		return e;
	for (size_t i = 0; i < out->nbuilds; i++)
		out->nwarnings += out->builds[i].nwarnings;
	out->sentence = commit_sentence(c->arena, out->results, out->nresults);
	return E_OK;
}
