/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /rules - the versions of the rule, which one is in force, and what `plumbline rule` found
 * last that another one would change. HTML and JSON. Counting takes minutes, so a page only shows
 * what was stored of it.
 */
#include "server/pages/rules.h"

#include "db/rule_setting.h"
#include "server/model/rule_words.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static void json_count(struct jw *w, const struct rule_count *k)
{
	if (!k->from) {
		jw_null(w, "count");
		return;
	}
	jw_obj(w, "count");
	jw_str(w, "from", k->from);
	jw_str(w, "to", k->to);
	jw_time(w, "at", k->at);
	jw_int(w, "cells", k->cells);
	jw_bool(w, "older_left_out", k->cut);
	jw_int(w, "verdicts", k->verdicts);
	jw_int(w, "would_change", k->moved);
	jw_arr(w, "changes");
	for (size_t i = 0; i < k->nmoves; i++) {
		const struct verdict_move *m = &k->moves[i];

		jw_obj(w, NULL);
		jw_str(w, "series", m->series);
		jw_str(w, "testcase", m->testcase);
		jw_str(w, "tbox_group", m->machine);
		jw_str(w, "commit", m->commit);
		jw_str(w, "base", m->base);
		jw_str(w, "metric", m->metric);
		jw_str(w, "role", m->role);
		jw_str(w, "before", m->before);
		jw_str(w, "after", m->after);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

static void write_json(struct req *r, enum rule_version in_force, const struct rule_count *k)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "in_force", rule_version_name(in_force));
	jw_str(&w, "newest", rule_version_name(RULE_NEWEST));
	jw_arr(&w, "rules");
	for (int i = 0; i < RULE_VERSIONS; i++) {
		jw_obj(&w, NULL);
		jw_str(&w, "name", rule_version_name((enum rule_version)i));
		jw_str(&w, "what", rule_version_words((enum rule_version)i));
		jw_end(&w);
	}
	jw_end(&w);
	json_count(&w, k);
	jw_end(&w);
}

static void write_rules(struct req *r, enum rule_version in_force)
{
	html(r->out, "<table class=\"pairs\">\n");
	for (int i = RULE_VERSIONS - 1; i >= 0; i--)
		html(r->out, "<tr><th scope=\"row\"><code>%s</code><td>%s%s\n",
		     rule_version_name((enum rule_version)i),
		     i == (int)in_force ? "In force: " : "",
		     rule_version_words((enum rule_version)i));
	html(r->out,
	     "</table>\n<p>Every answer with verdicts names the rule that gave them. An "
	     "administrator lists what a rule would change with <code>plumbline rule</code> and "
	     "puts it in force with <code>plumbline rule apply</code>; the results themselves "
	     "stay as they are.</p>\n");
}

static void write_moves(struct req *r, const struct rule_count *k)
{
	struct arena *a = r->ctx.arena;

	if (!k->nmoves)
		return;
	html(r->out, "<table>\n<thead><tr><th scope=\"col\">Series<th scope=\"col\">Commit"
		     "<th scope=\"col\">Metric<th scope=\"col\">Was<th scope=\"col\">Would be"
		     "</thead>\n<tbody>\n");
	for (size_t i = 0; i < k->nmoves; i++) {
		const struct verdict_move *m = &k->moves[i];
		struct url *u =
			url_compare(a, arena_fmt(a, "%s,%s", m->base, m->commit), m->series);

		url_param(a, u, "metric", m->metric);
		url_param(a, u, "changed", "0");
		html(r->out, "<tr><td>");
		html_link(r->out, url_series(a, m->series),
			  arena_fmt(a, "%s on %s", m->testcase, m->machine));
		html(r->out, "<td>");
		html_link(r->out, u, arena_fmt(a, "%.12s", m->commit));
		html(r->out, "<td>");
		html_link(r->out, url_metric(a, m->metric), m->metric);
		html(r->out, "<td class=\"verdict-%s\">%s<td class=\"verdict-%s\">%s\n", m->before,
		     m->before, m->after, m->after);
	}
	html(r->out, "</tbody></table>\n");
	if ((size_t)k->moved > k->nmoves)
		html(r->out, "<p>And %s more, which the command lists.</p>\n",
		     count_text(a, k->moved - (int64_t)k->nmoves));
}

static void write_count(struct req *r, const struct rule_count *k)
{
	html(r->out, "<h2>What another rule would change</h2>\n");
	if (!k->from) {
		html(r->out, "<p class=\"empty\">Nobody has counted yet: <code>plumbline rule "
			     "NAME</code> does.</p>\n");
		return;
	}
	html(r->out, "<p>Counted ");
	layout_time(r->out, k->at);
	html(r->out, ", against <code>%s</code>: %s.</p>\n", k->from,
	     rule_count_text(r->ctx.arena, k));
	write_moves(r, k);
}

int page_rules(struct req *r)
{
	enum rule_version in_force;
	struct rule_count k;
	int e = req_status(r);

	if (e >= 0)
		e = rule_in_force(&r->ctx, &in_force);
	if (e >= 0)
		e = rule_count_get(&r->ctx, &k);
	if (e < 0)
		return e;
	if (r->form == FORM_JSON) {
		write_json(r, in_force, &k);
		return 200;
	}
	req_page_begin(r, "The rules behind verdicts", NULL);
	write_rules(r, in_force);
	write_count(r, &k);
	html(r->out, "<p>");
	html_link(r->out, url_path(r->ctx.arena, "/help/verdicts"), "How a verdict is made");
	html(r->out, "</p>\n");
	return req_page_end(r, 200);
}

int part_rule_note(struct req *r)
{
	enum rule_version in_force;
	int e = rule_in_force(&r->ctx, &in_force);

	if (e < 0 || in_force == RULE_NEWEST)
		return e;
	html(r->out,
	     "<p class=\"note\"><b>Not the newest rule:</b> this database is judged by "
	     "<code>%s</code> (%s). The newest is <code>%s</code>: ",
	     rule_version_name(in_force), rule_version_words(in_force),
	     rule_version_name(RULE_NEWEST));
	html_link(r->out, url_path(r->ctx.arena, "/rules"), "what it would change");
	html(r->out, ".</p>\n");
	return E_OK;
}
