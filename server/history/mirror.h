/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own bare copies of repositories: <folder of the database>/repos/<name>.git, with a lock file
 * beside each. git fetches into them and packs them; a repository in place has a lock file only,
 * and nothing is ever written into its folder.
 */
#ifndef HISTORY_MIRROR_H
#define HISTORY_MIRROR_H

#include "db/repos.h"
#include "server/history/stop_sign.h"

/* Where the mirror of a name is, from the root; in the arena. */
char *mirror_path(struct ctx *c, const char *database, const char *name);
/* Takes the lock of a repository against other processes; folders are made. The descriptor, which
 * close() gives back; E_BUSY: another process has it (wait: never), E_INTERNAL. */
int mirror_lock(struct ctx *c, const char *database, const char *name, bool wait);

/* Brings the mirror at r->path up to date; made when missing. r->line is set when it is not known
 * yet and the other side tells. NULL, or the problem in one sentence without a full stop. */
const char *mirror_fetch(struct ctx *c, struct repo *r, struct stop_sign *stop);
/* When something was fetched: git's commit-graph, in the form that libgit2 can use, and packing
 * when there is much to pack. A failure is logged, for the mirror is usable without. */
void mirror_tidy(struct ctx *c, const struct repo *r, struct stop_sign *stop);
/* Refs of our own on commits that have results, so that nothing removes them from the mirror. */
int mirror_pin(struct ctx *c, const struct repo *r, struct stop_sign *stop);
/* Removes the mirror of a repository and its lock file; of one in place the latter alone.
 * E_INTERNAL.
 */
int mirror_remove(struct ctx *c, const char *database, const struct repo *r);

#endif
