/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a fix brought a metric back: "not changed" is no proof of that, since too few runs change
 * nothing. Two one-sided tests (Schuirmann 1987) turn the rule's own test round: the level must be
 * shown to lie within a margin of the old one. Pure.
 */
#ifndef ANALYSIS_EQUIVALENCE_H
#define ANALYSIS_EQUIVALENCE_H

#include <stdbool.h>

struct rule_row;

#define EQUIVALENCE_ALPHA 0.05 /* of each test, so that a 90 % interval shows both */
#define EQUIVALENCE_RUNS  3    /* with fewer on a side nothing is shown */

enum fix_state {
	FIX_UNTESTED, /* figures without samples, or no noise to hold them against */
	FIX_FEW,      /* may be within the margin, which so few runs (or one boot) cannot show */
	FIX_NOT,      /* outside of the margin */
	FIX_BEYOND,   /* outside, on the good side: shown to be better than the old level */
	FIX_DONE,     /* shown to be within */
};
struct fix_check {
	enum fix_state state;
	double margin; /* percent of the old level, or points: max(1, a third of what was lost) */
	double low, high; /* 90 % interval of the change from the old level, in the same; NAN where
			   * there is none */
	double p;         /* the larger of both tests; NAN where there is none */
};
const char *fix_state_name(enum fix_state s); /* "fixed", "not fixed", "better", "not told" */

/* lost: the change that was to be fixed, in percent or points, not 0. rule: what the rule made of
 * the fix against the base: its difference, standard error and degrees of freedom (the moderated
 * variance, and what commits differ by anyway, where that is known) are those of both tests; on the
 * logarithmic scale the margin m is from ln(1 - m) to ln(1 + m). NULL: there are no samples.
 * one_boot: all runs of a side came from one boot. */
struct fix_check fix_check(const struct rule_row *rule, double lost, bool one_boot);

#endif
