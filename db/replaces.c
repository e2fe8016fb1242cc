/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A submission that replaces an earlier one of its series. The earlier one stays and is shown as
 * replaced; its runs and summaries count no more. One that was replaced already cannot be replaced
 * again: whoever sends such an upload does not know of the one in between, and is told its key.
 */
#include "db/runs.h"

#include "db/metrics.h"
#include "db/series.h"
#include "db/submission_write.h"
#include "server/base/arena.h"

/* --- checking: reads only --- */

SQL(replaced_find, "SELECT s.submission_id, r.key FROM submission s"
		   " LEFT JOIN submission r ON r.submission_id = s.replaced_by"
		   " WHERE s.series_id = $1 AND s.key = $2")

static void refuse_twice(struct ctx *c, const char *key, const char *by)
{
	fail(c, E_CONFLICT, "\"%.100s\" was replaced by \"%.100s\"", key, by);
	fault(c, "replaces", "\"%.200s\" was replaced by \"%.200s\" already", key, by);
}

/* Holds it against what is stored. A copy of a store brings both. */
static int check_stored(struct ctx *c, const struct submission *s, int64_t series_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &replaced_find);

	bind_int(st, 1, series_id);
	bind_text(st, 2, s->replaces);
	if (series_id && stmt_step(st) == STMT_ROW) {
		if (!col_null(st, 1))
			refuse_twice(c, s->replaces, col_text_peek(st, 1));
		return E_OK;
	}
	if (series_id && stmt_status(st) < 0)
		return stmt_status(st);
	return fault(c, "replaces", "no upload of this series has the key \"%.200s\"", s->replaces);
}

/* Keys of the job's submissions, or what they replace, sorted. */
struct named {
	const char *series, *key;
	size_t item;
};

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int d = strcmp(x->series, y->series);

	if (!d)
		d = strcmp(x->key, y->key);
	return d ? d : (x->item > y->item) - (x->item < y->item);
}

/* The first of the list with this name that comes before the item; NULL: none. */
static const struct named *find_before(const struct named *list, size_t n, const struct named *want)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int d = strcmp(list[mid].series, want->series);

		if (!d)
			d = strcmp(list[mid].key, want->key);
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && !strcmp(list[lo].series, want->series) &&
			       !strcmp(list[lo].key, want->key) && list[lo].item < want->item
		       ? &list[lo]
		       : NULL;
}

struct replacing {
	const struct submission *subs;
	const struct accepted *out;
	struct named *keys, *replaced;
	size_t nkeys, nreplaced;
};

static void list_names(struct ctx *c, struct replacing *k, size_t n)
{
	k->keys = arena_array(c->arena, struct named, n);
	k->replaced = arena_array(c->arena, struct named, n);
	for (size_t i = 0; i < n; i++) {
		const char *series = k->out[i].series_digest;

		if (k->out[i].duplicate)
			continue;
		k->keys[k->nkeys++] = (struct named){series, k->subs[i].key, i};
		if (k->subs[i].replaces)
			k->replaced[k->nreplaced++] =
				(struct named){series, k->subs[i].replaces, i};
	}
	if (k->nkeys)
		qsort(k->keys, k->nkeys, sizeof(*k->keys), by_key);
	if (k->nreplaced)
		qsort(k->replaced, k->nreplaced, sizeof(*k->replaced), by_key);
}

int replaces_check(struct ctx *c, const struct submission *subs, size_t n,
		   const struct accepted *out, bool numbered)
{
	struct replacing k = {.subs = subs, .out = out};
	bool any = false;
	int e = E_OK;

	for (size_t i = 0; i < n; i++)
		any |= subs[i].replaces != NULL;
	if (!any)
		return E_OK;
	list_names(c, &k, n);
	for (size_t i = 0; i < n; i++) {
		const struct named want = {out[i].series_digest, subs[i].replaces, i};

		if (!subs[i].replaces || out[i].duplicate)
			continue;
		c->item = numbered ? (long)i : -1;
		const struct named *before = find_before(k.replaced, k.nreplaced, &want);
		if (before)
			refuse_twice(c, want.key, subs[before->item].key);
		else if (!find_before(k.keys, k.nkeys, &want))
			e = check_stored(c, &subs[i], out[i].series_id);
		if (e < 0 && e != E_INVALID)
			return e;
	}
	return E_OK;
}

/* --- storing --- */

