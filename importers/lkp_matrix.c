/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp-matrix: matrix.json beside the runs of a commit, an array for each metric with an entry for
 * each run; "stats_source" names the runs and so how many there are.
 *
 * A metric that a run did not measure has no entry when no later run has it either: the array is
 * short, and the run goes without it. When a later run has it, the robot writes 0 in its place, and
 * such a 0 looks like one that was measured. What can be told apart is told apart by the monitor:
 * an entry is certain when it is not 0, or is the last of its array (nothing was filled in behind
 * it). A 0 is kept where the same run has a certain value of the same monitor (names alike up to
 * the first '.'; "x.time" is a monitor of its own): it ran, and 0 is what it saw or would have
 * seen. Elsewhere it is left out: nothing says that the monitor ran at all.
 */
#include "importers/formats.h"
#include "importers/lkp.h"

#include <math.h>

#include "importers/native.h"
#include "server/base/arena.h"

struct matrix {
	struct import *in;
	const struct lkp_matrix *m;
	const struct lkp_row *source; /* NULL: it has none */
	size_t columns;
	uint32_t *monitor; /* of each row */
	bool *ran;         /* by monitor, of one column */
	size_t nmonitors;
	const struct lkp_row *state; /* says which runs are incomplete; NULL */
	/* columns are read one after the other, where they stand in the bytes */
	const char **next; /* of each row */
	double *now;       /* the entry of each row, NAN: none */
	size_t read;       /* columns so far; now has the last */
	struct arena *own; /* of one column */
};

struct named {
	const char *name;
	size_t len, row;
};

static int by_monitor(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int d = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return d ? d : (x->len > y->len) - (x->len < y->len);
}

static size_t monitor_length(const char *name)
{
	size_t n = strcspn(name, ".");

	return strncmp(name + n, ".time.", 6) == 0 ? n + 5 : n;
}

/* Numbers the monitors: rows of one have the same number. */
static void number_monitors(struct matrix *x)
{
	struct arena *a = x->in->ctx->arena;
	size_t n = x->m->n;
	struct named *list = arena_array(a, struct named, n);

	for (size_t i = 0; i < n; i++) {
		const char *name = x->m->rows[i].name;

		list[i] = (struct named){name, monitor_length(name), i};
	}
	qsort(list, n, sizeof(*list), by_monitor);
	x->monitor = arena_array(a, uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		if (i && by_monitor(&list[i - 1], &list[i]) != 0)
			x->nmonitors++;
		x->monitor[list[i].row] = (uint32_t)x->nmonitors;
	}
	x->nmonitors++;
	x->ran = arena_array(a, bool, x->nmonitors);
}

static void begin_columns(struct matrix *x)
{
	x->read = 0;
	for (size_t i = 0; i < x->m->n; i++)
		x->next[i] = x->m->rows[i].first;
}

/* Makes the column, or one behind it that was read before, the one that stands in now. */
static void read_column(struct matrix *x, size_t column)
{
	for (; x->read <= column; x->read++) {
		for (size_t i = 0; i < x->m->n; i++) {
			const struct lkp_row *row = &x->m->rows[i];

			x->now[i] = row->kind == LKP_NUMBERS && x->read < row->n
					    ? lkp_row_next(&x->next[i], x->m->end)
					    : NAN;
		}
	}
}

/* What stands in now. */
static void take_column(struct matrix *x, struct record *r)
{
	memset(x->ran, 0, x->nmonitors * sizeof(*x->ran));
	for (size_t i = 0; i < x->m->n; i++) {
		double v = x->now[i];

		if (!isnan(v) && (v != 0 || x->read == x->m->rows[i].n))
			x->ran[x->monitor[i]] = true;
	}
	for (size_t i = 0; i < x->m->n; i++) {
		if (x->now[i] != 0 || x->ran[x->monitor[i]])
			record_value(r, NULL, x->now[i], "%s", x->m->rows[i].name);
	}
}

static bool is_incomplete(const struct matrix *x)
{
	return x->state && x->now[x->state - x->m->rows] > 0;
}

/* The shape: how many runs there are. */
static int measure(struct matrix *x)
{
	struct ctx *c = x->in->ctx;

	for (size_t i = 0; i < x->m->n; i++) {
		const struct lkp_row *row = &x->m->rows[i];

		if (!x->state && strcmp(row->name, "last_state.is_incomplete_run") == 0)
			x->state = row;
		if (strcmp(row->name, "stats_source") == 0 && row->kind == LKP_TEXTS)
			x->source = row;
		else if (row->kind != LKP_NUMBERS)
			lkp_row_fault(c, row, "must be an array of numbers");
		else if (row->n > x->columns)
			x->columns = row->n;
	}
	for (size_t i = 0; x->source && i < x->m->n; i++) {
		const struct lkp_row *row = &x->m->rows[i];

		if (row->kind == LKP_NUMBERS && row->n > x->source->n)
			lkp_row_fault(c, row, "has %zu values, but stats_source names %zu runs",
				      row->n, x->source->n);
	}
	if (x->source)
		x->columns = x->source->n;
	if (x->columns > NATIVE_RUNS_MAX)
		fault(c, "", "has %zu runs, at most %d are allowed", x->columns, NATIVE_RUNS_MAX);
	if (!x->columns)
		fault(c, "", "has no run");
	return c->err;
}

