/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storing a correction and undoing it. Each run is changed by itself, with a row that says what it
 * was and what it became; then the counts of every cell that lost or got something are made anew
 * from its runs, which is exact both ways, and the cells are queued for judging. Inside the
 * writer's transaction; a run that was replaced by a later upload meanwhile stays replaced.
 */
#include "db/corrections.h"

#include "db/commits.h"
#include "db/correction_moves.h"
#include "db/recount.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

/* What a run or summary becomes. */
struct fate {
	int64_t series_id, commit_id;
	enum run_status status;
};

static struct fate fate_of(const struct correction_in *in, const struct correction_plan *plan,
			   const struct correction_target *t)
{
	struct fate f = {t->series_id, t->commit_id, t->status};

	switch (in->kind) {
	case CORRECT_STATUS:
		f.status = in->status;
		break;
	case CORRECT_DELETE:
		f.status = RUN_DELETED;
		break;
	case CORRECT_COMMIT:
		f.commit_id = plan->new_commit;
		break;
	case CORRECT_AXIS:
		for (size_t i = 0; i < plan->nmoves; i++)
			if (plan->moves[i].from == t->series_id)
				f.series_id = plan->moves[i].to;
		break;
	}
	return f;
}

SQL(correction_insert,
    "INSERT INTO correction (at, token_id, who, selection, change, reason, runs, summaries)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING correction_id")

static int insert_correction(struct ctx *c, const struct correction_in *in,
			     const struct correction_plan *plan, int64_t token_id, const char *who,
			     int64_t now, int64_t *id)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_insert);

	bind_int(st, 1, now);
	if (token_id > 0)
		bind_int(st, 2, token_id);
	else
		bind_null(st, 2);
	bind_text(st, 3, who);
	bind_text(st, 4, in->selection);
	bind_text(st, 5, in->change);
	bind_text(st, 6, in->reason);
	bind_int(st, 7, (int64_t)plan->nruns);
	bind_int(st, 8, (int64_t)plan->nsummaries);
	if (stmt_step(st) == STMT_ROW)
		*id = col_int(st, 0);
	return stmt_status(st);
}

SQL(correction_run_insert,
    "INSERT INTO correction_run (correction_id, series_id, run_id, old_status, old_commit_id,"
    " new_series_id, new_status, new_commit_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
SQL(correction_summary_insert,
    "INSERT INTO correction_summary (correction_id, series_id, summary_id, old_status,"
    " old_commit_id, new_series_id, new_status, new_commit_id)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")

static int insert_target(struct ctx *c, int64_t id, const struct correction_target *t,
			 const struct fate *f)
{
	auto_stmt struct stmt *st =
		db_stmt(c, t->is_summary ? &correction_summary_insert : &correction_run_insert);

	bind_int(st, 1, id);
	bind_int(st, 2, t->series_id);
	bind_int(st, 3, t->id);
	bind_int(st, 4, t->status);
	bind_int(st, 5, t->commit_id);
	bind_int(st, 6, f->series_id);
	bind_int(st, 7, f->status);
	bind_int(st, 8, f->commit_id);
	return stmt_run(st);
}

SQL(correction_run_set, "UPDATE run SET series_id = $3, commit_id = $4, status = $5"
			" WHERE series_id = $1 AND run_id = $2")
SQL(correction_summary_set, "UPDATE summary SET series_id = $3, commit_id = $4, status = $5"
			    " WHERE series_id = $1 AND summary_id = $2")

/* Moves the row from the series it is in. */
static int set_target(struct ctx *c, const struct correction_target *t, const struct fate *f)
{
	int e = E_OK;

	if (f->series_id != t->series_id)
		e = t->is_summary ? correction_note_summary(c, t->series_id, f->series_id, t->id)
				  : E_OK;
	if (e >= 0 && f->series_id != t->series_id && !t->is_summary)
		e = correction_note_run(c, t->series_id, f->series_id, t->id);
	if (e < 0)
		return e;
	auto_stmt struct stmt *st =
		db_stmt(c, t->is_summary ? &correction_summary_set : &correction_run_set);
	bind_int(st, 1, t->series_id);
	bind_int(st, 2, t->id);
	bind_int(st, 3, f->series_id);
	bind_int(st, 4, f->commit_id);
	bind_int(st, 5, f->status);
	return stmt_run(st);
}

/* Changes one, and notes both places for the recount. */
static int change_target(struct ctx *c, struct recount *places, const struct correction_target *t,
			 const struct fate *f)
{
	int e = set_target(c, t, f);

	recount_add(c, places, t->series_id, t->commit_id);
	recount_add(c, places, f->series_id, f->commit_id);
	return e;
}

int correction_store(struct ctx *c, const struct correction_in *in, struct correction_plan *plan,
		     int64_t token_id, const char *who, int64_t now, int64_t *id)
{
	struct recount places = {.n = 0};
	int64_t build_id;
	int e = E_OK;

	if (in->kind == CORRECT_COMMIT && !plan->new_commit) {
		struct commit_in made = {.id = in->commit, .is_hex = true};

		made.date = made.author.date = made.committer.date = TIME_NONE;
		e = commit_ensure(c, &made, now, &plan->new_commit, &build_id);
	}
	if (e >= 0)
		e = correction_moves_store(c, plan, now);
	if (e >= 0)
		e = insert_correction(c, in, plan, token_id, who, now, id);
	for (size_t i = 0; e >= 0 && i < plan->n; i++) {
		struct fate f = fate_of(in, plan, &plan->targets[i]);

		e = insert_target(c, *id, &plan->targets[i], &f);
		if (e >= 0)
			e = change_target(c, &places, &plan->targets[i], &f);
	}
	if (e >= 0)
		e = recount_all(c, &places, now);
	if (e < 0)
		return e;
	return audit_add(c, now, token_id, who, "correction",
			 arena_fmt(c->arena, "correction %lld", (long long)*id),
			 arena_fmt(c->arena, "%.2000s: runs %zu, summaries %zu: %s", in->change,
				   plan->nruns, plan->nsummaries, in->reason));
}

/* --- undo --- */

SQL(correction_later_runs,
    "SELECT coalesce(max(k.correction_id), 0) FROM correction_run x"
    " JOIN correction_run y ON y.run_id = x.run_id AND y.correction_id > x.correction_id"
    " JOIN correction k ON k.correction_id = y.correction_id"
    " WHERE x.correction_id = $1 AND k.undone_at IS NULL")
SQL(correction_later_summaries, "SELECT coalesce(max(k.correction_id), 0) FROM correction_summary x"
				" JOIN correction_summary y ON y.summary_id = x.summary_id"
				" AND y.correction_id > x.correction_id"
				" JOIN correction k ON k.correction_id = y.correction_id"
				" WHERE x.correction_id = $1 AND k.undone_at IS NULL")

static int find_later(struct ctx *c, const struct sql *sql, int64_t id, int64_t *later)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);

	bind_int(st, 1, id);
	if (stmt_step(st) == STMT_ROW && col_int(st, 0) > *later)
		*later = col_int(st, 0);
	return stmt_status(st);
}

