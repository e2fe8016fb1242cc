/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The range for people: what the range is and what it shows in a sentence, what to run next, and
 * the commits as a table, newest first. Without a metric it offers those that both ends may have.
 */
#include "server/pages/range.h"

#include <inttypes.h>
#include <math.h>

#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define SERIES_OFFERED  12
#define METRICS_OFFERED 4

/* From 0 there is no share. */
static void write_change(struct req *r, const struct range *x, double change,
			 const struct history_point *from, const struct history_point *to)
{
	if (isnan(change) && from && to) {
		layout_value(r->out, from->d.mean);
		html(r->out, " → ");
		layout_value(r->out, to->d.mean);
	}
	if (isnan(change))
		return;
	if (x->history.metric->facts.kind == KIND_PERCENT)
		html(r->out, "%+.2f points", change);
	else
		layout_percent(r->out, change);
}

/* --- above the table ----------------------------------------------------------------------------
 */

static void write_lead(struct req *r, const struct range *x)
{
	struct arena *a = r->ctx.arena;
	const char *first_parent = req_param(r, "first_parent");
	bool along = first_parent && !strcmp(first_parent, "1");

	html(r->out, "<p class=\"lead\">%s ", part_count(a, (int64_t)x->total, "commit"));
	html(r->out, "%s", x->ends.symmetric ? "in one of " : "after ");
	html_link_class(r->out, "commit", url_commit(a, x->ends.from.name), x->ends.from_asked);
	html(r->out, "%s", x->ends.symmetric ? " and " : " up to ");
	html_link_class(r->out, "commit", url_commit(a, x->ends.to.name), x->ends.to_asked);
	html(r->out, "%s%s.</p>\n", x->ends.symmetric ? " and not in both" : "",
	     along ? ", along first parents" : "");
	html(r->out, "<p class=\"order\">Newest first, as git log --topo-order. ");
	html_link(r->out, req_url_with(r, "first_parent", along ? NULL : "1"),
		  along ? "All commits" : "First parents alone");
	if (!x->ends.symmetric && x->ends.from.id && x->ends.to.id) {
		html(r->out, " · ");
		html_link(r->out,
			  url_compare(a, arena_fmt(a, "%s,%s", x->ends.from.name, x->ends.to.name),
				      x->history.metric ? x->history.series.digest : NULL),
			  "Compare both ends");
	}
	html(r->out, "</p>\n");
	if (x->cut)
		html(r->out,
		     "<p class=\"cut\">Git does not know all of them, and there are more than "
		     "%d: the oldest are left out.</p>\n",
		     RANGE_UPLOADED_MAX);
}

static void write_step(struct req *r, const struct range *x)
{
	struct arena *a = r->ctx.arena;
	const struct range_step *s = x->step;

	html(r->out, "<p class=\"note\">");
	if (!s) {
		html(r->out, "No change between measured neighbours in this range counts as "
			     "one.</p>\n");
		return;
	}
	html(r->out, "The largest change: <b>");
	write_change(r, x, s->change, s->good, s->bad);
	html(r->out, "</b> ");
	part_verdict(r->out, s->cell->verdict);
	html(r->out, ", between ");
	html_link_class(r->out, "commit", url_commit(a, s->good->name),
			range_short(a, s->good->name));
	html(r->out, " and ");
	html_link_class(r->out, "commit", url_commit(a, s->bad->name),
			range_short(a, s->bad->name));
	html(r->out, " (");
	html_link(r->out,
		  url_compare(a, arena_fmt(a, "%s,%s", s->good->name, s->bad->name),
			      x->history.series.digest),
		  "compare");
	html(r->out, "). %s may have made it%s.</p>\n",
	     part_count(a, (int64_t)s->nsuspects, "commit"), s->nsuspects == 1 ? "" : ", marked ?");
	if (s->outside)
		html(r->out,
		     "<p class=\"cut\">%s of them %s before this range: its beginning was not "
		     "measured.</p>\n",
		     arena_fmt(a, "%zu", s->outside), s->outside == 1 ? "is" : "are");
	if (!x->suggestion.id)
		return;
	html(r->out, "<p class=\"note\">Run next: <b>");
	html_link_class(r->out, "commit", url_commit(a, x->suggestion.id), x->suggestion.name);
	html(r->out, "</b>, %s; %s.</p>\n", part_count(a, x->suggestion.runs, "run"),
	     x->suggestion.why);
}

static void write_metric(struct req *r, const struct range *x)
{
	struct arena *a = r->ctx.arena;
	const struct history *h = &x->history;

	html(r->out, "<p>");
	html_link(r->out, url_history(a, h->series.digest, h->metric->name), h->metric->name);
	html(r->out, " of ");
	html_link(r->out, url_series(a, h->series.digest), part_series_title(a, &h->series));
	html(r->out, ", %s. %s of the range measured it. ",
	     direction_words(h->metric->facts.direction),
	     part_count(a, (int64_t)x->measured, "commit"));
	html_link(r->out, url_range(a, range_name(r, x), NULL, NULL), "Without it");
	html(r->out, "</p>\n<p class=\"axes\">%s</p>\n", part_series_rest(a, &h->series));
	write_step(r, x);
}

/* --- what may be looked at ----------------------------------------------------------------------
 */

