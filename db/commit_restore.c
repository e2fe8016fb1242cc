/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit out of a copy of a store: everything that all its uploads together had told, where its
 * first one is stored again. Names come first, so that what each upload called it finds it,
 * whatever else is known by then.
 */
#include "db/commit_row.h"

#include "db/submission_write.h"
#include "server/base/clock.h"

SQL(commit_alias_restore, "INSERT INTO commit_alias (name, tree, commit_id, received)"
			  " VALUES ($1, '', $2, $3) ON CONFLICT (name, tree) DO NOTHING")

/* A name that says another commit here stays with that one. */
static int restore_alias(struct ctx *c, const char *name, int64_t commit_id, int64_t now)
{
	int64_t ids[2];
	size_t n;
	int e = commit_exact(c, name, "", ids, &n);

	if (e < 0 || n)
		return e;
	auto_stmt struct stmt *st = db_stmt(c, &commit_alias_restore);
	bind_text(st, 1, name);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, now);
	return stmt_run(st);
}

/* A commit of which nothing is known but its name. */
static struct commit_in bare(const struct commit_in *whole)
{
	return (struct commit_in){
		.id = whole->id,
		.is_hex = whole->is_hex,
		.tree = whole->is_hex ? NULL : whole->tree,
		.author.date = TIME_NONE,
		.committer.date = TIME_NONE,
		.date = TIME_NONE,
	};
}

int commit_restore(struct ctx *c, const struct submission *s, int64_t now)
{
	const struct stored_in *k = s->stored;
	struct commit_in whole = s->commit;
	int64_t commit_id, build_id;
	int e;

	if (!k || !k->commit_name)
		return E_OK;
	whole.id = k->commit_name;
	if (!commit_name_valid(whole.id, &whole.is_hex))
		return fail(c, E_INTERNAL, "a commit has no valid name");
	whole.build.given = false; /* in k->builds, with its time */
	e = commit_ensure(c, &whole, now, &commit_id, &build_id);
	for (size_t i = 0; i < k->naliases && e >= 0; i++)
		e = restore_alias(c, k->aliases[i], commit_id, now);
	for (size_t i = 0; i < k->ntrees && e >= 0 && whole.is_hex; i++) {
		struct commit_in one = bare(&whole);

		one.tree = k->trees[i];
		e = commit_ensure(c, &one, now, &commit_id, &build_id);
	}
	for (size_t i = 0; i < k->nbuilds && e >= 0; i++) {
		struct commit_in one = bare(&whole);

		one.build = k->builds[i].build;
		e = commit_ensure(c, &one, k->builds[i].received, &commit_id, &build_id);
	}
	return e;
}
