/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words for fails of runs, and for what came printed.
 */
#include "server/analysis/reason.h"

#include <math.h>

#include "server/analysis/reason_words.h"
#include "server/analysis/sentence.h"

/* "3 of 6 runs", of what was seen or passed, as readers know these rows. */
static void put_counts(struct sentence *s, const struct comparison_row *r,
		       const struct fail_counts *k)
{
	bool passes = r->metric->facts.direction == DIRECTION_HIGHER;

	put_int(s, passes ? k->runs - k->bad : k->bad);
	put(s, " of ");
	put_int(s, k->runs);
}

static void put_died(struct sentence *s, const struct fails_judged *f)
{
	int64_t died = f->base.died + f->now.died;

	if (!died)
		return;
	put(s, " (");
	put_count(s, died, "run");
	put(s, " that died of something else left out)");
}

const char *reason_fails(struct arena *a, const struct fails_judged *f, const struct cell *c)
{
	struct sentence s;

	s.n = 0;
	put(&s, f->row->metric->facts.direction == DIRECTION_HIGHER ? "passed in " : "seen in ");
	put_counts(&s, f->row, &f->base);
	put(&s, " runs, then in ");
	put_counts(&s, f->row, &f->now);
	put_died(&s, f);
	if (!isnan(c->p) && (f->base.bad || f->now.bad)) {
		put(&s, ", p ");
		put_probability(&s, c->p);
	}
	if (!isnan(c->q)) {
		put(&s, ", q ");
		put_probability(&s, c->q);
	}
	switch (f->gate) {
	case FAILS_CHANGED:
		put_verdict(&s, f->row, c->verdict);
		break;
	case FAILS_SAME:
		put(&s, ": within what chance gives");
		break;
	case FAILS_ONE:
		put(&s, ": suspect, a verdict needs 2 of them; more runs would tell");
		break;
	case FAILS_BOOT:
		put(&s, ": suspect, all runs of a side are of one boot; runs of another boot would "
			"tell");
		break;
	default:
		put(&s, ": suspect, but chance may give that; more runs would tell");
	}
	return sentence_keep(a, &s);
}

const char *reason_counts(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  const struct cell *c, enum reported_gate gate)
{
	struct sentence s;

	s.n = 0;
	put(&s, r->metric->facts.direction == DIRECTION_HIGHER ? "passed in " : "seen in ");
	put_int(&s, base->fails);
	put(&s, " of ");
	put_int(&s, base->runs);
	put(&s, " runs, then in ");
	put_int(&s, c->fails);
	put(&s, " of ");
	put_int(&s, c->runs);
	if (gate == REPORTED_SIZE)
		put(&s, ": about as often");
	else if (gate == REPORTED_FEW)
		put(&s, ": suspect, a verdict needs a difference of 2");
	else
		put_verdict(&s, r, c->verdict);
	return sentence_keep(a, &s);
}

const char *reason_reported(struct arena *a, const struct comparison_row *r, const struct cell *c,
			    enum reported_gate gate, double change, bool points)
{
	struct sentence s;

	if (gate == REPORTED_UNKNOWN)
		return "not enough was printed to tell";
	s.n = 0;
	put(&s, c->show_printed ? "the table said " : "");
	put_change(&s, change, points);
	if (c->from_rounded)
		put(&s, " by the rounded means");
	put(&s, ", without samples to judge");
	if (gate == REPORTED_SIZE)
		put(&s, points ? ": less than 1 point" : ": less than 1 %");
	else
		put_verdict(&s, r, c->verdict);
	return sentence_keep(a, &s);
}
