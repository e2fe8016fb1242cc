/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a patch as HTML: newest version first. */
#include "server/pages/patch_page.h"

#include <inttypes.h>

#include "server/base/clock.h"
#include "server/model/patch.h"
#include "server/pages/commit_page.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static void write_kept(struct req *r, const struct compare_kept *kept, size_t n)
{
	struct arena *a = r->ctx.arena;

	if (n == 0)
		return;
	html(r->out, "<ul class=\"kept\">\n");
	for (size_t i = 0; i < n; i++)
		html(r->out, "<li>%s: <strong>%s</strong>%s%s\n", compare_kept_place(a, &kept[i]),
		     compare_kept_words(a, &kept[i]), compare_kept_interval(a, &kept[i]),
		     compare_kept_fix(a, &kept[i]));
	html(r->out, "</ul>\n");
}

static void write_recovered(struct req *r, const struct patch_part *p)
{
	struct arena *a = r->ctx.arena;

	for (size_t i = 0; i < p->nrecovered; i++) {
		const struct patch_recovered *x = &p->recovered[i];

		html(r->out, "\n");
		write_kept(r, x->kept, x->n);
		html_link(r->out, url_compare(a, x->compare, NULL),
			  "beside its base and what was measured before");
	}
}

static void write_part(struct req *r, const struct patch_part *p)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<tr><td class=\"num\">");
	if (p->index >= 0 && p->total > 0)
		html(r->out, "%" PRId64 " of %" PRId64, p->index, p->total);
	else if (p->index >= 0)
		html(r->out, "%" PRId64, p->index);
	html(r->out, "<td>");
	part_commit(r, &p->commit);
	html(r->out, "<br><small>");
	commit_message_id(r, p->message_id);
	html(r->out, "</small>");
	if (p->asked)
		html(r->out, " <span class=\"badge\">this mail</span>");
	html(r->out, "<td>");
	if (p->base)
		html_link_class(r->out, "commit", url_commit(a, p->base), compare_name(a, p->base));
	else
		html(r->out, "<span class=\"muted\">not told</span>");
	html(r->out, "<td>");
	if (p->sentence)
		html(r->out, "%s", p->sentence);
	else if (p->measured)
		html_link(r->out, url_commit(a, p->commit.name), "measured, see the commit");
	else
		html(r->out, "<span class=\"muted\">not measured</span>");
	if (p->measured && p->base) {
		html(r->out, "<br>");
		html_link(r->out,
			  url_compare(a, arena_fmt(a, "%s,%s", p->base, p->commit.name), NULL),
			  "against its base");
	}
	write_recovered(r, p);
	html(r->out, "\n");
}

static void write_version(struct req *r, const struct patch_page *p, int64_t version)
{
	html(r->out,
	     "<h2 id=\"v%" PRId64 "\">Version %" PRId64
	     "</h2>\n<table class=\"patch\">\n<thead><tr><th scope=\"col\" class=\"num\">Part"
	     "<th scope=\"col\">Patch<th scope=\"col\">Base<th scope=\"col\">Results</thead>\n"
	     "<tbody>\n",
	     version, version);
	for (size_t i = 0; i < p->nparts; i++)
		if (p->parts[i].version == version)
			write_part(r, &p->parts[i]);
	html(r->out, "</tbody></table>\n");
}

static void write_interdiff(struct req *r, const struct patch_step *s)
{
	const struct interdiff *d = &s->interdiff;

	if (!s->has_diffs) {
		html(r->out, "<p class=\"muted\">The diffs of both versions are not known here, so "
			     "they cannot be held against each other.</p>\n");
		return;
	}
	if (!d->different) {
		html(r->out, "<p>Both versions change the same lines in the same way.</p>\n");
		return;
	}
	html(r->out,
	     "<details class=\"diff\"><summary>What v%" PRId64 " does differently%s</summary>\n",
	     s->after->version, d->cut ? ", cut" : "");
	commit_diff_html(r, d->lines, d->n);
	if (d->cut)
		html(r->out, "<p class=\"cut\">There is more, or a file changed too much to be "
			     "compared line by line.</p>\n");
	html(r->out, "</details>\n");
}

