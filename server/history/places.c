/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small cache: the series that were asked for last, each as of one generation of the data. Who
 * uses an entry counts on it, so that one that is pushed out lives until its last user is done. A
 * connection that writes, whose generation may still be rolled back, reads for itself.
 */
#include "server/history/places.h"

#include <pthread.h>

#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define KEPT       64
#define KEPT_BYTES ((size_t)8 << 20)

static struct series_places *kept[KEPT];
static size_t kept_bytes;
static uint64_t uses;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void drop(struct series_places *s)
{
	if (--s->users)
		return;
	free(s->by_position);
	free(s->by_commit);
	free(s->database);
	free(s);
}

void places_release(struct series_places *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	drop(s);
	pthread_mutex_unlock(&lock);
}

static struct series_places *find_kept(const char *database, int64_t series_id, int64_t generation)
{
	for (size_t i = 0; i < KEPT; i++) {
		struct series_places *s = kept[i];

		if (s && s->series_id == series_id && s->generation == generation &&
		    strcmp(s->database, database) == 0) {
			s->users++;
			s->used = ++uses;
			return s;
		}
	}
	return NULL;
}

static size_t bytes_of(const struct series_places *s)
{
	return sizeof(*s) + (s->n + s->npositions) * sizeof(*s->by_commit);
}

static void push_out(size_t i)
{
	kept_bytes -= bytes_of(kept[i]);
	drop(kept[i]);
	kept[i] = NULL;
}

/* The entry that was not used for longest; KEPT: there is none. */
static size_t find_oldest(void)
{
	size_t oldest = KEPT;

	for (size_t i = 0; i < KEPT; i++)
		if (kept[i] && (oldest == KEPT || kept[i]->used < kept[oldest]->used))
			oldest = i;
	return oldest;
}

static size_t find_free(void)
{
	size_t i = 0;

	while (i < KEPT && kept[i])
		i++;
	return i;
}

/* In place of an older state of the same series, and of as many others as there must be room for.
 */
static void keep(struct series_places *s)
{
	for (size_t i = 0; i < KEPT; i++)
		if (kept[i] && kept[i]->series_id == s->series_id &&
		    strcmp(kept[i]->database, s->database) == 0)
			push_out(i);
	while (find_oldest() < KEPT &&
	       (find_free() == KEPT || kept_bytes + bytes_of(s) > KEPT_BYTES))
		push_out(find_oldest());
	s->users++;
	s->used = ++uses;
	kept_bytes += bytes_of(s);
	kept[find_free()] = s;
}

static int by_position(const void *a, const void *b)
{
	const struct commit_place *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	return (x->commit_id < y->commit_id) - (x->commit_id > y->commit_id);
}

/* n names of one commit: what was measured under one of them was under all. */
static void join_names(struct series_places *s, struct commit_place *names, size_t n)
{
	int64_t first = names[0].first_received;
	bool has_data = false;

	for (size_t i = 0; i < n; i++) {
		has_data |= names[i].has_data;
		first = names[i].first_received < first ? names[i].first_received : first;
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)(places_find(s, names[i].commit_id) - s->by_commit);

		names[i].has_data = has_data;
		names[i].first_received = first;
		s->by_commit[at] = names[i];
	}
}

static void *copied(const void *p, size_t bytes)
{
	void *own = malloc(bytes + 1);

	if (!own)
		die("out of memory");
	memcpy(own, p, bytes);
	return own;
}

static struct series_places *make(struct ctx *c, const struct commit_place *list, size_t n)
{
	struct series_places *s = calloc(1, sizeof(*s));
	const char *name = db_name(c->db);

	if (!s)
		die("out of memory");
	s->database = copied(name, strlen(name) + 1);
	s->by_commit = copied(n ? (const void *)list : "", n * sizeof(*list));
	s->n = n;
	s->by_position = calloc(n + 1, sizeof(*list));
	if (!s->by_position)
		die("out of memory");
	for (size_t i = 0; i < n; i++)
		if (list[i].position)
			s->by_position[s->npositions++] = list[i];
	qsort(s->by_position, s->npositions, sizeof(*s->by_position), by_position);
	for (size_t i = 0, same; i < s->npositions; i += same) {
		for (same = 1; i + same < s->npositions; same++)
			if (s->by_position[i + same].position != s->by_position[i].position)
				break;
		if (same > 1)
			join_names(s, &s->by_position[i], same);
	}
	s->users = 1;
	return s;
}

int places_acquire(struct ctx *c, int64_t series_id, struct series_places **out)
{
	bool shared = !db_writes(c->db);
	struct commit_place *list;
	int64_t generation;
	size_t n;
	int e = generation_get(c, &generation);

	*out = NULL;
	if (e < 0)
		return e;
	if (shared) {
		pthread_mutex_lock(&lock);
		*out = find_kept(db_name(c->db), series_id, generation);
		pthread_mutex_unlock(&lock);
		if (*out)
			return E_OK;
	}
	{
		auto_arena struct arena *scratch = arena_new();
		struct arena *keep_arena = c->arena;

		c->arena = scratch;
		e = places_of_series(c, series_id, &list, &n);
		c->arena = keep_arena;
		if (e < 0)
			return e;
		*out = make(c, list, n);
	}
	(*out)->series_id = series_id;
	(*out)->generation = generation;
	if (shared) {
		pthread_mutex_lock(&lock);
		keep(*out);
		pthread_mutex_unlock(&lock);
	}
	return E_OK;
}

const struct commit_place *places_find(const struct series_places *s, int64_t commit_id)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->by_commit[mid].commit_id < commit_id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n && s->by_commit[lo].commit_id == commit_id ? &s->by_commit[lo] : NULL;
}

size_t places_up_to(const struct series_places *s, uint32_t p)
{
	size_t lo = 0, hi = s->npositions;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->by_position[mid].position <= p)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct commit_place *places_names(const struct series_places *s, const struct commit_place *k,
					size_t *n)
{
	size_t end = places_up_to(s, (uint32_t)k->position), first = end;

	*n = 1;
	if (!k->position)
		return k;
	while (first && s->by_position[first - 1].position == k->position)
		first--;
	*n = end - first;
	return s->by_position + first;
}
