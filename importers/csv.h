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

/* What a comma in a number is. */
enum csv_comma {
	CSV_COMMA_GROUPS,  /* "1,234.5" */
	CSV_COMMA_DECIMAL, /* "1,5", "1.234,5" */
	CSV_COMMA_EITHER,  /* no number of the table tells */
};

struct csv_columns {
	struct csv_column *list;
	size_t n;
	bool is_long; /* a row is a value */
	enum csv_comma comma;
	size_t by_role[CSV_OPEN + 1]; /* SIZE_MAX, or the only column of it */
};

/* Of the header row that was read last. False: faults were set. */
bool csv_read_header(struct import *in, const struct csv_rows *r, struct csv_columns *out);
/* Decides what is open by all rows behind the header: a column whose cells are all numbers is a
 * figure's, another is an axis. False: faults were set. */
bool csv_settle(struct import *in, struct csv_rows rows, struct csv_columns *columns);
/* csv_number.c. Whether the cell is a number; with a comma it is none where that may be either. */
bool csv_number(const char *cell, enum csv_comma comma, double *v);
/* What a cell tells of the commas of its table, as bits: it can be a number only if they are …; 0:
 * it is none at all. */
enum { CSV_IF_GROUPS = 1, CSV_IF_DECIMAL = 2, CSV_IF_ANY = 3 };
unsigned csv_comma_told(const char *cell);
/* Nothing, or a word for it: NA, nan, null, - … */
bool csv_is_absent(const char *cell);
/* A fault at a line. */
void csv_fault(struct ctx *c, long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
