/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submissions on their way into the store, as one job of the writer: either all or nothing (an
 * object or an array), or each for itself (lines). The page that takes uploads and the import
 * command share it.
 */
#ifndef MODEL_INTAKE_H
#define MODEL_INTAKE_H

#include "db/runs.h"
#include "db/submission.h"
#include "db/writer.h"
#include "server/base/err.h"

/* Whose they are. */
struct uploader {
	int64_t token_id; /* 0: the command line */
	int64_t now;
};

/* What became of one submission that stands for itself. */
struct intake_item {
	long line;                    /* where it came from; only the caller looks at it */
	const struct submission *sub; /* NULL: refused before it got here */
	struct accepted accepted;     /* when not refused */
	int refused;                  /* E_OK, or the code of the refusal and: */
	const char *detail;
	const struct fault *faults; /* none where detail says all */
	size_t nfaults, more;       /* more: found and not kept */
};

struct intake {
	struct job job; /* first; ctx, done and weight are the caller's to set */
	struct uploader by;
	/* all or nothing */
	const struct submission *subs;
	struct accepted *accepted;
	size_t n;
	bool is_array; /* faults carry item numbers */
	/* each for itself */
	struct intake_item *items;
	size_t nitems;
};

/* Prepares t->job; everything lives in the arena or outlives the job. After it was done without
 * failure, t->accepted has an entry for each submission. */
void intake_all(struct intake *t, struct arena *a, const struct submission *subs, size_t n,
		bool is_array, const struct uploader *by);
/* The same for items with a submission; afterwards each item says what became of it. The job fails
 * only when the engine does, and then nothing of it was stored. */
void intake_each(struct intake *t, struct intake_item *items, size_t n, const struct uploader *by);
/* Moves the failure of c into the item, with at most max of its faults, so that c is free for the
 * next. */
void intake_refuse(struct intake_item *item, struct ctx *c, size_t max);

#endif
