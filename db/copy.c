/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading submissions for a copy: the row, its runs or summary, report and headline. What belongs
 * to the commit is in copy_commit.c.
 */
#include "db/copy.h"

#include <math.h>

#include "db/copy_commit.h"
#include "db/distributions.h"
#include "db/info.h"
#include "db/metrics.h"
#include "db/samples.h"
#include "db/series.h"
#include "db/series_units.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define RUNS_MAX 100000

/* A key that a later submission replaces. */
struct copy_replaced {
	int64_t by;
	const char *key;
};

/* --- what is replaced later --- */

static void note_replaced(struct copy *k, int64_t by, const char *key)
{
	size_t i = k->nreplaced++;

	k->replaced =
		arena_grow(k->arena, k->replaced, &k->cap, k->nreplaced, sizeof(*k->replaced));
	for (; i && k->replaced[(i - 1) / 2].by > by; i = (i - 1) / 2)
		k->replaced[i] = k->replaced[(i - 1) / 2];
	k->replaced[i] = (struct copy_replaced){by, arena_str(k->arena, key)};
}

/* The key that the submission replaces, or NULL. */
static const char *take_replaced(struct copy *k, int64_t by)
{
	const char *key = NULL;

	while (k->nreplaced && k->replaced[0].by <= by) {
		struct copy_replaced last = k->replaced[--k->nreplaced];
		size_t i = 0, child;

		if (k->replaced[0].by == by)
			key = k->replaced[0].key;
		while ((child = 2 * i + 1) < k->nreplaced) {
			child += child + 1 < k->nreplaced &&
				 k->replaced[child + 1].by < k->replaced[child].by;
			if (last.by <= k->replaced[child].by)
				break;
			k->replaced[i] = k->replaced[child];
			i = child;
		}
		if (k->nreplaced)
			k->replaced[i] = last;
	}
	return key;
}

/* --- runs --- */

struct order {
	const char *name;
	size_t at;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct order *)a)->name, ((const struct order *)b)->name);
}

/* A layout's names, sorted, with the place of each in the layout. */
struct sorted {
	int64_t layout_id;
	struct metric_names names;
	struct order *order;
};

static int sort_layout(struct ctx *c, int64_t layout_id, struct sorted *out)
{
	const struct layout *l = layout_by_id(c, layout_id);
	const char **names;

	if (!l)
		return (int)c->err;
	names = arena_array(c->arena, const char *, l->n);
	out->order = arena_array(c->arena, struct order, l->n);
	for (size_t i = 0; i < l->n; i++)
		out->order[i] = (struct order){layout_metrics(l)[i]->name, i};
	if (l->n)
		qsort(out->order, l->n, sizeof(*out->order), by_name);
	for (size_t i = 0; i < l->n; i++)
		names[i] = out->order[i].name;
	out->layout_id = layout_id;
	out->names = (struct metric_names){.names = names, .n = l->n};
	return E_OK;
}

static int read_values(struct ctx *c, struct stmt *st, int col, const struct sorted *sorted,
		       const struct metric_names *names, struct run_in *run)
{
	double *values = arena_array(c->arena, double, names->n);
	size_t nbytes;
	const void *bytes = col_blob(st, col, &nbytes);
	const double *packed = samples_unpack(c->arena, bytes, nbytes, names->n);

	if (!packed)
		return fail(c, E_INTERNAL, "the samples of a run are damaged");
	for (size_t i = 0; i < names->n; i++)
		values[i] = packed[sorted->order[i].at];
	*run = (struct run_in){names, values};
	return E_OK;
}

/* Grows while runs are read. */
struct reading {
	struct run_in *runs;
	enum run_status *statuses;
	size_t n, runs_cap, statuses_cap;
	int64_t first_id, info_id, build_id;
};

SQL(copy_runs, "SELECT run_id, layout_id, status, boot, info_id, build_id, series_id, commit_id,"
	       " samples FROM run WHERE submission_id = $1 ORDER BY run_id LIMIT $2")

