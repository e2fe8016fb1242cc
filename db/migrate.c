/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migrations: numbered from 1 without a gap, in order, each in a transaction with its number, so
 * that a crash leaves the database between two of them and never inside one. Two processes may
 * start at once: the number is read again once the write lock is held.
 */
#include "db/migrate.h"

#include <assert.h>

#include "db/embedded.h"
#include "db/engine.h"
#include "db/rule_setting.h"
#include "server/base/log.h"

int db_migrate_newest(void)
{
	return migration_count ? migrations[migration_count - 1].number : 0;
}

static int check_version(struct ctx *c, int version)
{
	if (version > db_migrate_newest())
		return fail(c, E_INTERNAL,
			    "the database is of schema %d, this program knows %d: "
			    "use the program that made it, or a newer one",
			    version, db_migrate_newest());
	return E_OK;
}

/* In a transaction. *applied is false when another process was faster. */
static int apply(struct ctx *c, const struct embedded_sql *m, bool *applied)
{
	int version, e;

	if ((e = db_version(c, &version)) < 0 || (e = check_version(c, version)) < 0)
		return e;
	*applied = version < m->number;
	if (!*applied)
		return E_OK;
	if ((e = db_exec(c, m->text)) < 0)
		return e;
	return db_set_version(c, m->number);
}

static int migrate_one(struct ctx *c, const struct embedded_sql *m)
{
	bool applied = false;
	int e = db_begin_write(c);

	if (e < 0)
		return e;
	if ((e = apply(c, m, &applied)) < 0)
		db_rollback(c);
	else
		e = db_commit(c);
	if (e == E_OK && applied)
		log_msg(LOG_INFO, "migrate", "%s", m->name);
	return e;
}

int db_migrate(struct ctx *c)
{
	int version;
	int e = db_version(c, &version);

	if (e < 0 || (e = check_version(c, version)) < 0)
		return e;
	for (size_t i = 0; i < migration_count; i++) {
		assert(migrations[i].number == (int)i + 1);
		if (migrations[i].number > version && (e = migrate_one(c, &migrations[i])) < 0)
			return e;
	}
	return rule_settle(c);
}

int db_open_migrated(struct ctx *c, const char *path, struct db **out)
{
	struct db *before = c->db;
	int e = db_open(c, path, DB_WRITE, out);

	if (e < 0)
		return e;
	c->db = *out;
	e = db_migrate(c);
	c->db = before;
	if (e < 0) {
		db_close(*out);
		*out = NULL;
	}
	return e;
}
