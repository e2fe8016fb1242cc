/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only a repository can tell of a commit: message, diffstat, diff, patch-id. Read with libgit2
 * from whichever repository has the commit; a repository that is gone or damaged is an answer
 * (problem), never a failure of the page. Every thread keeps a few repositories open.
 */
#ifndef HISTORY_OBJECTS_H
#define HISTORY_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "db/submission.h"
#include "server/base/err.h"

struct object_file {
	const char *path,
		*old_path;      /* valid UTF-8, what is not is replaced; old_path: of a rename */
	int64_t added, removed; /* lines; -1: binary */
	bool submodule;
	bool unread; /* too large: its lines were not counted, added and removed are -1 */
};

/* One line of the diff as it is shown. */
struct diff_line {
	char kind; /* ' ' '+' '-' '@' a hunk's head, 'f' a file's head */
	const char *text;
	size_t n;
};

#define DIFF_BYTES_MAX ((size_t)512 << 10)
#define DIFF_LINES_MAX 10000
#define DIFF_FILES_MAX 1000

struct object_commit {
	const char *problem; /* why what follows could not be read, one sentence; NULL */
	const char *message; /* whole, valid UTF-8 */
	struct person author, committer;
	const char *tree; /* the repository it was read from */
	struct object_file *files;
	size_t nfiles, files_seen; /* kept, and all of them */
	size_t unread;             /* of all */
	int64_t added, removed;    /* all files that were read */
	struct diff_line *lines;
	size_t nlines;
	const char
		*cut; /* why the diff ends early ("it ends after 10000 of 1200000 lines"); NULL */
	size_t nparents; /* a merge: the diff is against the first parent */
};
/* with_diff: lines too. Only an engine's failure is negative. */
int object_commit_read(struct ctx *c, const char *id, bool with_diff, struct object_commit *out);
/* What `git diff-tree -p | git patch-id --stable` prints; "" for merges and empty changes, and for
 * those that are too large to be read (PATCH_BYTES_MAX); NULL: no repository has it. */
#define PATCH_BYTES_MAX ((size_t)16 << 20)
int object_patch_id(struct ctx *c, const char *id, const char **patch_id);

#endif
