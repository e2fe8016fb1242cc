/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps 7 and 8: which gate a metric did not pass. What is too small or too common to be worth a
 * second look is the same; the others are suspect until all gates are passed.
 */
#include "server/analysis/rule.h"

#include <math.h>

static bool reaches(double size, double gate)
{
	return fabs(size) >= gate * (1 - RULE_SLACK);
}

static double smallest(const struct rule_row *r)
{
	return r->scale == SCALE_PERCENT ? RULE_POINTS : RULE_SIZE;
}

static bool from_zero(const struct rule_row *r)
{
	return r->scale != SCALE_PERCENT && r->median_x == 0;
}

/* From a base of 0 there is no percentage: the value must be one that counts. */
static bool counts_from_zero(const struct rule_row *r)
{
	double floor = r->floor;

	if (!(floor > 0) && r->scale == SCALE_COUNT)
		floor = 1;
	return floor > 0 && reaches(r->median_y, floor);
}

enum rule_gate rule_decide(const struct rule_row *r, bool one_boot, bool *suspect)
{
	size_t least = r->nx < r->ny ? r->nx : r->ny;
	double delta = least < RULE_DELTA_RUNS ? 1 : RULE_DELTA;

	*suspect = false;
	if (!reaches(r->size, smallest(r)))
		return RULE_GATE_SIZE;
	if (r->untested != RULE_TESTED)
		return RULE_GATE_UNTESTED;
	if (!(fmin(r->p, r->p_within) <= RULE_Q))
		return RULE_GATE_P;
	if (!reaches(r->delta, RULE_DELTA))
		return RULE_GATE_DELTA;
	*suspect = true;
	if (!(r->q <= RULE_Q))
		return RULE_GATE_Q;
	if (!r->guard)
		return RULE_GATE_LEVEL;
	if (!reaches(r->delta, delta))
		return RULE_GATE_DELTA;
	if (from_zero(r) && !counts_from_zero(r))
		return RULE_GATE_ZERO;
	if (!from_zero(r) && !reaches(r->size, r->threshold))
		return RULE_GATE_OWN;
	if (least < 3 || (least == 3 && r->nhistory < RULE_HISTORY_MIN))
		return RULE_GATE_RUNS;
	if (one_boot)
		return RULE_GATE_BOOT;
	*suspect = false;
	return RULE_CHANGED;
}
