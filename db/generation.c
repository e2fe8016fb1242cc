/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generation of the data: one row, raised by every transaction that writes, in that
 * transaction. So writes of other processes count too, and no two states of the data have the same
 * number. */
#include "db/tokens.h"

SQL(generation_read, "SELECT n FROM generation WHERE one = 1")
SQL(generation_raise, "UPDATE generation SET n = n + 1 WHERE one = 1")

int generation_get(struct ctx *c, int64_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &generation_read);

	*n = 0;
	int r = stmt_step(st);
	if (r == STMT_DONE)
		return fail(c, E_INTERNAL, "the database has no generation");
	if (r == STMT_ROW)
		*n = col_int(st, 0);
	return stmt_status(st);
}

int generation_bump(struct ctx *c)
{
	auto_stmt struct stmt *st = db_stmt(c, &generation_raise);

	return stmt_run(st);
}
