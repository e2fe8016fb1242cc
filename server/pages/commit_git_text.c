/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What git tells of a commit, for a terminal: links and places, files, diff. */
#include "server/pages/commit_page.h"

#include <inttypes.h>

#include "server/base/utf8.h"
#include "server/model/commit_git.h"

void commit_plain(struct out *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(s + i, n - i);
		unsigned char c = (unsigned char)s[i];

		if (len == 0 || (c < 0x20 && c != '\t') || c == 0x7f || utf8_is_c1(s + i) ||
		    utf8_turns_text(s + i))
			out_char(o, '?');
		else
			out_bytes(o, s + i, len);
		i += len ? len : 1;
	}
}

static void plain(struct out *o, const char *s)
{
	commit_plain(o, s, strlen(s));
}

static void write_where(struct out *o, const struct position *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct position_tree *t = &p->trees[i];

		out_str(o, i ? ", " : " [");
		plain(o, t->tree);
		if (t->ntags) {
			out_char(o, ' ');
			plain(o, t->tags[0]);
		}
		if (t->gone_in) {
			out_str(o, " to ");
			plain(o, t->last_tag);
		}
	}
	if (p->n)
		out_char(o, ']');
}

static void write_links(struct out *o, const char *label, const struct linked_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct linked *x = &l->list[i];

		out_fmt(o, "%s ", label);
		if (x->commit.position) {
			out_bytes(o, x->commit.id, 12);
			out_char(o, ' ');
			plain(o, x->commit.subject);
			write_where(o, &x->where);
		} else {
			plain(o, x->target);
		}
		out_char(o, '\n');
	}
}

static void write_same(struct out *o, const struct commit_git *g)
{
	for (size_t i = 0; i < g->nsame; i++) {
		const struct same_change *s = &g->same[i];
		const struct linked *x = s->linked;

		out_fmt(o, "same   %.12s", x->commit.position ? x->commit.id : x->target);
		write_where(o, &x->where);
		out_fmt(o, " (%s): ", same_how_name(x->how));
		if (s->sentence)
			plain(o, s->sentence);
		else
			out_str(o, s->measured ? "measured" : "not measured");
		out_char(o, '\n');
	}
}

static void write_files(struct out *o, const struct object_commit *k)
{
	out_char(o, '\n');
	for (size_t i = 0; i < k->nfiles; i++) {
		const struct object_file *f = &k->files[i];

		if (f->added < 0)
			out_fmt(o, " %15s ", f->unread ? "too large" : "binary");
		else
			out_fmt(o, " %+7" PRId64 " %+7" PRId64 " ", f->added, -f->removed);
		if (f->old_path) {
			plain(o, f->old_path);
			out_str(o, " => ");
		}
		plain(o, f->path);
		out_char(o, '\n');
	}
	if (k->files_seen)
		out_fmt(o, " %zu %s changed, %" PRId64 " lines added, %" PRId64 " removed%s\n",
			k->files_seen, k->files_seen == 1 ? "file" : "files", k->added, k->removed,
			k->unread ? " and more" : "");
}

static void write_diff(struct out *o, const struct object_commit *k)
{
	for (size_t i = 0; i < k->nlines; i++) {
		const struct diff_line *l = &k->lines[i];

		if (l->kind == 'f')
			out_str(o, "\n=== ");
		else if (l->kind != '@')
			out_char(o, l->kind);
		commit_plain(o, l->text, l->n);
		out_char(o, '\n');
	}
	if (k->cut)
		out_fmt(o, "\nThe diff is not whole: %s.\n", k->cut);
}

void commit_git_txt(struct out *o, const struct commit_git *g)
{
	if (g->position.describe) {
		out_str(o, "at     ");
		plain(o, g->position.describe);
		out_char(o, '\n');
	}
	if (g->position.n) {
		out_str(o, "in    ");
		write_where(o, &g->position);
		out_char(o, '\n');
	}
	if (g->gone) {
		out_str(o, "gone   it ");
		plain(o, g->gone);
		out_char(o, '\n');
	}
	write_links(o, "fixes ", &g->links.fixes);
	write_links(o, "fixed by", &g->links.fixed_by);
	write_links(o, "reverts", &g->links.reverts);
	write_links(o, "reverted by", &g->links.reverted_by);
	write_same(o, g);
	if (g->has_before)
		out_fmt(o, "nearest measured commit before it: %s\n", g->before.name);
	if (g->has_after)
		out_fmt(o, "first measured commit after it: %s\n", g->after.name);
	if (g->object.problem) {
		out_str(o, "\nIts files cannot be shown: ");
		plain(o, g->object.problem);
		out_str(o, ".\n");
		return;
	}
	write_files(o, &g->object);
	write_diff(o, &g->object);
}
