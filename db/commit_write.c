/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ensuring commits: finds, creates or completes the row, and adds what an upload tells. A stub
 * becomes the commit whose full id it alone begins, and its name stays as an alias, so that this
 * can be undone; two stubs never merge. Of two uploads' texts the first that is not empty wins,
 * and what git says over both; trees add up.
 */
#include "db/commit_row.h"
#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define SHORT_FITS_MAX 32

/* Empty is not known. */
static const char *text(const char *s)
{
	return s && s[0] ? s : NULL;
}

SQL(commit_insert, "INSERT INTO commits (name, tree, kind, first_received) VALUES ($1, $2, $3, $4)"
		   " RETURNING commit_id")

static int insert_row(struct ctx *c, const char *name, const char *tree, enum commit_kind kind,
		      int64_t now, int64_t *id)
{
	auto_stmt struct stmt *st = db_stmt(c, &commit_insert);

	bind_text(st, 1, name);
	bind_text(st, 2, tree);
	bind_int(st, 3, kind);
	bind_int(st, 4, now);
	if (stmt_step(st) == STMT_ROW)
		*id = col_int(st, 0);
	return stmt_status(st);
}

SQL(commit_alias_insert, "INSERT INTO commit_alias (name, tree, commit_id, received)"
			 " VALUES ($1, '', $2, $3)")

static int insert_alias(struct ctx *c, const char *name, int64_t id, int64_t now)
{
	auto_stmt struct stmt *st = db_stmt(c, &commit_alias_insert);

	bind_text(st, 1, name);
	bind_int(st, 2, id);
	bind_int(st, 3, now);
	return stmt_run(st);
}

SQL(commit_alias_of_stub, "INSERT INTO commit_alias (name, tree, commit_id, received)"
			  " SELECT name, tree, commit_id, $2 FROM commits WHERE commit_id = $1")
SQL(commit_complete, "UPDATE commits SET name = $2, kind = 0 WHERE commit_id = $1")

int commit_complete_stub(struct ctx *c, int64_t id, const char *full, int64_t now)
{
	auto_stmt struct stmt *alias = db_stmt(c, &commit_alias_of_stub);
	auto_stmt struct stmt *st = db_stmt(c, &commit_complete);

	bind_int(alias, 1, id);
	bind_time(alias, 2, now);
	int e = stmt_run(alias);
	if (e < 0)
		return e;
	bind_int(st, 1, id);
	bind_text(st, 2, full);
	return stmt_run(st);
}

SQL(commit_begun_by,
    "SELECT commit_id, name, kind FROM commits WHERE name >= $1 AND name < $2 AND tree = ''"
    " ORDER BY name LIMIT $3")

/* The one full id that a short one begins, its row, and 0 for the row when only git knows it. NULL
 * when there is none, or when another commit may be meant as well: a second full id, or a longer
 * stub that is no prefix of the first. */
static int full_of_short(struct ctx *c, const char *name, const char **full, int64_t *id)
{
	const char *names[SHORT_FITS_MAX + 2];
	struct git_commit *in_git;
	size_t n = 0, ngit;
	int e = git_commit_by_prefix(c, name, 2, &in_git, &ngit);
	auto_stmt struct stmt *st = db_stmt(c, &commit_begun_by);

	*id = 0;
	*full = NULL;
	bind_text(st, 1, name);
	bind_text(st, 2, hex_above(c->arena, name));
	bind_int(st, 3, SHORT_FITS_MAX);
	while (n < SHORT_FITS_MAX && stmt_step(st) == STMT_ROW) {
		names[n] = col_text(st, 1);
		if (col_int(st, 2) == COMMIT_FULL) {
			*full = names[n];
			*id = col_int(st, 0);
		}
		n++;
	}
	if (e < 0 || stmt_status(st) < 0)
		return e < 0 ? e : stmt_status(st);
	bool fits = n < SHORT_FITS_MAX;
	for (size_t i = 0; i < ngit; i++)
		names[n++] = in_git[i].id;
	if (!*full && ngit)
		*full = in_git[0].id;
	for (size_t i = 0; i < n && *full; i++)
		fits = fits && strncmp(names[i], *full, strlen(names[i])) == 0;
	if (!fits)
		*full = NULL;
	return E_OK;
}

