/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What importers make and the store takes: the results of one or more runs of one series on one
 * commit, checked and in canonical form. Plain data; everything in it lives in the arena of whoever
 * made it and must outlive the write.
 */
#ifndef DB_SUBMISSION_H
#define DB_SUBMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/digest.h"

enum run_status {
	RUN_OK, /* only these count */
	RUN_INCOMPLETE,
	RUN_FAILED,
	RUN_INVALID,  /* by a correction */
	RUN_REPLACED, /* by a later submission of the series */
	RUN_DELETED,  /* by a correction: the values are kept, and shown on the run's own page alone
		       */
};
/* "ok", "incomplete", "failed", "invalid", "replaced", "deleted" */
const char *run_status_name(enum run_status s);
/* RUN_OK … of its name, or -1. */
int run_status_find(const char *name);

struct pair {
	const char *name, *value;
};

struct person {
	const char *name, *email;
	int64_t date; /* TIME_NONE */
};

struct warning {
	const char *file, *message;
	int64_t line, column; /* -1 */
};

struct build_in {
	bool given;
	const char *config, *compiler, *status;
	const struct warning *warnings;
	size_t nwarnings;
};

struct patch_in {
	bool given;
	const char *message_id, *base, *diff;
	int64_t version, index, total; /* -1 */
};

struct commit_in {
	const char *id; /* lower-case hex of 7..40 digits, or a ref name */
	bool is_hex;
	const char *subject, *message, *tree, *label;
	struct person author, committer;
	int64_t date;
	const char *const *parents; /* hex, prefixes allowed */
	size_t nparents;
	struct patch_in patch;
	struct build_in build;
};

/* The names of a run's metrics, sorted by bytes, each once; shared by the runs that have the same.
 */
struct metric_names {
	const char *const *names;
	size_t n;
	struct digest digest; /* over the names: digest_add_str of each */
};

struct run_in {
	const struct metric_names *names;
	const double *values; /* parallel to names */
};

struct summary_in {
	const char *metric;
	double mean, stddev, stddev_pct, min, max; /* NAN: not given */
	int64_t n, fails, runs;                    /* -1: not given */
	int printed;                               /* enum printed_kind */
	const char *printed_base;
	double printed_change;
};

/* A percentile under the name that it was printed with, "99.00". */
struct percentile_in {
	const char *name;
	double value;
};

struct bucket_in {
	double le; /* its upper end */
	int64_t count;
};

struct distribution_in {
	const char *metric, *unit;               /* unit: NULL */
	double mean, stddev, min, max;           /* NAN: not given */
	int64_t n;                               /* -1 */
	const struct percentile_in *percentiles; /* ascending */
	size_t npercentiles;
	const struct bucket_in *buckets; /* ascending */
	size_t nbuckets;
};

struct report_in {
	bool given;
	const char *message_id, *subject, *url;
	int64_t date;
};

struct headline_in {
	bool given;
	const char *metric, *base, *verdict;
	double change_pct; /* NAN */
};

/* A build of the commit that a copy of a store brings along, with its time. */
struct stored_build {
	struct build_in build;
	int64_t received;
};

/* What a copy of a store knows of a submission beyond what was uploaded; only the command line
 * brings it. */
struct stored_in {
	int64_t received;
	const char *by;                  /* name of the token, NULL: the command line */
	struct digest content;           /* of the upload, as it came */
	const enum run_status *statuses; /* of each run, or the one of a summary; NULL: as sent */
	/* the commit, where it is told for the first time */
	const char *commit_name;    /* its full name; NULL: not told */
	const char *const *aliases; /* shorter names of it that were said */
	size_t naliases;
	const char *const *trees;
	size_t ntrees;
	const struct stored_build *builds; /* all, in order */
	size_t nbuilds;
};

enum submission_kind {
	SUBMISSION_RUNS,
	SUBMISSION_SUMMARY,
	SUBMISSION_NOTE /* build or headline alone */
};

struct submission {
	const char *key; /* as given, or made from the content (see submission_seal) */
	bool key_given;
	struct digest content;   /* what a second upload under the same key is held against */
	const struct pair *axes; /* sorted by name */
	size_t naxes;
	const char *testcase, *tbox_group; /* two of the axes */
	struct commit_in commit;
	int64_t started; /* TIME_NONE */
	enum run_status status;
	const struct pair *info; /* sorted by name, without boot */
	size_t ninfo;
	const char *boot;     /* info.boot, or NULL */
	const char *replaces; /* NULL */

	enum submission_kind kind;
	const struct run_in *runs;
	size_t nruns;
	const struct summary_in *cells; /* sorted by metric name */
	size_t ncells;
	const struct distribution_in *distributions; /* of the only run; sorted by metric name */
	size_t ndistributions;
	const struct pair *units; /* metric, unit; sorted by metric */
	size_t nunits;
	struct report_in report;
	struct headline_in headline;
	const struct stored_in *stored; /* NULL: it comes from an uploader */
};

/* Fills content and, when no key was given, key: 32 hex digits over commit.id as sent (a tag
 * with its tree), started, status, info, boot, values, distributions and what it replaces (not
 * commit texts, units, report). Called by importers when the rest is complete. */
struct arena;
void submission_seal(struct arena *a, struct submission *s);

#endif
