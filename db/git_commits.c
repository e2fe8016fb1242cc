/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of commits: positions, ids, parents, dates, subjects. Parents are kept as positions of
 * four bytes, so that the graph of a million commits is read in one go. What messages say of other
 * commits is in git_links.c, what ties uploaded rows to the index in git_ties.c.
 */
#include "db/git_commits.h"

#include <ctype.h>

#include "db/commit_row.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/digest.h"

#define EACH_ROWS 20000

#define COLUMNS "position, id, date, author_date, subject, patch_id, parents"

static size_t unpack_parents(const unsigned char *p, size_t bytes, uint32_t *parents)
{
	size_t n = bytes / 4 < GIT_PARENTS_MAX ? bytes / 4 : GIT_PARENTS_MAX;

	for (size_t i = 0; i < n; i++, p += 4)
		parents[i] = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			     (uint32_t)p[3] << 24;
	return n;
}

static void pack_parents(const struct git_commit *k, unsigned char *p)
{
	for (size_t i = 0; i < k->nparents; i++)
		for (int shift = 0; shift < 32; shift += 8)
			*p++ = (unsigned char)(k->parents[i] >> shift);
}

static void read_commit(struct stmt *st, struct git_commit *k)
{
	const unsigned char *blob;
	size_t bytes;

	k->position = col_int(st, 0);
	k->id = col_text(st, 1);
	k->date = col_int(st, 2);
	k->author_date = col_int(st, 3);
	k->subject = col_text(st, 4);
	k->patch_id = col_text(st, 5);
	blob = col_blob_peek(st, 6, &bytes);
	k->nparents = unpack_parents(blob, bytes, k->parents);
}

static int read_one(struct ctx *c, struct stmt *st, struct git_commit *out, const char *what)
{
	int r = stmt_step(st);

	if (r == STMT_DONE)
		return fail(c, E_NOTFOUND, "git does not know %s", what);
	if (r == STMT_ROW)
		read_commit(st, out);
	return stmt_status(st);
}

SQL(git_commit_of_id, "SELECT " COLUMNS " FROM git_commit WHERE id = $1")
SQL(git_commit_of_position, "SELECT " COLUMNS " FROM git_commit WHERE position = $1")

int git_commit_by_id(struct ctx *c, const char *id, struct git_commit *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commit_of_id);

	bind_text(st, 1, id);
	return read_one(c, st, out, id);
}

int git_commit_at(struct ctx *c, int64_t position, struct git_commit *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commit_of_position);

	bind_int(st, 1, position);
	return read_one(c, st, out, "this commit");
}

static int read_many(struct ctx *c, struct stmt *st, size_t max, struct git_commit **out, size_t *n)
{
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	while (*n < max && stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		read_commit(st, &(*out)[(*n)++]);
	}
	return stmt_status(st);
}

SQL(git_commits_of_prefix,
    "SELECT " COLUMNS " FROM git_commit WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3")
SQL(git_commits_of_subject,
    "SELECT " COLUMNS " FROM git_commit WHERE subject_key = $1 ORDER BY position LIMIT $2")
SQL(git_commits_of_patch_id, "SELECT " COLUMNS " FROM git_commit WHERE patch_id = $1"
			     " AND patch_id <> '' ORDER BY position LIMIT $2")

int git_commit_by_prefix(struct ctx *c, const char *prefix, size_t max, struct git_commit **out,
			 size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commits_of_prefix);

	bind_text(st, 1, prefix);
	bind_text(st, 2, hex_above(c->arena, prefix));
	bind_int(st, 3, (int64_t)max);
	return read_many(c, st, max, out, n);
}

int git_commit_by_subject(struct ctx *c, const char *subject, size_t max, struct git_commit **out,
			  size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commits_of_subject);

	bind_int(st, 1, git_subject_key(subject));
	bind_int(st, 2, (int64_t)max);
	return read_many(c, st, max, out, n);
}

int git_commit_by_patch_id(struct ctx *c, const char *patch_id, size_t max, struct git_commit **out,
			   size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commits_of_patch_id);

	bind_text(st, 1, patch_id);
	bind_int(st, 2, (int64_t)max);
	return read_many(c, st, max, out, n);
}

SQL(git_commit_last, "SELECT position FROM git_commit ORDER BY position DESC LIMIT 1")

int git_commit_newest(struct ctx *c, int64_t *position)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commit_last);

	*position = stmt_step(st) == STMT_ROW ? col_int(st, 0) : 0;
	return stmt_status(st);
}

SQL(git_commits_above, "SELECT position, date, parents FROM git_commit WHERE position > $1"
		       " ORDER BY position LIMIT $2")

