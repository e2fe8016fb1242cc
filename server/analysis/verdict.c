/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands the cells of a column to the rule, the history along with them, and words what it says.
 */
#include "server/analysis/verdict.h"

#include <assert.h>
#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/reason.h"
#include "server/analysis/rule.h"
#include "server/analysis/rule_shape.h"
#include "server/analysis/verdict_ways.h"
#include "server/base/arena.h"

#define ZEROS 64 /* runs that took a profile in which a function is not, on one commit */

/* What is kept from column to column. */
struct judge {
	struct comparison *c;
	const struct comparison_column *cols;
	struct rule_row *rows; /* as many as the comparison has; used of them are of this column */
	size_t *of;            /* … and each is of this row of the comparison */
	bool keep;             /* each column has rows of its own, which outlive this */
	enum rule_shape *shapes;
	size_t used, at[RULE_HISTORY_MAX]; /* where each commit of the history stands */
	double *room;
	size_t room_cap;
};

bool column_is_one_boot(const struct comparison_column *col)
{
	return col->boots == 1 && col->nruns > 1;
}

enum verdict verdict_by_direction(const struct comparison_row *r, bool up)
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

static bool is_printed(const struct cell *c)
{
	return c->summary && c->summary->printed != PRINTED_NO;
}

/* The change against the base, by the means or the fails. */
void verdict_cell_change(const struct cell *base, struct cell *c)
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

/* The groups of a metric in the history, nearest last; rows come in the order of ids. */
static size_t find_history(struct judge *j, const struct comparison_history *h,
			   const struct metric *m, struct rule_group *groups)
{
	static const double zeros[ZEROS];
	size_t n = 0;

	for (size_t i = 0; h && i < h->n && i < RULE_HISTORY_MAX; i++) {
		const struct history_cell *cell = h->cells[i];
		size_t at = j->at[i];

		while (at < cell->n && cell->ids[at] < m->id)
			at++;
		j->at[i] = at;
		if (at < cell->n && cell->ids[at] == m->id)
			groups[n++] = cell->groups[at];
		else if (m->facts.is_profile && cell->profiled)
			rule_group_fill(&groups[n++], zeros,
					cell->profiled < ZEROS ? cell->profiled : ZEROS);
	}
	return n;
}

static void make_room(struct arena *a, struct judge *j, const struct rule_group *groups, size_t n)
{
	size_t values = 0;

	for (size_t i = 0; i < n; i++)
		values += groups[i].n;
	j->room = arena_grow(a, j->room, &j->room_cap, values, sizeof(*j->room));
}

/* Thousands of monitors that did not move need no more words. */
static bool worth_a_look(const struct comparison_row *r, double delta)
{
	return r->role != ROLE_MONITOR || fabs(delta) >= RULE_DELTA;
}

static bool is_lent(const struct comparison *c, const struct comparison_row *r)
{
	return c->own_only && r->role == ROLE_MONITOR;
}

/* Hands one row to the rule. */
static void take_row(struct arena *a, struct judge *j, size_t row, size_t col)
{
	const struct comparison_row *r = &j->c->rows[row];
	const struct comparison_column *column = &j->cols[col];
	const struct cell *base = &r->cells[column->base];
	struct cell *c = &r->cells[col];
	struct rule_group groups[RULE_HISTORY_MAX + 2];
	bool percent = r->metric->facts.kind == KIND_PERCENT;
	struct rule_input in = {
		.percent = percent,
		.role = (int)r->role,
		.groups = groups,
		.nhistory = find_history(j, column->history, r->metric, groups),
		.median_x = base->median,
		.median_y = c->median,
		.threshold = r->metric->threshold_pct / (percent ? 1 : 100),
		.floor = r->metric->floor,
	};

	rule_group_fill(&groups[in.nhistory], base->values, (size_t)base->n);
	rule_group_fill(&groups[in.nhistory + 1], c->values, (size_t)c->n);
	make_room(a, j, groups, in.nhistory + 2);
	c->history = (int64_t)in.nhistory;
	j->of[j->used] = row;
	if (is_lent(j->c, r)) {
		rule_row_take(&j->rows[j->used], &in, j->room);
		j->rows[j->used++].lent = true;
		return;
	}
	c->cliff_delta = cliff_delta(base->values, (size_t)base->n, c->values, (size_t)c->n);
	in.delta = c->cliff_delta;
	j->shapes[j->used] =
		worth_a_look(r, in.delta) ? rule_shape_of(groups, in.nhistory) : SHAPE_PLAIN;
	rule_row_take(&j->rows[j->used++], &in, j->room);
}

