/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single runs and lists of them. A list walks run ids by the index that fits its filter best,
 * newest first, and holds each row against the whole filter. Cells are in cells.c, histories in
 * histories.c.
 */
#include "db/runs.h"

#include "db/info.h"
#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define RUNS_WALKED_MAX 1000000

SQL(run_row, "SELECT r.series_id, r.commit_id, r.submission_id, r.status, u.started, u.received,"
	     " u.key, r.boot, u.commit_as, t.name, r.position, r.build_id, r.info_id, r.layout_id,"
	     " s.tbox_group, s.testcase, r.samples FROM run r"
	     " JOIN submission u ON u.submission_id = r.submission_id"
	     " JOIN series s ON s.series_id = r.series_id"
	     " LEFT JOIN token t ON t.token_id = u.token_id WHERE r.run_id = $1")

/* The row that st stands on, without info and values. */
static void read_row(struct stmt *st, struct run *r)
{
	r->series_id = col_int(st, 0);
	r->commit_id = col_int(st, 1);
	r->submission_id = col_int(st, 2);
	r->status = (enum run_status)col_int(st, 3);
	r->started = col_time(st, 4);
	r->received = col_int(st, 5);
	r->key = col_text(st, 6);
	r->boot = col_text(st, 7);
	r->commit_as = col_text(st, 8);
	r->token = col_text(st, 9);
	r->position = col_int(st, 10);
	r->build_id = col_null(st, 11) ? -1 : col_int(st, 11);
}

static int read_values(struct ctx *c, struct stmt *st, struct run *r)
{
	const struct layout *l = layout_by_id(c, col_int(st, 13));
	size_t nbytes;

	if (!l)
		return (int)c->err;
	const void *bytes = col_blob(st, 16, &nbytes);
	r->values = samples_unpack(c->arena, bytes, nbytes, l->n);
	r->metrics = layout_metrics(l);
	r->n = l->n;
	return r->values ? E_OK
			 : fail(c, E_INTERNAL, "the samples of run %lld are damaged",
				(long long)r->id);
}

/* Whether the row that st stands on passes the filter; nothing is copied to find out. */
static bool matches(struct stmt *st, const struct run_filter *f)
{
	const char *token = f->token ? col_text_peek(st, 9) : NULL;

	return (f->series_id < 0 || f->series_id == col_int(st, 0)) &&
	       (f->commit_id < 0 || f->commit_id == col_int(st, 1)) &&
	       (f->received_from == TIME_NONE || col_int(st, 5) >= f->received_from) &&
	       (f->received_to == TIME_NONE || col_int(st, 5) <= f->received_to) &&
	       (!f->token || (token && !strcmp(token, f->token))) &&
	       (!f->machine || !strcmp(col_text_peek(st, 14), f->machine)) &&
	       (!f->testcase || !strcmp(col_text_peek(st, 15), f->testcase));
}

/* Reads a run; with a filter, without values and only when it passes. STMT_ROW: *out is filled. */
static int read_run(struct ctx *c, int64_t run_id, const struct run_filter *f, struct run *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &run_row);

	bind_int(st, 1, run_id);
	int e = stmt_step(st);
	if (e != STMT_ROW || (f && !matches(st, f)))
		return e < 0 ? e : STMT_DONE;
	*out = (struct run){.id = run_id};
	read_row(st, out);
	if (!col_null(st, 12))
		e = info_get(c, col_int(st, 12), &out->info, &out->ninfo);
	if (e >= 0 && !f)
		e = read_values(c, st, out);
	return e < 0 ? e : STMT_ROW;
}

int run_get(struct ctx *c, int64_t run_id, struct run *out)
{
	int r = read_run(c, run_id, NULL, out);

	if (r == STMT_DONE)
		return fail(c, E_NOTFOUND, "there is no run %lld", (long long)run_id);
	return r < 0 ? r : E_OK;
}

/* --- lists -------------------------------------------------------------------------------------
 */

/* Each walks the runs below $1 from the newest, by the index that fits; $3 and $4 are its own. */
SQL(run_ids_newest, "SELECT run_id FROM run WHERE run_id < $1 ORDER BY run_id DESC LIMIT $2")
SQL(run_ids_of_series, "SELECT run_id FROM run WHERE series_id = $3 AND run_id < $1"
		       " ORDER BY run_id DESC LIMIT $2")
SQL(run_ids_of_commit, "SELECT r.run_id FROM measured m JOIN run r ON r.series_id = m.series_id"
		       " AND r.commit_id = m.commit_id WHERE m.commit_id = $3 AND r.run_id < $1"
		       " ORDER BY r.run_id DESC LIMIT $2")
SQL(run_ids_of_machine,
    "SELECT r.run_id FROM series s JOIN run r ON r.series_id = s.series_id"
    " WHERE s.tbox_group = $3 AND r.run_id < $1 ORDER BY r.run_id DESC LIMIT $2")
SQL(run_ids_of_test, "SELECT r.run_id FROM series s JOIN run r ON r.series_id = s.series_id"
		     " WHERE s.testcase = $3 AND r.run_id < $1 ORDER BY r.run_id DESC LIMIT $2")
SQL(run_ids_received,
    "SELECT r.run_id FROM submission u JOIN run r ON r.submission_id = u.submission_id"
    " WHERE u.received >= $3 AND u.received <= $4 AND r.run_id < $1"
    " ORDER BY r.run_id DESC LIMIT $2")

static struct stmt *walk_by_text(struct ctx *c, const struct sql *sql, const char *value)
{
	struct stmt *st = db_stmt(c, sql);

	bind_text(st, 3, value);
	return st;
}

static struct stmt *walk_by_id(struct ctx *c, const struct sql *sql, int64_t value)
{
	struct stmt *st = db_stmt(c, sql);

	bind_int(st, 3, value);
	return st;
}

/* The walk that meets the fewest runs that do not pass. */
static struct stmt *choose_walk(struct ctx *c, const struct run_filter *f)
{
	struct stmt *st;

	if (f->commit_id >= 0)
		return walk_by_id(c, &run_ids_of_commit, f->commit_id);
	if (f->series_id >= 0)
		return walk_by_id(c, &run_ids_of_series, f->series_id);
	if (f->received_from != TIME_NONE || f->received_to != TIME_NONE) {
		/* TIME_NONE is below every time */
		st = walk_by_id(c, &run_ids_received, f->received_from);
		bind_int(st, 4, f->received_to == TIME_NONE ? INT64_MAX : f->received_to);
		return st;
	}
	if (f->machine)
		return walk_by_text(c, &run_ids_of_machine, f->machine);
	if (f->testcase)
		return walk_by_text(c, &run_ids_of_test, f->testcase);
	return db_stmt(c, &run_ids_newest);
}

int run_list(struct ctx *c, const struct run_filter *f, size_t limit, struct run **out, size_t *n)
{
	auto_stmt struct stmt *st = choose_walk(c, f);

	*n = 0;
	*out = arena_array(c->arena, struct run, limit);
	bind_int(st, 1, f->before);
	bind_int(st, 2, RUNS_WALKED_MAX);
	while (*n < limit && stmt_step(st) == STMT_ROW) {
		int r = read_run(c, col_int(st, 0), f, &(*out)[*n]);

		if (r < 0)
			return r;
		*n += r == STMT_ROW;
	}
	return stmt_status(st);
}
