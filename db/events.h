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
/* Newest first (by number), numbers below before, of one machine or of all (NULL); at most limit.
 */
int event_list(struct ctx *c, const char *machine, int64_t before, size_t limit, struct event **out,
	       size_t *n);

#endif