/* Where a column's run lies: ".../<run>/stats.json", or no more than the number. */
static bool place_of(const struct matrix *x, size_t column, struct lkp_place *out)
{
	struct arena *a = x->own;
	const char *path, *slash;

	if (!x->source)
		return false;
	path = x->source->texts[column];
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	path = arena_strn(a, path, (size_t)(slash - path));
	if (lkp_place_of_run(a, path, out))
		return true;
	if (!x->m->commit)
		return false;
	slash = strrchr(path, '/');
	path = arena_fmt(a, "%s/%s", lkp_path(a, x->m->commit), slash ? slash + 1 : path);
	return lkp_place_of_run(a, path, out);
}

static struct record *begin(struct matrix *x, const struct lkp_place *place)
{
	static const struct lkp_job none = {0};
	struct record *r = record_begin(x->in, NULL);

	lkp_job_apply(r, x->m->job ? x->m->job : &none, place);
	return r;
}

/* Runs that are known by their place, each for itself. */
static int take_placed(struct matrix *x, size_t column, const struct lkp_place *place)
{
	struct record *r;

	if (x->m->wanted && !x->m->wanted(x->m->arg, place->run))
		return E_OK;
	read_column(x, column);
	r = begin(x, place);
	record_submission(r)->key = lkp_key(record_arena(r), place, place->run);
	record_submission(r)->key_given = true;
	if (is_incomplete(x))
		record_submission(r)->status = RUN_INCOMPLETE;
	record_run(r);
	take_column(x, r);
	return record_end(r);
}

/* The others with one status, together. */
static int take_together(struct matrix *x, const bool *placed, bool want_incomplete)
{
	struct record *r = NULL;

	begin_columns(x);
	for (size_t i = 0; i < x->columns; i++) {
		if (placed[i])
			continue;
		read_column(x, i);
		if (is_incomplete(x) != want_incomplete)
			continue;
		if (!r) {
			r = begin(x, x->m->commit);
			record_submission(r)->status = want_incomplete ? RUN_INCOMPLETE : RUN_OK;
			record_settled(r);
		}
		record_run(r);
		take_column(x, r);
	}
	return r ? record_end(r) : E_OK;
}

static int take_columns(struct matrix *x)
{
	bool *placed = arena_array(x->in->ctx->arena, bool, x->columns);
	struct lkp_place place;
	int e = E_OK;

	begin_columns(x);
	for (size_t i = 0; e >= 0 && i < x->columns; i++) {
		arena_reset(x->own);
		placed[i] = place_of(x, i, &place);
		if (placed[i])
			e = take_placed(x, i, &place);
	}
	for (int i = 0; e >= 0 && i < 2; i++)
		e = take_together(x, placed, i == 1);
	return e;
}

int lkp_matrix_take(struct import *in, const struct lkp_matrix *m)
{
	auto_arena struct arena *own = arena_new();
	struct matrix x = {.in = in, .m = m, .own = own};

	if (measure(&x) < 0)
		return in->ctx->err;
	number_monitors(&x);
	x.next = arena_array(in->ctx->arena, const char *, m->n);
	x.now = arena_array(in->ctx->arena, double, m->n);
	return take_columns(&x);
}

int import_lkp_matrix(struct import *in, const char *bytes, size_t n)
{
	struct arena *a = in->ctx->arena;
	struct lkp_place commit, run;
	struct lkp_matrix m = {.commit = NULL};
	struct lkp_row *rows;
	const char *slash = in->source ? strrchr(in->source, '/') : NULL, *folder = "";
	bool named = false;
	int e = lkp_json_read(in->ctx, bytes, n, &rows, &m.n);

	if (e < 0)
		return e;
	m.rows = rows;
	m.end = bytes + n;
	if (slash)
		folder = arena_strn(a, in->source, (size_t)(slash - in->source));
	for (size_t i = 0; i < m.n; i++)
		named |= rows[i].kind == LKP_TEXTS;
	if (!named && lkp_place_of_run(a, folder, &run))
		return fault(in->ctx, "",
			     "lies in the folder of a run: its values are samples "
			     "over time and no runs");
	if (lkp_place_of_commit(a, folder, &commit))
		m.commit = &commit;
	return lkp_matrix_take(in, &m);
}
