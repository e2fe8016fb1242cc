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
	int64_t last_upload;  /* TIME_NONE */
	int64_t expect_every; /* seconds between uploads, -1: nobody said */
	int64_t changed;      /* when this was told, TIME_NONE: nothing was */
};
/* Those that sent results and those that were only told of. */
int machine_list(struct ctx *c, struct machine **out, size_t *n);
int machine_get(struct ctx *c, const char *name, struct machine *out); /* E_NOTFOUND */
/* Results of a quarantined machine are shown and not judged. */
int machine_is_quarantined(struct ctx *c, const char *name, bool *is);
/* The last times at which one of its cells was filled for the last time, each once, newest first:
 * as good as its last uploads, without asking for every one of them. */
int machine_uploads(struct ctx *c, const char *name, size_t limit, int64_t **times, size_t *n);

bool machine_state_valid(const char *state);
/* What is told of a machine; what is not set stays. */
struct machine_change {
	bool sets_description, sets_every;
	const char *description; /* NULL: none any more */
	const char *state;       /* NULL: stays */
	int64_t expect_every;    /* -1: none any more */
};
/* Writer only. */
int machine_write(struct ctx *c, const char *name, const struct machine_change *change,
		  int64_t token_id, const char *who, int64_t now);

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
