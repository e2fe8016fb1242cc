/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runs of a cell that a reader chose: by what is told of them (info.hostname=…) and by when
 * they ran, or came where no start is known. Everything else of a comparison then knows these
 * alone. What a report printed belongs to no run that could be chosen, so it is left out.
 */
#include "server/model/compare_table.h"

#include "server/base/arena.h"
#include "server/base/clock.h"

#define RUNS_LISTED 10000 /* of a cell */

bool compare_chooses_runs(const struct compare_query *q)
{
	return q->ninfos || q->since || q->until;
}

static bool is_told(const struct run *run, const struct pair *want)
{
	for (size_t i = 0; i < run->ninfo; i++)
		if (strcmp(run->info[i].name, want->name) == 0)
			return strcmp(run->info[i].value, want->value) == 0;
	return run->boot && strcmp(want->name, "boot") == 0 && strcmp(run->boot, want->value) == 0;
}

static bool is_chosen(const struct compare_query *q, const struct run *run)
{
	int64_t at = run->started != TIME_NONE ? run->started : run->received;

	for (size_t i = 0; i < q->ninfos; i++)
		if (!is_told(run, &q->infos[i]))
			return false;
	return (!q->since || at >= q->since) && (!q->until || at < q->until);
}

static int by_id(const void *x, const void *y)
{
	const struct run *a = x, *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

static int by_boot(const void *x, const void *y)
{
	return strcmp(((const struct run *)x)->boot, ((const struct run *)y)->boot);
}

/* Different boots of the n runs, which are sorted by them; -1: one did not say. */
static int64_t count_boots(struct run *runs, size_t n)
{
	int64_t boots = 0;

	for (size_t i = 0; i < n; i++)
		if (!runs[i].boot)
			return -1;
	if (n)
		qsort(runs, n, sizeof(*runs), by_boot);
	for (size_t i = 0; i < n; i++)
		boots += i == 0 || strcmp(runs[i].boot, runs[i - 1].boot) != 0;
	return boots;
}

/* Keeps the runs of the cell whose ids are among the n chosen ones, which are sorted by id. */
static size_t keep_runs(struct arena *a, struct cell_data *cell, const struct run *chosen, size_t n)
{
	const struct sample_run *all = cell->column.runs;
	struct sample_run *runs = arena_array(a, struct sample_run, n);
	const struct pair **infos = arena_array(a, const struct pair *, n);
	size_t *ninfos = arena_array(a, size_t, n);
	size_t kept = 0;

	for (size_t i = 0; i < cell->column.nruns && n; i++) {
		struct run want = {.id = all[i].run_id};

		if (!bsearch(&want, chosen, n, sizeof(*chosen), by_id))
			continue;
		infos[kept] = cell->infos ? cell->infos[i] : NULL;
		ninfos[kept] = cell->ninfos ? cell->ninfos[i] : 0;
		runs[kept++] = all[i];
	}
	cell->column = (struct comparison_column){.runs = runs, .nruns = kept};
	cell->infos = infos;
	cell->ninfos = ninfos;
	return kept;
}

/* The commit's runs under one name, behind the n that are there. */
static int add_runs(struct ctx *c, int64_t series_id, int64_t row, struct run **runs, size_t *n,
		    size_t *cap)
{
	struct run_filter f = {
		.series_id = series_id,
		.commit_id = row,
		.received_from = TIME_NONE,
		.received_to = TIME_NONE,
		.before = INT64_MAX,
	};
	struct run *more;
	size_t nmore;
	int rc = run_list(c, &f, RUNS_LISTED, &more, &nmore);

	if (rc < 0)
		return rc;
	*runs = arena_grow(c->arena, *runs, cap, *n + nmore, sizeof(**runs));
	for (size_t i = 0; i < nmore; i++)
		(*runs)[(*n)++] = more[i];
	return E_OK;
}

int compare_choose_runs(struct ctx *c, const struct compare_query *q, int64_t series_id,
			const struct compare_commit *commit, struct cell_data *cell)
{
	struct run *runs = NULL;
	size_t n = 0, cap = 0, kept = 0;
	int rc = E_OK;

	for (size_t i = 0; rc >= 0 && i < commit->nnames; i++)
		rc = add_runs(c, series_id, commit->rows[i], &runs, &n, &cap);
	if (rc < 0)
		return rc;
	cell->failed = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_chosen(q, &runs[i]))
			continue;
		if (runs[i].status == RUN_OK)
			runs[kept++] = runs[i];
		else if (runs[i].status == RUN_INCOMPLETE || runs[i].status == RUN_FAILED)
			cell->failed++;
	}
	if (kept)
		qsort(runs, kept, sizeof(*runs), by_id);
	kept = keep_runs(c->arena, cell, runs, kept);
	cell->boots = count_boots(runs, kept);
	return E_OK;
}
