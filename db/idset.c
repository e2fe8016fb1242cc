/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of positive row numbers with open addressing. It only grows, at most to half of its slots,
 * and dies with the arena. Walks that use it bound how many members they add.
 */
#include "db/idset.h"

#include "server/base/arena.h"

static size_t slot_of(const struct idset *s, int64_t id)
{
	uint64_t h = (uint64_t)id * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (s->cap - 1);

	while (s->slots[i] && s->slots[i] != id)
		i = (i + 1) & (s->cap - 1);
	return i;
}

bool idset_add(struct arena *a, struct idset *s, int64_t id)
{
	if (2 * s->n >= s->cap) {
		struct idset bigger = {.cap = s->cap ? 4 * s->cap : 64, .n = s->n};

		bigger.slots = arena_array(a, int64_t, bigger.cap);
		for (size_t i = 0; i < s->cap; i++)
			if (s->slots[i])
				bigger.slots[slot_of(&bigger, s->slots[i])] = s->slots[i];
		*s = bigger;
	}
	size_t i = slot_of(s, id);
	if (s->slots[i])
		return false;
	s->slots[i] = id;
	s->n++;
	return true;
}
