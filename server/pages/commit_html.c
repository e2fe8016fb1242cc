/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit page as HTML: who and what it is, how it was built, which reports named it. What was
 * measured stands in commit_results.c. Everything here came from outside; only html() writes it.
 */
#include "server/pages/commit_page.h"

#include <inttypes.h>
#include <math.h>

#include "server/base/clock.h"
#include "server/model/commit_git.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define WARNINGS_SHOWN 100

static void write_person(struct req *r, const char *label, const struct person *p)
{
	if (!p->name && !p->email)
		return;
	html(r->out, "<tr><th scope=\"row\">%s<td>%s", label, p->name ? p->name : "");
	if (p->email)
		html(r->out, " &lt;%s&gt;", p->email);
	if (p->date != TIME_NONE) {
		html(r->out, ", ");
		layout_time(r->out, p->date);
	}
	html(r->out, "\n");
}

static void write_commits(struct req *r, const char *label, const struct commit *list, size_t n)
{
	if (n == 0)
		return;
	html(r->out, "<tr><th scope=\"row\">%s<td>", label);
	for (size_t i = 0; i < n; i++) {
		if (i)
			html(r->out, "<br>");
		part_commit(r, &list[i]);
	}
	html(r->out, "\n");
}

static void write_patch(struct req *r, const struct patch_in *p)
{
	if (!p->given)
		return;
	html(r->out, "<tr><th scope=\"row\">Patch under test<td>");
	if (p->message_id)
		commit_message_id(r, p->message_id);
	if (p->version > 0)
		html(r->out, " version %" PRId64, p->version);
	if (p->index >= 0 && p->total > 0)
		html(r->out, " part %" PRId64 " of %" PRId64, p->index, p->total);
	if (p->base) {
		html(r->out, " on base ");
		html_link(r->out, url_commit(r->ctx.arena, p->base), p->base);
	}
	if (p->message_id) {
		html(r->out, " · ");
		html_link(r->out, url_patch(r->ctx.arena, p->message_id), "all versions of it");
	}
	html(r->out, "\n");
}

static void write_facts(struct req *r, const struct commit_page *p)
{
	const struct commit *k = &p->commit;

	html(r->out, "<table class=\"pairs\">\n<tr><th scope=\"row\">%s<td><code>%s</code>\n",
	     k->kind == COMMIT_REF    ? "Name"
	     : k->kind == COMMIT_STUB ? "Id, as far as it is known"
				      : "Id",
	     k->name);
	if (p->git && strcmp(p->git->id, k->name) != 0)
		html(r->out, "<tr><th scope=\"row\">Commit<td><code>%s</code>\n", p->git->id);
	if (k->label)
		html(r->out, "<tr><th scope=\"row\">Label<td>%s\n", k->label);
	write_person(r, "Author", &k->author);
	write_person(r, "Committer", &k->committer);
	if (k->date != TIME_NONE && k->committer.date == TIME_NONE) {
		html(r->out, "<tr><th scope=\"row\">Date<td>");
		layout_time(r->out, k->date);
		html(r->out, "\n");
	}
	write_commits(r, p->nparents > 1 ? "Parents" : "Parent", p->parents, p->nparents);
	write_commits(r, p->nchildren > 1 ? "Children" : "Child", p->children, p->nchildren);
	if (k->kind == COMMIT_REF && *k->tree)
		html(r->out, "<tr><th scope=\"row\">Tree<td>%s\n", k->tree);
	else if (k->trees)
		html(r->out, "<tr><th scope=\"row\">Trees<td>%s\n", k->trees);
	if (p->git)
		commit_git_facts(r, p->git);
	write_patch(r, &k->patch);
	if (k->first_received != TIME_NONE) {
		html(r->out, "<tr><th scope=\"row\">First seen here<td>");
		layout_time(r->out, k->first_received);
		html(r->out, "\n");
	}
	html(r->out, "</table>\n");
	if (k->kind == COMMIT_STUB && !p->git)
		html(r->out,
		     "<p class=\"note\">Only the beginning of this commit's id is known. It is "
		     "completed when an upload names the whole.</p>\n");
}

