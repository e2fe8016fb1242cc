/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pool of threads for what would block an I/O thread: parsing large bodies, pages flagged SLOW,
 * replies after a commit. A task is a part of its owner's memory, so queueing one never allocates.
 */
#ifndef HTTP_WORKER_H
#define HTTP_WORKER_H

#include <stdbool.h>
#include <stddef.h>

struct workers;

struct task {
	void (*run)(struct task *t); /* may free what the task is a part of */
	struct task *next;           /* the pool's */
};

/* Ends the process when threads cannot be made. */
struct workers *workers_start(unsigned threads, size_t limit);
/* Queues a new task; false when limit of them wait already. */
bool workers_add(struct workers *w, struct task *t);
/* Queues the rest of something that was begun: never refused, and taken before new tasks. */
void workers_add_rest(struct workers *w, struct task *t);
/* Runs what is queued to the end, joins the threads, frees. Nothing may be added from outside any
 * more. */
void workers_stop(struct workers *w);

#endif
