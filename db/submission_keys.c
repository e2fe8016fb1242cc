/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys by what they begin with: the range from "text/" to "text0", the byte behind '/'. */
#include "db/submission_keys.h"

#include <assert.h>

#include "server/base/arena.h"

SQL(submission_keys_in_series, "SELECT key, series_id FROM submission WHERE series_id = $1 AND key "
			       ">= $2 AND key < $3 LIMIT $4")
SQL(submission_keys_in_test,
    "SELECT s.key, s.series_id FROM series r JOIN submission s ON s.series_id = r.series_id"
    " WHERE r.tbox_group = $1 AND r.testcase = $5 AND s.key >= $2 AND s.key < $3 LIMIT $4")

/* Binds $2 to $4 and reads; text stays valid until the statement is reset. */
static int read_keys(struct ctx *c, struct stmt *st, const char *text, struct key_list *out)
{
	size_t len = strlen(text), cap = 0;
	char *end = arena_str(c->arena, text);

	assert(len && text[len - 1] == '/');
	end[len - 1]++;
	*out = (struct key_list){0};
	bind_text(st, 2, text);
	bind_text(st, 3, end);
	bind_int(st, 4, SUBMISSION_KEYS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		out->rests =
			arena_grow(c->arena, out->rests, &cap, out->n + 1, sizeof(*out->rests));
		out->rests[out->n++] = arena_str(c->arena, col_text_peek(st, 0) + len);
		out->series_id = col_int(st, 1);
	}
	return stmt_status(st);
}

int submission_keys_of_series(struct ctx *c, int64_t series_id, const char *text,
			      struct key_list *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &submission_keys_in_series);

	bind_int(st, 1, series_id);
	return read_keys(c, st, text, out);
}

int submission_keys_of_test(struct ctx *c, const char *tbox_group, const char *testcase,
			    const char *text, struct key_list *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &submission_keys_in_test);

	bind_text(st, 1, tbox_group);
	bind_text(st, 5, testcase);
	return read_keys(c, st, text, out);
}
