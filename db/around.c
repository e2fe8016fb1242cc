/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small looks around a cell, each by an index: other machines that have the same two commits, and
 * the time between the first and the last run.
 */
#include "db/around.h"

#include "db/series.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

/* m, named as MEASURED_IN_VIEW wants it, is the commit; b the base, of which only a peer with
 * figures or failed runs is worth a look. */
SQL(around_peers_of,
    "SELECT p.series_id FROM series s JOIN series p"
    " ON p.peer_digest = s.peer_digest AND p.tbox_group <> s.tbox_group"
    " JOIN measured m ON m.series_id = p.series_id AND m.commit_id = $3"
    " JOIN measured b ON b.series_id = p.series_id AND b.commit_id = $2"
    " WHERE s.series_id = $1 AND (b.runs > 0 OR b.summaries > 0) AND " MEASURED_IN_VIEW
    " ORDER BY p.tbox_group, p.series_id LIMIT $4")

int around_peers(struct ctx *c, int64_t series_id, int64_t base, int64_t commit, size_t limit,
		 int64_t **ids, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &around_peers_of);

	*ids = arena_array(c->arena, int64_t, limit);
	*n = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, base);
	bind_int(st, 3, commit);
	bind_int(st, 4, (int64_t)limit);
	while (*n < limit && stmt_step(st) == STMT_ROW)
		(*ids)[(*n)++] = col_int(st, 0);
	return stmt_status(st);
}

SQL(around_span_of,
    "SELECT MIN(COALESCE(b.started, b.received)), MAX(COALESCE(b.started, b.received))"
    " FROM run r JOIN submission b ON b.submission_id = r.submission_id"
    " WHERE r.series_id = $1 AND r.commit_id = $2 AND r.status = 0 LIMIT 1")

int around_span(struct ctx *c, int64_t series_id, int64_t commit, int64_t *first, int64_t *last)
{
	auto_stmt struct stmt *st = db_stmt(c, &around_span_of);

	*first = *last = TIME_NONE;
	bind_int(st, 1, series_id);
	bind_int(st, 2, commit);
	if (stmt_step(st) == STMT_ROW) {
		*first = col_time(st, 0);
		*last = col_time(st, 1);
	}
	return stmt_status(st);
}
