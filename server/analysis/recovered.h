/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a change another kernel takes back: the change of the first against its base is
 * b, that of the other against its own is a, and the share recovered is 1 - a/b. "-2.9 % of -21.8
 * %: 87 % recovered". Pure.
 */
#ifndef ANALYSIS_RECOVERED_H
#define ANALYSIS_RECOVERED_H

#include <stdbool.h>
#include <stddef.h>

/* Samples of one kernel. Below two, or with a stddev that is not known, there is no interval. */
struct recovered_side {
	double mean, stddev; /* sample, n-1 */
	long long n;
};

struct recovered {
	double share;     /* 1: all, 0: nothing, negative: it got worse; NAN: b is 0 or not known */
	double low, high; /* 95 % interval of it; NAN: there is none */
};

/* Changes are differences of means when points, else relative to the base's mean (means must not be
 * 0 then). base and now_base may be the same samples (same pointer), which the interval takes into
 * account.
 *
 * The interval is Fieller's (1954) for the ratio R = a/b of two estimates that are about normal:
 * all R with (a - R b)^2 <= t^2 (va - 2 R cov + R^2 vb), t the 97.5 % quantile of Student's t with
 * Welch-Satterthwaite degrees of freedom of a - R b at the estimate. With a common base a relative
 * change has the same ratio as the difference, so a = now - base, b = first - base and cov is the
 * variance of the base's mean; else cov is 0 and variances of relative changes come from the delta
 * method. None when b itself does not differ from 0 at that level: the share could be anything. */
struct recovered recovered_share(const struct recovered_side *base,
				 const struct recovered_side *first,
				 const struct recovered_side *now_base,
				 const struct recovered_side *now, bool points);
/* From two changes that are all that is known, in percent or points: no interval. */
struct recovered recovered_from_changes(double first, double now);

#endif
