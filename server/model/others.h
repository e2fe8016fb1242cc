/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other machines: the same metric and the same two commits in the series that are equal but for the
 * axes of class machine, and what all of them say together. Each was judged in its own comparison;
 * what came printed counts as what it says.
 */
#ifndef MODEL_OTHERS_H
#define MODEL_OTHERS_H

#include "db/series.h"
#include "server/analysis/comparison.h"

#define OTHERS_MAX 8 /* series that are looked at for one */

enum joint {
	JOINT_NONE,         /* nothing changed here that could be confirmed */
	JOINT_CONFIRMED,    /* it changed the same way on at least one other machine */
	JOINT_CONTRADICTED, /* it changed on another, always the other way */
	JOINT_ONLY_HERE,    /* others measured it, and it changed on none */
	JOINT_NOT_MEASURED, /* no other machine has it on both commits */
};
const char *joint_name(enum joint j); /* as in the JSON: "confirmed", "only here", …; NULL: none */

struct other {
	const struct series *series;
	const char *quarantined; /* its machine, not judged therefore; NULL: it is judged */
	const char *unit;        /* NULL: none */
	/* NULL: it does not have the metric, or is too large to be judged beside another. The cells
	 * have neither values nor what the rule kept. */
	const struct cell *base, *now;
};
struct others {
	enum joint joint;
	struct other *list; /* sorted by machine */
	size_t n;
	bool more;                                /* there are others that were not looked at */
	size_t measured, confirmed, contradicted; /* machines, each counted once */
	size_t suspected; /* suspect the same way: confirm nothing, but say so */
	bool reported;    /* all that confirm or contradict came printed */
};

/* Which way a cell changed against its base: 1 more, -1 less, 0 not at all or not known. */
int cell_way(const struct metric *m, const struct cell *base, const struct cell *c);
/* Fills what the list comes to beside the row's own cell. */
void others_join(struct others *o, const struct metric *m, const struct cell *base,
		 const struct cell *c);
/* "confirmed on 1 of 2 other machines", "only here, not on 2 other machines", "only here, but
 * suspect on 1 of 2 other machines", "the other way on 1 of 2 other machines", "not measured on
 * other machines"; NULL where there is nothing to say. */
const char *others_words(struct arena *a, const struct others *o);
/* Whether two series are equal but for the axes of class machine, and of different machines. */
bool series_is_peer(const struct series *a, const struct series *b);
/* Copies a cell so that it outlives the arena of its comparison, without its values. */
struct cell *cell_keep(struct arena *a, const struct cell *c);

#endif
