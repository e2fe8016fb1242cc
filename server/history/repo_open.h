/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a repository for a sync, and saying in plain words why it cannot be. */
#ifndef HISTORY_REPO_OPEN_H
#define HISTORY_REPO_OPEN_H

/* Not git2.h: its index has a member with a name that is banned here. */
#include <git2/commit.h>
#include <git2/config.h>
#include <git2/errors.h>
#include <git2/global.h>
#include <git2/oid.h>
#include <git2/repository.h>

struct arena;

/* Opened for the caller, who frees it; whoever owns the folder. NULL, and *problem is a sentence
 * without a full stop: "its folder is not there". */
git_repository *repo_open(struct arena *a, const char *path, const char **problem);
/* The same for one whose history is to be walked: a shallow one is refused, too. */
git_repository *repo_open_whole(struct arena *a, const char *path, const char **problem);

#endif
