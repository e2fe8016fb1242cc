/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which commits a range has. What git does not know is walked row by row, and wherever such a walk
 * meets a commit of git that is one more tip, or one more commit to go without, for git's own walk.
 */
#include "server/history/range.h"

#include "db/commits.h"
#include "db/idset.h"
#include "server/base/arena.h"
#include "server/history/graph.h"

/* A commit that git does not know. */
struct kin {
	int64_t row;
	const struct commit *parents; /* those that are followed */
	size_t nparents;
	size_t children; /* in the range, not told yet */
	bool told;
};

/* What one end of the range reaches without git, and where it enters git. */
struct side {
	struct kin *kin; /* in the order they were met */
	size_t n, cap;
	struct idset seen;
	uint32_t tips[GRAPH_SIDES_MAX];
	size_t ntips;
	bool cut;
};

static void add_tip(struct side *s, uint32_t p)
{
	for (size_t i = 0; i < s->ntips; i++)
		if (s->tips[i] == p)
			return;
	if (s->ntips < GRAPH_SIDES_MAX)
		s->tips[s->ntips++] = p;
}

/* A tip of git, or a row that is still to be looked at. */
static void meet(struct ctx *c, const struct graph *g, struct side *s, const struct commit *k)
{
	if (k->position > 0 && k->position <= graph_size(g)) {
		add_tip(s, (uint32_t)k->position);
		return;
	}
	if (!k->id || !idset_add(c->arena, &s->seen, k->id))
		return;
	if (s->n == RANGE_UPLOADED_MAX) {
		s->cut = true;
		return;
	}
	s->kin = arena_grow(c->arena, s->kin, &s->cap, s->n + 1, sizeof(*s->kin));
	s->kin[s->n++].row = k->id;
}

static int walk_side(struct ctx *c, const struct graph *g, const struct commit *start,
		     bool first_parent, struct side *s)
{
	meet(c, g, s, start);
	for (size_t i = 0; i < s->n; i++) {
		struct commit *parents;
		size_t n;
		int e = commit_parents(c, s->kin[i].row, &parents, &n);

		if (e < 0)
			return e;
		if (first_parent && n > 1)
			n = 1;
		s->kin[i].parents = parents;
		s->kin[i].nparents = n;
		for (size_t k = 0; k < n; k++)
			meet(c, g, s, &parents[k]);
	}
	return E_OK;
}

static int by_row(const void *a, const void *b)
{
	const struct kin *const *x = a, *const *y = b;

	return ((*x)->row > (*y)->row) - ((*x)->row < (*y)->row);
}

/* The rows of a list, sorted, for looking them up. */
static struct kin **sort_rows(struct arena *a, struct kin *kin, size_t n)
{
	struct kin **sorted = arena_array(a, struct kin *, n);

	for (size_t i = 0; i < n; i++)
		sorted[i] = &kin[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_row);
	return sorted;
}

static struct kin *find_row(struct kin **sorted, size_t n, int64_t row)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted[mid]->row < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && sorted[lo]->row == row ? sorted[lo] : NULL;
}

/* A commit comes when all its children were told, as in walk.c. A ring of parents, which only wrong
 * uploads make, has no first one: what it holds is added at the end. */
static void order_rows(struct arena *a, struct kin *kin, size_t n, struct range_member *out)
{
	struct kin **sorted = sort_rows(a, kin, n), **stack = arena_array(a, struct kin *, n);
	size_t depth = 0, done = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < kin[i].nparents; k++) {
			struct kin *parent = find_row(sorted, n, kin[i].parents[k].id);

			if (parent)
				parent->children++;
		}
	}
	for (size_t i = n; i-- > 0;)
		if (!kin[i].children)
			stack[depth++] = &kin[i];
	while (depth) {
		struct kin *x = stack[--depth];

		x->told = true;
		out[done++].row = x->row;
		for (size_t k = 0; k < x->nparents; k++) {
			struct kin *parent = find_row(sorted, n, x->parents[k].id);

			if (parent && !--parent->children)
				stack[depth++] = parent;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!kin[i].told)
			out[done++].row = kin[i].row;
}

/* Adds those of a side that the other one does not reach. */
static void add_rows(struct arena *a, const struct side *s, struct side *other, struct side *all)
{
	struct kin **theirs = sort_rows(a, other->kin, other->n);

	for (size_t i = 0; i < s->n; i++) {
		if (find_row(theirs, other->n, s->kin[i].row))
			continue;
		all->kin = arena_grow(a, all->kin, &all->cap, all->n + 1, sizeof(*all->kin));
		all->kin[all->n++] = s->kin[i];
	}
	for (size_t i = 0; i < s->ntips; i++)
		add_tip(all, s->tips[i]);
}

/* What git's walk goes without: all that one side reaches, or of a symmetric range what both do. */
static void set_without(struct ctx *c, const struct graph *g, bool symmetric,
			const struct side *from, const struct side *to, struct graph_range *r)
{
	if (!symmetric) {
		memcpy(r->without, from->tips, sizeof(from->tips));
		r->nwithout = from->ntips;
		return;
	}
	r->nwithout = graph_merge_bases_of(c, g, from->tips, from->ntips, to->tips, to->ntips,
					   r->without, GRAPH_SIDES_MAX);
}

int range_find(struct ctx *c, const struct revision_range *r, bool first_parent,
	       struct range_set *out)
{
	struct side from = {0}, to = {0}, all = {0};
	struct graph_range in_git = {.first_parent = first_parent};
	const struct graph *g;
	uint32_t *positions = NULL;
	size_t n = 0;
	int e = graph_get(c, &g);

	*out = (struct range_set){0};
	if (e >= 0)
		e = walk_side(c, g, &r->from, false, &from);
	if (e >= 0)
		e = walk_side(c, g, &r->to, first_parent, &to);
	if (e < 0)
		return e;
	if (r->symmetric)
		add_rows(c->arena, &from, &to, &all);
	add_rows(c->arena, &to, &from, &all);
	set_without(c, g, r->symmetric, &from, &to, &in_git);
	memcpy(in_git.tips, all.tips, sizeof(all.tips));
	in_git.ntips = all.ntips;
	if (in_git.ntips)
		e = graph_walk(c, g, &in_git, &positions, &n);
	if (e < 0)
		return e;
	out->n = all.n + n;
	out->members = arena_array(c->arena, struct range_member, out->n);
	out->cut = from.cut || to.cut;
	order_rows(c->arena, all.kin, all.n, out->members);
	for (size_t i = 0; i < n; i++)
		out->members[all.n + i].position = positions[i];
	return E_OK;
}
