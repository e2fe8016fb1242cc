/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers the numbers behind a verdict. Made for the few rows that somebody looks at closely, so
 * nothing here is kept with a cell.
 */
#include "server/analysis/detail.h"

#include <math.h>

static struct detail_side side_of(const struct cell *c)
{
	size_t n = (size_t)c->n;

	return (struct detail_side){
		.d = describe(c->values, n),
		.quartiles = quartiles_of(c->values, n),
		.deviation = median_deviation(c->values, n),
		.boots = c->boots,
	};
}

/* A distance on the rule's scale in percent of the base's median, or in points. */
static double in_percent(const struct rule_row *r, double g)
{
	double part = scale_back(r->scale, r->unit, r->median_x, g);

	return r->scale == SCALE_PERCENT ? part : 100 * part;
}

static void take_rule(struct detail *out, const struct rule_row *r)
{
	out->scale = r->scale;
	if (r->untested != RULE_TESTED)
		return;
	out->run_noise = in_percent(r, sqrt(r->post));
	out->error = in_percent(r, sqrt(r->variance));
	out->t = r->t;
	out->df = r->df;
	out->p_within = r->p_within;
	if (r->nhistory < RULE_HISTORY_MIN)
		return;
	out->level = scale_undo(r->scale, r->unit, r->level);
	out->between = r->ratio_moderated;
}

struct detail detail_of(const struct comparison_row *row, const struct cell *base,
			const struct cell *c)
{
	struct detail out = {
		.points = row->metric->facts.kind == KIND_PERCENT,
		.run_noise = NAN,
		.level = NAN,
		.between = NAN,
		.error = NAN,
		.t = NAN,
		.df = NAN,
		.p_within = NAN,
	};

	if (base->fails >= 0 && c->fails >= 0)
		out.fisher = fisher_exact(base->fails, base->runs, c->fails, c->runs);
	if (!base->values || !c->values || c->fails >= 0)
		return out;
	out.tested = true;
	out.base = side_of(base);
	out.now = side_of(c);
	out.welch = welch_test(&out.base.d, &out.now.d);
	out.ranks = mann_whitney(base->values, (size_t)base->n, c->values, (size_t)c->n);
	out.shift = hodges_lehmann(base->values, (size_t)base->n, c->values, (size_t)c->n,
				   DETAIL_ALPHA);
	out.hedges_g = hedges_g(&out.base.d, &out.now.d);
	if (c->rule)
		take_rule(&out, c->rule);
	return out;
}

static const struct {
	const char *name, *words;
} gates[] = {
	[RULE_CHANGED] = {"passed", "all of them are passed"},
	[RULE_GATE_SIZE] = {"size",
			    "the medians differ by less than 1 % (of percentages: 1 point)"},
	[RULE_GATE_ZERO] = {"zero", "from 0 to something below what counts"},
	[RULE_GATE_UNTESTED] = {"untested", "there is no noise to hold the change against"},
	[RULE_GATE_P] = {"p", "as much happens by chance (p above 0.05)"},
	[RULE_GATE_DELTA] = {"delta", "the runs of both sides overlap too much"},
	[RULE_GATE_Q] = {"q", "not rare enough among so many metrics (q above 0.05)"},
	[RULE_GATE_LEVEL] = {"level", "the base itself stands apart from the commits before it"},
	[RULE_GATE_OWN] = {"threshold", "less than the metric's own threshold"},
	[RULE_GATE_RUNS] = {"runs", "too few runs: 4 on both sides, or 3 and 6 commits before"},
	[RULE_GATE_BOOT] = {"boot", "all runs of a side come from one boot"},
};

const char *gate_name(const struct cell *c)
{
	return c->gate < 0 ? NULL : gates[c->gate].name;
}

const char *gate_words(const struct cell *c)
{
	return c->gate < 0 ? NULL : gates[c->gate].words;
}
