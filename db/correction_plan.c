/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a correction would change. The map of what was measured is walked by the index that fits the
 * selection best; of each of its cells the runs and summaries are read without their samples and
 * held against the whole selection. Bounded by cells looked at and by runs found.
 */
#include "db/corrections.h"

#include "db/commits.h"
#include "db/correction_moves.h"
#include "db/idset.h"
#include "db/info.h"
#include "db/series.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define FINDINGS_MAX 1000

struct planning {
	struct ctx *c;
	const struct correction_in *in;
	struct correction_plan *plan;
	int64_t series_id, commit_id; /* of the selection, 0: any */
	size_t cap, moves_cap, findings_cap;
	struct idset series, commits;
	struct arena *scratch; /* of one cell */
};

/* --- one run or summary --- */

/* Columns of both statements of a cell: id, status, received, token, boot, info. */
static int has_infos(struct planning *p, struct stmt *st, bool *all)
{
	const struct correction_select *s = &p->in->select;
	const struct pair *infos = NULL;
	size_t n = 0;
	struct ctx c;

	*all = true;
	ctx_init(&c, p->scratch, p->c->db);
	if (s->ninfos && !col_null(st, 5) && info_get(&c, col_int(st, 5), &infos, &n) < 0)
		return fail(p->c, c.err, "%s", c.detail);
	for (size_t i = 0; i < s->ninfos && *all; i++) {
		const char *value = NULL;

		if (!strcmp(s->infos[i].name, "boot"))
			value = col_text_peek(st, 4);
		for (size_t k = 0; k < n && !value; k++)
			if (!strcmp(infos[k].name, s->infos[i].name))
				value = infos[k].value;
		*all = value && !strcmp(value, s->infos[i].value);
	}
	return E_OK;
}

static bool is_selected(const struct planning *p, struct stmt *st, bool is_summary)
{
	const struct correction_select *s = &p->in->select;

	if (s->run_id && (is_summary || col_int(st, 0) != s->run_id))
		return false;
	if (s->received_from != TIME_NONE && col_int(st, 2) < s->received_from)
		return false;
	if (s->received_to != TIME_NONE && col_int(st, 2) > s->received_to)
		return false;
	return !s->token || (!col_null(st, 3) && !strcmp(col_text_peek(st, 3), s->token));
}

/* Whether the correction makes something else of it. */
static bool would_change(const struct planning *p, enum run_status status, int64_t commit_id)
{
	if (status == RUN_DELETED)
		return false; /* only an undo brings it back */
	if (p->in->kind == CORRECT_STATUS)
		return status != p->in->status && status != RUN_REPLACED;
	if (p->in->kind == CORRECT_COMMIT)
		return commit_id != p->plan->new_commit;
	return true;
}

static int too_many(struct ctx *c, const char *what, int most)
{
	return fault(c, "select", "more than %d %s: narrow it, for instance by received", most,
		     what);
}

static int add_target(struct planning *p, struct stmt *st, int64_t series_id, int64_t commit_id,
		      bool is_summary)
{
	struct correction_plan *plan = p->plan;

	if (plan->n == CORRECTION_MOST)
		return too_many(p->c, "runs and summaries", CORRECTION_MOST);
	plan->targets = arena_grow(p->c->arena, plan->targets, &p->cap, plan->n + 1,
				   sizeof(*plan->targets));
	plan->targets[plan->n++] = (struct correction_target){
		.id = col_int(st, 0),
		.series_id = series_id,
		.commit_id = commit_id,
		.status = (enum run_status)col_int(st, 1),
		.is_summary = is_summary,
	};
	plan->nsummaries += is_summary;
	plan->nruns += !is_summary;
	plan->nseries += idset_add(p->c->arena, &p->series, series_id);
	plan->ncommits += idset_add(p->c->arena, &p->commits, commit_id);
	return E_OK;
}

/* --- one cell --- */

SQL(correction_cell_runs,
    "SELECT r.run_id, r.status, u.received, t.name, r.boot, r.info_id FROM run r"
    " JOIN submission u ON u.submission_id = r.submission_id"
    " LEFT JOIN token t ON t.token_id = u.token_id"
    " WHERE r.series_id = $1 AND r.commit_id = $2 ORDER BY r.run_id LIMIT $3")
