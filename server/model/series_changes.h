/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The change points and drifts of every metric of a series, on the line of the repository that
 * knows most of its commits. */
#ifndef MODEL_SERIES_CHANGES_H
#define MODEL_SERIES_CHANGES_H

#include "db/series.h"
#include "server/model/history_changes.h"

#define SERIES_CHANGES_VALUES ((size_t)8 << 20) /* of the newest commits; older are left out */

struct series_change {
	const struct metric *metric;
	enum metric_role role;
	bool drift;
	size_t from, to; /* commits: a step is at to, from is the one before; a drift is between */
	double before, after; /* levels */
	double change;        /* percent, of percentages points; NAN from 0 */
	enum verdict verdict; /* of a drift by the way it goes */
};

struct series_change_commit {
	const int64_t *rows; /* of all its names in the series */
	size_t nrows;
	const char *name, *subject; /* subject: NULL */
	int64_t date;               /* TIME_NONE */
};

struct series_changes {
	const char *line;                     /* the ref that orders the commits; NULL: no git */
	struct series_change_commit *commits; /* that were looked at, in order */
	size_t ncommits, left_out;            /* left_out: older ones that there was no room for */
	size_t metrics;                       /* looked at */
	struct series_change *changes; /* steps, then drifts; each newest first, then primary ones
					  first, then the larger */
	size_t n;
};

/* primary_only: of the test's own metrics. */
int series_changes_load(struct ctx *c, const struct series *s, bool primary_only,
			struct series_changes *out);

#endif
