/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storing submissions that were checked: series, commit, build, report, info, then the runs packed
 * or the summary, the counts of the cell, and one row of audit for the job. Everything happens
 * inside the writer's transaction and may be run again from the start after a rollback.
 */
#include "db/runs.h"

#include "db/commits.h"
#include "db/events.h"
#include "db/info.h"
#include "db/metrics.h"
#include "db/series.h"
#include "db/submission_write.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

SQL(report_find, "SELECT report_id FROM report WHERE digest = $1")
SQL(report_insert, "INSERT INTO report (digest, message_id, subject, url, date)"
		   " VALUES ($1, $2, $3, $4, $5) RETURNING report_id")

/* The same report told by every table of a mail, and by every reply that quotes it, is one row. */
static int report_ensure(struct ctx *c, const struct report_in *r, int64_t *report_id)
{
	struct digest_state d;
	char date[TIME_TEXT];

	*report_id = -1;
	if (!r->given)
		return E_OK;
	clock_rfc3339(r->date, date);
	digest_init(&d);
	digest_add_str(&d, r->message_id);
	digest_add_str(&d, r->subject);
	digest_add_str(&d, r->url);
	digest_add_str(&d, date);
	struct digest digest = digest_end(&d);

	auto_stmt struct stmt *find = db_stmt(c, &report_find);
	bind_blob(find, 1, digest.b, DIGEST_LEN);
	int e = stmt_step(find);
	if (e == STMT_ROW)
		*report_id = col_int(find, 0);
	if (e != STMT_DONE)
		return e < 0 ? e : E_OK;
	auto_stmt struct stmt *st = db_stmt(c, &report_insert);
	bind_blob(st, 1, digest.b, DIGEST_LEN);
	bind_text(st, 2, r->message_id);
	bind_text(st, 3, r->subject);
	bind_text(st, 4, r->url);
	bind_time(st, 5, r->date);
	if (stmt_step(st) == STMT_ROW)
		*report_id = col_int(st, 0);
	return stmt_status(st);
}

SQL(submission_insert,
    "INSERT INTO submission (series_id, key, content, kind, commit_id, commit_as, started,"
    " received, token_id, report_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    " RETURNING submission_id")

static int insert_submission(struct storing *w, const struct submission *s, int64_t token_id,
			     int64_t report_id)
{
	auto_stmt struct stmt *st = db_stmt(w->c, &submission_insert);

	bind_int(st, 1, w->series_id);
	bind_text(st, 2, s->key);
	bind_blob(st, 3, s->content.b, DIGEST_LEN);
	bind_int(st, 4, s->kind);
	bind_int(st, 5, w->commit_id);
	bind_text(st, 6, s->commit.id);
	bind_time(st, 7, s->started);
	bind_int(st, 8, w->now);
	bind_id(st, 9, token_id);
	bind_id(st, 10, report_id);
	if (stmt_step(st) == STMT_ROW)
		w->submission_id = col_int(st, 0);
	return stmt_status(st);
}

SQL(headline_insert, "INSERT INTO headline (submission_id, metric, base, change_pct, verdict)"
		     " VALUES ($1, $2, $3, $4, $5)")

static int insert_headline(struct storing *w, const struct headline_in *h)
{
	if (!h->given)
		return E_OK;
	auto_stmt struct stmt *st = db_stmt(w->c, &headline_insert);
	bind_int(st, 1, w->submission_id);
	bind_text(st, 2, h->metric);
	bind_text(st, 3, h->base);
	bind_real(st, 4, h->change_pct);
	bind_text(st, 5, h->verdict);
	return stmt_run(st);
}

/* What the check let pass cannot contradict; a unit is set or there already. */
static int set_units(struct storing *w, const struct submission *s)
{
	for (size_t i = 0; i < s->nunits; i++) {
		uint32_t metric_id;
		bool agrees;
		int e = metric_ensure(w->c, s->units[i].name, &metric_id);

		if (e >= 0)
			e = series_set_unit(w->c, w->series_id, metric_id, s->units[i].value,
					    &agrees);
		if (e < 0)
			return e;
	}
	return E_OK;
}

SQL(analysis_enqueue_row,
    "INSERT INTO analysis_queue (series_id, commit_id, queued) VALUES ($1, $2, $3)"
    " ON CONFLICT (series_id, commit_id) DO NOTHING")

int analysis_enqueue(struct ctx *c, int64_t series_id, int64_t commit_id, int64_t now)
{
	auto_stmt struct stmt *st = db_stmt(c, &analysis_enqueue_row);

	bind_int(st, 1, series_id);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, now);
	return stmt_run(st);
}