/* What the rule said of a row. */
static void say_row(struct arena *a, const struct judge *j, size_t i, size_t col,
		    const size_t tests[RULE_ROLES])
{
	const struct rule_row *said = &j->rows[i];
	const struct comparison_row *r = &j->c->rows[j->of[i]];
	const struct comparison_column *column = &j->cols[col];
	struct cell *c = &r->cells[col];
	struct judged judged = {.row = r,
				.base = &r->cells[column->base],
				.cell = c,
				.rule = said,
				.shape = j->shapes[i],
				.tests = tests[r->role]};
	bool one_boot = column_is_one_boot(column) || column_is_one_boot(&j->cols[column->base]);

	c->p = said->p;
	c->q = said->q;
	c->mde = said->mde * (said->scale == SCALE_PERCENT ? 1 : 100);
	c->one_boot = one_boot;
	judged.gate = rule_decide(said, one_boot, &judged.suspect);
	c->gate = (int)judged.gate;
	if (j->keep)
		c->rule = said;
	if (judged.gate == RULE_CHANGED)
		c->verdict = verdict_by_direction(r, said->mean_y > said->mean_x);
	else
		c->verdict = judged.suspect ? VERDICT_SUSPECT : VERDICT_SAME;
	c->reason = reason_judged(a, &judged);
}

static void judge_column(struct arena *a, struct judge *j, size_t col)
{
	size_t base = j->cols[col].base, tests[RULE_ROLES] = {0};
	struct rule_prior prior[RULE_SCALES];

	if (!j->rows || j->keep)
		j->rows = arena_array(a, struct rule_row, j->c->nrows);
	j->used = 0;
	memset(j->at, 0, sizeof(j->at));
	for (size_t i = 0; i < j->c->nrows; i++) {
		const struct comparison_row *r = &j->c->rows[i];
		const struct cell *from = &r->cells[base];
		struct cell *c = &r->cells[col];

		if (!from->present || !c->present)
			continue;
		if (is_lent(j->c, r)) {
			if (from->values && c->values)
				take_row(a, j, i, col);
			continue;
		}
		verdict_cell_change(from, c);
		if (!from->values || !c->values)
			verdict_judge_reported(a, r, from, c);
		else if (c->fails < 0)
			take_row(a, j, i, col);
	}
	rule_test(a, j->rows, j->used, prior);
	for (size_t i = 0; i < j->used; i++)
		tests[j->rows[i].role]++;
	for (size_t i = 0; i < j->used; i++)
		if (!j->rows[i].lent)
			say_row(a, j, i, col, tests);
	verdict_judge_fails(a, j->c, j->cols, col);
}

void verdict_judge(struct arena *a, enum rule_version rule, struct comparison *c,
		   const struct comparison_column *cols)
{
	struct judge j = {.c = c,
			  .cols = cols,
			  .keep = c->nrows * c->ncols <= COMPARISON_RULES_MAX,
			  .of = arena_array(a, size_t, c->nrows),
			  .shapes = arena_array(a, enum rule_shape, c->nrows)};

	for (size_t col = 1; col < c->ncols; col++) {
		assert(cols[col].base <= col);
		if (cols[col].base == col)
			continue;
		if (rule == RULE_WELCH_LOG_BH_1)
			verdict_judge_welch(a, c, cols[col].base, col);
		else
			judge_column(a, &j, col);
	}
}
