/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One verdict with everything behind it, for whoever doubts it: all samples as dots, both sides in
 * numbers, every test, what the rule went by and at which gate it stopped, and what other machines
 * say. Nothing is computed here but by analysis/detail.h.
 */
#include "server/pages/compare_detail.h"

#include <inttypes.h>
#include <math.h>

#include "server/analysis/detail.h"
#include "server/base/arena.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/chart_samples.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/unit.h"
#include "server/view/url.h"

struct shown {
	struct req *r;
	const struct compare *cmp;
	const struct compare_table *t;
	size_t row, col;
	const struct comparison_row *of;
	const struct cell *base, *now;
	const char *unit;
	struct detail d;
};

struct url *compare_detail_url(struct req *r, const struct compare *cmp,
			       const struct compare_table *t, const struct metric *m)
{
	struct arena *a = r->ctx.arena;
	struct url *u = url_path(a, "/compare");

	if (cmp->pairs)
		url_param(a, u, "pairs", req_param(r, "pairs"));
	else
		url_param(a, u, "commits", compare_names(a, cmp, 0));
	for (size_t i = 0; i < r->nparams; i++)
		if (!strcmp(r->params[i].name, "since") || !strcmp(r->params[i].name, "until") ||
		    !strncmp(r->params[i].name, "info.", 5))
			url_param(a, u, r->params[i].name, r->params[i].value);
	url_param(a, u, "series", t->series.digest);
	url_param(a, u, "metric", m->name);
	if (strpbrk(m->name, "*?")) /* as a pattern it may fit others, too */
		url_param(a, u, "detail", "1");
	return u;
}

const struct others *compare_others_of(const struct compare_table *t, size_t row, size_t col)
{
	const struct others *o = t->others ? &t->others[row * t->ncols + col] : NULL;

	return o && o->list ? o : NULL;
}

/* --- both sides -------------------------------------------------------------------------------
 */

static void write_chart(const struct shown *s)
{
	const struct sample_lane lanes[] = {
		{s->t->columns[s->t->columns[s->col].base].name, s->base->values,
		 (size_t)s->base->n, s->base->mean},
		{s->t->columns[s->col].name, s->now->values, (size_t)s->now->n, s->now->mean},
	};
	const struct sample_chart c = {
		.title = arena_fmt(s->r->ctx.arena, "Samples of %s", s->of->metric->name),
		.x_name = s->of->metric->name,
		.x_unit = s->unit,
		.better = direction_words(s->of->metric->facts.direction),
		.lanes = lanes,
		.n = 2,
	};

	html(s->r->out, "<figure class=\"chart\">\n");
	chart_samples(s->r->out, &c);
	html(s->r->out, "</figure>\n");
}

/* With the digits that a program would have printed. */
static void write_precise(const struct shown *s, double v)
{
	unit_put_printed(s->r->out, v);
	if (s->unit && !isnan(v))
		html(s->r->out, " <small>%s</small>", s->unit);
}

static void write_pair(const struct shown *s, const char *what, double base, double now)
{
	struct out *o = s->r->out;

	html(o, "<tr><th scope=\"row\">%s</th><td class=\"num\">", what);
	write_precise(s, base);
	html(o, "</td><td class=\"num\">");
	write_precise(s, now);
	html(o, "</td></tr>\n");
}

static void write_counts(const struct shown *s, const char *what, int64_t base, int64_t now)
{
	html(s->r->out, "<tr><th scope=\"row\">%s</th>", what);
	for (int i = 0; i < 2; i++) {
		int64_t n = i ? now : base;

		if (n < 0)
			html(s->r->out, "<td class=\"num\">not told</td>");
		else
			html(s->r->out, "<td class=\"num\">%" PRId64 "</td>", n);
	}
	html(s->r->out, "</tr>\n");
}

