/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a name to a commit: hex is an id or the beginning of one where there is such a commit; else
 * a ref by git's rules (as it stands, under refs/, refs/tags/, refs/heads/), in any repository,
 * then in the one that its first parts name; else what `git describe` says, which ends in an id.
 * What uploads stored under exactly the name comes before all that.
 */
#include "server/history/revision_name.h"

#include <ctype.h>

#include "db/commit_places.h"
#include "db/git_commits.h"
#include "db/repos.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/revision.h"

#define DIGITS_MIN     7
#define DIGITS         40
#define CANDIDATES_MAX 20

static bool all_hex(const char *s)
{
	return *s && s[strspn(s, "0123456789abcdefABCDEF")] == '\0';
}

static int ambiguous(struct ctx *c, const char *name, const struct commit_list *many)
{
	return fail(c, E_AMBIGUOUS, "%.200s may be any of %zu%s commits", name, many->n,
		    many->n >= CANDIDATES_MAX ? " or more" : "");
}

/* The stored commits that the name may mean; none is no failure. */
static int stored_as(struct ctx *c, const char *name, struct commit_list *out)
{
	struct commit one;
	bool hex;

	*out = (struct commit_list){0};
	if (!commit_name_valid(name, &hex))
		return E_OK;
	int e = commit_resolve(c, name, &one, out);
	if (e == E_NOTFOUND || e == E_AMBIGUOUS || e == E_INVALID)
		ctx_clear(c);
	else if (e < 0)
		return e;
	else
		*out = (struct commit_list){arena_copy(c->arena, &one, sizeof(one)), 1};
	return E_OK;
}

static void add_unless_known(struct arena *a, struct commit_list *list, const struct commit *k)
{
	for (size_t i = 0; i < list->n; i++)
		if ((k->position && list->commits[i].position == k->position) ||
		    (k->id && list->commits[i].id == k->id))
			return;
	struct commit *more = arena_array(a, struct commit, list->n + 1);
	if (list->n)
		memcpy(more, list->commits, list->n * sizeof(*more));
	more[list->n++] = *k;
	list->commits = more;
}

/* One candidate is the answer; several are told. */
static int choose(struct ctx *c, const char *name, const struct commit_list *all,
		  struct commit *out, struct commit_list *many)
{
	if (all->n == 0)
		return fail(c, E_NOTFOUND, "commit %.200s is not known here%s", name,
			    all_hex(name) && strlen(name) < DIGITS_MIN
				    ? "; a prefix of an id needs 7 digits"
				    : "");
	if (all->n > 1) {
		*many = *all;
		return ambiguous(c, name, all);
	}
	if (all->commits[0].id)
		return commit_get(c, all->commits[0].id, out);
	*out = all->commits[0];
	return E_OK;
}

/* --- ids ----------------------------------------------------------------------------------------
 */

static int by_hex(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many)
{
	char *name = arena_str(c->arena, asked);
	struct commit_list all = {0};
	struct git_commit *in_git;
	int64_t row;
	size_t n;
	int e;

	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	e = commit_named(c, name, &row);
	if (e < 0 || row)
		return e < 0 ? e : commit_get(c, row, out);
	e = git_commit_by_prefix(c, name, CANDIDATES_MAX, &in_git, &n);
	if (e >= 0 && (strlen(name) < DIGITS || n == 0))
		e = stored_as(c, name, &all);
	for (size_t i = 0; e >= 0 && i < n; i++) {
		struct commit k;

		e = revision_commit_at(c, in_git[i].position, &k);
		if (e >= 0)
			add_unless_known(c->arena, &all, &k);
	}
	return e < 0 ? e : choose(c, name, &all, out, many);
}

/* --- refs ---------------------------------------------------------------------------------------
 */

/* Those of the refs that are there; when all are gone, where they were. */
static int add_refs(struct ctx *c, const struct repo_ref *refs, size_t n, struct commit_list *all)
{
	bool gone = n && refs[0].gone != TIME_NONE; /* gone ones are last */

	for (size_t i = 0; i < n && all->n < CANDIDATES_MAX; i++) {
		struct commit k;

		if ((refs[i].gone != TIME_NONE) != gone)
			break;
		int e = revision_commit_at(c, refs[i].position, &k);
		if (e < 0)
			return e;
		add_unless_known(c->arena, all, &k);
	}
	return E_OK;
}

