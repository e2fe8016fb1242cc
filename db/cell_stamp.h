/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tells whether a cell is still what it was: for what is kept of it in memory. */
#ifndef DB_CELL_STAMP_H
#define DB_CELL_STAMP_H

#include "db/engine.h"

/* A hash of the ids of the cell's good runs, in order. A run's samples never change, so the same
 * stamp means the same samples, whatever was uploaded or corrected meanwhile. 0 without runs. */
int cell_stamp(struct ctx *c, int64_t series_id, int64_t commit_id, uint64_t *stamp);

#endif
