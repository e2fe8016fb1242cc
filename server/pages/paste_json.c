/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pasted outputs side by side for programs:
 *
 *	{"schema": "plumbline.paste/1", "rule", "sentence",
 *	 "texts": [{"label", "format", "words"}],
 *	 "columns": [{"label", "text", "base", "runs", "commit", "axes"}],
 *	 "columns_left_out",
 *	 "distributions": [{"metric", "unit", "figures": [{"mean", "stddev", "min", "max"}],
 *	                    "percentiles": [{"percentile", "values", "change_abs", "change_pct"}]}],
 *	 "distributions_left_out",
 *	 "rows": [{"metric", "unit", "direction", "kind", "role", "cells"}], "rows_left_out"}
 *
 * text and base are places in their lists, base null where a column is held against none; what
 * stands in lists of figures is one a column. Cells are those of plumbline.compare/1, without tests
 * where there is only one run.
 */
#include "server/pages/paste_page.h"

#include <math.h>

#include "importers/import.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/view/json.h"

static void write_texts(struct jw *w, const struct paste *p)
{
	jw_arr(w, "texts");
	for (size_t i = 0; i < p->ntexts; i++) {
		const struct paste_text *t = &p->texts[i];

		jw_obj(w, NULL);
		jw_str(w, "label", t->label);
		jw_str(w, "format", t->format->name);
		jw_str(w, "words", *t->words ? t->words : NULL);
		jw_end(w);
	}
	jw_end(w);
}

static void write_columns(struct jw *w, const struct paste *p)
{
	jw_arr(w, "columns");
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct paste_column *col = &p->columns[i];
		const struct submission *s = col->subs[0];

		jw_obj(w, NULL);
		jw_str(w, "label", col->label);
		jw_int(w, "text", (int64_t)col->text);
		if (col->base == i)
			jw_null(w, "base");
		else
			jw_int(w, "base", (int64_t)col->base);
		jw_int(w, "runs", (int64_t)col->nruns);
		jw_str(w, "commit", col->labelled_commit ? s->commit.id : NULL);
		part_json_pairs(w, "axes", s->axes, s->naxes);
		jw_end(w);
	}
	jw_end(w);
	jw_int(w, "columns_left_out", (int64_t)p->columns_left_out);
}

static void write_changes(struct jw *w, const struct paste *p, const double *values, bool percent)
{
	jw_arr(w, percent ? "change_pct" : "change_abs");
	for (size_t i = 0; i < p->ncolumns; i++) {
		double base = values[p->columns[i].base], by = values[i] - base;

		if (p->columns[i].base == i || (percent && base == 0))
			jw_null(w, NULL);
		else
			jw_num(w, NULL, percent ? 100 * by / fabs(base) : by);
	}
	jw_end(w);
}

static void write_percentiles(struct jw *w, const struct paste *p,
			      const struct paste_distribution *d)
{
	jw_arr(w, "percentiles");
	for (size_t i = 0; i < d->n; i++) {
		const struct paste_percentile *row = &d->percentiles[i];

		jw_obj(w, NULL);
		jw_str(w, "percentile", row->name);
		jw_arr(w, "values");
		for (size_t k = 0; k < p->ncolumns; k++)
			jw_num(w, NULL, row->values[k]);
		jw_end(w);
		write_changes(w, p, row->values, false);
		write_changes(w, p, row->values, true);
		jw_end(w);
	}
	jw_end(w);
}

static void write_distributions(struct jw *w, const struct paste *p)
{
	jw_arr(w, "distributions");
	for (size_t i = 0; i < p->ndistributions; i++) {
		const struct paste_distribution *d = &p->distributions[i];

		jw_obj(w, NULL);
		jw_str(w, "metric", d->metric);
		jw_str(w, "unit", d->unit);
		jw_arr(w, "figures");
		for (size_t k = 0; k < p->ncolumns; k++) {
			jw_obj(w, NULL);
			jw_num(w, "mean", d->figures[k].mean);
			jw_num(w, "stddev", d->figures[k].stddev);
			jw_num(w, "min", d->figures[k].min);
			jw_num(w, "max", d->figures[k].max);
			jw_end(w);
		}
		jw_end(w);
		write_percentiles(w, p, d);
		jw_end(w);
	}
	jw_end(w);
	jw_int(w, "distributions_left_out", (int64_t)p->distributions_left_out);
}

void paste_json(struct req *r, const struct paste *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "schema", "plumbline.paste/1");
	jw_str(&w, "rule", rule_version_name(RULE_NEWEST)); /* nothing of it is stored */
	jw_str(&w, "sentence", p->sentence);
	write_texts(&w, p);
	write_columns(&w, p);
	write_distributions(&w, p);
	jw_arr(&w, "rows");
	for (size_t i = 0; i < p->nrows; i++) {
		const struct comparison_row *row = &p->all.rows[i];

		compare_json_row_begin(&w, row, p->units[i]);
		for (size_t k = 0; k < p->ncolumns; k++)
			compare_json_cell(&w, &row->cells[k], row->metric, p->columns[k].base == k,
					  false);
		jw_end(&w);
		jw_end(&w);
	}
	jw_end(&w);
	jw_int(&w, "rows_left_out", (int64_t)p->rows_left_out);
	jw_end(&w);
	out_char(r->out, '\n');
}
