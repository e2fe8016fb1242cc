/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One commit, several names: uploads may call it by its id, by a tag, by a prefix, and each name
 * has a row of its own, since git may learn of the commit later, or forget it. What git has at one
 * position is one commit to a reader, so a comparison gathers what came under any of its names.
 * Names that are only aliases of a row lead to that row anyway.
 */
#include "server/model/compare_table.h"

#include "db/around.h"
#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

static int is_measured(struct ctx *c, int64_t row, bool *is)
{
	struct measured *m;
	size_t n;
	int rc = measured_of_commit(c, row, 1, &m, &n);

	*is = rc >= 0 && n > 0;
	return rc;
}

int compare_find_names(struct ctx *c, struct compare_commit *k)
{
	int64_t *ids = NULL, *rows;
	struct commit *names;
	size_t n = 0;
	int rc = k->commit.position ? git_commit_rows(c, k->commit.position, &ids, &n) : E_OK;

	rows = arena_array(c->arena, int64_t, n + 1);
	names = arena_array(c->arena, struct commit, n + 1);
	rows[0] = k->commit.id;
	names[0] = k->commit;
	k->nnames = 1;
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		bool is = false;

		if (ids[i] != k->commit.id)
			rc = is_measured(c, ids[i], &is);
		if (rc < 0 || !is)
			continue;
		rc = commit_get(c, ids[i], &names[k->nnames]);
		rows[k->nnames++] = ids[i];
	}
	k->rows = rows;
	k->names = names;
	return rc;
}

bool compare_same_commit(const struct commit *a, const struct commit *b)
{
	return a->id == b->id || (a->position && a->position == b->position);
}

const int64_t *compare_rows_of(struct arena *a, const struct compare_commit *commits, size_t n,
			       size_t *nrows)
{
	size_t total = 0;
	int64_t *rows;

	for (size_t i = 0; i < n; i++)
		total += commits[i].nnames;
	rows = arena_array(a, int64_t, total);
	*nrows = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < commits[i].nnames; k++)
			rows[(*nrows)++] = commits[i].rows[k];
	return rows;
}

static int by_number(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

size_t compare_merge_ids(int64_t *ids, size_t n, size_t limit)
{
	size_t kept = 0;

	if (n)
		qsort(ids, n, sizeof(*ids), by_number);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			ids[kept++] = ids[i];
	return kept < limit ? kept : limit;
}

/* Each name's own list is whole up to its limit, so the smallest of all lists are, too. */
int compare_shared(struct ctx *c, const struct compare_commit *base, const int64_t *others,
		   size_t nothers, int64_t after, size_t limit, int64_t **ids, size_t *n)
{
	int64_t *all = NULL;
	size_t total = 0, cap = 0;

	for (size_t i = 0; i < base->nnames; i++) {
		int rc = series_shared(c, base->rows[i], others, nothers, after, limit, ids, n);

		if (rc < 0 || base->nnames == 1)
			return rc;
		all = arena_grow(c->arena, all, &cap, total + *n, sizeof(*all));
		for (size_t k = 0; k < *n; k++)
			all[total++] = (*ids)[k];
	}
	*ids = all;
	*n = compare_merge_ids(all, total, limit);
	return E_OK;
}

int compare_peers(struct ctx *c, int64_t series_id, const struct compare_commit *base,
		  const struct compare_commit *commit, size_t limit, int64_t **ids, size_t *n)
{
	int64_t *all = NULL;
	size_t total = 0, cap = 0, nfound;

	for (size_t i = 0; i < base->nnames; i++)
		for (size_t k = 0; k < commit->nnames; k++) {
			int64_t *found;
			int rc = around_peers(c, series_id, base->rows[i], commit->rows[k], limit,
					      &found, &nfound);

			if (rc < 0)
				return rc;
			all = arena_grow(c->arena, all, &cap, total + nfound, sizeof(*all));
			for (size_t f = 0; f < nfound; f++)
				all[total++] = found[f];
		}
	*ids = all;
	*n = total;
	if (base->nnames > 1 || commit->nnames > 1)
		*n = compare_merge_ids(all, total, limit);
	return E_OK;
}

int compare_span(struct ctx *c, int64_t series_id, const int64_t *rows, size_t n, int64_t *first,
		 int64_t *last)
{
	*first = *last = TIME_NONE;
	for (size_t i = 0; i < n; i++) {
		int64_t from, to;
		int rc = around_span(c, series_id, rows[i], &from, &to);

		if (rc < 0)
			return rc;
		if (from == TIME_NONE)
			continue;
		*first = *first == TIME_NONE || from < *first ? from : *first;
		*last = *last == TIME_NONE || to > *last ? to : *last;
	}
	return E_OK;
}

int compare_measured(struct ctx *c, const struct compare_commit *k, size_t max, size_t *nseries,
		     int64_t *runs)
{
	int64_t *ids = NULL;
	size_t total = 0, cap = 0;

	*runs = 0;
	for (size_t i = 0; i < k->nnames; i++) {
		struct measured *m;
		size_t n;
		int rc = measured_of_commit(c, k->rows[i], max, &m, &n);

		if (rc < 0)
			return rc;
		ids = arena_grow(c->arena, ids, &cap, total + n, sizeof(*ids));
		for (size_t j = 0; j < n; j++) {
			*runs += m[j].runs;
			ids[total++] = m[j].series_id;
		}
	}
	*nseries = compare_merge_ids(ids, total, max);
	return E_OK;
}
