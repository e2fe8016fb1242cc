/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the CSV importer share; for nobody else. */
#ifndef IMPORTERS_CSV_H
#define IMPORTERS_CSV_H

#include "importers/csv_rows.h"
#include "importers/import.h"

enum csv_role {
	CSV_IGNORED, /* without a name, or said by the request */
	CSV_AXIS,
	CSV_INFO,
	CSV_COMMIT,
	CSV_TREE,
	CSV_SUBJECT,
	CSV_STARTED,
	CSV_STATUS,
	CSV_RUN,
	CSV_METRIC,
	CSV_VALUE,
	CSV_UNIT,
	CSV_FIGURE, /* wide form: a metric of its own */
	CSV_OPEN,   /* a figure's or an axis: its cells will tell */
};

struct csv_column {
	const char *name, *unit; /* unit: NULL; "latency (us)" is latency in us */
	enum csv_role role;
};

struct csv_columns {
	struct csv_column *list;
	size_t n;
	bool is_long;                 /* a row is a value */
	size_t by_role[CSV_OPEN + 1]; /* SIZE_MAX, or the only column of it */
};

/* Of the header row that was read last. False: faults were set. */
bool csv_read_header(struct import *in, const struct csv_rows *r, struct csv_columns *out);
/* Decides what is open by all rows behind the header: a column whose cells are all numbers is a
 * figure's, another is an axis. False: faults were set. */
bool csv_settle(struct import *in, struct csv_rows rows, struct csv_columns *columns);
/* Nothing, or a word for it: NA, nan, null, - … */
bool csv_is_absent(const char *cell);
/* A fault at a line. */
void csv_fault(struct ctx *c, long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
