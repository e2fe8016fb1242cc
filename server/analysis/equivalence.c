/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The equivalence test of a fix. The rule has all that it needs: how far the fix's mean lies from
 * the old level on the metric's scale, how sure that is, and how to get back to percent.
 */
#include "server/analysis/equivalence.h"

#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/rule.h"
#include "server/analysis/special.h"

#define LEAST    1.0 /* percent, or points */
#define ROUNDING 1e-9

const char *fix_state_name(enum fix_state s)
{
	static const char *const names[] = {
		[FIX_UNTESTED] = "not told", [FIX_FEW] = "not told", [FIX_NOT] = "not fixed",
		[FIX_BEYOND] = "better",     [FIX_DONE] = "fixed",
	};

	return names[s];
}

/* A change of g from the old level in percent of it, or in points. */
static double change_back(const struct rule_row *r, double old, double difference)
{
	double moved =
		scale_undo(r->scale, r->unit, scale_do(r->scale, r->unit, old) + difference) - old;

	return r->scale == SCALE_PERCENT ? moved : moved / fabs(old) * 100;
}

/* One-sided: that t, or more, comes up by chance. */
static double tail_above(double t, double df)
{
	double both = student_t_two_sided(t, df);

	return t > 0 ? both / 2 : 1 - both / 2;
}

struct fix_check fix_check(const struct rule_row *r, double lost, bool one_boot)
{
	struct fix_check out = {FIX_UNTESTED, fmax(LEAST, fabs(lost) / 3), NAN, NAN, NAN};
	double old, from, se, below, above, reach;

	if (!r || r->untested != RULE_TESTED)
		return out;
	from = r->nhistory < RULE_HISTORY_MIN ? r->mean_x : r->level;
	old = scale_undo(r->scale, r->unit, from);
	if (r->scale == SCALE_COUNT && old < ROUNDING)
		old = 0; /* what the square root of 3/8 left over */
	if (r->scale != SCALE_PERCENT && old == 0)
		return out;
	se = sqrt(r->variance);
	reach = r->scale == SCALE_PERCENT ? out.margin : fabs(old) * out.margin / 100;
	below = scale_do(r->scale, r->unit, old - reach) - from;
	above = scale_do(r->scale, r->unit, old + reach) - from;
	/* Where the scale is a curve, a part of the old level is another distance up than down. */
	out.p = fmax(tail_above((r->mean_y - from - below) / se, r->df),
		     tail_above((above - (r->mean_y - from)) / se, r->df));
	reach = student_t_quantile(1 - EQUIVALENCE_ALPHA, r->df) * se;
	out.low = change_back(r, old, r->mean_y - from - reach);
	out.high = change_back(r, old, r->mean_y - from + reach);
	if (fmax(r->mean_y - from - above, below - (r->mean_y - from)) > 0)
		out.state = FIX_NOT;
	else if (out.p <= EQUIVALENCE_ALPHA && r->nx >= EQUIVALENCE_RUNS &&
		 r->ny >= EQUIVALENCE_RUNS && !one_boot)
		out.state = FIX_DONE;
	else
		out.state = FIX_FEW;
	if (out.state == FIX_NOT && (lost > 0 ? out.high < -out.margin : out.low > out.margin))
		out.state = FIX_BEYOND;
	return out;
}
