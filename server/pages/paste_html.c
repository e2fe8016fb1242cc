/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pasted outputs side by side, for people: the sentence, percentiles as picture and table, all
 * figures, the same as text to copy, and how it would be stored.
 */
#include "server/pages/paste_page.h"

#include <inttypes.h>
#include <math.h>

#include "importers/import.h"
#include "server/pages/parts.h"
#include "server/view/chart_percentiles.h"
#include "server/view/html.h"
#include "server/view/unit.h"
#include "server/view/url.h"

#define CHARTS_MAX 6 /* pictures; the tables are all there */

/* --- what was read --- */

static void write_columns(struct req *r, const struct paste *p)
{
	struct out *o = r->out;

	html(o, "<ul class=\"pasted\">\n");
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct paste_column *col = &p->columns[i];
		const struct paste_text *t = &p->texts[col->text];

		html(o, "<li><b>%s</b> <small class=\"muted\">", col->label);
		if (col->nruns)
			html(o, "%s, ", part_count(r->ctx.arena, (int64_t)col->nruns, "run"));
		else
			html(o, "reported, runs unknown, ");
		html(o, "%s</small>\n",
		     *t->words ? t->words : arena_fmt(r->ctx.arena, "read as %s", t->format->name));
	}
	html(o, "</ul>\n");
	if (p->columns_left_out)
		html(o, "<p class=\"note\">%s not shown: %d fit.</p>\n",
		     part_count(r->ctx.arena, (int64_t)p->columns_left_out, "more output"),
		     PASTE_COLUMNS_MAX);
}

/* --- percentiles --- */

static void write_chart(struct req *r, const struct paste *p, const struct paste_distribution *d)
{
	struct arena *a = r->ctx.arena;
	double *at = arena_array(a, double, d->n);
	const char **names = arena_array(a, const char *, d->n);
	struct percentile_line lines[PASTE_COLUMNS_MAX];
	size_t place[PASTE_COLUMNS_MAX], nlines = 0; /* of a column among the lines */

	for (size_t i = 0; i < d->n; i++) {
		at[i] = d->percentiles[i].at;
		names[i] = d->percentiles[i].name;
	}
	for (size_t k = 0; k < p->ncolumns; k++) {
		double *values = arena_array(a, double, d->n);
		size_t told = 0, base = p->columns[k].base;

		for (size_t i = 0; i < d->n; i++) {
			values[i] = d->percentiles[i].values[k];
			told += isfinite(values[i]) != 0;
		}
		place[k] = told ? nlines : SIZE_MAX;
		if (!told)
			continue;
		base = base < k && place[base] != SIZE_MAX ? place[base] : nlines;
		lines[nlines++] = (struct percentile_line){p->columns[k].label, values, base};
	}
	html(r->out, "<figure class=\"chart\">\n");
	chart_percentiles(r->out, &(const struct percentile_chart){
					  .title = arena_fmt(a,
							     "Percentiles of %s, and below what "
							     "differs. The table has all values.",
							     d->metric),
					  .y_name = d->metric,
					  .y_unit = d->unit,
					  .at = at,
					  .names = names,
					  .n = d->n,
					  .lines = lines,
					  .nlines = nlines,
				  });
	html(r->out, "</figure>\n");
}

static void write_head(struct out *o, const struct paste *p, const char *first, bool verdicts)
{
	html(o, "<thead><tr><th scope=\"col\">%s</th>", first);
	for (size_t i = 0; i < p->ncolumns; i++) {
		html(o, "<th scope=\"col\" class=\"num\">%s</th>", p->columns[i].label);
		if (p->columns[i].base == i)
			continue;
		html(o, "<th scope=\"col\" class=\"num\">Change");
		if (p->columns[i].base != 0)
			html(o, "<br><small>against %s</small>",
			     p->columns[p->columns[i].base].label);
		html(o, "</th>");
		if (verdicts)
			html(o, "<th scope=\"col\">Verdict</th>");
	}
	html(o, "</tr></thead>\n<tbody>\n");
}