static void write_sides(const struct shown *s)
{
	const struct detail_side *b = &s->d.base, *n = &s->d.now;
	struct out *o = s->r->out;

	html(o,
	     "<table class=\"numbers\">\n<caption>Both sides</caption>\n<thead><tr><td></td>"
	     "<th scope=\"col\" class=\"num\">%s</th><th scope=\"col\" class=\"num\">%s</th></tr>"
	     "</thead>\n<tbody>\n",
	     s->t->columns[s->t->columns[s->col].base].name, s->t->columns[s->col].name);
	write_counts(s, "Runs", (int64_t)b->d.n, (int64_t)n->d.n);
	write_counts(s, "Boots", b->boots, n->boots);
	write_pair(s, "Mean", b->d.mean, n->d.mean);
	write_pair(s, "Standard deviation of the sample (n − 1)", b->d.stddev, n->d.stddev);
	write_pair(s, "Standard deviation of these runs (n)", b->d.stddev_pop, n->d.stddev_pop);
	write_pair(s, "Smallest", b->d.min, n->d.min);
	write_pair(s, "First quartile", b->quartiles.first, n->quartiles.first);
	write_pair(s, "Median", b->d.median, n->d.median);
	write_pair(s, "Third quartile", b->quartiles.third, n->quartiles.third);
	write_pair(s, "Largest", b->d.max, n->d.max);
	write_pair(s, "Median absolute deviation", b->deviation, n->deviation);
	html(o, "</tbody></table>\n");
}

static void write_values(const struct shown *s)
{
	const struct cell *const cells[] = {s->base, s->now};
	const size_t cols[] = {s->t->columns[s->col].base, s->col};
	struct out *o = s->r->out;

	html(o, "<details><summary>All samples, in the order of the runs</summary>\n");
	for (int i = 0; i < 2; i++) {
		html(o, "<p>%s: ", s->t->columns[cols[i]].name);
		for (int64_t k = 0; k < cells[i]->n; k++) {
			html(o, "%s", k ? ", " : "");
			out_num(o, cells[i]->values[k]);
		}
		html(o, "</p>\n");
	}
	html(o, "</details>\n");
}

/* --- tests ------------------------------------------------------------------------------------
 */

/* A line of the list of numbers: begins it; "</td></tr>" is the caller's. */
static void begin_line(const struct shown *s, const char *what, const char *about)
{
	html(s->r->out, "<tr><th scope=\"row\">%s<br><small>%s</small></th><td>", what, about);
}

static void end_line(const struct shown *s)
{
	html(s->r->out, "</td></tr>\n");
}

static void write_p(const struct shown *s, const char *what, const char *about, double p)
{
	begin_line(s, what, about);
	if (isnan(p))
		html(s->r->out, "not to be told");
	else
		html(s->r->out, "p %.4g", p);
	end_line(s);
}

static void write_number(const struct shown *s, const char *what, const char *about, double v)
{
	begin_line(s, what, about);
	if (isnan(v))
		html(s->r->out, "not known");
	else
		html(s->r->out, "%.4g", v);
	end_line(s);
}

static void write_part(const struct shown *s, const char *what, const char *about, double v)
{
	begin_line(s, what, about);
	if (isnan(v))
		html(s->r->out, "not known");
	else
		html(s->r->out, "%.3g %s", v, s->d.points ? "points" : "%");
	end_line(s);
}

static void write_shift(const struct shown *s)
{
	const struct shift *h = &s->d.shift;
	struct out *o = s->r->out;

	begin_line(s, "Hodges-Lehmann shift",
		   "the median of all differences between a run of one side and one of the other, "
		   "and where it lies with 95 % confidence");
	write_precise(s, h->median);
	if (isfinite(h->low) && isfinite(h->high)) {
		html(o, " (");
		unit_put_printed(o, h->low);
		html(o, " to ");
		unit_put_printed(o, h->high);
		html(o, ")");
	} else {
		html(o, " (too few runs for an interval)");
	}
	end_line(s);
}

static void write_beside(const struct shown *s)
{
	html(s->r->out, "<table class=\"numbers\">\n<caption>Reported beside, deciding "
			"nothing</caption>\n<tbody>\n");
	write_p(s, "Welch's t test", "of the means, each side with its own scatter", s->d.welch.p);
	write_p(s, "Mann-Whitney test",
		s->d.ranks.exact ? "of the order of the runs alone, exact, with ties"
				 : "of the order of the runs alone, by the normal approximation",
		s->d.ranks.p);
	write_shift(s);
	write_number(s, "Hedges' g", "the difference of the means in standard deviations",
		     s->d.hedges_g);
	html(s->r->out, "</tbody></table>\n");
}

