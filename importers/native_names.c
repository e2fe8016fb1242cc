/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric names of a run. Programs write run after run, and upload after upload, with the same names
 * in the same order, so each list is held against the one before it: of this body, else of this
 * thread. Only a new list is checked, sorted and digested. The thread's own copy is bounded and is
 * copied again for each body, because a submission outlives the thread's interest in it.
 */
#include "importers/native.h"

#include <pthread.h>

#include "server/base/arena.h"

#define KEPT_MAX ((size_t)512 << 10) /* bytes of names that a thread keeps */

struct name {
	const char *s;
	uint32_t length;
	uint32_t came; /* position in the document */
};

static int by_bytes(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	return strcmp(a->s, b->s);
}

/* Checks and lists the keys of the object, still in the tree. False: at least one is no metric
 * name. */
static bool list_keys(struct ctx *c, json_t *object, const struct json_at *at, struct name *names,
		      size_t *bytes)
{
	bool good = true;
	uint32_t i = 0;

	*bytes = 0;
	for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it), i++) {
		const char *key = json_object_iter_key(it);
		size_t length = json_object_iter_key_len(it);

		good &= json_read_key(c, JSON_AT_ENTRY(at, key), key, length, JSON_METRIC_MAX);
		names[i] = (struct name){key, (uint32_t)length, i};
		*bytes += length + 1;
	}
	return good;
}

static void sort_names(struct name *names, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (strcmp(names[i - 1].s, names[i].s) > 0) {
			qsort(names, n, sizeof(*names), by_bytes);
			return;
		}
	}
}

static struct native_names *names_new(struct arena *a, size_t n, size_t bytes)
{
	struct native_names *made = arena_array(a, struct native_names, 1);

	made->n = made->sorted.n = n;
	made->bytes = bytes;
	made->block = arena_alloc(a, bytes);
	made->keys = arena_array(a, const char *, n);
	made->sorted.names = made->names = arena_array(a, const char *, n);
	made->lengths = arena_array(a, uint32_t, n);
	made->rank = arena_array(a, uint32_t, n);
	return made;
}

static struct native_names *make_names(struct ctx *c, json_t *object, const struct json_at *at)
{
	size_t n = json_object_size(object), bytes;
	struct name *names = arena_array(c->arena, struct name, n);
	struct native_names *made;
	struct digest_state d;
	char *p;

	if (!list_keys(c, object, at, names, &bytes))
		return NULL;
	made = names_new(c->arena, n, bytes);
	p = made->block;
	for (size_t i = 0; i < n; i++) {
		memcpy(p, names[i].s, names[i].length + 1);
		made->keys[i] = names[i].s = p;
		made->lengths[i] = names[i].length;
		p += names[i].length + 1;
	}
	sort_names(names, n);
	digest_init(&d);
	for (size_t i = 0; i < n; i++) {
		made->names[i] = names[i].s;
		made->rank[names[i].came] = (uint32_t)i;
		digest_add(&d, names[i].s, names[i].length + 1);
	}
	made->sorted.digest = digest_end(&d);
	return made;
}

static struct native_names *copy_names(struct arena *a, const struct native_names *old)
{
	struct native_names *made = names_new(a, old->n, old->bytes);

	memcpy(made->block, old->block, old->bytes);
	memcpy(made->lengths, old->lengths, old->n * sizeof(*old->lengths));
	memcpy(made->rank, old->rank, old->n * sizeof(*old->rank));
	made->sorted.digest = old->sorted.digest;
	for (size_t i = 0; i < old->n; i++) {
		made->keys[i] = made->block + (old->keys[i] - old->block);
		made->names[old->rank[i]] = made->keys[i];
	}
	return made;
}

static bool is_same(const struct native_names *names, json_t *object)
{
	size_t i = 0;

	if (names->n != json_object_size(object))
		return false;
	for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it), i++) {
		if (json_object_iter_key_len(it) != names->lengths[i] ||
		    memcmp(json_object_iter_key(it), names->keys[i], names->lengths[i]) != 0)
			return false;
	}
	return true;
}

/* --- what a thread keeps --- */

struct kept {
	struct arena *arena;
	struct native_names *names; /* NULL at first */
};

static pthread_key_t kept_key;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;

static void kept_free(void *arg)
{
	struct kept *kept = arg;

	arena_free(kept->arena);
	free(kept);
}

static void kept_init(void)
{
	if (pthread_key_create(&kept_key, kept_free) != 0)
		die("no thread-specific memory left");
}

static struct kept *kept_get(void)
{
	struct kept *kept;

	pthread_once(&kept_once, kept_init);
	kept = pthread_getspecific(kept_key);
	if (kept)
		return kept;
	kept = calloc(1, sizeof(*kept));
	if (!kept || pthread_setspecific(kept_key, kept) != 0)
		die("out of memory");
	kept->arena = arena_new();
	return kept;
}

static void kept_set(struct kept *kept, const struct native_names *names)
{
	if (names->bytes > KEPT_MAX)
		return;
	arena_reset(kept->arena);
	kept->names = copy_names(kept->arena, names);
}

struct native_names *native_names_of(struct native *nv, json_t *object, const struct json_at *at)
{
	struct kept *kept;
	struct native_names *made;

	if (nv->in->names && is_same(nv->in->names, object))
		return nv->in->names;
	kept = kept_get();
	if (kept->names && is_same(kept->names, object))
		return nv->in->names = copy_names(nv->ctx->arena, kept->names);
	made = make_names(nv->ctx, object, at);
	if (!made)
		return NULL;
	kept_set(kept, made);
	return nv->in->names = made;
}
