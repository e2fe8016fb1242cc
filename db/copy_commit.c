/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits for a copy: the name that an upload gave, and once for each commit its texts, parents,
 * trees, other names, patch and builds. */
#include "db/copy_commit.h"

#include "db/commit_row.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define LIST_MAX     100000
#define WARNINGS_MAX 1000000

SQL(copy_warnings, "SELECT file, line, col, message FROM build_warning WHERE build_id = $1"
		   " ORDER BY n LIMIT $2")

static int read_warnings(struct ctx *c, int64_t build_id, struct build_in *b)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_warnings);
	struct warning *list = NULL;
	size_t cap = 0;

	bind_int(st, 1, build_id);
	bind_int(st, 2, WARNINGS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		list = arena_grow(c->arena, list, &cap, b->nwarnings + 1, sizeof(*list));
		list[b->nwarnings++] = (struct warning){
			.file = col_text(st, 0),
			.line = col_null(st, 1) ? -1 : col_int(st, 1),
			.column = col_null(st, 2) ? -1 : col_int(st, 2),
			.message = col_text(st, 3),
		};
	}
	b->warnings = list;
	return stmt_status(st);
}

SQL(copy_build_row, "SELECT config, compiler, status FROM build WHERE build_id = $1")

int copy_build(struct ctx *c, int64_t build_id, struct build_in *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_build_row);

	bind_int(st, 1, build_id);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	*out = (struct build_in){
		.given = true,
		.config = col_text(st, 0),
		.compiler = col_text(st, 1),
		.status = col_text(st, 2),
	};
	return read_warnings(c, build_id, out);
}

SQL(copy_builds, "SELECT build_id, received FROM build WHERE commit_id = $1"
		 " ORDER BY build_id LIMIT $2")

static int read_builds(struct ctx *c, int64_t commit_id, struct stored_in *in)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_builds);
	struct stored_build *list = NULL;
	size_t cap = 0;

	bind_int(st, 1, commit_id);
	bind_int(st, 2, LIST_MAX);
	while (stmt_step(st) == STMT_ROW) {
		list = arena_grow(c->arena, list, &cap, in->nbuilds + 1, sizeof(*list));
		list[in->nbuilds].received = col_int(st, 1);
		if (copy_build(c, col_int(st, 0), &list[in->nbuilds++].build) < 0)
			return (int)c->err;
	}
	in->builds = list;
	return stmt_status(st);
}

SQL(copy_trees, "SELECT tree FROM commit_tree WHERE commit_id = $1 ORDER BY tree LIMIT $2")
SQL(copy_aliases,
    "SELECT name FROM commit_alias WHERE commit_id = $1 ORDER BY received, name LIMIT $2")

static int read_texts(struct ctx *c, const struct sql *sql, int64_t commit_id,
		      const char *const **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);
	const char **list = NULL;
	size_t cap = 0;

	bind_int(st, 1, commit_id);
	bind_int(st, 2, LIST_MAX);
	while (stmt_step(st) == STMT_ROW) {
		list = arena_grow(c->arena, list, &cap, *n + 1, sizeof(*list));
		list[(*n)++] = col_text(st, 0);
	}
	*out = list;
	return stmt_status(st);
}

static int read_parents(struct ctx *c, int64_t commit_id, struct commit_in *out)
{
	struct commit *list;
	const char **names;
	int e = commit_parents(c, commit_id, &list, &out->nparents);

	if (e < 0)
		return e;
	out->parents = names = arena_array(c->arena, const char *, out->nparents);
	for (size_t i = 0; i < out->nparents; i++)
		names[i] = list[i].name;
	return E_OK;
}

int copy_commit(struct ctx *c, int64_t commit_id, bool first, struct submission *out,
		struct stored_in *in)
{
	struct commit_in *to = &out->commit;
	struct commit k;
	int e = commit_read(c, commit_id, first ? COMMIT_WHOLE : COMMIT_BRIEF, &k);

	if (e < 0)
		return e;
	commit_name_valid(to->id, &to->is_hex);
	to->tree = k.kind == COMMIT_REF && *k.tree ? k.tree : NULL;
	if (!first)
		return E_OK;
	to->subject = k.subject;
	to->message = k.message;
	to->label = k.label;
	to->author = k.author;
	to->committer = k.committer;
	to->date = k.date;
	to->patch = k.patch;
	in->commit_name = k.name;
	if ((e = read_parents(c, commit_id, to)) < 0 ||
	    (e = read_texts(c, &copy_aliases, commit_id, &in->aliases, &in->naliases)) < 0 ||
	    (e = read_texts(c, &copy_trees, commit_id, &in->trees, &in->ntrees)) < 0)
		return e;
	if (!to->tree && in->ntrees)
		to->tree = in->trees[0];
	return read_builds(c, commit_id, in);
}