/* A full id: completes its stub, or is new. */
static int ensure_full(struct ctx *c, const char *full, int64_t now, int64_t *id)
{
	int64_t position;
	int e = commit_stub_of(c, full, id);

	if (e >= 0)
		e = *id ? commit_complete_stub(c, *id, full, now)
			: insert_row(c, full, "", COMMIT_FULL, now, id);
	return e < 0 ? e : git_row_tie(c, *id, &position);
}

static int ensure_hex(struct ctx *c, const char *name, int64_t now, int64_t *id)
{
	const char *full;

	if (strlen(name) == ID_DIGITS)
		return ensure_full(c, name, now, id);
	int e = full_of_short(c, name, &full, id);
	if (e < 0)
		return e;
	if (!full)
		return insert_row(c, name, "", COMMIT_STUB, now, id);
	if (!*id && (e = ensure_full(c, full, now, id)) < 0)
		return e;
	return insert_alias(c, name, *id, now);
}

static int ensure_ref(struct ctx *c, const char *name, const char *tree, int64_t now, int64_t *id)
{
	int64_t position;
	int e = insert_row(c, name, tree, COMMIT_REF, now, id);

	return e < 0 ? e : git_row_tie(c, *id, &position);
}

/* The row of a name; created or completed when it must be. */
static int ensure_name(struct ctx *c, const char *name, bool is_hex, const char *tree, int64_t now,
		       int64_t *id)
{
	const char *in_tree = is_hex || !tree ? "" : tree;
	int64_t ids[2];
	size_t n;
	int e = commit_exact(c, name, in_tree, ids, &n);

	if (e < 0)
		return e;
	if (n) {
		*id = ids[0];
		return E_OK;
	}
	return is_hex ? ensure_hex(c, name, now, id) : ensure_ref(c, name, in_tree, now, id);
}

/* --- texts -------------------------------------------------------------------------------------
 */

enum {
	HAS_SUBJECT = 1,
	HAS_MESSAGE = 2,
	HAS_LABEL = 4,
	HAS_AUTHOR = 8,
	HAS_COMMITTER = 16,
	HAS_DATE = 32,
	HAS_GIT = 64, /* all but the label are git's, also where git says nothing */
};

SQL(commit_missing,
    "SELECT CASE WHEN subject IS NULL THEN 1 ELSE 0 END"
    " + CASE WHEN message IS NULL THEN 2 ELSE 0 END"
    " + CASE WHEN label IS NULL THEN 4 ELSE 0 END"
    " + CASE WHEN author_name IS NULL AND author_email IS NULL THEN 8 ELSE 0 END"
    " + CASE WHEN committer_name IS NULL AND committer_email IS NULL THEN 16 ELSE 0 END"
    " + CASE WHEN date IS NULL THEN 32 ELSE 0 END + 64 * git_text"
    " FROM commits WHERE commit_id = $1")

static unsigned texts_given(const struct commit_in *in)
{
	return (text(in->subject) ? HAS_SUBJECT : 0u) | (text(in->message) ? HAS_MESSAGE : 0u) |
	       (text(in->label) ? HAS_LABEL : 0u) |
	       (text(in->author.name) || text(in->author.email) ? HAS_AUTHOR : 0u) |
	       (text(in->committer.name) || text(in->committer.email) ? HAS_COMMITTER : 0u) |
	       (in->date != TIME_NONE ? HAS_DATE : 0u);
}

SQL(commit_add_texts,
    "UPDATE commits SET subject = coalesce(subject, $2), message = coalesce(message, $3),"
    " label = coalesce(label, $4), author_name = coalesce(author_name, $5),"
    " author_email = coalesce(author_email, $6), author_date = coalesce(author_date, $7),"
    " committer_name = coalesce(committer_name, $8),"
    " committer_email = coalesce(committer_email, $9),"
    " committer_date = coalesce(committer_date, $10), date = coalesce(date, $11)"
    " WHERE commit_id = $1")

/* A person is taken whole or not at all. */
static void bind_person(struct stmt *st, int i, const struct person *p, bool take)
{
	bind_text(st, i, take ? text(p->name) : NULL);
	bind_text(st, i + 1, take ? text(p->email) : NULL);
	bind_time(st, i + 2, take ? p->date : TIME_NONE);
}

