/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph that all threads share: chunks that are filled once and never move, so that readers
 * take no lock. A number says how many commits are whole; it is raised, with release, after they
 * were written. One graph a database, found by its name. What a transaction of this thread may
 * still roll back never enters the shared chunks: such a caller gets a graph of its own, in its
 * arena, that shares what is certain.
 */
#include "server/history/graph.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "db/engine.h"
#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/history/graph_inside.h"

#define GRAPHS_MAX 64 /* databases that one process opens: tests have some, a server one */

static struct graph *graphs[GRAPHS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t graph_size(const struct graph *g)
{
	return atomic_load_explicit(&g->size, memory_order_acquire);
}

/* --- filling ------------------------------------------------------------------------------------
 */

/* Zeroed, from the arena of a graph of one's own, else for good. */
static void *room(const struct graph *g, size_t bytes)
{
	void *p = g->arena ? arena_alloc(g->arena, bytes) : calloc(1, bytes);

	if (!p)
		die("out of memory");
	return p;
}

/* Where n parents in a row may stand: never across two pools. False: the graph is full. */
static bool pool_place(struct graph *g, size_t n, uint32_t *at)
{
	size_t left = POOL_PARENTS - g->used % POOL_PARENTS;

	if (n > left)
		g->used += (uint32_t)left;
	if (g->used / POOL_PARENTS >= POOLS_MAX)
		return false;
	if (!g->pools[g->used / POOL_PARENTS])
		g->pools[g->used / POOL_PARENTS] = room(g, POOL_PARENTS * sizeof(uint32_t));
	*at = g->used;
	g->used += (uint32_t)n;
	return true;
}

struct filling {
	struct ctx *c;
	struct graph *g;
	uint32_t next; /* position that must come */
};

static int add_commit(void *arg, const struct git_commit *k)
{
	struct filling *f = arg;
	struct graph *g = f->g;
	uint32_t p = f->next, at;

	if (k->position != p)
		return fail(f->c, E_INTERNAL,
			    "the index of git has position %lld where %lld belongs",
			    (long long)k->position, (long long)p);
	if (p / CHUNK_COMMITS >= CHUNKS_MAX || !pool_place(g, k->nparents, &at))
		return fail(f->c, E_TOO_LARGE, "there are more commits than the graph holds");
	struct graph_chunk **chunk = &g->chunks[p / CHUNK_COMMITS];
	if (!*chunk)
		*chunk = room(g, sizeof(**chunk));
	for (size_t i = 0; i < k->nparents; i++) {
		if (k->parents[i] == 0 || k->parents[i] >= p)
			return fail(f->c, E_INTERNAL,
				    "the index of git has a parent after its child, at %lld",
				    (long long)p);
		g->pools[at / POOL_PARENTS][at % POOL_PARENTS + i] = k->parents[i];
	}
	(*chunk)->at[p % CHUNK_COMMITS] = at;
	(*chunk)->nparents[p % CHUNK_COMMITS] = (uint8_t)k->nparents;
	(*chunk)->date[p % CHUNK_COMMITS] = k->date;
	f->next++;
	return E_OK;
}

/* Adds what c's snapshot knows more. What was read before a failure is whole and stays. */
static int extend(struct ctx *c, struct graph *g)
{
	struct filling f = {.c = c, .g = g, .next = graph_size(g) + 1};
	int e = git_commit_each(c, f.next - 1, add_commit, &f);

	atomic_store_explicit(&g->size, f.next - 1, memory_order_release);
	return e;
}

/* A graph that the caller alone sees: it shares full chunks, and has its own last ones. */
static struct graph *own_copy(struct ctx *c, const struct graph *g)
{
	struct graph *own = arena_alloc(c->arena, sizeof(*own));
	uint32_t n = graph_size(g);

	memcpy(own->chunks, g->chunks, sizeof(own->chunks));
	memcpy(own->pools, g->pools, sizeof(own->pools));
	own->arena = c->arena;
	own->used = g->used;
	atomic_store(&own->size, n);
	struct graph_chunk **chunk = &own->chunks[(n + 1) / CHUNK_COMMITS];
	if (*chunk)
		*chunk = arena_copy(c->arena, *chunk, sizeof(**chunk));
	uint32_t **pool = &own->pools[own->used / POOL_PARENTS];
	if (*pool)
		*pool = arena_copy(c->arena, *pool, POOL_PARENTS * sizeof(**pool));
	return own;
}

static struct graph *find_graph(struct ctx *c, int *e)
{
	const char *name = db_name(c->db);

	for (size_t i = 0; i < GRAPHS_MAX; i++) {
		if (!graphs[i]) {
			graphs[i] = calloc(1, sizeof(*graphs[i]));
			if (!graphs[i] || !(graphs[i]->database = strdup(name)))
				die("out of memory");
		}
		if (strcmp(graphs[i]->database, name) == 0)
			return graphs[i];
	}
	*e = fail(c, E_INTERNAL, "more than %d databases were opened", GRAPHS_MAX);
	return NULL;
}

int graph_get(struct ctx *c, const struct graph **out)
{
	int64_t newest;
	int e = git_commit_newest(c, &newest);

	*out = NULL;
	if (e < 0)
		return e;
	pthread_mutex_lock(&lock);
	struct graph *g = find_graph(c, &e);
	if (g && newest > graph_size(g)) {
		if (db_in_transaction(c->db))
			g = own_copy(c, g);
		e = extend(c, g);
	}
	pthread_mutex_unlock(&lock);
	*out = g;
	return e;
}

/* --- asking -------------------------------------------------------------------------------------
 */

const uint32_t *graph_parents(const struct graph *g, uint32_t p, size_t *n)
{
	return graph_parents_at(g, p, n);
}

int64_t graph_date(const struct graph *g, uint32_t p)
{
	return g->chunks[p / CHUNK_COMMITS]->date[p % CHUNK_COMMITS];
}

uint32_t graph_parent(const struct graph *g, uint32_t p, size_t n)
{
	size_t count;
	const uint32_t *parents = graph_parents_at(g, p, &count);

	return n >= 1 && n <= count ? parents[n - 1] : 0;
}

uint32_t graph_up(const struct graph *g, uint32_t p, size_t n)
{
	while (p && n--)
		p = graph_parent(g, p, 1);
	return p;
}

/* Down from b over marked positions; nothing below a can lead to it. */
bool graph_reaches(const struct graph *g, uint32_t a, uint32_t b)
{
	auto_arena struct arena *scratch = NULL;

	if (a >= b)
		return a == b;
	scratch = arena_new();
	struct bits bits = bits_new(scratch, a, b);
	bits_set(&bits, b);
	for (uint32_t p = b; p > a; p = bits_below(&bits, p)) {
		size_t n;
		const uint32_t *parents = graph_parents_at(g, p, &n);

		for (size_t i = 0; i < n; i++) {
			if (parents[i] == a)
				return true;
			if (parents[i] > a)
				bits_set(&bits, parents[i]);
		}
	}
	return false;
}

const uint64_t *graph_descendants(struct ctx *c, const struct graph *g, uint32_t p)
{
	uint32_t size = graph_size(g);
	uint64_t *marks = arena_array(c->arena, uint64_t, ((size_t)size + 64) / 64);

	marks[p / 64] |= (uint64_t)1 << (p % 64);
	for (uint32_t k = p + 1; k <= size; k++) {
		size_t n;
		const uint32_t *parents = graph_parents_at(g, k, &n);

		for (size_t i = 0; i < n; i++) {
			if (parents[i] >= p && graph_marked(marks, parents[i])) {
				marks[k / 64] |= (uint64_t)1 << (k % 64);
				break;
			}
		}
	}
	return marks;
}
