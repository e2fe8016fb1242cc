/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells by the time of their last upload, for what looks at the whole store and has to stop
 * somewhere. */
#ifndef DB_MEASURED_NEWEST_H
#define DB_MEASURED_NEWEST_H

#include "db/engine.h"

struct measured_cell {
	int64_t series_id, commit_id;
};
/* The newest first, at most limit, each commit of git once by its newest name; metric_id 0: all,
 * else those of series that have the metric. */
int measured_newest(struct ctx *c, uint32_t metric_id, size_t limit, struct measured_cell **out,
		    size_t *n);

#endif
