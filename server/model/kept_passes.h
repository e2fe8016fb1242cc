/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Full passes over the points of a line (analysis/changepoint.h), kept in the process under a
 * digest of all that they were made of. So there is nothing to invalidate: whatever is uploaded,
 * corrected, overridden or put into another order either leaves the points as they are, or makes
 * others, whose digest is another. Any thread, any database.
 *
 * Loading a series is not kept. It is what makes sure that the points are those that are stored
 * now, and of 2000 metrics over 500 commits of 3 runs a page takes .12 s of CPU with it where it
 * takes .7 s without kept passes.
 */
#ifndef MODEL_KEPT_PASSES_H
#define MODEL_KEPT_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "server/analysis/changepoint.h"

/* Bytes of all that is kept; what was used least recently goes first. Three series of 2000 metrics
 * over 500 commits. */
#define KEPT_PASSES ((size_t)48 << 20)

/* Whether passes of so many lines of so many points are worth keeping: they fill no more than half
 * of it all, else they would push out each other before they are met again. */
bool kept_passes_have_room(size_t lines, size_t points);
/* changepoint_line_new(), or the same line from what is kept. */
struct changepoint_line *kept_passes_line(struct arena *a, const struct changepoint_series *s);

#endif
