/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store read from end to end, as the submissions that make the same store again: in the order
 * they were received, each with what is known of it by now. All that its uploads together told of a
 * commit comes with the commit's first submission, units with the first of their series. Memory
 * does not grow with the samples: what is kept from one to the next is a number a series and a
 * commit, and the keys of what is replaced later.
 */
#ifndef DB_COPY_H
#define DB_COPY_H

#include "db/artifacts.h"
#include "db/engine.h"
#include "db/events.h"
#include "db/idset.h"
#include "db/machines.h"
#include "db/submission.h"

struct copy {
	struct arena *arena; /* of what is kept; the caller's */
	int64_t series_id;   /* 0: all */
	int64_t at;          /* the submission that came last */
	size_t moved; /* runs and summaries that a correction took elsewhere: they come as they
			 were uploaded */
	struct idset series, commits;
	struct copy_replaced *replaced; /* a heap: the next first */
	size_t nreplaced, cap;
	int64_t event_at; /* the event that came last */
};

/* The next submission, in c's arena, which may be reset before the next call: 1; 0 at the end. */
int copy_next(struct ctx *c, struct copy *k, struct submission *out);

/* A file of a run of the last submission. */
struct copy_artifact {
	int64_t position; /* of the run in its submission */
	struct run_artifact file;
};
int copy_artifacts(struct ctx *c, const struct copy *k, struct copy_artifact **out, size_t *n);

/* Events told by hand, as they came between submissions: those told before the last one was
 * received, that did not come yet; with a limit that *n tells. The others the uploads make again.
 */
struct copy_event {
	struct event event;
	const char *by; /* NULL */
};
int copy_events(struct ctx *c, struct copy *k, int64_t before, struct copy_event **out, size_t *n);
/* What was told of machines. */
int copy_machines(struct ctx *c, struct machine **out, size_t *n);

#endif
