/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What importers of programs' output make submissions with: values are handed in as they are met,
 * metric by metric and run by run; names are made valid, runs sorted, and what the file does not
 * say (machine, commit, testcase) is taken from the request. Submissions are made when a record
 *ends (or earlier, see record_settled) and stand in that order, with a stream and without. All
 *memory is the arena's, or the stream's: all that is handed in is copied.
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
 * request must say it. Axes and commit of the request are in it already. Several may be filled at
 * the same time. Good until record_end or record_drop, to which each must come unless the import
 * fails. */
struct record *record_begin(struct import *in, const char *testcase);
/* A further record whose setup is what has been said of this one so far: axes, info, commit,
 * started and status. */
struct record *record_begin_like(const struct record *r);
/* For what has no function here: commit, report, build, started, status, cells. Good until
 * record_end. What pointers in it lead to must live as long: see record_arena. */
struct submission *record_submission(struct record *r);
/* For what belongs to the record and must live until record_end: of a stream, it is emptied as soon
 * as no record is being filled, so that nothing of a file's next submission stays. Without one it
 * is ctx->arena. */
struct arena *record_arena(const struct record *r);
/* Axes, commit and the figures' setup are final, what is said of axes and commit from here on is
 * ignored: runs may be sealed and handed on before record_end. That happens when a run begins and
 * there are NATIVE_RUNS_MAX runs before it, or one with distributions: so the last run is open
 * until record_end. They carry the info, started, status and units that were said until then; what
 * comes later belongs to the runs that come later. The same with and without a stream. */
void record_settled(struct record *r);

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
/* How many have begun. */
size_t record_runs(const struct record *r);
/* One value of the run. unit: NULL or as printed. The name is made valid: control characters and
 * broken UTF-8 become '_', what is over METRIC_NAME_MAX bytes is cut; an empty name or a value that
 * is not finite is dropped; a unit that differs from the one said before is a fault. The same name
 * again in one run replaces the value: a repeated measurement is one more run, and the importer's
 * business. */
void record_value(struct record *r, const char *unit, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* record_value in two steps, for metrics that have many values: the metric's number, and a value of
 * it. RECORD_NO_METRIC: the name is empty, or one too many, which is a fault then. */
#define RECORD_NO_METRIC UINT32_MAX
uint32_t record_name(struct record *r, const char *unit, const char *name);
void record_number(struct record *r, uint32_t metric, double v);
/* The name as it was made valid. Lives as long as the record. */
const char *record_name_of(const struct record *r, uint32_t metric);
/* Percentiles and buckets of the last run, ascending as in the file; copied with all in it. Such a
 * run gets a submission of its own (the store wants one run beside distributions). */
void record_distribution(struct record *r, const struct distribution_in *d);

/* Checks and seals: E_OK; E_INVALID with a fault for what is missing ("tbox_group: the file does
 * not name the machine: give --axis tbox_group=NAME or axis.tbox_group=NAME"), or when there is no
 * value at all ("no figure of … was found in it"). Where in->source is set, keys are "<source>#<16
 * digits of the content's digest>", with "/N" behind it for the N-th submission after the file's
 * first. Runs become submissions of at most NATIVE_RUNS_MAX. With a stream each is handed on at
 * once: in->subs is empty afterwards, and the record, its submission and its arena are gone. */
int record_end(struct record *r);
/* Forgets the record, of which nothing was handed on or a failure is set already. */
void record_drop(struct record *r);

#endif
