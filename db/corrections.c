/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading corrections: the list, what each did, and what touched a run, a series or a cell. Numbers
 * are given in order of filing, so the newest has the highest.
 */
#include "db/corrections.h"

#include <jansson.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#define OF_RUN_MAX 1000

#define CORRECTION_COLUMNS                                                                         \
	"SELECT k.correction_id, k.at, k.who, k.selection, k.change, k.reason, k.undone_at,"       \
	" k.undone_by, k.runs, k.summaries FROM "

SQL(correction_row, CORRECTION_COLUMNS "correction k WHERE k.correction_id = $1")
SQL(correction_rows, CORRECTION_COLUMNS "correction k WHERE k.correction_id < $1"
					" ORDER BY k.correction_id DESC LIMIT $2")
SQL(correction_rows_of_run,
    CORRECTION_COLUMNS "correction_run x JOIN correction k ON k.correction_id = x.correction_id"
		       " WHERE x.run_id = $1 ORDER BY x.correction_id LIMIT $2")

static struct correction read_row(struct stmt *st)
{
	return (struct correction){
		.id = col_int(st, 0),
		.at = col_int(st, 1),
		.who = col_text(st, 2),
		.selection = col_text(st, 3),
		.change = col_text(st, 4),
		.reason = col_text(st, 5),
		.undone_at = col_time(st, 6),
		.undone_by = col_text(st, 7),
		.runs = col_int(st, 8),
		.summaries = col_int(st, 9),
	};
}

int correction_get(struct ctx *c, int64_t id, struct correction *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_row);

	bind_int(st, 1, id);
	int r = stmt_step(st);
	if (r == STMT_DONE)
		return fail(c, E_NOTFOUND, "there is no correction %lld", (long long)id);
	if (r == STMT_ROW)
		*out = read_row(st);
	return stmt_status(st);
}

static int read_rows(struct ctx *c, const struct sql *sql, int64_t id, size_t limit,
		     struct correction **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, id);
	bind_int(st, 2, (int64_t)limit);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = read_row(st);
	}
	return stmt_status(st);
}

int correction_list(struct ctx *c, int64_t before, size_t limit, struct correction **out, size_t *n)
{
	return read_rows(c, &correction_rows, before, limit, out, n);
}

int corrections_of_run(struct ctx *c, int64_t run_id, struct correction **out, size_t *n)
{
	return read_rows(c, &correction_rows_of_run, run_id, OF_RUN_MAX, out, n);
}

SQL(corrected_runs,
    "SELECT run_id, series_id, new_series_id, old_commit_id, new_commit_id, old_status, new_status"
    " FROM correction_run WHERE correction_id = $1 AND run_id > $2 ORDER BY run_id LIMIT $3")

int correction_runs(struct ctx *c, int64_t id, int64_t after, size_t limit,
		    struct corrected_run **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &corrected_runs);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, id);
	bind_int(st, 2, after);
	bind_int(st, 3, (int64_t)limit);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct corrected_run){
			.run_id = col_int(st, 0),
			.old_series_id = col_int(st, 1),
			.new_series_id = col_int(st, 2),
			.old_commit_id = col_int(st, 3),
			.new_commit_id = col_int(st, 4),
			.old_status = (enum run_status)col_int(st, 5),
			.new_status = (enum run_status)col_int(st, 6),
		};
	}
	return stmt_status(st);
}

/* --- notes of a place --- */

/* What was there, and what came there from elsewhere. */
#define NOTES(table, where, limit)                                                                 \
	"SELECT x.correction_id, count(*) FROM " table " x JOIN correction k"                      \
	" ON k.correction_id = x.correction_id WHERE " where " AND k.undone_at IS NULL"            \
	" GROUP BY x.correction_id ORDER BY x.correction_id DESC LIMIT " limit
#define WERE_IN_CELL "x.series_id = $1 AND x.old_commit_id = $2"
#define CAME_TO_CELL                                                                               \
	"x.new_series_id = $1 AND x.new_commit_id = $2"                                            \
	" AND (x.series_id <> x.new_series_id OR x.old_commit_id <> x.new_commit_id)"
#define WERE_IN_SERIES "x.series_id = $1"
#define CAME_TO_SERIES "x.new_series_id = $1 AND x.series_id <> x.new_series_id"

