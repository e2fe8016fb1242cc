/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The matrix of a comparison in its forms. JSON adds to plumbline.compare/1:
 *
 * "matrix": {"machines": […], "rows": [{"testcase", "axes" (without the machine), "cells": [null or
 * {"series", "verdict", "metric", "change_pct" or "change_abs" or "reproduction_pct", "rows",
 * "changed"}]}]}; "tables" is empty. As in a table, "quarantined" and "error" are there only if
 * needed. A cell's verdict is the weightiest of the test's own and of the functional rows; metric
 * is the primary one that moved worst.
 */
#include "server/model/compare_matrix.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/report/markdown_table.h"
#include "server/report/robot_table.h"
#include "server/view/csv.h"
#include "server/view/html.h"
#include "server/view/url.h"

#define CELL_MAX 40 /* characters of a cell in text */

static int load(struct compare_answer *x, struct matrix *m)
{
	return matrix_load(x->c, x->q, x->cmp, m);
}

/* In a column older than its base the words are about going back. */
static const char *verdict_word(const struct matrix_cell *c)
{
	if (c->older && c->verdict == VERDICT_REGRESSION)
		return "older is worse";
	if (c->older && c->verdict == VERDICT_IMPROVEMENT)
		return "older is better";
	return verdict_name(c->verdict);
}

/* "-12.5 %", or "". */
static const char *change_words(struct arena *a, const struct matrix_cell *c)
{
	return c->metric && !isnan(c->change)
		       ? arena_fmt(a, "%+.1f %s", c->change, matrix_unit(c->metric))
		       : "";
}

static const char *cell_words(struct arena *a, const struct matrix_cell *c)
{
	const char *change;

	if (!c)
		return "";
	if (c->error)
		return "too large";
	change = change_words(a, c);
	return arena_fmt(a, "%s%s%s%s", verdict_word(c), *change ? " " : "", change,
			 c->quarantined ? " (quarantined)" : "");
}

/* "hackbench ipc: socket, mode: process" */
static const char *row_words(struct arena *a, const struct matrix_row *row)
{
	const char *rest = part_series_rest(a, &row->series);

	return arena_fmt(a, "%s%s%s", row->series.testcase, *rest ? " " : "", rest);
}

static const char *nothing_words(const struct compare *cmp)
{
	return cmp->pairs ? "No series has results of both commits of a pair."
			  : "No series has results of the base and of another commit asked for.";
}

/* --- JSON --- */

static void json_cell(struct jw *w, const struct matrix_cell *c)
{
	if (!c) {
		jw_null(w, NULL);
		return;
	}
	jw_obj(w, NULL);
	jw_str(w, "series", c->digest);
	jw_str(w, "verdict", verdict_name(c->verdict));
	jw_str(w, "metric", c->metric ? c->metric->name : NULL);
	jw_num(w,
	       c->metric && c->metric->facts.kind == KIND_PERCENT      ? "change_abs"
	       : c->metric && c->metric->facts.kind == KIND_FUNCTIONAL ? "reproduction_pct"
								       : "change_pct",
	       c->change);
	jw_int(w, "rows", (int64_t)c->rows);
	jw_int(w, "changed", (int64_t)c->changed);
	if (c->quarantined)
		jw_str(w, "quarantined", c->quarantined);
	if (c->error)
		jw_str(w, "error", c->error);
	jw_end(w);
}

static void json_row(struct jw *w, const struct matrix *m, const struct matrix_row *row)
{
	const struct series *s = &row->series;

	jw_obj(w, NULL);
	jw_str(w, "testcase", s->testcase);
	jw_obj(w, "axes");
	for (size_t i = 0; i < s->naxes; i++)
		if (strcmp(s->axes[i].name, "tbox_group") != 0)
			jw_str(w, s->axes[i].name, s->axes[i].value);
	jw_end(w);
	jw_arr(w, "cells");
	for (size_t k = 0; k < m->nmachines; k++)
		json_cell(w, row->cells[k]);
	jw_end(w);
	jw_end(w);
}

