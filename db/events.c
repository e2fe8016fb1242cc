/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the events of machines. Numbers are given in order of filing, so a cursor by number never
 * skips one. */
#include "db/events.h"

#include "server/base/arena.h"
#include "server/base/clock.h"

SQL(events_of_all, "SELECT event_id, machine, at, key, old, new, note, created FROM event"
		   " WHERE event_id < $1 AND at >= $3 AND at < $4"
		   " ORDER BY event_id DESC LIMIT $2")
SQL(events_of_machine, "SELECT event_id, machine, at, key, old, new, note, created FROM event"
		       " WHERE event_id < $1 AND at >= $3 AND at < $4 AND machine = $5"
		       " ORDER BY event_id DESC LIMIT $2")
SQL(events_between, "SELECT event_id, machine, at, key, old, new, note, created FROM event"
		    " WHERE machine = $1 AND at >= $2 AND at <= $3 ORDER BY at, event_id LIMIT $4")

static int read_events(struct ctx *c, struct stmt *st, struct event **out, size_t *n)
{
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct event){
			.id = col_int(st, 0),
			.machine = col_text(st, 1),
			.at = col_int(st, 2),
			.key = col_text(st, 3),
			.old_value = col_text(st, 4),
			.new_value = col_text(st, 5),
			.note = col_text(st, 6),
			.created = col_int(st, 7),
		};
	}
	return stmt_status(st);
}

int event_list(struct ctx *c, const struct event_filter *f, size_t limit, struct event **out,
	       size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, f->machine ? &events_of_machine : &events_of_all);

	bind_int(st, 1, f->before);
	bind_int(st, 2, (int64_t)limit);
	bind_int(st, 3, f->since); /* TIME_NONE is below every time */
	bind_int(st, 4, f->until == TIME_NONE ? INT64_MAX : f->until);
	if (f->machine)
		bind_text(st, 5, f->machine);
	return read_events(c, st, out, n);
}

int event_range(struct ctx *c, const char *machine, int64_t from, int64_t to, size_t limit,
		struct event **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &events_between);

	bind_text(st, 1, machine);
	bind_int(st, 2, from);
	bind_int(st, 3, to);
	bind_int(st, 4, (int64_t)limit);
	return read_events(c, st, out, n);
}
