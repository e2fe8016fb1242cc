/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A column without its monitors, for views that only show how a test itself did. Rows are judged
 * within their role, so a verdict is the same with and without the others; and hundreds of series
 * with thousands of monitors each cost what their few own figures cost.
 */
#include "server/model/compare_table.h"

#include "server/base/arena.h"

/* The places in a run's list of metrics that stay. */
struct places {
	const struct metric *const *of; /* the list */
	size_t n_of;
	const struct metric **metrics;
	size_t *at, n;
};

static bool is_own(const struct metric *m, const char *testcase)
{
	return metric_role_in(&m->facts, m->name, testcase) != ROLE_MONITOR;
}

static void find_places(struct arena *a, const char *testcase, const struct sample_run *run,
			struct places *p)
{
	if (p->of == run->metrics && p->n_of == run->n)
		return;
	*p = (struct places){.of = run->metrics, .n_of = run->n};
	for (size_t i = 0; i < run->n; i++)
		p->n += is_own(run->metrics[i], testcase);
	p->metrics = arena_array(a, const struct metric *, p->n);
	p->at = arena_array(a, size_t, p->n);
	p->n = 0;
	for (size_t i = 0; i < run->n; i++) {
		if (!is_own(run->metrics[i], testcase))
			continue;
		p->metrics[p->n] = run->metrics[i];
		p->at[p->n++] = i;
	}
}

void compare_drop_monitors(struct arena *a, const char *testcase, struct comparison_column *col)
{
	struct sample_run *runs = arena_array(a, struct sample_run, col->nruns);
	struct summary_cell *cells = arena_array(a, struct summary_cell, col->ncells);
	struct places p = {0};
	size_t n = 0;

	for (size_t r = 0; r < col->nruns; r++) {
		double *values;

		find_places(a, testcase, &col->runs[r], &p);
		values = arena_array(a, double, p.n);
		for (size_t i = 0; i < p.n; i++)
			values[i] = col->runs[r].values[p.at[i]];
		runs[r] = (struct sample_run){p.metrics, values, p.n, col->runs[r].run_id};
	}
	for (size_t i = 0; i < col->ncells; i++)
		if (is_own(col->cells[i].metric, testcase))
			cells[n++] = col->cells[i];
	col->runs = runs;
	col->cells = cells;
	col->ncells = n;
}
