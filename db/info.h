/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of runs without splitting their series: sorted pairs, kept as a JSON object that
 * equal runs share. */
#ifndef DB_INFO_H
#define DB_INFO_H

#include "db/engine.h"
#include "db/submission.h"

/* Pairs of a stored row, sorted by name. E_INTERNAL when it is not there or damaged. */
int info_get(struct ctx *c, int64_t info_id, const struct pair **out, size_t *n);
/* Writer only: finds or creates; -1 for no pairs. */
int info_ensure(struct ctx *c, const struct pair *info, size_t n, int64_t *info_id);

#endif
