/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns runs, lists of metrics with a value each, into metrics with a list of values each. Memory
 * and time go by the values that are there, not by metrics times runs: a series of many runs with
 * many metrics, a few of them in each run, costs no more than what was uploaded. Only what is
 * absent and means 0 takes room of its own, and that is bounded.
 *
 * The runs of a series mostly share one list of metrics, so where its metrics stand is found once.
 */
#include "server/analysis/comparison_values.h"

#include <assert.h>
#include <math.h>

#include "server/base/arena.h"

static bool same_metrics(const struct sample_run *a, const struct sample_run *b)
{
	return a->n == b->n && (!a->n || a->metrics == b->metrics ||
				memcmp(a->metrics, b->metrics, a->n * sizeof(*a->metrics)) == 0);
}

/* --- the index ---------------------------------------------------------------------------------
 */

/* The smallest and the largest id of the columns; false: there is no metric. */
static bool find_range(const struct comparison_column *cols, size_t ncols, uint32_t *low,
		       uint32_t *high)
{
	*low = UINT32_MAX;
	*high = 0;
	for (size_t c = 0; c < ncols; c++) {
		for (size_t r = 0; r < cols[c].nruns; r++) {
			const struct sample_run *run = &cols[c].runs[r];

			if (run->n && run->metrics[0]->id < *low)
				*low = run->metrics[0]->id;
			if (run->n && run->metrics[run->n - 1]->id > *high)
				*high = run->metrics[run->n - 1]->id;
		}
		for (size_t i = 0; i < cols[c].ncells; i++) {
			uint32_t id = cols[c].cells[i].metric->id;

			*low = id < *low ? id : *low;
			*high = id > *high ? id : *high;
		}
	}
	return *low <= *high;
}

static size_t index_at(const struct metric_index *x, uint32_t id)
{
	uint32_t i = id - x->first;
	uint64_t below = x->bits[i / 64] & (((uint64_t)1 << i % 64) - 1);

	return x->before[i / 64] + (size_t)__builtin_popcountll(below);
}

/* Two rounds over all lists: the first notes which ids there are, the second puts the metrics into
 * their places. */
