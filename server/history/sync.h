/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings what the database knows of a repository up to date: fetches into a mirror, adds new
 * commits to the index (db/git_commits.h) and refs to db/repos.h, completes stubs, copies texts.
 * Everything is written through the writer in transactions of about SYNC_STEP_US, so that uploads
 * are not held up. A repository that is missing or damaged is a problem in its row, never a
 * failure.
 */
#ifndef HISTORY_SYNC_H
#define HISTORY_SYNC_H

#include "db/repos.h"
#include "db/writer.h"
#include "server/history/stop_sign.h"

#define SYNC_STEP_US 50000 /* of one transaction */

/* What a sync works with. */
struct sync_lab {
	struct ctx *c; /* with a reading connection outside of a snapshot; its arena grows */
	struct writer *writer;
	const char *database; /* its file: mirrors lie beside it */
	struct stop_sign *stop;
	bool wait; /* for another process that refreshes the same; else E_BUSY */
};

struct sync_result {
	const char
		*problem; /* one sentence without a full stop, in the arena; NULL: it went well */
	int64_t added;    /* commits that are new in the index */
	int64_t commits;  /* reached from its refs */
	int64_t refs;
	int64_t us;
};

/* One repository by its name. Negative: E_NOTFOUND (also when it is removed meanwhile), E_BUSY, or
 * an engine's failure; a problem of the repository is stored in its row and E_OK. */
int sync_repo(struct sync_lab *lab, const char *name, struct sync_result *out);
/* Texts and patch-ids of commits that have rows, from whichever repository has them: after syncs,
 * and after uploads. *next, of a caller that asks again and again, is the row above which to begin;
 * 0: all. */
int sync_rows(struct sync_lab *lab, int64_t *next);

#endif
