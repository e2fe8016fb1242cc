/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule that decides whether a metric changed between two commits. It borrows strength across
 * the metrics of one comparison (moderation.h), learns the noise between commits from those before
 * the base, controls the share of false discoveries (Benjamini and Hochberg 1995) among the metrics
 * of one role, and asks for a practical size. Pure.
 *
 * Base x, change y, history h_1 … h_K: the commits before the base, nearest last.
 *
 *	scale     rule_scale.h
 *	within    s2 = pooled variance of g within the commits, d degrees of freedom
 *	post      s2 moderated over all metrics of one scale; d0 degrees of freedom more
 *	level     K >= 6: median of the last five means, base included
 *	between   K >= 6: how much more commits differ than runs do (rule_level.c)
 *	test      Student's t of y's mean against the level (K < 6: against the base)
 *	q         over all metrics of one role
 *	size      |Cliff's delta|, and the change of the medians
 *
 *	struct rule_row *rows = …;                             one a metric
 *	rule_row_take(&rows[i], &input, room);                 step 1, 2, and the history of 4
 *	rule_test(a, rows, n, prior);                          step 3 to 6
 *	gate = rule_decide(&rows[i], boots, &is_suspect);      step 7 and 8
 */
#ifndef ANALYSIS_RULE_H
#define ANALYSIS_RULE_H

#include "server/analysis/moderation.h"
#include "server/analysis/rule_scale.h"

struct arena;

#define RULE_Q           0.05
#define RULE_HISTORY_MAX 20   /* commits before the base that count */
#define RULE_HISTORY_MIN 6    /* from here the noise between commits is known */
#define RULE_GUARD       0.01 /* and p of y against the base itself must be so small */
#define RULE_DELTA       0.6  /* Cliff's delta; 1 where a side has fewer than … */
#define RULE_DELTA_RUNS  4    /* … so many runs */
#define RULE_SIZE        0.01 /* of the base's median */
#define RULE_POINTS      1.0  /* percentages, and changes in percent */
#define RULE_SLACK       1e-12
#define RULE_ROLES       3

struct rule_input {
	bool percent;
	int role;                         /* below RULE_ROLES */
	const struct rule_group *groups;  /* the history, nearest last, without those that do not
					   * have the metric; then x, then y; all with n >= 1 */
	size_t nhistory;                  /* at most RULE_HISTORY_MAX */
	double median_x, median_y, delta; /* Cliff's, of y against x */
	double threshold; /* the metric's own smallest change, a part of 1 or points; 0: none */
	double floor;     /* from a base of 0, the smallest value that counts; 0: none stored */
};

enum rule_untested { RULE_TESTED, RULE_NO_REPEATS, RULE_NO_NOISE, RULE_OUT_OF_RANGE };

struct rule_row {
	bool lent; /* set behind rule_row_take: it tells of the noise, and is not tested itself */

	/* by rule_row_take */
	enum rule_scale scale;
	int role;
	size_t nx, ny, nhistory;
	double unit;           /* S */
	double mean_x, mean_y; /* of g */
	double d, s2;
	double level;     /* of g: median of the last five, base included, whatever K */
	double p_between; /* P: robust variance of what commits do; NAN below RULE_HISTORY_MIN */
	double u_level;   /* mean 1/n of the groups of the level */
	double median_x, median_y, delta, threshold, floor; /* as handed in */
	double size; /* of the medians: points, or a part of the base; ±INFINITY from 0 */

	/* by rule_test */
	enum rule_untested untested; /* then p is 1 */
	double post, df_within;
	double ratio, ratio_moderated; /* r and R; NAN without history */
	double variance, t, df;        /* of the deciding test; variance is w, or W + E */
	double p, p_within, q;
	bool guard; /* y left the base as it left the level; true without history */
	double mde; /* smallest change that would have been found in 4 of 5 cases: points, or a part
		     * of the base; NAN: not known */
};

/* room: place for all values of base and history, used for the plain scale alone. */
void rule_row_take(struct rule_row *r, const struct rule_input *in, double *room);

/* What was usual among the metrics of one scale. */
struct rule_prior {
	struct prior within, between; /* d0, s0^2; nu0, r0 */
	double floor;                 /* of s2; NAN: no metric had noise */
};
void rule_test(struct arena *a, struct rule_row *rows, size_t n,
	       struct rule_prior prior[RULE_SCALES]);

/* The gate that a metric did not pass, the first of them; RULE_CHANGED: it passed all. suspect: it
 * is worth more runs. one_boot: all runs of a side came from one boot of the machine, so that they
 * tell little of the next boot. */
enum rule_gate {
	RULE_CHANGED,
	RULE_GATE_SIZE,     /* moved too little */
	RULE_GATE_ZERO,     /* from 0 to something below what counts */
	RULE_GATE_UNTESTED, /* there is no noise to hold it against */
	RULE_GATE_P,        /* as much happens by chance */
	RULE_GATE_DELTA,    /* the runs of both sides overlap too much */
	RULE_GATE_Q,        /* rare, but not among so many metrics */
	RULE_GATE_LEVEL,    /* it is the base that stood apart from the commits before it */
	RULE_GATE_OWN,      /* less than the metric's own threshold */
	RULE_GATE_RUNS,     /* too few runs */
	RULE_GATE_BOOT,
};
enum rule_gate rule_decide(const struct rule_row *r, bool one_boot, bool *suspect);

#endif
