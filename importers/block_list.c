/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of blocks itself is 8 bytes a block: that it is copied as it grows is little. A list
 * that is emptied (n = 0) uses its blocks again. */
#include "importers/block_list.h"

#include <string.h>

#include "server/base/arena.h"

#define FIRST 4 /* elements to begin with */

void block_list_init(struct block_list *l, struct arena *a, size_t size)
{
	*l = (struct block_list){.a = a, .size = size};
}

static void grow_first(struct block_list *l)
{
	size_t cap = l->first_cap ? 2 * l->first_cap : FIRST;
	char *bigger = arena_alloc(l->a, cap * l->size);

	if (l->n)
		memcpy(bigger, l->blocks[0], l->n * l->size);
	l->blocks[0] = bigger;
	l->first_cap = cap;
}

void *block_list_add(struct block_list *l)
{
	size_t block = l->n / BLOCK_ELEMENTS;

	if (block == l->nblocks) {
		l->blocks = arena_grow(l->a, l->blocks, &l->cap, block + 1, sizeof(*l->blocks));
		if (block)
			l->blocks[block] = arena_alloc(l->a, BLOCK_ELEMENTS * l->size);
		l->nblocks++;
	}
	if (!block && l->n == l->first_cap)
		grow_first(l);
	return block_list_at(l, l->n++);
}
