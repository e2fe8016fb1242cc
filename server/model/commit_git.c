/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills what git knows of a commit into its page. Git's word wins over what uploads said; where its
 * objects cannot be read the page shows what is kept here, and why there is no more.
 */
#include "server/model/commit_git.h"

#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/graph.h"
#include "server/history/neighbours.h"
#include "server/history/revision.h"

#define CHILDREN_MAX 20

static int commits_at(struct ctx *c, const int64_t *positions, size_t n, struct commit **out)
{
	int e = E_OK;

	*out = arena_array(c->arena, struct commit, n);
	for (size_t i = 0; i < n && e >= 0; i++)
		e = revision_commit_at(c, positions[i], &(*out)[i]);
	return e;
}

static int load_family(struct ctx *c, const struct git_commit *k, struct commit_page *p)
{
	int64_t parents[GIT_PARENTS_MAX], children[CHILDREN_MAX];
	size_t nchildren;
	int e;

	for (size_t i = 0; i < k->nparents; i++)
		parents[i] = k->parents[i];
	p->nparents = k->nparents;
	e = commits_at(c, parents, k->nparents, &p->parents);
	if (e >= 0)
		e = graph_children(c, k->position, CHILDREN_MAX, children, &nchildren);
	if (e < 0 || nchildren == 0)
		return e; /* uploads may know some that git does not */
	p->nchildren = nchildren;
	return commits_at(c, children, nchildren, &p->children);
}

static void take_text(struct commit *k, const struct object_commit *o)
{
	if (!o->message)
		return;
	if (*o->message)
		k->message = o->message;
	k->author = o->author;
	k->committer = o->committer;
	k->date = o->committer.date;
}

int commit_git_load(struct ctx *c, struct commit_page *p)
{
	struct all_refs *refs;
	struct commit_git *g;
	struct git_commit k;
	int e;

	if (!p->commit.position)
		return E_OK;
	g = p->git = arena_array(c->arena, struct commit_git, 1);
	e = git_commit_at(c, p->commit.position, &k);
	if (e < 0)
		return e;
	g->id = k.id;
	if (!p->commit.subject)
		p->commit.subject = k.subject;
	e = load_family(c, &k, p);
	if (e >= 0)
		e = object_commit_read(c, k.id, true, &g->object);
	if (e < 0)
		return e;
	take_text(&p->commit, &g->object);
	e = refs_load(c, &refs);
	if (e >= 0)
		e = position_find(c, refs, k.position, true, &g->position);
	if (e >= 0)
		e = links_find(c, refs, k.position, &g->links);
	return e;
}

/* The same change -------------------------------------------------------------------------------
 */

/* The row that says most: of the test's own figures, the weightiest, of these the largest. */
static void weigh(struct commit_page *p, struct arena *keep, struct same_change *out)
{
	const struct commit_row *best = NULL;

	for (size_t i = 0; i < p->nresults; i++) {
		const struct row_list *lists[] = {&p->results[i].worst, &p->results[i].best,
						  &p->results[i].steady};

		for (size_t k = 0; k < 3; k++) {
			const struct commit_row *row = lists[k]->n ? &lists[k]->rows[0] : NULL;

			if (!row || row->role == ROLE_MONITOR || !row->now.judged ||
			    (best && commit_row_compare(best, row) <= 0))
				continue;
			best = row;
			out->series = p->results[i].series.digest;
		}
	}
	out->series = arena_str(keep, out->series);
	if (!best)
		return;
	out->verdict = best->now.verdict;
	out->metric = best->metric->name;
	out->change = commit_change_text(keep, best);
}

