/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which commits are patches, and of which mail. */
#include "db/patches.h"

#include <string.h>

#include "server/base/arena.h"

#define OF_MAIL_MAX 100

static const char *bare(struct arena *a, const char *id)
{
	size_t n = strlen(id);

	return n > 2 && id[0] == '<' && id[n - 1] == '>' ? arena_strn(a, id + 1, n - 2) : id;
}

static int read_rows(struct ctx *c, struct stmt *st, struct patch_row **out, size_t *n)
{
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct patch_row){
			.commit_id = col_int(st, 0),
			.message_id = bare(c->arena, col_text(st, 1)),
			.subject = col_text(st, 2),
			.author = col_text(st, 3),
			.version = col_null(st, 4) ? -1 : col_int(st, 4),
			.index = col_null(st, 5) ? -1 : col_int(st, 5),
			.total = col_null(st, 6) ? -1 : col_int(st, 6),
		};
	}
	return stmt_status(st);
}

SQL(patches_mail, "SELECT p.commit_id, p.message_id, k.subject, k.author_email, p.version, p.part,"
		  " p.total FROM patch p JOIN commits k ON k.commit_id = p.commit_id"
		  " WHERE p.message_id = $1 OR p.message_id = $2 ORDER BY p.commit_id LIMIT $3")

int patches_of_mail(struct ctx *c, const char *message_id, struct patch_row **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &patches_mail);
	const char *id = bare(c->arena, message_id);

	bind_text(st, 1, id);
	bind_text(st, 2, arena_fmt(c->arena, "<%s>", id));
	bind_int(st, 3, OF_MAIL_MAX);
	return read_rows(c, st, out, n);
}

SQL(patches_newest,
    "SELECT p.commit_id, p.message_id, k.subject, k.author_email, p.version, p.part,"
    " p.total FROM patch p JOIN commits k ON k.commit_id = p.commit_id"
    " WHERE p.message_id IS NOT NULL ORDER BY p.commit_id DESC LIMIT $1")

int patches_recent(struct ctx *c, struct patch_row **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &patches_newest);

	bind_int(st, 1, PATCHES_RECENT_MAX);
	return read_rows(c, st, out, n);
}
