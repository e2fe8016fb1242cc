/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings a database to this program's schema: migrations/<engine>/NNNN_name.sql, embedded in the
 * binary, each in a transaction of its own. Only forward; a newer database is refused. */
#ifndef DB_MIGRATE_H
#define DB_MIGRATE_H

#include "server/base/err.h"

/* c->db is a writer. E_INTERNAL with a text when the database is newer than the program or is not
 * ours. */
int db_migrate(struct ctx *c);
/* Number of the newest migration in this program. */
int db_migrate_newest(void);
/* Opens path as writer and migrates it: what commands do first. The caller closes *out. */
int db_open_migrated(struct ctx *c, const char *path, struct db **out);

#endif
