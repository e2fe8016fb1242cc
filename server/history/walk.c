/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges and merge bases. A commit's ancestors have smaller positions, so a set is found by going
 * down the numbers once: each marked commit hands its marks to its parents. The walk ends when no
 * commit that is wanted is left to look at. The order is then git's: a stack, on which a commit
 * comes when all its children in the set have been told, first parents lowest.
 */
#include <string.h>

#include "server/history/graph_inside.h"

/* A range while it is found. wanted and unwanted hold what was reached from either side; left
 * counts the wanted and not unwanted ones that were not looked at yet. */
struct finding {
	const struct graph *g;
	struct arena *arena;
	struct bits wanted, unwanted;
	size_t left;
	uint32_t *found; /* descending */
	size_t n, cap;
};

static void reach_wanted(struct finding *f, uint32_t p)
{
	if (bits_has(&f->wanted, p))
		return;
	bits_set(&f->wanted, p);
	f->left += !bits_has(&f->unwanted, p);
}

static void reach_unwanted(struct finding *f, uint32_t p)
{
	if (bits_has(&f->unwanted, p))
		return;
	bits_set(&f->unwanted, p);
	f->left -= bits_has(&f->wanted, p);
}

static uint32_t highest(const struct graph_range *r)
{
	uint32_t high = 0;

	for (size_t i = 0; i < r->ntips; i++)
		high = r->tips[i] > high ? r->tips[i] : high;
	for (size_t i = 0; i < r->nwithout; i++)
		high = r->without[i] > high ? r->without[i] : high;
	return high;
}

/* What is next to look at: the larger of the two sides' next. */
static uint32_t step_down(const struct finding *f, uint32_t p)
{
	uint32_t a = bits_below(&f->wanted, p), b = bits_below(&f->unwanted, p);

	return a > b ? a : b;
}

static void find_set(struct finding *f, const struct graph_range *r)
{
	uint32_t high = highest(r);

	f->wanted = bits_new(f->arena, 0, high + 1);
	f->unwanted = bits_new(f->arena, 0, high + 1);
	for (size_t i = 0; i < r->nwithout; i++)
		reach_unwanted(f, r->without[i]);
	for (size_t i = 0; i < r->ntips; i++)
		reach_wanted(f, r->tips[i]);
	for (uint32_t p = step_down(f, high + 1); p && f->left; p = step_down(f, p)) {
		size_t n;
		const uint32_t *parents = graph_parents_at(f->g, p, &n);

		if (bits_has(&f->unwanted, p)) {
			for (size_t i = 0; i < n; i++)
				reach_unwanted(f, parents[i]);
			continue;
		}
		f->left--;
		f->found = arena_grow(f->arena, f->found, &f->cap, f->n + 1, sizeof(*f->found));
		f->found[f->n++] = p;
		for (size_t i = 0; i < n && (i == 0 || !r->first_parent); i++)
			reach_wanted(f, parents[i]);
	}
}

/* The tips of the range as git takes them: later dates first, then in the order they were named. */
static size_t sorted_tips(const struct finding *f, const struct graph_range *r, uint32_t *tips)
{
	size_t n = 0;

	for (size_t i = 0; i < r->ntips; i++) {
		uint32_t tip = r->tips[i];
		size_t at = n;
		bool known = bits_has(&f->unwanted, tip);

		for (size_t k = 0; k < n; k++)
			known |= tips[k] == tip;
		if (known)
			continue;
		for (; at && graph_date(f->g, tips[at - 1]) < graph_date(f->g, tip); at--)
			tips[at] = tips[at - 1];
		tips[at] = tip;
		n++;
	}
	return n;
}

/* Orders the set; children counts, by position from the lowest, how many of its members name each
 * as a parent. */
