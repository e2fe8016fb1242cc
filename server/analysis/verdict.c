/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule. Three kinds of cells go three ways: samples on both sides are tested, fails of runs
 * are counted, and what came printed is taken at its word. Each way ends in a gate: the one that
 * stopped the metric from counting as changed, or none.
 */
#include "server/analysis/verdict.h"

#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/reason.h"
#include "server/base/arena.h"

#define Q_MAX     0.05
#define SIZE_MIN  0.01 /* of the base's mean */
#define POINT_MIN 1.0  /* percent metrics, and changes in percent */
#define FAILS_MIN 2.0
#define RUNS_MIN  3
#define SLACK     1e-12 /* for sizes that stand at the gate but for rounding */

/* p of the tested rows of one role, for the adjustment. */
struct family {
	double *p, *q;
	struct cell **cells;
	size_t n;
};

static bool reaches(double size, double gate)
{
	return fabs(size) >= gate * (1 - SLACK);
}

static bool is_printed(const struct cell *c)
{
	return c->summary && c->summary->printed != PRINTED_NO;
}

/* The change against the base, by the means or the fails. */
static void cell_change(const struct cell *base, struct cell *c)
{
	bool printed = is_printed(base) || is_printed(c);

	c->judged = true;
	c->change_abs = c->mean - base->mean;
	if (base->mean != 0)
		c->change_pct = c->change_abs / base->mean * 100;
	else if (c->change_abs == 0)
		c->change_pct = 0;
	if (base->runs > 0 && c->runs > 0 && base->fails >= 0 && c->fails >= 0)
		c->reproduction_pct = 100 * ((double)c->fails / (double)c->runs -
					     (double)base->fails / (double)base->runs);
	c->show_printed = is_printed(base) && is_printed(c) && c->summary->printed_base_matches &&
			  c->summary->printed != PRINTED_BASE;
	c->from_rounded = printed && !c->show_printed;
}

static bool all_positive(const struct cell *c)
{
	return c->min > 0;
}

static struct description cell_description(const struct cell *c)
{
	return (struct description){.n = (size_t)c->n, .mean = c->mean, .stddev = c->stddev};
}

/* Two-sided p of a difference between the samples of two cells. */
static double cells_p(const struct metric *m, const struct cell *base, const struct cell *c)
{
	struct description x, y;

	if (m->facts.kind == KIND_VALUE && all_positive(base) && all_positive(c))
		return welch_log_p(base->values, (size_t)base->n, c->values, (size_t)c->n);
	x = cell_description(base);
	y = cell_description(c);
	return welch_p(&x, &y);
}

/* The word for a change towards more (up) or less of a metric. */
static enum verdict verdict_by_direction(const struct comparison_row *r, bool up)
{
	switch (r->metric->facts.direction) {
	case DIRECTION_HIGHER:
		return up ? VERDICT_IMPROVEMENT : VERDICT_REGRESSION;
	case DIRECTION_LOWER:
		return up ? VERDICT_REGRESSION : VERDICT_IMPROVEMENT;
	default:
		return VERDICT_CHANGED;
	}
}

static void judge_samples(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  struct cell *c, size_t tests)
{
	int64_t least = base->n < c->n ? base->n : c->n;
	bool big =
		r->metric->facts.kind == KIND_PERCENT
			? reaches(c->change_abs, POINT_MIN)
			: c->change_abs != 0 && reaches(c->change_abs, SIZE_MIN * fabs(base->mean));
	enum gate gate = GATE_NONE;

	c->verdict = VERDICT_SAME;
	if (!big) {
		gate = GATE_SIZE;
	} else if (least < 2) {
		gate = GATE_ONE_RUN;
	} else if (c->p > Q_MAX) {
		gate = GATE_P;
	} else if (least < RUNS_MIN || c->q > Q_MAX) {
		gate = least < RUNS_MIN ? GATE_RUNS : GATE_Q;
		c->verdict = VERDICT_SUSPECT;
	} else {
		c->verdict = verdict_by_direction(r, c->change_abs > 0);
	}
	c->reason = reason_judged(a, r, base, c, gate, tests);
}

