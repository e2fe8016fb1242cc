/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of row numbers, in an arena: what a walk over commits has already seen. Starts zeroed. */
#ifndef DB_IDSET_H
#define DB_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct idset {
	int64_t *slots; /* 0: free, so that 0 cannot be a member */
	size_t cap, n;
};

/* True when id (> 0) was not in it yet; it is afterwards. */
bool idset_add(struct arena *a, struct idset *s, int64_t id);

#endif
