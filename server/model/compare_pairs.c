/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions of a patch on different bases: what the first of them changed, and how much of that the
 * later ones keep. And of three commits (base, culprit, a fix that is tried) how much of a
 * regression the third takes back. Said only of the test's own figures that did change, and where
 * both were measured.
 */
#include "server/model/compare_table.h"

#include <math.h>

#include "server/base/arena.h"

#define KEPT_MAX 200 /* lines at the end of a page */

/* The changes are versions when each knows its number and no two have the same. */
void compare_find_versions(struct compare *cmp)
{
	cmp->recovers = !cmp->pairs && !cmp->across && cmp->ncommits == 3 && !cmp->base_is_younger;
	cmp->versions = cmp->pairs && cmp->ncommits > 2;
	for (size_t i = 1; i < cmp->ncommits && cmp->versions; i += 2) {
		const struct patch_in *p = &cmp->commits[i].commit.patch;

		if (p->version < 1)
			cmp->versions = false;
		for (size_t k = 1; k < i; k += 2)
			if (cmp->commits[k].commit.patch.version == p->version)
				cmp->versions = false;
	}
}

/* What counts as the change of a cell: percent, or points. */
static double change_of(const struct metric *m, const struct cell *c)
{
	if (!c->judged)
		return (double)NAN;
	if (c->show_printed)
		return c->summary->printed_change;
	switch (m->facts.kind) {
	case KIND_PERCENT:
		return c->change_abs;
	case KIND_FUNCTIONAL:
		return c->reproduction_pct;
	default:
		return c->change_pct;
	}
}

static struct series copy_series(struct arena *a, const struct series *s)
{
	struct series copy = *s;
	struct pair *axes = arena_copy(a, s->axes, s->naxes * sizeof(*axes));

	for (size_t i = 0; i < s->naxes; i++) {
		axes[i].name = arena_str(a, axes[i].name);
		axes[i].value = arena_str(a, axes[i].value);
	}
	copy.axes = axes;
	copy.testcase = arena_str(a, s->testcase);
	copy.tbox_group = arena_str(a, s->tbox_group);
	return copy;
}

/* Only samples have a spread that can be relied on. */
static struct recovered_side side_of(const struct cell *c)
{
	return (struct recovered_side){c->mean, c->stddev, c->values ? c->n : 0};
}

/* How much of the change in cells[first] the one in cells[now] takes back; each is held against the
 * cell before it, or both against cells[0]. */
static struct recovered share_of(const struct compare *cmp, const struct comparison_row *row,
				 size_t first, size_t now)
{
	const struct cell *cells = row->cells;
	size_t now_base = cmp->pairs ? now - 1 : 0;
	bool points = row->metric->facts.kind == KIND_PERCENT;
	struct recovered out = recovered_from_changes(change_of(row->metric, &cells[first]),
						      change_of(row->metric, &cells[now]));
	struct recovered_side sides[] = {side_of(&cells[0]), side_of(&cells[first]),
					 side_of(&cells[now_base]), side_of(&cells[now])};
	bool one_base =
		compare_same_commit(&cmp->commits[0].commit, &cmp->commits[now_base].commit);
	struct recovered sure;

	if (!cells[0].values || !cells[first].values || !cells[now_base].values ||
	    !cells[now].values)
		return out;
	sure = recovered_share(&sides[0], &sides[1], one_base ? &sides[0] : &sides[2], &sides[3],
			       points);
	out.low = sure.low;
	out.high = sure.high;
	return out;
}

static void note(struct compare *cmp, const struct compare_table *t,
		 const struct comparison_row *row, size_t now, struct series *own)
{
	double first_change = change_of(row->metric, &row->cells[1]);
	double now_change = change_of(row->metric, &row->cells[now]);
	const struct compare_commit *k = &cmp->commits[now];
	const struct cell *was = &row->cells[1], *is = &row->cells[now];

	if (!isfinite(first_change) || first_change == 0 || !isfinite(now_change) ||
	    cmp->nkept == KEPT_MAX)
		return;
	if (!own->id)
		*own = copy_series(cmp->arena, &t->series);
	cmp->kept = arena_grow(cmp->arena, cmp->kept, &cmp->kept_cap, cmp->nkept + 1,
			       sizeof(*cmp->kept));
	cmp->kept[cmp->nkept++] = (struct compare_kept){
		.series = *own,
		.metric = row->metric,
		.first_version = cmp->commits[1].commit.patch.version,
		.version = k->commit.patch.version,
		.by = cmp->versions     ? NULL
		      : k->commit.label ? k->commit.label
					: k->name,
		.first = first_change,
		.now = now_change,
		.points = row->metric->facts.kind == KIND_PERCENT,
		.recovered = share_of(cmp, row, 1, now),
		.was_regression = was->verdict == VERDICT_REGRESSION,
		.was_improvement = was->verdict == VERDICT_IMPROVEMENT,
		.fix = fix_check(is->rule, copysign(first_change, was->change_abs), is->one_boot),
	};
}

void compare_note_kept(struct compare *cmp, const struct compare_table *t)
{
	struct series own = {0};

	for (size_t i = 0; i < t->nrows; i++) {
		const struct comparison_row *row = &t->rows[i];

		if (row->role != ROLE_PRIMARY)
			continue;
		if (cmp->versions && verdict_is_change(row->cells[1].verdict))
			for (size_t k = 3; k < t->ncols; k += 2)
				note(cmp, t, row, k, &own);
		else if (cmp->recovers && row->cells[1].verdict == VERDICT_REGRESSION)
			note(cmp, t, row, 2, &own);
	}
}
