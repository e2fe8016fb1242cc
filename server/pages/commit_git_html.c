/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What git tells of a commit, as HTML: what fixes it, where it is in, the same change elsewhere and
 * what was measured there, its files and its diff. All of it came from outside; long lists are cut
 * and say so.
 */
#include "server/pages/commit_page.h"

#include <inttypes.h>

#include "server/model/commit_git.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define NAMES_SHOWN 8  /* branches and tags of a tree */
#define BAR_LENGTH  24 /* of the bars in the list of files */

/* Commits ----------------------------------------------------------------------------------------
 */

static void write_linked(struct req *r, const struct linked *x)
{
	struct arena *a = r->ctx.arena;

	if (!x->commit.position) {
		html(r->out, "<code>%s</code>", x->target);
		return;
	}
	html_link_class(r->out, "commit", url_commit(a, x->commit.id),
			arena_strn(a, x->commit.id, 12));
	html(r->out, " <span class=\"subject\">%s</span>", x->commit.subject);
}

/* "mainline (v6.6-rc3), stable (v6.5.6)": the trees that have it, each with the first tag. */
static void write_where(struct req *r, const struct position *where)
{
	for (size_t i = 0; i < where->n; i++) {
		const struct position_tree *t = &where->trees[i];

		html(r->out, "%s%s", i ? ", " : "", t->tree);
		if (t->gone_in)
			html(r->out, " (%s to %s, gone since)", t->tags[0], t->last_tag);
		else if (t->ntags)
			html(r->out, " (since %s)", t->tags[0]);
		else
			html(r->out, " (not in a tag yet)");
	}
}

static void write_note(struct req *r, const char *words, const struct linked_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		html(r->out, "<p class=\"note\"><strong>%s</strong> ", words);
		write_linked(r, &l->list[i]);
		if (l->list[i].where.n) {
			html(r->out, ", in ");
			write_where(r, &l->list[i].where);
		}
		html(r->out, "</p>\n");
	}
}

void commit_git_notes(struct req *r, const struct commit_git *g)
{
	if (g->gone)
		html(r->out, "<p class=\"warn\">It %s.</p>\n", g->gone);
	write_note(r, "Fixed by", &g->links.fixed_by);
	write_note(r, "Reverted by", &g->links.reverted_by);
}

/* The same change elsewhere ----------------------------------------------------------------------
 */

static void write_same_verdict(struct req *r, const struct same_change *s)
{
	struct arena *a = r->ctx.arena;

	if (!s->measured) {
		html(r->out, "<span class=\"muted\">not measured</span>");
		return;
	}
	if (s->metric) {
		part_verdict(r->out, s->verdict);
		html(r->out, " %s ", s->change);
		html_link(r->out, url_history(a, s->series, s->metric), s->metric);
		html(r->out, "<br>");
	}
	html(r->out, "<span class=\"reason\">%s</span>",
	     s->sentence ? s->sentence : "measured, see its own page");
}

void commit_git_same(struct req *r, const struct commit_git *g)
{
	if (g->nsame == 0)
		return;
	html(r->out,
	     "<h2 id=\"same\">The same change elsewhere</h2>\n<table class=\"same-change\">\n"
	     "<thead><tr><th scope=\"col\">Tree<th scope=\"col\">Commit"
	     "<th scope=\"col\">Why it is the same<th scope=\"col\">What was measured there"
	     "</thead>\n<tbody>\n");
	for (size_t i = 0; i < g->nsame; i++) {
		const struct linked *x = g->same[i].linked;

		html(r->out, "<tr><td>");
		write_where(r, &x->where);
		if (!x->where.n)
			html(r->out, "<span class=\"muted\">%s</span>",
			     x->commit.position ? "no branch or tag has it any more"
						: "in no tree that is followed");
		html(r->out, "<td>");
		write_linked(r, x);
		html(r->out, "<td>%s<td>", same_how_name(x->how));
		write_same_verdict(r, &g->same[i]);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
	if (g->links.same.cut)
		html(r->out, "<p class=\"cut\">There are more, which are not shown.</p>\n");
}

/* Facts ------------------------------------------------------------------------------------------
 */

/* Other trees may have other commits under these names, so the tree is part of the address. */
static void write_names(struct req *r, const char *tree, const char *const *names, size_t n,
			size_t seen, const char *noun)
{
	struct arena *a = r->ctx.arena;

	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) {
		html(r->out, "%s", i ? ", " : "");
		html_link(r->out, url_commit(a, arena_fmt(a, "%s/%s", tree, names[i])), names[i]);
	}
	if (seen > NAMES_SHOWN)
		html(r->out, " and %zu more %s", seen - NAMES_SHOWN, noun);
}

