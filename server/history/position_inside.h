/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of position: branches and tags in memory, and the walk of describe. */
#ifndef HISTORY_POSITION_INSIDE_H
#define HISTORY_POSITION_INSIDE_H

#include "server/history/graph.h"
#include "server/history/position.h"

struct known_ref {
	const char *full, *name; /* name: without refs/tags/ */
	uint32_t position;
	int64_t date;
	bool gone;
};

struct tree_refs {
	const struct repo *repo;
	struct known_ref *branches, *tags; /* tags by date, then position, then name */
	size_t nbranches, ntags;
	struct known_ref *by_position; /* the tags that are there, by position, then name */
	size_t nby_position;
};

struct all_refs {
	struct tree_refs *trees; /* trees before snapshots, by name */
	size_t n;
};

/* The tag that describes p best in the tree, by the walk of `git describe --tags`: the one with the
 * fewest commits above it, of at most ten that come first by date. NULL: there is none. */
const char *describe_walk(struct ctx *c, const struct graph *g, const struct tree_refs *t,
			  uint32_t p, int64_t *depth);
/* When an annotated tag was made; TIME_NONE: it is not annotated, or cannot be read. */
int64_t object_tag_date(const char *path, const char *full_name);

#endif
