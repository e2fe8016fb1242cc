/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the folders of runs in a result tree of the kernel test robot. */
#ifndef SERVER_IMPORT_WALK_H
#define SERVER_IMPORT_WALK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a walk meets, in the order of names, numbers by their value. */
struct walk_visitor {
	/* The folder of a run: it has stats.json or last_state, or job.yaml and no runs in it. */
	void (*run)(void *arg, const char *path);
	/* A folder with matrix.json beside runs of which some have no stats.json; own: the numbers
	 * of those that have it. Those without are not visited. */
	void (*commit)(void *arg, const char *path, const int64_t *own, size_t nown);
	/* Every folder, before it is looked into. NULL: not told. */
	void (*enter)(void *arg, const char *path);
	void (*unreadable)(void *arg, const char *path, int error);
	const atomic_bool *stop; /* ends the walk when it is not 0 */
	void *arg;
};
/* path: a folder, absolute, without symbolic links in it; none is followed below it. Memory is that
 * of the names of the folders that are open. */
void walk_tree(const char *path, const struct walk_visitor *v);
/* Whether a folder is in a result tree, by a look at its first parts. */
bool walk_looks_like_results(const char *path);
/* A folder of a run as it is now: 0 nothing of a run is in it, 1 it may become one, 2 it has
 * stats.json or last_state; or it is a commit's of which matrix.json alone is left. *newest:
 * nanoseconds of its latest change; *signature: of names, sizes and times of its files. */
int walk_look_at_run(const char *path, int64_t *newest, uint64_t *signature);

#endif
