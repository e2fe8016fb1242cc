/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One metric over all commits of a series. Values are picked out of the packed samples where they
 * lie, without copying a run. The order of commits follows the parents that uploads told: a walk
 * over the commits by date that puts the ancestors of each before it, which is an order whatever
 * dates and parents say. Rows that git has at one place are one commit in it, with the parents that
 * were told of any of them.
 */
#include "db/runs.h"

#include <endian.h>
#include <math.h>

#include "db/idset.h"
#include "db/metrics.h"
#include "db/series.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define HISTORY_RUNS_MAX    1000000
#define HISTORY_COMMITS_MAX 100000
#define UNMEASURED_MAX      10000 /* commits between measured ones that the walk looks at */

/* Position of the metric in a layout, -1 when it is not in it. positions is sorted. */
static long find_position(const struct layout_position *positions, size_t n, int64_t layout_id)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (positions[mid].layout_id < layout_id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && positions[lo].layout_id == layout_id ? (long)positions[lo].at : -1;
}

static double value_of(uint64_t bits)
{
	double v;

	bits = le64toh(bits);
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* What a run means by not naming the metric: a failure did not happen, and a function that a
 * profile does not show took no time. */
struct silence {
	bool functional, profile;
	int64_t layout_id; /* the last that was looked at, mostly the next one's, too … */
	bool has_profile;  /* … and what it was */
};

static bool layout_has_profile(const struct layout *l)
{
	const struct metric *const *m = layout_metrics(l);

	for (size_t i = 0; i < l->n; i++)
		if (m[i]->facts.is_profile)
			return true;
	return false;
}

/* Whether a run of that layout means 0. */
static int means_zero(struct ctx *c, struct silence *s, int64_t layout_id, bool *zero)
{
	if (s->profile && s->layout_id != layout_id) {
		const struct layout *l = layout_by_id(c, layout_id);

		if (!l)
			return (int)c->err;
		s->layout_id = layout_id;
		s->has_profile = layout_has_profile(l);
	}
	*zero = s->functional || (s->profile && s->has_profile);
	return E_OK;
}

SQL(history_runs, "SELECT commit_id, layout_id, run_id FROM run WHERE series_id = $1 AND status = 0"
		  " ORDER BY commit_id, run_id LIMIT $2")

int history_values(struct ctx *c, int64_t series_id, uint32_t metric_id, struct history_value **out,
		   size_t *n)
{
	const struct metric *m = metric_by_id(c, metric_id);
	struct silence silence = {.functional = m && m->facts.kind == KIND_FUNCTIONAL,
				  .profile = m && m->facts.is_profile};
	struct layout_position *positions;
	size_t npositions, cap = 0;
	int e = series_positions(c, series_id, metric_id, &positions, &npositions);

	*out = NULL;
	*n = 0;
	if (e < 0 || !npositions)
		return e;
	auto_blob_reader struct blob_reader *samples = blob_reader_open(c, "run", "samples");
	auto_stmt struct stmt *st = db_stmt(c, &history_runs);
	bind_int(st, 1, series_id);
	bind_int(st, 2, HISTORY_RUNS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		long at = find_position(positions, npositions, col_int(st, 1));
		uint64_t bits = 0;
		bool zero = false;

		if (at >= 0)
			e = blob_read_at(samples, col_int(st, 2), 8 * (size_t)at, &bits,
					 sizeof(bits));
		else
			e = means_zero(c, &silence, col_int(st, 1), &zero);
		if (e < 0)
			return e;
		if (at < 0 && !zero)
			continue;
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct history_value){
			.commit_id = col_int(st, 0),
			.run_id = col_int(st, 2),
			.value = value_of(bits),
			.silent = at < 0,
		};
	}
	return stmt_status(st);
}

/* --- commits in order --------------------------------------------------------------------------
 */

struct edge {
	int64_t commit, parent;
};

