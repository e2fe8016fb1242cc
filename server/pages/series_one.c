/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /series/<ref> - one series: its axes by class, its metrics with their last values, the
 * commits it was measured on, the same test on other machines, and its neighbours. Parameters:
 * limit (commits shown), all=1 (every metric), changes=all (change points of monitors, too).
 */
#include "server/pages/series_one.h"

#include <inttypes.h>

#include "server/model/compare.h"
#include "server/pages/corrections.h"
#include "server/pages/pages.h"
#include "server/pages/parts.h"
#include "server/pages/series_changes.h"
#include "server/view/chart.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define METRICS_SHOWN 100 /* before monitors are only counted, unless all are asked for */

static void write_axis(struct req *r, const struct pair *x)
{
	struct arena *a = r->ctx.arena;
	struct url *u;

	html(r->out, "<tr><th scope=\"row\">%s<td>", x->name);
	if (!strcmp(x->name, "testcase")) {
		html_link(r->out, url_testcase(a, x->value), x->value);
	} else if (!strcmp(x->name, "tbox_group")) {
		html_link(r->out, url_machine(a, x->value), x->value);
	} else {
		u = url_path(a, "/series");
		url_param(a, u, arena_fmt(a, "axis.%s", x->name), x->value);
		html_link(r->out, u, x->value);
	}
	html(r->out, "\n");
}

static void write_axes(struct req *r, const struct series *s)
{
	static const struct {
		enum axis_class class;
		const char *name;
	} classes[] = {{AXIS_TEST, "Test"}, {AXIS_MACHINE, "Machine"}, {AXIS_BUILD, "Build"}};

	html(r->out, "<h2>What it is</h2>\n<table class=\"axes\">\n");
	for (size_t i = 0; i < 3; i++) {
		bool any = false;

		for (size_t k = 0; k < s->naxes; k++) {
			if (axis_class_of(s->axes[k].name) != classes[i].class)
				continue;
			if (!any)
				html(r->out, "<tbody><tr><th colspan=\"2\" scope=\"rowgroup\">%s\n",
				     classes[i].name);
			any = true;
			write_axis(r, &s->axes[k]);
		}
		if (any)
			html(r->out, "</tbody>\n");
	}
	html(r->out, "</table>\n");
}

static void write_metric(struct req *r, const struct series_page *p, const struct series_value *v)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<tr><td>");
	html_link(r->out, url_metric(a, v->metric->name), v->metric->name);
	html(r->out, "<td>%s<td class=\"direction\">%s<td class=\"num\">", role_name(v->role),
	     direction_words(v->metric->facts.direction));
	if (v->measured)
		layout_quantity(r->out, v->mean, v->unit);
	else
		html(r->out, "–");
	html(r->out, "<td>");
	if (v->nmeans > 1)
		chart_spark(r->out, v->means, v->nmeans);
	html_link(r->out, url_history(a, p->series.digest, v->metric->name), "history");
	html(r->out, "\n");
}

static void write_metrics(struct req *r, const struct series_page *p, bool all)
{
	size_t shown = 0;

	html(r->out, "<h2 id=\"metrics\">Metrics</h2>\n");
	if (p->nmetrics == 0) {
		html(r->out, "<p class=\"empty\">No values came yet for this series.</p>\n");
		return;
	}
	html(r->out, "<table class=\"metrics\">\n<thead><tr><th scope=\"col\">Metric"
		     "<th scope=\"col\">Role<th scope=\"col\">Direction"
		     "<th scope=\"col\" class=\"num\">On the newest commit"
		     "<th scope=\"col\">Over commits</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->nmetrics; i++) {
		const struct series_value *v = &p->metrics[i];

		if (!all && i >= METRICS_SHOWN && v->role == ROLE_MONITOR)
			continue;
		write_metric(r, p, v);
		shown++;
	}
	html(r->out, "</tbody></table>\n");
	if (shown < p->nmetrics) {
		html(r->out, "<p class=\"cut\">%zu more monitors are not shown. ",
		     p->nmetrics - shown);
		html_link(r->out, req_url_with(r, "all", "1"), "Show all metrics");
		html(r->out, "</p>\n");
	}
}

/* The newest older commit that has a result to compare with. */
static const struct series_commit *previous(const struct series_page *p, size_t i)
{
	for (size_t k = i + 1; k < p->ncommits; k++)
		if (p->commits[k].runs || p->commits[k].summaries)
			return &p->commits[k];
	return NULL;
}

