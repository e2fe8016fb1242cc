/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What importers of programs' output make submissions with: values are handed in as they are met,
 * metric by metric and run by run; names are made valid, runs sorted, and what the file does not
 * say (machine, commit, testcase) is taken from the request. All memory is the arena's.
 *
 *	struct record *r = record_begin(in, "hackbench");
 *	record_run(r);
 *	record_value(r, "KB/s", kib / best, "hackbench.throughput");
 *	return record_end(r);
 */
#ifndef IMPORTERS_RECORD_H
#define IMPORTERS_RECORD_H

#include <stdint.h>

#include "importers/import.h"

#define METRIC_NAME_MAX 1024 /* bytes, as in native files */

struct record;

/* A new submission. testcase: what it is called unless the request says otherwise; NULL: the
 * request must say it. Axes and commit of the request are in it already. */
struct record *record_begin(struct import *in, const char *testcase);
/* For what has no function here: commit, report, build, started, status. Owned by the import. */
struct submission *record_submission(struct record *r);

/* What the file says of the setup. An axis that the request names too keeps the request's value. */
void record_axis(struct record *r, const char *name, const char *value);
/* A later value of the same key wins. Empty or invalid text is left out, and what comes after 1000
 * keys. */
void record_info(struct record *r, const char *key, const char *value);
/* The commit as the file names it; a commit of the request wins. Ignored unless it is valid
 * (commit_name_valid). */
void record_commit(struct record *r, const char *id);

/* A further run; values belong to the last one. The first value begins one by itself. */
void record_run(struct record *r);
size_t record_runs(const struct record *r);
/* Room for that many runs, where the importer knows: growing would take more. */
void record_expect_runs(struct record *r, size_t n);
/* One value of the run. unit: NULL or as printed. The name is made valid: control characters and
 * broken UTF-8 become '_', what is over METRIC_NAME_MAX bytes is cut; an empty name or a value that
 * is not finite is dropped; a unit that differs from the one said before is a fault. The same name
 * again in one run replaces the value: a repeated measurement is one more run, and the importer's
 * business. */
void record_value(struct record *r, const char *unit, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Percentiles and buckets of the last run; copied shallowly, ascending as in the file. With more
 * than one run each gets a submission of its own (the store wants one run beside distributions). */
void record_distribution(struct record *r, const struct distribution_in *d);

/* Checks and seals: E_OK; E_INVALID with a fault for what is missing ("tbox_group: the file does
 * not name the machine: give --axis tbox_group=NAME or axis.tbox_group=NAME"), or when there is no
 * value at all ("no figure of … was found in it"). Where in->source is set, keys are "<source>#<16
 * digits of the content's digest>", with "/N" behind it for the N-th submission after the file's
 * first. */
int record_end(struct record *r);

#endif
