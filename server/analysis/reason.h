/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentences behind verdicts. verdict*.c decide and say which gate decided; these only word it,
 * with the numbers that it follows from. All live in the arena. */
#ifndef ANALYSIS_REASON_H
#define ANALYSIS_REASON_H

#include "server/analysis/comparison.h"
#include "server/analysis/rule.h"
#include "server/analysis/rule_shape.h"

/* A cell that the rule judged from samples. */
struct judged {
	const struct comparison_row *row;
	const struct cell *base, *cell;
	const struct rule_row *rule;
	enum rule_gate gate;
	bool suspect;
	enum rule_shape shape;
	size_t tests; /* metrics of its role that were tested along with it */
};
const char *reason_judged(struct arena *a, const struct judged *j);

/* A row that counts fails: bad are runs that failed, or did not pass; died: left out, since they
 * ended of something else. */
struct fail_counts {
	int64_t bad, runs, died;
};
enum fails_gate {
	FAILS_CHANGED,
	FAILS_SAME,
	FAILS_Q,   /* rare, but not among so many metrics */
	FAILS_ONE, /* a single bad run */
	FAILS_FEW, /* several for the first time, but that may be chance */
	FAILS_BOOT,
};
struct fails_judged {
	const struct comparison_row *row;
	struct fail_counts base, now;
	bool worse; /* or as bad */
	enum fails_gate gate;
};
const char *reason_fails(struct arena *a, const struct fails_judged *f, const struct cell *c);

enum reported_gate { REPORTED_CHANGED, REPORTED_SIZE, REPORTED_FEW, REPORTED_UNKNOWN };
/* Printed counts of fails on both sides. */
const char *reason_counts(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  const struct cell *c, enum reported_gate gate);
/* Came printed, or as a summary without samples. change: what was gone by; points: a difference. */
const char *reason_reported(struct arena *a, const struct comparison_row *r, const struct cell *c,
			    enum reported_gate gate, double change, bool points);

#endif
