/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to an error, in the form that was asked for: problem+json (RFC 9457) for programs, a
 * page with a way on for people, text for the rest. What went wrong inside stays in the log; the
 * client gets the request's number.
 */
#include "server/pages/req.h"

#include "server/view/html.h"
#include "server/view/json.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static const char *detail_of(const struct req *r, int status)
{
	const struct ctx *c = &r->ctx;

	if (status == 500)
		return arena_fmt(
			c->arena,
			"Something went wrong here, not with your request. It is in the log "
			"as request %s.",
			r->id ? r->id : "?");
	if (c->faults_seen > 1 && status != 300)
		return arena_fmt(c->arena, "%zu things are wrong%s", c->faults_seen,
				 c->faults_seen > c->nfaults ? "; the first are listed" : "");
	return c->detail[0] ? c->detail : err_title(status);
}

static void error_json(struct req *r, int status)
{
	const struct ctx *c = &r->ctx;
	struct jw w;

	r->answer_type = "application/problem+json";
	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "type", "about:blank");
	jw_str(&w, "title", err_title(status));
	jw_int(&w, "status", status);
	jw_str(&w, "detail", detail_of(r, status));
	jw_arr(&w, "errors");
	for (size_t i = 0; status != 500 && i < c->nfaults; i++) {
		const struct fault *f = &c->faults[i];
		jw_obj(&w, NULL);
		if (f->item < 0)
			jw_null(&w, "item");
		else
			jw_int(&w, "item", f->item);
		jw_str(&w, "path", f->path);
		jw_str(&w, "message", f->message);
		jw_end(&w);
	}
	jw_end(&w);
	jw_str(&w, "request", r->id);
	jw_end(&w);
	out_char(r->out, '\n');
}

/* "item 2: axes.testcase: " before a message. */
static const char *fault_place(struct arena *a, const struct fault *f)
{
	const char *item = f->item < 0 ? "" : arena_fmt(a, "item %ld: ", f->item);

	return arena_fmt(a, "%s%s%s", item, f->path, f->path[0] ? ": " : "");
}

static void error_text(struct req *r, int status)
{
	const struct ctx *c = &r->ctx;

	r->answer_type = "text/plain; charset=utf-8";
	out_fmt(r->out, "%d %s: %s\n", status, err_title(status), detail_of(r, status));
	for (size_t i = 0; status != 500 && i < c->nfaults; i++)
		out_fmt(r->out, "%s%s\n", fault_place(c->arena, &c->faults[i]),
			c->faults[i].message);
}

static void error_html(struct req *r, int status)
{
	const struct ctx *c = &r->ctx;
	struct out *o = r->out;

	r->answer_type = "text/html; charset=utf-8";
	r->forms = 0; /* an error has no other form worth a link */
	req_page_begin(r, arena_fmt(c->arena, "%d %s", status, err_title(status)), NULL);
	html(o, "<p>%s</p>\n", detail_of(r, status));
	if (status != 500 && c->nfaults > 0) {
		html(o, "<ul>\n");
		for (size_t i = 0; i < c->nfaults; i++)
			html(o, "<li>%s%s</li>\n", fault_place(c->arena, &c->faults[i]),
			     c->faults[i].message);
		html(o, "</ul>\n");
	}
	html(o,
	     "<form action=\"/search\"><p><label>Look for a commit, a metric, a test or a machine: "
	     "<input type=\"search\" name=\"q\"></label> <button>Search</button></p></form>\n<p>");
	html_link(o, url_home(c->arena), "Home");
	html(o, " · ");
	html_link(o, url_path(c->arena, "/help/reading"), "How to read a table");
	html(o, "</p>\n");
	layout_end(o);
}

void req_error(struct req *r, int status)
{
	out_truncate(r->out, 0);
	r->out->failed = false;
	r->filename = NULL;
	r->no_store = true;
	if (r->form == FORM_JSON)
		error_json(r, status);
	else if (r->form == FORM_HTML)
		error_html(r, status);
	else
		error_text(r, status);
}
