/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an undo takes back of the notes of a series that results were moved to: layouts that none of
 * its runs has any more, and metrics of what went back that nothing left there has. Only the undone
 * correction's own results are looked at, so what uploads noted stays.
 */
#include "db/correction_moves.h"

#include "db/idset.h"
#include "db/metrics.h"
#include "db/samples.h"
#include "server/base/arena.h"

struct forgetting {
	struct ctx *c;
	int64_t correction_id, series_id;
	struct idset seen, held;
	uint32_t *metrics; /* that went back */
	size_t n, cap;
};

static void add_metric(struct forgetting *f, uint32_t id)
{
	if (!idset_add(f->c->arena, &f->seen, id))
		return;
	f->metrics = arena_grow(f->c->arena, f->metrics, &f->cap, f->n + 1, sizeof(*f->metrics));
	f->metrics[f->n++] = id;
}

static struct stmt *ask(struct forgetting *f, const struct sql *sql)
{
	struct stmt *st = db_stmt(f->c, sql);

	bind_int(st, 1, f->correction_id);
	bind_int(st, 2, f->series_id);
	bind_int(st, 3, INT64_MAX);
	return st;
}

SQL(forget_layouts, "SELECT DISTINCT r.layout_id FROM correction_run x"
		    " JOIN run r ON r.run_id = x.run_id"
		    " WHERE x.correction_id = $1 AND x.new_series_id = $2 AND x.series_id <> $2"
		    " AND NOT EXISTS (SELECT 1 FROM run o WHERE o.series_id = $2"
		    " AND o.layout_id = r.layout_id) ORDER BY r.layout_id LIMIT $3")
SQL(forget_layout, "DELETE FROM series_layout WHERE series_id = $1 AND layout_id = $2")

static int forget_layouts_of(struct forgetting *f)
{
	auto_stmt struct stmt *st = ask(f, &forget_layouts);
	int e = E_OK;

	while (e >= 0 && stmt_step(st) == STMT_ROW) {
		const struct layout *l = layout_by_id(f->c, col_int(st, 0));

		if (!l)
			return (int)f->c->err;
		for (size_t i = 0; i < l->n; i++)
			add_metric(f, layout_metrics(l)[i]->id);
		auto_stmt struct stmt *gone = db_stmt(f->c, &forget_layout);
		bind_int(gone, 1, f->series_id);
		bind_int(gone, 2, l->layout_id);
		e = stmt_run(gone);
	}
	return e < 0 ? e : stmt_status(st);
}

SQL(forget_distributed, "SELECT DISTINCT d.metric_id FROM correction_run x"
			" JOIN run r ON r.run_id = x.run_id"
			" JOIN distribution d ON d.series_id = r.series_id AND d.run_id = r.run_id"
			" WHERE x.correction_id = $1 AND x.new_series_id = $2"
			" AND x.series_id <> $2 ORDER BY d.metric_id LIMIT $3")

static int list_distributed(struct forgetting *f)
{
	auto_stmt struct stmt *st = ask(f, &forget_distributed);

	while (stmt_step(st) == STMT_ROW)
		add_metric(f, (uint32_t)col_int(st, 0));
	return stmt_status(st);
}

SQL(forget_summaries, "SELECT y.cells FROM correction_summary x"
		      " JOIN summary y ON y.summary_id = x.summary_id WHERE x.correction_id = $1"
		      " AND x.new_series_id = $2 AND x.series_id <> $2"
		      " ORDER BY x.summary_id LIMIT $3")
SQL(forget_summaries_left,
    "SELECT cells FROM summary WHERE $1 > 0 AND series_id = $2 ORDER BY summary_id LIMIT $3")

/* Metrics of the summaries that went back, or of those that are there. */
static int list_summaries(struct forgetting *f, const struct sql *sql)
{
	auto_arena struct arena *scratch = arena_new();
	auto_stmt struct stmt *st = ask(f, sql);

	while (stmt_step(st) == STMT_ROW) {
		struct stored_cell *cells;
		size_t nbytes, n = 0;
		struct ctx c;

		arena_reset(scratch);
		ctx_init(&c, scratch, f->c->db);
		const void *bytes = col_blob(st, 0, &nbytes);
		if (summary_unpack(&c, bytes, nbytes, &cells, &n) < 0)
			return fail(f->c, c.err, "%s", c.detail);
		for (size_t i = 0; i < n; i++) {
			if (sql == &forget_summaries)
				add_metric(f, cells[i].metric_id);
			else
				idset_add(f->c->arena, &f->held, cells[i].metric_id);
		}
	}
	return stmt_status(st);
}

SQL(forget_metric, "DELETE FROM series_metric WHERE series_id = $1 AND metric_id = $2"
		   " AND NOT EXISTS (SELECT 1 FROM distribution d WHERE d.series_id = $1"
		   " AND d.metric_id = $2)")

static int forget_metrics(struct forgetting *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct layout_position *at;
		size_t n;
		int e = series_positions(f->c, f->series_id, f->metrics[i], &at, &n);

		if (e < 0)
			return e;
		if (n || !idset_add(f->c->arena, &f->held, f->metrics[i]))
			continue;
		auto_stmt struct stmt *st = db_stmt(f->c, &forget_metric);
		bind_int(st, 1, f->series_id);
		bind_int(st, 2, f->metrics[i]);
		if ((e = stmt_run(st)) < 0)
			return e;
	}
	return E_OK;
}

static int forget_in(struct ctx *c, int64_t correction_id, int64_t series_id)
{
	struct forgetting f = {.c = c, .correction_id = correction_id, .series_id = series_id};
	int e = forget_layouts_of(&f);

	if (e >= 0)
		e = list_distributed(&f);
	if (e >= 0)
		e = list_summaries(&f, &forget_summaries);
	if (e >= 0 && f.n)
		e = list_summaries(&f, &forget_summaries_left);
	return e < 0 ? e : forget_metrics(&f);
}

SQL(forget_series, "SELECT new_series_id FROM correction_run WHERE correction_id = $1"
		   " AND new_series_id <> series_id"
		   " UNION SELECT new_series_id FROM correction_summary WHERE correction_id = $1"
		   " AND new_series_id <> series_id ORDER BY 1 LIMIT $2")

int correction_forget(struct ctx *c, int64_t correction_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &forget_series);
	int e = E_OK;

	bind_int(st, 1, correction_id);
	bind_int(st, 2, INT64_MAX);
	while (e >= 0 && stmt_step(st) == STMT_ROW)
		e = forget_in(c, correction_id, col_int(st, 0));
	return e < 0 ? e : stmt_status(st);
}
