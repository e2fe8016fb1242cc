/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that fell silent: their last upload is longer ago than what is expected of them. An
 * administrator says how often a machine uploads; without that, five times the median gap between
 * its last 20 uploads is waited for, at least two days. Quarantined and retired machines are not
 * waited for.
 */
#ifndef MODEL_SILENCE_H
#define MODEL_SILENCE_H

#include "db/machines.h"

struct silence {
	int64_t expected_by; /* when the next upload is due at the latest; TIME_NONE: never */
	bool silent;
};
int silence_of(struct ctx *c, const struct machine *m, int64_t now, struct silence *out);
/* The same of all in a list; *out has n entries. */
int silence_of_all(struct ctx *c, const struct machine *list, size_t n, int64_t now,
		   struct silence **out);
/* Pure: how long to wait by the times of uploads, newest first. */
int64_t silence_wait(struct arena *a, const int64_t *times, size_t n);

#endif
