/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history page: a picture made on the server, and under it the same figures as a table, newest
 * first, each commit one click from its page and from the comparison with the one before.
 */
#include "server/pages/history.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/compare.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/chart.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static void write_chart(struct req *r, const struct history *h, const struct history_changes *found,
			bool by_time)
{
	struct arena *a = r->ctx.arena;
	struct chart_level *levels = arena_array(a, struct chart_level, found->nstretches);
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
			.aside = p->place == HISTORY_BESIDE,
			.mark = p->change,
		};
	}
	for (size_t i = 0; i < found->nstretches; i++) {
		const struct level_stretch *s = &found->stretches[i];

		levels[i] = (struct chart_level){s->first, s->last, s->at_first, s->at_last};
	}
	html(r->out, "<figure class=\"chart\">\n");
	chart_history(
		r->out,
		&(struct chart){
			.title = arena_fmt(a, "%s over commits, %s", h->metric->name,
					   part_series_title(a, &h->series)),
			.x_name =
				by_time ? "commits, first uploaded first" : "commits, oldest first",
			.y_name = h->metric->name,
			.y_unit = h->unit,
			.better = d == DIRECTION_NONE ? NULL : direction_words(d),
			.points = points,
			.n = h->npoints,
			.levels = levels,
			.nlevels = found->nstretches > 1 || found->ndrifts ? found->nstretches : 0,
		});
	html(r->out, "</figure>\n");
}

/* What the order follows, and what is joined. */
static void write_order(struct req *r, const struct history *h, bool by_time)
{
	struct arena *a = r->ctx.arena;
	size_t beside = 0;

	for (size_t i = 0; i < h->npoints; i++)
		beside += h->points[i].place == HISTORY_BESIDE;
	html(r->out, "<p class=\"order\">Ordered by ");
	if (by_time)
		html(r->out, "the first upload. ");
	else if (h->line)
		html(r->out, "the first parents of <b>%s</b>. ", h->line);
	else
		html(r->out, "ancestry as uploads told it, else commit date, else first upload. ");
	if (beside)
		html(r->out,
		     "%s elsewhere: hollow in the picture, behind the nearest ancestor on that "
		     "line. ",
		     beside == 1
			     ? "1 commit is"
			     : arena_fmt(a, "%s are", part_count(a, (int64_t)beside, "commit")));
	html_link(r->out, req_url_with(r, "order", by_time ? NULL : "time"),
		  by_time ? "Order by commit" : "Order by upload");
	html(r->out, "</p>\n");
	if (h->njoined > 1)
		html(r->out,
		     "<p class=\"note\">%s of this test on this machine that differ in %s are "
		     "joined. Where the setup changes the picture has upright dashes, and the "
		     "change across them is not one of the kernel alone.</p>\n",
		     part_series_count(a, (int64_t)h->njoined), req_param(r, "join"));
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
	html(r->out, "</p>\n");
	write_order(r, h, by_time);
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
	const struct history_point *p = &h->points[i], *prev = history_previous(h, p);
	bool points = h->metric->facts.kind == KIND_PERCENT;
	struct out *o = r->out;

	html(o, "<tr><th scope=\"row\">");
	html_link_class(o, "commit", url_commit(a, p->name), p->shown);
	html(o, "</th><td>");
	if (p->date == TIME_NONE)
		html(o, "<small>uploaded</small> ");
	layout_time(o, p->date == TIME_NONE ? p->first_received : p->date);
	html(o, "</td><td class=\"subject\">%s", p->subject ? p->subject : "");
	if (p->place == HISTORY_BESIDE)
		html(o, " <span class=\"badge\">beside %s</span>",
		     p->beside ? compare_name(a, p->beside) : "the line");
	if (p->change)
		html(o, " <span class=\"badge\">%s</span>", p->change);
	html(o, "</td><td class=\"num\">");
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
	if (prev && prev->series == p->series) {
		const char *digest = h->joined[p->series].digest;

		html_link(o, url_compare(a, arena_fmt(a, "%s,%s", prev->name, p->name), digest),
			  "compare with the previous");
		html(o, ", ");
		html_link(o,
			  url_range(a, arena_fmt(a, "%s..%s", prev->name, p->name), digest,
				    h->metric->name),
			  "commits between");
	}
	html(o, "</td></tr>\n");
}

int history_html(struct req *r, const struct history *h, const struct history_changes *found)
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
	if (!by_time)
		history_changes_html(r, h, found);
	write_chart(r, h, found, by_time);
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
