/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other commits that a commit has to do with: what it fixes and reverts, what fixes and reverts it,
 * and the same change elsewhere (a backport, a cherry-pick, a rebased one). From the index;
 * patch-ids that nobody computed yet are computed here for a few candidates with the same subject.
 */
#ifndef HISTORY_LINKS_H
#define HISTORY_LINKS_H

#include "db/git_commits.h"
#include "server/history/position.h"

#define LINKS_MAX     50 /* of each list */
#define PATCH_IDS_MAX 16 /* computed for one page */

/* Why two commits are the same change; the strongest is told. */
enum same_how {
	SAME_UPSTREAM, /* it says that it came from that one */
	SAME_BACKPORT, /* that one says that it came from it */
	SAME_SOURCE,   /* both came from the same commit */
	SAME_PATCH_ID,
	SAME_MESSAGE_ID, /* of the mail that both were made from, with the same subject */
};
/* "upstream", "backport", "same source", "same patch-id", "same Message-Id" */
const char *same_how_name(enum same_how h);

struct linked {
	const char *target; /* as the message says it; of those that point here: the commit's id */
	struct git_commit commit; /* position 0: nothing, or not one alone, is known under target */
	enum same_how how;        /* of the same change */
	struct position where;    /* which trees have it; without describe */
};

struct linked_list {
	struct linked *list;
	size_t n;
	bool cut; /* there are more */
};

struct links {
	struct linked_list fixes, fixed_by, reverts, reverted_by, same;
	const char *message_id; /* of the mail that it was made from; NULL */
};

int links_find(struct ctx *c, const struct all_refs *refs, int64_t position, struct links *out);

#endif
