/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finished runs, packed: 24 bytes and 8 a value each. Values lie one behind the other in blocks
 * that are a multiple of a run's size; the lists of metrics are shared by all runs that have the
 * same. What was handed on is forgotten, and its blocks are used again.
 */
#include "importers/record_parts.h"

#include "server/base/arena.h"
#include "server/base/digest.h"

#define BLOCK_MIN   128 /* bytes */
#define BLOCK_MAX   ((size_t)64 << 10)
#define FIRST_ROOM  4 /* values */
#define FIRST_SLOTS 8 /* a power of two */

/* --- pools --- */

static char *pool_tail(const struct run_pool *p)
{
	return (char *)(p->now + 1) + p->now->used;
}

static size_t pool_left(const struct run_pool *p)
{
	return p->now ? p->now->size - p->now->used : 0;
}

/* Room for need bytes in one piece at the tail. A new block is as large as all before it, within
 * bounds, and holds a whole number of pieces of step bytes. */
static void *pool_room(struct run_pool *p, size_t need, size_t step)
{
	size_t size = p->total < BLOCK_MIN   ? BLOCK_MIN
		      : p->total > BLOCK_MAX ? BLOCK_MAX
					     : p->total;
	struct pool_block *b;

	while (pool_left(p) < need && p->now && p->now->next) {
		p->now = p->now->next;
		p->now->used = 0;
	}
	if (p->now && pool_left(p) >= need)
		return pool_tail(p);
	size = size < need ? need : size;
	if (step)
		size += step - 1 - (size - 1) % step;
	b = arena_alloc(p->a, sizeof(*b) + size);
	b->size = size;
	if (p->last)
		p->last->next = b;
	else
		p->first = b;
	p->last = p->now = b;
	p->total += size;
	return pool_tail(p);
}

static void *pool_take(struct run_pool *p, size_t n)
{
	char *at;

	n = (n + 7) & ~(size_t)7;
	at = pool_room(p, n, 0);
	p->now->used += n;
	return at;
}

static void pool_clear(struct run_pool *p, bool reuse)
{
	if (!reuse)
		*p = (struct run_pool){.a = p->a, .total = p->total};
	p->now = p->first;
	if (p->now)
		p->now->used = 0;
}

void *record_rest(struct record *r, size_t n)
{
	return pool_take(&r->rest, n);
}

/* --- layouts --- */

static void place(struct record *r, struct run_layout *l)
{
	size_t i = l->hash & (r->layout_slots - 1);

	while (r->layouts[i])
		i = (i + 1) & (r->layout_slots - 1);
	r->layouts[i] = l;
}

/* Keeps the table at most half full. */
static void make_room(struct record *r)
{
	struct run_layout **old = r->layouts;
	size_t slots = r->layout_slots;

	if (2 * (r->nlayouts + 1) <= slots)
		return;
	r->layout_slots = slots ? 2 * slots : FIRST_SLOTS;
	r->layouts = arena_array(r->a, struct run_layout *, r->layout_slots);
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			place(r, old[i]);
}

static struct run_layout *layout_of(struct record *r, const uint32_t *ids, size_t n)
{
	uint32_t hash = (uint32_t)hash_bytes(ids, n * sizeof(*ids));
	struct run_layout *l;
	uint32_t *own;

	make_room(r);
	for (size_t i = hash & (r->layout_slots - 1); (l = r->layouts[i]);
	     i = (i + 1) & (r->layout_slots - 1)) {
		if (l->hash == hash && l->n == n && !memcmp(l->ids, ids, n * sizeof(*ids)))
			return l;
	}
	own = record_rest(r, n * sizeof(*own));
	memcpy(own, ids, n * sizeof(*own));
	l = record_rest(r, sizeof(*l));
	*l = (struct run_layout){.ids = own, .n = (uint32_t)n, .hash = hash};
	place(r, l);
	r->nlayouts++;
	return l;
}

/* --- runs --- */

void record_runs_init(struct record *r)
{
	block_list_init(&r->runs, r->a, sizeof(struct one_run));
	r->values.a = r->rest.a = r->a;
}

void record_open_run(struct record *r)
{
	size_t likely;

	record_close_run(r);
	likely = r->like ? r->like->n : 0;
	r->open = true;
	r->begun++;
	r->n = r->alike = 0;
	r->distributions = NULL;
	r->now = NULL;
	r->room = 0;
	if (!likely)
		return;
	r->now = pool_room(&r->values, likely * sizeof(double), likely * sizeof(double));
	r->room = pool_left(&r->values) / sizeof(double);
}

/* Runs without anything are kept only as long as a status may still say that they failed. */
void record_close_run(struct record *r)
{
	struct run_layout *layout = NULL;
	struct one_run *run;

	if (!r->open)
		return;
	r->open = false;
	if (!r->n && !r->distributions && r->settled && r->own.status == RUN_OK)
		return;
	if (r->n && r->alike == r->n && r->like->n == r->n)
		layout = r->like;
	else if (r->n)
		layout = layout_of(r, r->alike == r->n ? r->like->ids : r->ids, r->n);
	if (layout) {
		pool_take(&r->values, r->n * sizeof(double));
		r->like = layout;
	}
	run = block_list_add(&r->runs);
	*run = (struct one_run){r->now, layout, r->distributions};
}

/* Most runs have the metrics of the one before, in its order. */
static void put_id(struct record *r, uint32_t id)
{
	if (r->alike == r->n && r->like && r->n < r->like->n && r->like->ids[r->n] == id) {
		r->alike++;
		return;
	}
	if (r->ids_room < r->n + 1) {
		size_t room = 2 * (r->n + FIRST_ROOM);
		uint32_t *ids = arena_array(r->a, uint32_t, room);

		if (r->n && r->alike < r->n)
			memcpy(ids, r->ids, r->n * sizeof(*ids));
		r->ids = ids;
		r->ids_room = room;
	}
	if (r->alike && r->alike == r->n)
		memcpy(r->ids, r->like->ids, r->n * sizeof(*r->ids));
	r->ids[r->n] = id;
}

void record_put(struct record *r, uint32_t id, double v)
{
	put_id(r, id);
	if (r->n == r->room) {
		size_t want = r->n ? 2 * r->n : FIRST_ROOM;
		double *more = pool_room(&r->values, want * sizeof(double), 0);

		if (r->n)
			memmove(more, r->now, r->n * sizeof(double));
		r->now = more;
		r->room = pool_left(&r->values) / sizeof(double);
	}
	r->now[r->n++] = v;
}

struct distribution_in *record_put_distribution(struct record *r)
{
	struct run_distributions *ds = r->distributions;

	if (!ds) {
		ds = r->distributions = record_rest(r, sizeof(*ds));
		*ds = (struct run_distributions){0};
	}
	if (ds->n == ds->cap) {
		size_t cap = ds->cap ? 2 * ds->cap : FIRST_ROOM;
		struct distribution_in *more = record_rest(r, cap * sizeof(*more));

		if (ds->n)
			memcpy(more, ds->list, ds->n * sizeof(*more));
		ds->list = more;
		ds->cap = cap;
	}
	return &ds->list[ds->n++];
}

void record_forget_runs(struct record *r, bool reuse)
{
	r->had_runs = r->had_runs || r->runs.n;
	r->runs.n = 0;
	pool_clear(&r->values, reuse);
	pool_clear(&r->rest, reuse);
	if (r->nlayouts)
		memset(r->layouts, 0, r->layout_slots * sizeof(*r->layouts));
	r->nlayouts = 0;
	r->like = NULL;
}
