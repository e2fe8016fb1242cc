/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the order of two samples tells, whatever their distribution: the exact test of Mann and
 * Whitney (1947) with ties, and the shift of Hodges and Lehmann (1963). Reported beside a verdict,
 * never deciding it. Pure; values are finite.
 */
#ifndef ANALYSIS_RANK_TESTS_H
#define ANALYSIS_RANK_TESTS_H

#include <stdbool.h>
#include <stddef.h>

/* Up to so many values in all the distribution is exact; more go by the normal approximation, which
 * then has three digits. */
#define MANN_WHITNEY_EXACT 60

struct mann_whitney {
	double u_a, u_b; /* pairs with a > b (b > a), a tie counts half; u_a + u_b = n_a n_b */
	bool exact;
	double p; /* two-sided: min(1, 2 min(tail)), exact or normal */
	/* Exact: of all ways to choose the ranks of a, those with a rank sum of at most, at least,
	 * and at least as far from its mean as that of a. Numbers up to 2^53 are whole. 0 if not
	 * exact. */
	double at_most, at_least, as_far, all;
	double p_normal; /* normal approximation, variance corrected for ties, continuity 1/2 */
	double p_normal_plain; /* without the continuity; NAN when all values are equal */
};
/* n_a, n_b >= 1, else all is NAN or 0. */
struct mann_whitney mann_whitney(const double *a, size_t na, const double *b, size_t nb);

/* The median of all differences b - a, and between which of them the shift lies with a confidence
 * of at least 1 - alpha, by the exact distribution without ties (up to MANN_WHITNEY_EXACT values,
 * then the normal one). Where so few values can tell nothing, low is -INFINITY and high INFINITY.
 * All NAN when a side is empty. Costs n log n, not n^2. */
struct shift {
	double median, low, high;
};
struct shift hodges_lehmann(const double *a, size_t na, const double *b, size_t nb, double alpha);

#endif