static void write_commit(struct req *r, const struct series_page *p, size_t i)
{
	struct arena *a = r->ctx.arena;
	const struct series_commit *k = &p->commits[i], *before = previous(p, i);
	struct url *runs = url_path(a, "/runs");

	html(r->out, "<tr><td>");
	html_link_class(r->out, "commit", url_commit(a, k->name), compare_name(a, k->name));
	if (k->subject)
		html(r->out, " <span class=\"subject\">%s</span>", k->subject);
	html(r->out, "<td>");
	layout_time(r->out, k->date);
	html(r->out, "<td class=\"num\">");
	url_param(a, runs, "series", p->series.digest);
	url_param(a, runs, "commit", k->name);
	if (k->runs || k->failed)
		html_link(r->out, runs, arena_fmt(a, "%" PRId64, k->runs));
	else
		html(r->out, "as reported");
	if (k->failed)
		html(r->out, " and %" PRId64 " failed", k->failed);
	html(r->out, "<td>");
	if (before)
		html_link(r->out,
			  url_compare(a, arena_fmt(a, "%s,%s", before->name, k->name),
				      p->series.digest),
			  "compare with the one before");
	html(r->out, "\n");
}

static void write_commits(struct req *r, const struct series_page *p, size_t limit)
{
	html(r->out, "<h2 id=\"commits\">Commits measured, newest first</h2>\n");
	if (p->ncommits == 0) {
		html(r->out, "<p class=\"empty\">None yet.</p>\n");
		return;
	}
	html(r->out, "<table class=\"commits\">\n<thead><tr><th scope=\"col\">Commit"
		     "<th scope=\"col\">Date<th scope=\"col\" class=\"num\">Runs"
		     "<th scope=\"col\">Change</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->ncommits && i < limit; i++)
		write_commit(r, p, i);
	html(r->out, "</tbody></table>\n");
	if (p->ncommits > limit) {
		html(r->out, "<p class=\"cut\">%zu older commits are not shown. ",
		     p->ncommits - limit);
		html_link(r->out, req_url_with(r, "limit", "1000"), "Show more");
		html(r->out, "</p>\n");
	}
}

static void write_neighbours(struct req *r, const struct series_page *p)
{
	struct arena *a = r->ctx.arena;

	html(r->out,
	     "<h2 id=\"neighbours\">Neighbours: the same test, another build or machine</h2>\n");
	if (p->nneighbours == 0) {
		html(r->out, "<p class=\"empty\">No other series runs this test with these "
			     "parameters.</p>\n");
		return;
	}
	html(r->out, "<table class=\"series\">\n<thead><tr><th scope=\"col\">Series"
		     "<th scope=\"col\">What differs<th scope=\"col\" class=\"num\">Commits"
		     "<th scope=\"col\">Last upload</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->nneighbours; i++) {
		const struct series *s = &p->neighbours[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_series(a, s->digest), part_series_title(a, s));
		html(r->out, "<td>%s<td class=\"num\">%" PRId64 "<td>",
		     series_difference(a, &p->series, s), s->commits);
		layout_time(r->out, s->last_upload);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
}

static int write_html(struct req *r, const struct series_page *p, size_t limit, bool all)
{
	struct arena *a = r->ctx.arena;

	req_page_begin(r, part_series_title(a, &p->series), "series");
	html(r->out, "<p>%s on %s, last upload ", part_count(a, p->series.runs, "run"),
	     part_count(a, p->series.commits, "commit"));
	layout_time(r->out, p->series.last_upload);
	html(r->out, ". Its permanent name is <code>%s</code>.</p>\n", p->series.digest);
	int e = part_correction_notes(r, p->series.id);
	if (e < 0)
		return e;
	series_changes_html(r, &p->series, &p->changes);
	write_metrics(r, p, all);
	write_commits(r, p, limit);
	write_axes(r, &p->series);
	html(r->out, "<h2 id=\"peers\">The same on other machines</h2>\n");
	part_series_table(r, p->peers, p->npeers,
			  "No other machine runs this test with this build.");
	write_neighbours(r, p);
	return req_page_end(r, 200);
}

static const char *const changes_words[] = {"primary", "all", NULL};

int page_series(struct req *r)
{
	struct series_page p = {.nmetrics = 0};
	const char *ref = req_name(r, 0, "series");
	size_t limit = (size_t)req_int(r, "limit", 1, 1000, 50);
	bool all = req_bool(r, "all", false);
	int which = req_enum(r, "changes", changes_words, 0);
	int e = req_status(r);

	if (e >= 0 && !ref)
		e = fail(&r->ctx, E_NOTFOUND, "name a series: /series/<digest>");
	if (e >= 0)
		e = series_page_load(&r->ctx, ref, &p);
	if (e >= 0 && r->form != FORM_CSV)
		e = series_changes_load(&r->ctx, &p.series, which == 0, &p.changes);
	if (e < 0)
		return e;
	if (r->form == FORM_HTML)
		return write_html(r, &p, limit, all);
	if (r->form == FORM_JSON)
		series_page_json(r, &p, limit);
	else if (r->form == FORM_CSV)
		series_page_csv(r, &p);
	else
		series_page_txt(r, &p, limit);
	return r->ctx.err ? (int)r->ctx.err : 200;
}
