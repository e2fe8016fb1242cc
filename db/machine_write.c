/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an administrator tells of a machine: its row is made at the first word and changed in parts
 * after. A machine may be told of before it sends anything. */
#include "db/machines.h"

#include "db/tokens.h"
#include "server/base/arena.h"

bool machine_state_valid(const char *state)
{
	return !strcmp(state, "active") || !strcmp(state, "quarantined") ||
	       !strcmp(state, "retired");
}

SQL(machine_known, "SELECT description, state, expect_every FROM machine WHERE name = $1")
SQL(machine_set, "INSERT INTO machine (name, description, state, expect_every, changed)"
		 " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO UPDATE SET"
		 " description = excluded.description, state = excluded.state,"
		 " expect_every = excluded.expect_every, changed = excluded.changed")

/* What was changed, in words, for the audit. */
static const char *describe(struct arena *a, const struct machine_change *k)
{
	const char *text = "";

	if (k->state)
		text = arena_fmt(a, "state %s", k->state);
	if (k->sets_every)
		text = arena_fmt(a, "%s%sexpect_every %s", text, *text ? ", " : "",
				 k->expect_every < 0
					 ? "none"
					 : arena_fmt(a, "%lld s", (long long)k->expect_every));
	if (k->sets_description)
		text = arena_fmt(a, "%s%sdescription \"%s\"", text, *text ? ", " : "",
				 k->description ? k->description : "");
	return text;
}

int machine_write(struct ctx *c, const char *name, const struct machine_change *k, int64_t token_id,
		  const char *who, int64_t now)
{
	auto_stmt struct stmt *old = db_stmt(c, &machine_known);
	auto_stmt struct stmt *st = db_stmt(c, &machine_set);
	const char *description = k->description, *state = k->state ? k->state : "active";
	int64_t every = k->sets_every ? k->expect_every : -1;

	bind_text(old, 1, name);
	if (stmt_step(old) == STMT_ROW) {
		if (!k->sets_description)
			description = col_text(old, 0);
		if (!k->state)
			state = col_text(old, 1);
		if (!k->sets_every && !col_null(old, 2))
			every = col_int(old, 2);
	}
	if (stmt_status(old) < 0)
		return stmt_status(old);
	bind_text(st, 1, name);
	bind_text(st, 2, description);
	bind_text(st, 3, state);
	if (every < 0)
		bind_null(st, 4);
	else
		bind_int(st, 4, every);
	bind_int(st, 5, now);
	int e = stmt_run(st);
	return e < 0 ? e : audit_add(c, now, token_id, who, "machine", name, describe(c->arena, k));
}
