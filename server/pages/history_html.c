/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history page: a picture made on the server, and under it the same figures as a table, newest
 * first, each commit one click from its page and from the comparison with the one before.
 */
#include "server/pages/history.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/chart.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static void write_chart(struct req *r, const struct history *h, bool by_time)
{
	struct arena *a = r->ctx.arena;
	enum direction d = h->metric->facts.direction;
	struct chart_point *points = arena_array(a, struct chart_point, h->npoints);

	for (size_t i = 0; i < h->npoints; i++) {
		const struct history_point *p = &h->points[i];

		points[i] = (struct chart_point){
			.label = p->shown,
			.subject = p->subject,
			.link = url_commit(a, p->name),
			.mean = p->d.mean,
			.stddev = fabs(p->d.mean) * history_spread_pct(p) / 100,
			.min = p->d.min,
			.max = p->d.max,
			.values = p->values,
			.n = p->d.n,
		};
	}
	html(r->out, "<figure class=\"chart\">\n");
	chart_history(r->out, &(struct chart){
				      .title = arena_fmt(a, "%s over commits, %s", h->metric->name,
							 part_series_title(a, &h->series)),
				      .x_name = by_time ? "commits, first uploaded first"
							: "commits, oldest first",
				      .y_name = h->metric->name,
				      .y_unit = h->unit,
				      .better = d == DIRECTION_NONE ? NULL : direction_words(d),
				      .points = points,
				      .n = h->npoints,
			      });
	html(r->out, "</figure>\n");
}

static void write_intro(struct req *r, const struct history *h, bool by_time)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<p class=\"lead\">");
	html_link(r->out, url_metric(a, h->metric->name), h->metric->name);
	html(r->out, " of ");
	html_link(r->out, url_series(a, h->series.digest), part_series_title(a, &h->series));
	html(r->out, " on %s: %s.", part_count(a, (int64_t)h->npoints, "commit"),
	     direction_words(h->metric->facts.direction));
	if (h->without)
		html(r->out, " %s of this series did not measure it.",
		     part_count(a, (int64_t)h->without, "commit"));
	html(r->out, "</p>\n<p class=\"order\">Ordered by %s. ",
	     by_time ? "the first upload"
		     : "ancestry as uploads told it, else commit date, else first upload");
	html_link(r->out, req_url_with(r, "order", by_time ? NULL : "time"),
		  by_time ? "Order by commit" : "Order by upload");
	html(r->out, "</p>\n");
	if (req_param(r, "ref") || req_param(r, "join"))
		html(r->out, "<p class=\"note\">This address asks for a branch (ref) or for joined "
			     "series (join). Neither has an effect yet.</p>\n");
	html(r->out, "<p class=\"axes\">%s</p>\n", part_series_rest(a, &h->series));
}

static void write_spread(struct out *o, const struct history_point *p)
{
	double pct = history_spread_pct(p);

	if (!isnan(pct))
		html(o, " <small>± %.1f %%</small>", pct);
}

static void write_row(struct req *r, const struct history *h, size_t i)
{
	struct arena *a = r->ctx.arena;
	const struct history_point *p = &h->points[i], *prev = i ? p - 1 : NULL;
	bool points = h->metric->facts.kind == KIND_PERCENT;
	struct out *o = r->out;

	html(o, "<tr><th scope=\"row\">");
	html_link_class(o, "commit", url_commit(a, p->name), p->shown);
	html(o, "</th><td>");
	if (p->date == TIME_NONE)
		html(o, "<small>uploaded</small> ");
	layout_time(o, p->date == TIME_NONE ? p->first_received : p->date);
	html(o, "</td><td class=\"subject\">%s</td><td class=\"num\">",
	     p->subject ? p->subject : "");
	if (p->printed)
		html(o, "reported");
	else
		html(o, "%zu", p->d.n);
	html(o, "</td><td class=\"num\">");
	layout_quantity(o, p->d.mean, h->unit);
	write_spread(o, p);
	html(o, "</td><td class=\"num\">");
	if (points && prev)
		html(o, "%+.2f points", history_change(p, prev, true));
	else
		layout_percent(o, history_change(p, prev, false));
	html(o, "</td><td>");
	if (prev)
		html_link(o,
			  url_compare(a, arena_fmt(a, "%s,%s", prev->name, p->name),
				      h->series.digest),
			  "compare with the previous");
	html(o, "</td></tr>\n");
}

int history_html(struct req *r, const struct history *h)
{
	const char *order = req_param(r, "order");
	bool by_time = order && strcmp(order, "time") == 0;

	req_page_begin(r, arena_fmt(r->ctx.arena, "%s: %s", h->series.testcase, h->metric->name),
		       "series");
	write_intro(r, h, by_time);
	if (h->npoints == 0) {
		html(r->out, "<p class=\"empty\">No value of it counts: it came as a distribution "
			     "alone, or no run with it ended well.</p>\n");
		return req_page_end(r, 200);
	}
	write_chart(r, h, by_time);
	html(r->out, "<div class=\"scroll\"><table class=\"history\">\n<thead><tr>"
		     "<th scope=\"col\">Commit</th><th scope=\"col\">Date</th>"
		     "<th scope=\"col\">Subject</th><th scope=\"col\" class=\"num\">Runs</th>"
		     "<th scope=\"col\" class=\"num\">Mean</th>"
		     "<th scope=\"col\" class=\"num\">Against the previous</th>"
		     "<th scope=\"col\">Table</th></tr></thead>\n<tbody>\n");
	for (size_t i = h->npoints; i-- > 0;)
		write_row(r, h, i);
	html(r->out, "</tbody></table></div>\n");
	return req_page_end(r, 200);
}
