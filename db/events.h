/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events: something changed on a machine, seen by the service or told by hand. */
#ifndef DB_EVENTS_H
#define DB_EVENTS_H

#include "db/engine.h"

struct event {
	int64_t id, at, created;
	const char *machine, *key;
	const char *old_value, *new_value, *note; /* NULL: not told */
};
struct event_filter {
	const char *machine;  /* NULL: of all */
	int64_t since, until; /* when it happened, in [since, until); TIME_NONE: open */
	int64_t before;       /* numbers below; INT64_MAX for the first page */
};
/* Newest first, by number. */
int event_list(struct ctx *c, const struct event_filter *f, size_t limit, struct event **out,
	       size_t *n);
/* Those of a machine from one time to another (both count), oldest first; at most limit. */
int event_range(struct ctx *c, const char *machine, int64_t from, int64_t to, size_t limit,
		struct event **out, size_t *n);

/* Writer only. An event that somebody tells of; with its row in the audit. */
int event_tell(struct ctx *c, const struct event *event, int64_t token_id, const char *who,
	       int64_t now, int64_t *id);
/* Writer only. Notes what a machine says of itself (db/machine_facts.def) at a time, in whatever
 * order the uploads come, and makes, or sets right, the events of what changed. */
struct pair;
int event_note_facts(struct ctx *c, const char *machine, const struct pair *info, size_t ninfo,
		     int64_t at, int64_t now);

#endif
