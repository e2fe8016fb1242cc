/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of separated text, as RFC 4180 has them and programs write them: any separator, quoted cells
 * with doubled quotes and line ends inside (which become a space), LF, CRLF or CR. Spaces around
 * cells that are not quoted go. One row at a time is in memory.
 */
#ifndef IMPORTERS_CSV_ROWS_H
#define IMPORTERS_CSV_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_COLUMNS_MAX 50000
#define CSV_ROW_MAX     ((size_t)16 << 20)

struct csv_rows {
	const char *p, *end;
	char separator;
	long line, next; /* where the last row begins, from 1; and the one behind it */
	char *text;      /* the row's cells, each with its NUL */
	size_t used, room;
	size_t *cells; /* where each begins */
	size_t n, cap;
};

/* Guesses the separator from the first row: the one of tab, comma, semicolon and bar that stands
 * there most often; a line "sep=;" above the table says it. A byte order mark is passed over. */
void csv_begin(struct csv_rows *r, const char *bytes, size_t n);
/* 1: the next row that is not empty; 0: no more; -1: *why says what is wrong with it. */
int csv_next(struct csv_rows *r, const char **why);
/* A cell of the last row; "" beyond its end. Lives until the next row. */
const char *csv_cell(const struct csv_rows *r, size_t i);
void csv_end(struct csv_rows *r);

#endif
