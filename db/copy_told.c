/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people told, for a copy: events that no upload makes again, and the rows of machines. */
#include "db/copy.h"

#include "server/base/arena.h"

#define EVENTS_AT_ONCE 100
#define MACHINES_MAX   100000

SQL(copy_events_rows,
    "SELECT e.event_id, e.machine, e.at, e.key, e.old, e.new, e.note, e.created, t.name"
    " FROM event e LEFT JOIN token t ON t.token_id = e.token_id"
    " WHERE e.event_id > $1 AND e.created < $2 AND NOT EXISTS (SELECT 1 FROM machine_fact f"
    " WHERE f.machine = e.machine AND f.event_id = e.event_id) ORDER BY e.event_id LIMIT $3")

int copy_events(struct ctx *c, struct copy *k, int64_t before, struct copy_event **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_events_rows);

	*n = 0;
	*out = arena_array(c->arena, struct copy_event, EVENTS_AT_ONCE);
	bind_int(st, 1, k->event_at);
	bind_int(st, 2, before);
	bind_int(st, 3, EVENTS_AT_ONCE);
	while (stmt_step(st) == STMT_ROW) {
		k->event_at = col_int(st, 0);
		(*out)[(*n)++] = (struct copy_event){
			.event = {.machine = col_text(st, 1),
				  .at = col_int(st, 2),
				  .key = col_text(st, 3),
				  .old_value = col_text(st, 4),
				  .new_value = col_text(st, 5),
				  .note = col_text(st, 6),
				  .created = col_int(st, 7)},
			.by = col_text(st, 8),
		};
	}
	return stmt_status(st);
}

SQL(copy_machines_rows, "SELECT name, description, state, expect_every, changed FROM machine"
			" ORDER BY name LIMIT $1")

int copy_machines(struct ctx *c, struct machine **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &copy_machines_rows);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, MACHINES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = (struct machine){
			.name = col_text(st, 0),
			.description = col_text(st, 1),
			.state = col_text(st, 2),
			.expect_every = col_null(st, 3) ? -1 : col_int(st, 3),
			.changed = col_int(st, 4),
		};
	}
	return stmt_status(st);
}
