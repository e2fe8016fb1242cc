/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What another rule, or other facts of a metric, would change: the verdicts that move, and of how
 * many. The last count for a rule is kept in the database (setting "rule_count"), so that a page
 * can show what took minutes to find.
 */
#ifndef DB_RULE_COUNT_H
#define DB_RULE_COUNT_H

#include "db/engine.h"

#define RULE_MOVES_KEPT 200 /* of those that are counted */

/* One verdict that becomes another. Names as people see them. */
struct verdict_move {
	const char *series;             /* digest */
	const char *testcase, *machine; /* of it */
	const char *commit, *base;
	const char *metric, *role;
	const char *before, *after; /* verdicts */
};

struct rule_count {
	const char *from, *to; /* names of rules; of a metric's facts both are the one in force */
	int64_t at;            /* when it was counted */
	int64_t cells;         /* looked at: the newest */
	bool cut;              /* there are older ones that were not */
	int64_t verdicts;      /* of primary and functional rows */
	int64_t moved;         /* of these */
	struct verdict_move *moves; /* the first of them, newest cells first */
	size_t nmoves;
};

/* *out.from is NULL when there never was a count. */
int rule_count_get(struct ctx *c, struct rule_count *out);
/* Inside a write transaction: keeps at most RULE_MOVES_KEPT of the moves. */
int rule_count_keep(struct ctx *c, const struct rule_count *k);

#endif