int compare_matrix_json(struct compare_answer *x)
{
	struct matrix m;
	struct jw w;
	int rc = load(x, &m);

	jw_init(&w, x->o);
	jw_obj(&w, NULL);
	compare_json_head(&w, x->cmp);
	jw_arr(&w, "tables");
	jw_end(&w);
	jw_obj(&w, "matrix");
	jw_arr(&w, "machines");
	for (size_t k = 0; k < m.nmachines; k++)
		jw_str(&w, NULL, m.machines[k]);
	jw_end(&w);
	jw_arr(&w, "rows");
	for (size_t i = 0; i < m.nrows; i++)
		json_row(&w, &m, &m.rows[i]);
	jw_end(&w);
	jw_end(&w);
	part_json_next(&w, x->cmp->next);
	compare_json_tail(&w, x->cmp);
	jw_end(&w);
	return rc;
}

/* --- CSV, text, Markdown --- */

int compare_matrix_csv(struct compare_answer *x)
{
	struct arena *a = x->c->arena;
	struct matrix m;
	struct csv w;
	int rc = load(x, &m);

	csv_init(&w, x->o);
	csv_str(&w, "testcase");
	csv_str(&w, "axes");
	for (size_t k = 0; k < m.nmachines; k++)
		csv_str(&w, m.machines[k]);
	csv_end_line(&w);
	for (size_t i = 0; i < m.nrows; i++) {
		csv_str(&w, m.rows[i].series.testcase);
		csv_str(&w, part_series_rest(a, &m.rows[i].series));
		for (size_t k = 0; k < m.nmachines; k++)
			csv_str(&w, cell_words(a, m.rows[i].cells[k]));
		csv_end_line(&w);
	}
	return rc;
}

/* Text in a column of so many characters. */
static void put_padded(struct out *o, const char *s, size_t width)
{
	robot_text(o, s);
	for (size_t n = strlen(s); n < width; n++)
		out_char(o, ' ');
}

static size_t wider(size_t width, const char *s)
{
	size_t n = strnlen(s, CELL_MAX);

	return n > width ? n : width;
}

static void txt_commits(struct out *o, const struct compare *cmp)
{
	for (size_t i = 0; i < cmp->ncommits; i++) {
		const struct commit *k = &cmp->commits[i].commit;

		out_str(o, cmp->columns[i].base == i ? "base   " : "change ");
		robot_text(o, cmp->commits[i].name);
		out_str(o, k->subject ? " " : "");
		robot_text(o, k->subject ? k->subject : "");
		out_char(o, '\n');
	}
	out_char(o, '\n');
}

static void txt_rows(struct out *o, struct arena *a, const struct matrix *m)
{
	size_t *widths = arena_array(a, size_t, m->nmachines);

	for (size_t k = 0; k < m->nmachines; k++) {
		widths[k] = wider(0, m->machines[k]);
		for (size_t i = 0; i < m->nrows; i++)
			widths[k] = wider(widths[k], cell_words(a, m->rows[i].cells[k]));
	}
	for (size_t k = 0; k < m->nmachines; k++) {
		put_padded(o, m->machines[k], widths[k]);
		out_str(o, "  ");
	}
	out_str(o, "test\n");
	for (size_t i = 0; i < m->nrows; i++) {
		for (size_t k = 0; k < m->nmachines; k++) {
			put_padded(o, cell_words(a, m->rows[i].cells[k]), widths[k]);
			out_str(o, "  ");
		}
		robot_text(o, row_words(a, &m->rows[i]));
		out_char(o, '\n');
	}
}

static void write_more(struct compare_answer *x)
{
	if (x->cmp->next >= 0)
		out_fmt(x->o, "\nThere are more series: go on with cursor=%lld\n",
			(long long)x->cmp->next);
}

int compare_matrix_txt(struct compare_answer *x)
{
	struct matrix m;
	int rc = load(x, &m);

	if (rc < 0)
		return rc;
	if (m.nrows == 0) {
		out_fmt(x->o, "%s\n", nothing_words(x->cmp));
		return rc;
	}
	txt_commits(x->o, x->cmp);
	txt_rows(x->o, x->c->arena, &m);
	write_more(x);
	return rc;
}

