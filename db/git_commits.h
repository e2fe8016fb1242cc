/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of what git knows: every commit of every repository under its position, a number that
 * only grows and is larger than those of all its ancestors. Reading needs no repository. It is
 * filled by server/history/ through the writer.
 */
#ifndef DB_GIT_COMMITS_H
#define DB_GIT_COMMITS_H

#include "db/engine.h"
#include "db/submission.h"

#define GIT_PARENTS_MAX 128 /* of one commit; the kernel's largest octopus has 66 */

struct git_commit {
	int64_t position;
	const char *id; /* 40 digits */
	int64_t date, author_date;
	const char *subject;
	const char *patch_id; /* NULL: not looked at; "": it has none */
	uint32_t parents[GIT_PARENTS_MAX];
	size_t nparents;
};

enum git_link_kind {
	LINK_FIXES,      /* Fixes: */
	LINK_UPSTREAM,   /* commit … upstream; (cherry picked from commit …) */
	LINK_REVERTS,    /* This reverts commit … */
	LINK_MESSAGE_ID, /* of its own mail: Link: https://lore… or Message-Id: */
};
struct git_link {
	int64_t position; /* of the commit that says so */
	enum git_link_kind kind;
	const char *target; /* hex of 7 to 40 digits in lower case, or a Message-Id without <> */
};

/* --- reading -----------------------------------------------------------------------------------
 */

/* E_NOTFOUND. */
int git_commit_by_id(struct ctx *c, const char *id, struct git_commit *out);
int git_commit_at(struct ctx *c, int64_t position, struct git_commit *out);
/* Its position alone; 0: git does not know it. */
int git_commit_position(struct ctx *c, const char *id, int64_t *position);
/* Those whose id begins with the hex prefix (7 digits and more), by id; at most max. */
int git_commit_by_prefix(struct ctx *c, const char *prefix, size_t max, struct git_commit **out,
			 size_t *n);
/* Those with the subject, resp. the patch-id, by position; at most max. */
int git_commit_by_subject(struct ctx *c, const char *subject, size_t max, struct git_commit **out,
			  size_t *n);
int git_commit_by_patch_id(struct ctx *c, const char *patch_id, size_t max, struct git_commit **out,
			   size_t *n);
/* The largest position; 0: git knows nothing. */
int git_commit_newest(struct ctx *c, int64_t *position);
/* Calls each for all commits above a position, in order; negative ends it and is returned. Fills
 * position, date and parents alone: for the graph. */
int git_commit_each(struct ctx *c, int64_t above,
		    int (*each)(void *arg, const struct git_commit *k), void *arg);

/* What the commit's message says. */
int git_links_of(struct ctx *c, int64_t position, struct git_link **out, size_t *n);
/* Who says it of this id (a target that is a prefix of it), resp. has that Message-Id; by position.
 */
int git_links_to(struct ctx *c, enum git_link_kind kind, const char *target, size_t max,
		 struct git_link **out, size_t *n);

/* The row in commits that is measured, named or labelled under a position; 0: none. */
int git_commit_row(struct ctx *c, int64_t position, int64_t *commit_id);
/* All rows under a position: a commit may have been uploaded by its id, by tags and by prefixes. In
 * the arena. */
#define GIT_ROWS_MAX 100
int git_commit_rows(struct ctx *c, int64_t position, int64_t **ids, size_t *n);

/* --- writing: the writer's thread only ----------------------------------------------------------
 */

/* Adds a commit whose parents are in, under position newest + 1, and its links; a row of commits
 * with that id gets its position. Known already: nothing happens. Returns its position in
 * k->position. */
int git_commit_add(struct ctx *c, struct git_commit *k, const struct git_link *links,
		   size_t nlinks);
int git_commit_set_patch_id(struct ctx *c, int64_t position, const char *patch_id);

/* What the whole commit says, for a row of commits. */
struct git_text {
	const char *subject, *message;
	struct person author, committer;
};
/* Rows of commits above one that git knows and whose texts are not yet git's, by row; at most max.
 */
struct git_row {
	int64_t commit_id, position;
	const char *id; /* 40 digits */
};
int git_rows_without_text(struct ctx *c, int64_t above, size_t max, struct git_row **out,
			  size_t *n);
/* Commits of git that have a row, by position; commit_id is one of them. At most max above a
 * position; without_patch_id: those whose patch-id was not looked at yet. */
int git_rows_known(struct ctx *c, int64_t above, bool without_patch_id, size_t max,
		   struct git_row **out, size_t *n);
/* What git says replaces what uploads said; empty parts of it do not. */
int git_row_set_text(struct ctx *c, int64_t commit_id, const struct git_text *t);

/* Ties a new row to git: a full id to its commit, a tag to what the repository called as its tree
 * (or, without a tree, all repositories alike) has under refs/tags/. *position 0: git does not know
 * it. */
int git_row_tie(struct ctx *c, int64_t commit_id, int64_t *position);
/* After a sync, in small steps: looks at at most max stubs below a name, downwards (NULL: from the
 * last), completes each that one commit of the index alone fits, and frees those that several fit
 * by now. *next is where to go on, NULL at the end; in the arena. */
int git_stubs_tie(struct ctx *c, const char *below, size_t max, int64_t now, const char **next);
/* The same for refs that are not tied yet, upwards by row. *next 0: the end. */
int git_refs_tie(struct ctx *c, int64_t above, size_t max, int64_t *next);

/* A digest of a subject, 63 bits: without case, white space, and a "[PATCH …]" in front. */
int64_t git_subject_key(const char *subject);

#endif
