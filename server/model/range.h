/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits of a range with what was measured on them: of one metric in one series the values,
 * the change to the measured commit below, and where the largest judged change lies; without, how
 * many series measured each. Only what a page shows is read; the walk itself is whole.
 */
#ifndef MODEL_RANGE_H
#define MODEL_RANGE_H

#include "server/history/range.h"
#include "server/model/history.h"

struct range_query {
	const char *asked;           /* A..B or A...B */
	const char *series, *metric; /* both or none; NULL */
	bool first_parent;
	size_t limit, first; /* what a page shows: so many, from that one on */
};

/* One commit of the page. */
struct range_row {
	int64_t position, row; /* 0: git does not know it; nobody measured it */
	const char *id;        /* 40 digits, a stub, a ref */
	const char *name;      /* cut to 12 digits */
	const char *subject;   /* NULL */
	int64_t date;
	bool merge;
	int64_t nseries, findings;               /* that measured it; that begin with it */
	int64_t builds, failed_builds, warnings; /* builds that were told of, of these bad ones */
	/* of the metric */
	const struct history_point *point; /* NULL: not measured */
	const struct history_point *below; /* what it is held against, NULL: nothing */
	double change;                     /* history_change() of the two, NAN */
	bool suspect;                      /* may have made the step */
};

/* The largest change between measured neighbours in the range that is one by the rule; without one
 * the largest that it suspects. */
struct range_step {
	const struct history_point *good, *bad;
	const struct cell *cell; /* of bad, judged against good; in the arena */
	enum rule_version rule;  /* … by this */
	double change;
	size_t nsuspects; /* commits of good..bad */
	size_t outside;   /* of these not in the range: good is older than it */
};

struct range_suggestion {
	const char *id, *name; /* of the commit; NULL: there is none */
	int64_t runs;
	const char *why;
};

struct range {
	struct revision_range ends;
	size_t total; /* commits of the range */
	bool cut;     /* there are more, without git, than are walked */
	struct range_row *rows;
	size_t nrows;
	int64_t next; /* where the next page begins, -1 */
	/* of the metric */
	struct history history;        /* of the whole series; metric NULL: none was asked for */
	size_t measured;               /* commits of the range with a value */
	const struct range_step *step; /* NULL: nothing changed by the rule */
	struct range_suggestion suggestion;
};

/* The name as a list of commits shows it: ids cut to 12 digits. */
const char *range_short(struct arena *a, const char *name);

/* E_INVALID (no range), E_NOTFOUND and E_AMBIGUOUS (a side: then *many is filled; the series; the
 * metric). */
int range_load(struct ctx *c, const struct range_query *q, struct range *out,
	       struct commit_list *many);

#endif
