/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading commits: by row, by what a reader asked for, by search. What is known of parents is in
 * commit_graph.c, builds and reports in commit_about.c, writing in commit_write.c.
 */
#include "db/commits.h"

#include "db/commit_row.h"
#include "db/git_commits.h"
#include "db/idset.h"
#include "db/pattern.h"
#include "db/series.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define CANDIDATES_MAX 50
#define RECENT_ROWS    5000

SQL(commit_trees, "SELECT tree FROM commit_tree WHERE commit_id = $1 ORDER BY tree LIMIT 100")

static int read_trees(struct ctx *c, struct commit *k)
{
	auto_stmt struct stmt *st = db_stmt(c, &commit_trees);

	bind_int(st, 1, k->id);
	while (stmt_step(st) == STMT_ROW) {
		const char *tree = col_text_peek(st, 0);

		k->trees = k->trees ? arena_fmt(c->arena, "%s, %s", k->trees, tree)
				    : arena_str(c->arena, tree);
	}
	return stmt_status(st);
}

SQL(commit_row, "SELECT k.kind, k.name, k.tree, k.subject, k.label,"
		" k.author_name, k.author_email, k.author_date,"
		" k.committer_name, k.committer_email, k.committer_date,"
		" coalesce(k.date, k.committer_date), k.first_received,"
		" p.commit_id, p.message_id, p.base, p.version, p.part, p.total, k.message, p.diff,"
		" k.position, g.id"
		" FROM commits k LEFT JOIN patch p ON p.commit_id = k.commit_id"
		" LEFT JOIN git_commit g ON g.position = k.position"
		" WHERE k.commit_id = $1")

static int64_t col_int_or(struct stmt *st, int i, int64_t unknown)
{
	return col_null(st, i) ? unknown : col_int(st, i);
}

static void read_patch(struct stmt *st, struct patch_in *p)
{
	*p = (struct patch_in){
		.given = !col_null(st, 13),
		.message_id = col_text(st, 14),
		.base = col_text(st, 15),
		.version = col_int_or(st, 16, -1),
		.index = col_int_or(st, 17, -1),
		.total = col_int_or(st, 18, -1),
	};
}

int commit_read(struct ctx *c, int64_t id, enum commit_detail detail, struct commit *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &commit_row);

	bind_int(st, 1, id);
	int r = stmt_step(st);
	if (r < 0)
		return r;
	if (r != STMT_ROW)
		return fail(c, E_NOTFOUND, "there is no such commit");
	*out = (struct commit){
		.id = id,
		.kind = (enum commit_kind)col_int(st, 0),
		.name = col_text(st, 1),
		.tree = col_text(st, 2),
		.subject = col_text(st, 3),
		.label = col_text(st, 4),
		.author = {col_text(st, 5), col_text(st, 6), col_time(st, 7)},
		.committer = {col_text(st, 8), col_text(st, 9), col_time(st, 10)},
		.date = col_time(st, 11),
		.first_received = col_time(st, 12),
		.position = col_int_or(st, 21, 0),
		.git_id = col_text(st, 22),
	};
	read_patch(st, &out->patch);
	if (detail == COMMIT_WHOLE) {
		out->message = col_text(st, 19);
		out->patch.diff = col_text(st, 20);
	}
	return read_trees(c, out);
}

int commit_get(struct ctx *c, int64_t id, struct commit *out)
{
	return commit_read(c, id, COMMIT_WHOLE, out);
}

int commit_read_all(struct ctx *c, const int64_t *ids, size_t nids, struct commit **out, size_t *n)
{
	*n = 0;
	*out = arena_array(c->arena, struct commit, nids);
	for (size_t i = 0; i < nids; i++) {
		int e = commit_read(c, ids[i], COMMIT_BRIEF, &(*out)[i]);

		if (e < 0)
			return e;
		*n = i + 1;
	}
	return E_OK;
}

