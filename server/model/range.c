/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A range as a page shows it: resolves both sides, walks, and reads what stands beside the commits
 * of the page alone.
 */
#include "server/model/range.h"

#include <math.h>

#include "db/commit_places.h"
#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/model/compare.h"
#include "server/model/range_inside.h"

#define NAME_DIGITS 12
#define SERIES_MAX  100000

const char *range_short(struct arena *a, const char *name)
{
	return strlen(name) > NAME_DIGITS && strspn(name, "0123456789abcdef") == strlen(name)
		       ? arena_strn(a, name, NAME_DIGITS)
		       : name;
}

/* What git or, without it, an upload tells. */
static int read_row(struct ctx *c, const struct range_member *m, struct range_row *out)
{
	int e;

	*out = (struct range_row){.position = m->position, .row = m->row, .change = NAN};
	if (m->position) {
		struct git_commit k;

		e = git_commit_at(c, m->position, &k);
		if (e >= 0)
			e = git_commit_row(c, m->position, &out->row);
		if (e < 0)
			return e;
		out->id = k.id;
		out->subject = k.subject;
		out->date = k.date;
		out->merge = k.nparents > 1;
	} else {
		struct commit k, *parents;
		size_t nparents;

		e = commit_get(c, m->row, &k);
		if (e >= 0)
			e = commit_parents(c, m->row, &parents, &nparents);
		if (e < 0)
			return e;
		out->id = k.name;
		out->subject = k.subject;
		out->date = k.date;
		out->merge = nparents > 1;
	}
	out->name = range_short(c->arena, out->id);
	return E_OK;
}

/* Under all names that the commit was uploaded by. */
static int read_facts(struct ctx *c, struct range_row *row)
{
	int64_t *ids = &row->row;
	size_t n = row->row != 0;
	int e = n && row->position ? git_commit_rows(c, row->position, &ids, &n) : E_OK;

	for (size_t i = 0; i < n && e >= 0; i++) {
		struct commit_facts facts;

		e = commit_facts(c, ids[i], &facts);
		row->nseries += facts.series;
		row->findings += facts.findings;
		row->builds += facts.builds;
		row->failed_builds += facts.failed_builds;
		row->warnings += facts.warnings;
	}
	if (e >= 0 && n > 1) { /* some of them may have measured the same series */
		const struct compare_commit k = {.rows = ids, .nnames = n};
		size_t nseries;
		int64_t runs;

		e = compare_measured(c, &k, SERIES_MAX, &nseries, &runs);
		row->nseries = (int64_t)nseries;
	}
	return e;
}

static int read_page(struct range_work *w)
{
	struct range *out = w->out;
	size_t first = w->q->first < w->set.n ? w->q->first : w->set.n, hit = 0;

	out->nrows = w->set.n - first < w->q->limit ? w->set.n - first : w->q->limit;
	out->next = first + out->nrows < w->set.n ? (int64_t)(first + out->nrows) : -1;
	out->rows = arena_array(w->c->arena, struct range_row, out->nrows);
	for (size_t i = 0; i < out->nrows; i++) {
		struct range_row *row = &out->rows[i];
		int e = read_row(w->c, &w->set.members[first + i], row);

		if (e >= 0)
			e = read_facts(w->c, row);
		if (e < 0)
			return e;
		while (hit < w->nhits && w->hits[hit].at < first + i)
			hit++;
		if (hit < w->nhits && w->hits[hit].at == first + i) {
			row->point = w->hits[hit].point;
			row->below = w->hits[hit].below;
			row->change = w->hits[hit].change;
		}
		row->suspect = w->suspects && w->suspects[first + i];
	}
	return E_OK;
}

int range_load(struct ctx *c, const struct range_query *q, struct range *out,
	       struct commit_list *many)
{
	struct range_work w = {.c = c, .q = q, .out = out};
	int e;

	*out = (struct range){.next = -1};
	e = revision_range(c, q->asked, &out->ends, many);
	if (e >= 0)
		e = range_find(c, &out->ends, q->first_parent, &w.set);
	if (e < 0)
		return e;
	out->total = w.set.n;
	out->cut = w.set.cut;
	if (q->series && q->metric) {
		e = range_find_hits(&w);
		if (e >= 0)
			e = range_find_step(&w);
		if (e < 0)
			return e;
	}
	return read_page(&w);
}
