/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a commit stands among the branches and tags of every tree that is followed: which contain
 * it, the first tag that does, and its name as `git describe --tags` gives it. Asks the index and
 * the graph; a repository only where two tags stand on one commit.
 */
#ifndef HISTORY_POSITION_H
#define HISTORY_POSITION_H

#include "db/repos.h"
#include "server/base/err.h"

#define CONTAIN_MAX 200 /* names of a tree that are told; all are counted */

/* Every branch and tag of the trees that are followed: loaded once for a page. */
struct all_refs;
int refs_load(struct ctx *c, struct all_refs **out);

/* One tree that contains the commit. Names are without refs/heads/ and refs/tags/. */
struct position_tree {
	const char *tree;
	bool snapshots;
	const char *describe; /* "v6.5-12-g0123456789ab", or the tag on it; NULL: no tag below */
	int64_t depth;        /* of describe: commits above that tag */
	const char *const *branches;
	size_t nbranches, branches_seen;
	const char *const *tags; /* oldest first */
	size_t ntags, tags_seen;
	const char *last_tag; /* the newest that contains it; NULL */
	/* Of snapshots: the first one after last_tag, which has it no more; NULL: it is still
	 * there.
	 */
	const char *gone_in;
};

struct position {
	struct position_tree *trees; /* trees before snapshots, by name */
	size_t n;
	const char *describe; /* of the tree where the tag is nearest; NULL */
};

/* with_describe: describe too, which walks down. */
int position_find(struct ctx *c, const struct all_refs *refs, int64_t position, bool with_describe,
		  struct position *out);

#endif
