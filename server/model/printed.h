/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that came printed: against which column a change was printed. */
#ifndef MODEL_PRINTED_H
#define MODEL_PRINTED_H

#include "db/commits.h"
#include "server/analysis/comparison.h"

/* The column's summary cells, in the arena, each knowing whether its printed change is one against
 * this base, which has nbase names. asked: what a reader called it, or NULL. */
const struct summary_cell *printed_match(struct arena *a, const struct comparison_column *col,
					 const struct commit *base, size_t nbase,
					 const char *asked);

#endif
