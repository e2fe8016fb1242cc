/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of model/compare: one table of a comparison. */
#ifndef MODEL_COMPARE_TABLE_H
#define MODEL_COMPARE_TABLE_H

#include "server/model/compare.h"

/* Loads and judges the cells of t->series on the commits of cmp, and fills the rest of t. Returns
 * COMPARE_NOTHING when of the runs that were chosen none are left to hold against each other. */
#define COMPARE_NOTHING 1
int compare_table_load(struct ctx *c, const struct compare_query *q, const struct compare *cmp,
		       struct compare_table *t);
/* Whether the query asks for some runs only, and leaving the others out of a cell. */
bool compare_chooses_runs(const struct compare_query *q);
int compare_choose_runs(struct ctx *c, const struct compare_query *q, int64_t series_id,
			int64_t commit_id, struct cell_data *cell);
/* What the runs' surroundings differ in; ncols cells. */
void compare_infos(struct arena *a, const struct cell_data *cells, size_t ncols,
		   struct compare_table *t);

#endif
