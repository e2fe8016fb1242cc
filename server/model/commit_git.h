/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What git adds to the commit page: the whole text, what it changed, where it stands among branches
 * and tags, what fixes it, and the same change in other trees with what was measured there.
 */
#ifndef MODEL_COMMIT_GIT_H
#define MODEL_COMMIT_GIT_H

#include "server/history/links.h"
#include "server/history/objects.h"
#include "server/history/position.h"
#include "server/model/commit.h"

#define SAME_JUDGED_MAX  8  /* equal commits whose results are judged, … */
#define SAME_RESULTS_MAX 20 /* … each in so many series */

/* The same change elsewhere, by its own results against its own base. */
struct same_change {
	const struct linked *linked;
	bool measured, judged; /* judged: it was looked at what its results say */
	enum verdict verdict;  /* the weightiest of what its tests measure themselves */
	const char *change;    /* "-12.5 %" of that; NULL */
	const char *metric;    /* NULL */
	const char *series;    /* its digest; NULL */
	const char *sentence;  /* all its results in one; NULL: not measured */
};

struct commit_git {
	const char *id; /* 40 digits, also of a page that was asked for by a tag */
	struct object_commit object;
	struct position position;
	struct links links;
	struct same_change *same; /* parallel to links.same */
	size_t nsame;
	const char *gone; /* "was in next-20260101 to next-20260104, is gone since; …"; NULL */
	bool has_before, has_after; /* nearest measured commits, of one that was not measured */
	struct commit before, after;
};

/* Fills p->git, and takes from git what uploads did not say or said otherwise. Nothing happens for
 * a commit that git does not know. */
int commit_git_load(struct ctx *c, struct commit_page *p);
/* When all results are loaded: the measured neighbours, and what was measured of the same change.
 */
int commit_git_finish(struct ctx *c, struct commit_page *p);

#endif
