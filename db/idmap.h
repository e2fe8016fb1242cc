/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pointers by small row number, for caches that all threads read without a lock: entries are set
 * once, and may be replaced. */
#ifndef DB_IDMAP_H
#define DB_IDMAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define IDMAP_CHUNK  1024
#define IDMAP_CHUNKS 4096

struct idmap_chunk {
	_Atomic(void *) p[IDMAP_CHUNK];
};

struct idmap {
	_Atomic(struct idmap_chunk *) chunks[IDMAP_CHUNKS];
};

/* NULL: not there. */
void *idmap_get(struct idmap *m, int64_t id);
/* False when the entry was taken already, or the number is beyond the map. */
bool idmap_set(struct idmap *m, int64_t id, void *p);
/* The entry of id is now p; readers that have the other go on with it. */
void idmap_replace(struct idmap *m, int64_t id, void *p);
/* Hands every entry to drop and forgets it. No other thread may use the map meanwhile. */
void idmap_clear(struct idmap *m, void (*drop)(void *p));

#endif
