/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of cells from what they hold. The times are those of the uploads that the runs came with,
 * so a cell whose runs go and come back has again what it had. A cell that holds runs of any status
 * stays in the map; one that holds none leaves it.
 */
#include "db/recount.h"

#include "server/base/arena.h"

void recount_add(struct ctx *c, struct recount *r, int64_t series_id, int64_t commit_id)
{
	/* they come cell by cell: most repeat one of the last two */
	for (size_t i = r->n, looked = 0; i > 0 && looked < 2; i--, looked++)
		if (r->places[i - 1].series_id == series_id &&
		    r->places[i - 1].commit_id == commit_id)
			return;
	r->places = arena_grow(c->arena, r->places, &r->cap, r->n + 1, sizeof(*r->places));
	r->places[r->n++] = (struct recount_place){series_id, commit_id};
}

static int by_place(const void *x, const void *y)
{
	const struct recount_place *a = x, *b = y;

	if (a->series_id != b->series_id)
		return a->series_id > b->series_id ? 1 : -1;
	return (a->commit_id > b->commit_id) - (a->commit_id < b->commit_id);
}

/* Each once. */
static void sort_places(struct recount *r)
{
	size_t kept = 0;

	if (r->n > 1)
		qsort(r->places, r->n, sizeof(*r->places), by_place);
	for (size_t i = 0; i < r->n; i++)
		if (!i || by_place(&r->places[i], &r->places[kept - 1]) != 0)
			r->places[kept++] = r->places[i];
	r->n = kept;
}

SQL(recount_runs,
    "SELECT count(*), count(CASE WHEN r.status = 0 THEN 1 END),"
    " count(CASE WHEN r.status IN (1, 2) THEN 1 END), min(u.received), max(u.received)"
    " FROM run r JOIN submission u ON u.submission_id = r.submission_id"
    " WHERE r.series_id = $1 AND r.commit_id = $2")
SQL(recount_summaries,
    "SELECT count(*), count(CASE WHEN y.status = 0 THEN 1 END), min(u.received),"
    " max(u.received) FROM summary y JOIN submission u ON u.submission_id = y.submission_id"
    " WHERE y.series_id = $1 AND y.commit_id = $2")

struct counted {
	int64_t rows, runs, failed, summaries, first, last;
};

static void add_times(struct counted *k, struct stmt *st, int col)
{
	if (col_null(st, col))
		return;
	if (col_int(st, col) < k->first)
		k->first = col_int(st, col);
	if (col_int(st, col + 1) > k->last)
		k->last = col_int(st, col + 1);
}

static int count_cell(struct ctx *c, const struct recount_place *p, struct counted *k)
{
	auto_stmt struct stmt *runs = db_stmt(c, &recount_runs);
	auto_stmt struct stmt *summaries = db_stmt(c, &recount_summaries);

	*k = (struct counted){.first = INT64_MAX, .last = INT64_MIN};
	bind_int(runs, 1, p->series_id);
	bind_int(runs, 2, p->commit_id);
	if (stmt_step(runs) == STMT_ROW) {
		k->rows = col_int(runs, 0);
		k->runs = col_int(runs, 1);
		k->failed = col_int(runs, 2);
		add_times(k, runs, 3);
	}
	bind_int(summaries, 1, p->series_id);
	bind_int(summaries, 2, p->commit_id);
	if (stmt_step(summaries) == STMT_ROW) {
		k->rows += col_int(summaries, 0);
		k->summaries = col_int(summaries, 1);
		add_times(k, summaries, 2);
	}
	return stmt_status(runs) < 0 ? stmt_status(runs) : stmt_status(summaries);
}

SQL(recount_set,
    "INSERT INTO measured (series_id, commit_id, runs, failed, summaries, first_received,"
    " last_received) VALUES ($1, $2, $3, $4, $5, $6, $7)"
    " ON CONFLICT (series_id, commit_id) DO UPDATE SET runs = excluded.runs,"
    " failed = excluded.failed, summaries = excluded.summaries,"
    " first_received = excluded.first_received, last_received = excluded.last_received")
SQL(recount_remove, "DELETE FROM measured WHERE series_id = $1 AND commit_id = $2")
SQL(recount_queue, "INSERT INTO analysis_queue (series_id, commit_id, queued) VALUES ($1, $2, $3)"
		   " ON CONFLICT (series_id, commit_id) DO NOTHING")

