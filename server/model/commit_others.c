/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other machines on the commit page: all results of the commit are there already, each against its
 * own base, so a row only has to be found again in the results of the other machines. Pure.
 */
#include "server/model/commit.h"

#include "server/base/arena.h"

static const struct commit_row *find_in(const struct row_list *l, const struct metric *m)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].metric->id == m->id)
			return &l->rows[i];
	return NULL;
}

static const struct commit_row *find_row(const struct commit_result *x, const struct metric *m)
{
	const struct commit_row *row = find_in(&x->worst, m);

	if (!row)
		row = find_in(&x->best, m);
	return row ? row : find_in(&x->steady, m);
}

static void join_row(struct arena *a, struct commit_row *row,
		     const struct commit_result *const *peers, size_t n, bool more)
{
	struct others *o = arena_array(a, struct others, 1);

	o->list = arena_array(a, struct other, n ? n : 1);
	o->more = more;
	for (o->n = 0; o->n < n; o->n++) {
		const struct commit_result *peer = peers[o->n];
		const struct commit_row *same = find_row(peer, row->metric);
		struct other *out = &o->list[o->n];

		out->series = &peer->series;
		out->quarantined = peer->quarantined;
		if (!same)
			continue;
		out->unit = same->unit;
		out->base = &same->base;
		out->now = &same->now;
	}
	others_join(o, row->metric, &row->base, &row->now);
	row->others = o;
}

static void join_list(struct arena *a, struct row_list *l, const struct commit_result *const *peers,
		      size_t n, bool more)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].role != ROLE_MONITOR)
			join_row(a, &l->rows[i], peers, n, more);
}

static int by_machine(const void *x, const void *y)
{
	const struct commit_result *a = *(const struct commit_result *const *)x;
	const struct commit_result *b = *(const struct commit_result *const *)y;
	int d = strcmp(a->series.tbox_group, b->series.tbox_group);

	return d ? d : (a->series.id > b->series.id) - (a->series.id < b->series.id);
}

void commit_results_join(struct arena *a, struct commit_result *results, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct commit_result *peers[OTHERS_MAX];
		size_t found = 0;
		bool more = false;

		if (!results[i].has_base)
			continue;
		for (size_t k = 0; k < n && !more; k++) {
			if (!results[k].has_base ||
			    !series_is_peer(&results[i].series, &results[k].series))
				continue;
			if (found < OTHERS_MAX)
				peers[found++] = &results[k];
			else
				more = true;
		}
		if (found > 1)
			qsort(peers, found, sizeof(*peers), by_machine);
		join_list(a, &results[i].worst, peers, found, more);
		join_list(a, &results[i].best, peers, found, more);
	}
}
