/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits around one in git's graph. */
#ifndef HISTORY_NEIGHBOURS_H
#define HISTORY_NEIGHBOURS_H

#include "server/base/err.h"

/* Positions of commits that have p as a parent, lowest first; at most max are told, *n of them. */
int graph_children(struct ctx *c, int64_t p, size_t max, int64_t *out, size_t *n);
/* The nearest commits with results in any series: the ancestor with the highest and the descendant
 * with the lowest position; 0: none is known. */
int measured_neighbours(struct ctx *c, int64_t p, int64_t *before, int64_t *after);

#endif
