/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands around a comparison of two commits in a series: where else both were measured, and
 * when it was done here. */
#ifndef DB_AROUND_H
#define DB_AROUND_H

#include "db/engine.h"

/* Series of other machines (peers, db/series.h) that have both commits, sorted by machine; at most
 * limit of them. */
int around_peers(struct ctx *c, int64_t series_id, int64_t base, int64_t commit, size_t limit,
		 int64_t **ids, size_t *n);
/* From the first to the last good run of the commit in the series, by when they started, or came
 * where that was not told. TIME_NONE both without runs. */
int around_span(struct ctx *c, int64_t series_id, int64_t commit, int64_t *first, int64_t *last);

#endif
