/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One commit across an axis: its series that are equal but for that axis stand side by side, one
 * table a group. A series that does not have the axis stands with them under "none". A group is
 * known by its smallest series id, which is also what the cursor counts, so that pages stay put
 * when later uploads add to a group.
 */
#include "server/model/compare_table.h"

#include "server/base/arena.h"
#include "server/base/digest.h"

#define BATCH      100
#define SERIES_MAX 20000 /* of a commit that are looked at */

struct digest compare_rest_digest(struct arena *a, const struct series *s, const char *axis)
{
	struct pair *rest = arena_array(a, struct pair, s->naxes);
	size_t n = 0;

	for (size_t i = 0; i < s->naxes; i++)
		if (strcmp(s->axes[i].name, axis) != 0)
			rest[n++] = s->axes[i];
	return series_digest(rest, n);
}

struct member {
	struct digest rest;
	int64_t id, first; /* first: the smallest id of its group */
};

static int by_rest(const void *x, const void *y)
{
	const struct member *a = x, *b = y;
	int c = memcmp(&a->rest, &b->rest, sizeof(a->rest));

	return c ? c : (a->id > b->id) - (a->id < b->id);
}

static int by_group(const void *x, const void *y)
{
	const struct member *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

struct members {
	struct member *m;
	size_t n, cap;
};

/* Notes one series if it may stand in a table. scratch is for the rest of this series. */
static int add_member(struct ctx *c, const struct compare_query *q, struct arena *scratch,
		      int64_t id, struct members *all)
{
	struct arena *keep = c->arena;
	struct member m = {.id = id};
	struct series s;
	bool fits = false;
	int rc;

	arena_reset(scratch);
	c->arena = scratch;
	rc = series_get_id(c, id, &s);
	if (rc >= 0 && (fits = compare_has_axes(q, &s)))
		m.rest = compare_rest_digest(scratch, &s, q->across);
	c->arena = keep;
	if (rc < 0 || !fits)
		return rc;
	all->m = arena_grow(c->arena, all->m, &all->cap, all->n + 1, sizeof(*all->m));
	all->m[all->n++] = m;
	return E_OK;
}

static int find_members(struct ctx *c, const struct compare_query *q, const struct compare *cmp,
			struct members *all)
{
	auto_arena struct arena *scratch = arena_new();
	int64_t after = 0;

	for (size_t seen = 0; seen < SERIES_MAX;) {
		int64_t *ids;
		size_t n;
		int rc = compare_shared(c, &cmp->commits[0], NULL, 0, after, BATCH, &ids, &n);

		for (size_t i = 0; rc >= 0 && i < n; i++)
			rc = add_member(c, q, scratch, ids[i], all);
		if (rc < 0 || n < BATCH)
			return rc < 0 ? rc : E_OK;
		after = ids[n - 1];
		seen += n;
	}
	return E_OK;
}

/* The group of the series that was asked for by name, 0 when it has none. */
static int find_wanted(struct ctx *c, const struct compare_query *q, const struct members *all,
		       int64_t *first)
{
	struct series s;
	int rc = series_get(c, q->series, &s);

	*first = 0;
	if (rc == E_NOTFOUND) {
		ctx_clear(c);
		return E_OK;
	}
	for (size_t i = 0; rc >= 0 && i < all->n; i++)
		if (all->m[i].id == s.id)
			*first = all->m[i].first;
	return rc < 0 ? rc : E_OK;
}

int compare_find_groups(struct ctx *c, const struct compare_query *q, struct compare *cmp)
{
	struct members all = {0};
	int64_t wanted = -1;
	int rc = find_members(c, q, cmp, &all);

	if (rc < 0 || all.n == 0)
		return rc;
	qsort(all.m, all.n, sizeof(*all.m), by_rest);
	for (size_t i = 0; i < all.n; i++) {
		bool same = i && !memcmp(&all.m[i].rest, &all.m[i - 1].rest, sizeof(all.m[i].rest));

		all.m[i].first = same ? all.m[i - 1].first : all.m[i].id;
	}
	qsort(all.m, all.n, sizeof(*all.m), by_group);
	if (q->series && (rc = find_wanted(c, q, &all, &wanted)) < 0)
		return rc;
	cmp->ids = arena_array(c->arena, int64_t, 2 * all.n);
	for (size_t i = 0; i < all.n; i++) {
		if (all.m[i].first <= q->after || (wanted >= 0 && all.m[i].first != wanted))
			continue;
		cmp->ids[cmp->nids++] = all.m[i].first;
		cmp->ids[cmp->nids++] = all.m[i].id;
	}
	return E_OK;
}

static int by_value(const void *x, const void *y)
{
	const struct compare_column *a = x, *b = y;

	if (!a->value || !b->value)
		return !b->value - !a->value;
	return strcmp(a->value, b->value);
}

/* The base stands first. False: the group does not have the one that was asked for. */
static bool put_base_first(struct compare_column *columns, size_t n, const char *base)
{
	size_t i = 0;
	struct compare_column first;

	if (!base)
		return true;
	while (i < n && (!columns[i].value || strcmp(columns[i].value, base) != 0))
		i++;
	if (i == n)
		return false;
	first = columns[i];
	memmove(columns + 1, columns, i * sizeof(*columns));
	columns[0] = first;
	return true;
}

/* The columns of the group that begins at cmp->at, which moves behind it. */
static int read_group(struct ctx *c, struct compare *cmp, struct compare_column **columns,
		      size_t *n)
{
	int64_t first = cmp->ids[cmp->at];
	size_t end = cmp->at;

	while (end < cmp->nids && cmp->ids[end] == first)
		end += 2;
	*n = 0;
	*columns = arena_array(c->arena, struct compare_column, (end - cmp->at) / 2);
	for (; cmp->at < end; cmp->at += 2) {
		struct compare_column *col = &(*columns)[(*n)++];
		int rc = series_get_id(c, cmp->ids[cmp->at + 1], &col->series);

		if (rc < 0)
			return rc;
		col->commit = &cmp->commits[0];
		col->value = series_axis(&col->series, cmp->across);
		col->name = col->value ? col->value : "none";
	}
	qsort(*columns, *n, sizeof(**columns), by_value);
	return E_OK;
}

int compare_next_group(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		       struct compare_table *t)
{
	while (cmp->at < cmp->nids) {
		int64_t first = cmp->ids[cmp->at];
		struct compare_column *columns;
		size_t n;
		int rc = read_group(c, cmp, &columns, &n);

		if (rc < 0)
			return rc;
		if (n < 2 || !put_base_first(columns, n, q->base))
			continue;
		if (cmp->ntables >= cmp->limit) {
			cmp->next = cmp->last;
			return COMPARE_END;
		}
		*t = (struct compare_table){.series = columns[0].series, .columns = columns};
		t->ncols = n < COMPARE_ACROSS_MAX ? n : COMPARE_ACROSS_MAX;
		t->left_out = n - t->ncols;
		rc = compare_table_load(c, q, t);
		if (rc == COMPARE_NOTHING)
			continue;
		cmp->last = first;
		return rc < 0 ? rc : COMPARE_TABLE;
	}
	return COMPARE_END;
}