SQL(correction_cell_summaries,
    "SELECT y.summary_id, y.status, u.received, t.name, CAST(NULL AS text), y.info_id"
    " FROM summary y JOIN submission u ON u.submission_id = y.submission_id"
    " LEFT JOIN token t ON t.token_id = u.token_id"
    " WHERE y.series_id = $1 AND y.commit_id = $2 ORDER BY y.summary_id LIMIT $3")

static int plan_rows(struct planning *p, const struct sql *sql, int64_t series_id,
		     int64_t commit_id, bool is_summary)
{
	auto_stmt struct stmt *st = db_stmt(p->c, sql);
	int e = E_OK;
	bool all;

	bind_int(st, 1, series_id);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, CORRECTION_CELLS_MOST);
	while (e >= 0 && stmt_step(st) == STMT_ROW) {
		if (!is_selected(p, st, is_summary) ||
		    !would_change(p, (enum run_status)col_int(st, 1), commit_id))
			continue;
		e = has_infos(p, st, &all);
		if (e >= 0 && all)
			e = add_target(p, st, series_id, commit_id, is_summary);
	}
	return e < 0 ? e : stmt_status(st);
}

static int plan_cell(struct planning *p, int64_t series_id, int64_t commit_id)
{
	size_t before = p->plan->n;
	bool moves = true;
	int e = E_OK;

	if (p->in->kind == CORRECT_AXIS)
		e = correction_move_needed(p->c, p->in, series_id, &moves);
	if (e < 0 || !moves)
		return e;
	arena_reset(p->scratch);
	e = plan_rows(p, &correction_cell_runs, series_id, commit_id, false);
	if (e >= 0)
		e = plan_rows(p, &correction_cell_summaries, series_id, commit_id, true);
	if (e >= 0 && p->in->kind == CORRECT_AXIS && p->plan->n > before)
		e = correction_move_add(p->c, p->in, series_id, p->plan, &p->moves_cap);
	return e;
}

/* --- cells --- */

SQL(correction_cells_of_run,
    "SELECT r.series_id, r.commit_id, s.tbox_group FROM run r"
    " JOIN series s ON s.series_id = r.series_id WHERE r.run_id = $1 LIMIT $2")
SQL(correction_cells_of_commit, "SELECT m.series_id, m.commit_id, s.tbox_group FROM measured m"
				" JOIN series s ON s.series_id = m.series_id WHERE m.commit_id = $1"
				" ORDER BY m.series_id LIMIT $2")
SQL(correction_cells_of_series, "SELECT m.series_id, m.commit_id, s.tbox_group FROM measured m"
				" JOIN series s ON s.series_id = m.series_id WHERE m.series_id = $1"
				" ORDER BY m.commit_id LIMIT $2")
SQL(correction_cells_of_machine,
    "SELECT m.series_id, m.commit_id, s.tbox_group FROM series s"
    " JOIN measured m ON m.series_id = s.series_id WHERE s.tbox_group = $1"
    " ORDER BY m.series_id, m.commit_id LIMIT $2")
SQL(correction_cells_received,
    "SELECT m.series_id, m.commit_id, s.tbox_group FROM measured m"
    " JOIN series s ON s.series_id = m.series_id WHERE m.last_received >= $1"
    " ORDER BY m.last_received, m.series_id, m.commit_id LIMIT $2")

static struct stmt *choose_cells(struct planning *p)
{
	const struct correction_select *s = &p->in->select;
	const struct sql *sql = s->run_id      ? &correction_cells_of_run
				: p->commit_id ? &correction_cells_of_commit
				: p->series_id ? &correction_cells_of_series
				: s->machine   ? &correction_cells_of_machine
					       : &correction_cells_received;
	struct stmt *st = db_stmt(p->c, sql);

	if (sql == &correction_cells_of_machine)
		bind_text(st, 1, s->machine);
	else
		bind_int(st, 1,
			 s->run_id      ? s->run_id
			 : p->commit_id ? p->commit_id
			 : p->series_id ? p->series_id
					: s->received_from);
	bind_int(st, 2, CORRECTION_CELLS_MOST + 1);
	return st;
}

struct place {
	int64_t series_id, commit_id;
};

