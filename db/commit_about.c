/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else is known of a commit: how it built, and which reports named it. */
#include "db/commits.h"
#include "server/base/arena.h"

#define ABOUT_MAX 200

SQL(build_warnings, "SELECT file, line, col, message FROM build_warning WHERE build_id = $1"
		    " ORDER BY n LIMIT 10000")

static int read_warnings(struct ctx *c, struct build *b)
{
	auto_stmt struct stmt *st = db_stmt(c, &build_warnings);
	struct warning *w = NULL;
	size_t cap = 0;

	bind_int(st, 1, b->id);
	while (stmt_step(st) == STMT_ROW) {
		w = arena_grow(c->arena, w, &cap, b->nwarnings + 1, sizeof(*w));
		w[b->nwarnings++] = (struct warning){
			.file = col_text(st, 0),
			.message = col_text(st, 3),
			.line = col_null(st, 1) ? -1 : col_int(st, 1),
			.column = col_null(st, 2) ? -1 : col_int(st, 2),
		};
	}
	b->warnings = w;
	return stmt_status(st);
}

SQL(builds_of_commit, "SELECT build_id, config, compiler, status, received FROM build"
		      " WHERE commit_id = $1 ORDER BY build_id LIMIT $2")

int commit_builds(struct ctx *c, int64_t commit_id, struct build **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &builds_of_commit);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, commit_id);
	bind_int(st, 2, ABOUT_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		struct build *b = &(*out)[(*n)++];
		*b = (struct build){
			.id = col_int(st, 0),
			.config = col_text(st, 1),
			.compiler = col_text(st, 2),
			.status = col_text(st, 3),
			.received = col_int(st, 4),
		};
		int e = read_warnings(c, b);
		if (e < 0)
			return e;
	}
	return stmt_status(st);
}

/* A report of many tables is one report. */
SQL(reports_of_commit,
    "SELECT DISTINCT r.message_id, r.subject, r.url, r.date,"
    " h.metric, h.base, h.verdict, h.change_pct, r.report_id FROM submission s"
    " LEFT JOIN report r ON r.report_id = s.report_id"
    " LEFT JOIN headline h ON h.submission_id = s.submission_id"
    " WHERE s.commit_id = $1 AND (s.report_id IS NOT NULL OR h.submission_id IS NOT NULL)"
    " ORDER BY r.date NULLS LAST, r.report_id NULLS LAST, h.metric NULLS LAST LIMIT $2")

int commit_reports(struct ctx *c, int64_t commit_id, struct report **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &reports_of_commit);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, commit_id);
	bind_int(st, 2, ABOUT_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct report){
			.message_id = col_text(st, 0),
			.subject = col_text(st, 1),
			.url = col_text(st, 2),
			.date = col_time(st, 3),
			.metric = col_text(st, 4),
			.base = col_text(st, 5),
			.verdict = col_text(st, 6),
			.change_pct = col_real(st, 7),
		};
	}
	return stmt_status(st);
}