/* A row of the series. */
struct named {
	int64_t row, position; /* position 0: git does not know it */
	int kind;
	size_t at;  /* in the list of commits */
	int64_t of; /* the row that its commit goes by */
};

struct walk {
	struct history_commit *commits; /* by id, each of which stands for all its rows */
	size_t ncommits;
	struct named *rows; /* that go by another, by id */
	size_t nrows;
	struct edge *edges; /* of measured commits, by id; those of others are added behind */
	size_t nedges, nmeasured_edges, cap;
	struct idset seen;
	size_t unmeasured;
	struct history_commit *ordered;
	size_t n;
};

SQL(history_commit_rows,
    "SELECT m.commit_id, k.name, k.subject, coalesce(k.date, k.committer_date),"
    " m.first_received, k.position, k.kind FROM measured m"
    " JOIN commits k ON k.commit_id = m.commit_id"
    " WHERE m.series_id = $1 AND " MEASURED_IN_VIEW " ORDER BY m.commit_id LIMIT $2")

/* Every row as a commit of its own; rows has as many. */
static int read_rows(struct ctx *c, int64_t series_id, struct walk *w)
{
	auto_stmt struct stmt *st = db_stmt(c, &history_commit_rows);
	size_t cap = 0, rows_cap = 0;

	bind_int(st, 1, series_id);
	bind_int(st, 2, HISTORY_COMMITS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		size_t n = w->ncommits++;

		w->commits = arena_grow(c->arena, w->commits, &cap, n + 1, sizeof(*w->commits));
		w->rows = arena_grow(c->arena, w->rows, &rows_cap, n + 1, sizeof(*w->rows));
		w->commits[n] = (struct history_commit){
			.commit_id = col_int(st, 0),
			.name = col_text(st, 1),
			.subject = col_text(st, 2),
			.date = col_time(st, 3),
			.first_received = col_int(st, 4),
			.mean = (double)NAN,
			.stddev = (double)NAN,
			.stddev_pct = (double)NAN,
		};
		w->rows[n] = (struct named){
			.row = col_int(st, 0),
			.position = col_null(st, 5) ? 0 : col_int(st, 5),
			.kind = (int)col_int(st, 6),
			.at = n,
			.of = col_int(st, 0),
		};
	}
	return stmt_status(st);
}

