/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the index of the map's times from its end. A cell whose commit has a later one in the
 * series, under another name that git has at the same place, is left out.
 */
#include "db/measured_newest.h"

#include "server/base/arena.h"

#define NEWEST                                                                                     \
	"SELECT m.series_id, m.commit_id FROM measured m"                                          \
	" WHERE (m.runs > 0 OR m.failed > 0 OR m.summaries > 0)"                                   \
	" AND NOT EXISTS (SELECT 1 FROM commits k"                                                 \
	" JOIN commits other ON other.position = k.position"                                       \
	" JOIN measured x ON x.series_id = m.series_id AND x.commit_id = other.commit_id"          \
	" WHERE k.commit_id = m.commit_id AND other.commit_id <> m.commit_id"                      \
	" AND (x.runs > 0 OR x.failed > 0 OR x.summaries > 0)"                                     \
	" AND (x.last_received > m.last_received OR (x.last_received = m.last_received"            \
	" AND x.commit_id > m.commit_id)))"
#define IN_ORDER " ORDER BY m.last_received DESC, m.series_id DESC, m.commit_id DESC LIMIT $1"

SQL(measured_newest_all, NEWEST IN_ORDER)
SQL(measured_newest_metric,
    NEWEST " AND EXISTS (SELECT 1 FROM series_metric x"
	   " WHERE x.series_id = m.series_id AND x.metric_id = $2)" IN_ORDER)

int measured_newest(struct ctx *c, uint32_t metric_id, size_t limit, struct measured_cell **out,
		    size_t *n)
{
	auto_stmt struct stmt *st =
		db_stmt(c, metric_id ? &measured_newest_metric : &measured_newest_all);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, (int64_t)limit);
	if (metric_id)
		bind_int(st, 2, metric_id);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct measured_cell){col_int(st, 0), col_int(st, 1)};
	}
	return stmt_status(st);
}
