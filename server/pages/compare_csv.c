/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison for spreadsheets. One line a metric and series, the commits side by side in the
 * order asked for, each field's commit in the head; printed_change is what a report printed against
 * this base, in percent or points. Across an axis the columns differ from table to table, so there
 * a line is one value of the axis beside the base.
 */
#include "server/pages/compare.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/view/csv.h"

static const char *const first_fields[] = {"n", "mean", "stddev", "stddev_pct", "fails", "runs"};
static const char *const later_fields[] = {
	"n",          "mean",       "stddev",           "stddev_pct",     "fails", "runs",
	"change_abs", "change_pct", "reproduction_pct", "printed_change", "p",     "q",
	"verdict",    "origin"};
#define VERDICT_FIELD 12 /* of the later ones */
#define LENGTH(x)     (sizeof(x) / sizeof((x)[0]))

/* The fields of one column; what stands behind each tells columns apart. */
static void write_fields(struct csv *w, struct arena *a, bool base, const char *behind)
{
	const char *const *fields = base ? first_fields : later_fields;
	size_t n = base ? LENGTH(first_fields) : LENGTH(later_fields);

	for (size_t k = 0; k < n; k++)
		csv_str(w, *behind ? arena_fmt(a, "%s %s", fields[k], behind) : fields[k]);
}

static void write_head(struct csv *w, struct arena *a, const struct compare *cmp)
{
	static const char *const fixed[] = {"series", "testcase",  "tbox_group", "metric",
					    "unit",   "direction", "kind",       "role"};

	for (size_t i = 0; i < LENGTH(fixed); i++)
		csv_str(w, fixed[i]);
	if (cmp->across) {
		csv_str(w, arena_fmt(a, "base %s", cmp->across));
		csv_str(w, cmp->across);
		write_fields(w, a, true, "base");
		write_fields(w, a, false, "");
	}
	for (size_t i = 0; i < cmp->ncommits && !cmp->across; i++) {
		const char *name = cmp->commits[i].name;

		if (cmp->pairs) /* two may have the same base */
			name = arena_fmt(a, "%s pair %zu", name, i / 2 + 1);
		write_fields(w, a, cmp->columns[i].base == i, name);
	}
	csv_end_line(w);
}

static void write_known(struct csv *w, int64_t n)
{
	if (n < 0)
		csv_str(w, NULL);
	else
		csv_int(w, n);
}

static void write_cell(struct csv *w, const struct cell *c, bool functional, bool first)
{
	bool judged = c->present && c->judged;

	if (!c->present) {
		bool failed = !first && c->verdict == VERDICT_FAILED;

		for (size_t k = 0; k < (first ? LENGTH(first_fields) : LENGTH(later_fields)); k++)
			csv_str(w, failed && k == VERDICT_FIELD ? verdict_name(c->verdict) : NULL);
		return;
	}
	write_known(w, c->n);
	csv_num(w, functional ? NAN : c->mean);
	csv_num(w, functional ? NAN : c->stddev);
	csv_num(w, functional ? NAN : c->stddev_pct);
	write_known(w, functional ? c->fails : -1);
	write_known(w, functional ? c->runs : -1);
	if (first)
		return;
	csv_num(w, judged && !functional ? c->change_abs : NAN);
	csv_num(w, judged && !functional ? c->change_pct : NAN);
	csv_num(w, judged && functional ? c->reproduction_pct : NAN);
	csv_num(w, judged && c->show_printed ? c->summary->printed_change : NAN);
	csv_num(w, judged ? c->p : NAN);
	csv_num(w, judged ? c->q : NAN);
	csv_str(w, verdict_name(c->verdict));
	csv_str(w, c->reported ? "reported" : "judged");
}

static void write_row_head(struct csv *w, const struct series *s, const struct compare_table *t,
			   size_t r)
{
	const struct comparison_row *row = &t->rows[r];
	const struct metric_facts *f = &row->metric->facts;

	csv_str(w, s->digest);
	csv_str(w, s->testcase);
	csv_str(w, s->tbox_group);
	csv_str(w, row->metric->name);
	csv_str(w, t->units[r]);
	csv_str(w, direction_name(f->direction));
	csv_str(w, kind_name(f->kind));
	csv_str(w, role_name(row->role));
}

static void write_across(struct csv *w, const struct compare_table *t, size_t r)
{
	const struct comparison_row *row = &t->rows[r];
	bool functional = row->metric->facts.kind == KIND_FUNCTIONAL;

	for (size_t k = 1; k < t->ncols; k++) {
		write_row_head(w, &t->columns[k].series, t, r);
		csv_str(w, t->columns[0].value);
		csv_str(w, t->columns[k].value);
		write_cell(w, &row->cells[0], functional, true);
		write_cell(w, &row->cells[k], functional, false);
		csv_end_line(w);
	}
}

static void write_row(struct csv *w, const struct compare_table *t, size_t r)
{
	const struct comparison_row *row = &t->rows[r];
	bool functional = row->metric->facts.kind == KIND_FUNCTIONAL;

	write_row_head(w, &t->series, t, r);
	for (size_t k = 0; k < t->ncols; k++)
		write_cell(w, &row->cells[k], functional, t->columns[k].base == k);
	csv_end_line(w);
}

int compare_csv(struct compare_answer *x)
{
	struct compare_table t;
	struct csv w;
	int rc;

	csv_init(&w, x->o);
	write_head(&w, x->c->arena, x->cmp);
	while ((rc = compare_answer_next(x, &t)) == COMPARE_TABLE)
		for (size_t r = 0; r < t.nrows; r++)
			if (x->cmp->across)
				write_across(&w, &t, r);
			else
				write_row(&w, &t, r);
	return rc;
}
