/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether what is stored agrees with itself: what no constraint of the schema can say. Reads
 * everything, slowly. */
#ifndef DB_CHECK_H
#define DB_CHECK_H

#include "db/engine.h"

#define CHECK_MOST 100 /* complaints of one kind; more are not looked for */

/* Calls say for each complaint; returns how many there were, or an error. */
int store_check(struct ctx *c, void (*say)(void *arg, const char *complaint), void *arg);

#endif
