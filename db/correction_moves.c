/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves between series. The series with the changed axes is found by its digest, or made when the
 * correction is stored. What lists and pages expect of a series that has runs (layouts, metrics and
 * their units) is noted for it; the series that results leave keeps its notes, which may name more
 * than its runs have.
 */
#include "db/correction_moves.h"

#include "db/metrics.h"
#include "db/samples.h"
#include "db/series.h"
#include "db/series_units.h"
#include "server/base/arena.h"

#define CONFLICTS_MAX 20 /* faults of one move */

SQL(correction_axis_of,
    "SELECT 1 FROM series_axis WHERE series_id = $1 AND name = $2 AND value = $3")

int correction_move_needed(struct ctx *c, const struct correction_in *in, int64_t series_id,
			   bool *needed)
{
	*needed = false;
	for (size_t i = 0; i < in->naxes && !*needed; i++) {
		auto_stmt struct stmt *st = db_stmt(c, &correction_axis_of);

		bind_int(st, 1, series_id);
		bind_text(st, 2, in->axes[i].name);
		bind_text(st, 3, in->axes[i].value);
		int r = stmt_step(st);
		if (r < 0)
			return r;
		*needed = r == STMT_DONE;
	}
	return E_OK;
}

/* Two sorted lists as one; where both have a name, the second counts. */
static struct pair *merge_axes(struct arena *a, const struct series *s,
			       const struct correction_in *in, size_t *n)
{
	struct pair *both = arena_array(a, struct pair, s->naxes + in->naxes);
	size_t i = 0, j = 0;

	*n = 0;
	while (i < s->naxes || j < in->naxes) {
		int d = i == s->naxes    ? 1
			: j == in->naxes ? -1
					 : strcmp(s->axes[i].name, in->axes[j].name);

		both[(*n)++] = d < 0 ? s->axes[i] : in->axes[j];
		i += d <= 0;
		j += d >= 0;
	}
	return both;
}

int correction_move_add(struct ctx *c, const struct correction_in *in, int64_t series_id,
			struct correction_plan *plan, size_t *cap)
{
	struct correction_move m = {.from = series_id};
	struct series s;

	for (size_t i = plan->nmoves; i > 0; i--)
		if (plan->moves[i - 1].from == series_id)
			return E_OK;
	int e = series_get_id(c, series_id, &s);
	if (e < 0)
		return e;
	m.axes = merge_axes(c->arena, &s, in, &m.naxes);
	for (size_t i = 0; i < m.naxes; i++) {
		if (!strcmp(m.axes[i].name, "testcase"))
			m.testcase = m.axes[i].value;
		else if (!strcmp(m.axes[i].name, "tbox_group"))
			m.tbox_group = m.axes[i].value;
	}
	struct digest d = series_digest(m.axes, m.naxes);
	digest_hex(&d, m.digest);
	e = series_find(c, m.digest, &m.to);
	if (e < 0)
		return e;
	plan->moves =
		arena_grow(c->arena, plan->moves, cap, plan->nmoves + 1, sizeof(*plan->moves));
	plan->moves[plan->nmoves++] = m;
	return E_OK;
}

/* --- units --- */

/* Both lists are sorted by metric. */
static int hold_units(struct ctx *c, const struct series_unit *a, size_t na,
		      const struct series_unit *b, size_t nb)
{
	size_t conflicts = 0;

	for (size_t i = 0, j = 0; i < na && j < nb && conflicts < CONFLICTS_MAX;) {
		if (a[i].metric_id != b[j].metric_id) {
			if (a[i].metric_id < b[j].metric_id)
				i++;
			else
				j++;
			continue;
		}
		if (strcmp(a[i].unit, b[j].unit) != 0) {
			const struct metric *m = metric_by_id(c, a[i].metric_id);

			conflicts++;
			fault(c, "set.axis", "%.200s is in \"%.64s\" here and in \"%.64s\" there",
			      m ? m->name : "a metric", a[i].unit, b[j].unit);
		}
		i++;
		j++;
	}
	return (int)c->err;
}

int correction_moves_check(struct ctx *c, const struct correction_plan *plan)
{
	struct units {
		struct series_unit *list;
		size_t n;
	} *units = arena_array(c->arena, struct units, plan->nmoves);
	int e = E_OK;

	for (size_t i = 0; i < plan->nmoves && e >= 0; i++) {
		const struct correction_move *m = &plan->moves[i];
		struct units there = {NULL, 0};

		e = series_units(c, m->from, &units[i].list, &units[i].n);
		if (e >= 0 && m->to)
			e = series_units(c, m->to, &there.list, &there.n);
		if (e >= 0)
			e = hold_units(c, units[i].list, units[i].n, there.list, there.n);
		for (size_t k = 0; k < i && e >= 0; k++)
			if (!strcmp(plan->moves[k].digest, m->digest))
				e = hold_units(c, units[i].list, units[i].n, units[k].list,
					       units[k].n);
	}
	return e;
}

/* --- storing --- */