int correction_undo_check(struct ctx *c, int64_t id)
{
	char at[TIME_TEXT];
	struct correction k;
	int64_t later = 0;
	int e = correction_get(c, id, &k);

	if (e < 0)
		return e;
	if (k.undone_at != TIME_NONE) {
		clock_rfc3339(k.undone_at, at);
		return fail(c, E_CONFLICT, "correction %lld was undone at %s by %.100s",
			    (long long)id, at, k.undone_by);
	}
	e = find_later(c, &correction_later_runs, id, &later);
	if (e >= 0)
		e = find_later(c, &correction_later_summaries, id, &later);
	if (e >= 0 && later)
		e = fail(c, E_CONFLICT,
			 "correction %lld changed some of the same runs later: undo that first",
			 (long long)later);
	return e;
}

/* The rows with what they are now: a later upload may have replaced a run meanwhile. */
SQL(correction_undo_runs,
    "SELECT x.run_id, x.series_id, x.old_commit_id, x.old_status, r.series_id, r.commit_id,"
    " r.status, u.replaced_by FROM correction_run x"
    " JOIN run r ON r.run_id = x.run_id"
    " JOIN submission u ON u.submission_id = r.submission_id WHERE x.correction_id = $1 ORDER BY "
    "x.run_id LIMIT $2")
SQL(correction_undo_summaries,
    "SELECT x.summary_id, x.series_id, x.old_commit_id, x.old_status, y.series_id, y.commit_id,"
    " y.status, u.replaced_by FROM correction_summary x"
    " JOIN summary y ON y.summary_id = x.summary_id"
    " JOIN submission u ON u.submission_id = y.submission_id WHERE x.correction_id = $1 ORDER BY "
    "x.summary_id LIMIT $2")

struct undoing {
	struct correction_target now;
	struct fate before;
};

static int read_undo(struct ctx *c, int64_t id, bool summaries, struct undoing **out, size_t *n)
{
	auto_stmt struct stmt *st =
		db_stmt(c, summaries ? &correction_undo_summaries : &correction_undo_runs);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, id);
	bind_int(st, 2, CORRECTION_MOST);
	while (stmt_step(st) == STMT_ROW) {
		enum run_status is = (enum run_status)col_int(st, 6);

		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct undoing){
			.now = {col_int(st, 0), col_int(st, 4), col_int(st, 5), is, summaries},
			.before = {col_int(st, 1), col_int(st, 2),
				   col_null(st, 7) ? (enum run_status)col_int(st, 3)
						   : RUN_REPLACED},
		};
	}
	return stmt_status(st);
}

SQL(correction_undone,
    "UPDATE correction SET undone_at = $2, undone_by = $3 WHERE correction_id = $1")

static int mark_undone(struct ctx *c, int64_t id, const char *who, int64_t now)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_undone);

	bind_int(st, 1, id);
	bind_int(st, 2, now);
	bind_text(st, 3, who);
	return stmt_run(st);
}

int correction_undo(struct ctx *c, int64_t id, int64_t token_id, const char *who, int64_t now)
{
	struct recount places = {.n = 0};
	int e = E_OK;

	for (int summaries = 0; summaries < 2 && e >= 0; summaries++) {
		struct undoing *list;
		size_t n;

		e = read_undo(c, id, summaries, &list, &n);
		for (size_t i = 0; e >= 0 && i < n; i++)
			e = change_target(c, &places, &list[i].now, &list[i].before);
	}
	if (e >= 0)
		e = correction_forget(c, id);
	if (e >= 0)
		e = recount_all(c, &places, now);
	if (e >= 0)
		e = mark_undone(c, id, who, now);
	if (e >= 0)
		e = recount_drop_empty(c, &places);
	return e < 0 ? e
		     : audit_add(c, now, token_id, who, "correction-undo",
				 arena_fmt(c->arena, "correction %lld", (long long)id), NULL);
}
