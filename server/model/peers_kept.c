/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list in order of use under one lock, which is held for pointer moves alone. It is short: a peer
 * takes some kilobytes at least, and what is of an earlier generation leaves when the first of a
 * later one comes. A peer that leaves while it is being copied lives until its last user is done.
 */
#include "server/model/peers_kept.h"

#include <pthread.h>

#include "server/base/arena.h"
#include "server/base/err.h"
#include "server/model/others.h"

#define LEAST_BYTES ((size_t)16 << 10) /* of one: so there are no more than a thousand */

struct kept_peer {
	struct peer_key key;
	struct arena *arena; /* of all that it has */
	struct compare_peer peer;
	size_t bytes;
	unsigned users; /* and one for the list while it is in */
	struct kept_peer *next;
};

static struct {
	pthread_mutex_t lock;
	struct kept_peer *newest;
	size_t bytes;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct series copy_series(struct arena *a, const struct series *s)
{
	struct series kept = *s;
	struct pair *axes = arena_copy(a, s->axes, s->naxes * sizeof(*axes));

	for (size_t i = 0; i < s->naxes; i++)
		axes[i] = (struct pair){arena_str(a, axes[i].name), arena_str(a, axes[i].value)};
	kept.axes = axes;
	kept.testcase = arena_str(a, s->testcase);
	kept.tbox_group = arena_str(a, s->tbox_group);
	return kept;
}

struct compare_peer peer_copy(struct arena *a, const struct compare_peer *p)
{
	struct compare_peer out = *p;

	out.series = copy_series(a, &p->series);
	out.quarantined = arena_str(a, p->quarantined);
	out.rows = arena_array(a, struct peer_row, p->nrows);
	for (size_t i = 0; i < p->nrows; i++) {
		out.rows[i] = (struct peer_row){
			.metric = p->rows[i].metric,
			.unit = arena_str(a, p->rows[i].unit),
			.cells = arena_array(a, const struct cell *, p->ncols),
		};
		for (size_t k = 0; k < p->ncols; k++)
			out.rows[i].cells[k] = cell_keep(a, p->rows[i].cells[k]);
	}
	return out;
}

static void drop(struct kept_peer *k)
{
	if (--k->users)
		return;
	arena_free(k->arena);
	free(k);
}

/* *at leaves the list. */
static void leave(struct kept_peer **at)
{
	struct kept_peer *k = *at;

	*at = k->next;
	list.bytes -= k->bytes;
	drop(k);
}

static bool same_key(const struct peer_key *a, const struct peer_key *b)
{
	return a->database == b->database && a->generation == b->generation &&
	       digest_equal(&a->what, &b->what);
}

/* The one with this key, which becomes the newest; NULL. */
static struct kept_peer *find(const struct peer_key *key)
{
	for (struct kept_peer **at = &list.newest; *at; at = &(*at)->next) {
		struct kept_peer *k = *at;

		if (!same_key(&k->key, key))
			continue;
		*at = k->next;
		k->next = list.newest;
		list.newest = k;
		return k;
	}
	return NULL;
}

const struct compare_peer *peers_kept_take(const struct peer_key *key, struct kept_peer **held)
{
	pthread_mutex_lock(&list.lock);
	*held = find(key);
	if (*held)
		(*held)->users++;
	pthread_mutex_unlock(&list.lock);
	return *held ? &(*held)->peer : NULL;
}

void peers_kept_release(struct kept_peer *held)
{
	if (!held)
		return;
	pthread_mutex_lock(&list.lock);
	drop(held);
	pthread_mutex_unlock(&list.lock);
}

/* Nobody asks for an earlier state any more, but for who is reading it at this moment. */
static void leave_earlier(const struct peer_key *key)
{
	struct kept_peer **at = &list.newest;

	while (*at)
		if ((*at)->key.database == key->database && (*at)->key.generation < key->generation)
			leave(at);
		else
			at = &(*at)->next;
}

static void leave_oldest(void)
{
	struct kept_peer **at = &list.newest;

	while ((*at)->next)
		at = &(*at)->next;
	leave(at);
}

void peers_kept_add(const struct peer_key *key, const struct compare_peer *p)
{
	struct kept_peer *k = calloc(1, sizeof(*k));

	if (!k)
		die("out of memory");
	k->key = *key;
	k->arena = arena_new();
	k->peer = peer_copy(k->arena, p);
	k->bytes = 2 * arena_used(k->arena) + LEAST_BYTES; /* blocks double */
	k->users = 1;
	pthread_mutex_lock(&list.lock);
	leave_earlier(key);
	if (!find(key) && k->bytes <= PEERS_KEPT_BYTES / 4) { /* else: another was faster */
		while (list.bytes + k->bytes > PEERS_KEPT_BYTES)
			leave_oldest();
		k->users++;
		k->next = list.newest;
		list.newest = k;
		list.bytes += k->bytes;
	}
	drop(k);
	pthread_mutex_unlock(&list.lock);
}
