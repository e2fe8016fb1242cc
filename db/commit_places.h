/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where commits stand: the meeting point of what uploads told (rows of commits) and what git knows
 * (positions). Asked by server/history/, which walks.
 */
#ifndef DB_COMMIT_PLACES_H
#define DB_COMMIT_PLACES_H

#include "db/engine.h"

#define PLACES_MAX 100000 /* of one series */

struct commit_place {
	int64_t commit_id, position; /* position 0: git does not know it */
	int kind;                    /* of its name, enum commit_kind */
	int64_t date;                /* of the commit, TIME_NONE */
	int64_t first_received;      /* in the series; of one commit alone: anywhere */
	bool has_data;               /* something that counts was measured */
};

/* Every commit of the series that is in view, by row; at most PLACES_MAX. */
int places_of_series(struct ctx *c, int64_t series_id, struct commit_place **out, size_t *n);
/* E_NOTFOUND. */
int place_of_commit(struct ctx *c, int64_t commit_id, struct commit_place *out);
/* The first parent that uploads told; commit_id 0: they told none. */
int place_of_parent(struct ctx *c, int64_t commit_id, struct commit_place *out);

/* Up to max commits of which uploads told that this one is a parent, all generations, into ids;
 * *all is false when there are more. */
int place_descendants(struct ctx *c, int64_t commit_id, size_t max, int64_t *ids, size_t *n,
		      bool *all);

/* The row that has exactly this name (an id, a stub, an alias, in lower case), 0: none or several,
 * or an alias that several commits of git fit by now. */
int commit_named(struct ctx *c, const char *name, int64_t *commit_id);

/* What stands in lists of commits beside each. */
struct commit_facts {
	int64_t series;   /* that measured it */
	int64_t findings; /* that name it as their first bad commit */
	int64_t builds, failed_builds, warnings;
};
int commit_facts(struct ctx *c, int64_t commit_id, struct commit_facts *out);

#endif
