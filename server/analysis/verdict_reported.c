/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came printed has no samples to test. Its verdict is what the printed change and the
 * direction give; counts of fails are exact, printed or not, so that a difference of two of them
 * counts.
 */
#include "server/analysis/verdict_ways.h"

#include <math.h>

#include "server/analysis/reason.h"
#include "server/analysis/rule.h"

#define FAILS_MIN 2.0

static bool reaches(double size, double gate)
{
	return fabs(size) >= gate * (1 - RULE_SLACK);
}

/* Fails of runs. With unequal numbers of runs the difference is counted in runs of the shorter
 * side: 2 of 10 against 3 of 6 differ by 1.8 fails. */
void verdict_judge_counts(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  struct cell *c)
{
	double runs = (double)(base->runs < c->runs ? base->runs : c->runs);
	double moved = c->reproduction_pct / 100 * runs;
	bool first = !base->fails != !c->fails;
	enum reported_gate gate = REPORTED_CHANGED;

	if (reaches(moved, FAILS_MIN)) {
		c->verdict = verdict_by_direction(r, moved > 0);
	} else if (reaches(moved, 1) || first) {
		gate = REPORTED_FEW;
		c->verdict = VERDICT_SUSPECT;
	} else {
		gate = REPORTED_SIZE;
		c->verdict = VERDICT_SAME;
	}
	c->reason = reason_counts(a, r, base, c, gate);
}

void verdict_judge_reported(struct arena *a, const struct comparison_row *r,
			    const struct cell *base, struct cell *c)
{
	bool points = r->metric->facts.kind == KIND_PERCENT;
	double change = points ? c->change_abs : c->change_pct;
	bool known = !isnan(c->change_abs), up = c->change_abs > 0;
	enum reported_gate gate = REPORTED_CHANGED;

	c->reported = true;
	if (!c->show_printed && !isnan(c->reproduction_pct)) {
		verdict_judge_counts(a, r, base, c);
		return;
	}
	if (base->fails >= 0 || c->fails >= 0)
		known = false; /* of how many runs is not known */
	if (c->show_printed) {
		points = c->summary->printed != PRINTED_PCT;
		change = c->summary->printed_change;
		known = true;
		/* Percent of a negative base: what grows in percent falls. */
		up = (change > 0) != (!points && base->mean < 0);
	}
	if (!known) {
		gate = REPORTED_UNKNOWN;
		c->verdict = VERDICT_NO_DATA;
	} else if (!isnan(change) && !reaches(change, RULE_POINTS)) {
		gate = REPORTED_SIZE;
		c->verdict = VERDICT_SAME;
	} else {
		c->verdict = verdict_by_direction(r, up);
	}
	c->reason = reason_reported(a, r, c, gate, change, points);
}
