/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which version of the rule judges this database: the setting "rule". A new database has the newest
 * of the program that made it; one that has results and no such setting was judged by the first
 * rule there was, and stays under it until an operator puts another one in force.
 */
#ifndef DB_RULE_SETTING_H
#define DB_RULE_SETTING_H

#include "db/engine.h"
#include "server/analysis/rule_version.h"

/* E_INTERNAL: it is under a rule that this program does not have. */
int rule_in_force(struct ctx *c, enum rule_version *out);
/* Outside of a transaction, on a connection that writes: says which rule it is where nobody has. */
int rule_settle(struct ctx *c);
/* Inside a write transaction: puts it in force, with a row of the audit. */
int rule_put_in_force(struct ctx *c, enum rule_version v, int64_t token_id, const char *who,
		      int64_t now);

#endif
