/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader of a verdict should know of a metric's samples besides: that they fall into two
 * groups, or that they drift. It changes no verdict. Pure.
 */
#ifndef ANALYSIS_RULE_SHAPE_H
#define ANALYSIS_RULE_SHAPE_H

#include "server/analysis/rule_scale.h"

enum rule_shape { SHAPE_PLAIN, SHAPE_TWO_GROUPS, SHAPE_DRIFT_RUNS, SHAPE_DRIFT_COMMITS };

/* groups: the history, nearest last, then x, then y, as the rule takes them.
 *
 * Two groups: the sorted values of x, or of y, with at least 6 of them, have a gap between the
 * second and the last but one that is 6 times (8 values: 3 times, 10: twice) as wide as either part
 * beside it, at least 1 % of the value below it, and more than 1 where all values are whole
 * numbers. Of normal samples one in a thousand looks like that (by simulation).
 *
 * Drift: Mann and Kendall's test for a trend (Mann 1945, Kendall 1975), |Z| >= 3.29 (p .001): from
 * run to run over the runs of x and y together, each in its own order; else from commit to commit
 * over the means of history and base, where there are at least 8. */
enum rule_shape rule_shape_of(const struct rule_group *groups, size_t nhistory);

#endif