/* One series with its own first metrics. */
static int offer_series(struct req *r, const struct range *x, int64_t series_id)
{
	struct arena *a = r->ctx.arena;
	struct series_metric *list;
	struct series s;
	size_t n, shown = 0;
	int e = series_get_id(&r->ctx, series_id, &s);

	if (e >= 0)
		e = series_metrics(&r->ctx, series_id, &list, &n);
	if (e < 0)
		return e;
	html(r->out, "<li>%s <small>%s</small>:", part_series_title(a, &s),
	     part_series_rest(a, &s));
	for (size_t i = 0; i < n && shown < METRICS_OFFERED; i++) {
		const struct metric *m = list[i].metric;

		if (metric_role_in(&m->facts, m->name, s.testcase) != ROLE_PRIMARY)
			continue;
		html(r->out, "%s", shown++ ? ", " : " ");
		html_link(r->out, url_range(a, range_name(r, x), s.digest, m->name), m->name);
	}
	html(r->out, "</li>\n");
	return E_OK;
}

/* The series of the newer end, else of the older. */
static int offer_metrics(struct req *r, const struct range *x)
{
	struct measured *list = NULL;
	size_t n = 0;
	int e = E_OK;

	if (x->ends.to.id)
		e = measured_of_commit(&r->ctx, x->ends.to.id, SERIES_OFFERED, &list, &n);
	if (e >= 0 && !n && x->ends.from.id)
		e = measured_of_commit(&r->ctx, x->ends.from.id, SERIES_OFFERED, &list, &n);
	if (e < 0 || !n)
		return e;
	html(r->out, "<details><summary>Show the values of a metric</summary>\n<ul>\n");
	for (size_t i = 0; i < n; i++) {
		e = offer_series(r, x, list[i].series_id);
		if (e < 0)
			return e;
	}
	html(r->out, "</ul>\n</details>\n");
	return E_OK;
}

/* --- the table ----------------------------------------------------------------------------------
 */

static void write_figures(struct req *r, const struct range *x, const struct range_row *row)
{
	const struct history_point *p = row->point;
	struct out *o = r->out;

	if (!p) {
		html(o, "<td class=\"runs\"></td><td></td><td></td>");
		return;
	}
	html(o, "<td class=\"num runs\">");
	if (p->printed)
		html(o, "reported");
	else
		html(o, "%zu", p->d.n);
	html(o, "</td><td class=\"num\">");
	layout_quantity(o, p->d.mean, x->history.unit);
	if (!isnan(history_spread_pct(p)))
		html(o, " <small>± %.1f %%</small>", history_spread_pct(p));
	html(o, "</td><td class=\"num\">");
	write_change(r, x, row->change, row->below, p);
	html(o, "</td>");
}

static void write_counts(struct req *r, const struct range_row *row)
{
	html(r->out, "<td class=\"num\">");
	if (row->nseries)
		html(r->out, "%" PRId64, row->nseries);
	html(r->out, "</td><td class=\"num\">");
	if (row->findings)
		html(r->out, "%" PRId64, row->findings);
	html(r->out, "</td>");
}

/* Of an improvement nothing is bad: it is there or not yet. */
static bool is_worse(const struct range *x)
{
	return x->step->cell->verdict != VERDICT_IMPROVEMENT;
}

static void write_marks(struct req *r, const struct range *x, const struct range_row *row)
{
	struct out *o = r->out;

	if (row->merge)
		html(o, " <span class=\"badge\">merge</span>");
	if (row->suspect)
		html(o, " <span class=\"badge suspect\">? %s</span>",
		     x->step->bad != row->point ? "suspect"
		     : is_worse(x)              ? "first seen bad"
						: "first seen better");
	if (x->step && x->step->good == row->point && row->point)
		html(o, " <span class=\"badge\">%s</span>",
		     is_worse(x) ? "last seen good" : "last seen before it");
	if (row->failed_builds)
		html(o, " <span class=\"badge broken\">does not build</span>");
	else if (row->warnings)
		html(o, " <span class=\"badge\">%s</span>",
		     part_count(r->ctx.arena, row->warnings, "warning"));
}

static void write_rows(struct req *r, const struct range *x)
{
	struct out *o = r->out;

	html(o, "<div class=\"scroll\"><table class=\"range\">\n<thead><tr>"
		"<th scope=\"col\">Commit</th><th scope=\"col\">Subject</th>");
	if (x->history.metric)
		html(o, "<th scope=\"col\" class=\"num runs\">Runs</th>"
			"<th scope=\"col\" class=\"num\">Mean</th>"
			"<th scope=\"col\" class=\"num\">Change</th>");
	else
		html(o, "<th scope=\"col\" class=\"num\">Series</th>"
			"<th scope=\"col\" class=\"num\">Findings</th>");
	html(o, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < x->nrows; i++) {
		const struct range_row *row = &x->rows[i];

		html(o, "<tr class=\"%s\"><th scope=\"row\">",
		     row->suspect                 ? "in-doubt"
		     : row->point || row->nseries ? "measured"
						  : "");
		html_link_class(o, "commit", url_commit(r->ctx.arena, row->id), row->name);
		html(o, "</th><td>%s", row->subject ? row->subject : "");
		write_marks(r, x, row);
		html(o, "</td>");
		if (x->history.metric)
			write_figures(r, x, row);
		else
			write_counts(r, row);
		html(o, "</tr>\n");
	}
	html(o, "</tbody></table></div>\n");
}

int range_html(struct req *r, const struct range *x)
{
	int e = E_OK;

	req_page_begin(r, arena_fmt(r->ctx.arena, "Range %s", range_name(r, x)), NULL);
	write_lead(r, x);
	if (x->history.metric)
		write_metric(r, x);
	else
		e = offer_metrics(r, x);
	if (e < 0)
		return e;
	if (x->total == 0)
		html(r->out, "<p class=\"empty\">Every commit of the second is in the first: the "
			     "range is empty.</p>\n");
	else
		write_rows(r, x);
	part_pager(r, x->next);
	return req_page_end(r, 200);
}
