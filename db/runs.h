/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs and summaries: what was measured. Reading takes whole cells (one series on one commit). */
#ifndef DB_RUNS_H
#define DB_RUNS_H

#include "db/engine.h"
#include "db/samples.h"
#include "db/submission.h"
#include "server/analysis/comparison.h"

/* Everything of one series on one commit, ready for analysis/. */
struct cell_data {
	struct comparison_column
		column; /* runs of status ok, in order of upload; summaries merged, the last wins */
	int64_t failed; /* runs that are failed or incomplete */
	int64_t boots;  /* distinct boots of the ok runs; -1: not all of them said */
	const struct pair *const *infos; /* info of each ok run, sorted by name */
	const size_t *ninfos;
};
/* With want_infos false infos are not read. A cell that was never measured is empty. E_TOO_LARGE:
 * it has more than COMPARISON_VALUES_MAX values. */
int cell_load(struct ctx *c, int64_t series_id, int64_t commit_id, bool want_infos,
	      struct cell_data *out);
/* The same, with room for so many values, of which it takes what it reads. */
int cell_load_within(struct ctx *c, int64_t series_id, int64_t commit_id, bool want_infos,
		     size_t *room, struct cell_data *out);
/* The same of a commit that was uploaded under several names, each a row of its own: as if all had
 * come under one. */
int cell_load_names(struct ctx *c, int64_t series_id, const int64_t *commit_ids, size_t ncommits,
		    bool want_infos, size_t *room, struct cell_data *out);

/* The values of one metric in a series, by row of a commit, in order of upload: what a history is
 * drawn from. A run that ended well did not have a failure that it does not name, and a profile
 * that does not show a function measured 0 of it: such a 0 is there, too. None for a metric that
 * the series does not have. */
struct history_value {
	int64_t commit_id, run_id;
	double value;
	bool silent; /* the run did not name the metric */
};
int history_values(struct ctx *c, int64_t series_id, uint32_t metric_id, struct history_value **out,
		   size_t *n);
/* Commits of a series in history order: parents before children where uploads told them, else by
 * date, else by first upload in the series; with what a summary says of the metric, if one does
 * (samples beat it). */
struct history_commit {
	int64_t commit_id;
	const char *name, *subject;
	int64_t date, first_received;
	int64_t printed; /* the summary that mean below comes from; 0: none */
	double mean, stddev, stddev_pct;
	const int64_t *rows; /* under which it was measured: more than one where it came under */
	const char *const *names; /* several names that git has at one place; commit_id and name
				     first */
	size_t nrows;
};
int history_commits(struct ctx *c, int64_t series_id, uint32_t metric_id,
		    struct history_commit **out, size_t *n);

struct run {
	int64_t id, series_id, commit_id, submission_id;
	enum run_status status;
	int64_t started, received;
	const char *key, *boot, *commit_as, *token; /* token: its name */
	int64_t position;                           /* in its submission */
	int64_t build_id;                           /* -1 */
	const struct pair *info;
	size_t ninfo;
	const struct metric *const *metrics; /* with values, sorted by metric id; empty in lists */
	const double *values;
	size_t n;
};
int run_get(struct ctx *c, int64_t run_id, struct run *out); /* E_NOTFOUND */

/* What replaced a submission. */
struct run_replaced {
	const char *by; /* key of the submission; NULL: nothing did */
	int64_t *runs;  /* its runs */
	size_t nruns;
};
int run_replaced(struct ctx *c, int64_t submission_id, struct run_replaced *out);

struct run_filter {
	const char *machine, *token, *testcase; /* NULL: any */
	int64_t series_id, commit_id;           /* -1: any */
	int64_t received_from, received_to;     /* TIME_NONE: open */
	int64_t before;                         /* run ids below; INT64_MAX for the first page */
};
/* Newest first, without values. */
int run_list(struct ctx *c, const struct run_filter *f, size_t limit, struct run **out, size_t *n);

/* What the writer says of one submission. */
struct accepted {
	const char *key;
	bool duplicate;
	int64_t series_id;
	char series_digest[DIGEST_HEX + 1];
	int64_t *run_ids;
	size_t nruns;
	int64_t duplicate_of; /* index of the earlier one in the job that it repeats, -1 */
	bool units_known;     /* the series has all its units already */
};
/* Writer only. Checks all submissions of a job before anything is written: keys (E_CONFLICT), units
 * (E_INVALID), and finds duplicates, also inside the job. A failure files faults and has written
 * nothing. Their item is the index in subs when n > 1 or c->item was 0 or more on entry, else -1
 * (an object that was sent alone). */
int submissions_check(struct ctx *c, const struct submission *subs, size_t n, struct accepted *out);
/* Writes those that are not duplicates, fills run_ids. Only engine failures can happen here. */
int submissions_store(struct ctx *c, const struct submission *subs, size_t n, int64_t token_id,
		      int64_t now, struct accepted *out);
/* The same in parts, for a job too large to be held: each is checked, then stored, and a row of
 * audit is written once at the end. */
struct stored_tally { /* begins as {0} */
	size_t stored, runs, summaries, duplicates;
	char first[128]; /* series and key of the first that was stored */
};
int submissions_store_part(struct ctx *c, const struct submission *subs, size_t n, int64_t token_id,
			   int64_t now, struct accepted *out, struct stored_tally *t);
int submissions_audit(struct ctx *c, const struct stored_tally *t, int64_t token_id, int64_t now);

#endif
