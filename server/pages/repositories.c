/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /repositories - the git repositories that are followed: from where, when they were read, how
 * that went, what they hold. Addresses are shown without what may be a password.
 */
#include "server/pages/pages.h"

#include <inttypes.h>

#include "db/repos.h"
#include "server/base/clock.h"
#include "server/history/repo_url.h"
#include "server/pages/req.h"
#include "server/report/robot_table.h"
#include "server/view/html.h"
#include "server/view/json.h"
#include "server/view/layout.h"

struct repositories {
	struct repo *list;
	int64_t *refs; /* of each */
	size_t n;
};

static int load(struct ctx *c, struct repositories *p)
{
	int e = repo_list(c, false, &p->list, &p->n);

	p->refs = arena_array(c->arena, int64_t, p->n);
	for (size_t i = 0; i < p->n && e >= 0; i++)
		e = repo_refs_count(c, p->list[i].id, &p->refs[i]);
	return e;
}

/* "" or patterns, a line each. */
static void json_patterns(struct jw *w, const char *refs)
{
	jw_arr(w, "follows");
	while (*refs) {
		size_t n = strcspn(refs, "\n");

		jw_strn(w, NULL, refs, n);
		refs += n + (refs[n] != '\0');
	}
	jw_end(w);
}

static void write_json(struct req *r, const struct repositories *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "repositories");
	for (size_t i = 0; i < p->n; i++) {
		const struct repo *k = &p->list[i];

		jw_obj(&w, NULL);
		jw_str(&w, "name", k->name);
		jw_str(&w, "url", repo_url_shown(r->ctx.arena, k->url));
		jw_bool(&w, "in_place", k->in_place);
		json_patterns(&w, k->refs);
		jw_str(&w, "line", k->line);
		jw_bool(&w, "snapshots", k->snapshots);
		jw_int(&w, "commits", k->commits);
		jw_int(&w, "refs", p->refs[i]);
		jw_time(&w, "added", k->added);
		jw_time(&w, "tried", k->tried);
		jw_time(&w, "refreshed", k->synced);
		jw_time(&w, "next", k->next_try);
		jw_int(&w, "failures", k->failures);
		jw_str(&w, "problem", k->problem);
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	out_char(r->out, '\n');
}

static void write_row(struct req *r, const struct repo *k, int64_t refs)
{
	struct out *o = r->out;

	html(o, "<tr><th scope=\"row\">%s%s<td>%s", k->name, k->snapshots ? " (snapshots)" : "",
	     repo_url_shown(r->ctx.arena, k->url));
	if (k->problem) /* beside what it is of, where no width hides it */
		html(o, "<br><strong class=\"warn\">%s</strong>", k->problem);
	html(o, "<td>");
	if (k->synced == TIME_NONE)
		html(o, "never");
	else
		layout_time(o, k->synced);
	html(o, "<td>");
	layout_time(o, k->next_try);
	html(o, "<td class=\"num\">%" PRId64 "<td class=\"num\">%" PRId64 "<td>%s\n", refs,
	     k->commits, k->line ? k->line : "–");
}

static void write_html(struct req *r, const struct repositories *p)
{
	html(r->out, "<div class=\"scroll\"><table class=\"repositories\">\n<thead><tr><th "
		     "scope=\"col\">Tree"
		     "<th scope=\"col\">From<th scope=\"col\">Refreshed<th scope=\"col\">Next"
		     "<th scope=\"col\" class=\"num\">Branches and tags"
		     "<th scope=\"col\" class=\"num\">Commits<th scope=\"col\">Line of charts"
		     "</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->n; i++)
		write_row(r, &p->list[i], p->refs[i]);
	html(r->out, "</tbody></table></div>\n");
}

static void write_when(struct out *o, const char *label, int64_t t)
{
	char text[TIME_TEXT];

	if (t == TIME_NONE)
		snprintf(text, sizeof(text), "never");
	else
		clock_short(t, text);
	out_fmt(o, "%s%s", label, text);
}

/* Three lines each, and what is wrong. */
static void write_txt(struct req *r, const struct repositories *p)
{
	struct out *o = r->out;

	if (p->n == 0)
		out_str(o, "No git repository is followed.\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct repo *k = &p->list[i];

		robot_text(o, k->name);
		out_str(o, k->snapshots ? " (snapshots)\n  " : "\n  ");
		robot_text(o, repo_url_shown(r->ctx.arena, k->url));
		write_when(o, "\n  refreshed ", k->synced);
		write_when(o, ", next ", k->next_try);
		out_fmt(o,
			"\n  %" PRId64 " branches and tags, %" PRId64 " commits; line of charts ",
			p->refs[i], k->commits);
		robot_text(o, k->line ? k->line : "not chosen");
		if (k->problem) {
			out_str(o, "\n  problem: ");
			robot_text(o, k->problem);
		}
		out_char(o, '\n');
	}
}

int page_repositories(struct req *r)
{
	struct repositories p;
	int e = load(&r->ctx, &p);

	if (e < 0)
		return e;
	if (r->form == FORM_JSON) {
		write_json(r, &p);
		return 200;
	}
	if (r->form == FORM_TXT) {
		write_txt(r, &p);
		return 200;
	}
	req_page_begin(r, "Repositories", NULL);
	if (p.n == 0)
		html(r->out, "<p class=\"empty\">No git repository is followed: commits are known "
			     "by what uploads say of them. <code>plumbline repo add NAME "
			     "PATH|URL</code> adds one.</p>\n");
	else
		write_html(r, &p);
	return req_page_end(r, 200);
}
