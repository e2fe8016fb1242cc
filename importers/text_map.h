/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts and the number that each got when it was first met, 0, 1, 2 …: for ids, names, groups. */
#ifndef IMPORTERS_TEXT_MAP_H
#define IMPORTERS_TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define TEXT_MAP_NONE SIZE_MAX

struct text_map {
	struct arena *a;
	struct text_map_entry {
		const char *text;
		uint32_t len, hash;
	} * list;
	size_t n, cap;
	uint32_t *slots; /* open addressing: number + 1, or 0 */
	size_t nslots;
};

void text_map_init(struct text_map *m, struct arena *a);
/* TEXT_MAP_NONE: not there. The bytes may be anything. */
size_t text_map_find(const struct text_map *m, const char *text, size_t len);
/* Its number; a new one is copied into the arena, then *fresh is true. */
size_t text_map_add(struct text_map *m, const char *text, size_t len, bool *fresh);

#endif
