/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a sync share. Nobody else includes it. */
#ifndef HISTORY_SYNC_INSIDE_H
#define HISTORY_SYNC_INSIDE_H

#include "db/git_commits.h"
#include "server/history/oid_set.h"
#include "server/history/repo_open.h"
#include "server/history/sync.h"

/* A commit that is to be added; everything in the arena of its batch. */
struct sync_commit {
	char id[GIT_OID_HEXSZ + 1];
	int64_t date, author_date;
	const char *subject;
	struct git_link *links;
	size_t nlinks;
	git_oid *parents;
	size_t nparents;
};
/* Commits that are read before they are written, and bytes of what they say. */
#define SYNC_BATCH       1000
#define SYNC_BATCH_BYTES ((size_t)16 << 20)

struct sync_ref {
	const char *name;
	git_oid id; /* of the commit */
	int64_t date;
	bool bad; /* its commit, or an ancestor, cannot be read: it stays where it was */
};

struct sync {
	struct sync_lab *lab;
	struct ctx *c; /* of lab */
	struct repo repo;
	git_repository *git;
	struct sync_ref *refs; /* that are followed, by name */
	size_t nrefs, refs_cap;
	bool refs_unread;
	struct oid_set seen;
	struct arena *batch_arena;
	struct sync_commit *batch;
	size_t nbatch;
	int64_t added;
	const char *problem;
};

/* Runs a writing step in a transaction of its own and waits for it; again while the queue is full.
 * store may be called twice. E_BUSY: the service stops. */
int sync_write(struct sync_lab *lab, int (*store)(struct ctx *c, void *arg), void *arg);

/* Refs of the repository into s->refs; s->problem when there are none, and refs_unread when they
 * cannot be read at all. */
void sync_read_refs(struct sync *s);
/* Adds all commits that are reached from the refs and not known. Damage is a problem, and what is
 * whole is added all the same. */
int sync_walk(struct sync *s);
/* Writes the batch and empties it. */
int sync_flush(struct sync *s);
/* Refs, stubs and tags, once all commits are in. */
int sync_store_refs(struct sync *s);

#endif