static uint32_t *order_set(struct arena *out, const struct finding *f, const struct graph_range *r)
{
	uint32_t *ordered = arena_array(out, uint32_t, f->n), tips[GRAPH_SIDES_MAX];
	uint32_t *stack = arena_array(f->arena, uint32_t, f->n);
	uint32_t low = f->n ? f->found[f->n - 1] : 0;
	uint32_t *children = arena_array(f->arena, uint32_t, f->n ? f->found[0] - low + 1 : 0);
	size_t depth = 0, n = 0;

	/* Wanted may hold what was never looked at: ancestors of what both sides have. */
	for (size_t i = 0; i < f->n; i++) {
		size_t k;
		const uint32_t *parents = graph_parents_at(f->g, f->found[i], &k);

		for (size_t j = 0; j < k && (j == 0 || !r->first_parent); j++)
			if (!bits_has(&f->unwanted, parents[j]))
				children[parents[j] - low]++;
	}
	for (size_t i = sorted_tips(f, r, tips); i-- > 0;)
		if (!children[tips[i] - low])
			stack[depth++] = tips[i];
	while (depth) {
		size_t k;
		uint32_t p = stack[--depth];
		const uint32_t *parents = graph_parents_at(f->g, p, &k);

		ordered[n++] = p;
		for (size_t j = 0; j < k && (j == 0 || !r->first_parent); j++)
			if (!bits_has(&f->unwanted, parents[j]) && !--children[parents[j] - low])
				stack[depth++] = parents[j];
	}
	return ordered;
}

int graph_walk(struct ctx *c, const struct graph *g, const struct graph_range *r, uint32_t **out,
	       size_t *n)
{
	auto_arena struct arena *scratch = arena_new();
	struct finding f = {.g = g, .arena = scratch};

	find_set(&f, r);
	*out = order_set(c->arena, &f, r);
	*n = f.n;
	return E_OK;
}

/* What merge bases are found with: who reaches a commit, and whether a base that was found does. */
struct meeting {
	struct bits of_a, of_b, stale;
	size_t live; /* reached, not looked at, and not stale */
};

static void meet(struct meeting *m, uint32_t p, bool by_a, bool by_b, bool stale)
{
	bool known = bits_has(&m->of_a, p) || bits_has(&m->of_b, p);
	bool was_live = known && !bits_has(&m->stale, p);

	if (by_a)
		bits_set(&m->of_a, p);
	if (by_b)
		bits_set(&m->of_b, p);
	if (stale)
		bits_set(&m->stale, p);
	m->live += !bits_has(&m->stale, p);
	m->live -= was_live;
}

/* Commits that both reach, from the top down: a base is one that no base met before reaches, and
 * all that could reach it were met before. */
size_t graph_merge_bases_of(struct ctx *c, const struct graph *g, const uint32_t *a, size_t na,
			    const uint32_t *b, size_t nb, uint32_t *out, size_t max)
{
	uint32_t high = 0;

	for (size_t i = 0; i < na; i++)
		high = a[i] > high ? a[i] : high;
	for (size_t i = 0; i < nb; i++)
		high = b[i] > high ? b[i] : high;
	struct meeting m = {bits_new(c->arena, 0, high + 1), bits_new(c->arena, 0, high + 1),
			    bits_new(c->arena, 0, high + 1), 0};
	size_t found = 0;

	for (size_t i = 0; i < na; i++)
		meet(&m, a[i], true, false, false);
	for (size_t i = 0; i < nb; i++)
		meet(&m, b[i], false, true, false);
	for (uint32_t p = high + 1; m.live && found < max;) {
		uint32_t x = bits_below(&m.of_a, p), y = bits_below(&m.of_b, p);
		size_t n;

		p = x > y ? x : y;
		const uint32_t *parents = graph_parents_at(g, p, &n);
		bool by_a = bits_has(&m.of_a, p), by_b = bits_has(&m.of_b, p);
		bool stale = bits_has(&m.stale, p);
		if (!stale)
			m.live--;
		if (by_a && by_b && !stale)
			out[found++] = p;
		for (size_t i = 0; i < n; i++)
			meet(&m, parents[i], by_a, by_b, by_a && by_b);
	}
	return found;
}
