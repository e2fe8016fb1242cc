/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the range model. */
#ifndef MODEL_RANGE_INSIDE_H
#define MODEL_RANGE_INSIDE_H

#include "server/model/range.h"

/* A measured commit of the range. */
struct range_hit {
	size_t at; /* in the set */
	const struct history_point *point, *below;
	double change;
};

struct range_work {
	struct ctx *c;
	const struct range_query *q;
	struct range *out;
	enum rule_version rule; /* in force */
	struct range_set set;
	struct range_hit *hits; /* newest first */
	size_t nhits;
	bool *suspects; /* of the set; NULL: none */
};

/* Loads the history, finds what of it is in the range and what each is held against. */
int range_find_hits(struct range_work *w);
/* Finds the step among the hits, the suspects, and what to run next. */
int range_find_step(struct range_work *w);
int range_suggest(struct range_work *w, const uint32_t *suspects, size_t n);

#endif