int compare_matrix_md(struct compare_answer *x)
{
	struct arena *a = x->c->arena;
	struct out *o = x->o;
	struct matrix m;
	int rc = load(x, &m);

	if (rc < 0)
		return rc;
	if (m.nrows == 0) {
		out_fmt(o, "%s\n", nothing_words(x->cmp));
		return rc;
	}
	out_str(o, "| test |");
	for (size_t k = 0; k < m.nmachines; k++) {
		out_char(o, ' ');
		markdown_text(o, m.machines[k]);
		out_str(o, " |");
	}
	out_str(o, "\n|:---|");
	for (size_t k = 0; k < m.nmachines; k++)
		out_str(o, "---:|");
	for (size_t i = 0; i < m.nrows; i++) {
		out_str(o, "\n| ");
		markdown_text(o, row_words(a, &m.rows[i]));
		out_str(o, " |");
		for (size_t k = 0; k < m.nmachines; k++)
			out_fmt(o, " %s |", cell_words(a, m.rows[i].cells[k]));
	}
	out_char(o, '\n');
	write_more(x);
	return rc;
}

/* --- HTML --- */

/* The address of the series' own table: this page's, but for one series and all its rows. */
static struct url *url_table(struct req *r, const struct compare *cmp, const struct matrix_cell *c)
{
	struct arena *a = r->ctx.arena;
	struct url *u;

	if (!cmp->pairs)
		return url_compare(a, compare_names(a, cmp, 0), c->digest);
	u = url_path(a, "/compare");
	url_param(a, u, "pairs", req_param(r, "pairs"));
	url_param(a, u, "series", c->digest);
	return u;
}

static void html_cell(struct req *r, const struct compare *cmp, const struct matrix_cell *c)
{
	struct arena *a = r->ctx.arena;
	struct out *o = r->out;

	if (!c) {
		html(o, "<td class=\"num\">–</td>");
		return;
	}
	html(o, "<td class=\"num verdict-%s\" title=\"%s\">", verdict_name(c->verdict),
	     c->error    ? c->error
	     : c->metric ? arena_fmt(a, "%s; %zu of %zu rows changed", c->metric->name, c->changed,
				     c->rows)
			 : "no row");
	html_link(o, url_table(r, cmp, c),
		  arena_fmt(a, "%s %s", part_verdict_sign(c->verdict), cell_words(a, c)));
	html(o, "</td>");
}

static void html_rows(struct req *r, const struct compare *cmp, const struct matrix *m)
{
	struct arena *a = r->ctx.arena;
	struct out *o = r->out;

	html(o, "<div class=\"scroll\"><table class=\"compare matrix\">\n<thead><tr><th "
		"scope=\"col\">Test</th>");
	for (size_t k = 0; k < m->nmachines; k++) {
		html(o, "<th scope=\"col\" class=\"num\">");
		html_link(o, url_machine(a, m->machines[k]), m->machines[k]);
		html(o, "</th>");
	}
	html(o, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < m->nrows; i++) {
		const struct matrix_row *row = &m->rows[i];

		html(o, "<tr><th scope=\"row\">");
		html_link(o, url_testcase(a, row->series.testcase), row->series.testcase);
		html(o, " <small>%s</small></th>", part_series_rest(a, &row->series));
		for (size_t k = 0; k < m->nmachines; k++)
			html_cell(r, cmp, row->cells[k]);
		html(o, "</tr>\n");
	}
	html(o, "</tbody>\n</table></div>\n");
}

int compare_matrix_html(struct req *r, struct compare_answer *x)
{
	struct matrix m;
	int rc = load(x, &m);

	if (rc < 0)
		return rc;
	compare_html_head(r, x->q, x->cmp);
	if (m.nrows == 0) {
		html(r->out, "<p class=\"empty\">%s</p>\n", nothing_words(x->cmp));
		return E_OK;
	}
	html(r->out, "<p>Each cell is one series: the worst verdict of the test's own and the "
		     "functional rows, and how far the test's figure moved; – is not measured on "
		     "both sides. ");
	html_link(r->out, req_url_with(r, "view", NULL), "All tables");
	html(r->out, "</p>\n");
	html_rows(r, x->cmp, &m);
	part_pager(r, x->cmp->next);
	return E_OK;
}
