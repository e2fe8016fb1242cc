/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing with linear steps, at most half full. Ids are digests, so their first bytes are a
 * hash already; whoever makes up ids to collide in 64 bits only slows down a sync of his own.
 */
#include "server/history/oid_set.h"

#include <stdint.h>

#include "server/base/err.h"

#define FIRST_CAP 1024

static struct oid_slot *slot_of(const struct oid_set *s, const git_oid *id)
{
	uint64_t hash;

	memcpy(&hash, id->id, sizeof(hash));
	for (size_t i = (size_t)hash & (s->cap - 1);; i = (i + 1) & (s->cap - 1))
		if (!s->slots[i].used || git_oid_equal(&s->slots[i].id, id))
			return &s->slots[i];
}

static void grow(struct oid_set *s)
{
	struct oid_set more = {.n = s->n, .cap = s->cap ? 2 * s->cap : FIRST_CAP};

	more.slots = calloc(more.cap, sizeof(*more.slots));
	if (!more.slots)
		die("out of memory");
	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i].used)
			*slot_of(&more, &s->slots[i].id) = s->slots[i];
	free(s->slots);
	*s = more;
}

bool oid_set_add(struct oid_set *s, const git_oid *id, struct oid_slot **slot)
{
	if (2 * (s->n + 1) > s->cap)
		grow(s);
	*slot = slot_of(s, id);
	if ((*slot)->used)
		return false;
	**slot = (struct oid_slot){.id = *id, .used = true};
	s->n++;
	return true;
}

struct oid_slot *oid_set_find(const struct oid_set *s, const git_oid *id)
{
	struct oid_slot *slot = s->cap ? slot_of(s, id) : NULL;

	return slot && slot->used ? slot : NULL;
}

void oid_set_free(struct oid_set *s)
{
	free(s->slots);
	*s = (struct oid_set){0};
}