static void write_value(struct out *o, double v)
{
	html(o, "<td class=\"num\">");
	unit_put_printed(o, v);
	html(o, "</td>");
}

/* A row of figures that are what they are: a percentile, a mean. */
static void write_figures(struct req *r, const struct paste *p, const char *name,
			  const double *values, size_t stride, const char *unit)
{
	struct out *o = r->out;

	html(o, "<tr><th scope=\"row\">%s</th>", name);
	for (size_t i = 0; i < p->ncolumns; i++) {
		double v = values[i * stride], base = values[p->columns[i].base * stride];

		write_value(o, v);
		if (p->columns[i].base != i)
			html(o, "<td class=\"num\">%s</td>",
			     isfinite(v) && isfinite(base)
				     ? paste_change_words(r->ctx.arena, base, v, unit)
				     : "–");
	}
	html(o, "</tr>\n");
}

static bool has_figure(const struct paste *p, const double *values, size_t stride)
{
	for (size_t i = 0; i < p->ncolumns; i++) {
		if (isfinite(values[i * stride]))
			return true;
	}
	return false;
}

static void write_distribution(struct req *r, const struct paste *p,
			       const struct paste_distribution *d, bool drawn)
{
	const size_t stride = sizeof(*d->figures) / sizeof(double);
	const struct {
		const char *name;
		const double *values;
	} others[] = {{"least", &d->figures->min},
		      {"mean", &d->figures->mean},
		      {"standard deviation", &d->figures->stddev},
		      {"most", &d->figures->max}};
	struct arena *a = r->ctx.arena;

	html(r->out, "<section>\n<h2>%s%s%s%s</h2>\n", d->metric, d->unit ? " (" : "",
	     d->unit ? d->unit : "", d->unit ? ")" : "");
	if (drawn)
		write_chart(r, p, d);
	html(r->out, "<div class=\"scroll\"><table class=\"pasted\">\n");
	write_head(r->out, p, "Percentile", false);
	for (size_t i = 0; i < d->n; i++)
		write_figures(r, p, arena_fmt(a, "%sth", d->percentiles[i].name),
			      d->percentiles[i].values, 1, d->unit);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (has_figure(p, others[i].values, stride))
			write_figures(r, p, others[i].name, others[i].values, stride, d->unit);
	}
	html(r->out, "</tbody></table></div>\n</section>\n");
}

static void write_distributions(struct req *r, const struct paste *p)
{
	for (size_t i = 0; i < p->ndistributions; i++)
		write_distribution(r, p, &p->distributions[i], i < CHARTS_MAX);
	if (p->distributions_left_out)
		html(r->out, "<p class=\"note\">%s not shown.</p>\n",
		     part_count(r->ctx.arena, (int64_t)p->distributions_left_out,
				"more distribution"));
}

/* --- figures --- */

static void write_cell(struct out *o, const struct comparison_row *row, const struct cell *c)
{
	if (!c->present) {
		html(o, "<td class=\"num\" title=\"not measured\">–</td>");
		return;
	}
	html(o, "<td class=\"num\">");
	if (row->metric->facts.kind == KIND_FUNCTIONAL && c->fails >= 0 && c->runs >= 0) {
		html(o, "%" PRId64 " of %" PRId64 " %s</td>", c->fails, c->runs,
		     functional_word(&row->metric->facts));
		return;
	}
	unit_put_printed(o, c->mean);
	if (isfinite(c->stddev_pct))
		html(o, " <small>± %.0f %%</small>", c->stddev_pct);
	else if (isfinite(c->stddev) && c->mean != 0)
		html(o, " <small>± %.1f %%</small>", 100 * c->stddev / fabs(c->mean));
	html(o, "</td>");
}

static void write_verdict(struct out *o, const struct cell *c)
{
	html(o, "<td>");
	if (c->present && c->judged) {
		html(o, "<details><summary>");
		if (c->verdict == VERDICT_NO_DATA)
			html(o, "<span class=\"muted\">not judged</span>");
		else
			part_verdict(o, c->verdict);
		html(o, "</summary><small class=\"reason\">%s</small></details>", c->reason);
	}
	html(o, "</td>");
}

