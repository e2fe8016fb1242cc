/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A submission while it is being stored: what submissions.c and submission_write.c hand each other.
 */
#ifndef DB_SUBMISSION_WRITE_H
#define DB_SUBMISSION_WRITE_H

#include "db/runs.h"
#include "server/base/out.h"

struct storing {
	struct ctx *c;
	int64_t now;
	int64_t series_id, commit_id, submission_id;
	int64_t build_id, info_id; /* -1 */
	struct out packed;         /* reused from run to run */
	double *scratch;           /* values of one run in the order of its layout */
	size_t scratch_cap;
};

/* Rows count from 1; anything else says that there is none. */
static inline void bind_id(struct stmt *st, int i, int64_t id)
{
	if (id > 0)
		bind_int(st, i, id);
	else
		bind_null(st, i);
}

/* Status of the i-th run, or of the summary. */
static inline enum run_status status_of(const struct submission *s, size_t i)
{
	return s->stored && s->stored->statuses ? s->stored->statuses[i] : s->status;
}

int store_runs(struct storing *w, const struct submission *s, struct accepted *out);
int store_summary(struct storing *w, const struct submission *s);

/* Notes that a cell is to be judged anew. */
int analysis_enqueue(struct ctx *c, int64_t series_id, int64_t commit_id, int64_t now);

/* What is replaced must be there and must not have been replaced: E_CONFLICT, or faults; among the
 * submissions of the job too, where it must come before. */
int replaces_check(struct ctx *c, const struct submission *subs, size_t n,
		   const struct accepted *out, bool numbered);
/* Marks what the submission replaces, and takes it out of the counts. */
int replaces_store(struct storing *w, const struct submission *s);

/* Of a copy of a store: the commit as it was there. */
int commit_restore(struct ctx *c, const struct submission *s, int64_t now);

#endif