int git_commit_each(struct ctx *c, int64_t above,
		    int (*each)(void *arg, const struct git_commit *k), void *arg)
{
	struct git_commit k = {0};
	int rows;

	do {
		auto_stmt struct stmt *st = db_stmt(c, &git_commits_above);
		size_t bytes;

		bind_int(st, 1, above);
		bind_int(st, 2, EACH_ROWS);
		for (rows = 0; stmt_step(st) == STMT_ROW; rows++) {
			const unsigned char *blob = col_blob_peek(st, 2, &bytes);

			k.position = above = col_int(st, 0);
			k.date = col_int(st, 1);
			k.nparents = unpack_parents(blob, bytes, k.parents);
			int e = each(arg, &k);
			if (e < 0)
				return e;
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	} while (rows == EACH_ROWS);
	return E_OK;
}

/* --- writing ------------------------------------------------------------------------------------
 */

/* Past "[PATCH v2 3/7]" and other brackets that speak of a patch, which mails have in front. */
static const char *skip_patch_tags(const char *s)
{
	for (;;) {
		s += strspn(s, " \t");
		const char *end = *s == '[' ? strchr(s, ']') : NULL;
		if (!end || !memmem(s, (size_t)(end - s), "PATCH", 5))
			return s;
		s = end + 1;
	}
}

int64_t git_subject_key(const char *subject)
{
	struct digest_state d;
	struct digest sum;
	uint64_t key = 0;

	digest_init(&d);
	for (const char *p = skip_patch_tags(subject); *p; p++) {
		char ch = (char)tolower((unsigned char)*p);

		if (!strchr(" \t\r\n\f\v", ch))
			digest_add(&d, &ch, 1);
	}
	sum = digest_end(&d);
	for (size_t i = 0; i < 8; i++)
		key = key << 8 | sum.b[i];
	return (int64_t)(key >> 1);
}

SQL(git_position_by_id, "SELECT position FROM git_commit WHERE id = $1")

int git_commit_position(struct ctx *c, const char *id, int64_t *position)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_position_by_id);

	bind_text(st, 1, id);
	*position = stmt_step(st) == STMT_ROW ? col_int(st, 0) : 0;
	return stmt_status(st);
}

SQL(git_commit_insert, "INSERT INTO git_commit (position, id, parents, date, author_date, subject,"
		       " subject_key, patch_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")

static int insert_commit(struct ctx *c, const struct git_commit *k)
{
	unsigned char parents[4 * GIT_PARENTS_MAX];
	auto_stmt struct stmt *st = db_stmt(c, &git_commit_insert);

	pack_parents(k, parents);
	bind_int(st, 1, k->position);
	bind_text(st, 2, k->id);
	bind_blob(st, 3, parents, 4 * k->nparents);
	bind_int(st, 4, k->date);
	bind_int(st, 5, k->author_date);
	bind_text(st, 6, k->subject);
	bind_int(st, 7, git_subject_key(k->subject));
	bind_text(st, 8, k->patch_id);
	return stmt_run(st);
}

SQL(git_link_insert, "INSERT INTO git_link (position, n, kind, target, target_key)"
		     " VALUES ($1, $2, $3, $4, $5)")

static int insert_links(struct ctx *c, int64_t position, const struct git_link *links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_stmt struct stmt *st = db_stmt(c, &git_link_insert);
		const char *target = links[i].target;
		bool is_hex = links[i].kind != LINK_MESSAGE_ID;

		bind_int(st, 1, position);
		bind_int(st, 2, (int64_t)i);
		bind_int(st, 3, links[i].kind);
		bind_text(st, 4, target);
		bind_text(st, 5, is_hex ? arena_strn(c->arena, target, ID_DIGITS_MIN) : target);
		int e = stmt_run(st);
		if (e < 0)
			return e;
	}
	return E_OK;
}

SQL(commit_row_of_id, "SELECT commit_id FROM commits WHERE name = $1 AND tree = ''")

static int tie_row(struct ctx *c, const struct git_commit *k)
{
	int64_t commit_id = 0, position;
	{
		auto_stmt struct stmt *st = db_stmt(c, &commit_row_of_id);

		bind_text(st, 1, k->id);
		if (stmt_step(st) == STMT_ROW)
			commit_id = col_int(st, 0);
		if (stmt_status(st) < 0 || !commit_id)
			return stmt_status(st);
	}
	return git_row_tie(c, commit_id, &position);
}

int git_commit_add(struct ctx *c, struct git_commit *k, const struct git_link *links, size_t nlinks)
{
	int64_t newest;
	int e = git_commit_position(c, k->id, &k->position);

	if (e < 0 || k->position)
		return e;
	if ((e = git_commit_newest(c, &newest)) < 0)
		return e;
	for (size_t i = 0; i < k->nparents; i++)
		if (!k->parents[i] || k->parents[i] > newest)
			return fail(c, E_INTERNAL, "a parent of %s is not in the index", k->id);
	k->position = newest + 1;
	if (k->position > UINT32_MAX)
		return fail(c, E_TOO_LARGE, "the index of commits is full");
	if ((e = insert_commit(c, k)) < 0 || (e = insert_links(c, k->position, links, nlinks)) < 0)
		return e;
	return tie_row(c, k);
}

SQL(git_commit_patch_id, "UPDATE git_commit SET patch_id = $2 WHERE position = $1")

int git_commit_set_patch_id(struct ctx *c, int64_t position, const char *patch_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_commit_patch_id);

	bind_int(st, 1, position);
	bind_text(st, 2, patch_id);
	return stmt_run(st);
}
