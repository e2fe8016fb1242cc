/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about this database, by name: what must be the same for every process that works on it, and
 * so stands in it rather than in a configuration. */
#ifndef DB_SETTINGS_H
#define DB_SETTINGS_H

#include "db/engine.h"

/* *value lives in the arena; NULL: it was never set. */
int setting_get(struct ctx *c, const char *name, const char **value);
int setting_get_int(struct ctx *c, const char *name, int64_t *value); /* 0: never set */
/* Inside a write transaction. */
int setting_set(struct ctx *c, const char *name, const char *value);

#endif
