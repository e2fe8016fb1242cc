/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison for spreadsheets and terminals. CSV: one line a metric and series, the commits side
 * by side in the order asked for, each field's commit in the head; printed_change is what a report
 * printed against this base, in percent or points. Text: the test robot's tables,
 * nothing else.
 */
#include "server/pages/compare.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/report/robot_table.h"
#include "server/view/csv.h"

static const char *const first_fields[] = {"n", "mean", "stddev", "stddev_pct", "fails", "runs"};
static const char *const later_fields[] = {
	"n",          "mean",       "stddev",           "stddev_pct",     "fails", "runs",
	"change_abs", "change_pct", "reproduction_pct", "printed_change", "p",     "q",
	"verdict",    "origin"};
#define VERDICT_FIELD 12 /* of the later ones */
#define LENGTH(x)     (sizeof(x) / sizeof((x)[0]))

static void write_head(struct csv *w, struct arena *a, const struct compare *cmp)
{
	static const char *const fixed[] = {"series", "testcase",  "tbox_group", "metric",
					    "unit",   "direction", "kind",       "role"};

	for (size_t i = 0; i < LENGTH(fixed); i++)
		csv_str(w, fixed[i]);
	for (size_t i = 0; i < cmp->ncommits; i++) {
		const char *const *fields = i == 0 ? first_fields : later_fields;
		size_t n = i == 0 ? LENGTH(first_fields) : LENGTH(later_fields);

		for (size_t k = 0; k < n; k++)
			csv_str(w, arena_fmt(a, "%s %s", fields[k], cmp->commits[i].name));
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

void compare_csv(struct out *o, struct arena *a, const struct compare *cmp)
{
	struct csv w;

	csv_init(&w, o);
	write_head(&w, a, cmp);
	for (size_t i = 0; i < cmp->ntables; i++) {
		const struct compare_table *t = &cmp->tables[i];

		for (size_t r = 0; r < t->nrows; r++) {
			const struct comparison_row *row = &t->rows[r];
			const struct metric_facts *f = &row->metric->facts;

			csv_str(&w, t->series.digest);
			csv_str(&w, t->series.testcase);
			csv_str(&w, t->series.tbox_group);
			csv_str(&w, row->metric->name);
			csv_str(&w, t->units[r]);
			csv_str(&w, direction_name(f->direction));
			csv_str(&w, kind_name(f->kind));
			csv_str(&w, role_name(row->role));
			for (size_t k = 0; k < cmp->ncommits; k++)
				write_cell(&w, &row->cells[k], f->kind == KIND_FUNCTIONAL, k == 0);
			csv_end_line(&w);
		}
	}
}

void compare_txt(struct out *o, const struct compare *cmp)
{
	for (size_t i = 0; i < cmp->ntables; i++) {
		if (i)
			out_char(o, '\n');
		robot_table(o, cmp, &cmp->tables[i]);
	}
	if (cmp->ntables == 0 && cmp->ncommits > 1)
		out_fmt(o, "No series has results of %s and of another commit asked for.\n",
			cmp->commits[0].asked);
	else if (cmp->ntables == 0)
		out_fmt(o, "No series has results of %s.\n", cmp->commits[0].asked);
}
