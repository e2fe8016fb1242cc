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

int store_runs(struct storing *w, const struct submission *s, struct accepted *out);
int store_summary(struct storing *w, const struct submission *s);

#endif
