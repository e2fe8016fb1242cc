/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the rule, step 4: what the means of the commits before tell. Pure. */
#ifndef ANALYSIS_RULE_LEVEL_H
#define ANALYSIS_RULE_LEVEL_H

#include <stddef.h>

/* Variance of the median of N normal values of variance 1, N = 1 to 5. */
extern const double level_variance[6];

struct rule_level {
	double level;     /* median of the last five means */
	double u;         /* mean 1/n of these five */
	double p_between; /* (1.4826 median |e_k|)^2; NAN when there are fewer than 4 means */
};
/* m: means of g, oldest first, the base last; u: 1/n of each. n from 1 to RULE_HISTORY_MAX + 1. */
struct rule_level rule_level_of(const double *m, const double *u, size_t n);

#endif
