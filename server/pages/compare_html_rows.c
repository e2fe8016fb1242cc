/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of the compare page: the series and what differed around its runs, then rows grouped by
 * role, the test's own figures first. Streams; a page may have thousands of rows.
 */
#include "server/pages/compare.h"

#include <inttypes.h>
#include <math.h>

#include "server/base/arena.h"
#include "server/pages/compare_detail.h"
#include "server/pages/corrections.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

/* On a page of one commit the name leads to the series that differ in this axis alone. */
static void write_axis(struct req *r, const struct compare *cmp, const struct pair *axis)
{
	html(r->out, "<div><dt>");
	if (cmp->ncommits == 1 && !cmp->across)
		html_link(r->out, req_url_with(r, "across", axis->name), axis->name);
	else
		html(r->out, "%s", axis->name);
	html(r->out, "</dt><dd>%s</dd></div>", axis->value);
}

static void write_series(struct req *r, const struct compare *cmp, const struct compare_table *t)
{
	struct arena *a = r->ctx.arena;
	const struct series *s = &t->series;
	bool boxes = cmp->across && !strcmp(cmp->across, "tbox_group"), any = false;

	html(r->out, "<h2>");
	html_link(r->out, url_series(a, s->digest), boxes ? s->testcase : part_series_title(a, s));
	if (cmp->across)
		html(r->out, ", by %s", cmp->across);
	html(r->out, "</h2>\n");
	for (size_t i = 0; i < s->naxes; i++) {
		const char *name = s->axes[i].name;

		if (!strcmp(name, "testcase") || !strcmp(name, "tbox_group") ||
		    (cmp->across && !strcmp(name, cmp->across)))
			continue;
		if (!any)
			html(r->out, "<dl class=\"axes\">");
		any = true;
		write_axis(r, cmp, &s->axes[i]);
	}
	if (any)
		html(r->out, "</dl>\n");
}

/* "6 runs, 1 boot, 2 failed", or that a report did not tell. */
static void write_runs(struct req *r, const struct compare_table *t, size_t col)
{
	struct arena *a = r->ctx.arena;

	if (t->runs[col] == 0 && t->printed[col])
		html(r->out, "reported, runs unknown");
	else
		html(r->out, "%s", part_count(a, t->runs[col], "run"));
	if (t->boots[col] >= 0)
		html(r->out, ", %s", part_count(a, t->boots[col], "boot"));
	if (t->failed[col])
		html(r->out, ", <strong class=\"warn\">%" PRId64 " failed</strong>",
		     t->failed[col]);
}

static void write_infos(struct req *r, const struct compare *cmp, const struct compare_table *t)
{
	if (t->ninfos == 0)
		return;
	html(r->out,
	     "<div class=\"warn info-differences\"><p>Not only the %s differs between "
	     "these runs:</p>\n<ul>\n",
	     cmp->across ? cmp->across : "commit");
	for (size_t i = 0; i < t->ninfos; i++) {
		html(r->out, "<li>%s: ", t->infos[i].key);
		for (size_t k = 0; k < t->ncols; k++) {
			const char *v = t->infos[i].values[k];

			html(r->out, "%s%s <code>%s</code>", k ? ", " : "", t->columns[k].name,
			     v ? v : "not told");
		}
		html(r->out, "\n");
	}
	html(r->out, "</ul></div>\n");
}

/* A kernel that lets every run fail must not look like one that changed nothing. */
static void write_failed(struct req *r, const struct compare_table *t)
{
	struct arena *a = r->ctx.arena;

	for (size_t i = 0; i < t->ncols; i++)
		if (t->failed[i] > 0 && t->runs[i] == 0 && !t->printed[i])
			html(r->out,
			     "<p class=\"error\">✗ No run on %s ended well (%s failed), so there "
			     "is nothing to compare on its side.</p>\n",
			     t->columns[i].name, part_count(a, t->failed[i], "run"));
}

static void write_head(struct req *r, const struct compare *cmp, const struct compare_table *t)
{
	struct out *o = r->out;

	html(o, "<thead><tr><th scope=\"col\">Metric</th><th scope=\"col\">Better</th>");
	for (size_t i = 0; i < t->ncols; i++) {
		const struct compare_column *col = &t->columns[i];
		bool later = col->base != i;

		if (later)
			html(o, "<th scope=\"col\" class=\"num\">Change</th>");
		html(o, "<th scope=\"col\" class=\"num\">");
		if (cmp->across)
			html_link(o, url_series(r->ctx.arena, col->series.digest), col->name);
		else
			html(o, "%s", col->name);
		html(o, "<br><small>");
		write_runs(r, t, i);
		if (cmp->across && later && col->value) {
			html(o, "<br>");
			html_link(o, req_url_with(r, "base", col->value), "make it the base");
		}
		html(o, "</small></th>");
		if (later)
			html(o, "<th scope=\"col\">Verdict</th>");
	}
	html(o, "</tr></thead>\n");
}

