/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cell (one series on one commit) beside the cell that it is held against, with the history that
 * judges it: loaded once, judged as often as there are rules to ask.
 */
#ifndef MODEL_CELL_PAIR_H
#define MODEL_CELL_PAIR_H

#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/comparison.h"
#include "server/model/compare.h"
#include "server/model/judge_history.h"

struct cell_pair {
	const struct series *series;
	struct cell_data data[2]; /* what the columns come from */
	struct comparison_column cols[2];
	size_t ncols; /* 1: there is no base; else the base is the first */
	struct judge_history history;
};

/* Both commits by all of their names (compare_find_names). base NULL: there is none. infos: also
 * what was told of the runs. Everything lives in c's arena, but for what cell_pair_release gives
 * back; after a failure there is nothing to give back. E_TOO_LARGE. */
int cell_pair_load(struct ctx *c, const struct series *series, const struct compare_commit *base,
		   const struct compare_commit *commit, bool infos, struct cell_pair *out);
/* The comparison by that rule; what a quarantined machine measured is held, and *quarantined names
 * it. E_TOO_LARGE. */
int cell_pair_judge(struct ctx *c, const struct cell_pair *p, const struct comparison_judging *by,
		    struct comparison *out, const char **quarantined);
void cell_pair_release(struct cell_pair *p);

#endif
