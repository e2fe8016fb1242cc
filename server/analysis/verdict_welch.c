/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule "welch-log-bh/1", kept as it judged, so that what its successor would change can be
 * listed: Welch's test on logarithms (on plain values where a sample is not positive, or for
 * percentages), Benjamini-Hochberg q <= .05 within a role, at least 1 % between the means (percent
 * metrics: 1 point), three runs on both sides. It knows no history and no boots. Fails of runs are
 * counted as printed ones are; what came printed is taken at its word.
 */
#include "server/analysis/verdict_ways.h"

#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/reason_words.h"
#include "server/analysis/rule.h"
#include "server/analysis/sentence.h"
#include "server/base/arena.h"

#define RUNS_MIN 3

/* p of the tested rows of one role, for the adjustment. */
struct family {
	double *p, *q;
	struct cell **cells;
	size_t n;
};

static void family_init(struct arena *a, struct family *f, size_t n)
{
	f->p = arena_array(a, double, n);
	f->q = arena_array(a, double, n);
	f->cells = arena_array(a, struct cell *, n);
	f->n = 0;
}

static bool is_percent(const struct comparison_row *r)
{
	return r->metric->facts.kind == KIND_PERCENT;
}

/* Two-sided p of a difference between the samples of two cells. */
static double cells_p(const struct comparison_row *r, const struct cell *base, const struct cell *c)
{
	struct description x, y;

	if (!is_percent(r) && base->min > 0 && c->min > 0)
		return welch_log_p(base->values, (size_t)base->n, c->values, (size_t)c->n);
	x = (struct description){.n = (size_t)base->n, .mean = base->mean, .stddev = base->stddev};
	y = (struct description){.n = (size_t)c->n, .mean = c->mean, .stddev = c->stddev};
	return welch_p(&x, &y);
}

/* Gathers the p of the row's role where there are samples of a value on both sides. */
static void test_row(struct comparison_row *r, size_t from, size_t col, struct family *f)
{
	struct cell *base = &r->cells[from], *c = &r->cells[col];

	if (!base->present || !c->present)
		return;
	verdict_cell_change(base, c);
	if (!base->values || !c->values)
		return;
	c->cliff_delta = cliff_delta(base->values, (size_t)base->n, c->values, (size_t)c->n);
	if (c->fails >= 0)
		return;
	c->p = cells_p(r, base, c);
	if (isnan(c->p))
		return;
	f->p[f->n] = c->p;
	f->cells[f->n++] = c;
}

static bool is_big(const struct comparison_row *r, const struct cell *base, const struct cell *c)
{
	double least = is_percent(r) ? RULE_POINTS : RULE_SIZE * fabs(base->mean);

	return c->change_abs != 0 && fabs(c->change_abs) >= least * (1 - RULE_SLACK);
}

static void put_figures(struct sentence *s, const struct comparison_row *r, const struct cell *base,
			const struct cell *c)
{
	put_int(s, base->n);
	put(s, " against ");
	put_int(s, c->n);
	put(s, " runs, ");
	put_change(s, is_percent(r) ? c->change_abs : c->change_pct, is_percent(r));
}

static void put_tests(struct sentence *s, const struct comparison_row *r, double q, size_t tests)
{
	put(s, "q ");
	put_probability(s, q);
	put(s, " over ");
	put_int(s, (int64_t)tests);
	put(s, " ");
	put(s, role_name(r->role));
	put(s, tests == 1 ? " metric" : " metrics");
}

static void judge_samples(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  struct cell *c, size_t tests)
{
	int64_t least = base->n < c->n ? base->n : c->n;
	struct sentence s;

	s.n = 0;
	put_figures(&s, r, base, c);
	c->verdict = VERDICT_SAME;
	if (!is_big(r, base, c)) {
		put(&s, is_percent(r) ? ": less than 1 point" : ": less than 1 %");
	} else if (least < 2) {
		put(&s, ": one run on a side is too few to judge");
	} else if (c->p > RULE_Q) {
		put(&s, ", ");
		put_tests(&s, r, c->q, tests);
		put(&s, ": within the noise (q above 0.05)");
	} else if (least < RUNS_MIN || c->q > RULE_Q) {
		c->verdict = VERDICT_SUSPECT;
		put(&s, ", p ");
		put_probability(&s, c->p);
		if (least < RUNS_MIN) {
			put(&s, ": suspect, a verdict needs 3 runs on both sides");
		} else {
			put(&s, " but ");
			put_tests(&s, r, c->q, tests);
			put(&s, ": suspect, more runs would tell");
		}
	} else {
		c->verdict = verdict_by_direction(r, c->change_abs > 0);
		put(&s, ", ");
		put_tests(&s, r, c->q, tests);
		put_verdict(&s, r, c->verdict);
	}
	c->reason = sentence_keep(a, &s);
}

static void judge_row(struct arena *a, struct comparison_row *r, size_t from, size_t col,
		      size_t tests)
{
	struct cell *base = &r->cells[from], *c = &r->cells[col];

	if (!c->judged)
		return;
	if (!base->values || !c->values)
		verdict_judge_reported(a, r, base, c);
	else if (c->fails >= 0)
		verdict_judge_counts(a, r, base, c);
	else
		judge_samples(a, r, base, c, tests);
}

void verdict_judge_welch(struct arena *a, struct comparison *c, size_t base, size_t col)
{
	struct family families[RULE_ROLES];
	size_t *scratch = arena_array(a, size_t, c->nrows);

	for (size_t i = 0; i < RULE_ROLES; i++)
		family_init(a, &families[i], c->nrows);
	for (size_t i = 0; i < c->nrows; i++)
		test_row(&c->rows[i], base, col, &families[c->rows[i].role]);
	for (size_t i = 0; i < RULE_ROLES; i++) {
		benjamini_hochberg(families[i].p, families[i].q, families[i].n, scratch);
		for (size_t k = 0; k < families[i].n; k++)
			families[i].cells[k]->q = families[i].q[k];
	}
	for (size_t i = 0; i < c->nrows; i++)
		judge_row(a, &c->rows[i], base, col, families[c->rows[i].role].n);
}
