/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repositories and their refs. A repository that is removed keeps its row, since its refs stay
 * known (gone) and it may be taken up again; a ref that is no longer there keeps its row too.
 */
#include "db/repos.h"

#include "server/base/arena.h"
#include "server/base/clock.h"

#define REFS_MAX 200000 /* of one repository, or of all */

#define COLUMNS                                                                                    \
	"repo_id, name, url, path, in_place, refs, line, snapshots, added, tried, synced,"         \
	" next_try, failures, problem, removed, commits"

static void read_repo(struct stmt *st, struct repo *r)
{
	*r = (struct repo){
		.id = col_int(st, 0),
		.name = col_text(st, 1),
		.url = col_text(st, 2),
		.path = col_text(st, 3),
		.in_place = col_int(st, 4) != 0,
		.refs = col_text(st, 5),
		.line = col_text(st, 6),
		.snapshots = col_int(st, 7) != 0,
		.added = col_time(st, 8),
		.tried = col_time(st, 9),
		.synced = col_time(st, 10),
		.next_try = col_time(st, 11),
		.failures = col_int(st, 12),
		.problem = col_text(st, 13),
		.removed = col_time(st, 14),
		.commits = col_int(st, 15),
	};
}

SQL(repos_followed, "SELECT " COLUMNS " FROM repo WHERE removed IS NULL ORDER BY name LIMIT $1")
SQL(repos_all, "SELECT " COLUMNS " FROM repo ORDER BY name LIMIT $1")

int repo_list(struct ctx *c, bool all, struct repo **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, all ? &repos_all : &repos_followed);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, REPOS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		read_repo(st, &(*out)[(*n)++]);
	}
	return stmt_status(st);
}

SQL(repo_of_name, "SELECT " COLUMNS " FROM repo WHERE name = $1")

/* Also a removed one. *found false: there is none. */
static int find_repo(struct ctx *c, const char *name, struct repo *out, bool *found)
{
	auto_stmt struct stmt *st = db_stmt(c, &repo_of_name);

	bind_text(st, 1, name);
	*found = stmt_step(st) == STMT_ROW;
	if (*found)
		read_repo(st, out);
	return stmt_status(st);
}

int repo_by_name(struct ctx *c, const char *name, struct repo *out)
{
	bool found;
	int e = find_repo(c, name, out, &found);

	if (e < 0)
		return e;
	if (!found || out->removed != TIME_NONE)
		return fail(c, E_NOTFOUND, "there is no repository %s", name);
	return E_OK;
}

static int read_refs(struct ctx *c, struct stmt *st, struct repo_ref **out, size_t *n)
{
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct repo_ref){
			.repo_id = col_int(st, 0),
			.name = col_text(st, 1),
			.position = col_int(st, 2),
			.gone = col_time(st, 3),
		};
	}
	return stmt_status(st);
}

SQL(repo_refs_of_name, "SELECT repo_id, name, position, gone FROM repo_ref"
		       " WHERE name = $1 AND (repo_id = $2 OR $2 = 0)"
		       " ORDER BY CASE WHEN gone IS NULL THEN 0 ELSE 1 END, repo_id LIMIT $3")

int repo_refs_named(struct ctx *c, int64_t repo_id, const char *name, struct repo_ref **out,
		    size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &repo_refs_of_name);

	bind_text(st, 1, name);
	bind_int(st, 2, repo_id);
	bind_int(st, 3, REPOS_MAX);
	return read_refs(c, st, out, n);
}

SQL(repo_refs_of_one, "SELECT repo_id, name, position, gone FROM repo_ref WHERE repo_id = $1"
		      " AND name >= $2 AND name < $3 ORDER BY name LIMIT $4")
SQL(repo_refs_of_all, "SELECT repo_id, name, position, gone FROM repo_ref"
		      " WHERE name >= $1 AND name < $2 ORDER BY name, repo_id LIMIT $3")

int repo_refs(struct ctx *c, int64_t repo_id, const char *prefix, struct repo_ref **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, repo_id ? &repo_refs_of_one : &repo_refs_of_all);
	int i = 1;

	if (repo_id)
		bind_int(st, i++, repo_id);
	bind_text(st, i++, prefix);
	bind_text(st, i++, arena_fmt(c->arena, "%s\xf4\x8f\xbf\xbf", prefix)); /* above all */
	bind_int(st, i, REFS_MAX);
	return read_refs(c, st, out, n);
}