static void write_step(struct req *r, const struct patch_step *s)
{
	struct arena *a = r->ctx.arena;
	struct url *u;

	html(r->out, "<h3>v%" PRId64 " and v%" PRId64 "%s%s</h3>\n", s->before->version,
	     s->after->version, s->after->subject ? ": " : "",
	     s->after->subject ? s->after->subject : "");
	write_kept(r, s->kept, s->nkept);
	if (s->compare) {
		html(r->out, "<p>");
		u = url_path(a, "/compare");
		url_param(a, u, "pairs", s->compare);
		html_link(r->out, u, "Each version against its own base");
		if (s->one_base) {
			html(r->out, " · ");
			html_link(r->out,
				  url_compare(a,
					      arena_fmt(a, "%s,%s,%s", s->before->base,
							s->before->commit.name,
							s->after->commit.name),
					      NULL),
				  "both against their common base");
		}
		html(r->out, "</p>\n");
	}
	write_interdiff(r, s);
}

static void write_in_git(struct req *r, const struct linked_list *l)
{
	struct arena *a = r->ctx.arena;

	if (l->n == 0)
		return;
	html(r->out, "<h2 id=\"git\">In git</h2>\n<ul>\n");
	for (size_t i = 0; i < l->n; i++) {
		const struct linked *x = &l->list[i];

		html(r->out, "<li>");
		html_link_class(r->out, "commit", url_commit(a, x->commit.id),
				arena_strn(a, x->commit.id, 12));
		html(r->out, " <span class=\"subject\">%s</span>", x->commit.subject);
		for (size_t k = 0; k < x->where.n; k++) {
			const struct position_tree *t = &x->where.trees[k];

			html(r->out, "%s%s%s%s%s", k ? ", " : " in ", t->tree,
			     t->ntags ? " (since " : "", t->ntags ? t->tags[0] : "",
			     t->ntags ? ")" : "");
		}
		html(r->out, "\n");
	}
	html(r->out, "</ul>\n");
}

const struct compare_kept *patch_page_first(const struct patch_page *p)
{
	const struct compare_kept *first = NULL;

	if (p->nsteps && p->steps[0].nkept)
		return &p->steps[0].kept[0];
	for (size_t i = p->nparts; i-- > 0;)
		if (p->parts[i].nrecovered && (!first || p->parts[i].asked))
			first = &p->parts[i].recovered[0].kept[0];
	return first;
}

static void write_lead(struct req *r, const struct patch_page *p)
{
	const struct compare_kept *first = patch_page_first(p);
	struct arena *a = r->ctx.arena;

	html(r->out, "<p class=\"lead\">");
	if (first && first->by)
		html(r->out, "%s: %s%s%s. ", compare_kept_place(a, first),
		     compare_kept_words(a, first), compare_kept_interval(a, first),
		     compare_kept_fix(a, first));
	else if (first)
		html(r->out, "%s%s of %s. ", compare_kept_words(a, first),
		     compare_kept_interval(a, first), compare_kept_place(a, first));
	else if (p->nparts)
		html(r->out, "%s of it %s tested here. ",
		     part_count(a, (int64_t)p->nparts, "patch"), p->nparts == 1 ? "was" : "were");
	else
		html(r->out, "It was not tested as a patch. ");
	html(r->out, "Mail ");
	commit_message_id(r, p->message_id);
	html(r->out, "</p>\n");
}

int patch_page_html(struct req *r, const struct patch_page *p)
{
	req_page_begin(r, p->subject ? p->subject : p->message_id, NULL);
	write_lead(r, p);
	if (p->nsteps)
		html(r->out, "<h2 id=\"versions\">Version against version</h2>\n");
	for (size_t i = 0; i < p->nsteps; i++)
		write_step(r, &p->steps[i]);
	if (p->nsteps < p->steps_seen)
		html(r->out, "<p class=\"cut\">%zu more parts are not compared here.</p>\n",
		     p->steps_seen - p->nsteps);
	for (size_t i = p->nparts; i-- > 0;)
		if (i + 1 == p->nparts || p->parts[i].version != p->parts[i + 1].version)
			write_version(r, p, p->parts[i].version);
	if (p->cut)
		html(r->out, "<p class=\"cut\">There are more parts than are shown.</p>\n");
	write_in_git(r, &p->in_git);
	return req_page_end(r, 200);
}
