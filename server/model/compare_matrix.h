/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of many series at a glance: tests down, machines across, a verdict in each cell. */
#ifndef MODEL_COMPARE_MATRIX_H
#define MODEL_COMPARE_MATRIX_H

#include "server/model/compare.h"

/* One series, summed up. Its own figures and functional rows count; monitors only when the query
 * asks for their role. */
struct matrix_cell {
	char digest[DIGEST_HEX + 1];
	enum verdict verdict;        /* the weightiest of all rows */
	const struct metric *metric; /* the primary row that moved worst, else the worst; or NULL */
	double change;               /* of that row: percent, points, or percent of runs; NAN */
	bool older;                  /* the change reads from new to old */
	size_t rows, changed;        /* how many rows were looked at, and how many changed */
	const char *quarantined;     /* the machine: nothing of it is judged */
	const char *error;           /* it is too large to be judged here */
};

struct matrix_row {
	struct series series;             /* one of them; the machine apart, all are alike */
	const struct matrix_cell **cells; /* a machine each; NULL: not measured on both */
};

struct matrix {
	const char *const *machines; /* sorted */
	size_t nmachines;
	struct matrix_row *rows; /* by testcase, then the other axes */
	size_t nrows;
};

/* Takes all tables of the comparison, one after the other. */
int matrix_load(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		struct matrix *out);

/* "points", "% of runs", "%": what a change of the metric counts. */
const char *matrix_unit(const struct metric *m);

#endif
