/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repositories that are followed, and their branches and tags at the last refresh. */
#ifndef DB_REPOS_H
#define DB_REPOS_H

#include "db/engine.h"

struct repo {
	int64_t id;
	const char *name, *url, *path;
	bool in_place;
	const char *refs; /* patterns, a line each; "" all branches and tags */
	const char *line; /* full ref name, NULL */
	bool snapshots;
	int64_t added, tried, synced, next_try; /* TIME_NONE: never */
	int64_t failures;
	const char *problem; /* NULL */
	int64_t commits;     /* reached from its refs at the last refresh */
	int64_t removed;     /* TIME_NONE: it is followed */
};
#define REPOS_MAX 200

struct repo_ref {
	int64_t repo_id;
	const char *name; /* refs/heads/…, refs/tags/… */
	int64_t position;
	int64_t gone; /* TIME_NONE: it is there */
};

/* Also removed ones when all. By name. */
int repo_list(struct ctx *c, bool all, struct repo **out, size_t *n);
/* E_NOTFOUND; a removed one is not found. */
int repo_by_name(struct ctx *c, const char *name, struct repo *out);
/* Refs with exactly this full name, of every repository (repo_id 0) or one; gone ones last. */
int repo_refs_named(struct ctx *c, int64_t repo_id, const char *name, struct repo_ref **out,
		    size_t *n);
/* All refs of one repository (0: of all) whose names begin with the prefix ("refs/tags/"), by name.
 */
int repo_refs(struct ctx *c, int64_t repo_id, const char *prefix, struct repo_ref **out, size_t *n);

/* Refs of one repository that are there. */
int repo_refs_count(struct ctx *c, int64_t repo_id, int64_t *n);

/* Writer only. */
int repo_insert(struct ctx *c, struct repo *r); /* E_CONFLICT: the name is taken; a removed one is
						   taken up again */
int repo_update(struct ctx *c, const struct repo *r); /* all but name and added */
int repo_ref_set(struct ctx *c, const struct repo_ref *ref);
/* Marks those of the repository that are not in the sorted list of names as gone. */
int repo_refs_keep(struct ctx *c, int64_t repo_id, const char *const *names, size_t n, int64_t now);

#endif
