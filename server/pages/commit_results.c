/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured on a commit, as HTML: a section a series, worst first, each with what got
 * worse, what got better, and what did not change. Long lists are cut and say so; the compare page
 * has all rows.
 */
#include "server/pages/commit_page.h"

#include <inttypes.h>
#include <math.h>

#include "server/model/commit_git.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define ROWS_SHOWN   20 /* of each list; the JSON form has more */
#define STEADY_SHOWN 12

static struct url *compare_url(struct arena *a, const struct commit_result *x)
{
	return url_compare(a, arena_fmt(a, "%s,%s", commit_address(a, &x->base), x->address),
			   x->series.digest);
}

/* The commits since the base, with what got worse most. */
static struct url *range_url(struct arena *a, const struct commit_result *x)
{
	const struct row_list *l = x->worst.n ? &x->worst : x->best.n ? &x->best : &x->steady;

	return url_range(a, arena_fmt(a, "%s..%s", commit_address(a, &x->base), x->address),
			 l->n ? x->series.digest : NULL, l->n ? l->rows[0].metric->name : NULL);
}

static void write_value(struct req *r, const struct commit_row *row, const struct cell *c)
{
	html(r->out, "<td class=\"num\">");
	if (!c->present) {
		html(r->out, "–");
		return;
	}
	if (row->metric->facts.kind == KIND_FUNCTIONAL) {
		if (c->runs >= 0)
			html(r->out, "%" PRId64 " of %" PRId64 " %s", c->fails < 0 ? 0 : c->fails,
			     c->runs, functional_word(&row->metric->facts));
		return;
	}
	layout_figure(r->out, c->mean, row->unit);
	if (!isnan(c->stddev) && c->mean != 0)
		html(r->out, " <span class=\"spread\">±%.1f %%</span>",
		     fabs(100 * c->stddev / c->mean));
	else if (!isnan(c->stddev_pct))
		html(r->out, " <span class=\"spread\">±%.0f %%</span>", c->stddev_pct);
}

/* What other machines say of it, and what differs besides the commit. */
static void write_beside(struct req *r, const struct commit_result *x, const struct commit_row *row)
{
	const char *words = row->others ? others_words(r->ctx.arena, row->others) : NULL;
	struct url *u;

	if (row->role == ROLE_MONITOR || !verdict_is_change(row->now.verdict))
		return;
	if (words && (row->others->n || row->others->more)) {
		u = compare_url(r->ctx.arena, x);
		url_param(r->ctx.arena, u, "metric", row->metric->name);
		html(r->out, "<small class=\"beside\">");
		html_link(r->out, u, words);
		html(r->out, "</small>");
	}
	if (x->beside)
		html(r->out, "<small class=\"beside\">%s</small>", x->beside);
}

static void write_row(struct req *r, const struct commit_result *x, const struct commit_row *row)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<tr class=\"row-%s\"><td>", verdict_name(row->now.verdict));
	part_verdict(r->out, row->now.verdict);
	if (row->now.reported)
		html(r->out, " <span class=\"origin\">as reported</span>");
	html(r->out, "<td>");
	html_link(r->out, url_history(a, x->series.digest, row->metric->name), row->metric->name);
	html(r->out, "<br><span class=\"direction\">%s</span>",
	     direction_words(row->metric->facts.direction));
	write_value(r, row, &row->base);
	html(r->out, "<td class=\"num change\">%s", commit_change_text(a, row));
	write_value(r, row, &row->now);
	html(r->out, "<td class=\"reason\">%s", row->now.reason ? row->now.reason : "");
	write_beside(r, x, row);
	html(r->out, "\n");
}

static void write_rows(struct req *r, const struct commit_result *x, const char *title,
		       const struct row_list *l)
{
	size_t n = l->n < ROWS_SHOWN ? l->n : ROWS_SHOWN;

	if (n == 0)
		return;
	html(r->out,
	     "<table class=\"changes\">\n<caption>%s</caption>\n<thead><tr><th "
	     "scope=\"col\">Verdict"
	     "<th scope=\"col\">Metric<th scope=\"col\" class=\"num\">Before"
	     "<th scope=\"col\" class=\"num\">Change<th scope=\"col\" class=\"num\">On this commit"
	     "<th scope=\"col\">Why</thead>\n<tbody>\n",
	     title);
	for (size_t i = 0; i < n; i++)
		write_row(r, x, &l->rows[i]);
	html(r->out, "</tbody></table>\n");
	if (n < l->seen) {
		html(r->out, "<p class=\"cut\">%zu more are not shown here: ", l->seen - n);
		html_link(r->out, compare_url(r->ctx.arena, x), "all rows");
		html(r->out, "</p>\n");
	}
}

/* The test's own figures that stayed, by name: what did not change is an answer too. */
static void write_steady(struct req *r, const struct commit_result *x)
{
	struct arena *a = r->ctx.arena;
	size_t named = 0;

	if (x->counts[VERDICT_SAME])
		html(r->out, "<p class=\"steady\">= No change in <b>%zu</b> %s",
		     x->counts[VERDICT_SAME], x->counts[VERDICT_SAME] == 1 ? "metric" : "metrics");
	else
		html(r->out, "<p class=\"steady\">No metric stayed as it was");
	for (size_t i = 0; i < x->steady.n && named < STEADY_SHOWN; i++) {
		const struct commit_row *row = &x->steady.rows[i];

		if (!row->now.judged || row->now.verdict != VERDICT_SAME)
			continue;
		html(r->out, "%s", named++ ? ", " : ", of what the test itself measures: ");
		html_link(r->out, url_history(a, x->series.digest, row->metric->name),
			  row->metric->name);
		html(r->out, " (%s)", commit_change_text(a, row));
	}
	html(r->out, "%s.", named == STEADY_SHOWN ? " and others" : "");
	if (x->counts[VERDICT_NO_DATA])
		html(r->out, " %zu could not be compared: they are there on one side alone.",
		     x->counts[VERDICT_NO_DATA]);
	html(r->out, "</p>\n");
}

