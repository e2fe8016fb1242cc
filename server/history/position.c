/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What contains a commit: its descendants are marked once, and each ref that stands on one of them
 * contains it. The first tag is the oldest by its commit's date. Refs that are gone count in
 * snapshot trees alone, where old tags are dropped as a matter of course.
 */
#include "server/history/position.h"

#include <string.h>

#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/position_inside.h"

#define ABBREV 12 /* digits of an id in a description, as kernel people write it */

/* Loading ----------------------------------------------------------------------------------------
 */

static int by_age(const void *x, const void *y)
{
	const struct known_ref *a = x, *b = y;

	if (a->date != b->date)
		return a->date < b->date ? -1 : 1;
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_position(const void *x, const void *y)
{
	const struct known_ref *a = x, *b = y;

	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int load_kind(struct ctx *c, const struct graph *g, const struct repo *r, const char *prefix,
		     struct known_ref **out, size_t *n)
{
	struct repo_ref *list;
	size_t nlist;
	int e = repo_refs(c, r->id, prefix, &list, &nlist);

	*n = 0;
	if (e < 0)
		return e;
	*out = arena_array(c->arena, struct known_ref, nlist);
	for (size_t i = 0; i < nlist; i++) {
		bool gone = list[i].gone != TIME_NONE;

		if ((gone && !r->snapshots) || list[i].position < 1 ||
		    list[i].position > graph_size(g))
			continue;
		(*out)[(*n)++] = (struct known_ref){
			.full = list[i].name,
			.name = list[i].name + strlen(prefix),
			.position = (uint32_t)list[i].position,
			.date = graph_date(g, (uint32_t)list[i].position),
			.gone = gone,
		};
	}
	return E_OK;
}

static int load_tree(struct ctx *c, const struct graph *g, const struct repo *r,
		     struct tree_refs *t)
{
	int e = load_kind(c, g, r, "refs/heads/", &t->branches, &t->nbranches);

	t->repo = r;
	if (e >= 0)
		e = load_kind(c, g, r, "refs/tags/", &t->tags, &t->ntags);
	if (e < 0)
		return e;
	if (t->ntags > 1)
		qsort(t->tags, t->ntags, sizeof(*t->tags), by_age);
	t->by_position = arena_array(c->arena, struct known_ref, t->ntags);
	for (size_t i = 0; i < t->ntags; i++)
		if (!t->tags[i].gone)
			t->by_position[t->nby_position++] = t->tags[i];
	if (t->nby_position > 1)
		qsort(t->by_position, t->nby_position, sizeof(*t->by_position), by_position);
	return E_OK;
}

int refs_load(struct ctx *c, struct all_refs **out)
{
	struct all_refs *all = arena_array(c->arena, struct all_refs, 1);
	const struct graph *g;
	struct repo *repos;
	size_t n;
	int e = graph_get(c, &g);

	*out = all;
	if (e >= 0)
		e = repo_list(c, false, &repos, &n);
	if (e < 0)
		return e;
	all->trees = arena_array(c->arena, struct tree_refs, n);
	for (int snapshots = 0; snapshots < 2; snapshots++)
		for (size_t i = 0; i < n && e >= 0; i++)
			if (repos[i].snapshots == (snapshots == 1))
				e = load_tree(c, g, &repos[i], &all->trees[all->n++]);
	return e;
}

/* Finding ----------------------------------------------------------------------------------------
 */

static const char *const *names_marked(struct arena *a, const uint64_t *marks,
				       const struct known_ref *refs, size_t nrefs, size_t *n,
				       size_t *seen)
{
	const char **names = arena_array(a, const char *, CONTAIN_MAX);

	*n = *seen = 0;
	for (size_t i = 0; i < nrefs; i++) {
		if (!graph_marked(marks, refs[i].position))
			continue;
		if (*n < CONTAIN_MAX)
			names[(*n)++] = refs[i].name;
		++*seen;
	}
	return names;
}

/* The newest tag that contains it, and the one after it. */
static void find_last(const uint64_t *marks, const struct tree_refs *t, struct position_tree *out)
{
	for (size_t i = t->ntags; i-- > 0;) {
		if (!graph_marked(marks, t->tags[i].position))
			continue;
		out->last_tag = t->tags[i].name;
		if (out->snapshots && i + 1 < t->ntags)
			out->gone_in = t->tags[i + 1].name;
		return;
	}
}

static int describe(struct ctx *c, const struct graph *g, const struct tree_refs *t, uint32_t p,
		    struct position_tree *out)
{
	const char *tag = describe_walk(c, g, t, p, &out->depth);
	struct git_commit k;
	int e;

	out->describe = tag;
	if (!tag || out->depth == 0)
		return E_OK;
	e = git_commit_at(c, p, &k);
	if (e >= 0)
		out->describe = arena_fmt(c->arena, "%s-%lld-g%.*s", tag, (long long)out->depth,
					  ABBREV, k.id);
	return e;
}

/* Of snapshots only where nothing else describes it: their tags are there for days. */
static void choose_describe(struct position *out)
{
	const struct position_tree *best = NULL;

	for (size_t i = 0; i < out->n; i++) {
		const struct position_tree *t = &out->trees[i];

		if (!t->describe || (best && t->snapshots && !best->snapshots))
			continue;
		if (!best || t->depth < best->depth)
			best = t;
	}
	out->describe = best ? best->describe : NULL;
}

int position_find(struct ctx *c, const struct all_refs *refs, int64_t position, bool with_describe,
		  struct position *out)
{
	const struct graph *g;
	int e = graph_get(c, &g);

	*out = (struct position){0};
	if (e < 0)
		return e;
	if (position < 1 || position > graph_size(g))
		return E_OK;
	const uint64_t *marks = graph_descendants(c, g, (uint32_t)position);
	out->trees = arena_array(c->arena, struct position_tree, refs->n);
	for (size_t i = 0; i < refs->n && e >= 0; i++) {
		const struct tree_refs *t = &refs->trees[i];
		struct position_tree *x = &out->trees[out->n];

		*x = (struct position_tree){.tree = t->repo->name, .snapshots = t->repo->snapshots};
		x->branches = names_marked(c->arena, marks, t->branches, t->nbranches,
					   &x->nbranches, &x->branches_seen);
		x->tags =
			names_marked(c->arena, marks, t->tags, t->ntags, &x->ntags, &x->tags_seen);
		if (!x->nbranches && !x->ntags)
			continue;
		find_last(marks, t, x);
		if (x->nbranches)
			x->gone_in = NULL;
		if (with_describe)
			e = describe(c, g, t, (uint32_t)position, x);
		out->n++;
	}
	choose_describe(out);
	return e;
}
