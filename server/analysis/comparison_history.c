/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit before a base, made once from its runs: what each metric comes to is kept with its
 * values, since the scale that it is judged on depends on the other commits, too.
 */
#include "server/analysis/comparison.h"

#include "server/analysis/comparison_values.h"
#include "server/base/arena.h"

bool history_cell_fill(struct arena *a, const struct comparison_column *col, size_t room,
		       struct history_cell *out)
{
	struct comparison_column runs = {.runs = col->runs, .nruns = col->nruns};
	struct metric_index all;
	struct column_values values;
	struct rule_group *groups;
	uint32_t *ids;

	*out = (struct history_cell){0};
	metric_index_init(a, &runs, 1, &all);
	if (!column_values_gather(a, &all, &runs, &room, &values))
		return false;
	ids = arena_array(a, uint32_t, all.n);
	groups = arena_array(a, struct rule_group, all.n);
	for (size_t k = 0; k < all.n; k++) {
		const struct metric_facts *f = &all.m[k]->facts;
		size_t n = values.start[k + 1] - values.start[k];

		if (!n || f->kind == KIND_FUNCTIONAL)
			continue;
		ids[out->n] = all.m[k]->id;
		rule_group_fill(&groups[out->n++], values.v + values.start[k], n);
		if (f->is_profile)
			out->profiled = n;
	}
	out->ids = ids;
	out->groups = groups;
	return true;
}
