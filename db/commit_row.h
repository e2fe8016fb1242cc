/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files about commits share: names, rows, and the walk over parents. Nobody else includes
 * it. */
#ifndef DB_COMMIT_ROW_H
#define DB_COMMIT_ROW_H

#include "db/commits.h"

#define COMMIT_NAME_MAX 255
#define ID_DIGITS       40
#define ID_DIGITS_MIN   7

/* A revision as a reader asks for it: a name, then steps to parents. */
#define REVISION_STEPS    16
#define REVISION_DISTANCE 10000
struct revision {
	char name[COMMIT_NAME_MAX + 1]; /* hex in lower case */
	bool is_hex;
	struct step {
		char kind; /* '^' the n-th parent, '~' n first parents up */
		int64_t n;
	} steps[REVISION_STEPS];
	size_t nsteps;
};
/* E_INVALID, with a text that names the revision. */
int revision_parse(struct ctx *c, const char *asked, struct revision *out);

/* The first name (of hex digits) above all that begin with the prefix. */
char *hex_above(struct arena *a, const char *prefix);

/* How much of a commit is read: lists do without message and diff, which may be large. */
enum commit_detail { COMMIT_BRIEF, COMMIT_WHOLE };
int commit_read(struct ctx *c, int64_t id, enum commit_detail detail, struct commit *out);
/* The commits of ids, in their order, brief. */
int commit_read_all(struct ctx *c, const int64_t *ids, size_t nids, struct commit **out, size_t *n);

/* Commits that have exactly the name, as their own or as an alias: at most two are told. tree NULL:
 * of any. */
int commit_exact(struct ctx *c, const char *name, const char *tree, int64_t ids[2], size_t *n);
/* A short name of a row that became its alias when that commit alone began so, while git knows
 * several now: it does not say any more which is meant. */
int commit_alias_open(struct ctx *c, const char *name, int64_t id, bool *open);
/* The one stub that is a prefix of a full id and of no other known commit, uploaded or in git's
 * index; 0 when there is none. */
int commit_stub_of(struct ctx *c, const char *full, int64_t *id);

/* The n-th parent, from 0; 0 when it is not known. */
int commit_nth_parent(struct ctx *c, int64_t id, int64_t n, int64_t *parent);

/* Writer only: the stub becomes the commit, and its name an alias. */
int commit_complete_stub(struct ctx *c, int64_t id, const char *full, int64_t now);

/* Writer only: the build's row, -1 when none was told. */
int build_ensure(struct ctx *c, int64_t commit_id, const struct build_in *b, int64_t now,
		 int64_t *build_id);

#endif