SQL(commit_exact_any, "SELECT commit_id FROM commits WHERE name = $1"
		      " UNION SELECT commit_id FROM commit_alias WHERE name = $1 LIMIT 2")
SQL(commit_exact_tree,
    "SELECT commit_id FROM commits WHERE name = $1 AND tree = $2"
    " UNION SELECT commit_id FROM commit_alias WHERE name = $1 AND tree = $2 LIMIT 2")

int commit_exact(struct ctx *c, const char *name, const char *tree, int64_t ids[2], size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, tree ? &commit_exact_tree : &commit_exact_any);

	*n = 0;
	bind_text(st, 1, name);
	if (tree)
		bind_text(st, 2, tree);
	while (*n < 2 && stmt_step(st) == STMT_ROW)
		ids[(*n)++] = col_int(st, 0);
	return stmt_status(st);
}

int commit_in_tree(struct ctx *c, const char *tree, const char *name, int64_t *id)
{
	int64_t ids[2];
	size_t n;
	int e = commit_exact(c, name, tree, ids, &n);

	*id = e >= 0 && n == 1 ? ids[0] : 0;
	return e;
}

const char *commit_address(struct arena *a, const struct commit *k)
{
	return k->kind == COMMIT_REF && *k->tree ? arena_fmt(a, "%s/%s", k->tree, k->name)
						 : k->name;
}

const char *commit_address_among(struct arena *a, const struct commit *k)
{
	return k->kind == COMMIT_REF && !*k->tree && k->git_id ? k->git_id : commit_address(a, k);
}

/* The last name up to a text. Whatever lies between a stub and a full id that it begins also begins
 * with the stub: so the stubs of an id are found by a few such steps down, however many names begin
 * alike. */
SQL(commit_name_below, "SELECT commit_id, name, kind FROM commits WHERE name <= $1"
		       " ORDER BY name DESC LIMIT 1")

/* The stubs of a full id: how many, one's id, and its name (its digits of full). */
struct stubs {
	size_t n, digits;
	int64_t id;
};

static int find_stubs(struct ctx *c, const char *full, struct stubs *out)
{
	size_t digits = strlen(full);

	*out = (struct stubs){0};
	while (digits >= ID_DIGITS_MIN) {
		auto_stmt struct stmt *st = db_stmt(c, &commit_name_below);
		size_t same = 0;

		bind_text(st, 1, arena_strn(c->arena, full, digits));
		if (stmt_step(st) != STMT_ROW)
			return stmt_status(st);
		const char *name = col_text_peek(st, 1);
		while (same < digits && name[same] == full[same])
			same++;
		if (!name[same] && col_int(st, 2) == COMMIT_STUB) {
			out->n++;
			out->id = col_int(st, 0);
			out->digits = same;
		}
		digits = name[same] ? same : same - 1;
	}
	return E_OK;
}

SQL(commit_full_others, "SELECT 1 FROM commits WHERE name >= $1 AND name < $2 AND tree = ''"
			" AND kind = 0 AND name <> $3"
			" UNION SELECT 1 FROM git_commit WHERE id >= $1 AND id < $2"
			" AND id <> $3 LIMIT 1")

int commit_stub_of(struct ctx *c, const char *full, int64_t *id)
{
	struct stubs found;
	int e = find_stubs(c, full, &found);

	*id = found.n == 1 ? found.id : 0;
	if (e < 0 || !*id)
		return e;
	const char *stub = arena_strn(c->arena, full, found.digits);
	auto_stmt struct stmt *st = db_stmt(c, &commit_full_others);
	bind_text(st, 1, stub);
	bind_text(st, 2, hex_above(c->arena, stub));
	bind_text(st, 3, full);
	if (stmt_step(st) == STMT_ROW)
		*id = 0;
	return stmt_status(st);
}

