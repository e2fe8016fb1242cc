/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parents as uploads told them, where git does not speak. What uploads say may be wrong or go round
 * in circles: every walk is bounded and visits a commit once.
 */
#include "db/commit_row.h"
#include "db/idset.h"
#include "server/base/arena.h"

#define FAMILY_MAX     1000
#define ANCESTOR_STEPS 1000
#define ANCESTRY_MAX   10000

SQL(commit_parent_ids,
    "SELECT parent_id FROM commit_parent WHERE commit_id = $1 ORDER BY n LIMIT $2")
SQL(commit_child_ids,
    "SELECT commit_id FROM commit_parent WHERE parent_id = $1 ORDER BY commit_id LIMIT $2")

static int read_family(struct ctx *c, const struct sql *sql, int64_t id, int64_t **ids, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);
	size_t cap = 0;

	*ids = NULL;
	*n = 0;
	bind_int(st, 1, id);
	bind_int(st, 2, FAMILY_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*ids = arena_grow(c->arena, *ids, &cap, *n + 1, sizeof(**ids));
		(*ids)[(*n)++] = col_int(st, 0);
	}
	return stmt_status(st);
}

int commit_parents(struct ctx *c, int64_t id, struct commit **out, size_t *n)
{
	int64_t *ids;
	size_t nids;
	int e = read_family(c, &commit_parent_ids, id, &ids, &nids);

	*n = 0;
	return e < 0 ? e : commit_read_all(c, ids, nids, out, n);
}

int commit_children(struct ctx *c, int64_t id, struct commit **out, size_t *n)
{
	int64_t *ids;
	size_t nids;
	int e = read_family(c, &commit_child_ids, id, &ids, &nids);

	*n = 0;
	return e < 0 ? e : commit_read_all(c, ids, nids, out, n);
}

SQL(commit_nth_parent_id, "SELECT parent_id FROM commit_parent WHERE commit_id = $1 AND n = $2")

int commit_nth_parent(struct ctx *c, int64_t id, int64_t n, int64_t *parent)
{
	auto_stmt struct stmt *st = db_stmt(c, &commit_nth_parent_id);

	bind_int(st, 1, id);
	bind_int(st, 2, n);
	int r = stmt_step(st);
	*parent = r == STMT_ROW ? col_int(st, 0) : 0;
	return r < 0 ? r : E_OK;
}

SQL(commit_has_data, "SELECT 1 FROM measured WHERE series_id = $1 AND commit_id = $2"
		     " AND (runs > 0 OR summaries > 0)")

int commit_measured_ancestor(struct ctx *c, int64_t commit_id, int64_t series_id, int64_t *ancestor)
{
	int64_t at = commit_id;

	for (int i = 0; i < ANCESTOR_STEPS; i++) {
		int e = commit_nth_parent(c, at, 0, &at);

		if (e < 0)
			return e;
		if (!at || at == commit_id)
			break;
		auto_stmt struct stmt *st = db_stmt(c, &commit_has_data);
		bind_int(st, 1, series_id);
		bind_int(st, 2, at);
		int r = stmt_step(st);
		if (r < 0)
			return r;
		if (r == STMT_ROW) {
			*ancestor = at;
			return E_OK;
		}
	}
	return fail(c, E_NOTFOUND, "no ancestor is known to be measured in this series");
}

/* Breadth first from b: the ancestors that are asked for are mostly near. */
int commit_is_ancestor(struct ctx *c, int64_t a, int64_t b, bool *is)
{
	struct idset seen = {0};
	int64_t *todo = arena_array(c->arena, int64_t, ANCESTRY_MAX);
	size_t n = 0;

	*is = false;
	todo[n++] = b;
	idset_add(c->arena, &seen, b);
	for (size_t i = 0; i < n; i++) {
		auto_stmt struct stmt *st = db_stmt(c, &commit_parent_ids);

		bind_int(st, 1, todo[i]);
		bind_int(st, 2, FAMILY_MAX);
		while (stmt_step(st) == STMT_ROW) {
			int64_t parent = col_int(st, 0);

			if (parent == a && a != b) {
				*is = true;
				return E_OK;
			}
			if (n < ANCESTRY_MAX && idset_add(c->arena, &seen, parent))
				todo[n++] = parent;
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	return E_OK;
}
