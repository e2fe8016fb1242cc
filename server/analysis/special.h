/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Special functions that the statistics need and libm does not have. Pure, no state (lgamma() has
 * one), relative error below 1e-12 where nothing else is said. Arguments outside of the domain give
 * NAN.
 */
#ifndef ANALYSIS_SPECIAL_H
#define ANALYSIS_SPECIAL_H

/* Derivatives of ln gamma(x) for x > 0: the first, the second, the third. By the recurrence to
 * x >= 12 and the asymptotic series there (Abramowitz and Stegun 6.3.18, 6.4.12, 6.4.13). Near its
 * zero at 1.4616 digamma has an absolute error of 1e-15. */
double digamma(double x);
double trigamma(double x);
double tetragamma(double x);
/* y with trigamma(y) = v, for v > 0, by Newton's method on 1 / trigamma (Smyth 2004, appendix). */
double trigamma_inverse(double v);

/* gamma(a + 1/2) / gamma(a) for a > 0. */
double gamma_ratio(double a);

/* P(Z > z) of a standard normal Z, and z with P(Z <= z) = p. */
double normal_tail(double z);
double normal_quantile(double p);

/* t with P(T <= t) = p for Student's T with df > 0 degrees of freedom, which may be INFINITY: from
 * Hill's approximation (1970, algorithm 396) by Newton's method. ±INFINITY at 0 and 1. */
double student_t_quantile(double p, double df);

#endif