static void write_deviation(struct out *o, const struct cell *c)
{
	if (!isnan(c->stddev_pct))
		html(o, " <small>± %.0f %%</small>", c->stddev_pct);
	else if (!isnan(c->stddev) && c->mean != 0)
		html(o, " <small>± %.1f %% (%" PRId64 ")</small>", 100 * c->stddev / fabs(c->mean),
		     c->n);
	else if (c->n >= 0)
		html(o, " <small>(%" PRId64 ")</small>", c->n);
}

static void write_value(struct out *o, const struct comparison_row *row, const struct cell *c,
			const char *unit)
{
	if (!c->present) {
		html(o, "<td class=\"num\" title=\"not measured\">–</td>");
		return;
	}
	if (row->metric->facts.kind == KIND_FUNCTIONAL) {
		html(o, "<td class=\"num\">");
		if (c->fails < 0 || c->runs < 0)
			html(o, "unknown</td>");
		else
			html(o, "%" PRId64 " of %" PRId64 " %s</td>", c->fails, c->runs,
			     functional_word(&row->metric->facts));
		return;
	}
	html(o, "<td class=\"num\" title=\"");
	layout_quantity(o, c->mean, unit);
	if (!isnan(c->min) && !isnan(c->max)) {
		html(o, ", min ");
		layout_value(o, c->min);
		html(o, ", median ");
		layout_value(o, c->median);
		html(o, ", max ");
		layout_value(o, c->max);
	}
	html(o, "\">");
	layout_figure(o, c->mean, unit);
	write_deviation(o, c);
	html(o, "</td>");
}

/* A printed change has the digits that were printed, one behind the point. */
static void write_amount(struct out *o, double v, bool percent)
{
	html(o, "%+.1f %s", v, percent ? "%" : "points");
}

static void write_computed(struct out *o, const struct comparison_row *row, const struct cell *c)
{
	if (c->from_rounded)
		html(o, "<abbr title=\"computed from rounded means\">≈</abbr> ");
	if (row->metric->facts.kind == KIND_PERCENT)
		html(o, "%+.2f points", c->change_abs);
	else if (isnan(c->change_pct))
		html(o, "from 0");
	else
		layout_percent(o, c->change_pct);
}

void compare_html_change(struct out *o, const struct comparison_row *row, const struct cell *c)
{
	if (row->metric->facts.kind == KIND_FUNCTIONAL)
		html(o, "%+.0f %% of runs", c->reproduction_pct);
	else if (c->show_printed && c->summary)
		write_amount(o, c->summary->printed_change, c->summary->printed != PRINTED_ABS);
	else
		write_computed(o, row, c);
}

static void write_change(struct out *o, const struct comparison_row *row, const struct cell *c)
{
	if (!c->present || !c->judged) {
		html(o, "<td class=\"num\" title=\"not measured on both\">–</td>");
		return;
	}
	/* By the cell's own verdict: in a row of many columns each has another. */
	html(o, "<td class=\"num verdict-%s\">", verdict_name(c->verdict));
	compare_html_change(o, row, c);
	html(o, "</td>");
}

/* A regression is what a newer commit brings. In a column older than the base the verdict is about
 * going back, and across an axis it is about another machine or setup: there the word says who is
 * worse. */
static const char *verdict_word(const struct compare_table *t, size_t col, enum verdict v)
{
	const struct compare_column *now = &t->columns[col], *base = &t->columns[now->base];
	bool across = now->commit == base->commit;

	if (v != VERDICT_REGRESSION && v != VERDICT_IMPROVEMENT)
		return verdict_name(v);
	if (across)
		return v == VERDICT_REGRESSION ? "worse" : "better";
	if (now->commit->older)
		return v == VERDICT_REGRESSION ? "older is worse" : "older is better";
	return verdict_name(v);
}

/* What else is to be said of a row that changed: what differs besides, and what other machines say.
 * Both lead to all numbers behind it. */
static void write_beside(struct req *r, const struct compare *cmp, const struct compare_table *t,
			 size_t row, size_t col)
{
	const struct others *others = compare_others_of(t, row, col);
	const char *words = others ? others_words(r->ctx.arena, others) : NULL;

	/* A lab of one machine need not read of others in every row. */
	if (words && (others->n || others->more)) {
		html(r->out, "<small class=\"beside\">");
		html_link(r->out, compare_detail_url(r, cmp, t, t->rows[row].metric), words);
		html(r->out, "</small>");
	}
	if (t->besides && t->besides[col] && t->rows[row].role != ROLE_MONITOR)
		html(r->out, "<small class=\"beside\">%s</small>", t->besides[col]);
}

