/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words for what the rule said: both sides, what moved, how sure that is, and the gate. The order
 * is that of a reader's questions; the verdict stands at the end.
 */
#include "server/analysis/reason.h"

#include <math.h>

#include "server/analysis/reason_words.h"
#include "server/analysis/sentence.h"

#define RUNS_ENOUGH 10 /* a side; more are not worth their time */

void put_verdict(struct sentence *s, const struct comparison_row *r, enum verdict v)
{
	if (v == VERDICT_REGRESSION)
		put(s, ": a regression (");
	else if (v == VERDICT_IMPROVEMENT)
		put(s, ": an improvement (");
	else
		put(s, ": a change (");
	put(s, direction_words(r->metric->facts.direction));
	put(s, ")");
}

/* "6 runs of 2 boots at 479043 ± 1381" */
static void put_side(struct sentence *s, const struct cell *c)
{
	put_count(s, c->n, "run");
	if (c->boots > 0) {
		put(s, " of ");
		put_count(s, c->boots, "boot");
	}
	put(s, " at ");
	put_figure(s, c->mean, 5);
	if (c->n > 1) {
		put(s, " ± ");
		put_figure(s, c->stddev, 3);
	}
}

static void put_test(struct sentence *s, const struct judged *j)
{
	const struct cell *c = j->cell;

	put(s, "; delta ");
	put_figure(s, c->cliff_delta, 2);
	put(s, ", p ");
	put_probability(s, c->p);
	put(s, ", q ");
	put_probability(s, c->q);
	put(s, " over ");
	put_int(s, (int64_t)j->tests);
	put(s, " ");
	put(s, role_name(j->row->role));
	put(s, j->tests == 1 ? " metric" : " metrics");
	if (c->history < RULE_HISTORY_MIN) {
		put(s, ", noise between commits not known");
		return;
	}
	put(s, ", beside ");
	put_count(s, c->history, "commit");
	put(s, " before");
}

static void put_untested(struct sentence *s, enum rule_untested why)
{
	if (why == RULE_NO_REPEATS)
		put(s, ": no repeated runs to tell the noise by");
	else if (why == RULE_NO_NOISE)
		put(s, ": no noise measured in any metric, so nothing to hold it against");
	else
		put(s, ": the values lie too far apart to be reckoned with");
}

/* What moved, in percent or points: the change that is told is that of the means, while the medians
 * say whether it is large enough, and the means on the rule's scale which way it went. */
struct moved {
	double means, medians; /* NAN, ±INFINITY: from 0 */
	bool points;
	bool medians_differ; /* so that the sentence would contradict itself without them */
	bool turned;         /* on the rule's scale the other way than what is told */
};

#define ROUNDED 0.05 /* a change is told to a tenth */

static bool reaches(double moved, double gate)
{
	return isnan(moved) || fabs(moved) >= gate - ROUNDED;
}

static struct moved moved_of(const struct judged *j)
{
	const struct rule_row *r = j->rule;
	bool points = j->row->metric->facts.kind == KIND_PERCENT;
	struct moved m = {
		.means = points ? j->cell->change_abs : j->cell->change_pct,
		.medians = r->size * (r->scale == SCALE_PERCENT ? 1 : 100),
		.points = points,
	};
	double way = isnan(m.means) ? j->cell->change_abs : m.means;
	bool told = j->gate == RULE_CHANGED || j->suspect;

	if (j->gate == RULE_GATE_SIZE)
		m.medians_differ = reaches(m.means, 1);
	else if (j->gate == RULE_GATE_OWN)
		m.medians_differ = reaches(m.means, j->row->metric->threshold_pct);
	if (told)
		m.medians_differ |= !reaches(m.means, 1) || isinf(m.medians) != isnan(m.means) ||
				    way * r->size < 0;
	m.turned = told && way * (r->mean_y - r->mean_x) < 0;
	m.medians_differ &= !(fabs(m.means - m.medians) < ROUNDED);
	return m;
}

/* "+3.0 %", "+10.0 % (medians +0.5 %)" */
static void put_moved(struct sentence *s, const struct moved *m)
{
	put_change(s, m->means, m->points);
	if (m->medians_differ) {
		put(s, " (medians ");
		put_change(s, isinf(m->medians) ? (double)NAN : m->medians, m->points);
		put(s, ")");
	}
	if (m->turned)
		put(s, ", the other way on the scale of the test");
}

