/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which metrics a series has, and in which unit each is told there. The writer notes a metric when
 * it first comes; a unit is set once and then only agreed to.
 */
#include "db/metrics.h"

#include "db/samples.h"
#include "server/base/arena.h"

#define SERIES_METRICS_MAX 100000
#define SERIES_LAYOUTS_MAX 100000

SQL(series_metrics_rows, "SELECT x.metric_id, x.unit FROM series_metric x"
			 " JOIN metric m ON m.metric_id = x.metric_id"
			 " WHERE x.series_id = $1 ORDER BY m.name LIMIT $2")

int series_metrics(struct ctx *c, int64_t series_id, struct series_metric **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_metrics_rows);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, SERIES_METRICS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		const struct metric *m = metric_by_id(c, (uint32_t)col_int(st, 0));

		if (!m)
			return fail(c, E_INTERNAL, "a metric is not there");
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct series_metric){
			.metric = m,
			.unit = col_null(st, 1) ? m->facts.unit : col_text(st, 1),
		};
	}
	return stmt_status(st);
}

SQL(series_unit_row, "SELECT unit FROM series_metric WHERE series_id = $1 AND metric_id = $2")

int series_unit(struct ctx *c, int64_t series_id, uint32_t metric_id, const char **unit)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_unit_row);

	*unit = NULL;
	bind_int(st, 1, series_id);
	bind_int(st, 2, metric_id);
	if (stmt_step(st) == STMT_ROW)
		*unit = col_text(st, 0);
	return stmt_status(st);
}

SQL(metric_series_rows,
    "SELECT series_id FROM series_metric WHERE metric_id = $1 AND series_id > $2"
    " ORDER BY series_id LIMIT $3")

int metric_series(struct ctx *c, uint32_t metric_id, int64_t after, size_t limit, int64_t **ids,
		  size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &metric_series_rows);
	size_t cap = 0;

	*ids = NULL;
	*n = 0;
	bind_int(st, 1, metric_id);
	bind_int(st, 2, after);
	bind_int(st, 3, (int64_t)limit);
	while (stmt_step(st) == STMT_ROW) {
		*ids = arena_grow(c->arena, *ids, &cap, *n + 1, sizeof(**ids));
		(*ids)[(*n)++] = col_int(st, 0);
	}
	return stmt_status(st);
}

SQL(series_layouts_rows, "SELECT layout_id FROM series_layout WHERE series_id = $1"
			 " ORDER BY layout_id LIMIT $2")

int series_positions(struct ctx *c, int64_t series_id, uint32_t metric_id,
		     struct layout_position **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_layouts_rows);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, SERIES_LAYOUTS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		const struct layout *l = layout_by_id(c, col_int(st, 0));
		long at = l ? layout_find(l, metric_id) : -1;

		if (!l)
			return (int)c->err;
		if (at < 0)
			continue;
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct layout_position){l->layout_id, (size_t)at};
	}
	return stmt_status(st);
}

/* --- the writer's ------------------------------------------------------------------------------
 */

SQL(series_metric_insert, "INSERT INTO series_metric (series_id, metric_id) VALUES ($1, $2)"
			  " ON CONFLICT (series_id, metric_id) DO NOTHING")

int series_has_metric(struct ctx *c, int64_t series_id, uint32_t metric_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_metric_insert);

	bind_int(st, 1, series_id);
	bind_int(st, 2, metric_id);
	return stmt_run(st);
}

SQL(series_unit_set, "INSERT INTO series_metric (series_id, metric_id, unit) VALUES ($1, $2, $3)"
		     " ON CONFLICT (series_id, metric_id) DO UPDATE SET unit = excluded.unit")

int series_set_unit(struct ctx *c, int64_t series_id, uint32_t metric_id, const char *unit,
		    bool *agrees)
{
	auto_stmt struct stmt *row = db_stmt(c, &series_unit_row);
	bool given = false;

	bind_int(row, 1, series_id);
	bind_int(row, 2, metric_id);
	*agrees = true;
	if (stmt_step(row) == STMT_ROW && !col_null(row, 0)) {
		given = true;
		*agrees = !strcmp(col_text_peek(row, 0), unit);
	}
	if (stmt_status(row) < 0 || given)
		return stmt_status(row);

	auto_stmt struct stmt *st = db_stmt(c, &series_unit_set);
	bind_int(st, 1, series_id);
	bind_int(st, 2, metric_id);
	bind_text(st, 3, unit);
	return stmt_run(st);
}
