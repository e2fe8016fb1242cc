/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fisher's exact test (1922): fails of runs, where few runs fail and few are made. Pure.
 */
#ifndef ANALYSIS_FISHER_H
#define ANALYSIS_FISHER_H

#include <stdint.h>

/* fails_a of runs_a failed before, fails_b of runs_b after; 0 <= fails <= runs, at most a million
 * runs a side. p of seeing so many fails after, or more, if nothing changed (more); so few or fewer
 * (fewer); anything at most as likely as what was seen (both). least_more and least_fewer are the
 * smallest p that so many fails in all could have given each way. NAN where the counts make no
 * sense. Relative error below 1e-12. */
struct fisher {
	double more, fewer, both;
	double least_more, least_fewer;
};
struct fisher fisher_exact(int64_t fails_a, int64_t runs_a, int64_t fails_b, int64_t runs_b);

#endif