static void visit_metric(struct metric_index *x, const struct metric *m, bool place)
{
	uint32_t i = m->id - x->first;

	if (place)
		x->m[index_at(x, m->id)] = m;
	else
		x->bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void visit_all(struct metric_index *x, const struct comparison_column *cols, size_t ncols,
		      bool place)
{
	const struct sample_run *before = NULL;

	for (size_t c = 0; c < ncols; c++) {
		for (size_t r = 0; r < cols[c].nruns; r++) {
			const struct sample_run *run = &cols[c].runs[r];

			if (before && same_metrics(before, run))
				continue;
			before = run;
			for (size_t i = 0; i < run->n; i++)
				visit_metric(x, run->metrics[i], place);
		}
		for (size_t i = 0; i < cols[c].ncells; i++)
			visit_metric(x, cols[c].cells[i].metric, place);
	}
}

void metric_index_init(struct arena *a, const struct comparison_column *cols, size_t ncols,
		       struct metric_index *x)
{
	uint32_t high;
	size_t words;

	*x = (struct metric_index){0};
	if (!find_range(cols, ncols, &x->first, &high))
		return;
	words = (high - x->first) / 64 + (size_t)1;
	x->bits = arena_array(a, uint64_t, words);
	x->before = arena_array(a, uint32_t, words);
	visit_all(x, cols, ncols, false);
	for (size_t w = 0; w < words; w++) {
		x->before[w] = (uint32_t)x->n;
		x->n += (size_t)__builtin_popcountll(x->bits[w]);
	}
	x->m = arena_array(a, const struct metric *, x->n);
	visit_all(x, cols, ncols, true);
}

/* --- a column ----------------------------------------------------------------------------------
 */

/* What an absent value means: nothing; a 0; a 0 if the run took a profile. */
enum absent { ABSENT, ZERO, ZERO_IN_PROFILE };

struct gather {
	const struct metric_index *x;
	const struct comparison_column *col;
	enum absent *absent; /* of each metric */
	size_t *next;        /* of each metric: how many values, then where the next one goes */
	bool *profiled;      /* of each run */
	uint32_t *at;        /* of each metric of the run at hand: where it stands in the index */
	const struct sample_run *before;
};

/* Makes g->at that of the run. */
static void find_places(struct arena *a, struct gather *g, const struct sample_run *run,
			size_t *cap)
{
	if (g->before && same_metrics(g->before, run)) {
		g->before = run;
		return;
	}
	g->before = run;
	g->at = arena_grow(a, g->at, cap, run->n, sizeof(*g->at));
	for (size_t i = 0; i < run->n; i++)
		g->at[i] = (uint32_t)index_at(g->x, run->metrics[i]->id);
}

static void count_values(struct arena *a, struct gather *g, size_t *cap)
{
	for (size_t r = 0; r < g->col->nruns; r++) {
		const struct sample_run *run = &g->col->runs[r];

		find_places(a, g, run, cap);
		for (size_t i = 0; i < run->n; i++) {
			size_t k = g->at[i];

			if (!isfinite(run->values[i]))
				continue;
			g->next[k]++;
			g->profiled[r] |= g->absent[k] == ZERO_IN_PROFILE;
		}
	}
}

/* A printed figure stands for a metric that no run has, so that nothing is to be filled in. */
static bool is_printed(const struct comparison_column *col, const struct metric *m, size_t *s)
{
	while (*s < col->ncells && col->cells[*s].metric->id < m->id)
		(*s)++;
	return *s < col->ncells && col->cells[*s].metric->id == m->id;
}

/* Counts become places. Returns how many values there are, with the zeros. */
static size_t make_room(struct gather *g, size_t *start)
{
	size_t profiles = 0, used = 0, s = 0;

	for (size_t r = 0; r < g->col->nruns; r++)
		profiles += g->profiled[r];
	for (size_t k = 0; k < g->x->n; k++) {
		size_t n = g->next[k];

		if (is_printed(g->col, g->x->m[k], &s) && !n)
			g->absent[k] = ABSENT;
		if (g->absent[k] != ABSENT)
			n = g->absent[k] == ZERO ? g->col->nruns : profiles;
		start[k] = g->next[k] = used;
		used += n;
	}
	start[g->x->n] = used;
	return used;
}

/* Room is zeroed, so that what may be absent and mean 0 only has to stand in the right place. */
static void place_values(struct arena *a, struct gather *g, const size_t *start, double *v,
			 size_t *cap)
{
	size_t profile = 0;

	for (size_t r = 0; r < g->col->nruns; r++) {
		const struct sample_run *run = &g->col->runs[r];

		find_places(a, g, run, cap);
		for (size_t i = 0; i < run->n; i++) {
			size_t k = g->at[i];

			if (!isfinite(run->values[i]))
				continue;
			if (g->absent[k] == ABSENT)
				v[g->next[k]++] = run->values[i];
			else
				v[start[k] + (g->absent[k] == ZERO ? r : profile)] = run->values[i];
		}
		profile += g->profiled[r];
	}
}

bool column_values_gather(struct arena *a, const struct metric_index *x,
			  const struct comparison_column *col, size_t *room,
			  struct column_values *out)
{
	struct gather g = {
		.x = x,
		.col = col,
		.absent = arena_array(a, enum absent, x->n),
		.next = arena_array(a, size_t, x->n),
		.profiled = arena_array(a, bool, col->nruns),
	};
	size_t n, cap = 0;

	for (size_t k = 0; k < x->n; k++) {
		const struct metric_facts *f = &x->m[k]->facts;

		g.absent[k] = f->kind == KIND_FUNCTIONAL ? ZERO
			      : f->is_profile            ? ZERO_IN_PROFILE
							 : ABSENT;
	}
	out->v = NULL;
	out->start = arena_array(a, size_t, x->n + 1);
	count_values(a, &g, &cap);
	n = make_room(&g, out->start);
	if (n > *room)
		return false;
	*room -= n;
	out->v = arena_array(a, double, n);
	g.before = NULL;
	place_values(a, &g, out->start, out->v, &cap);
	return true;
}
