/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the surroundings of the compared runs: host, kernel command line, firmware …
 * A key is listed when two columns that told something about their runs do not say the same, or
 * runs of one column disagree. A column that told nothing at all differs in nothing.
 */
#include "server/model/compare_table.h"

#include "server/base/arena.h"

#define VALUES_SHOWN 4 /* distinct ones of a column, then "…" */

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Every key that any run has, sorted, each once. */
static const char **all_keys(struct arena *a, const struct cell_data *cells, size_t ncols,
			     size_t *n)
{
	size_t total = 0, kept = 0, at = 0;
	const char **keys;

	for (size_t i = 0; i < ncols; i++)
		for (size_t r = 0; cells[i].ninfos && r < cells[i].column.nruns; r++)
			total += cells[i].ninfos[r];
	keys = arena_array(a, const char *, total);
	for (size_t i = 0; i < ncols; i++)
		for (size_t r = 0; cells[i].ninfos && r < cells[i].column.nruns; r++)
			for (size_t k = 0; k < cells[i].ninfos[r]; k++)
				keys[at++] = cells[i].infos[r][k].name;
	if (total)
		qsort(keys, total, sizeof(*keys), by_text);
	for (size_t i = 0; i < total; i++)
		if (i == 0 || strcmp(keys[i], keys[kept - 1]) != 0)
			keys[kept++] = keys[i];
	*n = kept;
	return keys;
}

static const char *info_value(const struct cell_data *cell, size_t run, const char *key)
{
	for (size_t i = 0; i < cell->ninfos[run]; i++)
		if (strcmp(cell->infos[run][i].name, key) == 0)
			return cell->infos[run][i].value;
	return NULL;
}

static bool tells_anything(const struct cell_data *cell)
{
	for (size_t r = 0; cell->ninfos && r < cell->column.nruns; r++)
		if (cell->ninfos[r])
			return true;
	return false;
}

/* The distinct values of a column joined by ", ", NULL when no run has the key. */
static const char *column_value(struct arena *a, const struct cell_data *cell, const char *key,
				bool *several)
{
	const char *seen[VALUES_SHOWN];
	const char *text = NULL;
	size_t n = 0;

	for (size_t r = 0; cell->ninfos && r < cell->column.nruns; r++) {
		const char *v = info_value(cell, r, key);
		size_t i = 0;

		if (!v)
			continue;
		while (i < n && strcmp(seen[i], v) != 0)
			i++;
		if (i < n)
			continue;
		if (n == VALUES_SHOWN)
			return arena_fmt(a, "%s, …", text);
		seen[n++] = v;
		*several |= n > 1;
		text = text ? arena_fmt(a, "%s, %s", text, v) : v;
	}
	return text;
}

/* True when the columns that told something disagree about the key. */
static bool columns_differ(const struct cell_data *cells, const char *const *values, size_t ncols)
{
	const char *first = NULL;
	bool known = false;

	for (size_t i = 0; i < ncols; i++) {
		if (!tells_anything(&cells[i]))
			continue;
		if (!known)
			first = values[i];
		else if (!first != !values[i] || (first && strcmp(first, values[i]) != 0))
			return true;
		known = true;
	}
	return false;
}

void compare_infos(struct arena *a, const struct cell_data *cells, struct compare_table *t)
{
	size_t nkeys = 0;
	const char **keys = all_keys(a, cells, t->ncols, &nkeys);

	t->infos = arena_array(a, struct info_difference, nkeys);
	for (size_t k = 0; k < nkeys; k++) {
		const char **values = arena_array(a, const char *, t->ncols);
		bool several = false;

		for (size_t i = 0; i < t->ncols; i++)
			values[i] = column_value(a, &cells[i], keys[k], &several);
		if (several || columns_differ(cells, values, t->ncols))
			t->infos[t->ninfos++] = (struct info_difference){keys[k], values};
	}
}