static int read_runs(struct ctx *c, struct copy *k, const struct copy_place *at,
		     struct submission *s, struct reading *r)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_runs);
	const struct metric_names *names = NULL;
	struct sorted sorted = {.layout_id = -1};

	bind_int(st, 1, k->at);
	bind_int(st, 2, RUNS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		if (sorted.layout_id != col_int(st, 1)) {
			if (sort_layout(c, col_int(st, 1), &sorted) < 0)
				return (int)c->err;
			names = arena_copy(c->arena, &sorted.names, sizeof(sorted.names));
		}
		if (!r->n) {
			r->first_id = col_int(st, 0);
			s->boot = col_text(st, 3);
			r->info_id = col_null(st, 4) ? -1 : col_int(st, 4);
			r->build_id = col_null(st, 5) ? -1 : col_int(st, 5);
		}
		k->moved += col_int(st, 6) != at->series_id || col_int(st, 7) != at->commit_id;
		r->runs = arena_grow(c->arena, r->runs, &r->runs_cap, r->n + 1, sizeof(*r->runs));
		r->statuses = arena_grow(c->arena, r->statuses, &r->statuses_cap, r->n + 1,
					 sizeof(*r->statuses));
		r->statuses[r->n] = (enum run_status)col_int(st, 2);
		if (read_values(c, st, 8, &sorted, names, &r->runs[r->n]) < 0)
			return (int)c->err;
		r->n++;
	}
	s->runs = r->runs;
	s->nruns = r->n;
	return stmt_status(st);
}

static int cell_by_name(const void *a, const void *b)
{
	return strcmp(((const struct summary_in *)a)->metric,
		      ((const struct summary_in *)b)->metric);
}

static int fill_cells(struct ctx *c, const struct stored_cell *stored, size_t n,
		      struct submission *s)
{
	struct summary_in *cells = arena_array(c->arena, struct summary_in, n);

	for (size_t i = 0; i < n; i++) {
		const struct stored_cell *k = &stored[i];
		const struct metric *m = metric_by_id(c, k->metric_id);

		if (!m)
			return fail(c, E_INTERNAL, "a summary has a metric that is not there");
		cells[i] = (struct summary_in){
			.metric = m->name,
			.mean = k->mean,
			.stddev = k->stddev,
			.stddev_pct = k->stddev_pct,
			.min = k->min,
			.max = k->max,
			.n = k->n,
			.fails = k->fails,
			.runs = k->runs,
			.printed = k->printed,
			.printed_base = k->printed_base,
			.printed_change = k->printed_change,
		};
	}
	if (n)
		qsort(cells, n, sizeof(*cells), cell_by_name);
	s->cells = cells;
	s->ncells = n;
	return E_OK;
}

SQL(copy_summary, "SELECT status, info_id, cells, series_id, commit_id FROM summary"
		  " WHERE submission_id = $1 ORDER BY summary_id LIMIT 1")

static int read_summary(struct ctx *c, struct copy *k, const struct copy_place *at,
			struct submission *s, struct reading *r)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_summary);
	struct stored_cell *cells;
	size_t nbytes, n;

	bind_int(st, 1, k->at);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	r->statuses = arena_array(c->arena, enum run_status, 1);
	r->statuses[0] = (enum run_status)col_int(st, 0);
	r->n = 1;
	r->info_id = col_null(st, 1) ? -1 : col_int(st, 1);
	k->moved += col_int(st, 3) != at->series_id || col_int(st, 4) != at->commit_id;
	const void *bytes = col_blob(st, 2, &nbytes);
	int e = summary_unpack(c, bytes, nbytes, &cells, &n);
	return e < 0 ? e : fill_cells(c, cells, n, s);
}

/* What was sent where all runs still have it; else the list, beside a status that any run may
 * have. */
