/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of a quarantined machine are taken and shown, with all their figures, and are not judged:
 * what would be a regression, an improvement, a change or a failure is "suspect", with a reason
 * that says so. Everything that shows verdicts of a series asks here after it compared.
 */
#ifndef MODEL_QUARANTINE_H
#define MODEL_QUARANTINE_H

#include "db/machines.h"
#include "server/analysis/comparison.h"

/* Holds the verdicts of a column back when the machine is quarantined: it, or what it is held
 * against, was measured there. Sets *which to the machine then, else leaves it. */
int quarantine_hold(struct ctx *c, const char *machine, struct comparison *cmp, size_t col,
		    const char **which);

#endif