SQL(replaced_runs, "SELECT series_id, commit_id, status, count(*) FROM run"
		   " WHERE submission_id = $1 GROUP BY series_id, commit_id, status"
		   " ORDER BY series_id, commit_id, status LIMIT 1000")
SQL(replaced_summaries, "SELECT series_id, commit_id, status, count(*) FROM summary"
			" WHERE submission_id = $1 GROUP BY series_id, commit_id, status"
			" ORDER BY series_id, commit_id, status LIMIT 1000")

/* Takes what counted out of the map; where it counted is judged anew. */
static int uncount(struct storing *w, const struct sql *sql, int64_t submission_id)
{
	auto_stmt struct stmt *st = db_stmt(w->c, sql);

	bind_int(st, 1, submission_id);
	while (stmt_step(st) == STMT_ROW) {
		int64_t status = col_int(st, 2), n = col_int(st, 3);
		bool summary = sql == &replaced_summaries;
		const struct measured gone = {
			.series_id = col_int(st, 0),
			.commit_id = col_int(st, 1),
			.runs = !summary && status == RUN_OK ? n : 0,
			.failed = !summary && (status == RUN_INCOMPLETE || status == RUN_FAILED)
					  ? n
					  : 0,
			.summaries = summary && status == RUN_OK ? n : 0,
		};
		int e = measured_take(w->c, &gone);

		if (e >= 0)
			e = analysis_enqueue(w->c, gone.series_id, gone.commit_id, w->now);
		if (e < 0)
			return e;
	}
	return stmt_status(st);
}

/* What was deleted stays so. */
SQL(replaced_run_status, "UPDATE run SET status = 4"
			 " WHERE submission_id = $1 AND status <> 5")
SQL(replaced_summary_status, "UPDATE summary SET status = 4"
			     " WHERE submission_id = $1 AND status <> 5")
SQL(replaced_set, "UPDATE submission SET replaced_by = $2 WHERE submission_id = $1")

int replaces_store(struct storing *w, const struct submission *s)
{
	const struct sql *const marks[] = {&replaced_run_status, &replaced_summary_status};
	int64_t old = 0;
	int e;

	if (!s->replaces)
		return E_OK;
	{
		auto_stmt struct stmt *st = db_stmt(w->c, &replaced_find);

		bind_int(st, 1, w->series_id);
		bind_text(st, 2, s->replaces);
		if (stmt_step(st) != STMT_ROW)
			return stmt_status(st) < 0
				       ? stmt_status(st)
				       : fail(w->c, E_INTERNAL, "what is replaced is gone");
		old = col_int(st, 0);
	}
	if ((e = uncount(w, &replaced_runs, old)) < 0 ||
	    (e = uncount(w, &replaced_summaries, old)) < 0)
		return e;
	for (size_t i = 0; i < 2; i++) {
		auto_stmt struct stmt *st = db_stmt(w->c, marks[i]);

		bind_int(st, 1, old);
		if ((e = stmt_run(st)) < 0)
			return e;
	}
	auto_stmt struct stmt *st = db_stmt(w->c, &replaced_set);
	bind_int(st, 1, old);
	bind_int(st, 2, w->submission_id);
	return stmt_run(st);
}

/* --- for pages --- */

#define BY_RUNS_MAX 1000

SQL(replaced_by_row, "SELECT n.key, n.submission_id FROM submission s"
		     " JOIN submission n ON n.submission_id = s.replaced_by"
		     " WHERE s.submission_id = $1")
SQL(replaced_by_runs, "SELECT run_id FROM run WHERE submission_id = $1 ORDER BY run_id LIMIT $2")
static int read_by_runs(struct ctx *c, int64_t submission_id, struct run_replaced *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &replaced_by_runs);
	size_t cap = 0;

	bind_int(st, 1, submission_id);
	bind_int(st, 2, BY_RUNS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		out->runs =
			arena_grow(c->arena, out->runs, &cap, out->nruns + 1, sizeof(*out->runs));
		out->runs[out->nruns++] = col_int(st, 0);
	}
	return stmt_status(st);
}

int run_replaced(struct ctx *c, int64_t submission_id, struct run_replaced *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &replaced_by_row);

	*out = (struct run_replaced){0};
	bind_int(st, 1, submission_id);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	out->by = col_text(st, 0);
	return read_by_runs(c, col_int(st, 1), out);
}
