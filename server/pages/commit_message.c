/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The message of a commit as HTML: as it was written, with links where a text leads somewhere for
 * certain, and its trailers once more as fields.
 */
#include "server/pages/commit_page.h"

#include "server/model/commit.h"
#include "server/model/commit_text.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/url.h"

struct url *commit_lore_url(struct arena *a, const char *message_id)
{
	size_t n = strlen(message_id);

	if (n > 2 && message_id[0] == '<' && message_id[n - 1] == '>')
		message_id = arena_strn(a, message_id + 1, n - 2);
	if (!*message_id || message_id[strcspn(message_id, "/?#<>\"%\\")])
		return NULL;
	return url_external(a, arena_fmt(a, "https://lore.kernel.org/r/%s", message_id));
}

void commit_message_id(struct req *r, const char *message_id)
{
	struct url *u = commit_lore_url(r->ctx.arena, message_id);

	if (u)
		html_link(r->out, u, message_id);
	else
		html(r->out, "%s", message_id);
}

static void write_piece(struct req *r, const struct text_piece *t)
{
	struct arena *a = r->ctx.arena;
	struct url *u = NULL;

	if (t->kind == TEXT_ADDRESS)
		u = url_external(a, t->target);
	else if (t->kind == TEXT_COMMIT)
		u = url_commit(a, t->target);
	else if (t->kind == TEXT_MAIL)
		u = commit_lore_url(a, t->target);
	if (u)
		html_link(r->out, u, arena_strn(a, t->s, t->n));
	else
		html_text(r->out, t->s, t->n);
}

static int write_text(struct req *r, const char *text)
{
	struct text_piece *list;
	size_t n;
	int e = commit_text_cut(&r->ctx, text, &list, &n);

	for (size_t i = 0; i < n && e >= 0; i++)
		write_piece(r, &list[i]);
	return e;
}

/* "3 Cc, 2 Signed-off-by" */
static const char *trailer_counts(struct arena *a, const struct commit_page *p)
{
	const char *text = "";

	for (size_t i = 0; i < p->ntrailers; i++) {
		size_t n = 0;
		bool first = true;

		for (size_t k = 0; k < p->ntrailers; k++) {
			bool same = strcmp(p->trailers[k].name, p->trailers[i].name) == 0;

			n += same;
			first = first && !(same && k < i);
		}
		if (first)
			text = arena_fmt(a, "%s%s%zu %s", text, *text ? ", " : "", n,
					 p->trailers[i].name);
	}
	return text;
}

static int write_trailers(struct req *r, const struct commit_page *p)
{
	int e = E_OK;

	if (p->ntrailers == 0)
		return E_OK;
	html(r->out,
	     "<details class=\"trailers\"><summary>Trailers: %s</summary>\n"
	     "<table class=\"pairs\">\n",
	     trailer_counts(r->ctx.arena, p));
	for (size_t i = 0; i < p->ntrailers && e >= 0; i++) {
		html(r->out, "<tr><th scope=\"row\">%s<td>", p->trailers[i].name);
		e = write_text(r, p->trailers[i].value);
		html(r->out, "\n");
	}
	html(r->out, "</table>\n</details>\n");
	return e;
}

int commit_message_html(struct req *r, const struct commit_page *p)
{
	int e;

	html(r->out, "<pre class=\"message\">");
	e = write_text(r, p->commit.message);
	html(r->out, "</pre>\n");
	return e < 0 ? e : write_trailers(r, p);
}
