/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git as a child process, for what is git's own work: fetching, packing, its commit-graph. No shell
 * is involved; the environment is made anew, so that no GIT_* variable, no system-wide setting and
 * no question on a terminal takes part; only the protocols file, git, http, https and ssh are
 * allowed.
 */
#ifndef HISTORY_GIT_CHILD_H
#define HISTORY_GIT_CHILD_H

#include "server/base/out.h"
#include "server/history/stop_sign.h"

struct arena;

#define GIT_ARGS_MAX 256

struct git_run {
	const char *folder; /* --git-dir; NULL: none */
	const char *const
		*args;          /* after "git", NULL-terminated; what is from outside behind "--" */
	int seconds;            /* after which it is ended */
	struct stop_sign *stop; /* ends it too; NULL */
	/* filled */
	const char *text;    /* its standard output, at most 64 KiB; in the arena */
	const char *problem; /* one sentence without a full stop, without credentials; NULL: it went
				well */
};
/* Runs it and waits. False, with a problem: it could not be started, failed, took too long, or was
 * stopped. It is asked to end first and killed two seconds later. */
bool git_run(struct arena *a, struct git_run *g);

#endif