static void write_tree(struct req *r, const struct position_tree *t)
{
	html(r->out, "<tr><th scope=\"row\">In %s<td>", t->tree);
	if (t->ntags) {
		html(r->out, "%s ", t->snapshots ? "snapshots" : "since tag");
		write_names(r, t->tree, t->tags, t->ntags, t->tags_seen, "tags");
	} else {
		html(r->out, "no tag yet");
	}
	if (t->gone_in)
		html(r->out, "; gone since %s", t->gone_in);
	if (t->nbranches) {
		html(r->out, "; %s ", t->nbranches == 1 ? "branch" : "branches");
		write_names(r, t->tree, t->branches, t->nbranches, t->branches_seen, "branches");
	}
	html(r->out, "\n");
}

static void write_links(struct req *r, const char *label, const struct linked_list *l)
{
	if (l->n == 0)
		return;
	html(r->out, "<tr><th scope=\"row\">%s<td>", label);
	for (size_t i = 0; i < l->n; i++) {
		html(r->out, "%s", i ? "<br>" : "");
		write_linked(r, &l->list[i]);
		if (!l->list[i].commit.position)
			html(r->out, " <span class=\"muted\">not known here</span>");
	}
	if (l->cut)
		html(r->out, "<br>and more");
	html(r->out, "\n");
}

void commit_git_facts(struct req *r, const struct commit_git *g)
{
	if (g->position.describe)
		html(r->out, "<tr><th scope=\"row\">Position<td><code>%s</code>\n",
		     g->position.describe);
	for (size_t i = 0; i < g->position.n; i++)
		write_tree(r, &g->position.trees[i]);
	if (g->position.n == 0)
		html(r->out, "<tr><th scope=\"row\">In<td>no branch or tag that is followed\n");
	write_links(r, "Fixes", &g->links.fixes);
	write_links(r, "Reverts", &g->links.reverts);
	if (g->links.message_id) {
		html(r->out, "<tr><th scope=\"row\">Mail<td>");
		commit_message_id(r, g->links.message_id);
		html(r->out, " · ");
		html_link(r->out, url_patch(r->ctx.arena, g->links.message_id),
			  "all versions of the patch");
		html(r->out, "\n");
	}
}

/* Files and diff ---------------------------------------------------------------------------------
 */

/* "+++--", of the length of the largest change of all. */
static void write_bar(struct req *r, const struct object_file *f, int64_t largest)
{
	int64_t all = f->added + f->removed;
	int64_t length = largest > BAR_LENGTH ? (all * BAR_LENGTH + largest - 1) / largest : all;
	int64_t plus = all ? (f->added * length + all - 1) / all : 0;

	html(r->out, "<td class=\"bar\">");
	if (all <= 0)
		return;
	html(r->out, "<span class=\"diff-add\">");
	for (int64_t i = 0; i < plus; i++)
		out_char(r->out, '+');
	html(r->out, "</span><span class=\"diff-del\">");
	for (int64_t i = plus; i < length; i++)
		out_char(r->out, '-');
	html(r->out, "</span>");
}

