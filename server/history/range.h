/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits of a range, newest first: by git where it knows both sides, else by the parents that
 * uploads told, which may lead into git.
 */
#ifndef HISTORY_RANGE_H
#define HISTORY_RANGE_H

#include "server/history/revision.h"

#define RANGE_UPLOADED_MAX 10000 /* commits without git that are walked */

/* One of them: position 0: only uploads know it, then row is set. */
struct range_member {
	uint32_t position;
	int64_t row;
};
struct range_set {
	struct range_member *members;
	size_t n;
	bool cut; /* more than RANGE_UPLOADED_MAX without git: the rest is left out */
};
/* All of them, in the order of `git log --topo-order`; those that git does not know come first. */
int range_find(struct ctx *c, const struct revision_range *r, bool first_parent,
	       struct range_set *out);

/* Where to look next among suspects. members are closed downwards to good: all of good..bad. */
struct range_halving {
	uint32_t position;      /* 0: there is none */
	size_t if_bad, if_good; /* suspects that are left */
};
/* may: whether a commit may be tried; asked from the best on. positions: any order. Exact up to
 * RANGE_HALVING_MAX, above that among the first parents of bad. */
#define RANGE_HALVING_MAX 8192
int range_halve(struct ctx *c, const uint32_t *positions, size_t n, uint32_t bad,
		int (*may)(void *arg, uint32_t position, bool *yes), void *arg,
		struct range_halving *out);

#endif
