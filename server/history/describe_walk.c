/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of `git describe`: commits by date, newest first, from the one that is described; each
 * tag that is met is a candidate, and every commit that it does not contain makes it one deeper.
 * Which commits a candidate contains is passed down to parents as bits. After ten candidates the
 * nearest is taken and its depth counted to the end, so that the number is exact.
 */
#include "server/history/position_inside.h"

#include <string.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#define CANDIDATES 10
#define SEEN       ((uint16_t)1 << 0)
#define QUEUED     ((uint16_t)1 << 15) /* bits 1 to 10: within a candidate */

struct queued {
	int64_t date;
	uint64_t turn; /* of equal dates the first that came */
	uint32_t p;
};

struct candidate {
	const char *name;
	int64_t depth;
	uint16_t bit;
};

struct walk {
	struct arena *arena;
	const struct graph *g;
	uint16_t *flags; /* of positions up to the start */
	struct queued *heap;
	size_t n, cap;
	uint64_t turns;
	struct candidate found[CANDIDATES];
	size_t nfound;
	uint16_t best;  /* in the second part: the bit of the one that was taken */
	size_t outside; /* and how many of the queue are not in it */
};

static bool comes_first(const struct queued *a, const struct queued *b)
{
	return a->date != b->date ? a->date > b->date : a->turn < b->turn;
}

static void push(struct walk *w, uint32_t p)
{
	struct queued q = {graph_date(w->g, p), w->turns++, p};
	size_t i = w->n++;

	w->heap = arena_grow(w->arena, w->heap, &w->cap, w->n, sizeof(*w->heap));
	for (; i && comes_first(&q, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = q;
	w->flags[p] |= SEEN | QUEUED;
	w->outside += !(w->flags[p] & w->best);
}

static uint32_t pop(struct walk *w)
{
	uint32_t p = w->heap[0].p;
	struct queued last = w->heap[--w->n];
	size_t i = 0;

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= w->n)
			break;
		if (k + 1 < w->n && comes_first(&w->heap[k + 1], &w->heap[k]))
			k++;
		if (!comes_first(&w->heap[k], &last))
			break;
		w->heap[i] = w->heap[k];
		i = k;
	}
	w->heap[i] = last;
	w->flags[p] &= (uint16_t)~QUEUED;
	w->outside -= !(w->flags[p] & w->best);
	return p;
}

static void pass_down(struct walk *w, uint32_t p)
{
	uint16_t bits = w->flags[p] & (uint16_t) ~(SEEN | QUEUED);
	size_t n;
	const uint32_t *parents = graph_parents(w->g, p, &n);

	for (size_t i = 0; i < n; i++) {
		uint16_t *f = &w->flags[parents[i]];

		if (!(*f & SEEN)) {
			*f |= bits;
			push(w, parents[i]);
			continue;
		}
		if ((*f & QUEUED) && !(*f & w->best) && (bits & w->best))
			w->outside--;
		*f |= bits;
	}
}

/* Of tags on one commit git takes an annotated one, of these the newest, else the first by name. */
static const char *tag_at(const struct tree_refs *t, uint32_t p)
{
	size_t low = 0, high = t->nby_position;
	const char *name;
	int64_t newest;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->by_position[mid].position < p)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->nby_position || t->by_position[low].position != p)
		return NULL;
	name = t->by_position[low].name;
	if (low + 1 == t->nby_position || t->by_position[low + 1].position != p)
		return name;
	newest = object_tag_date(t->repo->path, t->by_position[low].full);
	for (size_t i = low + 1; i < t->nby_position && t->by_position[i].position == p; i++) {
		int64_t date = object_tag_date(t->repo->path, t->by_position[i].full);

		if (date == TIME_NONE || (newest != TIME_NONE && date <= newest))
			continue;
		newest = date;
		name = t->by_position[i].name;
	}
	return name;
}

static const struct candidate *nearest(const struct walk *w)
{
	const struct candidate *best = NULL;

	for (size_t i = 0; i < w->nfound; i++)
		if (!best || w->found[i].depth < best->depth)
			best = &w->found[i];
	return best;
}

/* Nothing is left but what the nearest candidates contain. */
static bool covered(const struct walk *w, uint32_t p)
{
	const struct candidate *best = nearest(w);

	if (!best || w->n)
		return false;
	for (size_t i = 0; i < w->nfound; i++)
		if (w->found[i].depth == best->depth && !(w->flags[p] & w->found[i].bit))
			return false;
	return true;
}

static void find_candidates(struct walk *w, const struct tree_refs *t)
{
	int64_t seen = 0;

	while (w->n) {
		uint32_t p = pop(w);
		const char *name = tag_at(t, p);

		if (name && w->nfound == CANDIDATES) {
			push(w, p);
			return;
		}
		if (name) {
			uint16_t bit = (uint16_t)(1u << (w->nfound + 1));

			w->found[w->nfound++] = (struct candidate){name, seen, bit};
			w->flags[p] |= bit;
		}
		seen++;
		for (size_t i = 0; i < w->nfound; i++)
			w->found[i].depth += !(w->flags[p] & w->found[i].bit);
		if (covered(w, p))
			return;
		pass_down(w, p);
	}
}

static void finish_depth(struct walk *w, struct candidate *best)
{
	w->best = best->bit;
	w->outside = 0;
	for (size_t i = 0; i < w->n; i++)
		w->outside += !(w->flags[w->heap[i].p] & w->best);
	while (w->n && w->outside) {
		uint32_t p = pop(w);

		best->depth += !(w->flags[p] & best->bit);
		pass_down(w, p);
	}
}

const char *describe_walk(struct ctx *c, const struct graph *g, const struct tree_refs *t,
			  uint32_t p, int64_t *depth)
{
	auto_arena struct arena *scratch = arena_new();
	struct walk w = {.arena = scratch, .g = g};
	struct candidate *best;

	(void)c;
	*depth = 0;
	if (t->nby_position == 0)
		return NULL;
	w.flags = arena_array(scratch, uint16_t, (size_t)p + 1);
	push(&w, p);
	find_candidates(&w, t);
	best = (struct candidate *)nearest(&w);
	if (!best)
		return NULL;
	finish_depth(&w, best);
	*depth = best->depth;
	return best->name;
}