static void write_without_base(struct req *r, const struct commit_result *x)
{
	struct arena *a = r->ctx.arena;
	size_t n = x->steady.n < ROWS_SHOWN ? x->steady.n : ROWS_SHOWN;

	html(r->out,
	     "<p>No ancestor of it was measured in this series, so there is nothing to hold it "
	     "against. Ancestors are known when uploads name a commit's parents. ");
	html_link(r->out, url_series(a, x->series.digest), "Other commits of this series");
	html(r->out, "</p>\n");
	if (n == 0)
		return;
	html(r->out, "<table class=\"values\">\n<thead><tr><th scope=\"col\">Metric"
		     "<th scope=\"col\" class=\"num\">On this commit</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		const struct commit_row *row = &x->steady.rows[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_history(a, x->series.digest, row->metric->name),
			  row->metric->name);
		html(r->out, " <span class=\"direction\">%s</span>",
		     direction_words(row->metric->facts.direction));
		write_value(r, row, &row->now);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
}

static void write_runs_line(struct req *r, const struct commit_page *p,
			    const struct commit_result *x)
{
	struct arena *a = r->ctx.arena;
	struct url *runs = url_path(a, "/runs");

	url_param(a, runs, "series", x->series.digest);
	url_param(a, runs, "commit", x->address);
	html(r->out, "<p>");
	if (x->n || x->failed)
		html_link(r->out, runs, part_count(a, x->n, "run"));
	else if (x->printed)
		html(r->out, "Figures from a report, no samples");
	else
		html(r->out, "No runs");
	if (x->failed && x->n)
		html(r->out, ", %" PRId64 " more failed", x->failed);
	else if (x->failed)
		html(r->out, " ended well, <strong class=\"warn\">%" PRId64 " failed</strong>",
		     x->failed);
	if (strcmp(x->address, commit_address(a, &p->commit)) != 0)
		html(r->out, ", uploaded as %s", x->address);
	if (x->has_base) {
		html(r->out, ", against the nearest measured ancestor ");
		part_commit(r, &x->base);
		html(r->out, " (");
		html_link(r->out, compare_url(a, x), "whole table");
		html(r->out, ", ");
		html_link(r->out, range_url(a, x), "commits since");
		html(r->out, ")");
	} else {
		html(r->out, " (");
		html_link(r->out, url_compare(a, x->address, x->series.digest), "all values");
		html(r->out, ")");
	}
	html(r->out, "</p>\n");
}

static void write_result(struct req *r, const struct commit_page *p, const struct commit_result *x)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<section class=\"result\">\n<h3>");
	html_link(r->out, url_series(a, x->series.digest), part_series_title(a, &x->series));
	html(r->out, "</h3>\n<p class=\"setup\">%s</p>\n", part_series_rest(a, &x->series));
	write_runs_line(r, p, x);
	part_quarantine(r, x->quarantined);
	if (x->too_large) {
		html(r->out, "<p class=\"warn\">Not compared: %s.</p>\n", x->too_large);
	} else if (x->has_base) {
		write_rows(r, x, "Worse, or moved without a known direction", &x->worst);
		write_rows(r, x, "Better", &x->best);
		write_steady(r, x);
	} else {
		write_without_base(r, x);
	}
	html(r->out, "</section>\n");
}

/* Where a reader of a commit that nobody measured can go on. */
static void write_measured_near(struct req *r, const struct commit_git *g)
{
	struct arena *a = r->ctx.arena;

	if (g->has_before) {
		html(r->out, "The nearest measured commit before it is ");
		part_commit(r, &g->before);
		html(r->out, "; ");
	}
	if (g->has_after) {
		html(r->out, "the first measured one after it is ");
		part_commit(r, &g->after);
		html(r->out, "; ");
	}
	if (!g->has_before && !g->has_after)
		html(r->out, "No commit before or after it was measured either; ");
	if (g->has_before && g->has_after) {
		html_link(r->out,
			  url_compare(a,
				      arena_fmt(a, "%s,%s", commit_address(a, &g->before),
						commit_address(a, &g->after)),
				      NULL),
			  "compare the two");
		html(r->out, ", ");
		html_link(r->out,
			  url_range(a,
				    arena_fmt(a, "%s..%s", commit_address(a, &g->before),
					      commit_address(a, &g->after)),
				    NULL, NULL),
			  "list the commits between them");
		html(r->out, "; ");
	}
}

void commit_page_results(struct req *r, const struct commit_page *p)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<h2 id=\"results\">Results, worst first</h2>\n");
	if (p->nresults == 0) {
		html(r->out, "<p class=\"empty\">Nothing was measured on this commit. ");
		if (p->git)
			write_measured_near(r, p->git);
		else if (p->nchildren || p->nparents)
			html(r->out, "Its neighbours in history are listed below; ");
		html_link(r->out, url_path(a, "/help/upload"), "results can be uploaded");
		html(r->out, ".</p>\n");
		return;
	}
	for (size_t i = 0; i < p->nresults; i++)
		write_result(r, p, &p->results[i]);
	if (p->cut)
		html(r->out,
		     "<p class=\"cut\">More than %d series were measured on it; the others are not "
		     "shown "
		     "here. They can be found by ",
		     COMMIT_RESULTS_MAX);
	if (p->cut) {
		html_link(r->out, url_compare(a, commit_address(a, &p->commit), NULL),
			  "looking at all its values");
		html(r->out, ".</p>\n");
	}
}
