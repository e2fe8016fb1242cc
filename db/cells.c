/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a cell: everything of one series on one commit, as analysis/ takes it. One statement
 * brings the runs; their samples are copied once, into the arena, and runs of one layout share one
 * list of metrics. Summaries of a cell are merged, metric by metric, the last received first.
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

SQL(cell_summaries,
    "SELECT cells FROM summary WHERE series_id = $1 AND commit_id = $2 AND status = 0"
    " ORDER BY summary_id DESC LIMIT $3")

static int read_summaries(struct ctx *c, int64_t series_id, int64_t commit_id,
			  struct stored_cell **cells, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &cell_summaries);

	*cells = NULL;
	*n = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, CELL_SUMMARIES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		struct stored_cell *older;
		size_t nbytes, nolder;
		const void *bytes = col_blob(st, 0, &nbytes);
		int e = summary_unpack(c, bytes, nbytes, &older, &nolder);

		if (e < 0)
			return e;
		merge_cells(c->arena, cells, n, older, nolder);
	}
	return stmt_status(st);
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

SQL(cell_counts, "SELECT failed, summaries FROM measured WHERE series_id = $1 AND commit_id = $2")

int cell_load_within(struct ctx *c, int64_t series_id, int64_t commit_id, bool want_infos,
		     size_t *room, struct cell_data *out)
{
	struct loaded l = {.room = *room};
	struct stored_cell *stored;
	int64_t summaries = 0;
	size_t nstored;

	*out = (struct cell_data){0};
	{
		auto_stmt struct stmt *st = db_stmt(c, &cell_counts);

		bind_int(st, 1, series_id);
		bind_int(st, 2, commit_id);
		if (stmt_step(st) != STMT_ROW)
			return stmt_status(st);
		out->failed = col_int(st, 0);
		summaries = col_int(st, 1);
	}
	int e = read_runs(c, series_id, commit_id, &l);
	if (e < 0)
		return e;
	*room = l.room;
	out->column.runs = l.runs;
	out->column.nruns = l.n;
	if (want_infos && (e = read_infos(c, &l, out)) < 0)
		return e;
	out->boots = count_boots(l.boots, l.n);
	if (!summaries)
		return E_OK;
	e = read_summaries(c, series_id, commit_id, &stored, &nstored);
	return e < 0 ? e : fill_cells(c, stored, nstored, &out->column);
}

int cell_load(struct ctx *c, int64_t series_id, int64_t commit_id, bool want_infos,
	      struct cell_data *out)
{
	size_t room = COMPARISON_VALUES_MAX;

	return cell_load_within(c, series_id, commit_id, want_infos, &room, out);
}
