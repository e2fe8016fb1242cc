/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fails of runs, by Fisher's exact test: one-sided for the worse, and the other way for the better.
 * A run that died of something else before it could show a failure is no clean run: it is left out
 * of that metric's runs. Adjusted among themselves (Benjamini and Hochberg), each way by itself;
 * what could not come out rare whatever had happened, since so few runs failed in all, is not a
 *test and does not count as one (Tarone 1990, Gilbert 2005).
 *
 *	worse    q <= .05, and at least 2 bad runs after
 *	better   q <= .05, and at least 2 bad runs before
 *	suspect  p <= .05 alone, or bad for the first time
 */
#include "server/analysis/verdict_ways.h"

#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/fisher.h"
#include "server/analysis/reason.h"
#include "server/base/arena.h"

#define Q_MAX   0.05
#define BAD_MIN 2

/* Metrics that tell that a run ended before its time. */
static const char *const deaths[] = {
	"last_state.is_incomplete_run",
	"last_state.OOM",
	"last_state.*timeout*",
	"*killed_by*",
	"dmesg.Kernel_panic*",
	"dmesg.BUG:kernel_hang*",
	"dmesg.*reboot-without-warning*",
};

/* Of each run of a column, how it ended. */
static bool *find_deaths(struct arena *a, const struct comparison *c, size_t col, size_t nruns)
{
	bool *dead = arena_array(a, bool, nruns);

	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *k = &c->rows[i].cells[col];
		bool tells = false;

		if (!k->present || k->fails <= 0 || !k->values || (size_t)k->n != nruns)
			continue;
		for (size_t d = 0; d < sizeof(deaths) / sizeof(deaths[0]); d++)
			tells |= glob_match(deaths[d], c->rows[i].metric->name);
		for (size_t r = 0; tells && r < nruns; r++)
			dead[r] |= k->values[r] != 0;
	}
	return dead;
}

/* Bad runs of a cell, and all that count: a run that has the metric, and clean ones. */
static void count_bad(const struct metric *m, const struct cell *k, const bool *dead,
		      struct fail_counts *out)
{
	bool passes = m->facts.direction == DIRECTION_HIGHER;

	*out = (struct fail_counts){0};
	for (int64_t i = 0; i < k->n; i++) {
		bool seen = k->values[i] != 0;

		if (!seen && dead[i]) {
			out->died++;
			continue;
		}
		out->runs++;
		out->bad += seen != passes;
	}
}

struct family {
	double *p, *q;
	size_t *rows, n;
};

static void family_init(struct arena *a, struct family *f, size_t n)
{
	f->p = arena_array(a, double, n);
	f->q = arena_array(a, double, n);
	f->rows = arena_array(a, size_t, n);
	f->n = 0;
}

static void family_add(struct family *f, size_t row, double p, double least)
{
	if (!(least <= Q_MAX))
		return;
	f->rows[f->n] = row;
	f->p[f->n++] = p;
}

static bool is_worse(const struct fails_judged *f)
{
	return (double)f->now.bad * (double)f->base.runs >=
	       (double)f->base.bad * (double)f->now.runs;
}

static void decide(struct arena *a, struct fails_judged *f, struct cell *c, bool one_boot)
{
	int64_t bad = f->worse ? f->now.bad : f->base.bad;
	bool up = f->worse != (f->row->metric->facts.direction == DIRECTION_HIGHER);

	c->verdict = VERDICT_SAME;
	f->gate = FAILS_SAME;
	if (c->q <= Q_MAX && bad >= BAD_MIN) {
		f->gate = one_boot ? FAILS_BOOT : FAILS_CHANGED;
		c->verdict = one_boot ? VERDICT_SUSPECT : verdict_by_direction(f->row, up);
	} else if (c->p <= Q_MAX || (f->worse && !f->base.bad && f->now.bad)) {
		f->gate = bad < BAD_MIN ? FAILS_ONE : c->p <= Q_MAX ? FAILS_Q : FAILS_FEW;
		c->verdict = VERDICT_SUSPECT;
	}
	c->reason = reason_fails(a, f, c);
}

static bool counts_on_both(const struct comparison_row *r, size_t base, size_t col)
{
	const struct cell *from = &r->cells[base], *c = &r->cells[col];

	return from->present && c->present && from->values && c->values && c->fails >= 0;
}

/* Tests all rows; what is worse or better goes to families[0] or [1]. */
static void test_rows(struct comparison *c, size_t base, size_t col, const bool *dead[2],
		      struct fails_judged *judged, struct family families[2])
{
	for (size_t i = 0; i < c->nrows; i++) {
		const struct comparison_row *r = &c->rows[i];
		struct fails_judged *f = &judged[i];
		struct cell *now = &r->cells[col];
		struct fisher test;

		if (!counts_on_both(r, base, col))
			continue;
		f->row = r;
		count_bad(r->metric, &r->cells[base], dead[0], &f->base);
		count_bad(r->metric, now, dead[1], &f->now);
		now->cliff_delta = cliff_delta(r->cells[base].values, (size_t)r->cells[base].n,
					       now->values, (size_t)now->n);
		f->worse = is_worse(f);
		test = fisher_exact(f->base.bad, f->base.runs, f->now.bad, f->now.runs);
		now->p = f->worse ? test.more : test.fewer;
		family_add(&families[0], i, test.more, test.least_more);
		family_add(&families[1], i, test.fewer, test.least_fewer);
	}
}

void verdict_judge_fails(struct arena *a, struct comparison *c,
			 const struct comparison_column *cols, size_t col)
{
	size_t base = cols[col].base, *scratch = arena_array(a, size_t, c->nrows);
	struct fails_judged *judged = arena_array(a, struct fails_judged, c->nrows);
	bool one_boot = column_is_one_boot(&cols[col]) || column_is_one_boot(&cols[base]);
	const bool *dead[2] = {find_deaths(a, c, base, cols[base].nruns),
			       find_deaths(a, c, col, cols[col].nruns)};
	struct family families[2];

	for (int way = 0; way < 2; way++)
		family_init(a, &families[way], c->nrows);
	test_rows(c, base, col, dead, judged, families);
	for (int way = 0; way < 2; way++) {
		struct family *f = &families[way];

		benjamini_hochberg(f->p, f->q, f->n, scratch);
		for (size_t i = 0; i < f->n; i++)
			if (judged[f->rows[i]].worse == (way == 0))
				c->rows[f->rows[i]].cells[col].q = f->q[i];
	}
	for (size_t i = 0; i < c->nrows; i++)
		if (judged[i].row)
			decide(a, &judged[i], &c->rows[i].cells[col], one_boot);
}
