/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children and measured neighbours: sweeps over the graph by number, each at most once. */
#include "server/history/neighbours.h"

#include "db/git_commits.h"
#include "db/git_measured.h"
#include "server/base/arena.h"
#include "server/history/graph.h"

int graph_children(struct ctx *c, int64_t p, size_t max, int64_t *out, size_t *n)
{
	const struct graph *g;
	int64_t newest = 0;
	int e = graph_get(c, &g);

	*n = 0;
	/* Another thread's snapshot may be younger: the index that we see has no such commits. */
	if (e >= 0)
		e = git_commit_newest(c, &newest);
	if (e < 0)
		return e;
	for (uint32_t q = (uint32_t)p + 1; q <= newest && *n < max; q++) {
		size_t nparents;
		const uint32_t *parents = graph_parents(g, q, &nparents);

		for (size_t i = 0; i < nparents; i++)
			if (parents[i] == p) {
				out[(*n)++] = q;
				break;
			}
	}
	return E_OK;
}

/* Ancestors are marked downwards until one of them was measured. */
static int64_t sweep_down(struct ctx *c, const struct graph *g, uint32_t p, const int64_t *measured,
			  size_t n)
{
	uint64_t *marks = arena_array(c->arena, uint64_t, (size_t)p / 64 + 1);

	marks[p / 64] |= (uint64_t)1 << (p % 64);
	while (n && measured[n - 1] >= p)
		n--;
	for (uint32_t q = p; q && n; q--) {
		size_t nparents;
		const uint32_t *parents;

		while (n && measured[n - 1] > q)
			n--;
		if (!graph_marked(marks, q))
			continue;
		if (n && measured[n - 1] == q)
			return q;
		parents = graph_parents(g, q, &nparents);
		for (size_t i = 0; i < nparents; i++)
			marks[parents[i] / 64] |= (uint64_t)1 << (parents[i] % 64);
	}
	return 0;
}

int measured_neighbours(struct ctx *c, int64_t p, int64_t *before, int64_t *after)
{
	const struct graph *g;
	const uint64_t *marks;
	int64_t *measured;
	size_t n;
	int e = graph_get(c, &g);

	*before = *after = 0;
	if (e >= 0)
		e = git_measured_positions(c, &measured, &n);
	if (e < 0 || p < 1 || p > graph_size(g))
		return e;
	*before = sweep_down(c, g, (uint32_t)p, measured, n);
	marks = graph_descendants(c, g, (uint32_t)p);
	for (size_t i = 0; i < n && !*after; i++)
		if (measured[i] > p && measured[i] <= graph_size(g) &&
		    graph_marked(marks, (uint32_t)measured[i]))
			*after = measured[i];
	return E_OK;
}