/* Names of one commit side by side, the one that it goes by first. */
static int by_place(const void *x, const void *y)
{
	const struct named *a = x, *b = y;

	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int by_row(const void *x, const void *y)
{
	const struct named *a = x, *b = y;

	return (a->row > b->row) - (a->row < b->row);
}

/* n rows of one commit become its names; rows and names have room for them. */
static void join_rows(struct walk *w, struct named *same, size_t n, int64_t *rows,
		      const char **names)
{
	struct history_commit *k = &w->commits[same[0].at];

	for (size_t i = 0; i < n; i++) {
		const struct history_commit *other = &w->commits[same[i].at];

		same[i].of = k->commit_id;
		rows[i] = other->commit_id;
		names[i] = other->name;
		if (other->first_received < k->first_received)
			k->first_received = other->first_received;
	}
	k->rows = rows;
	k->names = names;
	k->nrows = n;
}

/* Leaves each commit once, and of the rows those that go by another. */
static void join_names(struct arena *a, struct walk *w)
{
	size_t all = w->ncommits, kept = 0;
	int64_t *rows = arena_array(a, int64_t, all);
	const char **names = arena_array(a, const char *, all);

	if (all)
		qsort(w->rows, all, sizeof(*w->rows), by_place);
	for (size_t i = 0, n; i < all; i += n) {
		for (n = 1; w->rows[i].position && i + n < all; n++)
			if (w->rows[i + n].position != w->rows[i].position)
				break;
		join_rows(w, &w->rows[i], n, rows + i, names + i);
	}
	for (size_t i = 0; i < all; i++)
		if (w->rows[i].of != w->rows[i].row)
			w->rows[w->nrows++] = w->rows[i];
	if (w->nrows)
		qsort(w->rows, w->nrows, sizeof(*w->rows), by_row);
	for (size_t i = 0; i < all; i++)
		if (w->commits[i].nrows)
			w->commits[kept++] = w->commits[i];
	w->ncommits = kept;
}

static int read_commits(struct ctx *c, int64_t series_id, struct walk *w)
{
	int e = read_rows(c, series_id, w);

	if (e >= 0)
		join_names(c->arena, w);
	return e;
}

/* The row that the commit of a row goes by. */
static int64_t main_row(const struct walk *w, int64_t row)
{
	struct named want = {.row = row};
	const struct named *at =
		w->nrows ? bsearch(&want, w->rows, w->nrows, sizeof(want), by_row) : NULL;

	return at ? at->of : row;
}

static void add_edge(struct ctx *c, struct walk *w, int64_t commit, int64_t parent)
{
	w->edges = arena_grow(c->arena, w->edges, &w->cap, w->nedges + 1, sizeof(*w->edges));
	w->edges[w->nedges++] = (struct edge){commit, parent};
}

SQL(history_edges,
    "SELECT p.commit_id, p.parent_id FROM measured m"
    " JOIN commit_parent p ON p.commit_id = m.commit_id"
    " WHERE m.series_id = $1 AND " MEASURED_IN_VIEW " ORDER BY m.commit_id, p.n LIMIT $2")

static int read_edges(struct ctx *c, int64_t series_id, struct walk *w)
{
	auto_stmt struct stmt *st = db_stmt(c, &history_edges);

	bind_int(st, 1, series_id);
	bind_int(st, 2, 2 * HISTORY_COMMITS_MAX);
	while (stmt_step(st) == STMT_ROW)
		add_edge(c, w, col_int(st, 0), col_int(st, 1));
	w->nmeasured_edges = w->nedges;
	return stmt_status(st);
}

static struct history_commit *find_commit(const struct walk *w, int64_t id)
{
	size_t lo = 0, hi = w->ncommits;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->commits[mid].commit_id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->ncommits && w->commits[lo].commit_id == id ? &w->commits[lo] : NULL;
}

/* A commit on the stack of the walk: its parents are edges [at, end), each by any of its rows. */
struct frame {
	int64_t commit;
	size_t at, end;
};

SQL(history_parents,
    "SELECT parent_id FROM commit_parent WHERE commit_id = $1 ORDER BY n LIMIT 100")

/* Of a commit that was not measured; its edges are needed once, so they stand at the end. */
static int unmeasured_parents(struct ctx *c, struct walk *w, struct frame *f)
{
	auto_stmt struct stmt *st = db_stmt(c, &history_parents);

	f->at = w->nedges;
	f->end = w->nedges;
	if (w->unmeasured++ >= UNMEASURED_MAX)
		return E_OK;
	bind_int(st, 1, f->commit);
	while (stmt_step(st) == STMT_ROW)
		add_edge(c, w, f->commit, col_int(st, 0));
	f->end = w->nedges;
	return stmt_status(st);
}

/* The edges of a measured row. */
static void find_edges(const struct walk *w, int64_t row, size_t *at, size_t *end)
{
	size_t lo = 0, hi = w->nmeasured_edges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->edges[mid].commit < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	*at = *end = lo;
	while (*end < w->nmeasured_edges && w->edges[*end].commit == row)
		++*end;
}

/* Those of several rows are put together at the end. */
static void measured_parents(struct ctx *c, struct walk *w, const struct history_commit *k,
			     struct frame *f)
{
	find_edges(w, k->commit_id, &f->at, &f->end);
	if (k->nrows == 1)
		return;
	f->at = w->nedges;
	for (size_t i = 0; i < k->nrows; i++) {
		size_t at, end;

		for (find_edges(w, k->rows[i], &at, &end); at < end; at++)
			add_edge(c, w, k->commit_id, w->edges[at].parent);
	}
	f->end = w->nedges;
}

/* Puts the commit behind all its ancestors. */
static int place(struct ctx *c, struct walk *w, int64_t start)
{
	struct frame *stack = NULL;
	size_t depth = 0, cap = 0;
	int64_t next = start;

	for (;;) {
		if (next && idset_add(c->arena, &w->seen, next)) {
			stack = arena_grow(c->arena, stack, &cap, depth + 1, sizeof(*stack));
			struct frame *f = &stack[depth++];
			f->commit = next;
			int e = E_OK;
			const struct history_commit *measured = find_commit(w, next);
			if (measured)
				measured_parents(c, w, measured, f);
			else
				e = unmeasured_parents(c, w, f);
			if (e < 0)
				return e;
		}
		if (!depth)
			return E_OK;
		struct frame *top = &stack[depth - 1];
		next = 0;
		if (top->at < top->end) {
			next = main_row(w, w->edges[top->at++].parent);
			continue;
		}
		const struct history_commit *k = find_commit(w, top->commit);
		if (k)
			w->ordered[w->n++] = *k;
		depth--;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct history_commit *x = a, *y = b;
	int64_t tx = x->date != TIME_NONE ? x->date : x->first_received;
	int64_t ty = y->date != TIME_NONE ? y->date : y->first_received;

	if (tx != ty)
		return tx < ty ? -1 : 1;
	return (x->commit_id > y->commit_id) - (x->commit_id < y->commit_id);
}

static int order_commits(struct ctx *c, struct walk *w)
{
	struct history_commit *by_date = arena_array(c->arena, struct history_commit, w->ncommits);

	w->ordered = arena_array(c->arena, struct history_commit, w->ncommits);
	if (!w->ncommits)
		return E_OK;
	memcpy(by_date, w->commits, w->ncommits * sizeof(*by_date));
	qsort(by_date, w->ncommits, sizeof(*by_date), by_time);
	for (size_t i = 0; i < w->ncommits; i++) {
		int e = place(c, w, by_date[i].commit_id);

		if (e < 0)
			return e;
	}
	return E_OK;
}

SQL(history_summaries, "SELECT commit_id, cells, summary_id FROM summary"
		       " WHERE series_id = $1 AND status = 0"
		       " ORDER BY commit_id, summary_id LIMIT $2")

/* The last received wins, under whichever name. */
static int read_printed(struct ctx *c, int64_t series_id, uint32_t metric_id, struct walk *w)
{
	auto_stmt struct stmt *st = db_stmt(c, &history_summaries);

	bind_int(st, 1, series_id);
	bind_int(st, 2, HISTORY_COMMITS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		struct history_commit *k = find_commit(w, main_row(w, col_int(st, 0)));
		int64_t summary = col_int(st, 2);
		struct stored_cell *cells;
		size_t nbytes, n;
		const void *bytes = col_blob(st, 1, &nbytes);
		int e = summary_unpack(c, bytes, nbytes, &cells, &n);

		if (e < 0)
			return e;
		for (size_t i = 0; i < n && k; i++) {
			if (cells[i].metric_id != metric_id || summary < k->printed)
				continue;
			k->printed = summary;
			k->mean = cells[i].mean;
			k->stddev = cells[i].stddev;
			k->stddev_pct = cells[i].stddev_pct;
		}
	}
	return stmt_status(st);
}

int history_commits(struct ctx *c, int64_t series_id, uint32_t metric_id,
		    struct history_commit **out, size_t *n)
{
	struct walk w = {0};
	int e = read_commits(c, series_id, &w);

	*out = NULL;
	*n = 0;
	if (e < 0 || (e = read_edges(c, series_id, &w)) < 0 ||
	    (e = read_printed(c, series_id, metric_id, &w)) < 0 || (e = order_commits(c, &w)) < 0)
		return e;
	*out = w.ordered;
	*n = w.n;
	return E_OK;
}
