/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A patch that is a fix: its base has a regression against what was measured before it, and the
 * patch takes some of that back. What was measured before is the nearest measured ancestor of the
 * base, series by series; with the base and the patch it is compared as /compare?commits=A,B,C
 * does. A patch that another one of the page is based on is no culprit. Said only where something
 * comes back: most patches have a base that is slower than some earlier commit, and do not touch
 * it.
 */
#include "server/model/patch_inside.h"

#include <math.h>

#include "db/series.h"
#include "server/base/arena.h"
#include "server/history/ancestors.h"
#include "server/model/compare_table.h"

#define SERIES_MAX   50 /* of a part, whose commits before the base are looked for */
#define BEFORE_MAX   3  /* different ones of these */
#define LEAST_POINTS 1  /* percent of the level, or points: less is taken for nothing */

/* A commit before the base, and the series in which it is the nearest. */
struct before {
	struct commit commit;
	int64_t series[SERIES_MAX];
	size_t n;
};

static bool is_part(const struct patch_page *p, const struct commit *k)
{
	for (size_t i = 0; i < p->nparts; i++)
		if (compare_same_commit(&p->parts[i].commit, k))
			return true;
	return false;
}

static void note_before(struct before *list, size_t *n, const struct commit *k, int64_t series)
{
	size_t i = 0;

	while (i < *n && !compare_same_commit(&list[i].commit, k))
		i++;
	if (i == BEFORE_MAX)
		return;
	if (i == *n)
		list[(*n)++] = (struct before){.commit = *k};
	list[i].series[list[i].n++] = series;
}

/* What was measured before the base, in the series that measured both the base and the part, under
 * whatever names. */
static int find_before(struct ctx *c, const struct patch_part *part, const struct commit *base,
		       struct before *list, size_t *n)
{
	struct compare_commit from = {.commit = *base}, to = {.commit = part->commit};
	int64_t *ids, row;
	size_t nids = 0;
	int e = compare_find_names(c, &from);

	*n = 0;
	if (e >= 0)
		e = compare_find_names(c, &to);
	if (e >= 0)
		e = compare_shared(c, &from, to.rows, to.nnames, 0, SERIES_MAX, &ids, &nids);
	for (size_t i = 0; e >= 0 && i < nids; i++) {
		struct commit before;

		e = ancestor_measured(c, base->id, ids[i], &row);
		if (e >= 0)
			e = commit_get(c, row, &before);
		if (e == E_NOTFOUND) {
			ctx_clear(c);
			e = E_OK;
		} else if (e >= 0) {
			note_before(list, n, &before, ids[i]);
		}
	}
	return e;
}

static bool is_of(const struct before *b, const struct compare_kept *k)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->series[i] == k->series.id)
			return true;
	return false;
}

/* With samples the interval tells whether it may be nothing, else the size must do. */
static bool takes_back(const struct compare_kept *k)
{
	double share = k->recovered.share;

	if (!(share * fabs(k->first) >= LEAST_POINTS))
		return false;
	return isnan(k->recovered.low) || k->recovered.low > 0;
}

static int compare_three(struct ctx *c, const struct patch_part *part, const struct commit *base,
			 const struct before *b, struct patch_recovered *out)
{
	auto_arena struct arena *scratch = arena_new();
	const char *asked[3] = {NULL, commit_address(c->arena, base),
				commit_address(c->arena, &part->commit)};
	struct compare_query q = {
		.asked = asked, .nasked = 3, .own_only = true, .role = -1, .limit = SERIES_MAX};
	struct commit_list many;
	struct compare_table t;
	struct compare cmp;
	int e;

	asked[0] = commit_address(c->arena, &b->commit);
	e = compare_load(c, &q, &cmp, &many);
	while (e >= 0 && (e = compare_next(c, &q, &cmp, scratch, &t)) == COMPARE_TABLE)
		;
	if (e == E_AMBIGUOUS || e == E_NOTFOUND) { /* a tag of several trees */
		ctx_clear(c);
		return E_OK;
	}
	if (e < 0)
		return e;
	out->compare = arena_fmt(c->arena, "%s,%s,%s", asked[0], asked[1], asked[2]);
	for (size_t i = 0; i < cmp.nkept; i++)
		if (is_of(b, &cmp.kept[i]) && takes_back(&cmp.kept[i]))
			cmp.kept[out->n++] = cmp.kept[i];
	out->kept = cmp.kept;
	return E_OK;
}

static int find_recovered(struct ctx *c, struct patch_part *part, const struct commit *base)
{
	struct before *list = arena_array(c->arena, struct before, BEFORE_MAX);
	struct patch_recovered *found = arena_array(c->arena, struct patch_recovered, BEFORE_MAX);
	size_t n;
	int e = find_before(c, part, base, list, &n);

	for (size_t i = 0; e >= 0 && i < n; i++) {
		e = compare_three(c, part, base, &list[i], &found[part->nrecovered]);
		if (e >= 0 && found[part->nrecovered].n)
			part->nrecovered++;
	}
	part->recovered = found;
	return e;
}

int patch_find_recovered(struct ctx *c, struct patch_page *out)
{
	size_t looked = 0;
	int e = E_OK;

	for (size_t i = out->nparts; i-- > 0 && e >= 0;) { /* the newest version first */
		struct patch_part *part = &out->parts[i];
		struct commit base;
		int64_t row = 0;

		if (!part->measured || !part->base || looked == PATCH_FIXES_MAX)
			continue;
		e = patch_base_row(c, part->base, &row);
		if (e >= 0 && row)
			e = commit_get(c, row, &base);
		if (e < 0 || !row || is_part(out, &base))
			continue;
		looked++;
		e = find_recovered(c, part, &base);
	}
	return e;
}
