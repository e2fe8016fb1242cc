/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in git's index something was measured. */
#ifndef DB_GIT_MEASURED_H
#define DB_GIT_MEASURED_H

#include "db/engine.h"

#define GIT_MEASURED_MAX 200000

/* Positions of commits with results in view, in any series, ascending; at most GIT_MEASURED_MAX,
 * the newest. */
int git_measured_positions(struct ctx *c, int64_t **out, size_t *n);

#endif
