/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the events of machines. Numbers are given in order of filing, so a cursor by number never
 * skips one. */
#include "db/events.h"

#include "server/base/arena.h"

SQL(events_of_all, "SELECT event_id, machine, at, key, old, new, note, created FROM event"
		   " WHERE event_id < $1 ORDER BY event_id DESC LIMIT $2")
SQL(events_of_machine, "SELECT event_id, machine, at, key, old, new, note, created FROM event"
		       " WHERE event_id < $1 AND machine = $3 ORDER BY event_id DESC LIMIT $2")

int event_list(struct ctx *c, const char *machine, int64_t before, size_t limit, struct event **out,
	       size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, machine ? &events_of_machine : &events_of_all);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, before);
	bind_int(st, 2, (int64_t)limit);
	if (machine)
		bind_text(st, 3, machine);
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
