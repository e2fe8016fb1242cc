/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files of the check share; for nobody else. */
#ifndef DB_CHECK_WALK_H
#define DB_CHECK_WALK_H

#include "db/check.h"

struct checking {
	struct ctx *c;
	void (*say)(void *arg, const char *complaint);
	void *arg;
	int n;
};

void complain(struct checking *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Unpacks everything once, and holds digests against what they name. E_OK or an error. */
int check_walks(struct checking *k);

#endif
