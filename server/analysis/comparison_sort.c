/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders of a comparison's rows. Each row first gets its keys, so that a comparison of two rows is
 * a few numbers; names are only read where their first bytes are equal. Every order ends with the
 * name and the id: no two rows are equal, and the same rows always come out the same way.
 */
#include "server/analysis/comparison.h"

#include <math.h>

#include "server/base/digest.h"
#include "server/base/err.h"

struct group {
	const char *name; /* the text before the first '.', len bytes */
	unsigned len;
	bool fails; /* its rows count fails of runs */
	bool own;   /* the test's own figures */
	size_t size, rank;
};

struct entry {
	struct comparison_row row;
	size_t group;       /* robot's order: index of the group, later its rank */
	double first, last; /* numbers to sort by, smallest first */
	uint64_t bytes[2];  /* the name from its first '.' on, as two numbers */
};

static void *must_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory (%zu rows)", n);
	return p;
}

static int compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct entry *a, const struct entry *b)
{
	const struct metric *x = a->row.metric, *y = b->row.metric;
	int by_name = strcmp(x->name, y->name);

	if (by_name)
		return by_name;
	return (x->id > y->id) - (x->id < y->id);
}

static int compare_by_name(const void *a, const void *b)
{
	return compare_names(a, b);
}

/* By the two numbers, then by name. */
static int compare_by_numbers(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = compare_numbers(x->first, y->first);

	if (!c)
		c = compare_numbers(x->last, y->last);
	return c ? c : compare_names(x, y);
}

/* Profile rows: by the second part of their names, then by change. */
static int compare_profiles(const struct entry *a, const struct entry *b)
{
	const char *x = a->row.metric->name + a->row.metric->facts.prefix_len + 1;
	const char *y = b->row.metric->name + b->row.metric->facts.prefix_len + 1;
	size_t nx = strcspn(x, "."), ny = strcspn(y, ".");
	int c = memcmp(x, y, nx < ny ? nx : ny);

	if (c)
		return c;
	if (nx != ny)
		return nx < ny ? -1 : 1;
	c = compare_numbers(a->first, b->first);
	return c ? c : compare_names(a, b);
}

static int compare_by_group(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->row.metric->facts.is_profile && y->row.metric->facts.is_profile)
		return compare_profiles(x, y);
	for (int i = 0; i < 2; i++)
		if (x->bytes[i] != y->bytes[i])
			return x->bytes[i] < y->bytes[i] ? -1 : 1;
	return compare_names(x, y);
}

/* Groups with failures first; the test's own first among the others; small ones before large. */
static int compare_groups(const void *a, const void *b)
{
	const struct group *x = *(const struct group *const *)a;
	const struct group *y = *(const struct group *const *)b;
	unsigned shorter = x->len < y->len ? x->len : y->len;
	int c;

	if (x->fails != y->fails)
		return x->fails ? -1 : 1;
	if (x->own != y->own)
		return x->own ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	c = memcmp(x->name, y->name, shorter);
	if (c)
		return c;
	return (x->len > y->len) - (x->len < y->len);
}

/* Eight bytes of text as a number that sorts like them; s stays behind them or at its end. */
static uint64_t take_bytes(const char **s)
{
	uint64_t n = 0;

	for (int i = 0; i < 8; i++) {
		n = n << 8 | (unsigned char)**s;
		*s += **s != '\0';
	}
	return n;
}

static bool group_is(const struct group *g, const struct metric *m, bool fails)
{
	return g->fails == fails && g->len == m->facts.prefix_len &&
	       memcmp(g->name, m->name, g->len) == 0;
}

static bool group_is_own(const struct metric *m, const char *testcase)
{
	unsigned len = m->facts.prefix_len;

	return len && strncmp(testcase, m->name, len) == 0 &&
	       (testcase[len] == '\0' || testcase[len] == '-');
}

/* The row's group, made when it is the first of it. slots is a table of indices + 1, mask its last
 * index; it is never full. */
static size_t group_of(struct group *groups, size_t *ngroups, size_t *slots, size_t mask,
		       const struct comparison *c, const struct comparison_row *r)
{
	const struct metric *m = r->metric;
	bool fails = row_counts_fails(r, c->ncols);
	size_t i = (hash_bytes(m->name, m->facts.prefix_len) + fails) & mask;

	while (slots[i] && !group_is(&groups[slots[i] - 1], m, fails))
		i = (i + 1) & mask;
	if (!slots[i]) {
		groups[*ngroups] = (struct group){
			.name = m->name,
			.len = m->facts.prefix_len,
			.fails = fails,
			.own = !fails && group_is_own(m, c->testcase),
		};
		slots[i] = ++*ngroups;
	}
	groups[slots[i] - 1].size++;
	return slots[i] - 1;
}