static void write_verdict(struct req *r, const struct compare *cmp, const struct compare_table *t,
			  size_t row, size_t col)
{
	struct out *o = r->out;
	const struct cell *c = &t->rows[row].cells[col];
	enum verdict v = c->verdict;
	bool open = verdict_is_change(v) && c->reason;

	html(o, "<td>");
	if (open)
		html(o, "<details><summary>");
	html(o, "<span class=\"verdict verdict-%s\"", verdict_name(v));
	if (c->present && c->reason && !open)
		html(o, " title=\"%s\"", c->reason);
	html(o, ">%s %s</span>", part_verdict_sign(v), verdict_word(t, col, v));
	if (c->present && c->reported)
		html(o, " <small>reported</small>");
	if (open) {
		html(o, "</summary><small class=\"reason\">%s", c->reason);
		if (c->judged && !cmp->across && !t->detail) {
			html(o, " · ");
			html_link(o, compare_detail_url(r, cmp, t, t->rows[row].metric),
				  "all numbers");
		}
		html(o, "</small></details>");
	}
	if (verdict_is_change(v))
		write_beside(r, cmp, t, row, col);
	html(o, "</td>");
}

static const char *better_words(const struct metric_facts *f)
{
	if (f->kind == KIND_FUNCTIONAL)
		return f->direction == DIRECTION_HIGHER ? "more passes are better"
							: "fewer fails are better";
	return f->direction == DIRECTION_NONE ? "no direction known"
					      : direction_words(f->direction);
}

static void write_row(struct req *r, const struct compare *cmp, const struct compare_table *t,
		      size_t at)
{
	const struct comparison_row *row = &t->rows[at];
	const struct metric *m = row->metric;
	struct out *o = r->out;

	html(o, "<tr class=\"row-%s\"><th scope=\"row\">", verdict_name(row->verdict));
	html_link(o, url_history(r->ctx.arena, t->series.digest, m->name), m->name);
	html(o, "</th><td class=\"better\">%s</td>", better_words(&m->facts));
	for (size_t i = 0; i < t->ncols; i++) {
		const struct cell *c = &row->cells[i];
		bool later = t->columns[i].base != i;

		if (later)
			write_change(o, row, c);
		write_value(o, row, c, t->units[at]);
		if (later)
			write_verdict(r, cmp, t, at, i);
	}
	html(o, "</tr>\n");
}

static void write_group(struct req *r, const struct compare *cmp, const struct compare_table *t,
			enum metric_role role, const char *title)
{
	size_t width = 2;
	bool open = false;

	for (size_t i = 0; i < t->ncols; i++)
		width += t->columns[i].base == i ? 1 : 3;

	for (size_t i = 0; i < t->nrows; i++) {
		if (t->rows[i].role != role)
			continue;
		if (!open)
			html(r->out,
			     "<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" "
			     "colspan=\"%zu\">%s</th></tr>\n",
			     width, title);
		open = true;
		write_row(r, cmp, t, i);
	}
	if (open)
		html(r->out, "</tbody>\n");
}

void compare_html_rows(struct req *r, const struct compare *cmp, const struct compare_table *t)
{
	html(r->out, "<section class=\"comparison\">\n");
	write_series(r, cmp, t);
	write_failed(r, t);
	part_quarantine(r, t->quarantined);
	for (size_t i = 0; t->corrected && i < t->ncols; i++)
		for (size_t k = 0; k < t->corrected[i].n; k++)
			part_correction_note(r, &t->corrected[i].notes[k], t->columns[i].name);
	write_infos(r, cmp, t);
	if (t->left_out)
		html(r->out, "<p class=\"note\">%s not shown; axis filters choose others.</p>\n",
		     part_count(r->ctx.arena, (int64_t)t->left_out, "more value"));
	if (t->error) {
		html(r->out, "<p class=\"error\">✗ %s</p>\n", t->error);
	} else if (t->nrows == 0) {
		html(r->out, "<p class=\"empty\">%s</p>\n",
		     t->hidden ? "No row that could be compared changed here."
			       : "No metric fits the filter.");
	} else {
		html(r->out, "<div class=\"scroll\"><table class=\"compare\">\n");
		write_head(r, cmp, t);
		write_group(r, cmp, t, ROLE_PRIMARY, "The test's own figures");
		write_group(r, cmp, t, ROLE_FUNCTIONAL, "Functional: runs that failed or passed");
		write_group(r, cmp, t, ROLE_MONITOR, "Monitors");
		html(r->out, "</table></div>\n");
		if (t->detail)
			compare_detail_html(r, cmp, t);
	}
	html(r->out, "</section>\n");
}
