/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of jobs done a minute, a line for each number of tasks: AIM7 and its rewrite reaim. */
#ifndef IMPORTERS_JOB_TABLE_H
#define IMPORTERS_JOB_TABLE_H

#include "importers/program_output.h"

#define JOB_COLUMNS_MAX 8

struct job_table_form {
	const char *program;
	bool (*head)(const char *line); /* whether a table follows the line */
	struct {
		const char *name, *unit;
	} columns[JOB_COLUMNS_MAX]; /* behind the number of tasks, in their order */
	size_t ncolumns;
	size_t rate;  /* which of them is jobs a minute */
	bool maximum; /* a run without a line of its own for it has the best row's as
			 max_jobs_per_min */
};

/* Reads the tables of an output. A row of a number of tasks that the run has already begins a run.
 * In a run of one row the columns are metrics; in one of several each stands under
 * "<tasks>.<column>", and the row of the most jobs a minute under the plain names too. */
void job_table_read(struct program_output *o, const struct job_table_form *f, const char *bytes,
		    size_t n);

#endif
