/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions of a patch on different bases: what the first of them changed, and how much of that the
 * later ones keep. Said only of the test's own figures that did change, and where both were
 * measured.
 */
#include "server/model/compare_table.h"

#include <math.h>

#include "server/base/arena.h"

#define KEPT_MAX 200 /* lines at the end of a page */

/* The changes are versions when each knows its number and no two have the same. */
void compare_find_versions(struct compare *cmp)
{
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

void compare_note_kept(struct compare *cmp, const struct compare_table *t)
{
	struct series own = {0};

	for (size_t i = 0; i < t->nrows; i++) {
		const struct comparison_row *row = &t->rows[i];
		double first = change_of(row->metric, &row->cells[1]);

		if (row->role != ROLE_PRIMARY || !verdict_is_change(row->cells[1].verdict))
			continue;
		for (size_t k = 3; k < t->ncols; k += 2) {
			double now = change_of(row->metric, &row->cells[k]);

			if (!isfinite(first) || first == 0 || !isfinite(now) ||
			    cmp->nkept == KEPT_MAX)
				continue;
			if (!own.id)
				own = copy_series(cmp->arena, &t->series);
			cmp->kept = arena_grow(cmp->arena, cmp->kept, &cmp->kept_cap,
					       cmp->nkept + 1, sizeof(*cmp->kept));
			cmp->kept[cmp->nkept++] = (struct compare_kept){
				.series = own,
				.metric = row->metric,
				.first_version = cmp->commits[1].commit.patch.version,
				.version = cmp->commits[k].commit.patch.version,
				.first = first,
				.now = now,
				.points = row->metric->facts.kind == KIND_PERCENT,
			};
		}
	}
}
