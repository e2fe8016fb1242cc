/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a cell: everything of one series on one commit, as analysis/ takes it. One statement
 * brings the runs; their samples are copied once, into the arena, and runs of one layout share one
 * list of metrics. Summaries of a cell are merged, metric by metric, the last received first. A
 * commit that was uploaded under several names is read name by name, and then put in order.
 */
#include "db/runs.h"

#include "db/info.h"
#include "db/metrics.h"
#include "server/base/arena.h"

#define CELL_RUNS_MAX      100000
#define CELL_SUMMARIES_MAX 1000

/* One run that was read, beside its samples. */
struct loaded {
	struct sample_run *runs;
	const char **boots;
	int64_t *info_ids; /* -1 */
	size_t n, runs_cap, boots_cap, infos_cap;
	size_t room; /* values that may still be read */
};

/* The samples of the row that st stands on. */
static int read_samples(struct ctx *c, struct stmt *st, int col, const struct layout *l,
			struct sample_run *run)
{
	size_t nbytes;
	const void *bytes = col_blob(st, col, &nbytes);

	run->metrics = layout_metrics(l);
	run->n = l->n;
	run->values = samples_unpack(c->arena, bytes, nbytes, l->n);
	return run->values ? E_OK
			   : fail(c, E_INTERNAL, "the samples of run %lld are damaged",
				  (long long)run->run_id);
}

SQL(cell_runs, "SELECT run_id, layout_id, boot, info_id, samples FROM run"
	       " WHERE series_id = $1 AND commit_id = $2 AND status = 0 ORDER BY run_id LIMIT $3")

static int read_runs(struct ctx *c, int64_t series_id, int64_t commit_id, struct loaded *l)
{
	auto_stmt struct stmt *st = db_stmt(c, &cell_runs);
	const struct layout *layout = NULL;

	bind_int(st, 1, series_id);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, CELL_RUNS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		size_t want = l->n + 1;

		if (!layout || layout->layout_id != col_int(st, 1))
			layout = layout_by_id(c, col_int(st, 1));
		if (!layout)
			return (int)c->err;
		if (layout->n > l->room)
			return fail(c, E_TOO_LARGE,
				    "series %lld has more values on its commits than can be "
				    "compared at once",
				    (long long)series_id);
		l->room -= layout->n;
		l->runs = arena_grow(c->arena, l->runs, &l->runs_cap, want, sizeof(*l->runs));
		l->boots = arena_grow(c->arena, l->boots, &l->boots_cap, want, sizeof(*l->boots));
		l->info_ids = arena_grow(c->arena, l->info_ids, &l->infos_cap, want,
					 sizeof(*l->info_ids));
		l->runs[l->n].run_id = col_int(st, 0);
		l->boots[l->n] = col_text(st, 2);
		l->info_ids[l->n] = col_null(st, 3) ? -1 : col_int(st, 3);
		int e = read_samples(c, st, 4, layout, &l->runs[l->n]);
		if (e < 0)
			return e;
		l->n = want;
	}
	return stmt_status(st);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Distinct boots; -1 when a run does not tell its own. Sorts the list. */
static int64_t count_boots(const char **boots, size_t n)
{
	int64_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!boots[i])
			return -1;
	if (n)
		qsort(boots, n, sizeof(*boots), by_text);
	for (size_t i = 0; i < n; i++)
		count += i == 0 || strcmp(boots[i], boots[i - 1]) != 0;
	return count;
}

static int read_infos(struct ctx *c, const struct loaded *l, struct cell_data *out)
{
	const struct pair **infos = arena_array(c->arena, const struct pair *, l->n);
	size_t *ninfos = arena_array(c->arena, size_t, l->n);

	for (size_t i = 0; i < l->n; i++) {
		if (l->info_ids[i] < 0)
			continue;
		if (i > 0 &&
		    l->info_ids[i] == l->info_ids[i - 1]) { /* mostly: runs come in batches */
			infos[i] = infos[i - 1];
			ninfos[i] = ninfos[i - 1];
			continue;
		}
		int e = info_get(c, l->info_ids[i], &infos[i], &ninfos[i]);
		if (e < 0)
			return e;
	}
	out->infos = infos;
	out->ninfos = ninfos;
	return E_OK;
}

/* One pointer for each distinct text, so that who asks what a base is asks once. */
static const char *intern(struct ctx *c, const char ***texts, size_t *n, size_t *cap, const char *s)
{
	if (!s)
		return NULL;
	for (size_t i = *n; i > 0; i--)
		if (!strcmp((*texts)[i - 1], s))
			return (*texts)[i - 1];
	*texts = arena_grow(c->arena, *texts, cap, *n + 1, sizeof(**texts));
	return (*texts)[(*n)++] = s;
}

/* Both ascending by metric; where both have one, the newer counts. */
static void merge_cells(struct arena *a, struct stored_cell **newer, size_t *n,
			const struct stored_cell *older, size_t nolder)
{
	struct stored_cell *both = arena_array(a, struct stored_cell, *n + nolder);
	size_t i = 0, j = 0, out = 0;

	while (i < *n || j < nolder) {
		if (j == nolder || (i < *n && (*newer)[i].metric_id <= older[j].metric_id)) {
			if (j < nolder && (*newer)[i].metric_id == older[j].metric_id)
				j++;
			both[out++] = (*newer)[i++];
		} else {
			both[out++] = older[j++];
		}
	}
	*newer = both;
	*n = out;
}

struct loaded_summary {
	int64_t id;
	struct stored_cell *cells;
	size_t n;
};
struct summaries {
	struct loaded_summary *list;
	size_t n, cap;
};

