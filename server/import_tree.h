/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbline import lkp-result DIR: a result tree of any size. A thread walks it and leaves out what
 * is stored already, one for each core reads and parses, and one writes, many runs a transaction,
 * in the order of the tree. What waits between them is bounded. An import that is interrupted
 * finishes what was read; when it is started again it goes on where it stopped.
 */
#ifndef SERVER_IMPORT_TREE_H
#define SERVER_IMPORT_TREE_H

#include <pthread.h>
#include <signal.h>

#include "importers/import.h"
#include "server/import_walk.h"

struct writer;
struct tree_unit;

struct progress;
struct tree_paths {
	char **list; /* malloc'ed */
	size_t n, cap;
};

struct import_tree {
	const struct importer *format; /* has folder */
	const struct import *defaults; /* what the files do not say */
	const char *database;
	struct writer *writer; /* NULL: a dry run */
	bool watching;         /* a run that was refused is not tried again until it changes */
	bool settled_only;     /* leave runs that are still written for later */

	struct progress *progress; /* of a pass; NULL: none is shown */

	/* what was done, over all passes */
	size_t taken, known, refused;
	/* of settled_only: runs that were not taken yet; of watching: runs that were refused */
	struct tree_paths later, failed;
	/* of watching: signatures of what was refused, and of matrices that were taken */
	uint64_t *dead;
	size_t ndead, dead_cap;
};

/* SIGINT and SIGTERM end passes from here on, in order; a second one ends the process. */
void import_tree_catch_signals(void);
extern volatile sig_atomic_t import_tree_stopped;

/* Imports what lies at the paths. Refused runs are said on standard error, and go on. Negative: the
 * database or the disk failed, with the failure in c; what was stored before stays. */
int import_tree_pass(struct ctx *c, struct import_tree *t, const char *const *paths, size_t n);
/* Follows a tree that grows, until it is stopped: a first pass over all of it, then what is told of
 * by the kernel (inotify), and a look at all of it every few minutes for what was not. A run is
 * taken when it has stats.json or last_state and nothing in its folder has changed for two seconds,
 * and so is a matrix.json where it alone is left of a commit's runs. */
int import_tree_watch(struct ctx *c, struct import_tree *t, const char *path);
void import_tree_free(struct import_tree *t);
void tree_paths_clear(struct tree_paths *p);

/* --- between import_tree.c and the files beside it --- */

#define TREE_WINDOW 256                /* units between the walk and the store */
#define TREE_HELD   ((size_t)64 << 20) /* bytes that they hold before reading waits */
#define TREE_SETTLE 2                  /* seconds without a change */

/* A file of a run, packed. */
struct tree_file {
	size_t sub, run;
	const char *name;
	struct artifact file;
};

/* A folder on its way. */
struct tree_unit {
	enum { UNIT_EMPTY, UNIT_FOUND, UNIT_TAKEN, UNIT_READ } state;
	char *path; /* malloc'ed */
	bool is_commit;
	int64_t *own; /* malloc'ed: runs of the commit that need no column of its matrix */
	size_t nown;
	/* after reading; all in the arena */
	struct arena *arena;
	struct ctx ctx; /* with what is wrong, if anything */
	struct import in;
	struct tree_file *files;
	size_t nfiles;
	const char **notes; /* files that could not be kept: "name: reason" */
	size_t nnotes, notes_cap;
	size_t held;
};

/* Reads and parses; the unit's ctx says what is wrong. (import_tree_read.c) */
void tree_unit_read(const struct import_tree *t, struct tree_unit *u);
/* Stores, or in a dry run prints, units in their order, as one transaction, and says which were
 * refused. (import_tree_store.c) */
int tree_store(struct ctx *c, struct import_tree *t, struct tree_unit **units, size_t n,
	       struct arena *a);

/* A line on a terminal that says how far it is; nothing elsewhere. (import_progress.c) */
struct progress *progress_start(const char *const *paths, size_t n);
/* done: units that are through; refused among them. */
void progress_show(struct progress *p, size_t done, size_t refused);
/* Takes the line away, so that another can be printed. NULL is ignored. */
void progress_clear(struct progress *p);
void progress_stop(struct progress *p);

#endif