/* Why it did not pass, where it is the same. */
static void put_same(struct sentence *s, const struct judged *j, const struct moved *m)
{
	switch (j->gate) {
	case RULE_GATE_SIZE:
		put(s, m->points ? ": less than 1 point" : ": less than 1 %");
		put(s, m->medians_differ ? " by the medians" : "");
		break;
	case RULE_GATE_UNTESTED:
		put_untested(s, j->rule->untested);
		return;
	case RULE_GATE_DELTA:
		put(s, ": the runs of both sides overlap");
		break;
	default:
		put(s, ": within the noise");
	}
	if (isnan(j->cell->mde) ||
	    (j->gate != RULE_GATE_SIZE && j->cell->mde <= fabs(m->means))) /* size is not why */
		return;
	put(s, "; would have seen ");
	put_figure(s, j->cell->mde, 2);
	put(s, m->points ? " points" : " %");
}

/* p of the level is above .05 only where p against the base alone is not. */
static void put_not_rare(struct sentence *s, const struct rule_row *r)
{
	if (r->p <= RULE_Q) {
		put(s, ": suspect, too common among so many metrics (q above 0.05)");
		return;
	}
	put(s, ": suspect, apart from its base (p ");
	put_probability(s, r->p_within);
	put(s, " by these runs alone), but not from the commits before");
}

/* Why it is only suspect. */
static void put_suspect(struct sentence *s, const struct judged *j, bool points)
{
	const struct rule_row *r = j->rule;

	switch (j->gate) {
	case RULE_GATE_Q:
		put_not_rare(s, r);
		break;
	case RULE_GATE_LEVEL:
		put(s, ": suspect, the base itself stands apart from the commits before it");
		break;
	case RULE_GATE_DELTA:
		put(s, ": suspect, the runs of both sides overlap");
		break;
	case RULE_GATE_ZERO:
		put(s, ": suspect, from 0 no size is known that counts");
		return;
	case RULE_GATE_OWN:
		put(s, ": suspect, less than the ");
		put_figure(s, j->row->metric->threshold_pct, 3);
		put(s, points ? " points that count here" : " % that count here");
		return;
	case RULE_GATE_RUNS:
		put(s,
		    ": suspect, a verdict needs 4 runs on both sides, or 3 and 6 commits before");
		break;
	default:
		put(s, ": suspect, all runs of a side are of one boot; runs of another boot would "
		       "tell");
		return;
	}
	if (r->nx < RUNS_ENOUGH || r->ny < RUNS_ENOUGH)
		put(s, "; three more runs a side, in turn, would tell");
}

static void put_shape(struct sentence *s, enum rule_shape shape)
{
	if (shape == SHAPE_TWO_GROUPS)
		put(s, "; bimodal: the runs fall into two groups");
	else if (shape == SHAPE_DRIFT_RUNS)
		put(s, "; drifting: from run to run, one way");
	else if (shape == SHAPE_DRIFT_COMMITS)
		put(s, "; drifting: from commit to commit, one way");
}

/* A monitor that is the same, one of thousands: its figures stand beside it, or nobody looks. */
static void put_short(struct sentence *s, const struct judged *j, const struct moved *m)
{
	put_int(s, j->base->n);
	put(s, " against ");
	put_count(s, j->cell->n, "run");
	put(s, ", ");
	put_moved(s, m);
}

static void put_figures(struct sentence *s, const struct judged *j, const struct moved *m)
{
	put_side(s, j->base);
	put(s, ", then ");
	put_side(s, j->cell);
	put(s, ", ");
	put_moved(s, m);
	if (j->rule->untested == RULE_TESTED)
		put_test(s, j);
}

const char *reason_judged(struct arena *a, const struct judged *j)
{
	struct moved m = moved_of(j);
	struct sentence s;

	s.n = 0;
	if (j->row->role == ROLE_MONITOR && j->cell->verdict == VERDICT_SAME)
		put_short(&s, j, &m);
	else
		put_figures(&s, j, &m);
	if (j->gate == RULE_CHANGED)
		put_verdict(&s, j->row, j->cell->verdict);
	else if (j->suspect)
		put_suspect(&s, j, m.points);
	else
		put_same(&s, j, &m);
	put_shape(&s, j->shape);
	return sentence_keep(a, &s);
}
