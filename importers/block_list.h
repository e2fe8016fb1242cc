/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A long list that grows without leaving its copies behind, as an array in an arena would: elements
 * lie in blocks. Only the first block begins small and is copied as it grows, since a file may have
 * many lists of few elements. Elements of later blocks stay where they are.
 */
#ifndef IMPORTERS_BLOCK_LIST_H
#define IMPORTERS_BLOCK_LIST_H

#include <stddef.h>

struct arena;

#define BLOCK_ELEMENTS 512 /* a power of two */

struct block_list {
	struct arena *a;
	size_t size; /* bytes of an element */
	size_t n;
	char **blocks;
	size_t nblocks, cap, first_cap;
};

void block_list_init(struct block_list *l, struct arena *a, size_t size);
/* One more element, with whatever bytes; moves those of the first block. */
void *block_list_add(struct block_list *l);

/* i < n */
static inline void *block_list_at(const struct block_list *l, size_t i)
{
	return l->blocks[i / BLOCK_ELEMENTS] + i % BLOCK_ELEMENTS * l->size;
}

#endif
