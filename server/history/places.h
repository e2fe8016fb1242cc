/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measured commits of a series by git's positions, kept for as long as the data do not change:
 * what the walks of ancestors.c and line.c hold against the graph. Nobody outside of history/
 * includes it.
 */
#ifndef HISTORY_PLACES_H
#define HISTORY_PLACES_H

#include "db/commit_places.h"

struct series_places {
	/* Those that git knows, ascending. Names of one commit have one position, the one that it
	 * goes by last (as in db/runs.h), and each of them has what was measured under any. */
	struct commit_place *by_position;
	size_t npositions;
	struct commit_place *by_commit; /* all, by row */
	size_t n;
	/* inside */
	char *database;
	int64_t series_id, generation;
	size_t users;
	uint64_t used;
};

/* What c's snapshot knows; to be handed back by places_release before its end. */
int places_acquire(struct ctx *c, int64_t series_id, struct series_places **out);
void places_release(struct series_places *s);

/* The commit's place in the series, NULL: it was not measured there. */
const struct commit_place *places_find(const struct series_places *s, int64_t commit_id);
/* How many of by_position stand at positions up to p. */
size_t places_up_to(const struct series_places *s, uint32_t p);
/* All names of the commit of a place, the one that it goes by last. */
const struct commit_place *places_names(const struct series_places *s, const struct commit_place *k,
					size_t *n);

static inline void places_cleanup(struct series_places **s)
{
	places_release(*s);
}
#define auto_places __attribute__((cleanup(places_cleanup)))

#endif
