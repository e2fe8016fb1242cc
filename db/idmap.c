/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array of chunks, made as they are needed. A reader needs two loads; a writer publishes an
 * entry with one compare-and-swap, so whoever comes second sees that it lost. Row numbers of
 * dictionaries are dense and small; one beyond four million is simply not kept.
 */
#include "db/idmap.h"

#include "server/base/err.h"

void *idmap_get(struct idmap *m, int64_t id)
{
	if (id < 0 || id >= (int64_t)IDMAP_CHUNK * IDMAP_CHUNKS)
		return NULL;
	struct idmap_chunk *k =
		atomic_load_explicit(&m->chunks[id / IDMAP_CHUNK], memory_order_acquire);

	return k ? atomic_load_explicit(&k->p[id % IDMAP_CHUNK], memory_order_acquire) : NULL;
}

static struct idmap_chunk *chunk_for(struct idmap *m, size_t i)
{
	struct idmap_chunk *k = atomic_load_explicit(&m->chunks[i], memory_order_acquire);

	if (k)
		return k;
	struct idmap_chunk *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		die("out of memory");
	if (atomic_compare_exchange_strong(&m->chunks[i], &k, fresh))
		return fresh;
	free(fresh);
	return k;
}

bool idmap_set(struct idmap *m, int64_t id, void *p)
{
	if (id < 0 || id >= (int64_t)IDMAP_CHUNK * IDMAP_CHUNKS)
		return false;
	struct idmap_chunk *k = chunk_for(m, (size_t)(id / IDMAP_CHUNK));
	void *none = NULL;

	return atomic_compare_exchange_strong(&k->p[id % IDMAP_CHUNK], &none, p);
}

void idmap_replace(struct idmap *m, int64_t id, void *p)
{
	if (id >= 0 && id < (int64_t)IDMAP_CHUNK * IDMAP_CHUNKS)
		atomic_store_explicit(
			&chunk_for(m, (size_t)(id / IDMAP_CHUNK))->p[id % IDMAP_CHUNK], p,
			memory_order_release);
}

void idmap_clear(struct idmap *m, void (*drop)(void *p))
{
	for (size_t i = 0; i < IDMAP_CHUNKS; i++) {
		struct idmap_chunk *k = atomic_exchange(&m->chunks[i], NULL);

		if (!k)
			continue;
		for (size_t j = 0; j < IDMAP_CHUNK; j++)
			if (atomic_load(&k->p[j]))
				drop(atomic_load(&k->p[j]));
		free(k);
	}
}