static void fill_status(struct submission *s, struct stored_in *in, const struct reading *r)
{
	bool same = true, empty = false;

	for (size_t i = 0; i < r->n; i++)
		same &= r->statuses[i] == r->statuses[0];
	for (size_t i = 0; i < s->nruns; i++)
		empty |= !s->runs[i].names->n;
	if (!r->n || (same && r->statuses[0] <= RUN_FAILED)) {
		s->status = r->n ? r->statuses[0] : RUN_OK;
		return;
	}
	s->status = empty ? RUN_FAILED : RUN_OK;
	in->statuses = r->statuses;
}

static int read_results(struct ctx *c, struct copy *k, const struct copy_place *at,
			struct submission *s, struct stored_in *in)
{
	struct reading r = {.info_id = -1, .build_id = -1};
	struct distribution_in *list;
	int e = E_OK;

	if (s->kind == SUBMISSION_RUNS)
		e = read_runs(c, k, at, s, &r);
	else if (s->kind == SUBMISSION_SUMMARY)
		e = read_summary(c, k, at, s, &r);
	if (e >= 0 && r.info_id > 0)
		e = info_get(c, r.info_id, &s->info, &s->ninfo);
	if (e >= 0 && r.build_id > 0)
		e = copy_build(c, r.build_id, &s->commit.build);
	if (e < 0)
		return e;
	fill_status(s, in, &r);
	if (r.n != 1 || s->kind != SUBMISSION_RUNS)
		return E_OK;
	e = distributions_of_run(c, r.first_id, &list, &s->ndistributions);
	for (size_t i = 0; e >= 0 && i < s->ndistributions; i++)
		list[i].unit = NULL; /* among the series' units */
	s->distributions = list;
	return e;
}

/* --- beside them --- */

SQL(copy_report, "SELECT message_id, subject, url, date FROM report WHERE report_id = $1")
SQL(copy_headline,
    "SELECT metric, base, change_pct, verdict FROM headline WHERE submission_id = $1")

static int read_published(struct ctx *c, int64_t submission_id, int64_t report_id,
			  struct submission *s)
{
	auto_stmt struct stmt *report = db_stmt(c, &copy_report);
	auto_stmt struct stmt *headline = db_stmt(c, &copy_headline);

	bind_int(report, 1, report_id);
	if (stmt_step(report) == STMT_ROW)
		s->report = (struct report_in){
			.given = true,
			.message_id = col_text(report, 0),
			.subject = col_text(report, 1),
			.url = col_text(report, 2),
			.date = col_time(report, 3),
		};
	if (stmt_status(report) < 0)
		return stmt_status(report);
	bind_int(headline, 1, submission_id);
	if (stmt_step(headline) == STMT_ROW)
		s->headline = (struct headline_in){
			.given = true,
			.metric = col_text(headline, 0),
			.base = col_text(headline, 1),
			.change_pct = col_real(headline, 2),
			.verdict = col_text(headline, 3),
		};
	return stmt_status(headline);
}

static int unit_by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

static int read_series(struct ctx *c, struct copy *k, int64_t series_id, struct submission *s)
{
	struct series series;
	struct series_unit *units;
	struct pair *list;
	size_t n;
	int e = series_get_id(c, series_id, &series);

	if (e < 0)
		return e;
	s->axes = series.axes;
	s->naxes = series.naxes;
	s->testcase = series.testcase;
	s->tbox_group = series.tbox_group;
	if (!idset_add(k->arena, &k->series, series_id))
		return E_OK;
	if ((e = series_units(c, series_id, &units, &n)) < 0)
		return e;
	list = arena_array(c->arena, struct pair, n);
	for (size_t i = 0; i < n; i++) {
		const struct metric *m = metric_by_id(c, units[i].metric_id);

		if (!m)
			return fail(c, E_INTERNAL, "a unit has a metric that is not there");
		list[i] = (struct pair){m->name, units[i].unit};
	}
	if (n)
		qsort(list, n, sizeof(*list), unit_by_name);
	s->units = list;
	s->nunits = n;
	return E_OK;
}