static int find_cells(struct planning *p, struct place **cells, size_t *n)
{
	const char *machine = p->in->select.machine;
	auto_stmt struct stmt *st = choose_cells(p);
	size_t cap = 0, seen = 0;

	*cells = NULL;
	*n = 0;
	while (stmt_step(st) == STMT_ROW) {
		struct place k = {col_int(st, 0), col_int(st, 1)};

		if (++seen > CORRECTION_CELLS_MOST)
			return too_many(p->c, "series and commits to look at",
					CORRECTION_CELLS_MOST);
		if ((p->series_id && k.series_id != p->series_id) ||
		    (p->commit_id && k.commit_id != p->commit_id) ||
		    (machine && strcmp(col_text_peek(st, 2), machine) != 0))
			continue;
		*cells = arena_grow(p->c->arena, *cells, &cap, *n + 1, sizeof(**cells));
		(*cells)[(*n)++] = k;
	}
	return stmt_status(st);
}

/* --- the whole --- */

/* A name that is unknown is a fault of the selection, not a page that is missing. */
static int as_fault(struct ctx *c, int e, const char *path)
{
	char detail[sizeof(c->detail)];

	if (e != E_NOTFOUND && e != E_AMBIGUOUS && e != E_INVALID)
		return e;
	snprintf(detail, sizeof(detail), "%s", c->detail);
	ctx_clear(c);
	return fault(c, path, "%s", detail);
}

static int resolve_names(struct planning *p)
{
	const struct correction_in *in = p->in;
	struct series series = {.id = 0};
	struct commit commit = {.id = 0};
	bool is_hex = false;
	int e = in->select.series ? series_get(p->c, in->select.series, &series) : E_OK;

	if (e < 0)
		return as_fault(p->c, e, "select.series");
	p->series_id = series.id;
	if (in->select.commit && (e = commit_resolve(p->c, in->select.commit, &commit, NULL)) < 0)
		return as_fault(p->c, e, "select.commit");
	p->commit_id = commit.id;
	if (in->kind != CORRECT_COMMIT)
		return E_OK;
	e = commit_resolve(p->c, in->commit, &commit, NULL);
	if (e >= 0) {
		p->plan->new_commit = commit.id;
	} else if (e == E_NOTFOUND && strlen(in->commit) == 40 &&
		   commit_name_valid(in->commit, &is_hex) && is_hex) {
		ctx_clear(p->c); /* nothing was uploaded for it yet: it is made */
		e = E_OK;
	}
	return e < 0 ? as_fault(p->c, e, "set.commit") : E_OK;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

SQL(correction_findings, "SELECT finding_id FROM finding WHERE series_id = $1"
			 " AND (good_commit = $2 OR bad_commit = $2) ORDER BY finding_id LIMIT $3")

/* Targets stand cell by cell. */
static int find_findings(struct planning *p)
{
	struct correction_plan *plan = p->plan;
	size_t kept = 0;

	for (size_t i = 0; i < plan->n && plan->nfindings < FINDINGS_MAX; i++) {
		const struct correction_target *t = &plan->targets[i];
		auto_stmt struct stmt *st = db_stmt(p->c, &correction_findings);

		if (i > 0 && t[-1].series_id == t->series_id && t[-1].commit_id == t->commit_id)
			continue;
		bind_int(st, 1, t->series_id);
		bind_int(st, 2, t->commit_id);
		bind_int(st, 3, FINDINGS_MAX);
		while (stmt_step(st) == STMT_ROW) {
			plan->findings = arena_grow(p->c->arena, plan->findings, &p->findings_cap,
						    plan->nfindings + 1, sizeof(int64_t));
			plan->findings[plan->nfindings++] = col_int(st, 0);
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	if (plan->nfindings > 1)
		qsort(plan->findings, plan->nfindings, sizeof(int64_t), by_number);
	for (size_t i = 0; i < plan->nfindings; i++)
		if (!i || plan->findings[i] != plan->findings[kept - 1])
			plan->findings[kept++] = plan->findings[i];
	plan->nfindings = kept;
	return E_OK;
}

int correction_plan(struct ctx *c, const struct correction_in *in, struct correction_plan *out)
{
	auto_arena struct arena *scratch = arena_new();
	struct planning p = {.c = c, .in = in, .plan = out, .scratch = scratch};
	struct place *cells;
	size_t n;
	int e;

	*out = (struct correction_plan){.n = 0};
	e = resolve_names(&p);
	if (e >= 0)
		e = find_cells(&p, &cells, &n);
	for (size_t i = 0; e >= 0 && i < n; i++)
		e = plan_cell(&p, cells[i].series_id, cells[i].commit_id);
	if (e >= 0 && !out->n)
		e = fault(c, "select", "nothing is selected that this would change");
	if (e >= 0)
		e = correction_moves_check(c, out);
	return e < 0 ? e : find_findings(&p);
}
