/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines and tests as the store knows them: names from the axes, with what was uploaded when. */
#ifndef DB_MACHINES_H
#define DB_MACHINES_H

#include "db/engine.h"

struct machine {
	const char *name;        /* tbox_group */
	const char *description; /* NULL */
	const char *state;       /* "active", "quarantined", "retired" */
	int64_t series, runs;
	int64_t last_upload; /* TIME_NONE */
};
int machine_list(struct ctx *c, struct machine **out, size_t *n);
int machine_get(struct ctx *c, const char *name, struct machine *out); /* E_NOTFOUND */

struct testcase {
	const char *name;
	int64_t series, runs;
	int64_t last_upload;
};
int testcase_list(struct ctx *c, struct testcase **out, size_t *n);
int testcase_get(struct ctx *c, const char *name, struct testcase *out); /* E_NOTFOUND */

/* Sizes for /metrics and /status. */
struct store_counts {
	int64_t series, commits, runs, metrics, submissions, values_estimate;
};
int store_counts(struct ctx *c, struct store_counts *out);

#endif
