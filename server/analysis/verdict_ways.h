/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the verdicts: what the three ways share. */
#ifndef ANALYSIS_VERDICT_WAYS_H
#define ANALYSIS_VERDICT_WAYS_H

#include "server/analysis/comparison.h"

/* The word for a change towards more (up) or less of a metric. */
enum verdict verdict_by_direction(const struct comparison_row *r, bool up);
/* Whether all runs of a column came from one boot, so that they tell little of the next one. */
bool column_is_one_boot(const struct comparison_column *col);

/* Fills change_* and reproduction_pct of a cell that is present on both sides. */
void verdict_cell_change(const struct cell *base, struct cell *c);

/* Judges the rows of column col that count fails of runs on both sides. */
void verdict_judge_fails(struct arena *a, struct comparison *c,
			 const struct comparison_column *cols, size_t col);
/* A cell that came printed, or whose base did: no samples on at least one side. */
void verdict_judge_reported(struct arena *a, const struct comparison_row *r,
			    const struct cell *base, struct cell *c);
/* Counts of fails on both sides, without a test: a difference of 2 counts. */
void verdict_judge_counts(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  struct cell *c);
/* All rows of column col by "welch-log-bh/1". */
void verdict_judge_welch(struct arena *a, struct comparison *c, size_t base, size_t col);

#endif
