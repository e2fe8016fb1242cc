/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one writing thread of a process. It takes all jobs that wait, runs them in one transaction,
 * commits, and tells each that it is on disk; so everyone shares one sync. A job of more than 4 MiB
 * runs alone, in turn with the others: they wait for one such at most. When a statement fails,
 * the batch is rolled back and each job is run again alone: a bad job fails alone. No savepoints.
 *
 * A job is checked before it may write: check() only reads, store() only writes. It knows no HTTP:
 * done() is called on the writer's thread after the commit (or the failure) and must be quick.
 */
#ifndef DB_WRITER_H
#define DB_WRITER_H

#include "db/engine.h"

struct writer;

struct job {
	/* Reads inside the transaction; negative: refused, nothing of it was written. */
	int (*check)(struct ctx *c, struct job *j);
	/* Writes. Negative: an engine failure; may be called again for the same job after a
	 * rollback. */
	int (*store)(struct ctx *c, struct job *j);
	/* Called once. j->result is 0 or more (on disk), or negative with the text in j->ctx. */
	void (*done)(struct job *j);
	struct ctx *ctx; /* the job's own: arena and failure; its db is set by the writer while it
			    runs */
	void *arg;
	size_t weight; /* bytes it holds, for the queue's limit and its turn */
	int result;
	struct job *next; /* the writer's */
	bool awaited;     /* the writer's: writer_run waits for it */
};

struct writer_limits {
	size_t jobs;          /* waiting jobs; more: E_BUSY */
	size_t bytes;         /* sum of their weights */
	int64_t disk_reserve; /* bytes that must stay free, else E_DISK_FULL */
};

/* Opens its own connection on path and starts the thread. */
int writer_start(struct ctx *c, const char *path, const struct writer_limits *l,
		 struct writer **out);
/* Queues a job: E_OK (done will be called), or E_BUSY, E_DISK_FULL, and done is not called. */
int writer_submit(struct writer *w, struct job *j);
/* Runs a job and waits, for commands and tests. Returns its result. */
int writer_run(struct writer *w, struct job *j);
/* Refuses new jobs, finishes those that wait, joins the thread, checkpoints and frees. */
void writer_stop(struct writer *w);

struct writer_stats {
	int64_t queued, jobs, batches, failed_batches, refused;
	int64_t commit_us; /* sum over batches */
};
void writer_get_stats(struct writer *w, struct writer_stats *out);

#endif
