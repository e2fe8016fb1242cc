/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of what was measured, made anew for some cells from their runs and summaries. Writer
 * only. */
#ifndef DB_RECOUNT_H
#define DB_RECOUNT_H

#include "db/engine.h"

struct recount {
	struct recount_place {
		int64_t series_id, commit_id;
	} * places;
	size_t n, cap;
};

/* Notes a cell; starts zeroed. */
void recount_add(struct ctx *c, struct recount *r, int64_t series_id, int64_t commit_id);
/* Counts the cells again, drops those that hold nothing any more, and queues all for judging. */
int recount_all(struct ctx *c, struct recount *r, int64_t now);
/* Removes those series of the cells that hold nothing, that no upload ever named (a correction made
 * them), and that no correction in force would put anything back into. */
int recount_drop_empty(struct ctx *c, const struct recount *r);

#endif