int correction_moves_store(struct ctx *c, struct correction_plan *plan, int64_t now)
{
	int e = E_OK;

	for (size_t i = 0; i < plan->nmoves && e >= 0; i++) {
		struct correction_move *m = &plan->moves[i];
		const struct submission like = {
			.axes = m->axes,
			.naxes = m->naxes,
			.testcase = m->testcase,
			.tbox_group = m->tbox_group,
		};

		e = series_ensure(c, &like, now, &m->to);
	}
	return e;
}

SQL(correction_metric_of, "SELECT 1 FROM series_metric WHERE series_id = $1 AND metric_id = $2")

/* A metric that is new there, with the unit that it has in the other series. What the uploads of a
 * series said of its own metrics stays as it is: an undo could not tell it from what came. */
static int note_metric(struct ctx *c, int64_t from, int64_t to, uint32_t metric_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_metric_of);
	const char *unit;
	bool agrees;

	bind_int(st, 1, to);
	bind_int(st, 2, metric_id);
	if (stmt_step(st) != STMT_DONE)
		return stmt_status(st);
	int e = series_has_metric(c, to, metric_id);
	if (e >= 0)
		e = series_unit(c, from, metric_id, &unit);
	return e < 0 || !unit ? e : series_set_unit(c, to, metric_id, unit, &agrees);
}

SQL(correction_layout_of,
    "SELECT l.layout_id, l.metric_ids FROM run r"
    " JOIN layout l ON l.layout_id = r.layout_id"
    " LEFT JOIN series_layout x ON x.layout_id = r.layout_id AND x.series_id = $2"
    " WHERE r.run_id = $1 AND x.layout_id IS NULL")
SQL(correction_layout_note, "INSERT INTO series_layout (series_id, layout_id) VALUES ($1, $2)")

/* The layout, unless it is noted already. */
static int note_layout(struct ctx *c, int64_t from, int64_t to, int64_t run_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_layout_of);
	size_t nbytes, n;
	int e;

	bind_int(st, 1, run_id);
	bind_int(st, 2, to);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	const void *bytes = col_blob(st, 1, &nbytes);
	const uint32_t *ids = layout_unpack(c->arena, bytes, nbytes, &n);
	if (!ids)
		return fail(c, E_INTERNAL, "a layout of run %lld is damaged", (long long)run_id);
	auto_stmt struct stmt *note = db_stmt(c, &correction_layout_note);
	bind_int(note, 1, to);
	bind_int(note, 2, col_int(st, 0));
	e = stmt_run(note);
	for (size_t i = 0; e >= 0 && i < n; i++)
		e = note_metric(c, from, to, ids[i]);
	return e;
}

SQL(correction_distributed,
    "SELECT metric_id FROM distribution WHERE series_id = $1 AND run_id = $2"
    " ORDER BY metric_id LIMIT $3")
SQL(correction_move_distributions,
    "UPDATE distribution SET series_id = $2 WHERE series_id = $1 AND run_id = $3")
SQL(correction_move_artifacts,
    "UPDATE run_artifact SET series_id = $2 WHERE series_id = $1 AND run_id = $3")

#define DISTRIBUTIONS_MAX 100000 /* of one run */

static int note_distributions(struct ctx *c, int64_t from, int64_t to, int64_t run_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_distributed);
	int e = E_OK;

	bind_int(st, 1, from);
	bind_int(st, 2, run_id);
	bind_int(st, 3, DISTRIBUTIONS_MAX);
	while (e >= 0 && stmt_step(st) == STMT_ROW)
		e = note_metric(c, from, to, (uint32_t)col_int(st, 0));
	return e < 0 ? e : stmt_status(st);
}

static int move_rows(struct ctx *c, const struct sql *sql, int64_t from, int64_t to, int64_t run_id)
{
	auto_stmt struct stmt *st = db_stmt(c, sql);

	bind_int(st, 1, from);
	bind_int(st, 2, to);
	bind_int(st, 3, run_id);
	return stmt_run(st);
}

int correction_note_run(struct ctx *c, int64_t from, int64_t to, int64_t run_id)
{
	int e = note_layout(c, from, to, run_id);

	if (e >= 0)
		e = note_distributions(c, from, to, run_id);
	if (e >= 0)
		e = move_rows(c, &correction_move_distributions, from, to, run_id);
	return e < 0 ? e : move_rows(c, &correction_move_artifacts, from, to, run_id);
}

SQL(correction_summary_cells, "SELECT cells FROM summary WHERE summary_id = $1")

int correction_note_summary(struct ctx *c, int64_t from, int64_t to, int64_t summary_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &correction_summary_cells);
	struct stored_cell *cells;
	size_t nbytes, n = 0;
	int e = E_OK;

	bind_int(st, 1, summary_id);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	const void *bytes = col_blob(st, 0, &nbytes);
	e = summary_unpack(c, bytes, nbytes, &cells, &n);
	for (size_t i = 0; e >= 0 && i < n; i++)
		e = note_metric(c, from, to, cells[i].metric_id);
	return e;
}