static void write_history_lines(const struct shown *s)
{
	begin_line(s, "Commits before the base", "up to 20; from 6 on they count");
	html(s->r->out, "%" PRId64, s->now->history < 0 ? 0 : s->now->history);
	end_line(s);
	if (isnan(s->d.level))
		return;
	begin_line(s, "Level of the last five", "what the change was held against");
	write_precise(s, s->d.level);
	end_line(s);
	write_number(s, "Noise between commits",
		     "how many times as much commits vary as their runs explain; 1: no more",
		     s->d.between);
}

static void write_rule(const struct shown *s)
{
	const char *gate = gate_words(s->now);

	html(s->r->out, "<table class=\"numbers\">\n<caption>What the rule went by</caption>\n"
			"<tbody>\n");
	begin_line(s, "Gate that decided", "the first that was not passed");
	html(s->r->out, "%s", gate ? gate : "not told by this rule");
	end_line(s);
	write_number(s, "Cliff's delta",
		     "1 or -1: no run of one side reaches into the other; 0: they are mixed",
		     s->now->cliff_delta);
	write_part(s, "Noise between runs", "standard deviation, drawn towards what is usual here",
		   s->d.run_noise);
	write_history_lines(s);
	write_part(s, "Standard error of the test", "of the difference that was tested",
		   s->d.error);
	write_p(s, "p of the rule", "so much, or more, comes by chance", s->now->p);
	write_number(s, "q", "p, corrected for all metrics of its role", s->now->q);
	write_part(s, "Would have been seen", "a change of this size, in 4 of 5 cases",
		   s->now->mde);
	begin_line(s, "Rule", "its name and version");
	html(s->r->out, "<code>%s</code>", rule_version_name(s->cmp->rule));
	if (s->now->rule)
		html(s->r->out, ", on the %s scale", scale_name(s->d.scale));
	end_line(s);
	html(s->r->out, "</tbody></table>\n");
}

static void write_fails(const struct shown *s)
{
	html(s->r->out,
	     "<table class=\"numbers\">\n<caption>Fisher's exact test over all runs</caption>\n"
	     "<tbody>\n");
	write_counts(s, "Seen in", s->base->fails, s->now->fails);
	write_counts(s, "Of runs", s->base->runs, s->now->runs);
	html(s->r->out, "</tbody></table>\n<table class=\"numbers\">\n<tbody>\n");
	write_p(s, "So many more, or above", "if nothing changed", s->d.fisher.more);
	write_p(s, "So many fewer, or below", "if nothing changed", s->d.fisher.fewer);
	write_p(s, "p of the rule", "one-sided; runs that died of something else are left out",
		s->now->p);
	write_number(s, "q", "p, corrected for all such metrics", s->now->q);
	html(s->r->out, "</tbody></table>\n");
}

/* --- other machines ---------------------------------------------------------------------------
 */

static void write_other_value(const struct shown *s, const struct cell *c, const char *unit)
{
	struct out *o = s->r->out;

	html(o, "<td class=\"num\">");
	if (!c || !c->present) {
		html(o, "–</td>");
		return;
	}
	if (s->of->metric->facts.kind == KIND_FUNCTIONAL)
		html(o, "%" PRId64 " of %" PRId64, c->fails, c->runs);
	else
		layout_figure(o, c->mean, unit);
	if (c->n >= 0 && s->of->metric->facts.kind != KIND_FUNCTIONAL)
		html(o, " <small>(%" PRId64 ")</small>", c->n);
	html(o, "</td>");
}

