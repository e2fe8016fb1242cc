/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the database: a row each, asked for by its key. */
#include "db/settings.h"

#include <stdlib.h>

SQL(setting_read, "SELECT value FROM setting WHERE name = $1")
SQL(setting_write, "INSERT INTO setting (name, value) VALUES ($1, $2)"
		   " ON CONFLICT (name) DO UPDATE SET value = excluded.value")

int setting_get(struct ctx *c, const char *name, const char **value)
{
	auto_stmt struct stmt *st = db_stmt(c, &setting_read);

	*value = NULL;
	bind_text(st, 1, name);
	if (stmt_step(st) == STMT_ROW)
		*value = col_text(st, 0);
	return stmt_status(st);
}

int setting_get_int(struct ctx *c, const char *name, int64_t *value)
{
	auto_stmt struct stmt *st = db_stmt(c, &setting_read);

	*value = 0;
	bind_text(st, 1, name);
	if (stmt_step(st) == STMT_ROW)
		*value = strtoll(col_text_peek(st, 0), NULL, 10);
	return stmt_status(st);
}

int setting_set(struct ctx *c, const char *name, const char *value)
{
	auto_stmt struct stmt *st = db_stmt(c, &setting_write);

	bind_text(st, 1, name);
	bind_text(st, 2, value);
	return stmt_run(st);
}