/* What "HEAD" is of a repository that others fetch from: the branch that is its line. */
static int by_line(struct ctx *c, int64_t repo_id, struct commit_list *all)
{
	struct repo *repos;
	size_t n;
	int e = repo_list(c, false, &repos, &n);

	for (size_t i = 0; e >= 0 && i < n; i++) {
		struct repo_ref *refs;
		size_t nrefs;

		if (!repos[i].line || (repo_id && repos[i].id != repo_id))
			continue;
		e = repo_refs_named(c, repos[i].id, repos[i].line, &refs, &nrefs);
		if (e >= 0)
			e = add_refs(c, refs, nrefs, all);
	}
	return e;
}

/* The first of git's rules that fits anything, as in gitrevisions(7). */
static int by_ref(struct ctx *c, int64_t repo_id, const char *name, struct commit_list *all)
{
	static const char *const rules[] = {"", "refs/", "refs/tags/", "refs/heads/",
					    "refs/remotes/"};
	size_t n = sizeof(rules) / sizeof(rules[0]);

	if (strcmp(name, "HEAD") == 0)
		return by_line(c, repo_id, all);
	for (size_t i = strncmp(name, "refs/", 5) == 0 ? 0 : 1; i < n; i++) {
		struct repo_ref *refs;
		size_t nrefs;
		int e = repo_refs_named(c, repo_id, arena_fmt(c->arena, "%s%s", rules[i], name),
					&refs, &nrefs);

		if (e >= 0)
			e = add_refs(c, refs, nrefs, all);
		if (e < 0 || all->n)
			return e;
	}
	return E_OK;
}

/* "tree/ref": names of trees may have slashes, too, so every one may be the end of the tree. What
 * uploads stored under both comes first: its tree need not be followed. */
static int by_tree(struct ctx *c, const char *name, struct commit_list *all)
{
	for (const char *slash = strchr(name, '/'); slash && !all->n;
	     slash = strchr(slash + 1, '/')) {
		const char *tree = arena_strn(c->arena, name, (size_t)(slash - name));
		struct repo repo;
		struct commit k;
		int64_t row;
		int e = commit_in_tree(c, tree, slash + 1, &row);

		if (e >= 0 && row) {
			e = commit_get(c, row, &k);
			if (e >= 0)
				add_unless_known(c->arena, all, &k);
			return e;
		}
		if (e >= 0)
			e = repo_by_name(c, tree, &repo);
		if (e == E_NOTFOUND) {
			ctx_clear(c);
			continue;
		}
		if (e >= 0)
			e = by_ref(c, repo.id, slash + 1, all);
		if (e < 0)
			return e;
	}
	return E_OK;
}

/* The id at the end of what `git describe` says: the digits behind the last "-g". */
static const char *described(const char *name)
{
	const char *end = strrchr(name, '-');

	if (!end || end == name || end[1] != 'g' || !all_hex(end + 2) ||
	    strlen(end + 2) < DIGITS_MIN || strlen(end + 2) > DIGITS)
		return NULL;
	return end + 2;
}

/* Several rows under one name are one commit where git says so. */
static bool same_position(const struct commit_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->commits[i].position ||
		    list->commits[i].position != list->commits[0].position)
			return false;
	return list->n > 0;
}

int revision_name(struct ctx *c, const char *name, struct commit *out, struct commit_list *many)
{
	size_t digits = all_hex(name) ? strlen(name) : 0;
	struct commit_list all = {0};
	int e;

	if (digits >= DIGITS_MIN && digits <= DIGITS) {
		e = by_hex(c, name, out, many);
		if (e != E_NOTFOUND)
			return e;
		ctx_clear(c);
		e = by_ref(c, 0, name, &all);
		return e < 0 ? e : choose(c, name, &all, out, many);
	}
	e = stored_as(c, name, &all);
	if (e >= 0 && all.n > 1 && same_position(&all))
		all.n = 1;
	if (e >= 0 && !all.n)
		e = by_ref(c, 0, name, &all);
	if (e >= 0 && !all.n)
		e = by_tree(c, name, &all);
	if (e >= 0 && !all.n && described(name))
		return by_hex(c, described(name), out, many);
	return e < 0 ? e : choose(c, name, &all, out, many);
}
