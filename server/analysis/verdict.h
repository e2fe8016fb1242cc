/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has every cell of a comparison judged, each against the column that is its base. Three kinds of
 * cells go three ways: samples on both sides are tested (rule.h), fails of runs are counted
 * (verdict_fails.c), and what came printed is taken at its word (verdict_reported.c).
 */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include "server/analysis/comparison.h"
#include "server/analysis/rule_version.h"

/* The newest version of the whole of it (rule_version.h names all). */
#define VERDICT_RULE "plumbline/2"

/* Fills change_*, p, q, cliff_delta, mde, history, verdict, reported and reason of each cell that
 * is present on both sides. Rows stand in the order of their metrics' ids. */
void verdict_judge(struct arena *a, enum rule_version rule, struct comparison *c,
		   const struct comparison_column *cols);

#endif