static int set_cell(struct ctx *c, const struct recount_place *p, const struct counted *k)
{
	auto_stmt struct stmt *st = db_stmt(c, k->rows ? &recount_set : &recount_remove);

	bind_int(st, 1, p->series_id);
	bind_int(st, 2, p->commit_id);
	if (k->rows) {
		bind_int(st, 3, k->runs);
		bind_int(st, 4, k->failed);
		bind_int(st, 5, k->summaries);
		bind_int(st, 6, k->first);
		bind_int(st, 7, k->last);
	}
	return stmt_run(st);
}

int recount_all(struct ctx *c, struct recount *r, int64_t now)
{
	sort_places(r);
	for (size_t i = 0; i < r->n; i++) {
		auto_stmt struct stmt *queue = db_stmt(c, &recount_queue);
		struct counted k;
		int e = count_cell(c, &r->places[i], &k);

		if (e >= 0)
			e = set_cell(c, &r->places[i], &k);
		if (e < 0)
			return e;
		bind_int(queue, 1, r->places[i].series_id);
		bind_int(queue, 2, r->places[i].commit_id);
		bind_int(queue, 3, now);
		if ((e = stmt_run(queue)) < 0)
			return e;
	}
	return E_OK;
}

SQL(recount_is_empty, "SELECT 1 FROM series s WHERE s.series_id = $1"
		      " AND NOT EXISTS (SELECT 1 FROM run r WHERE r.series_id = s.series_id)"
		      " AND NOT EXISTS (SELECT 1 FROM summary y WHERE y.series_id = s.series_id)"
		      " AND NOT EXISTS (SELECT 1 FROM submission u WHERE u.series_id = s.series_id)"
		      " AND NOT EXISTS (SELECT 1 FROM finding f WHERE f.series_id = s.series_id)"
		      " AND NOT EXISTS (SELECT 1 FROM correction_run x JOIN correction k"
		      " ON k.correction_id = x.correction_id WHERE x.series_id = s.series_id"
		      " AND k.undone_at IS NULL)"
		      " AND NOT EXISTS (SELECT 1 FROM correction_summary x JOIN correction k"
		      " ON k.correction_id = x.correction_id WHERE x.series_id = s.series_id"
		      " AND k.undone_at IS NULL)")
/* SQLite gives a freed number to the next series: what was undone must not name that one. A
 * sign keeps what was one series apart from what was another. */
SQL(recount_forget_runs, "UPDATE correction_run SET series_id = -series_id WHERE series_id = $1")
SQL(recount_forget_new_runs,
    "UPDATE correction_run SET new_series_id = -new_series_id WHERE new_series_id = $1")
SQL(recount_forget_summaries,
    "UPDATE correction_summary SET series_id = -series_id WHERE series_id = $1")
SQL(recount_forget_new_summaries,
    "UPDATE correction_summary SET new_series_id = -new_series_id WHERE new_series_id = $1")
SQL(recount_drop_queue, "DELETE FROM analysis_queue WHERE series_id = $1")
SQL(recount_drop_metrics, "DELETE FROM series_metric WHERE series_id = $1")
SQL(recount_drop_layouts, "DELETE FROM series_layout WHERE series_id = $1")
SQL(recount_drop_axes, "DELETE FROM series_axis WHERE series_id = $1")
SQL(recount_drop_series, "DELETE FROM series WHERE series_id = $1")

static int drop_series(struct ctx *c, int64_t series_id)
{
	static const struct sql *const parts[] = {
		&recount_forget_runs,          &recount_forget_new_runs, &recount_forget_summaries,
		&recount_forget_new_summaries, &recount_drop_queue,      &recount_drop_metrics,
		&recount_drop_layouts,         &recount_drop_axes,       &recount_drop_series};
	int e = E_OK;

	for (size_t i = 0; e >= 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		auto_stmt struct stmt *st = db_stmt(c, parts[i]);

		bind_int(st, 1, series_id);
		e = stmt_run(st);
	}
	return e;
}

int recount_drop_empty(struct ctx *c, const struct recount *r)
{
	for (size_t i = 0; i < r->n; i++) {
		bool empty;

		if (i > 0 && r->places[i - 1].series_id == r->places[i].series_id)
			continue;
		{
			auto_stmt struct stmt *st = db_stmt(c, &recount_is_empty);

			bind_int(st, 1, r->places[i].series_id);
			empty = stmt_step(st) == STMT_ROW;
			if (stmt_status(st) < 0)
				return stmt_status(st);
		}
		int e = empty ? drop_series(c, r->places[i].series_id) : E_OK;
		if (e < 0)
			return e;
	}
	return E_OK;
}
