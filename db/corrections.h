/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Corrections: what was uploaded wrongly is marked invalid (or ok again), moved to another commit
 * or to the series with a changed axis, or marked deleted; by selection, with a reason, and can be
 * undone. Nothing is removed: what each run and summary was before is kept beside the correction.
 * Submissions stay where they were uploaded to, so that the same upload sent again is still a
 * duplicate.
 */
#ifndef DB_CORRECTIONS_H
#define DB_CORRECTIONS_H

#include "db/engine.h"
#include "db/submission.h"

/* Runs and summaries of one correction: a change rewrites each with its samples, in one
 * transaction, while uploads wait. More, or a selection that looks at more cells: E_INVALID. */
#define CORRECTION_MOST       10000
#define CORRECTION_CELLS_MOST 200000

/* All that is given must hold. */
struct correction_select {
	const char *machine, *token;        /* NULL: any */
	const char *series, *commit;        /* as asked for, NULL: any */
	int64_t run_id;                     /* 0: any */
	int64_t received_from, received_to; /* both count; TIME_NONE: open */
	const struct pair *infos;           /* info.boot is the boot */
	size_t ninfos;
};

enum correction_kind { CORRECT_STATUS, CORRECT_COMMIT, CORRECT_AXIS, CORRECT_DELETE };

struct correction_in {
	struct correction_select select;
	enum correction_kind kind;
	enum run_status status;  /* CORRECT_STATUS: RUN_OK or RUN_INVALID */
	const char *commit;      /* CORRECT_COMMIT: known, or 40 digits */
	const struct pair *axes; /* CORRECT_AXIS */
	size_t naxes;
	const char *reason;
	bool dry_run;
	const char *selection, *change; /* JSON, as asked */
};

/* A run or a summary that is to change. */
struct correction_target {
	int64_t id, series_id, commit_id;
	enum run_status status;
	bool is_summary;
};

/* A series whose results go to another one. */
struct correction_move {
	int64_t from, to; /* to 0: it is made */
	const struct pair *axes;
	size_t naxes;
	const char *testcase, *tbox_group;
	char digest[DIGEST_HEX + 1];
};

/* What a correction would do. */
struct correction_plan {
	struct correction_target *targets; /* runs by series, commit and number, then summaries */
	size_t n, nruns, nsummaries;
	struct correction_move *moves;
	size_t nmoves;
	int64_t new_commit; /* CORRECT_COMMIT; 0: it is made */
	size_t nseries, ncommits;
	int64_t *findings; /* open on cells that change, ascending */
	size_t nfindings;
};
/* Finds what is selected and would change. Only reads. Faults: an unknown name, nothing selected,
 * too much, units that contradict each other. */
int correction_plan(struct ctx *c, const struct correction_in *in, struct correction_plan *out);
/* Writer only: does it, with counts, queue and audit. */
int correction_store(struct ctx *c, const struct correction_in *in, struct correction_plan *plan,
		     int64_t token_id, const char *who, int64_t now, int64_t *id);

/* Writer only. Check reads: E_NOTFOUND; E_CONFLICT when it was undone, or a later correction holds
 * one of its runs: it is named. */
int correction_undo_check(struct ctx *c, int64_t id);
int correction_undo(struct ctx *c, int64_t id, int64_t token_id, const char *who, int64_t now);

struct correction {
	int64_t id, at;
	const char *who, *selection, *change, *reason;
	int64_t undone_at;     /* TIME_NONE */
	const char *undone_by; /* NULL */
	int64_t runs, summaries;
};
int correction_get(struct ctx *c, int64_t id, struct correction *out); /* E_NOTFOUND */
/* Newest first, numbers below before. */
int correction_list(struct ctx *c, int64_t before, size_t limit, struct correction **out,
		    size_t *n);
/* The corrections that touched a run, oldest first. */
int corrections_of_run(struct ctx *c, int64_t run_id, struct correction **out, size_t *n);

/* One run of a correction: what it was and what it became. */
struct corrected_run {
	int64_t run_id, old_series_id, new_series_id, old_commit_id, new_commit_id;
	enum run_status old_status, new_status;
};
/* By number, above after. */
int correction_runs(struct ctx *c, int64_t id, int64_t after, size_t limit,
		    struct corrected_run **out, size_t *n);

/* What corrections in force took from a series, or from a cell of it, or brought there. runs and
 * summaries count those of this place. */
struct correction_note {
	struct correction correction;
	int64_t runs, summaries;
	bool came; /* moved here from elsewhere; else they were here */
};
#define CORRECTION_NOTES_MAX 20 /* of one place; the newest */
/* commit_id 0: of the whole series. */
int correction_notes(struct ctx *c, int64_t series_id, int64_t commit_id,
		     struct correction_note **out, size_t *n);
/* "3 runs were marked invalid": what a correction did to so many. came: told where they came to. */
const char *correction_words(struct arena *a, const struct correction *k, int64_t runs,
			     int64_t summaries, bool came);

#endif