SQL(notes_cell_runs, NOTES("correction_run", WERE_IN_CELL, "$3"))
SQL(notes_cell_runs_came, NOTES("correction_run", CAME_TO_CELL, "$3"))
SQL(notes_cell_summaries, NOTES("correction_summary", WERE_IN_CELL, "$3"))
SQL(notes_cell_summaries_came, NOTES("correction_summary", CAME_TO_CELL, "$3"))
SQL(notes_series_runs, NOTES("correction_run", WERE_IN_SERIES, "$2"))
SQL(notes_series_runs_came, NOTES("correction_run", CAME_TO_SERIES, "$2"))
SQL(notes_series_summaries, NOTES("correction_summary", WERE_IN_SERIES, "$2"))
SQL(notes_series_summaries_came, NOTES("correction_summary", CAME_TO_SERIES, "$2"))

struct notes {
	struct correction_note *list;
	size_t n, cap;
};

static struct correction_note *note_of(struct ctx *c, struct notes *notes, int64_t id, bool came)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->list[i].correction.id == id && notes->list[i].came == came)
			return &notes->list[i];
	notes->list =
		arena_grow(c->arena, notes->list, &notes->cap, notes->n + 1, sizeof(*notes->list));
	notes->list[notes->n] = (struct correction_note){.correction.id = id, .came = came};
	return &notes->list[notes->n++];
}

static int read_notes(struct ctx *c, const struct sql *sql, int64_t series_id, int64_t commit_id,
		      int which, struct notes *notes)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);

	bind_int(st, 1, series_id);
	if (commit_id)
		bind_int(st, 2, commit_id);
	bind_int(st, commit_id ? 3 : 2, CORRECTION_NOTES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		struct correction_note *k = note_of(c, notes, col_int(st, 0), which & 1);

		if (which < 2)
			k->runs = col_int(st, 1);
		else
			k->summaries = col_int(st, 1);
	}
	return stmt_status(st);
}

static int by_newest(const void *x, const void *y)
{
	const struct correction_note *a = x, *b = y;

	if (a->correction.id != b->correction.id)
		return a->correction.id < b->correction.id ? 1 : -1;
	return a->came - b->came;
}

int correction_notes(struct ctx *c, int64_t series_id, int64_t commit_id,
		     struct correction_note **out, size_t *n)
{
	static const struct sql *const of_cell[] = {&notes_cell_runs, &notes_cell_runs_came,
						    &notes_cell_summaries,
						    &notes_cell_summaries_came};
	static const struct sql *const of_series[] = {&notes_series_runs, &notes_series_runs_came,
						      &notes_series_summaries,
						      &notes_series_summaries_came};
	struct notes notes = {.n = 0};
	int e = E_OK;

	for (int i = 0; i < 4 && e >= 0; i++)
		e = read_notes(c, commit_id ? of_cell[i] : of_series[i], series_id, commit_id, i,
			       &notes);
	if (notes.n > 1)
		qsort(notes.list, notes.n, sizeof(*notes.list), by_newest);
	if (notes.n > CORRECTION_NOTES_MAX)
		notes.n = CORRECTION_NOTES_MAX;
	for (size_t i = 0; i < notes.n && e >= 0; i++)
		e = correction_get(c, notes.list[i].correction.id, &notes.list[i].correction);
	*out = notes.list;
	*n = notes.n;
	return e;
}

/* --- words --- */

static const char *count_words(struct arena *a, int64_t n, const char *one, const char *many)
{
	return arena_fmt(a, "%lld %s", (long long)n, n == 1 ? one : many);
}

/* "ipc: pipe, mode: process" */
static const char *axis_words(struct arena *a, json_t *axes)
{
	const char *text = "", *name;
	json_t *value;

	json_object_foreach(axes, name, value)
	{
		const char *s = json_string_value(value);

		text = arena_fmt(a, "%s%s%s: %s", text, *text ? ", " : "", name, s ? s : "");
	}
	return text;
}

static const char *deed(struct arena *a, json_t *change, bool came)
{
	const char *status = json_string_value(json_object_get(change, "status"));
	const char *commit = json_string_value(json_object_get(change, "commit"));
	json_t *axes = json_object_get(change, "axis");

	if (status)
		return arena_fmt(a, "marked %s", status);
	if (came)
		return "moved here";
	if (commit)
		return arena_fmt(a, "moved to commit %s", commit);
	if (axes)
		return arena_fmt(a, "moved to the series with %s", axis_words(a, axes));
	return "marked deleted";
}

const char *correction_words(struct arena *a, const struct correction *k, int64_t runs,
			     int64_t summaries, bool came)
{
	json_t *change = json_loads(k->change, 0, NULL);
	const char *r = count_words(a, runs, "run", "runs");
	const char *s = count_words(a, summaries, "summary", "summaries");
	const char *who = runs && summaries ? arena_fmt(a, "%s and %s", r, s) : summaries ? s : r;
	const char *text = arena_fmt(a, "%s %s %s", who, runs + summaries == 1 ? "was" : "were",
				     deed(a, change, came));

	json_decref(change);
	return text;
}