SQL(cell_summaries,
    "SELECT summary_id, cells FROM summary WHERE series_id = $1 AND commit_id = $2 AND status = 0"
    " ORDER BY summary_id DESC LIMIT $3")

static int read_summaries(struct ctx *c, int64_t series_id, int64_t commit_id,
			  struct summaries *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &cell_summaries);

	bind_int(st, 1, series_id);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, CELL_SUMMARIES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		struct loaded_summary s = {.id = col_int(st, 0)};
		size_t nbytes;
		const void *bytes = col_blob(st, 1, &nbytes);
		int e = summary_unpack(c, bytes, nbytes, &s.cells, &s.n);

		if (e < 0)
			return e;
		out->list = arena_grow(c->arena, out->list, &out->cap, out->n + 1, sizeof(s));
		out->list[out->n++] = s;
	}
	return stmt_status(st);
}

static int newest_first(const void *x, const void *y)
{
	const struct loaded_summary *a = x, *b = y;

	return (a->id < b->id) - (a->id > b->id);
}

static void merge_summaries(struct arena *a, struct summaries *s, struct stored_cell **cells,
			    size_t *n)
{
	*cells = NULL;
	*n = 0;
	if (s->n > 1)
		qsort(s->list, s->n, sizeof(*s->list), newest_first);
	for (size_t i = 0; i < s->n; i++)
		merge_cells(a, cells, n, s->list[i].cells, s->list[i].n);
}

static int fill_cells(struct ctx *c, const struct stored_cell *stored, size_t n,
		      struct comparison_column *out)
{
	struct summary_cell *cells = arena_array(c->arena, struct summary_cell, n);
	const char **bases = NULL;
	size_t nbases = 0, cap = 0;

	out->cells = cells;
	for (size_t i = 0; i < n; i++) {
		const struct stored_cell *s = &stored[i];
		const struct metric *m = metric_by_id(c, s->metric_id);

		if (!m)
			return fail(c, E_INTERNAL, "a summary has metric %u, which is not there",
				    (unsigned)s->metric_id);
		cells[out->ncells++] = (struct summary_cell){
			.metric = m,
			.mean = s->mean,
			.stddev = s->stddev,
			.stddev_pct = s->stddev_pct,
			.min = s->min,
			.max = s->max,
			.n = s->n,
			.fails = s->fails,
			.runs = s->runs,
			.printed = (enum printed_kind)s->printed,
			.printed_base = intern(c, &bases, &nbases, &cap, s->printed_base),
			.printed_change = s->printed_change,
		};
	}
	return E_OK;
}

struct one_run {
	struct sample_run run;
	int64_t info_id;
};

static int by_run_id(const void *x, const void *y)
{
	const struct one_run *a = x, *b = y;

	return (a->run.run_id > b->run.run_id) - (a->run.run_id < b->run.run_id);
}

/* In order of upload, as what came under one name is already. Boots need no order. */
static void sort_runs(struct arena *a, struct loaded *l)
{
	struct one_run *all = arena_array(a, struct one_run, l->n);

	for (size_t i = 0; i < l->n; i++)
		all[i] = (struct one_run){l->runs[i], l->info_ids[i]};
	if (l->n)
		qsort(all, l->n, sizeof(*all), by_run_id);
	for (size_t i = 0; i < l->n; i++) {
		l->runs[i] = all[i].run;
		l->info_ids[i] = all[i].info_id;
	}
}

SQL(cell_counts, "SELECT failed, summaries FROM measured WHERE series_id = $1 AND commit_id = $2")

/* What was measured under one name. */
static int read_name(struct ctx *c, int64_t series_id, int64_t commit_id, struct loaded *l,
		     struct summaries *summaries, int64_t *failed)
{
	int64_t nsummaries;
	int e;
	{
		auto_stmt struct stmt *st = db_stmt(c, &cell_counts);

		bind_int(st, 1, series_id);
		bind_int(st, 2, commit_id);
		if (stmt_step(st) != STMT_ROW)
			return stmt_status(st);
		*failed += col_int(st, 0);
		nsummaries = col_int(st, 1);
	}
	e = read_runs(c, series_id, commit_id, l);
	if (e >= 0 && nsummaries)
		e = read_summaries(c, series_id, commit_id, summaries);
	return e;
}

int cell_load_names(struct ctx *c, int64_t series_id, const int64_t *commit_ids, size_t ncommits,
		    bool want_infos, size_t *room, struct cell_data *out)
{
	struct loaded l = {.room = *room};
	struct summaries summaries = {0};
	struct stored_cell *stored;
	size_t nstored;
	int e = E_OK;

	*out = (struct cell_data){0};
	for (size_t i = 0; i < ncommits && e >= 0; i++)
		e = read_name(c, series_id, commit_ids[i], &l, &summaries, &out->failed);
	if (e < 0)
		return e;
	if (ncommits > 1)
		sort_runs(c->arena, &l);
	*room = l.room;
	out->column.runs = l.runs;
	out->column.nruns = l.n;
	if (want_infos && (e = read_infos(c, &l, out)) < 0)
		return e;
	out->boots = count_boots(l.boots, l.n);
	merge_summaries(c->arena, &summaries, &stored, &nstored);
	return nstored ? fill_cells(c, stored, nstored, &out->column) : E_OK;
}

int cell_load_within(struct ctx *c, int64_t series_id, int64_t commit_id, bool want_infos,
		     size_t *room, struct cell_data *out)
{
	return cell_load_names(c, series_id, &commit_id, 1, want_infos, room, out);
}

int cell_load(struct ctx *c, int64_t series_id, int64_t commit_id, bool want_infos,
	      struct cell_data *out)
{
	size_t room = COMPARISON_VALUES_MAX;

	return cell_load_within(c, series_id, commit_id, want_infos, &room, out);
}
