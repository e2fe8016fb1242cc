/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of history in memory: for each position of db/git_commits.h its parents and date, in
 * arrays that only grow, shared by all threads. Since a parent's position is smaller than its
 * child's, every question about ancestors is a walk down the numbers. About 18 bytes a commit.
 */
#ifndef HISTORY_GRAPH_H
#define HISTORY_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/err.h"

struct graph;

/* The graph of c's database, with at least every commit that c's snapshot knows; loaded at the
 * first call and extended when there is more. Never freed while the process runs. */
int graph_get(struct ctx *c, const struct graph **out);
/* Commits in it that the caller may look at: positions 1 … n. */
uint32_t graph_size(const struct graph *g);

/* Parents of a position; *n 0: a root. Valid as long as the graph. */
const uint32_t *graph_parents(const struct graph *g, uint32_t p, size_t *n);
int64_t graph_date(const struct graph *g, uint32_t p);
/* The n-th parent (1: first), 0: there is none. */
uint32_t graph_parent(const struct graph *g, uint32_t p, size_t n);
/* n first parents up; 0: there are fewer. */
uint32_t graph_up(const struct graph *g, uint32_t p, size_t n);

/* True when a is b or an ancestor of b. */
bool graph_reaches(const struct graph *g, uint32_t a, uint32_t b);
/* Marks in a bitmap of (size + 64) / 64 words, zeroed by this, all that contain p: p and its
 * descendants. In the arena of c. */
const uint64_t *graph_descendants(struct ctx *c, const struct graph *g, uint32_t p);
static inline bool graph_marked(const uint64_t *bits, uint32_t p)
{
	return bits[p / 64] >> (p % 64) & 1;
}

/* A set of commits, as `git rev-list` takes it: reachable from one of tips, from none of without.
 */
#define GRAPH_SIDES_MAX 1024 /* A...B is without its merge bases: octopuses have many */
struct graph_range {
	uint32_t tips[GRAPH_SIDES_MAX], without[GRAPH_SIDES_MAX];
	size_t ntips, nwithout;
	bool first_parent; /* follow first parents alone, as git's --first-parent */
};
/* Positions of the range in the order of `git log --topo-order`, newest first; in c's arena. Never
 * fails for size; what a page shows it cuts itself. */
int graph_walk(struct ctx *c, const struct graph *g, const struct graph_range *r, uint32_t **out,
	       size_t *n);
/* Merge bases of two commits as `git merge-base --all` (at most max are told), best first; of two
 * sides of several commits each: the best of what both sides reach. */
size_t graph_merge_bases_of(struct ctx *c, const struct graph *g, const uint32_t *a, size_t na,
			    const uint32_t *b, size_t nb, uint32_t *out, size_t max);
static inline size_t graph_merge_bases(struct ctx *c, const struct graph *g, uint32_t a, uint32_t b,
				       uint32_t *out, size_t max)
{
	return graph_merge_bases_of(c, g, &a, 1, &b, 1, out, max);
}

#endif
