/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measured ancestors. Git's first parents where git knows the commit, else the parents that uploads
 * told (which may lead into git's), else earlier commit dates of the series. All walks are bounded
 * and cached for as long as the data do not change. Rows that git has at one place are one commit,
 * which is told once, by one of them.
 */
#ifndef HISTORY_ANCESTORS_H
#define HISTORY_ANCESTORS_H

#include "server/base/err.h"

#define ANCESTOR_WALK_MAX 100000 /* commits looked at */

/* The nearest measured ancestor of a commit (a row) in a series: first parents first, then any
 * ancestor, the one with the largest position. E_NOTFOUND: none is known. */
int ancestor_measured(struct ctx *c, int64_t commit_id, int64_t series_id, int64_t *ancestor);
/* Up to max measured commits before it on the first-parent line, nearest last. Where neither git
 * nor uploads tell parents any more, others that are older for all that is known (ancestor_measured
 * knows none of these); where the last commit of the line has
 *	a date	those of earlier dates, and those without that were measured before that date;
 *	no date	those without that were uploaded earlier, unless some commit is told to descend from
 *		the line and was uploaded before it: then uploads came in another order.
 * What uploads told to descend from the line is never among them, whatever its date says. */
int measured_before(struct ctx *c, int64_t series_id, int64_t commit_id, size_t max, int64_t *ids,
		    size_t *n);
/* The same without the commit other, by whatever name, each with all rows of the series that git
 * has at its place. out has room for max; the rows live in the arena. */
struct measured_rows {
	const int64_t *ids;
	size_t n;
};
int measured_without(struct ctx *c, int64_t series_id, int64_t commit_id, int64_t other, size_t max,
		     struct measured_rows *out, size_t *n);
/* a is an ancestor of b, by git where it knows both, else by uploaded parents. */
int ancestor_is(struct ctx *c, int64_t a, int64_t b, bool *is);

/* The order of a series' measured commits: those on the first-parent chain of ref (NULL: the line
 * of the repository that knows most of them) in that order; every other one beside its nearest
 * ancestor on that chain; those that git does not know by date, else first upload. */
struct line_place {
	int64_t commit_id;
	bool on_line;      /* on the chain */
	bool hangs;        /* beside the chain: */
	int64_t beside_of; /* row of the nearest measured commit of the chain that is its ancestor;
			      0 */
	size_t given;      /* its place in the list that was to be ordered */
};
int history_line(struct ctx *c, int64_t series_id, const char *ref, struct line_place **out,
		 size_t *n, const char **line_name);

#endif