SQL(repo_refs_there, "SELECT count(*) FROM repo_ref WHERE repo_id = $1 AND gone IS NULL")

int repo_refs_count(struct ctx *c, int64_t repo_id, int64_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &repo_refs_there);

	bind_int(st, 1, repo_id);
	*n = stmt_step(st) == STMT_ROW ? col_int(st, 0) : 0;
	return stmt_status(st);
}

/* --- writing ------------------------------------------------------------------------------------
 */

SQL(repo_insert_row,
    "INSERT INTO repo (name, url, path, in_place, refs, line, snapshots, added, next_try, failures)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0) RETURNING repo_id")

int repo_insert(struct ctx *c, struct repo *r)
{
	struct repo before;
	bool found;
	int e = find_repo(c, r->name, &before, &found);

	if (e < 0)
		return e;
	if (found && before.removed == TIME_NONE)
		return fail(c, E_CONFLICT, "there is a repository %s already", r->name);
	if (found) {
		r->id = before.id;
		return repo_update(c, r);
	}
	auto_stmt struct stmt *st = db_stmt(c, &repo_insert_row);
	bind_text(st, 1, r->name);
	bind_text(st, 2, r->url);
	bind_text(st, 3, r->path);
	bind_int(st, 4, r->in_place);
	bind_text(st, 5, r->refs);
	bind_text(st, 6, r->line);
	bind_int(st, 7, r->snapshots);
	bind_time(st, 8, r->added);
	bind_time(st, 9, r->next_try);
	if (stmt_step(st) == STMT_ROW)
		r->id = col_int(st, 0);
	return stmt_status(st);
}

SQL(repo_update_row,
    "UPDATE repo SET url = $2, path = $3, in_place = $4, refs = $5, line = $6, snapshots = $7,"
    " tried = $8, synced = $9, next_try = $10, failures = $11, problem = $12, removed = $13,"
    " commits = $14"
    " WHERE repo_id = $1")

int repo_update(struct ctx *c, const struct repo *r)
{
	auto_stmt struct stmt *st = db_stmt(c, &repo_update_row);

	bind_int(st, 1, r->id);
	bind_text(st, 2, r->url);
	bind_text(st, 3, r->path);
	bind_int(st, 4, r->in_place);
	bind_text(st, 5, r->refs);
	bind_text(st, 6, r->line);
	bind_int(st, 7, r->snapshots);
	bind_time(st, 8, r->tried);
	bind_time(st, 9, r->synced);
	bind_time(st, 10, r->next_try);
	bind_int(st, 11, r->failures);
	bind_text(st, 12, r->problem);
	bind_time(st, 13, r->removed);
	bind_int(st, 14, r->commits);
	return stmt_run(st);
}

/* Nothing is written for a ref that is where it was. */
SQL(repo_ref_upsert, "INSERT INTO repo_ref (repo_id, name, position, gone) VALUES ($1, $2, $3, $4)"
		     " ON CONFLICT (repo_id, name) DO UPDATE SET position = excluded.position,"
		     " gone = excluded.gone WHERE repo_ref.position <> excluded.position"
		     " OR coalesce(repo_ref.gone, 0) <> coalesce(excluded.gone, 0)")

int repo_ref_set(struct ctx *c, const struct repo_ref *ref)
{
	auto_stmt struct stmt *st = db_stmt(c, &repo_ref_upsert);

	bind_int(st, 1, ref->repo_id);
	bind_text(st, 2, ref->name);
	bind_int(st, 3, ref->position);
	bind_time(st, 4, ref->gone);
	return stmt_run(st);
}

static int by_name(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

int repo_refs_keep(struct ctx *c, int64_t repo_id, const char *const *names, size_t n, int64_t now)
{
	struct repo_ref *refs;
	size_t nrefs;
	int e = repo_refs(c, repo_id, "", &refs, &nrefs);

	for (size_t i = 0; i < nrefs && e >= 0; i++) {
		if (refs[i].gone != TIME_NONE ||
		    (n && bsearch(refs[i].name, names, n, sizeof(*names), by_name)))
			continue;
		refs[i].gone = now;
		e = repo_ref_set(c, &refs[i]);
	}
	return e;
}
