/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ties the rows that uploads made to git's index: a full id to its commit, a tag to what a
 * repository has under it, a stub to the one commit that begins with it. A stub becomes that commit
 * and its name stays as an alias; where the commit has a row already the two do not merge, and the
 * stub only knows its position. What git says of a commit wins over what uploads said.
 */
#include "db/commit_row.h"
#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

SQL(git_row_of,
    "SELECT k.commit_id FROM commits k WHERE k.position = $1"
    " ORDER BY CASE WHEN EXISTS (SELECT 1 FROM measured m WHERE m.commit_id = k.commit_id)"
    " THEN 0 ELSE 1 END, k.kind, k.commit_id LIMIT 1")

int git_commit_row(struct ctx *c, int64_t position, int64_t *commit_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_row_of);

	bind_int(st, 1, position);
	*commit_id = stmt_step(st) == STMT_ROW ? col_int(st, 0) : 0;
	return stmt_status(st);
}

SQL(git_rows_at, "SELECT commit_id FROM commits WHERE position = $1 ORDER BY commit_id LIMIT $2")

int git_commit_rows(struct ctx *c, int64_t position, int64_t **ids, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_rows_at);

	*ids = arena_array(c->arena, int64_t, GIT_ROWS_MAX);
	*n = 0;
	bind_int(st, 1, position);
	bind_int(st, 2, GIT_ROWS_MAX);
	while (stmt_step(st) == STMT_ROW)
		(*ids)[(*n)++] = col_int(st, 0);
	return stmt_status(st);
}

/* --- texts --------------------------------------------------------------------------------------
 */

SQL(git_rows_to_tell, "SELECT k.commit_id, k.position, g.id FROM commits k"
		      " JOIN git_commit g ON g.position = k.position"
		      " WHERE k.position IS NOT NULL AND k.git_text = 0 AND k.commit_id > $1"
		      " ORDER BY k.commit_id LIMIT $2")
SQL(git_rows_of_ours, "SELECT min(k.commit_id), g.position, g.id FROM commits k"
		      " JOIN git_commit g ON g.position = k.position"
		      " WHERE k.position IS NOT NULL AND k.position > $1"
		      " GROUP BY g.position, g.id ORDER BY g.position LIMIT $2")
SQL(git_rows_to_patch, "SELECT min(k.commit_id), g.position, g.id FROM commits k"
		       " JOIN git_commit g ON g.position = k.position"
		       " WHERE k.position IS NOT NULL AND k.position > $1 AND g.patch_id IS NULL"
		       " GROUP BY g.position, g.id ORDER BY g.position LIMIT $2")

static int read_rows(struct ctx *c, const struct sql *sql, int64_t above, size_t max,
		     struct git_row **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, above);
	bind_int(st, 2, (int64_t)max);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct git_row){
			.commit_id = col_int(st, 0),
			.position = col_int(st, 1),
			.id = col_text(st, 2),
		};
	}
	return stmt_status(st);
}

int git_rows_without_text(struct ctx *c, int64_t above, size_t max, struct git_row **out, size_t *n)
{
	return read_rows(c, &git_rows_to_tell, above, max, out, n);
}

int git_rows_known(struct ctx *c, int64_t above, bool without_patch_id, size_t max,
		   struct git_row **out, size_t *n)
{
	return read_rows(c, without_patch_id ? &git_rows_to_patch : &git_rows_of_ours, above, max,
			 out, n);
}

SQL(git_row_text,
    "UPDATE commits SET subject = coalesce($2, subject), message = coalesce($3, message),"
    " author_name = $4, author_email = $5, author_date = $6,"
    " committer_name = $7, committer_email = $8, committer_date = $9,"
    " date = coalesce($9, date), git_text = 1 WHERE commit_id = $1")

static const char *text(const char *s)
{
	return s && s[0] ? s : NULL;
}

int git_row_set_text(struct ctx *c, int64_t commit_id, const struct git_text *t)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_row_text);

	bind_int(st, 1, commit_id);
	bind_text(st, 2, text(t->subject));
	bind_text(st, 3, text(t->message));
	bind_text(st, 4, text(t->author.name));
	bind_text(st, 5, text(t->author.email));
	bind_time(st, 6, t->author.date);
	bind_text(st, 7, text(t->committer.name));
	bind_text(st, 8, text(t->committer.email));
	bind_time(st, 9, t->committer.date);
	return stmt_run(st);
}

/* --- ties ---------------------------------------------------------------------------------------
 */

SQL(git_row_set_position,
    "UPDATE commits SET position = $2, git_text = 0,"
    " subject = coalesce((SELECT nullif(g.subject, '') FROM git_commit g WHERE g.position = $2),"
    " subject),"
    " date = coalesce((SELECT g.date FROM git_commit g WHERE g.position = $2), date)"
    " WHERE commit_id = $1")

static int set_position(struct ctx *c, int64_t commit_id, int64_t position)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_row_set_position);

	bind_int(st, 1, commit_id);
	if (position)
		bind_int(st, 2, position);
	else
		bind_null(st, 2);
	return stmt_run(st);
}

SQL(git_position_of_id, "SELECT position FROM git_commit WHERE id = $1")
/* The repository called as the tree, or all of them: two rows mean that they do not agree. */
SQL(git_position_of_tag, "SELECT DISTINCT f.position FROM repo_ref f"
			 " JOIN repo r ON r.repo_id = f.repo_id"
			 " WHERE f.name = $1 AND (r.name = $2 OR $2 = '')"
			 " ORDER BY f.position LIMIT 2")