SQL(commit_by_prefix, "SELECT commit_id FROM commits WHERE name >= $1 AND name < $2 AND tree = ''"
		      " UNION SELECT commit_id FROM commit_alias WHERE name >= $1 AND name < $2"
		      " AND tree = '' ORDER BY commit_id LIMIT $3")
SQL(commit_by_ref, "SELECT commit_id FROM commits WHERE name = $1"
		   " UNION SELECT commit_id FROM commit_alias WHERE name = $1"
		   " ORDER BY commit_id LIMIT $2")

/* All that the name may mean, when it is not one exactly. */
static int read_candidates(struct ctx *c, const struct revision *r, int64_t ids[CANDIDATES_MAX],
			   size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, r->is_hex ? &commit_by_prefix : &commit_by_ref);

	*n = 0;
	bind_text(st, 1, r->name);
	if (r->is_hex)
		bind_text(st, 2, hex_above(c->arena, r->name));
	bind_int(st, r->is_hex ? 3 : 2, CANDIDATES_MAX);
	while (*n < CANDIDATES_MAX && stmt_step(st) == STMT_ROW)
		ids[(*n)++] = col_int(st, 0);
	return stmt_status(st);
}

SQL(commit_has_name, "SELECT 1 FROM commits WHERE commit_id = $1 AND name = $2")

int commit_alias_open(struct ctx *c, const char *name, int64_t id, bool *open)
{
	struct git_commit *in_git;
	size_t n;

	*open = false;
	if (strlen(name) == ID_DIGITS)
		return E_OK;
	{
		auto_stmt struct stmt *st = db_stmt(c, &commit_has_name);

		bind_int(st, 1, id);
		bind_text(st, 2, name);
		if (stmt_step(st) == STMT_ROW || stmt_status(st) < 0)
			return stmt_status(st);
	}
	int e = git_commit_by_prefix(c, name, 2, &in_git, &n);
	*open = e >= 0 && n > 1;
	return e;
}

/* What is told of a name that several commits may have: those with rows, then those that git alone
 * knows. */
static int tell_many(struct ctx *c, const struct revision *r, const int64_t *ids, size_t nids,
		     struct commit_list *many)
{
	struct git_commit *in_git = NULL;
	size_t n = 0;
	int64_t row;
	int e = commit_read_all(c, ids, nids, &many->commits, &many->n);

	if (e >= 0 && r->is_hex)
		e = git_commit_by_prefix(c, r->name, CANDIDATES_MAX, &in_git, &n);
	struct commit *all = arena_array(c->arena, struct commit, nids + n);
	if (nids)
		memcpy(all, many->commits, many->n * sizeof(*all));
	many->commits = all;
	for (size_t i = 0; i < n && e >= 0; i++) {
		const struct git_commit *k = &in_git[i];

		e = git_commit_row(c, k->position, &row);
		if (e >= 0 && !row)
			all[many->n++] = (struct commit){
				.kind = COMMIT_FULL,
				.name = k->id,
				.tree = "",
				.subject = k->subject,
				.author.date = k->author_date,
				.committer.date = k->date,
				.date = k->date,
				.first_received = TIME_NONE,
				.position = k->position,
				.git_id = k->id,
				.patch = {.version = -1, .index = -1, .total = -1},
			};
	}
	return e;
}

static int resolve_name(struct ctx *c, const struct revision *r, int64_t *id,
			struct commit_list *many)
{
	int64_t ids[CANDIDATES_MAX];
	size_t n;
	int e = commit_exact(c, r->name, r->is_hex ? "" : NULL, ids, &n);

