/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the rule: the smallest change that it would have found. Pure. */
#ifndef ANALYSIS_RULE_MDE_H
#define ANALYSIS_RULE_MDE_H

#include "server/analysis/rule.h"

/* Fills mde of the tested rows of one role: (t_{df,1-alpha/2} + t_{df,.8}) times the standard error
 * of the test, on the scale of the metric, then as points or as a part of the base. A change of
 * this size is found in 4 of 5 cases. alpha: what a single p may be for its q to pass. Good to
 * 1e-6. */
void rule_mde_fill(struct rule_row *rows, size_t n, int role, double alpha);

#endif
