/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison for terminals and mails: the test robot's tables, and the same as Markdown. What
 * later versions of a patch keep of a change stands at the very end, said in one place for all
 * forms.
 */
#include "server/pages/compare.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/pages/parts.h"
#include "server/report/markdown_table.h"
#include "server/report/robot_table.h"

/* " (95 % interval: 82 to 91 %)", or nothing. */
const char *compare_kept_interval(struct arena *a, const struct compare_kept *k)
{
	const struct recovered *r = &k->recovered;

	if (isnan(r->low) || isnan(r->high) || k->was_improvement)
		return "";
	return arena_fmt(a, " (95 %% interval: %.0f to %.0f %%)", 100 * r->low, 100 * r->high);
}

const char *compare_kept_fix(struct arena *a, const struct compare_kept *k)
{
	const struct fix_check *f = &k->fix;
	const char *unit = k->points ? "points" : "%", *interval = "";

	if (!k->was_regression)
		return "";
	if (!isnan(f->low))
		interval =
			arena_fmt(a, " (90 %% interval: %+.1f to %+.1f %s)", f->low, f->high, unit);
	switch (f->state) {
	case FIX_DONE:
		return arena_fmt(a, "; fixed: within %.2g %s of the old level%s", f->margin, unit,
				 interval);
	case FIX_NOT:
		return arena_fmt(a, "; not fixed: further than %.2g %s from the old level%s",
				 f->margin, unit, interval);
	case FIX_BEYOND:
		return arena_fmt(a, "; better than the old level%s", interval);
	case FIX_FEW:
		return arena_fmt(a,
				 "; whether it is fixed is not told: too few runs to show it within"
				 " %.2g %s of the old level%s",
				 f->margin, unit, interval);
	case FIX_UNTESTED:
		break;
	}
	return "; whether it is fixed is not told: there are no samples to test";
}

static const char *recovers_words(struct arena *a, const struct compare_kept *k)
{
	const char *unit = k->points ? "points" : "%";
	double recovered = 100 * k->recovered.share;

	if (recovered >= 100)
		return arena_fmt(a, "%s recovers all of the regression of %+.1f %s (now %+.1f %s)",
				 k->by, k->first, unit, k->now, unit);
	if (recovered < 0)
		return arena_fmt(a,
				 "%s recovers nothing of the regression of %+.1f %s (now %+.1f %s)",
				 k->by, k->first, unit, k->now, unit);
	return arena_fmt(a, "%s recovers %.0f %% of the regression: %+.1f %s are left of %+.1f %s",
			 k->by, recovered, k->now, unit, k->first, unit);
}

const char *compare_kept_words(struct arena *a, const struct compare_kept *k)
{
	const char *unit = k->points ? "points" : "%";
	double recovered = 100 * k->recovered.share;
	long long v = (long long)k->version;

	if (k->by)
		return recovers_words(a, k);
	if (k->was_improvement)
		return arena_fmt(a, "v%lld has %+.1f %s where v%lld had %+.1f %s", v, k->now, unit,
				 (long long)k->first_version, k->first, unit);
	if (recovered >= 100)
		return arena_fmt(a, "v%lld keeps nothing of the %+.1f %s (now %+.1f %s)", v,
				 k->first, unit, k->now, unit);
	if (recovered < 0)
		return arena_fmt(a,
				 "v%lld has %+.1f %s where v%lld had %+.1f %s: nothing recovered",
				 v, k->now, unit, (long long)k->first_version, k->first, unit);
	return arena_fmt(a, "v%lld keeps %+.1f %s of the %+.1f %s: %.0f %% recovered", v, k->now,
			 unit, k->first, unit, recovered);
}

const char *compare_kept_place(struct arena *a, const struct compare_kept *k)
{
	return arena_fmt(a, "%s, %s", part_series_title(a, &k->series), k->metric->name);
}

/* What to say when there is no table. */
static const char *nothing_words(struct arena *a, const struct compare *cmp)
{
	const char *asked = cmp->commits[0].asked;

	if (cmp->across)
		return arena_fmt(a, "No two series of %s differ in %s alone.", asked, cmp->across);
	if (cmp->pairs)
		return arena_str(a, "No series has results of both commits of a pair.");
	if (cmp->ncommits > 1)
		return arena_fmt(a, "No series has results of %s and of another commit asked for.",
				 asked);
	return arena_fmt(a, "No series has results of %s.", asked);
}

/* A reader of a page must not take its tables for all of them. */
static void write_more(struct compare_answer *x)
{
	if (x->cmp->next >= 0 && x->stop_after)
		out_fmt(x->o, "\nThere are more tables: go on with cursor=%lld\n",
			(long long)x->cmp->next);
}

int compare_txt(struct compare_answer *x)
{
	struct arena *a = x->c->arena;
	struct compare_table t;
	int rc;

	while ((rc = compare_answer_next(x, &t)) == COMPARE_TABLE) {
		if (x->cmp->ntables > 1)
			out_char(x->o, '\n');
		robot_table(x->o, x->cmp, &t);
	}
	if (x->cmp->ntables == 0) {
		robot_text(x->o, nothing_words(a, x->cmp));
		out_char(x->o, '\n');
	}
	write_more(x);
	/* Under three commits nothing is added: the robot's table is all that is expected. */
	for (size_t i = 0; x->cmp->versions && i < x->cmp->nkept; i++) {
		const struct compare_kept *k = &x->cmp->kept[i];

		out_str(x->o, i ? "" : "\n");
		robot_text(x->o, arena_fmt(a, "%s: %s%s%s", compare_kept_place(a, k),
					   compare_kept_words(a, k), compare_kept_interval(a, k),
					   compare_kept_fix(a, k)));
		out_char(x->o, '\n');
	}
	return rc;
}

int compare_md(struct compare_answer *x)
{
	struct arena *keep = x->c->arena;
	struct compare_table t;
	int rc;

	while ((rc = compare_answer_next(x, &t)) == COMPARE_TABLE) {
		if (x->cmp->ntables > 1)
			out_char(x->o, '\n');
		markdown_table(x->o, x->scratch, x->cmp, &t, x->public_url);
	}
	if (x->cmp->ntables == 0) {
		markdown_text(x->o, nothing_words(keep, x->cmp));
		out_char(x->o, '\n');
	}
	write_more(x);
	for (size_t i = 0; i < x->cmp->nkept; i++) {
		const struct compare_kept *k = &x->cmp->kept[i];

		out_str(x->o, i ? "- " : "\n- ");
		markdown_text(x->o, compare_kept_place(keep, k));
		out_str(x->o, ": **");
		markdown_text(x->o, compare_kept_words(keep, k));
		out_fmt(x->o, "**%s%s\n", compare_kept_interval(keep, k),
			compare_kept_fix(keep, k));
	}
	return rc;
}