/* Sets each entry's group to the rank of its group. */
static void rank_groups(struct entry *entries, const struct comparison *c)
{
	size_t ngroups = 0, cap = 16;
	struct group *groups = must_alloc(c->nrows, sizeof(*groups)), **order;
	size_t *slots;

	while (cap < 2 * c->nrows)
		cap *= 2;
	slots = must_alloc(cap, sizeof(*slots));
	for (size_t i = 0; i < c->nrows; i++)
		entries[i].group = group_of(groups, &ngroups, slots, cap - 1, c, &entries[i].row);
	order = must_alloc(ngroups, sizeof(struct group *));
	for (size_t g = 0; g < ngroups; g++)
		order[g] = &groups[g];
	qsort(order, ngroups, sizeof(struct group *), compare_groups);
	for (size_t g = 0; g < ngroups; g++)
		order[g]->rank = g;
	for (size_t i = 0; i < c->nrows; i++)
		entries[i].group = groups[entries[i].group].rank;
	free(order);
	free(slots);
	free(groups);
}

/* How much a cell moved, in percent or, for what is compared by difference, in points. */
static double cell_size(const struct comparison_row *r, const struct cell *c)
{
	if (c->show_printed)
		return fabs(c->summary->printed_change);
	if (!isnan(c->reproduction_pct))
		return fabs(c->reproduction_pct);
	if (r->metric->facts.kind == KIND_PERCENT || isnan(c->change_abs))
		return fabs(c->change_abs);
	return isnan(c->change_pct) ? INFINITY : fabs(c->change_pct);
}

/* The largest move among the cells that gave the row its verdict. */
static double row_size(const struct comparison_row *r, size_t ncols)
{
	double size = 0;

	for (size_t c = 1; c < ncols; c++)
		if (r->cells[c].judged && r->cells[c].verdict == r->verdict)
			size = fmax(size, cell_size(r, &r->cells[c]));
	return size;
}

static double row_least(const struct comparison_row *r, size_t ncols, bool q)
{
	double least = INFINITY;

	for (size_t c = 1; c < ncols; c++)
		least = fmin(least, q ? r->cells[c].q : r->cells[c].p);
	return least;
}

/* The change that profile rows are sorted by: the first that is known. */
static double row_first_change(const struct comparison_row *r, size_t ncols)
{
	for (size_t c = 1; c < ncols; c++)
		if (r->cells[c].judged && !isnan(r->cells[c].change_abs))
			return r->cells[c].change_abs;
	return INFINITY;
}

static void entry_fill(struct entry *e, size_t ncols, enum row_order order)
{
	const struct metric *m = e->row.metric;
	const char *rest = m->name + m->facts.prefix_len;

	switch (order) {
	case ORDER_ROBOT:
		e->first = m->facts.is_profile ? row_first_change(&e->row, ncols) : 0;
		e->bytes[0] = take_bytes(&rest);
		e->bytes[1] = take_bytes(&rest);
		break;
	case ORDER_CHANGE:
		e->first = -verdict_weight(e->row.verdict);
		e->last = -row_size(&e->row, ncols);
		break;
	case ORDER_CONFIDENCE:
		e->first = row_least(&e->row, ncols, true);
		e->last = row_least(&e->row, ncols, false);
		break;
	case ORDER_NAME:
		break;
	}
}

void comparison_sort(struct comparison *c, enum row_order order)
{
	static int (*const compare[])(const void *, const void *) = {
		[ORDER_ROBOT] = compare_by_group,
		[ORDER_CHANGE] = compare_by_numbers,
		[ORDER_NAME] = compare_by_name,
		[ORDER_CONFIDENCE] = compare_by_numbers,
	};
	struct entry *entries = must_alloc(c->nrows, sizeof(*entries));

	for (size_t i = 0; i < c->nrows; i++) {
		entries[i].row = c->rows[i];
		entry_fill(&entries[i], c->ncols, order);
	}
	if (order == ORDER_ROBOT)
		rank_groups(entries, c);
	qsort(entries, c->nrows, sizeof(*entries), compare[order]);
	for (size_t i = 0; i < c->nrows; i++)
		c->rows[i] = entries[i].row;
	free(entries);
}