static int find_position(struct ctx *c, enum commit_kind kind, const char *name, const char *tree,
			 int64_t *position)
{
	bool is_ref = kind == COMMIT_REF;
	auto_stmt struct stmt *st = db_stmt(c, is_ref ? &git_position_of_tag : &git_position_of_id);

	*position = 0;
	bind_text(st, 1, is_ref ? arena_fmt(c->arena, "refs/tags/%s", name) : name);
	if (is_ref)
		bind_text(st, 2, tree);
	if (stmt_step(st) == STMT_ROW) {
		*position = col_int(st, 0);
		if (stmt_step(st) == STMT_ROW)
			*position = 0;
	}
	return stmt_status(st);
}

SQL(git_row_name, "SELECT kind, name, tree FROM commits WHERE commit_id = $1")

int git_row_tie(struct ctx *c, int64_t commit_id, int64_t *position)
{
	enum commit_kind kind = COMMIT_STUB;
	const char *name = NULL, *tree = NULL;
	{
		auto_stmt struct stmt *st = db_stmt(c, &git_row_name);

		bind_int(st, 1, commit_id);
		if (stmt_step(st) == STMT_ROW) {
			kind = (enum commit_kind)col_int(st, 0);
			name = col_text(st, 1);
			tree = col_text(st, 2);
		}
		*position = 0;
		if (stmt_status(st) < 0 || kind == COMMIT_STUB)
			return stmt_status(st);
	}
	int e = find_position(c, kind, name, tree, position);
	return e < 0 || !*position ? e : set_position(c, commit_id, *position);
}

struct stub {
	int64_t commit_id;
	const char *name;
	bool tied;
};

SQL(git_full_besides, "SELECT 1 FROM commits WHERE name >= $1 AND name < $2 AND tree = ''"
		      " AND kind = 0 AND name <> $3 LIMIT 1")
SQL(git_full_exists, "SELECT 1 FROM commits WHERE name = $1 AND tree = '' LIMIT 1")

/* Whether a commit that git does not know may be meant as well. */
static int besides(struct ctx *c, const char *stub, const char *full, bool *is)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_full_besides);

	bind_text(st, 1, stub);
	bind_text(st, 2, hex_above(c->arena, stub));
	bind_text(st, 3, full);
	*is = stmt_step(st) == STMT_ROW;
	return stmt_status(st);
}

static int has_row(struct ctx *c, const char *full, bool *has)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_full_exists);

	bind_text(st, 1, full);
	*has = stmt_step(st) == STMT_ROW;
	return stmt_status(st);
}

static int tie_stub(struct ctx *c, const struct stub *s, int64_t now)
{
	struct git_commit *fits;
	size_t n;
	bool other = false, has;
	int e = git_commit_by_prefix(c, s->name, 2, &fits, &n);

	if (e >= 0 && n == 1)
		e = besides(c, s->name, fits[0].id, &other);
	if (e < 0)
		return e;
	if (n != 1 || other)
		return s->tied ? set_position(c, s->commit_id, 0) : E_OK;
	if (s->tied)
		return E_OK;
	if ((e = has_row(c, fits[0].id, &has)) < 0)
		return e;
	if (!has && (e = commit_complete_stub(c, s->commit_id, fits[0].id, now)) < 0)
		return e;
	return set_position(c, s->commit_id, fits[0].position);
}

SQL(git_stubs_below, "SELECT commit_id, name, position FROM commits WHERE kind = 1 AND name < $1"
		     " ORDER BY name DESC LIMIT $2")

/* Downwards, so that of two stubs of one commit the longer one becomes it. */
int git_stubs_tie(struct ctx *c, const char *below, size_t max, int64_t now, const char **next)
{
	struct stub *stubs = arena_array(c->arena, struct stub, max);
	size_t n = 0;
	{
		auto_stmt struct stmt *st = db_stmt(c, &git_stubs_below);

		bind_text(st, 1, below ? below : "g");
		bind_int(st, 2, (int64_t)max);
		while (n < max && stmt_step(st) == STMT_ROW)
			stubs[n++] = (struct stub){
				.commit_id = col_int(st, 0),
				.name = col_text(st, 1),
				.tied = !col_null(st, 2),
			};
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	for (size_t i = 0; i < n; i++) {
		int e = tie_stub(c, &stubs[i], now);

		if (e < 0)
			return e;
	}
	*next = n == max ? stubs[n - 1].name : NULL;
	return E_OK;
}

SQL(git_refs_untied, "SELECT commit_id FROM commits WHERE kind = 2 AND position IS NULL"
		     " AND commit_id > $1 ORDER BY commit_id LIMIT $2")

int git_refs_tie(struct ctx *c, int64_t above, size_t max, int64_t *next)
{
	int64_t *ids = arena_array(c->arena, int64_t, max), position;
	size_t n = 0;
	{
		auto_stmt struct stmt *st = db_stmt(c, &git_refs_untied);

		bind_int(st, 1, above);
		bind_int(st, 2, (int64_t)max);
		while (n < max && stmt_step(st) == STMT_ROW)
			ids[n++] = col_int(st, 0);
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	for (size_t i = 0; i < n; i++) {
		int e = git_row_tie(c, ids[i], &position);

		if (e < 0)
			return e;
	}
	*next = n == max ? ids[n - 1] : 0;
	return E_OK;
}
