/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentence behind a verdict. verdict.c decides and says which gate decided; this only words it.
 */
#ifndef ANALYSIS_REASON_H
#define ANALYSIS_REASON_H

#include "server/analysis/comparison.h"

enum gate {
	GATE_NONE,    /* all were passed: it changed */
	GATE_SIZE,    /* moved too little */
	GATE_ONE_RUN, /* a side has one run alone: nothing to test */
	GATE_P,       /* p is too large already before the adjustment */
	GATE_Q,       /* p is small, but not among so many metrics */
	GATE_RUNS,    /* p is small, but of too few runs */
	GATE_FAILS,   /* functional: moved by one fail */
	GATE_UNKNOWN, /* printed without what is needed to say anything */
};

/* Judged from samples; tests: how many metrics of the role were tested along with it. */
const char *reason_judged(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  const struct cell *c, enum gate gate, size_t tests);
/* A functional row: fails of runs on both sides. */
const char *reason_functional(struct arena *a, const struct comparison_row *r,
			      const struct cell *base, const struct cell *c, enum gate gate);
/* Came printed, or as a summary without samples. change: what was gone by; points: a difference. */
const char *reason_reported(struct arena *a, const struct comparison_row *r, const struct cell *c,
			    enum gate gate, double change, bool points);

#endif
