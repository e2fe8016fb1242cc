/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of measured commits: for the measured neighbours of one that nobody measured. */
#include "db/git_measured.h"

#include "db/series.h"
#include "server/base/arena.h"

SQL(git_measured, "SELECT DISTINCT k.position FROM commits k"
		  " WHERE k.position IS NOT NULL AND EXISTS (SELECT 1 FROM measured m"
		  " WHERE m.commit_id = k.commit_id AND " MEASURED_IN_VIEW ")"
		  " ORDER BY k.position DESC LIMIT $1")

int git_measured_positions(struct ctx *c, int64_t **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &git_measured);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, GIT_MEASURED_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = col_int(st, 0);
	}
	for (size_t i = 0; i < *n / 2; i++) {
		int64_t swap = (*out)[i];

		(*out)[i] = (*out)[*n - 1 - i];
		(*out)[*n - 1 - i] = swap;
	}
	return stmt_status(st);
}
