/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map of series and commits: what was measured where, as counts. Lists, pages and the search
 * for tables read it instead of the runs. The writer keeps it in the transaction that brings the
 * runs.
 */
#include "db/series.h"

#include "server/base/arena.h"

#define MEASURED_COLUMNS                                                                           \
	"SELECT series_id, commit_id, runs, failed, summaries, first_received, last_received"      \
	" FROM measured m "

SQL(measured_by_commit, MEASURED_COLUMNS "WHERE m.commit_id = $1 AND " MEASURED_IN_VIEW
					 " ORDER BY m.series_id LIMIT $2")
SQL(measured_by_series, MEASURED_COLUMNS "WHERE m.series_id = $1 AND " MEASURED_IN_VIEW
					 " ORDER BY m.commit_id LIMIT $2")

static int read_measured(struct ctx *c, const struct sql *sql, int64_t id, size_t limit,
			 struct measured **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, id);
	bind_int(st, 2, (int64_t)limit);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct measured){
			.series_id = col_int(st, 0),
			.commit_id = col_int(st, 1),
			.runs = col_int(st, 2),
			.failed = col_int(st, 3),
			.summaries = col_int(st, 4),
			.first_received = col_int(st, 5),
			.last_received = col_int(st, 6),
		};
	}
	return stmt_status(st);
}

int measured_of_commit(struct ctx *c, int64_t commit_id, size_t limit, struct measured **out,
		       size_t *n)
{
	return read_measured(c, &measured_by_commit, commit_id, limit, out, n);
}

int measured_of_series(struct ctx *c, int64_t series_id, size_t limit, struct measured **out,
		       size_t *n)
{
	return read_measured(c, &measured_by_series, series_id, limit, out, n);
}

SQL(measured_exists,
    "SELECT 1 FROM measured m WHERE m.series_id = $1 AND m.commit_id = $2 AND " MEASURED_IN_VIEW)

/* Whether the series was measured on any of the commits. */
static int measured_on_any(struct ctx *c, int64_t series_id, const int64_t *commits, size_t n,
			   bool *any)
{
	*any = false;
	for (size_t i = 0; i < n && !*any; i++) {
		auto_stmt struct stmt *st = db_stmt(c, &measured_exists);

		bind_int(st, 1, series_id);
		bind_int(st, 2, commits[i]);
		int r = stmt_step(st);
		if (r < 0)
			return r;
		*any = r == STMT_ROW;
	}
	return E_OK;
}

SQL(measured_series_after,
    "SELECT m.series_id FROM measured m WHERE m.commit_id = $1 AND m.series_id > $2 "
    "AND " MEASURED_IN_VIEW " ORDER BY m.series_id LIMIT $3")

int series_shared(struct ctx *c, int64_t base, const int64_t *others, size_t nothers, int64_t after,
		  size_t limit, int64_t **ids, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &measured_series_after);
	size_t cap = 0;

	*ids = NULL;
	*n = 0;
	bind_int(st, 1, base);
	bind_int(st, 2, after);
	bind_int(st, 3, nothers ? INT64_MAX : (int64_t)limit);
	while (*n < limit && stmt_step(st) == STMT_ROW) {
		int64_t id = col_int(st, 0);
		bool any = true;
		int e = nothers ? measured_on_any(c, id, others, nothers, &any) : E_OK;

		if (e < 0)
			return e;
		if (!any)
			continue;
		*ids = arena_grow(c->arena, *ids, &cap, *n + 1, sizeof(**ids));
		(*ids)[(*n)++] = id;
	}
	return stmt_status(st);
}

SQL(measured_upsert, "INSERT INTO measured (series_id, commit_id, runs, failed, summaries,"
		     " first_received, last_received) VALUES ($1, $2, $3, $4, $5, $6, $6)"
		     " ON CONFLICT (series_id, commit_id) DO UPDATE SET"
		     " runs = measured.runs + excluded.runs,"
		     " failed = measured.failed + excluded.failed,"
		     " summaries = measured.summaries + excluded.summaries,"
		     " last_received = CASE WHEN excluded.last_received > measured.last_received"
		     " THEN excluded.last_received ELSE measured.last_received END")

int measured_add(struct ctx *c, const struct measured *added, int64_t now)
{
	auto_stmt struct stmt *st = db_stmt(c, &measured_upsert);

	bind_int(st, 1, added->series_id);
	bind_int(st, 2, added->commit_id);
	bind_int(st, 3, added->runs);
	bind_int(st, 4, added->failed);
	bind_int(st, 5, added->summaries);
	bind_int(st, 6, now);
	return stmt_run(st);
}

SQL(measured_lessen, "UPDATE measured SET runs = runs - $3, failed = failed - $4,"
		     " summaries = summaries - $5 WHERE series_id = $1 AND commit_id = $2")

int measured_take(struct ctx *c, const struct measured *gone)
{
	auto_stmt struct stmt *st = db_stmt(c, &measured_lessen);

	bind_int(st, 1, gone->series_id);
	bind_int(st, 2, gone->commit_id);
	bind_int(st, 3, gone->runs);
	bind_int(st, 4, gone->failed);
	bind_int(st, 5, gone->summaries);
	return stmt_run(st);
}
