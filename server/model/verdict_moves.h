/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the verdicts that become others when something about judging changes: the rule, or the
 * facts of one metric. Judged are the newest measured cells, of all names of their commit, each
 * against its nearest measured ancestor, twice; counted are primary and functional rows that have a
 * verdict either way. Facts of one metric also move others, which are corrected together with it.
 */
#ifndef MODEL_VERDICT_MOVES_H
#define MODEL_VERDICT_MOVES_H

#include "db/rule_count.h"
#include "server/analysis/comparison.h"

#define MOVES_CELLS_MAX        20000 /* minutes */
#define MOVES_METRIC_CELLS_MAX 2000  /* seconds */

struct verdict_moves_query {
	struct comparison_judging before, after;
	uint32_t metric_id; /* only cells of series that have it, and its rows count whatever their
			     * role; 0: all cells */
	size_t cells_max;   /* that are looked at */
	size_t moves_max;   /* that are listed, of those that are counted */
	/* After each cell; NULL: nobody waits. True: stop, the answer is not wanted. */
	bool (*progress)(void *arg, size_t done, size_t all);
	void *arg;
};

/* c reads outside of a snapshot: each cell is read in its own, so that a writer's log does not grow
 * meanwhile. Fills everything but at. Cells that are too large to judge have no verdicts. E_BUSY:
 * it was stopped. */
int verdict_moves_count(struct ctx *c, const struct verdict_moves_query *q, struct rule_count *out);

#endif
