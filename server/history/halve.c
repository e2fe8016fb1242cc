/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which suspect to look at next: the one after which, whatever it shows, fewest are left. When it
 * is bad its ancestors and itself are left, else all others; as git bisect chooses.
 */
#include "server/history/range.h"

#include "server/base/arena.h"
#include "server/history/graph.h"

#define TRIED_MAX 64 /* that may not be tried, before giving up */

struct candidate {
	uint32_t position;
	size_t below; /* ancestors among the suspects, and itself */
};

static int ascending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t place_of(const uint32_t *sorted, size_t n, uint32_t p)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted[mid] < p)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && sorted[lo] == p ? lo : n;
}

/* A set of ancestors for each, as bits: parents come first in the numbers. */
static size_t count_all(struct arena *a, const struct graph *g, const uint32_t *sorted, size_t n,
			struct candidate *out)
{
	size_t words = (n + 63) / 64;
	uint64_t *sets = arena_array(a, uint64_t, n * words);

	for (size_t i = 0; i < n; i++) {
		uint64_t *own = sets + i * words;
		size_t nparents;
		const uint32_t *parents = graph_parents(g, sorted[i], &nparents);

		own[i / 64] |= (uint64_t)1 << (i % 64);
		for (size_t k = 0; k < nparents; k++) {
			size_t at = place_of(sorted, n, parents[k]);

			for (size_t w = 0; at < n && w <= at / 64; w++)
				own[w] |= sets[at * words + w];
		}
		out[i].position = sorted[i];
		for (size_t w = 0; w <= i / 64; w++)
			out[i].below += (size_t)__builtin_popcountll(own[w]);
	}
	return n;
}

/* Along the first parents of bad, from the oldest up: each takes what none before it reached. */
static size_t count_line(struct arena *a, const struct graph *g, const uint32_t *sorted, size_t n,
			 uint32_t bad, struct candidate *out)
{
	bool *reached = arena_array(a, bool, n);
	size_t *stack = arena_array(a, size_t, n), nline = 0, total = 0;

	for (uint32_t p = bad; p && place_of(sorted, n, p) < n; p = graph_parent(g, p, 1))
		out[nline++].position = p;
	for (size_t i = nline; i-- > 0;) {
		size_t depth = 0, at = place_of(sorted, n, out[i].position);

		reached[at] = true;
		stack[depth++] = at;
		while (depth) {
			size_t nparents;
			const uint32_t *parents =
				graph_parents(g, sorted[stack[--depth]], &nparents);

			total++;
			for (size_t k = 0; k < nparents; k++) {
				at = place_of(sorted, n, parents[k]);
				if (at == n || reached[at])
					continue;
				reached[at] = true;
				stack[depth++] = at;
			}
		}
		out[i].below = total;
	}
	return nline;
}

/* What is left in the worse case. */
static size_t worse(const struct candidate *x, size_t n)
{
	return x->below > n - x->below ? x->below : n - x->below;
}

/* The best that may be tried; of equals the newest. */
static int choose(const struct candidate *list, size_t nlist, size_t n, uint32_t bad,
		  int (*may)(void *arg, uint32_t position, bool *yes), void *arg, bool *refused,
		  struct range_halving *out)
{
	for (size_t tries = 0; tries < TRIED_MAX; tries++) {
		size_t best = nlist;
		bool yes;

		for (size_t i = 0; i < nlist; i++)
			if (!refused[i] && list[i].position != bad &&
			    (best == nlist || worse(&list[i], n) < worse(&list[best], n) ||
			     (worse(&list[i], n) == worse(&list[best], n) &&
			      list[i].position > list[best].position)))
				best = i;
		if (best == nlist)
			return E_OK;
		int e = may(arg, list[best].position, &yes);
		if (e < 0)
			return e;
		refused[best] = !yes;
		if (!yes)
			continue;
		*out = (struct range_halving){list[best].position, list[best].below,
					      n - list[best].below};
		return E_OK;
	}
	return E_OK;
}

int range_halve(struct ctx *c, const uint32_t *positions, size_t n, uint32_t bad,
		int (*may)(void *arg, uint32_t position, bool *yes), void *arg,
		struct range_halving *out)
{
	auto_arena struct arena *scratch = arena_new();
	uint32_t *sorted = arena_array(scratch, uint32_t, n);
	struct candidate *list = arena_array(scratch, struct candidate, n);
	const struct graph *g;
	size_t nlist;
	int e = graph_get(c, &g);

	*out = (struct range_halving){0};
	if (e < 0 || !n)
		return e;
	memcpy(sorted, positions, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	nlist = n <= RANGE_HALVING_MAX ? count_all(scratch, g, sorted, n, list)
				       : count_line(scratch, g, sorted, n, bad, list);
	return choose(list, nlist, n, bad, may, arg, arena_array(scratch, bool, nlist), out);
}