static void write_build(struct req *r, const struct build *b, size_t *shown)
{
	html(r->out, "<h3>Build%s%s%s%s%s%s</h3>\n", b->config ? " " : "",
	     b->config ? b->config : "", b->compiler ? " with " : "",
	     b->compiler ? b->compiler : "", b->status ? ": " : "", b->status ? b->status : "");
	if (b->nwarnings == 0) {
		html(r->out, "<p>No warnings were reported.</p>\n");
		return;
	}
	if (*shown == WARNINGS_SHOWN)
		return;
	html(r->out, "<ul class=\"warnings\">\n");
	for (size_t i = 0; i < b->nwarnings && *shown < WARNINGS_SHOWN; i++, ++*shown) {
		const struct warning *x = &b->warnings[i];

		bool placed = x->file || x->line >= 0 || x->column >= 0;

		html(r->out, "<li>");
		if (placed)
			html(r->out, "<code>");
		if (x->file)
			html(r->out, "%s:", x->file);
		if (x->line >= 0)
			html(r->out, "%" PRId64 ":", x->line);
		if (x->column >= 0)
			html(r->out, "%" PRId64 ":", x->column);
		if (placed)
			html(r->out, "</code> ");
		html(r->out, "%s\n", x->message);
	}
	html(r->out, "</ul>\n");
}

static void write_builds(struct req *r, const struct commit_page *p)
{
	size_t shown = 0;

	if (p->nbuilds == 0)
		return;
	html(r->out, "<h2 id=\"builds\">Builds and their warnings</h2>\n");
	for (size_t i = 0; i < p->nbuilds; i++)
		write_build(r, &p->builds[i], &shown);
	if (shown < p->nwarnings)
		html(r->out,
		     "<p class=\"cut\">%zu more warnings are in the JSON form of this page.</p>\n",
		     p->nwarnings - shown);
}

static void write_claim(struct req *r, const struct report *x)
{
	struct arena *a = r->ctx.arena;

	if (!x->metric)
		return;
	html(r->out, "<br>It claimed");
	if (x->verdict)
		html(r->out, " <b>%s</b>", x->verdict);
	html(r->out, " of ");
	html_link(r->out, url_metric(a, x->metric), x->metric);
	if (!isnan(x->change_pct)) {
		html(r->out, ", ");
		layout_percent(r->out, x->change_pct);
	}
	if (x->base) {
		html(r->out, ", against ");
		html_link(r->out, url_commit(a, x->base), x->base);
	}
	html(r->out, ".");
}

static void write_reports(struct req *r, const struct commit_page *p)
{
	if (p->nreports == 0)
		return;
	html(r->out, "<h2 id=\"reports\">Reports that named it</h2>\n<ul>\n");
	for (size_t i = 0; i < p->nreports; i++) {
		const struct report *x = &p->reports[i];
		struct url *u = x->url ? url_external(r->ctx.arena, x->url) : NULL;
		const char *title = x->subject ? x->subject : "a report without a subject";

		html(r->out, "<li>");
		if (x->date != TIME_NONE) {
			layout_time(r->out, x->date);
			html(r->out, " ");
		}
		if (u)
			html_link(r->out, u, title);
		else
			html(r->out, "%s", title);
		if (x->message_id) {
			html(r->out, " ");
			commit_message_id(r, x->message_id);
		}
		write_claim(r, x);
		html(r->out, "\n");
	}
	html(r->out, "</ul>\n");
}

int commit_page_html(struct req *r, const struct commit_page *p)
{
	struct arena *a = r->ctx.arena;
	const struct commit *k = &p->commit;
	const char *title = commit_short(a, k);
	int e = E_OK;

	if (k->subject)
		title = arena_fmt(a, "%s %s", title, k->subject);
	req_page_begin(r, title, NULL);
	html(r->out, "<p class=\"lead\">In short: %s.</p>\n", p->sentence);
	if (p->nwarnings) {
		html(r->out, "<p class=\"note\"><a href=\"#builds\">Building it gave %s.</a></p>\n",
		     part_count(a, (int64_t)p->nwarnings, "warning"));
	}
	if (p->git)
		commit_git_notes(r, p->git);
	commit_page_results(r, p);
	if (p->git)
		commit_git_same(r, p->git);
	html(r->out, "<h2 id=\"commit\">The commit</h2>\n");
	write_facts(r, p);
	if (k->message)
		e = commit_message_html(r, p);
	else if (!k->subject && p->nparents == 0)
		html(r->out, "<p class=\"empty\">Nothing but its name was uploaded yet.</p>\n");
	if (e < 0)
		return e;
	if (p->git)
		commit_git_files(r, p->git);
	write_builds(r, p);
	write_reports(r, p);
	return req_page_end(r, 200);
}
