/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of server/history: what a commit changed. */
#ifndef HISTORY_DIFF_H
#define HISTORY_DIFF_H

#include "server/history/objects.h"
#include "server/history/opened.h"

/* What is read of blobs at most: of one file's side, in bytes and lines, and of all. */
#define BLOB_BYTES_MAX ((size_t)8 << 20)
#define BLOB_LINES_MAX 200000
#define READ_BYTES_MAX ((size_t)32 << 20)

/* The trees' difference against the first parent, renames not looked for. 0, or libgit2's error;
 * GIT_ENOTFOUND: its parent is not there. */
int diff_make(const struct opened *o, git_diff **diff);
/* Size of a delta's side, 0 where there is none. -1: it cannot be told. */
int64_t diff_side_size(git_repository *repo, const git_diff_file *f);
/* Fills files, sums, and with_lines the lines of out. Renames are found as `git show -M` finds them
 * while there are few candidates, else those without a change. Sets out->problem when it fails. */
void diff_read(struct ctx *c, const struct opened *o, bool with_lines, struct object_commit *out);

#endif