static void write_row(struct req *r, const struct paste *p, size_t at)
{
	const struct comparison_row *row = &p->all.rows[at];
	struct out *o = r->out;

	html(o, "<tr class=\"row-%s\"><th scope=\"row\">%s", verdict_name(row->verdict),
	     row->metric->name);
	if (p->units[at])
		html(o, " <small class=\"muted\">%s</small>", p->units[at]);
	html(o, "</th>");
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct cell *c = &row->cells[i];
		const char *change;

		write_cell(o, row, c);
		if (p->columns[i].base == i)
			continue;
		change = paste_cell_change(r->ctx.arena, p, at, i);
		html(o, "<td class=\"num verdict-%s\">%s</td>", verdict_name(c->verdict),
		     *change ? change : "–");
		write_verdict(o, c);
	}
	html(o, "</tr>\n");
}

static void write_rows(struct req *r, const struct paste *p)
{
	html(r->out,
	     "<section class=\"comparison\">\n<h2>%s</h2>\n"
	     "<div class=\"scroll\"><table class=\"compare pasted\">\n",
	     p->ndistributions ? "All other figures" : "All figures");
	write_head(r->out, p, "Metric", true);
	for (size_t i = 0; i < p->nrows; i++)
		if (!paste_row_is_told(p, i))
			write_row(r, p, i);
	html(r->out, "</tbody></table></div>\n");
	if (p->rows_left_out)
		html(r->out, "<p class=\"note\">%s not shown.</p>\n",
		     part_count(r->ctx.arena, (int64_t)p->rows_left_out, "more row"));
	html(r->out, "</section>\n");
}

/* --- what can be done with it --- */

static void write_text(struct req *r, const struct paste *p)
{
	auto_out struct out text;

	out_init(&text, r->out->max);
	paste_txt(&text, r->ctx.arena, p);
	html(r->out, "<h2 id=\"text\">As text, to copy</h2>\n<pre class=\"robot\" tabindex=\"0\">");
	html_text(r->out, text.p ? text.p : "", text.len);
	html(r->out, "</pre>\n");
}

/* What the first output does not say itself: the rest of the address. */
static const char *what_is_missing(struct arena *a, const struct paste_column *col)
{
	static const char *const axes[] = {"testcase", "tbox_group"}, *const words[] = {"TEST",
											"MACHINE"};
	const struct submission *s = col->subs[0];
	const char *text = "";

	for (size_t k = 0; k < 2; k++) {
		bool told = false;

		for (size_t i = 0; i < s->naxes; i++)
			told |= !strcmp(s->axes[i].name, axes[k]);
		if (!told)
			text = arena_fmt(a, "%s%caxis.%s=%s", text, *text ? '&' : '?', axes[k],
					 words[k]);
	}
	if (!col->labelled_commit)
		text = arena_fmt(a, "%s%ccommit=ID", text, *text ? '&' : '?');
	return text;
}

static void write_storing(struct req *r, const struct paste *p)
{
	struct arena *a = r->ctx.arena;

	html(r->out,
	     "<h2>To keep it</h2>\n<p>Nothing of this was stored. What is to be compared again "
	     "tomorrow, and over more runs, is uploaded with a token, and with what it does not "
	     "say "
	     "itself:</p>\n"
	     "<pre>curl -sS --data-binary @output.txt -H \"Authorization: Bearer $TOKEN\" \\\n"
	     "  '%s/api/v1/import/%s%s'</pre>\n<p>",
	     part_own_address(r), p->texts[0].format->name, what_is_missing(a, &p->columns[0]));
	html_link(r->out, url_path(a, "/help/upload"), "How to upload");
	html(r->out, "</p>\n");
}

void paste_html(struct req *r, const struct paste *p)
{
	html(r->out, "<p class=\"lead\"><strong>%s.</strong></p>\n", p->sentence);
	write_columns(r, p);
	write_distributions(r, p);
	write_rows(r, p);
	write_text(r, p);
	write_storing(r, p);
}
