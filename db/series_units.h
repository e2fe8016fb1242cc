/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units as they were uploaded: what a table of thousands of metrics needs, without the metrics that
 * have none. */
#ifndef DB_SERIES_UNITS_H
#define DB_SERIES_UNITS_H

#include "db/engine.h"

struct series_unit {
	uint32_t metric_id;
	const char *unit;
};
/* By metric id, ascending. */
int series_units(struct ctx *c, int64_t series_id, struct series_unit **out, size_t *n);

#endif
