/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a series changed, as a part of its page: steps by commit, so that what moved together
 * stands together, then drifts. Each metric leads to its history, each commit to the comparison
 * with the one before.
 */
#include "server/pages/series_changes.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/model/compare.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static size_t listed(const struct series_changes *found)
{
	return found->n < SERIES_CHANGES_LISTED ? found->n : SERIES_CHANGES_LISTED;
}

static void json_commit(struct jw *w, struct arena *a, const char *name,
			const struct series_change_commit *k)
{
	jw_obj(w, name);
	jw_str(w, "id", k->name);
	jw_str(w, "name", compare_name(a, k->name));
	jw_str(w, "subject", k->subject);
	jw_end(w);
}

void series_changes_json(struct jw *w, struct arena *a, const struct series_changes *found)
{
	jw_obj(w, "changes");
	jw_str(w, "ref", found->line);
	jw_int(w, "commits", (int64_t)found->ncommits);
	jw_int(w, "commits_left_out", (int64_t)found->left_out);
	jw_int(w, "metrics", (int64_t)found->metrics);
	jw_arr(w, "list");
	for (size_t i = 0; i < listed(found); i++) {
		const struct series_change *x = &found->changes[i];
		double moved = x->after - x->before;

		jw_obj(w, NULL);
		jw_str(w, "metric", x->metric->name);
		jw_str(w, "role", role_name(x->role));
		jw_str(w, "kind", x->drift ? "drift" : "step");
		json_commit(w, a, "from", &found->commits[x->from]);
		json_commit(w, a, "to", &found->commits[x->to]);
		jw_num(w, "before", x->before);
		jw_num(w, "after", x->after);
		jw_num(w, "change_abs", moved);
		jw_num(w, "change_pct",
		       x->before == 0 ? (double)NAN : 100 * moved / fabs(x->before));
		jw_str(w, "verdict", verdict_name(x->verdict));
		jw_end(w);
	}
	jw_end(w);
	jw_int(w, "more", (int64_t)(found->n - listed(found)));
	jw_end(w);
}

static const char *change_text(struct arena *a, const struct series_change *x)
{
	if (x->metric->facts.kind == KIND_PERCENT)
		return arena_fmt(a, "%+.2f points", x->change);
	if (isnan(x->change))
		return arena_fmt(a, "from 0 to %.6g", x->after);
	return arena_fmt(a, "%+.1f %%", x->change);
}

void series_changes_txt(struct req *r, const struct series_changes *found)
{
	struct arena *a = r->ctx.arena;

	out_str(r->out, "\nchanges, newest first:\n");
	if (!found->n)
		out_str(r->out, "  none stands out of the noise\n");
	for (size_t i = 0; i < listed(found); i++) {
		const struct series_change *x = &found->changes[i];

		out_fmt(r->out, "  %-5s at %-12s %18s  %-11s ", x->drift ? "drift" : "step",
			compare_name(a, found->commits[x->to].name), change_text(a, x),
			verdict_name(x->verdict));
		out_str(r->out, x->metric->name);
		out_char(r->out, '\n');
	}
	if (found->n > listed(found))
		out_fmt(r->out, "  and %zu more\n", found->n - listed(found));
}

static void write_commit(struct req *r, const struct series *s, const struct series_changes *found,
			 const struct series_change *x)
{
	struct arena *a = r->ctx.arena;
	const struct series_change_commit *k = &found->commits[x->to];
	struct out *o = r->out;

	html_link_class(o, "commit", url_commit(a, k->name), compare_name(a, k->name));
	if (k->subject)
		html(o, " <span class=\"subject\">%s</span>", k->subject);
	html(o, " <small>");
	html_link(o,
		  url_compare(a, arena_fmt(a, "%s,%s", found->commits[x->from].name, k->name),
			      s->digest),
		  x->drift ? "compare its ends" : "compare with the one before");
	html(o, "</small>");
}

static void write_row(struct req *r, const struct series *s, const struct series_changes *found,
		      size_t i)
{
	struct arena *a = r->ctx.arena;
	const struct series_change *x = &found->changes[i], *above = i ? x - 1 : NULL;
	struct out *o = r->out;

	html(o, "<tr><td>");
	if (!above || above->to != x->to || above->drift != x->drift)
		write_commit(r, s, found, x);
	html(o, "<td>");
	html_link(o, url_history(a, s->digest, x->metric->name), x->metric->name);
	html(o, "<td class=\"num\">%s", change_text(a, x));
	if (x->drift)
		html(o, " <span class=\"badge\">drift over %s</span>",
		     part_count(a, (int64_t)(x->to - x->from), "commit"));
	html(o, "<td class=\"verdict-%s\">%s\n", verdict_name(x->verdict),
	     verdict_name(x->verdict));
}

/* Which commits and metrics were looked at, and how to see the others. */
static void write_scope(struct req *r, const struct series_changes *found)
{
	struct arena *a = r->ctx.arena;
	const char *which = req_param(r, "changes");
	bool all = which && strcmp(which, "all") == 0;

	html(r->out, "<p class=\"note\">Looked for in %s of %s",
	     part_count(a, (int64_t)found->metrics, all ? "metric" : "own metric"),
	     part_count(a, (int64_t)found->ncommits, "commit"));
	if (found->line)
		html(r->out, " on the first parents of <b>%s</b>", found->line);
	if (found->left_out)
		html(r->out, "; %s are left out",
		     part_count(a, (int64_t)found->left_out, "older commit"));
	html(r->out, ". ");
	html_link(r->out, req_url_with(r, "changes", all ? NULL : "all"),
		  all ? "Only the test's own" : "Look at the monitors, too");
	html(r->out, "</p>\n");
}

void series_changes_html(struct req *r, const struct series *s, const struct series_changes *found)
{
	html(r->out, "<h2 id=\"changes\">Where it changed</h2>\n");
	write_scope(r, found);
	if (!found->n) {
		html(r->out, "<p class=\"empty\">No step and no drift stands out of its "
			     "noise.</p>\n");
		return;
	}
	html(r->out, "<div class=\"scroll\"><table class=\"metrics\">\n<thead><tr>"
		     "<th scope=\"col\">Commit<th scope=\"col\">Metric"
		     "<th scope=\"col\" class=\"num\">Change<th scope=\"col\">Verdict</thead>\n"
		     "<tbody>\n");
	for (size_t i = 0; i < listed(found); i++)
		write_row(r, s, found, i);
	html(r->out, "</tbody></table></div>\n");
	if (found->n > listed(found))
		html(r->out, "<p class=\"cut\">%zu more are not shown.</p>\n",
		     found->n - listed(found));
}
