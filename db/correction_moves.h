/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results that go to the series with a changed axis: what the files of corrections hand each other.
 */
#ifndef DB_CORRECTION_MOVES_H
#define DB_CORRECTION_MOVES_H

#include "db/corrections.h"

/* Whether the series lacks one of the axes asked for. */
int correction_move_needed(struct ctx *c, const struct correction_in *in, int64_t series_id,
			   bool *needed);
/* Notes in the plan where the results of a series go. */
int correction_move_add(struct ctx *c, const struct correction_in *in, int64_t series_id,
			struct correction_plan *plan, size_t *cap);
/* Faults where a metric would get two units in one series. */
int correction_moves_check(struct ctx *c, const struct correction_plan *plan);

/* Writer only: makes the series that are missing. */
int correction_moves_store(struct ctx *c, struct correction_plan *plan, int64_t now);
/* Writer only: the metrics, units and layouts of what is moved are noted for its new series. */
int correction_note_run(struct ctx *c, int64_t from, int64_t to, int64_t run_id);
int correction_note_summary(struct ctx *c, int64_t from, int64_t to, int64_t summary_id);
/* Writer only, in an undo: takes the notes of what came with the correction and is there no more.
 */
int correction_forget(struct ctx *c, int64_t correction_id);

#endif
