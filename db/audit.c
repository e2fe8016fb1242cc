/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit: who wrote what and when. Rows are only ever added, in the transaction of the write
 * they tell of, so that neither can be there without the other. Reading it is left to the
 * operators' SQL. */
#include "db/tokens.h"

SQL(audit_insert, "INSERT INTO audit (at, token_id, who, action, object, detail)"
		  " VALUES ($1, $2, $3, $4, $5, $6)")

int audit_add(struct ctx *c, int64_t at, int64_t token_id, const char *who, const char *action,
	      const char *object, const char *detail)
{
	auto_stmt struct stmt *st = db_stmt(c, &audit_insert);

	bind_int(st, 1, at);
	if (token_id > 0)
		bind_int(st, 2, token_id);
	else
		bind_null(st, 2); /* the command line */
	bind_text(st, 3, who);
	bind_text(st, 4, action);
	bind_text(st, 5, object);
	bind_text(st, 6, detail);
	return stmt_run(st);
}
