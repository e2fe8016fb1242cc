/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a reader asks for to commits. The grammar is ours and narrower than git's, and is
 * checked before anything is looked up; the look-up asks the index, never a repository:
 *
 *	revision = name { "^" [N] | "~" [N] | "^{}" | "^{commit}" }     N = 1 to 5 digits
 *	name     = id | prefix | [ tree "/" ] ref | describe output (v5.6-rc4-20-gf71ed0f653e9)
 *	range    = revision ".." revision | revision "..." revision
 *
 * A ref is what git takes: "v5.6", "tags/v5.6", "refs/tags/v5.6", "master", "heads/master",
 * "origin/master"; tags win over branches as in git. "HEAD" is the branch that charts follow. What
 * several trees have under one name and not alike is ambiguous.
 */
#ifndef HISTORY_REVISION_H
#define HISTORY_REVISION_H

#include "db/commits.h"

/* As commit_resolve (db/commits.h), which it asks first for stored names, and git for all others.
 * out->id is 0 where the commit has no row (nobody measured it), out->position is 0 where git does
 * not know it. E_INVALID: no revision; E_NOTFOUND; E_AMBIGUOUS with *many. */
int revision_resolve(struct ctx *c, const char *asked, struct commit *out,
		     struct commit_list *many);

struct revision_range {
	struct commit from, to;
	bool symmetric; /* A...B */
	const char *from_asked, *to_asked;
};
/* A side left out is an error here. *many is of the side that is ambiguous. */
int revision_range(struct ctx *c, const char *asked, struct revision_range *out,
		   struct commit_list *many);

/* A commit that git knows as pages show it: its row where it has one, else what the index tells. */
int revision_commit_at(struct ctx *c, int64_t position, struct commit *out);

#endif
