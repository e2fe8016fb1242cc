/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ensuring builds: how a commit built, with its warnings. The same build told by every run of it is
 * kept once, found by a digest over all that was said.
 */
#include "db/commit_row.h"

#include "server/base/digest.h"

static struct digest build_digest(const struct build_in *b)
{
	struct digest_state d;

	digest_init(&d);
	digest_add_str(&d, b->config);
	digest_add_str(&d, b->compiler);
	digest_add_str(&d, b->status);
	for (size_t i = 0; i < b->nwarnings; i++) {
		const struct warning *w = &b->warnings[i];
		char place[64];

		snprintf(place, sizeof(place), "%lld %lld", (long long)w->line,
			 (long long)w->column);
		digest_add_str(&d, w->file);
		digest_add_str(&d, place);
		digest_add_str(&d, w->message);
	}
	return digest_end(&d);
}

SQL(build_warning_insert, "INSERT INTO build_warning (build_id, n, file, line, col, message)"
			  " VALUES ($1, $2, $3, $4, $5, $6)")

static int insert_warning(struct ctx *c, int64_t build_id, size_t n, const struct warning *w)
{
	auto_stmt struct stmt *st = db_stmt(c, &build_warning_insert);

	bind_int(st, 1, build_id);
	bind_int(st, 2, (int64_t)n);
	bind_text(st, 3, w->file);
	if (w->line < 0)
		bind_null(st, 4);
	else
		bind_int(st, 4, w->line);
	if (w->column < 0)
		bind_null(st, 5);
	else
		bind_int(st, 5, w->column);
	bind_text(st, 6, w->message);
	return stmt_run(st);
}

SQL(build_find, "SELECT build_id FROM build WHERE commit_id = $1 AND digest = $2")
SQL(build_insert, "INSERT INTO build (commit_id, digest, config, compiler, status, received)"
		  " VALUES ($1, $2, $3, $4, $5, $6) RETURNING build_id")

int build_ensure(struct ctx *c, int64_t commit_id, const struct build_in *b, int64_t now,
		 int64_t *build_id)
{
	*build_id = -1;
	if (!b->given)
		return E_OK;
	struct digest d = build_digest(b);
	auto_stmt struct stmt *find = db_stmt(c, &build_find);
	bind_int(find, 1, commit_id);
	bind_blob(find, 2, d.b, DIGEST_LEN);
	if (stmt_step(find) == STMT_ROW) {
		*build_id = col_int(find, 0);
		return E_OK;
	}
	if (stmt_status(find) < 0)
		return stmt_status(find);

	auto_stmt struct stmt *st = db_stmt(c, &build_insert);
	bind_int(st, 1, commit_id);
	bind_blob(st, 2, d.b, DIGEST_LEN);
	bind_text(st, 3, b->config);
	bind_text(st, 4, b->compiler);
	bind_text(st, 5, b->status);
	bind_int(st, 6, now);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	*build_id = col_int(st, 0);
	for (size_t i = 0; i < b->nwarnings; i++) {
		int e = insert_warning(c, *build_id, i, &b->warnings[i]);

		if (e < 0)
			return e;
	}
	return E_OK;
}
