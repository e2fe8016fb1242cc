/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bulk of a submission: its runs, packed in the order of their layout, or its summary. */
#include "db/submission_write.h"

#include "db/distributions.h"
#include "db/metrics.h"
#include "server/base/arena.h"

SQL(run_last_of_cell, "SELECT boot, boot_order FROM run WHERE series_id = $1 AND commit_id = $2"
		      " ORDER BY run_id DESC LIMIT 1")

/* Place in its boot of the first run: it goes on counting when the last run of the cell has the
 * same boot. */
static int first_boot_order(struct storing *w, const char *boot, int64_t *order)
{
	*order = 0;
	if (!boot)
		return E_OK;
	auto_stmt struct stmt *st = db_stmt(w->c, &run_last_of_cell);
	bind_int(st, 1, w->series_id);
	bind_int(st, 2, w->commit_id);
	if (stmt_step(st) == STMT_ROW && !col_null(st, 0) && !strcmp(col_text_peek(st, 0), boot))
		*order = col_int(st, 1) + 1;
	return stmt_status(st);
}

/* Fills w->packed with the values in the order of the layout. */
static int pack_run(struct storing *w, const struct run_in *run, const uint32_t *perm)
{
	size_t n = run->names->n;

	w->scratch = arena_grow(w->c->arena, w->scratch, &w->scratch_cap, n, sizeof(*w->scratch));
	for (size_t i = 0; i < n; i++)
		w->scratch[i] = run->values[perm[i]];
	out_truncate(&w->packed, 0);
	samples_pack(w->scratch, n, &w->packed);
	return w->packed.failed ? fail(w->c, E_TOO_LARGE, "a run has too many values") : E_OK;
}

SQL(run_insert,
    "INSERT INTO run (series_id, commit_id, submission_id, position, status, boot, boot_order,"
    " build_id, info_id, layout_id, samples)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING run_id")

static int insert_run(struct storing *w, const struct submission *s, size_t position,
		      int64_t boot_order, int64_t layout_id, int64_t *run_id)
{
	auto_stmt struct stmt *st = db_stmt(w->c, &run_insert);

	bind_int(st, 1, w->series_id);
	bind_int(st, 2, w->commit_id);
	bind_int(st, 3, w->submission_id);
	bind_int(st, 4, (int64_t)position);
	bind_int(st, 5, status_of(s, position));
	bind_text(st, 6, s->boot);
	bind_int(st, 7, boot_order);
	bind_id(st, 8, w->build_id);
	bind_id(st, 9, w->info_id);
	bind_int(st, 10, layout_id);
	bind_blob(st, 11, w->packed.p, w->packed.len);
	if (stmt_step(st) == STMT_ROW)
		*run_id = col_int(st, 0);
	return stmt_status(st);
}

int store_runs(struct storing *w, const struct submission *s, struct accepted *out)
{
	int64_t noted = -1, layout_id, boot_order;
	const uint32_t *perm;
	int e = first_boot_order(w, s->boot, &boot_order);

	out->run_ids = arena_array(w->c->arena, int64_t, s->nruns);
	out->nruns = s->nruns;
	for (size_t i = 0; i < s->nruns && e >= 0; i++) {
		const struct run_in *run = &s->runs[i];

		e = layout_ensure(w->c, run->names, &layout_id, &perm);
		if (e >= 0 && layout_id != noted) {
			e = series_has_layout(w->c, w->series_id, layout_id, run->names);
			noted = layout_id;
		}
		if (e < 0 || (e = pack_run(w, run, perm)) < 0)
			return e;
		e = insert_run(w, s, i, boot_order + (int64_t)i, layout_id, &out->run_ids[i]);
	}
	if (e >= 0 && s->ndistributions)
		e = distributions_store(w->c, w->series_id, out->run_ids[0], s->distributions,
					s->ndistributions);
	return e;
}

static int by_metric(const void *a, const void *b)
{
	const struct stored_cell *x = a, *y = b;

	return (x->metric_id > y->metric_id) - (x->metric_id < y->metric_id);
}

SQL(summary_insert,
    "INSERT INTO summary (series_id, commit_id, submission_id, status, info_id, cells)"
    " VALUES ($1, $2, $3, $4, $5, $6)")

static int insert_summary(struct storing *w, const struct submission *s)
{
	auto_stmt struct stmt *st = db_stmt(w->c, &summary_insert);

	bind_int(st, 1, w->series_id);
	bind_int(st, 2, w->commit_id);
	bind_int(st, 3, w->submission_id);
	bind_int(st, 4, status_of(s, 0));
	bind_id(st, 5, w->info_id);
	bind_blob(st, 6, w->packed.p, w->packed.len);
	return stmt_run(st);
}

int store_summary(struct storing *w, const struct submission *s)
{
	struct stored_cell *cells = arena_array(w->c->arena, struct stored_cell, s->ncells);

	for (size_t i = 0; i < s->ncells; i++) {
		const struct summary_in *in = &s->cells[i];

		cells[i] = (struct stored_cell){
			.mean = in->mean,
			.stddev = in->stddev,
			.stddev_pct = in->stddev_pct,
			.min = in->min,
			.max = in->max,
			.n = in->n,
			.fails = in->fails,
			.runs = in->runs,
			.printed = in->printed,
			.printed_base = in->printed_base,
			.printed_change = in->printed_change,
		};
		int e = metric_ensure(w->c, in->metric, &cells[i].metric_id);
		if (e < 0 || (e = series_has_metric(w->c, w->series_id, cells[i].metric_id)) < 0)
			return e;
	}
	if (s->ncells)
		qsort(cells, s->ncells, sizeof(*cells), by_metric);
	out_truncate(&w->packed, 0);
	summary_pack(cells, s->ncells, &w->packed);
	if (w->packed.failed)
		return fail(w->c, E_TOO_LARGE, "the summary is too large");
	return insert_summary(w, s);
}