static void write_file(struct req *r, const struct object_file *f, int64_t largest)
{
	html(r->out, "<tr><td><code>");
	if (f->old_path)
		html(r->out, "%s</code> → <code>", f->old_path);
	html(r->out, "%s</code>", f->path);
	if (f->submodule)
		html(r->out, " <span class=\"badge\">submodule</span>");
	if (f->added < 0) {
		html(r->out, "<td class=\"num\" colspan=\"2\">%s<td class=\"bar\">\n",
		     f->unread ? "too large to count" : "binary");
		return;
	}
	html(r->out, "<td class=\"num\">+%" PRId64 "<td class=\"num\">-%" PRId64, f->added,
	     f->removed);
	write_bar(r, f, largest);
	html(r->out, "\n");
}

void commit_diff_html(struct req *r, const struct diff_line *lines, size_t n)
{
	html(r->out, "<pre class=\"diff\">");
	for (size_t i = 0; i < n; i++) {
		const struct diff_line *l = &lines[i];

		switch (l->kind) {
		case 'f':
			html(r->out, "<b class=\"diff-file\">");
			break;
		case '@':
			html(r->out, "<span class=\"diff-hunk\">");
			break;
		case '+':
			html(r->out, "<span class=\"diff-add\">+");
			break;
		case '-':
			html(r->out, "<span class=\"diff-del\">-");
			break;
		default:
			html(r->out, "<span> ");
		}
		html_text(r->out, l->text, l->n);
		if (l->kind == 'f')
			html(r->out, "</b>\n");
		else
			html(r->out, "</span>\n");
	}
	html(r->out, "</pre>\n");
}

static void write_diff(struct req *r, const struct object_commit *o)
{
	if (o->nlines == 0)
		return;
	html(r->out, "<details class=\"diff\"><summary>The diff%s</summary>\n",
	     o->cut ? ", cut" : "");
	commit_diff_html(r, o->lines, o->nlines);
	if (o->cut)
		html(r->out, "<p class=\"cut\">The diff is not whole: %s.</p>\n", o->cut);
	html(r->out, "</details>\n");
}

void commit_git_files(struct req *r, const struct commit_git *g)
{
	const struct object_commit *o = &g->object;
	int64_t largest = 1;

	html(r->out, "<h2 id=\"files\">What it changed</h2>\n");
	if (o->problem) {
		html(r->out, "<p class=\"warn\">Its files cannot be shown: %s.</p>\n", o->problem);
		return;
	}
	if (o->files_seen == 0) {
		html(r->out, "<p class=\"empty\">No file%s.</p>\n",
		     o->nparents > 1 ? " against its first parent" : "");
		return;
	}
	html(r->out,
	     "<p>%zu %s, <span class=\"diff-add\">+%" PRId64
	     "</span> <span class=\"diff-del\">-%" PRId64 "</span> %s%s, read from %s.</p>\n",
	     o->files_seen, o->files_seen == 1 ? "file" : "files", o->added, o->removed,
	     o->unread ? "or more lines" : "lines",
	     o->nparents > 1    ? " against its first parent"
	     : o->nparents == 0 ? " (it has no parent)"
				: "",
	     o->tree);
	for (size_t i = 0; i < o->nfiles; i++)
		if (o->files[i].added + o->files[i].removed > largest)
			largest = o->files[i].added + o->files[i].removed;
	if (o->nfiles > 40)
		html(r->out, "<details><summary>All files</summary>\n");
	html(r->out, "<div class=\"scroll\"><table class=\"diffstat\">\n<thead><tr>"
		     "<th scope=\"col\">File<th scope=\"col\" class=\"num\">Added"
		     "<th scope=\"col\" class=\"num\">Removed<th scope=\"col\">Change</thead>\n"
		     "<tbody>\n");
	for (size_t i = 0; i < o->nfiles; i++)
		write_file(r, &o->files[i], largest);
	html(r->out, "</tbody></table></div>\n");
	if (o->nfiles > 40)
		html(r->out, "</details>\n");
	if (o->nfiles < o->files_seen)
		html(r->out, "<p class=\"cut\">%zu more files are not listed.</p>\n",
		     o->files_seen - o->nfiles);
	write_diff(r, o);
}
