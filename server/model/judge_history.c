/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small table of cells by series and commit, under one lock that is held for pointer moves alone.
 * A cell that is being used stays alive after it has left the table. A page may ask for more than
 * is kept: what does not fit is made anew each time.
 */
#include "server/model/judge_history.h"

#include <pthread.h>

#include "db/cell_stamp.h"
#include "db/metrics.h"
#include "db/runs.h"
#include "server/analysis/rule.h"
#include "server/base/arena.h"
#include "server/base/digest.h"
#include "server/history/ancestors.h"

#define BUCKETS    512
#define VALUES_MAX ((size_t)1 << 21) /* of all commits of a history: 16 MiB */

struct kept_cell {
	uint64_t key[4];          /* database, series, commit by its first row, stamp */
	struct history_cell cell; /* what it points to lies behind this struct */
	size_t values, bytes;
	unsigned users; /* and one for the table while it is in */
	struct kept_cell *chain, *newer, *older;
};

static struct {
	pthread_mutex_t lock;
	struct kept_cell *buckets[BUCKETS], *newest, *oldest;
	size_t bytes;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct kept_cell **bucket_of(const uint64_t key[4])
{
	return &table.buckets[hash_bytes(key, 3 * sizeof(*key)) % BUCKETS];
}

static void drop(struct kept_cell *k)
{
	if (--k->users == 0)
		free(k);
}

static void leave_order(struct kept_cell *k)
{
	*(k->newer ? &k->newer->older : &table.newest) = k->older;
	*(k->older ? &k->older->newer : &table.oldest) = k->newer;
}

static void become_newest(struct kept_cell *k)
{
	k->newer = NULL;
	k->older = table.newest;
	*(table.newest ? &table.newest->newer : &table.oldest) = k;
	table.newest = k;
}

static void leave_table(struct kept_cell *k)
{
	struct kept_cell **at = bucket_of(k->key);

	while (*at != k)
		at = &(*at)->chain;
	*at = k->chain;
	leave_order(k);
	table.bytes -= k->bytes;
	drop(k);
}

/* The cell with this key; one of the same commit with another stamp is out of date. */
static struct kept_cell *find_kept(const uint64_t key[4])
{
	struct kept_cell *k;

	pthread_mutex_lock(&table.lock);
	for (k = *bucket_of(key); k; k = k->chain)
		if (memcmp(k->key, key, 3 * sizeof(*key)) == 0)
			break;
	if (k && k->key[3] != key[3]) {
		leave_table(k);
		k = NULL;
	}
	if (k) {
		leave_order(k);
		become_newest(k);
		k->users++;
	}
	pthread_mutex_unlock(&table.lock);
	return k;
}

static void keep(struct kept_cell *k)
{
	struct kept_cell **bucket = bucket_of(k->key), *same;

	pthread_mutex_lock(&table.lock);
	for (same = *bucket; same; same = same->chain)
		if (memcmp(same->key, k->key, 3 * sizeof(k->key[0])) == 0)
			break; /* another thread was faster */
	if (!same && k->bytes <= JUDGE_HISTORY_KEPT / 4) {
		k->users++;
		k->chain = *bucket;
		*bucket = k;
		become_newest(k);
		table.bytes += k->bytes;
		while (table.bytes > JUDGE_HISTORY_KEPT)
			leave_table(table.oldest);
	}
	pthread_mutex_unlock(&table.lock);
}

/* A copy of the cell in one piece of memory. */
static struct kept_cell *copy_cell(const uint64_t key[4], const struct history_cell *cell)
{
	size_t values = 0, bytes;
	struct kept_cell *k;
	struct rule_group *groups;
	uint32_t *ids;
	double *v;

	for (size_t i = 0; i < cell->n; i++)
		values += cell->groups[i].n;
	bytes = sizeof(*k) + cell->n * (sizeof(*groups) + sizeof(*ids)) + values * sizeof(*v);
	k = calloc(1, bytes);
	if (!k)
		die("out of memory (%zu bytes of history)", bytes);
	groups = (struct rule_group *)(k + 1);
	v = (double *)(groups + cell->n);
	ids = (uint32_t *)(v + values);
	for (size_t i = 0; i < cell->n; i++) {
		groups[i] = cell->groups[i];
		groups[i].v = memcpy(v, groups[i].v, groups[i].n * sizeof(*v));
		v += groups[i].n;
		ids[i] = cell->ids[i];
	}
	memcpy(k->key, key, sizeof(k->key));
	k->cell = (struct history_cell){ids, groups, cell->n, cell->profiled};
	k->values = values;
	k->bytes = bytes;
	k->users = 1;
	return k;
}

/* Makes the cell of a commit. Its samples are read into an arena of their own, which goes. */
static int make_cell(struct ctx *c, const uint64_t key[4], struct measured_rows rows, size_t room,
		     struct kept_cell **out)
{
	struct arena *page = c->arena;
	auto_arena struct arena *scratch = arena_new();
	struct history_cell cell;
	struct cell_data data;
	int e;

