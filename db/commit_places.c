/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short questions about single commits and the map of a series, for walks and long lists: each is
 * one step into an index.
 */
#include "db/commit_places.h"

#include "db/commit_row.h"
#include "db/idset.h"
#include "db/series.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

SQL(places_in_series,
    "SELECT m.commit_id, k.position, coalesce(k.date, k.committer_date), m.first_received,"
    " k.kind, m.runs + m.summaries FROM measured m JOIN commits k ON k.commit_id = m.commit_id"
    " WHERE m.series_id = $1 AND " MEASURED_IN_VIEW " ORDER BY m.commit_id LIMIT $2")

static struct commit_place read_place(struct stmt *st)
{
	return (struct commit_place){
		.commit_id = col_int(st, 0),
		.position = col_null(st, 1) ? 0 : col_int(st, 1),
		.date = col_time(st, 2),
		.first_received = col_int(st, 3),
		.kind = (int)col_int(st, 4),
	};
}

int places_of_series(struct ctx *c, int64_t series_id, struct commit_place **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &places_in_series);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, PLACES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[*n] = read_place(st);
		(*out)[(*n)++].has_data = col_int(st, 5) > 0;
	}
	return stmt_status(st);
}

SQL(place_by_commit, "SELECT commit_id, position, coalesce(date, committer_date), first_received,"
		     " kind FROM commits WHERE commit_id = $1")
SQL(place_by_child,
    "SELECT k.commit_id, k.position, coalesce(k.date, k.committer_date),"
    " k.first_received, k.kind FROM commit_parent p"
    " JOIN commits k ON k.commit_id = p.parent_id WHERE p.commit_id = $1 AND p.n = 0")

static int read_one(struct ctx *c, const struct sql *sql, int64_t id, struct commit_place *out)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);

	*out = (struct commit_place){.date = TIME_NONE, .first_received = TIME_NONE};
	bind_int(st, 1, id);
	if (stmt_step(st) == STMT_ROW)
		*out = read_place(st);
	return stmt_status(st);
}

int place_of_commit(struct ctx *c, int64_t commit_id, struct commit_place *out)
{
	int e = read_one(c, &place_by_commit, commit_id, out);

	if (e >= 0 && !out->commit_id)
		return fail(c, E_NOTFOUND, "no commit has the row %lld", (long long)commit_id);
	return e;
}

int place_of_parent(struct ctx *c, int64_t commit_id, struct commit_place *out)
{
	return read_one(c, &place_by_child, commit_id, out);
}

SQL(place_child_ids,
    "SELECT commit_id FROM commit_parent WHERE parent_id = $1 ORDER BY commit_id LIMIT $2")

int place_descendants(struct ctx *c, int64_t commit_id, size_t max, int64_t *ids, size_t *n,
		      bool *all)
{
	struct idset seen = {0};

	*n = 0;
	*all = true;
	idset_add(c->arena, &seen, commit_id);
	for (size_t i = 0; i <= *n && *all; i++) {
		auto_stmt struct stmt *st = db_stmt(c, &place_child_ids);

		bind_int(st, 1, i ? ids[i - 1] : commit_id);
		bind_int(st, 2, (int64_t)max + 1);
		while (*all && stmt_step(st) == STMT_ROW) {
			int64_t child = col_int(st, 0);

			if (!idset_add(c->arena, &seen, child))
				continue;
			*all = *n < max;
			if (*all)
				ids[(*n)++] = child;
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	return E_OK;
}

int commit_named(struct ctx *c, const char *name, int64_t *commit_id)
{
	int64_t ids[2];
	size_t n;
	int e = commit_exact(c, name, "", ids, &n);

	bool open = false;

	*commit_id = e >= 0 && n == 1 ? ids[0] : 0;
	if (*commit_id)
		e = commit_alias_open(c, name, *commit_id, &open);
	if (open)
		*commit_id = 0;
	return e < 0 ? e : E_OK;
}

SQL(commit_series_count, "SELECT count(*) FROM measured WHERE commit_id = $1"
			 " AND (runs > 0 OR failed > 0 OR summaries > 0) LIMIT 1")
SQL(commit_findings_count, "SELECT count(*) FROM finding WHERE bad_commit = $1 LIMIT 1")
SQL(commit_build_states,
    "SELECT b.status, (SELECT count(*) FROM build_warning w WHERE w.build_id = b.build_id)"
    " FROM build b WHERE b.commit_id = $1 ORDER BY b.build_id LIMIT 1000")

static int count_of(struct ctx *c, const struct sql *sql, int64_t commit_id, int64_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);

	bind_int(st, 1, commit_id);
	*n = stmt_step(st) == STMT_ROW ? col_int(st, 0) : 0;
	return stmt_status(st);
}

int commit_facts(struct ctx *c, int64_t commit_id, struct commit_facts *out)
{
	*out = (struct commit_facts){0};
	int e = count_of(c, &commit_series_count, commit_id, &out->series);
	if (e >= 0)
		e = count_of(c, &commit_findings_count, commit_id, &out->findings);
	if (e < 0)
		return e;
	auto_stmt struct stmt *st = db_stmt(c, &commit_build_states);
	bind_int(st, 1, commit_id);
	while (stmt_step(st) == STMT_ROW) {
		const char *status = col_text_peek(st, 0);

		out->builds++;
		out->failed_builds += status && (strcasestr(status, "fail") != NULL ||
						 strcasestr(status, "error") != NULL);
		out->warnings += col_int(st, 1);
	}
	return stmt_status(st);
}
