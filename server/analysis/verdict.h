/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule that decides whether a metric changed: the only place that does. This one is a first
 * form: Welch's test on logarithms (on plain values where a sample is not positive, or for
 * percentages), Benjamini-Hochberg q <= .05 within a role, at least 1 % (percent metrics: 1 point),
 * both sides n >= 3. Functional rows: a metric that failed in more runs than before is a regression
 * (fewer: an improvement; of passes the other way round), with at least 2 fails of difference, in
 * runs of the shorter side; one fail is suspect.
 * Cells that came printed get the verdict their printed change and the direction give.
 */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include "server/analysis/comparison.h"

#define VERDICT_RULE "welch-log-bh/1" /* stored with every verdict that is kept */

/* Judges column col of all rows against column base: fills change_*, p, q, cliff_delta, verdict,
 * reported and reason of each cell that is present on both sides. */
void verdict_judge_column(struct arena *a, struct comparison *c, size_t base, size_t col);

#endif
