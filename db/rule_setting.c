/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule in force, by name. */
#include "db/rule_setting.h"

#include "db/settings.h"
#include "db/tokens.h"
#include "server/base/arena.h"

#define SETTING "rule"

SQL(rule_has_results, "SELECT 1 FROM submission WHERE submission_id > 0 LIMIT 1")

/* What a database is under that does not say so. */
static int unsaid(struct ctx *c, enum rule_version *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &rule_has_results);

	*out = stmt_step(st) == STMT_ROW ? RULE_WELCH_LOG_BH_1 : RULE_NEWEST;
	return stmt_status(st);
}

int rule_in_force(struct ctx *c, enum rule_version *out)
{
	const char *name;
	int e = setting_get(c, SETTING, &name);

	*out = RULE_NEWEST;
	if (e < 0)
		return e;
	if (!name)
		return unsaid(c, out);
	if (!rule_version_find(name, out))
		return fail(c, E_INTERNAL,
			    "the database is judged by the rule \"%.60s\", which this program does "
			    "not have",
			    name);
	return E_OK;
}

/* In a transaction; another process may have been faster. */
static int settle(struct ctx *c)
{
	enum rule_version v;
	const char *name;
	int e = setting_get(c, SETTING, &name);

	if (e < 0 || name)
		return e;
	e = unsaid(c, &v);
	return e < 0 ? e : setting_set(c, SETTING, rule_version_name(v));
}

int rule_settle(struct ctx *c)
{
	const char *name;
	int e = setting_get(c, SETTING, &name);

	if (e < 0 || name || (e = db_begin_write(c)) < 0)
		return e;
	e = settle(c);
	if (e >= 0)
		return db_commit(c);
	db_rollback(c);
	return e;
}

int rule_put_in_force(struct ctx *c, enum rule_version v, int64_t token_id, const char *who,
		      int64_t now)
{
	const char *before; /* perhaps one that this program does not have */
	int e = setting_get(c, SETTING, &before);

	if (e >= 0)
		e = setting_set(c, SETTING, rule_version_name(v));
	if (e < 0)
		return e;
	return audit_add(c, now, token_id, who, "rule", rule_version_name(v),
			 arena_fmt(c->arena, "before: %s", before ? before : "not said"));
}