/* The map of what was measured, and the note for who judges it. A note alone measured nothing. */
static int count_cell(struct storing *w, const struct submission *s)
{
	struct measured added = {.series_id = w->series_id, .commit_id = w->commit_id};

	if (s->kind == SUBMISSION_NOTE)
		return E_OK;
	for (size_t i = 0; i < s->nruns; i++) {
		enum run_status status = status_of(s, i);

		added.runs += status == RUN_OK;
		added.failed += status == RUN_INCOMPLETE || status == RUN_FAILED;
	}
	added.summaries = s->kind == SUBMISSION_SUMMARY && status_of(s, 0) == RUN_OK;
	int e = measured_add(w->c, &added, w->now);
	return e < 0 ? e : analysis_enqueue(w->c, w->series_id, w->commit_id, w->now);
}

/* What a machine says of itself, by the time of the runs. */
static int note_facts(struct storing *w, const struct submission *s)
{
	if (s->kind != SUBMISSION_RUNS || !s->ninfo)
		return E_OK;
	return event_note_facts(w->c, s->tbox_group, s->info, s->ninfo,
				s->started != TIME_NONE ? s->started : w->now, w->now);
}

static int store_one(struct storing *w, const struct submission *s, int64_t token_id,
		     struct accepted *out)
{
	struct ctx *c = w->c;
	int64_t report_id;
	int e = E_OK;

	w->series_id = out->series_id;
	if (s->stored && s->stored->by)
		e = token_stand_in(c, s->stored->by, w->now, &token_id);
	if (e >= 0 && !w->series_id)
		e = series_ensure(c, s, w->now, &w->series_id);
	if (e < 0 || (e = commit_restore(c, s, w->now)) < 0 ||
	    (e = commit_ensure(c, &s->commit, w->now, &w->commit_id, &w->build_id)) < 0 ||
	    (e = report_ensure(c, &s->report, &report_id)) < 0 ||
	    (e = info_ensure(c, s->info, s->ninfo, &w->info_id)) < 0 ||
	    (e = insert_submission(w, s, token_id, report_id)) < 0 ||
	    (e = insert_headline(w, &s->headline)) < 0)
		return e;
	out->series_id = w->series_id;
	if (s->kind == SUBMISSION_RUNS)
		e = store_runs(w, s, out);
	else if (s->kind == SUBMISSION_SUMMARY)
		e = store_summary(w, s);
	if (e < 0 || (!out->units_known && (e = set_units(w, s)) < 0) ||
	    (e = replaces_store(w, s)) < 0 || (e = note_facts(w, s)) < 0)
		return e;
	return count_cell(w, s);
}

SQL(uploader_name, "SELECT name FROM token WHERE token_id = $1")

int submissions_audit(struct ctx *c, const struct stored_tally *t, int64_t token_id, int64_t now)
{
	const char *who = "command line", *what = t->first;

	if (!t->stored)
		return E_OK; /* nothing was written */
	if (token_id > 0) {
		auto_stmt struct stmt *st = db_stmt(c, &uploader_name);

		bind_int(st, 1, token_id);
		if (stmt_step(st) == STMT_ROW)
			who = col_text(st, 0);
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	if (t->stored > 1)
		what = arena_fmt(c->arena, "%s and %zu more", what, t->stored - 1);
	return audit_add(c, now, token_id, who, "upload", what,
			 arena_fmt(c->arena,
				   "submissions %zu, runs %zu, summaries %zu, duplicates %zu",
				   t->stored, t->runs, t->summaries, t->duplicates));
}

static void tally(struct stored_tally *t, const struct submission *s, const struct accepted *k)
{
	if (k->duplicate) {
		t->duplicates++;
		return;
	}
	if (!t->stored++)
		snprintf(t->first, sizeof(t->first), "%.12s %.100s", k->series_digest, k->key);
	t->runs += s->nruns;
	t->summaries += s->kind == SUBMISSION_SUMMARY;
}

int submissions_store_part(struct ctx *c, const struct submission *subs, size_t n, int64_t token_id,
			   int64_t now, struct accepted *out, struct stored_tally *t)
{
	struct storing w = {.c = c, .now = now};
	int e = E_OK;

	out_init(&w.packed, OUT_MAX_DEFAULT);
	for (size_t i = 0; i < n && e >= 0; i++) {
		w.now = subs[i].stored ? subs[i].stored->received : now;
		if (!out[i].duplicate) {
			e = store_one(&w, &subs[i], token_id, &out[i]);
		} else if (out[i].duplicate_of >= 0) {
			const struct accepted *first = &out[out[i].duplicate_of];

			out[i].series_id = first->series_id;
			out[i].run_ids = first->run_ids;
			out[i].nruns = first->nruns;
		}
		tally(t, &subs[i], &out[i]);
	}
	out_free(&w.packed);
	return e < 0 ? e : E_OK;
}

int submissions_store(struct ctx *c, const struct submission *subs, size_t n, int64_t token_id,
		      int64_t now, struct accepted *out)
{
	struct stored_tally t = {0};
	int e = submissions_store_part(c, subs, n, token_id, now, out, &t);

	return e < 0 ? e : submissions_audit(c, &t, token_id, now);
}
