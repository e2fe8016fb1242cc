/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of server/history: the repositories that a thread keeps open for reading objects, and text
 * of any encoding as UTF-8.
 */
#ifndef HISTORY_OPENED_H
#define HISTORY_OPENED_H

/* Not git2.h: its index has a member with a name that is banned here. */
#include <git2/blob.h>
#include <git2/commit.h>
#include <git2/config.h>
#include <git2/diff.h>
#include <git2/errors.h>
#include <git2/global.h>
#include <git2/odb.h>
#include <git2/oid.h>
#include <git2/repository.h>
#include <git2/tree.h>

#include "server/base/err.h"

/* A commit and where it was found. The repository is the thread's; the caller frees the commit. */
struct opened {
	git_repository *repo;
	git_commit *commit;
	const char *tree;    /* name of the repository */
	const char *problem; /* why there is no commit, one sentence without a full stop; NULL */
};
/* Looks for a commit (40 digits) in the repositories that are followed, trees before snapshots, by
 * name. Only an engine's failure is negative. */
int opened_find(struct ctx *c, const char *id, struct opened *out);
/* The repository in a folder; NULL: it cannot be opened. The thread's. */
git_repository *opened_repo(const char *path);
/* A second object by the same repository, as libgit2's: 0, GIT_ENOTFOUND, or damage. */
int opened_parent_tree(const struct opened *o, git_tree **parent);

/* n bytes as valid UTF-8 in the arena. encoding (NULL: not told) is tried first; then UTF-8; what
 * is neither is read as Latin-1, which never fails. NULs become U+FFFD. */
char *text_decode(struct arena *a, const char *bytes, size_t n, const char *encoding);
/* n bytes as valid UTF-8: each that is none becomes U+FFFD. *len may be NULL. */
char *text_clean(struct arena *a, const char *bytes, size_t n, size_t *len);
/* The subject of a commit as `git log --format=%s` has it: the first paragraph of its message in
 * one line, what is blank in front of it left out. "": it has none. Decoded by itself, since the
 * body may be in another encoding. */
char *text_subject(struct arena *a, const git_commit *commit);

#endif
