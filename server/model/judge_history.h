/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history that a column is judged with: the commits measured before a base. What each of them
 * comes to is kept in the process (at most JUDGE_HISTORY_KEPT bytes) as long as its runs are the
 * same, since a series' commits are met again with every page of it.
 */
#ifndef MODEL_JUDGE_HISTORY_H
#define MODEL_JUDGE_HISTORY_H

#include "server/analysis/comparison.h"
#include "server/base/err.h"

#define JUDGE_HISTORY_KEPT ((size_t)24 << 20)

struct judge_history {
	struct comparison_history history; /* for comparison_column; nearest last */
	struct kept_cell **kept;           /* inside */
	size_t nkept;
};

/* Up to RULE_HISTORY_MAX commits of the series that were measured before commit older, without
 * commit other, each with what was measured under any of its names. It may be used until
 * judge_history_release. */
int judge_history_load(struct ctx *c, int64_t series_id, int64_t older, int64_t other,
		       struct judge_history *out);
void judge_history_release(struct judge_history *h);

#endif
