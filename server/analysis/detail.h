/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All numbers behind one verdict: what describes both sides, the tests that are reported beside it
 * without deciding, and what the rule went by, in the metric's own units. Pure.
 */
#ifndef ANALYSIS_DETAIL_H
#define ANALYSIS_DETAIL_H

#include "server/analysis/comparison.h"
#include "server/analysis/describe.h"
#include "server/analysis/fisher.h"
#include "server/analysis/rank_tests.h"
#include "server/analysis/rule.h"

#define DETAIL_ALPHA 0.05 /* of the shift's interval */

struct detail_side {
	struct description d;
	struct quartiles quartiles;
	double deviation; /* median absolute deviation */
	int64_t boots;    /* -1: not known */
};

struct detail {
	bool tested; /* samples on both sides: what follows up to g is known */
	bool points; /* percentages: what is in percent below is in points */
	struct detail_side base, now;
	struct t_test welch;
	struct mann_whitney ranks;
	struct shift shift; /* Hodges and Lehmann, in the metric's units */
	double hedges_g;
	struct fisher fisher; /* where fails are counted */

	/* by the rule; NAN where it did not test, or kept nothing */
	enum rule_scale scale;
	double run_noise; /* moderated stddev of runs, percent of the base's median */
	double level;     /* of the commits before, in the metric's units: with history alone */
	double between;   /* commits differ so many times as much as their runs explain (variance;
			   * R of the rule): with history alone */
	double error;     /* standard error of the deciding test, percent of the base's median */
	double t, df;     /* of it */
	double p_within;  /* against the base alone */
};

/* Of a cell that is judged against base. */
struct detail detail_of(const struct comparison_row *row, const struct cell *base,
			const struct cell *c);
/* "q", "runs" …: the gate that decided, for programs; and for people: "as much happens by chance
 * among so many metrics (q above 0.05)". NULL of a cell that the rule did not judge. */
const char *gate_name(const struct cell *c);
const char *gate_words(const struct cell *c);

#endif
