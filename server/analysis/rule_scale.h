/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Step 1 of the rule: on which scale a metric is judged, and what its groups of runs come to there.
 * Pure.
 *
 *	percent   g = v                     percentages and profiles
 *	log       g = ln v                  all values > 0
 *	count     g = 2 sqrt(v + 3/8)       whole numbers >= 0 with zeros (Anscombe 1948)
 *	plain     g = v / S                 all else; S = median |v| of base and history, zeros left
 *out
 *
 * The scale is decided over all values of base, change and history together.
 */
#ifndef ANALYSIS_RULE_SCALE_H
#define ANALYSIS_RULE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

enum rule_scale { SCALE_LOG, SCALE_PERCENT, SCALE_COUNT, SCALE_PLAIN };
#define RULE_SCALES 4
const char *scale_name(enum rule_scale s); /* "log", "percent", "count", "plain" */

/* The runs of one metric on one commit, n >= 1 finite values in run order. What they come to on a
 * scale: the mean of g and the sum of squares about it. */
struct rule_group {
	const double *v;
	size_t n;
	bool positive, whole; /* all > 0; all whole numbers >= 0 */
	enum rule_scale own;  /* log if positive, count if whole, else plain */
	double mean, squares; /* on its own scale; not set if that is plain */
};

/* What a group comes to by itself: worth keeping where a commit is met again and again. */
void rule_group_fill(struct rule_group *g, const double *v, size_t n);

/* The scale that all n groups share. */
enum rule_scale scale_of(const struct rule_group *groups, size_t n, bool percent);
/* S of the plain scale, from the groups given; room has place for all their values. 1 where all are
 * 0. */
double scale_unit(const struct rule_group *groups, size_t n, double *room);
/* Mean of g and sum of squares about it on this scale; unit is S. Equal values have squares 0. */
void scale_moments(const struct rule_group *g, enum rule_scale s, double unit, double *mean,
		   double *squares);
/* A difference of g as a part of the value v that it starts from: percent gives points, the others
 * 0.01 for 1 %. g is a distance (>= 0), taken upwards. NAN from a v of 0. */
double scale_back(enum rule_scale s, double unit, double v, double g);
/* g of one value, -INFINITY below the scale; and the value that has this g. */
double scale_do(enum rule_scale s, double unit, double v);
double scale_undo(enum rule_scale s, double unit, double g);

#endif
