/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open addressing over a well-mixed hash. Nothing is ever taken out, and the table is at most half
 * full. At most 2^32 - 1 texts, which no file of ours holds. */
#include "importers/text_map.h"

#include <string.h>

#include "server/base/arena.h"
#include "server/base/digest.h"

#define FIRST_SLOTS 16 /* a power of two */

void text_map_init(struct text_map *m, struct arena *a)
{
	*m = (struct text_map){.a = a};
}

static size_t find(const struct text_map *m, const char *text, size_t len, uint32_t hash)
{
	for (size_t i = hash & (m->nslots - 1); m->nslots && m->slots[i];
	     i = (i + 1) & (m->nslots - 1)) {
		const struct text_map_entry *e = &m->list[m->slots[i] - 1];

		if (e->hash == hash && e->len == len && !memcmp(e->text, text, len))
			return m->slots[i] - 1;
	}
	return TEXT_MAP_NONE;
}

size_t text_map_find(const struct text_map *m, const char *text, size_t len)
{
	return find(m, text, len, (uint32_t)hash_bytes(text, len));
}

static void place(struct text_map *m, size_t number)
{
	size_t i = m->list[number].hash & (m->nslots - 1);

	while (m->slots[i])
		i = (i + 1) & (m->nslots - 1);
	m->slots[i] = (uint32_t)number + 1;
}

size_t text_map_add(struct text_map *m, const char *text, size_t len, bool *fresh)
{
	uint32_t hash = (uint32_t)hash_bytes(text, len);
	size_t at = find(m, text, len, hash);

	*fresh = at == TEXT_MAP_NONE;
	if (!*fresh)
		return at;
	if (2 * (m->n + 1) > m->nslots) {
		m->nslots = m->nslots ? 2 * m->nslots : FIRST_SLOTS;
		m->slots = arena_array(m->a, uint32_t, m->nslots);
		for (size_t i = 0; i < m->n; i++)
			place(m, i);
	}
	m->list = arena_grow(m->a, m->list, &m->cap, m->n + 1, sizeof(*m->list));
	m->list[m->n] = (struct text_map_entry){arena_strn(m->a, text, len), (uint32_t)len, hash};
	place(m, m->n);
	return m->n++;
}