	c->arena = scratch;
	e = cell_load_names(c, (int64_t)key[1], rows.ids, rows.n, false, &room, &data);
	c->arena = page;
	if (e < 0)
		return e;
	if (!history_cell_fill(scratch, &data.column, VALUES_MAX, &cell))
		cell = (struct history_cell){0}; /* too large to hold anything against it */
	*out = copy_cell(key, &cell);
	return E_OK;
}

/* Of all names of a commit; 0: it has no runs. */
static int stamp_of(struct ctx *c, int64_t series_id, struct measured_rows rows, uint64_t *stamp)
{
	int e = cell_stamp(c, series_id, rows.ids[0], stamp);

	for (size_t i = 1; e >= 0 && i < rows.n; i++) {
		uint64_t both[2] = {*stamp, 0};

		e = cell_stamp(c, series_id, rows.ids[i], &both[1]);
		if (e >= 0 && both[1])
			*stamp = hash_bytes(both, sizeof(both));
	}
	return e;
}

/* E_TOO_LARGE: it has more values than room. *out stays NULL where there is nothing but figures
 * that came printed. */
static int take_cell(struct ctx *c, int64_t series_id, struct measured_rows rows, size_t room,
		     struct kept_cell **out)
{
	const char *name = db_name(c->db);
	uint64_t key[4] = {hash_bytes(name, strlen(name)), (uint64_t)series_id,
			   (uint64_t)rows.ids[0], 0};
	int e = stamp_of(c, series_id, rows, &key[3]);
	uint64_t made_by = metrics_edition(); /* what counts fails is not in it, by the facts */

	*out = NULL;
	if (e < 0 || !key[3])
		return e;
	key[3] ^= made_by * 0x9e3779b97f4a7c15;
	*out = find_kept(key);
	if (*out)
		return E_OK;
	e = make_cell(c, key, rows, room, out);
	if (e >= 0)
		keep(*out);
	return e;
}

/* From the nearest on, so that what there is no room for is the oldest. */
static int take_cells(struct ctx *c, int64_t series_id, const struct measured_rows *rows, size_t n,
		      struct judge_history *h, const struct history_cell **cells)
{
	size_t room = VALUES_MAX;

	for (size_t i = n; i-- > 0 && h->nkept < RULE_HISTORY_MAX;) {
		struct kept_cell *k;
		int e = take_cell(c, series_id, rows[i], room, &k);

		if (e == E_TOO_LARGE) {
			ctx_clear(c);
			return E_OK;
		}
		if (e < 0)
			return e;
		if (!k)
			continue;
		h->kept[h->nkept++] = k;
		cells[n - h->nkept] = &k->cell;
		room -= k->values < room ? k->values : room;
	}
	return E_OK;
}

int judge_history_load(struct ctx *c, int64_t series_id, int64_t older, int64_t other,
		       struct judge_history *out)
{
	struct measured_rows rows[RULE_HISTORY_MAX + 1];
	const struct history_cell **cells;
	size_t before = 0;
	int e;

	*out = (struct judge_history){0};
	e = measured_without(c, series_id, older, other, RULE_HISTORY_MAX + 1, rows, &before);
	if (e < 0)
		return e;
	out->kept = arena_array(c->arena, struct kept_cell *, before);
	cells = arena_array(c->arena, const struct history_cell *, before);
	e = take_cells(c, series_id, rows, before, out, cells);
	out->history = (struct comparison_history){cells + before - out->nkept, out->nkept};
	if (e < 0)
		judge_history_release(out);
	return e;
}

void judge_history_release(struct judge_history *h)
{
	if (!h->nkept)
		return;
	pthread_mutex_lock(&table.lock);
	for (size_t i = 0; i < h->nkept; i++)
		drop(h->kept[i]);
	pthread_mutex_unlock(&table.lock);
	*h = (struct judge_history){0};
}
