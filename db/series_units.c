/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units as they were uploaded for one series. Most metrics have none and take the rule's, so one
 * statement over the few rows is far cheaper than a list of all metrics by name.
 */
#include "db/series_units.h"

#include "server/base/arena.h"

#define SERIES_UNITS_MAX 100000

SQL(series_units_rows, "SELECT metric_id, unit FROM series_metric"
		       " WHERE series_id = $1 AND unit IS NOT NULL ORDER BY metric_id LIMIT $2")

int series_units(struct ctx *c, int64_t series_id, struct series_unit **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_units_rows);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, SERIES_UNITS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct series_unit){(uint32_t)col_int(st, 0), col_text(st, 1)};
	}
	return stmt_status(st);
}
