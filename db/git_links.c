/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What messages of commits say of other commits and of mails, asked from both ends. An id in a
 * message is mostly cut to 12 digits, so links are found by their first seven and compared after.
 */
#include "db/commit_row.h"
#include "db/git_commits.h"
#include "server/base/arena.h"

#define LINKS_OF_MAX 200
#define LOOK_AT_MAX  10000 /* links that begin alike */

SQL(git_links_from,
    "SELECT position, kind, target FROM git_link WHERE position = $1 ORDER BY n LIMIT $2")

static void read_link(struct ctx *c, struct stmt *st, struct git_link **out, size_t *cap, size_t *n)
{
	*out = arena_grow(c->arena, *out, cap, *n + 1, sizeof(**out));
	(*out)[(*n)++] = (struct git_link){
		.position = col_int(st, 0),
		.kind = (enum git_link_kind)col_int(st, 1),
		.target = col_text(st, 2),
	};
}

int git_links_of(struct ctx *c, int64_t position, struct git_link **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_links_from);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, position);
	bind_int(st, 2, LINKS_OF_MAX);
	while (stmt_step(st) == STMT_ROW)
		read_link(c, st, out, &cap, n);
	return stmt_status(st);
}

SQL(git_links_by_target, "SELECT position, kind, target FROM git_link WHERE kind = $1"
			 " AND target_key = $2 ORDER BY position, n LIMIT $3")

int git_links_to(struct ctx *c, enum git_link_kind kind, const char *target, size_t max,
		 struct git_link **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_links_by_target);
	bool is_hex = kind != LINK_MESSAGE_ID;
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, kind);
	bind_text(st, 2, is_hex ? arena_strn(c->arena, target, ID_DIGITS_MIN) : target);
	bind_int(st, 3, LOOK_AT_MAX);
	while (*n < max && stmt_step(st) == STMT_ROW) {
		const char *said = col_text_peek(st, 2);

		if (!is_hex || strncmp(said, target, strlen(said)) == 0)
			read_link(c, st, out, &cap, n);
	}
	return stmt_status(st);
}