static int add_texts(struct ctx *c, int64_t id, const struct commit_in *in)
{
	unsigned given = texts_given(in), missing = 0;

	if (!given)
		return E_OK;
	{
		auto_stmt struct stmt *st = db_stmt(c, &commit_missing);

		bind_int(st, 1, id);
		if (stmt_step(st) == STMT_ROW)
			missing = (unsigned)col_int(st, 0);
		if (missing & HAS_GIT)
			missing = missing & HAS_LABEL;
		if (stmt_status(st) < 0 || !(given & missing))
			return stmt_status(st);
	}
	auto_stmt struct stmt *st = db_stmt(c, &commit_add_texts);
	bind_int(st, 1, id);
	bind_text(st, 2, missing & HAS_SUBJECT ? text(in->subject) : NULL);
	bind_text(st, 3, missing & HAS_MESSAGE ? text(in->message) : NULL);
	bind_text(st, 4, missing & HAS_LABEL ? text(in->label) : NULL);
	bind_person(st, 5, &in->author, missing & HAS_AUTHOR);
	bind_person(st, 8, &in->committer, missing & HAS_COMMITTER);
	bind_time(st, 11, missing & HAS_DATE ? in->date : TIME_NONE);
	return stmt_run(st);
}

SQL(commit_tree_insert, "INSERT INTO commit_tree (commit_id, tree) VALUES ($1, $2)"
			" ON CONFLICT (commit_id, tree) DO NOTHING")

static int add_tree(struct ctx *c, int64_t id, const char *tree)
{
	if (!text(tree))
		return E_OK;
	auto_stmt struct stmt *st = db_stmt(c, &commit_tree_insert);
	bind_int(st, 1, id);
	bind_text(st, 2, tree);
	return stmt_run(st);
}

SQL(commit_parent_insert, "INSERT INTO commit_parent (commit_id, n, parent_id) VALUES ($1, $2, $3)")

/* The first list that is not empty wins. A commit that names itself as a parent is not believed. */
static int add_parents(struct ctx *c, int64_t id, const struct commit_in *in, int64_t now)
{
	int64_t known, n = 0;

	if (!in->nparents)
		return E_OK;
	int e = commit_nth_parent(c, id, 0, &known);
	if (e < 0 || known)
		return e;
	for (size_t i = 0; i < in->nparents; i++) {
		int64_t parent;

		e = ensure_name(c, in->parents[i], true, NULL, now, &parent);
		if (e < 0)
			return e;
		if (parent == id)
			continue;
		auto_stmt struct stmt *st = db_stmt(c, &commit_parent_insert);
		bind_int(st, 1, id);
		bind_int(st, 2, n++);
		bind_int(st, 3, parent);
		e = stmt_run(st);
		if (e < 0)
			return e;
	}
	return E_OK;
}

SQL(patch_upsert, "INSERT INTO patch (commit_id, message_id, version, part, total, base, diff)"
		  " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (commit_id) DO UPDATE SET"
		  " message_id = coalesce(patch.message_id, excluded.message_id),"
		  " version = coalesce(patch.version, excluded.version),"
		  " part = coalesce(patch.part, excluded.part),"
		  " total = coalesce(patch.total, excluded.total),"
		  " base = coalesce(patch.base, excluded.base),"
		  " diff = coalesce(patch.diff, excluded.diff)")

static void bind_count(struct stmt *st, int i, int64_t v)
{
	if (v < 0)
		bind_null(st, i);
	else
		bind_int(st, i, v);
}

static int add_patch(struct ctx *c, int64_t id, const struct patch_in *p)
{
	if (!p->given)
		return E_OK;
	auto_stmt struct stmt *st = db_stmt(c, &patch_upsert);
	bind_int(st, 1, id);
	bind_text(st, 2, text(p->message_id));
	bind_count(st, 3, p->version);
	bind_count(st, 4, p->index);
	bind_count(st, 5, p->total);
	bind_text(st, 6, text(p->base));
	bind_text(st, 7, text(p->diff));
	return stmt_run(st);
}

int commit_ensure(struct ctx *c, const struct commit_in *in, int64_t now, int64_t *commit_id,
		  int64_t *build_id)
{
	int e = ensure_name(c, in->id, in->is_hex, in->tree, now, commit_id);

	*build_id = -1;
	if (e < 0 || (e = add_texts(c, *commit_id, in)) < 0 ||
	    (e = add_tree(c, *commit_id, in->tree)) < 0 ||
	    (e = add_parents(c, *commit_id, in, now)) < 0 ||
	    (e = add_patch(c, *commit_id, &in->patch)) < 0)
		return e;
	return build_ensure(c, *commit_id, &in->build, now, build_id);
}
