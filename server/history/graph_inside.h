/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the graph lies in memory, and sets of positions, for the walks over it. Nobody outside of
 * history/ includes it. */
#ifndef HISTORY_GRAPH_INSIDE_H
#define HISTORY_GRAPH_INSIDE_H

#include <stdatomic.h>

#include "server/base/arena.h"
#include "server/history/graph.h"

#define CHUNK_COMMITS 65536u
#define CHUNKS_MAX    512u /* 33 million commits */
#define POOL_PARENTS  65536u
#define POOLS_MAX     1024u

struct graph_chunk {
	uint32_t at[CHUNK_COMMITS]; /* where the parents of each begin: pool, then place in it */
	uint8_t nparents[CHUNK_COMMITS];
	int64_t date[CHUNK_COMMITS];
};

struct graph {
	char *database;
	struct arena *arena;   /* of one caller's own; NULL: shared */
	_Atomic uint32_t size; /* positions 1 … size are whole */
	uint32_t used;         /* parents placed */
	struct graph_chunk *chunks[CHUNKS_MAX + 1];
	uint32_t *pools[POOLS_MAX + 1];
};

static inline const uint32_t *graph_parents_at(const struct graph *g, uint32_t p, size_t *n)
{
	const struct graph_chunk *k = g->chunks[p / CHUNK_COMMITS];
	uint32_t at = k->at[p % CHUNK_COMMITS];

	*n = k->nparents[p % CHUNK_COMMITS];
	return *n ? &g->pools[at / POOL_PARENTS][at % POOL_PARENTS] : NULL;
}

/* A set of positions from low to high, for walks that go down. */
struct bits {
	uint64_t *words;
	uint32_t first; /* word of low */
};

static inline struct bits bits_new(struct arena *a, uint32_t low, uint32_t high)
{
	return (struct bits){arena_array(a, uint64_t, (size_t)(high / 64 - low / 64) + 1),
			     low / 64};
}

static inline bool bits_has(const struct bits *b, uint32_t p)
{
	return b->words[p / 64 - b->first] >> (p % 64) & 1;
}

static inline void bits_set(struct bits *b, uint32_t p)
{
	b->words[p / 64 - b->first] |= (uint64_t)1 << (p % 64);
}

/* The largest member below p; 0: there is none. */
static inline uint32_t bits_below(const struct bits *b, uint32_t p)
{
	size_t w = p / 64 - b->first;
	uint64_t word = b->words[w] & (((uint64_t)1 << (p % 64)) - 1);

	while (!word) {
		if (w == 0)
			return 0;
		word = b->words[--w];
	}
	return (uint32_t)((w + b->first) * 64 + 63 - (size_t)__builtin_clzll(word));
}

#endif
