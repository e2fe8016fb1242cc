/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of chains and a list in order of use, under one lock. A pass is copied out while it
 * is held, 16 bytes a point, so that nobody has to give anything back; the lock is not held while
 * a pass is made, and when two threads make the same one, the first stays.
 */
#include "server/model/kept_passes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/arena.h"
#include "server/base/digest.h"
#include "server/base/err.h"

#define BUCKETS 8192u
#define LEAST   20 /* points: a pass over fewer is made in no time, and is due with each new one */

struct kept {
	struct digest key;
	size_t bytes; /* with this struct */
	struct kept *chain, *newer, *older;
	_Alignas(double) char pass[];
};

static struct {
	pthread_mutex_t lock;
	struct kept *buckets[BUCKETS], *newest, *oldest;
	size_t bytes;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct kept **bucket_of(const struct digest *key)
{
	uint32_t h;

	memcpy(&h, key->b, sizeof(h)); /* a digest is well mixed already */
	return &table.buckets[h % BUCKETS];
}

static void leave_order(struct kept *k)
{
	*(k->newer ? &k->newer->older : &table.newest) = k->older;
	*(k->older ? &k->older->newer : &table.oldest) = k->newer;
}

static void become_newest(struct kept *k)
{
	k->newer = NULL;
	k->older = table.newest;
	*(table.newest ? &table.newest->newer : &table.oldest) = k;
	table.newest = k;
}

static struct kept *find(const struct digest *key)
{
	struct kept *k = *bucket_of(key);

	while (k && !digest_equal(&k->key, key))
		k = k->chain;
	return k;
}

static void drop_oldest(void)
{
	struct kept *k = table.oldest, **at = bucket_of(&k->key);

	while (*at != k)
		at = &(*at)->chain;
	*at = k->chain;
	leave_order(k);
	table.bytes -= k->bytes;
	free(k);
}

/* A copy of the pass, or NULL. */
static const void *copy_pass(struct arena *a, const struct digest *key)
{
	void *copy = NULL;

	pthread_mutex_lock(&table.lock);
	struct kept *k = find(key);
	if (k) {
		leave_order(k);
		become_newest(k);
		copy = arena_copy(a, k->pass, k->bytes - sizeof(*k));
	}
	pthread_mutex_unlock(&table.lock);
	return copy;
}

static void keep(const struct digest *key, const struct changepoint_line *l, size_t points)
{
	size_t bytes = sizeof(struct kept) + changepoint_pass_bytes(points);
	struct kept *k = calloc(1, bytes), **bucket = bucket_of(key), *same;

	if (!k)
		die("out of memory (%zu bytes of change points)", bytes);
	k->key = *key;
	k->bytes = bytes;
	changepoint_line_pass(l, k->pass);
	pthread_mutex_lock(&table.lock);
	same = find(key);
	if (!same) {
		k->chain = *bucket;
		*bucket = k;
		become_newest(k);
		table.bytes += bytes;
		while (table.bytes > KEPT_PASSES)
			drop_oldest();
	}
	pthread_mutex_unlock(&table.lock);
	if (same)
		free(k);
}

/* Of all that changepoint_line_new reads; counts of runs, which hardly change, where they do. */
static struct digest key_of(const struct changepoint_series *s)
{
	uint64_t head[2] = {s->kind, s->n};
	struct digest_state d;

	digest_init(&d);
	digest_add(&d, head, sizeof(head));
	digest_add(&d, &s->within, sizeof(s->within));
	digest_add(&d, s->mean, s->n * sizeof(*s->mean));
	for (size_t i = 0; s->kind == CHANGEPOINT_BENCHMARK && i < s->n; i++)
		if (i == 0 || s->runs[i] != s->runs[i - 1]) {
			double change[2] = {(double)i, s->runs[i]};

			digest_add(&d, change, sizeof(change));
		}
	return digest_end(&d);
}

bool kept_passes_have_room(size_t lines, size_t points)
{
	return lines * (sizeof(struct kept) + changepoint_pass_bytes(points)) <= KEPT_PASSES / 2;
}

struct changepoint_line *kept_passes_line(struct arena *a, const struct changepoint_series *s)
{
	if (s->n < LEAST || !kept_passes_have_room(1, s->n))
		return changepoint_line_new(a, s);
	const struct digest key = key_of(s);
	const void *pass = copy_pass(a, &key);
	if (pass)
		return changepoint_line_resume(a, s, pass);
	struct changepoint_line *l = changepoint_line_new(a, s);
	keep(&key, l, s->n);
	return l;
}