static void write_other(const struct shown *s, const struct other *x)
{
	struct out *o = s->r->out;
	enum verdict v = x->now ? x->now->verdict : VERDICT_NO_DATA;
	struct compare_table peer = {.series = *x->series};

	html(o, "<tr><th scope=\"row\">");
	html_link(o, compare_detail_url(s->r, s->cmp, &peer, s->of->metric), x->series->tbox_group);
	/* All else is as here. */
	for (size_t i = 0; i < x->series->naxes; i++)
		if (axis_class_of(x->series->axes[i].name) == AXIS_MACHINE &&
		    strcmp(x->series->axes[i].name, "tbox_group") != 0)
			html(o, "<br><small>%s: %s</small>", x->series->axes[i].name,
			     x->series->axes[i].value);
	html(o, "</th>");
	write_other_value(s, x->base, x->unit);
	html(o, "<td class=\"num verdict-%s\">", verdict_name(v));
	if (!x->now || !x->now->judged)
		html(o, "–");
	else
		compare_html_change(o, s->of, x->now);
	html(o, "</td>");
	write_other_value(s, x->now, x->unit);
	html(o, "<td>");
	part_verdict(o, v);
	if (x->now && x->now->reported)
		html(o, " <small>reported</small>");
	if (x->quarantined)
		html(o, " <small>in quarantine, not judged</small>");
	html(o, "</td></tr>\n");
}

static void write_others(const struct shown *s)
{
	const struct others *all = compare_others_of(s->t, s->row, s->col);
	struct out *o = s->r->out;
	const char *words;

	if (!all)
		return;
	words = others_words(s->r->ctx.arena, all);
	html(o, "<h4 id=\"others\">Other machines</h4>\n");
	if (words)
		html(o, "<p><strong class=\"joint\">%s</strong></p>\n", words);
	if (all->n == 0) {
		html(o, "<p>No other machine has this test with the same setup on both "
			"commits.</p>\n");
		return;
	}
	html(o,
	     "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Machine</th>"
	     "<th scope=\"col\" class=\"num\">%s</th><th scope=\"col\" class=\"num\">Change</th>"
	     "<th scope=\"col\" class=\"num\">%s</th><th scope=\"col\">Verdict</th></tr></thead>\n"
	     "<tbody>\n",
	     s->t->columns[s->t->columns[s->col].base].name, s->t->columns[s->col].name);
	for (size_t i = 0; i < all->n; i++)
		write_other(s, &all->list[i]);
	html(o, "</tbody></table></div>\n");
	if (all->more)
		html(o, "<p class=\"cut\">There are more machines; they were not looked at.</p>\n");
}

/* --- all of it --------------------------------------------------------------------------------
 */

static void write_shown(const struct shown *s)
{
	struct out *o = s->r->out;
	const char *beside = s->t->besides ? s->t->besides[s->col] : NULL;

	html(o, "<section class=\"detail\">\n<h3>%s: %s against %s</h3>\n", s->of->metric->name,
	     s->t->columns[s->col].name, s->t->columns[s->t->columns[s->col].base].name);
	html(o, "<p>");
	part_verdict(o, s->now->verdict);
	if (s->now->reason)
		html(o, ": %s", s->now->reason);
	html(o, ".</p>\n");
	if (beside)
		html(o, "<p class=\"warn\">Not only the commit differs: %s.</p>\n", beside);
	if (s->d.tested) {
		write_chart(s);
		write_values(s);
		html(o, "<div class=\"side-by-side\">\n");
		write_sides(s);
		write_rule(s);
		write_beside(s);
		html(o, "</div>\n");
	} else if (s->base->fails >= 0 && s->now->fails >= 0) {
		write_fails(s);
	} else {
		html(o, "<p>There are no samples behind it: a report printed these figures, and "
			"its word is taken for them.</p>\n");
	}
	write_others(s);
	html(o, "<p>");
	html_link(o, url_path(s->r->ctx.arena, "/help/verdicts"), "What all of this means");
	html(o, "</p>\n</section>\n");
}

void compare_detail_html(struct req *r, const struct compare *cmp, const struct compare_table *t)
{
	for (size_t i = 0; i < t->nrows && i < COMPARE_DETAIL_MAX; i++) {
		for (size_t k = 1; k < t->ncols; k++) {
			struct shown s = {.r = r,
					  .cmp = cmp,
					  .t = t,
					  .row = i,
					  .col = k,
					  .of = &t->rows[i],
					  .base = &t->rows[i].cells[t->columns[k].base],
					  .now = &t->rows[i].cells[k],
					  .unit = t->units[i]};

			if (t->columns[k].base == k || !s.now->judged)
				continue;
			s.d = detail_of(s.of, s.base, s.now);
			write_shown(&s);
		}
	}
}