	if (e >= 0 && n != 1)
		e = read_candidates(c, r, ids, &n);
	if (e < 0)
		return e;
	*id = ids[0];
	/* A full id may be asked for before any upload has told it: its stub is what we have of it.
	 */
	if (n == 0 && r->is_hex && strlen(r->name) == ID_DIGITS) {
		e = commit_stub_of(c, r->name, id);
		if (e < 0)
			return e;
		n = *id != 0;
	}
	bool open = false;
	if (n == 1 && r->is_hex && (e = commit_alias_open(c, r->name, *id, &open)) < 0)
		return e;
	if (n == 1 && !open)
		return E_OK;
	if (n == 0)
		return fail(c, E_NOTFOUND, "commit %s is not known here", r->name);
	struct commit_list told;
	e = tell_many(c, r, ids, n, &told);
	if (e < 0)
		return e;
	if (many)
		*many = told;
	return fail(c, E_AMBIGUOUS, "%s may be any of %zu%s commits", r->name, told.n,
		    n == CANDIDATES_MAX ? " or more" : "");
}

static int follow_steps(struct ctx *c, const struct revision *r, const char *asked, int64_t *id)
{
	for (size_t i = 0; i < r->nsteps; i++) {
		const struct step *s = &r->steps[i];
		int64_t times = s->kind == '~' ? s->n : s->n > 0;

		for (int64_t t = 0; t < times; t++) {
			int64_t nth = s->kind == '~' ? 0 : s->n - 1, parent;
			int e = commit_nth_parent(c, *id, nth, &parent);

			if (e < 0)
				return e;
			if (!parent)
				return fail(c, E_NOTFOUND,
					    "%.200s leads to a parent that is not known here",
					    asked);
			*id = parent;
		}
	}
	return E_OK;
}

int commit_resolve(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many)
{
	struct revision r;
	int64_t id;

	if (many)
		*many = (struct commit_list){0};
	int e = revision_parse(c, asked, &r);
	if (e < 0 || (e = resolve_name(c, &r, &id, many)) < 0 ||
	    (e = follow_steps(c, &r, asked, &id)) < 0)
		return e;
	return commit_read(c, id, COMMIT_WHOLE, out);
}

SQL(commit_find_text,
    "SELECT k.commit_id FROM commits k LEFT JOIN patch p ON p.commit_id = k.commit_id"
    " WHERE lower(k.name) LIKE $1 ESCAPE '!' OR lower(k.subject) LIKE $2 ESCAPE '!'"
    " OR lower(p.message_id) LIKE $2 ESCAPE '!'"
    " UNION SELECT commit_id FROM commit_alias WHERE lower(name) LIKE $1 ESCAPE '!'"
    " ORDER BY commit_id DESC LIMIT $3")

int commit_search(struct ctx *c, const char *text, size_t limit, struct commit **out, size_t *n)
{
	int64_t *ids = arena_array(c->arena, int64_t, limit);
	size_t found = 0;

	*n = 0;
	*out = NULL;
	if (!text[0])
		return E_OK;
	{
		auto_stmt struct stmt *st = db_stmt(c, &commit_find_text);

		bind_text(st, 1, pattern_beginning(c->arena, text));
		bind_text(st, 2, pattern_containing(c->arena, text));
		bind_int(st, 3, (int64_t)limit);
		while (found < limit && stmt_step(st) == STMT_ROW)
			ids[found++] = col_int(st, 0);
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	return commit_read_all(c, ids, found, out, n);
}

SQL(commit_recent_rows, "SELECT m.commit_id FROM measured m WHERE " MEASURED_IN_VIEW
			" ORDER BY m.last_received DESC, m.commit_id DESC LIMIT $1")

int commit_recent(struct ctx *c, size_t limit, struct commit **out, size_t *n)
{
	int64_t *ids = arena_array(c->arena, int64_t, limit);
	struct idset seen = {0};
	size_t found = 0;

	*n = 0;
	*out = NULL;
	{
		auto_stmt struct stmt *st = db_stmt(c, &commit_recent_rows);

		bind_int(st, 1, RECENT_ROWS);
		while (found < limit && stmt_step(st) == STMT_ROW)
			if (idset_add(c->arena, &seen, col_int(st, 0)))
				ids[found++] = col_int(st, 0);
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	return commit_read_all(c, ids, found, out, n);
}
