/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /metric/<name>, /metric?name= - what a metric means, which direction is good and which rule
 * says so, and where it is measured. HTML and JSON. Parameters: limit, cursor (series ids above).
 */
#include "server/pages/pages.h"

#include "db/metrics.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

struct metric_place {
	struct series series;
	const char *unit; /* there; NULL */
	enum metric_role role;
};

struct metric_page {
	const struct metric *metric;
	struct metric_place *places;
	size_t n;
	int64_t next;
};

static int load(struct ctx *c, const struct page_cut *cut, struct metric_page *p)
{
	const struct metric *m = p->metric;
	int64_t *ids;
	size_t n;
	int e = metric_series(c, m->id, cut->cursor, cut->limit + 1, &ids, &n);

	if (e < 0)
		return e;
	p->next = -1;
	if (n > cut->limit) {
		n = cut->limit;
		p->next = ids[n - 1];
	}
	p->places = arena_array(c->arena, struct metric_place, n);
	p->n = n;
	for (size_t i = 0; i < n; i++) {
		struct metric_place *x = &p->places[i];

		e = series_get_id(c, ids[i], &x->series);
		if (e >= 0)
			e = series_count(c, &x->series);
		if (e >= 0)
			e = series_unit(c, ids[i], m->id, &x->unit);
		if (e < 0)
			return e;
		if (!x->unit)
			x->unit = m->facts.unit;
		x->role = metric_role_in(&m->facts, m->name, x->series.testcase);
	}
	return E_OK;
}

static void write_json(struct req *r, const struct metric_page *p)
{
	const struct metric_facts *f = &p->metric->facts;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "name", p->metric->name);
	jw_str(&w, "unit", f->unit);
	jw_str(&w, "direction", direction_name(f->direction));
	jw_str(&w, "kind", kind_name(f->kind));
	jw_str(&w, "meaning", f->meaning);
	jw_str(&w, "rule", *f->rule ? f->rule : NULL);
	jw_arr(&w, "series");
	for (size_t i = 0; i < p->n; i++) {
		jw_obj(&w, NULL);
		part_json_series_keys(&w, &p->places[i].series, true);
		jw_str(&w, "unit", p->places[i].unit);
		jw_str(&w, "role", role_name(p->places[i].role));
		jw_end(&w);
	}
	jw_end(&w);
	part_json_next(&w, p->next);
	jw_end(&w);
}

static const char *kind_words(enum metric_kind k)
{
	switch (k) {
	case KIND_PERCENT:
		return "a percentage or a share: two commits are compared by their difference in "
		       "points";
	case KIND_FUNCTIONAL:
		return "a failure count: two commits are compared by how many of their runs failed";
	case KIND_VALUE:
		break;
	}
	return "a quantity: two commits are compared in percent of the base";
}

static void write_facts(struct req *r, const struct metric_page *p)
{
	const struct metric_facts *f = &p->metric->facts;

	if (f->meaning)
		html(r->out, "<p class=\"lead\">%s</p>\n", f->meaning);
	else
		html(r->out,
		     "<p class=\"empty\">What this metric means was not written down yet; its name "
		     "is the one the test or the monitor gave it.</p>\n");
	html(r->out, "<table class=\"pairs\">\n<tr><th scope=\"row\">Direction<td><b>%s</b>",
	     direction_words(f->direction));
	if (f->direction == DIRECTION_NONE)
		html(r->out, "; a change of it is shown, but never called a regression");
	html(r->out, "\n<tr><th scope=\"row\">Rule that says so<td>");
	if (*f->rule)
		html(r->out, "names like <code>%s</code>", f->rule);
	else
		html(r->out, "none: no rule knows this name");
	html(r->out,
	     "\n<tr><th scope=\"row\">Unit<td>%s\n<tr><th scope=\"row\">Kind<td>%s\n</table>\n",
	     f->unit ? f->unit : "not known from the name; an upload can tell it",
	     kind_words(f->kind));
}

static void write_places(struct req *r, const struct metric_page *p)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<h2>Where it is measured</h2>\n");
	if (p->n == 0) {
		html(r->out, "<p class=\"empty\">In no series%s.</p>\n",
		     p->next < 0 ? "" : " of this part of the list");
		return;
	}
	html(r->out,
	     "<table class=\"series\">\n<thead><tr><th scope=\"col\">Series"
	     "<th scope=\"col\">Setup<th scope=\"col\">Role<th scope=\"col\">Unit"
	     "<th scope=\"col\">Last upload<th scope=\"col\">Over commits</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct metric_place *x = &p->places[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_series(a, x->series.digest),
			  part_series_title(a, &x->series));
		html(r->out, "<td class=\"setup\">%s<td>%s<td>%s<td>",
		     part_series_rest(a, &x->series), role_name(x->role), x->unit ? x->unit : "–");
		layout_time(r->out, x->series.last_upload);
		html(r->out, "<td>");
		html_link(r->out, url_history(a, x->series.digest, p->metric->name), "history");
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
	part_pager(r, p->next);
}

/* 404 that names what is like it. */
static int answer_unknown(struct req *r, const char *name)
{
	const struct metric **like;
	size_t n;
	int e;

	if (r->form != FORM_HTML)
		return fail(&r->ctx, E_NOTFOUND, "no metric is called \"%.200s\"", name);
	e = metric_search(&r->ctx, name, 20, &like, &n);
	if (e < 0)
		return e;
	r->forms = 0; /* an error has no other form worth a link */
	req_page_begin(r, "Unknown metric", NULL);
	html(r->out, "<p>No metric is called <b>%s</b>.</p>\n", name);
	if (n)
		html(r->out, "<p>Names that contain it:</p>\n<ul>\n");
	for (size_t i = 0; i < n; i++) {
		html(r->out, "<li>");
		html_link(r->out, url_metric(r->ctx.arena, like[i]->name), like[i]->name);
		html(r->out, "\n");
	}
	if (n)
		html(r->out, "</ul>\n");
	html(r->out, "<p>");
	html_link(r->out, url_search(r->ctx.arena, name), "Search for it");
	html(r->out, "</p>\n");
	return req_page_end(r, 404);
}

int page_metric(struct req *r)
{
	const char *name = req_name(r, 0, "name");
	struct page_cut cut = part_page_cut(r, 100, 0);
	struct metric_page p = {.next = -1};
	int e = req_status(r);

	if (e >= 0 && !name)
		e = fail(&r->ctx, E_NOTFOUND, "name a metric: /metric?name=hackbench.throughput");
	if (e < 0)
		return e;
	p.metric = metric_by_name(&r->ctx, name);
	if (!p.metric)
		return r->ctx.err < 0 ? (int)r->ctx.err : answer_unknown(r, name);
	e = load(&r->ctx, &cut, &p);
	if (e < 0)
		return e;
	if (r->form == FORM_JSON) {
		write_json(r, &p);
		return 200;
	}
	req_page_begin(r, p.metric->name, NULL);
	write_facts(r, &p);
	write_places(r, &p);
	return req_page_end(r, 200);
}
