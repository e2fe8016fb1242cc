/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the CSV importer share; for nobody else. */
#ifndef IMPORTERS_CSV_H
#define IMPORTERS_CSV_H

#include "importers/block_list.h"
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
/* csv_groups.c. Which rows are of one submission: those with the same commit, setup, time and
 * status. They may stand anywhere, most often one behind the other: a segment of the file. */
struct csv_group {
	unsigned char key[16]; /* digest */
	uint32_t first, last;  /* segments */
};
struct csv_segment {
	uint64_t at; /* where its first row begins, from the first row of all */
	uint32_t line;
	uint32_t next; /* of the same group; 0: none */
};
struct csv_groups {
	const char *begin, *end; /* of all rows that could be read */
	struct block_list list;  /* of struct csv_group, in the order of their first rows */
	struct block_list segments;
	uint32_t *slots; /* open addressing: number of a group + 1, or 0 */
	size_t nslots;
};
/* The rows behind the header. False: a bound is reached, and the failure set. Rows that are none
 * are faults, and not counted. */
bool csv_find_groups(struct import *in, struct csv_rows rows, const struct csv_columns *columns,
		     struct csv_groups *out);
/* Sets rows to a segment, of which csv_next reads no further than its end. */
void csv_go_to(const struct csv_groups *g, uint32_t segment, struct csv_rows *rows);
/* Whether cells of the column tell submissions apart. */
bool csv_in_key(enum csv_role role);
/* Rows between two questions whether to go on. */
#define CSV_ROWS_ASKED 256
/* Whoever bounds the memory says when it is enough; a failure is set then. */
bool csv_asked_to_stop(const struct import *in);
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