SQL(copy_submission,
    "SELECT s.submission_id, s.series_id, s.commit_id, s.report_id, s.key, s.content, s.kind,"
    " s.commit_as, s.started, s.received, t.name, s.replaced_by FROM submission s"
    " LEFT JOIN token t ON t.token_id = s.token_id WHERE s.submission_id > $1"
    " AND (s.series_id = $2 OR $2 = 0) ORDER BY s.submission_id LIMIT 1")

/* The row. */
static int read_row(struct ctx *c, struct copy *k, struct copy_place *at, struct submission *s,
		    struct stored_in *in)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_submission);
	size_t n;

	bind_int(st, 1, k->at);
	bind_int(st, 2, k->series_id);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	k->at = col_int(st, 0);
	*at = (struct copy_place){col_int(st, 1), col_int(st, 2),
				  col_null(st, 3) ? -1 : col_int(st, 3)};
	s->key = col_text(st, 4);
	s->key_given = true;
	const void *content = col_blob_peek(st, 5, &n);
	if (n != DIGEST_LEN)
		return fail(c, E_INTERNAL, "the digest of a submission is damaged");
	memcpy(in->content.b, content, n);
	s->content = in->content;
	s->kind = (enum submission_kind)col_int(st, 6);
	s->commit.id = col_text(st, 7);
	s->started = col_time(st, 8);
	in->received = col_int(st, 9);
	in->by = col_text(st, 10);
	if (!col_null(st, 11))
		note_replaced(k, col_int(st, 11), s->key);
	s->replaces = take_replaced(k, k->at);
	return 1;
}

int copy_next(struct ctx *c, struct copy *k, struct submission *out)
{
	struct stored_in *in = arena_array(c->arena, struct stored_in, 1);
	struct copy_place at = {.report_id = -1};

	*out = (struct submission){
		.started = TIME_NONE,
		.commit = {.author.date = TIME_NONE,
			   .committer.date = TIME_NONE,
			   .date = TIME_NONE,
			   .patch = {.version = -1, .index = -1, .total = -1}},
		.report.date = TIME_NONE,
		.headline.change_pct = (double)NAN,
		.stored = in,
	};
	int e = read_row(c, k, &at, out, in);
	if (e != 1)
		return e;
	if ((e = read_series(c, k, at.series_id, out)) < 0 ||
	    (e = copy_commit(c, at.commit_id, idset_add(k->arena, &k->commits, at.commit_id), out,
			     in)) < 0 ||
	    (e = read_results(c, k, &at, out, in)) < 0 ||
	    (e = read_published(c, k->at, at.report_id, out)) < 0)
		return e;
	return 1;
}

SQL(copy_files,
    "SELECT r.position, x.name, x.digest, f.size, x.received, t.name FROM run r"
    " JOIN run_artifact x ON x.series_id = r.series_id AND x.run_id = r.run_id"
    " JOIN artifact f ON f.digest = x.digest LEFT JOIN token t ON t.token_id = x.token_id"
    " WHERE r.submission_id = $1 ORDER BY r.position, x.name LIMIT $2")

int copy_artifacts(struct ctx *c, const struct copy *k, struct copy_artifact **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_files);
	size_t cap = 0, nbytes;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, k->at);
	bind_int(st, 2, INT64_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		struct copy_artifact *x = &(*out)[(*n)++];
		*x = (struct copy_artifact){
			.position = col_int(st, 0),
			.file = {.name = col_text(st, 1),
				 .size = col_int(st, 3),
				 .received = col_int(st, 4),
				 .by = col_text(st, 5)},
		};
		const void *digest = col_blob_peek(st, 2, &nbytes);
		if (nbytes == sizeof(x->file.digest.b))
			memcpy(x->file.digest.b, digest, nbytes);
	}
	return stmt_status(st);
}
