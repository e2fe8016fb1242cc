/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule is asked as the service asks it, by comparison_build; the others by the functions that
 * the reference files vouch for.
 */
#include "tests/evaluate/rivals.h"

#include <math.h>
#include <stdlib.h>

#include "server/analysis/comparison.h"
#include "server/analysis/describe.h"
#include "server/analysis/rank_tests.h"
#include "server/base/arena.h"
#include "server/base/err.h"

const char *const rival_names[RIVALS] = {"no overlap", "Mann-Whitney", "Welch + BH", "the rule"};

static bool overlap_flags(const struct trial *t)
{
	struct description x = describe(t->x, t->nx), y = describe(t->y, t->ny);

	return (x.max < y.min || y.max < x.min) &&
	       fabs(y.median - x.median) >= 0.01 * fabs(x.median);
}

/* p of Welch's test, and whether the means differ by 1 %. */
static double welch_of(const struct trial *t, bool *big)
{
	struct description x = describe(t->x, t->nx), y = describe(t->y, t->ny);

	*big = fabs(y.mean - x.mean) >= 0.01 * fabs(x.mean) && y.mean != x.mean;
	return x.min > 0 && y.min > 0 ? welch_log_p(t->x, t->nx, t->y, t->ny) : welch_p(&x, &y);
}

static void welch_flags(const struct trial *trials, size_t n, bool *flags)
{
	double *p = calloc(n, sizeof(*p)), *q = calloc(n, sizeof(*q));
	size_t *scratch = calloc(n, sizeof(*scratch));

	for (size_t i = 0; i < n; i++)
		p[i] = welch_of(&trials[i], &flags[i]);
	benjamini_hochberg(p, q, n, scratch);
	for (size_t i = 0; i < n; i++)
		flags[i] &= q[i] <= 0.05;
	free(p);
	free(q);
	free(scratch);
}

/* The runs of a commit: run r has the r-th value of each metric that has so many. */
static struct comparison_column column_of(struct arena *a, const struct metric *metrics, size_t n,
					  const double *const *values, const size_t *counts)
{
	size_t most = 0;
	struct sample_run *runs;

	for (size_t i = 0; i < n; i++)
		most = counts[i] > most ? counts[i] : most;
	runs = arena_array(a, struct sample_run, most);
	for (size_t r = 0; r < most; r++) {
		const struct metric **list = arena_array(a, const struct metric *, n);
		double *v = arena_array(a, double, n);

		for (size_t i = 0; i < n; i++) {
			if (r >= counts[i])
				continue;
			list[runs[r].n] = &metrics[i];
			v[runs[r].n++] = values[i][r];
		}
		runs[r].metrics = list;
		runs[r].values = v;
	}
	return (struct comparison_column){.runs = runs, .nruns = most};
}

/* Which commit of a trial: those of the history, then base and change. */
static struct comparison_column commit_of(struct arena *a, const struct metric *metrics,
					  const struct trial *trials, size_t n, size_t at)
{
	const double **values = arena_array(a, const double *, n);
	size_t *counts = arena_array(a, size_t, n);

	for (size_t i = 0; i < n; i++) {
		const struct trial *t = &trials[i];

		values[i] = at < HISTORY_COMMITS    ? t->history[at]
			    : at == HISTORY_COMMITS ? t->x
						    : t->y;
		counts[i] = at < HISTORY_COMMITS    ? t->nhistory[at]
			    : at == HISTORY_COMMITS ? t->nx
						    : t->ny;
	}
	return column_of(a, metrics, n, values, counts);
}

static struct metric *make_metrics(struct arena *a, size_t n)
{
	struct metric *metrics = arena_array(a, struct metric, n);

	for (size_t i = 0; i < n; i++) {
		metrics[i] = (struct metric){.id = (uint32_t)i, .name = arena_fmt(a, "t.m%zu", i)};
		metrics[i].name_len = strlen(metrics[i].name);
		metrics[i].facts = metric_facts_of(metrics[i].name);
	}
	return metrics;
}

static void rule_flags(const struct trial *trials, size_t n, size_t k, bool *flags)
{
	auto_arena struct arena *a = arena_new();
	struct metric *metrics = make_metrics(a, n);
	struct history_cell cells[HISTORY_COMMITS];
	const struct history_cell *of[HISTORY_COMMITS];
	struct comparison_history history = {of, k};
	struct comparison_column cols[2] = {commit_of(a, metrics, trials, n, HISTORY_COMMITS),
					    commit_of(a, metrics, trials, n, HISTORY_COMMITS + 1)};
	struct comparison c;

	for (size_t i = 0; i < k; i++) {
		struct comparison_column col = commit_of(a, metrics, trials, n, i);

		of[i] = &cells[i];
		history_cell_fill(a, &col, COMPARISON_VALUES_MAX, &cells[i]);
	}
	cols[1].history = &history;
	comparison_build(a, "t", cols, 2, &c);
	for (size_t i = 0; i < c.nrows; i++) {
		enum verdict v = c.rows[i].cells[1].verdict;

		flags[c.rows[i].metric->id] =
			v == VERDICT_CHANGED || v == VERDICT_REGRESSION || v == VERDICT_IMPROVEMENT;
	}
}

void rival_judge(enum rival rival, const struct trial *trials, size_t n, size_t k, bool *flags)
{
	switch (rival) {
	case RIVAL_OVERLAP:
		for (size_t i = 0; i < n; i++)
			flags[i] = overlap_flags(&trials[i]);
		break;
	case RIVAL_RANKS:
		for (size_t i = 0; i < n; i++)
			flags[i] =
				mann_whitney(trials[i].x, trials[i].nx, trials[i].y, trials[i].ny)
					.p < 0.05;
		break;
	case RIVAL_WELCH:
		welch_flags(trials, n, flags);
		break;
	default:
		rule_flags(trials, n, k, flags);
	}
}

void score_add(struct score *s, const struct trial *trials, const bool *flags, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->flags += flags[i];
		s->false_flags += flags[i] && !trials[i].moved;
		s->moved += trials[i].moved;
		s->still += !trials[i].moved;
	}
}

void welch_list_add(struct welch_list *l, const struct trial *trials, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool big;
		double p = welch_of(&trials[i], &big);

		if (!big || isnan(p))
			continue;
		if (l->n == l->cap) {
			l->cap = l->cap ? 2 * l->cap : 1024;
			l->of = realloc(l->of, l->cap * sizeof(*l->of));
			if (!l->of)
				die("out of memory");
		}
		l->of[l->n++] = (struct welch_p){p, trials[i].moved};
	}
}

static int by_p(const void *x, const void *y)
{
	const struct welch_p *a = x, *b = y;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return a->moved - b->moved;
}

size_t welch_list_found(struct welch_list *l, double false_share)
{
	size_t found = 0, best = 0;

	qsort(l->of, l->n, sizeof(*l->of), by_p);
	for (size_t i = 0; i < l->n; i++) {
		found += l->of[i].moved;
		if ((double)(i + 1 - found) <= false_share * (double)(i + 1))
			best = found;
	}
	return best;
}

static double share(size_t part, size_t of)
{
	return of ? (double)part / (double)of : 0;
}

double score_false_share(const struct score *s)
{
	return share(s->false_flags, s->flags);
}

double score_power(const struct score *s)
{
	return share(s->flags - s->false_flags, s->moved);
}

double score_false_rate(const struct score *s)
{
	return share(s->false_flags, s->still);
}