/* Fails of runs. With unequal numbers of runs the difference is counted in runs of the shorter
 * side: 2 of 10 against 3 of 6 differ by 1.8 fails. */
static void judge_functional(struct arena *a, const struct comparison_row *r,
			     const struct cell *base, struct cell *c)
{
	double runs = (double)(base->runs < c->runs ? base->runs : c->runs);
	double moved = c->reproduction_pct / 100 * runs;
	bool first = !base->fails != !c->fails;
	enum gate gate = GATE_NONE;

	if (reaches(moved, FAILS_MIN)) {
		c->verdict = verdict_by_direction(r, moved > 0);
	} else if (reaches(moved, 1) || first) {
		gate = GATE_FAILS;
		c->verdict = VERDICT_SUSPECT;
	} else {
		gate = GATE_SIZE;
		c->verdict = VERDICT_SAME;
	}
	c->reason = reason_functional(a, r, base, c, gate);
}

/* Without samples on both sides: the printed change where it was printed against this base, else
 * the counts of fails, else the change between the means. */
static void judge_reported(struct arena *a, const struct comparison_row *r, const struct cell *base,
			   struct cell *c)
{
	bool points = r->metric->facts.kind == KIND_PERCENT;
	double change = points ? c->change_abs : c->change_pct;
	bool known = !isnan(c->change_abs), up = c->change_abs > 0;
	enum gate gate = GATE_NONE;

	c->reported = true;
	if (!c->show_printed && !isnan(c->reproduction_pct)) {
		judge_functional(a, r, base, c); /* counts are exact, printed or not */
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
		gate = GATE_UNKNOWN;
		c->verdict = VERDICT_NO_DATA;
	} else if (!isnan(change) && !reaches(change, POINT_MIN)) {
		gate = GATE_SIZE;
		c->verdict = VERDICT_SAME;
	} else {
		c->verdict = verdict_by_direction(r, up);
	}
	c->reason = reason_reported(a, r, c, gate, change, points);
}

static void family_init(struct arena *a, struct family *f, size_t n)
{
	f->p = arena_array(a, double, n);
	f->q = arena_array(a, double, n);
	f->cells = arena_array(a, struct cell *, n);
	f->n = 0;
}

static bool from_samples(const struct cell *base, const struct cell *c)
{
	return base->values && c->values;
}

/* Tests what has samples on both sides, and gathers the p by role. */
static void test_row(struct comparison_row *r, size_t from, size_t col, struct family families[3])
{
	struct cell *base = &r->cells[from], *c = &r->cells[col];
	struct family *f = &families[r->role];

	if (!base->present || !c->present)
		return;
	cell_change(base, c);
	if (!from_samples(base, c))
		return;
	c->cliff_delta = cliff_delta(base->values, (size_t)base->n, c->values, (size_t)c->n);
	if (c->fails >= 0)
		return;
	c->p = cells_p(r->metric, base, c);
	if (isnan(c->p))
		return;
	f->p[f->n] = c->p;
	f->cells[f->n++] = c;
}

static void adjust_family(struct arena *a, struct family *f)
{
	size_t *scratch = arena_array(a, size_t, f->n);

	benjamini_hochberg(f->p, f->q, f->n, scratch);
	for (size_t i = 0; i < f->n; i++)
		f->cells[i]->q = f->q[i];
}

void verdict_judge_column(struct arena *a, struct comparison *c, size_t base, size_t col)
{
	struct family families[3]; /* by enum metric_role */

	for (size_t i = 0; i < 3; i++)
		family_init(a, &families[i], c->nrows);
	for (size_t i = 0; i < c->nrows; i++)
		test_row(&c->rows[i], base, col, families);
	for (size_t i = 0; i < 3; i++)
		adjust_family(a, &families[i]);
	for (size_t i = 0; i < c->nrows; i++) {
		struct comparison_row *r = &c->rows[i];
		struct cell *from = &r->cells[base], *cell = &r->cells[col];

		if (!cell->judged)
			continue;
		if (!from_samples(from, cell))
			judge_reported(a, r, from, cell);
		else if (cell->fails >= 0)
			judge_functional(a, r, from, cell);
		else
			judge_samples(a, r, from, cell, families[r->role].n);
	}
}
