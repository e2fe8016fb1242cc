/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A change in a report is against the first column of its table, which is named by an id, perhaps a
 * cut one, or by a tag. It may be shown as it came only where that column is the base that a reader
 * sees.
 */
#include "server/model/printed.h"

#include "server/base/arena.h"

static bool names_commit(const char *said, const struct commit *k, const char *asked)
{
	size_t n = strlen(said), m = strlen(k->name);
	bool hex = false;

	if (strcmp(said, k->name) == 0 || (asked && strcmp(said, asked) == 0))
		return true;
	return k->kind != COMMIT_REF && commit_name_valid(said, &hex) && hex &&
	       strncmp(said, k->name, n < m ? n : m) == 0;
}

static bool names_any(const char *said, const struct commit *names, size_t n, const char *asked)
{
	bool is = false;

	for (size_t i = 0; i < n && !is; i++)
		is = names_commit(said, &names[i], asked);
	return is;
}

const struct summary_cell *printed_match(struct arena *a, const struct comparison_column *col,
					 const struct commit *base, size_t nbase, const char *asked)
{
	struct summary_cell *cells = arena_array(a, struct summary_cell, col->ncells);
	const char *last = NULL;
	bool matches = false;

	for (size_t i = 0; i < col->ncells; i++) {
		const char *said = col->cells[i].printed_base;

		cells[i] = col->cells[i];
		if (said && (!last || strcmp(said, last) != 0))
			matches = names_any(said, base, nbase, asked);
		if (said)
			last = said;
		cells[i].printed_base_matches = said && matches;
	}
	return cells;
}