static int judge_same(struct ctx *c, struct arena *scratch, int64_t row, struct same_change *out)
{
	struct arena *keep = c->arena;
	struct commit_page p = {.nresults = 0};
	int e;

	c->arena = scratch;
	e = commit_get(c, row, &p.commit);
	if (e >= 0)
		e = commit_results_load(c, SAME_RESULTS_MAX, &p);
	if (e >= 0 && p.nresults) {
		out->measured = out->judged = true;
		out->sentence = arena_str(keep, commit_sentence(scratch, p.results, p.nresults));
		weigh(&p, keep, out);
	}
	c->arena = keep;
	arena_reset(scratch);
	return e;
}

static int load_same(struct ctx *c, struct commit_git *g)
{
	auto_arena struct arena *scratch = arena_new();
	size_t judged = 0;
	int e = E_OK;

	g->nsame = g->links.same.n;
	g->same = arena_array(c->arena, struct same_change, g->nsame);
	for (size_t i = 0; i < g->nsame && e >= 0; i++) {
		struct same_change *s = &g->same[i];
		struct measured *m;
		size_t n = 0;
		int64_t row = 0;

		s->linked = &g->links.same.list[i];
		if (!s->linked->commit.position)
			continue;
		e = git_commit_row(c, s->linked->commit.position, &row);
		if (e >= 0 && row)
			e = measured_of_commit(c, row, 1, &m, &n);
		s->measured = n > 0;
		if (e >= 0 && n && judged++ < SAME_JUDGED_MAX)
			e = judge_same(c, scratch, row, s);
	}
	return e;
}

/* Snapshots --------------------------------------------------------------------------------------
 */

/* In a tree that is no snapshot; NULL: in none. */
static const struct position_tree *settled_in(const struct position *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->trees[i].snapshots)
			return &p->trees[i];
	return NULL;
}

static const char *became(struct arena *a, const struct links *l)
{
	for (size_t i = 0; i < l->same.n; i++) {
		const struct linked *x = &l->same.list[i];
		const struct position_tree *t = settled_in(&x->where);

		if (t)
			return arena_fmt(a, "now %.12s in %s (%s)", x->commit.id, t->tree,
					 same_how_name(x->how));
	}
	for (size_t i = 0; i < l->same.n; i++) {
		const struct linked *x = &l->same.list[i];

		for (size_t k = 0; k < x->where.n; k++)
			if (!x->where.trees[k].gone_in)
				return arena_fmt(a, "now %.12s in %s (%s)", x->commit.id,
						 x->where.trees[k].tree, same_how_name(x->how));
	}
	return "no tree that is followed has the same change";
}

/* Of a commit that is in no other tree: when the snapshots had it. */
static const char *gone_words(struct arena *a, const struct commit_git *g)
{
	if (settled_in(&g->position))
		return NULL;
	for (size_t i = 0; i < g->position.n; i++) {
		const struct position_tree *t = &g->position.trees[i];

		if (!t->gone_in || !t->ntags)
			continue;
		if (t->tags_seen == 1)
			return arena_fmt(a, "was in %s, is gone since %s; %s", t->tags[0],
					 t->gone_in, became(a, &g->links));
		return arena_fmt(a, "was in %s to %s, is gone since %s; %s", t->tags[0],
				 t->last_tag, t->gone_in, became(a, &g->links));
	}
	return NULL;
}

/* Neighbours -------------------------------------------------------------------------------------
 */

static int load_neighbours(struct ctx *c, int64_t position, struct commit_git *g)
{
	int64_t before, after;
	int e = measured_neighbours(c, position, &before, &after);

	if (e >= 0 && before) {
		g->has_before = true;
		e = revision_commit_at(c, before, &g->before);
	}
	if (e >= 0 && after) {
		g->has_after = true;
		e = revision_commit_at(c, after, &g->after);
	}
	return e;
}

int commit_git_finish(struct ctx *c, struct commit_page *p)
{
	int e;

	if (!p->git)
		return E_OK;
	p->git->gone = gone_words(c->arena, p->git);
	e = load_same(c, p->git);
	if (e >= 0 && p->nresults == 0)
		e = load_neighbours(c, p->commit.position, p->git);
	return e;
}
