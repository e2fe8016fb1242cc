/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /metric/<name>, /metric?name= - what a metric means, which direction is good and which rule
 * says so, what administrators said over it, and where it is measured. HTML and JSON. Parameters:
 * limit, cursor (series ids above).
 */
#include "server/pages/metric.h"

#include <math.h>

#include "server/pages/pages.h"
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
	struct metric_said said;
	struct metric_place *places;
	size_t n;
	int64_t next;
};

int metric_said_load(struct ctx *c, const struct metric *m, struct metric_said *out)
{
	int e = metric_override_get(c, m->id, &out->override);

	return e < 0 ? e
		     : metric_override_words(c, m->name, METRIC_WORDS_SHOWN, &out->words,
					     &out->nwords);
}

static int load(struct ctx *c, const struct page_cut *cut, struct metric_page *p)
{
	const struct metric *m = p->metric;
	int64_t *ids;
	size_t n;
	int e = metric_said_load(c, m, &p->said);

	if (e >= 0)
		e = metric_series(c, m->id, cut->cursor, cut->limit + 1, &ids, &n);
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

static void json_override(struct jw *w, const struct metric_said *said)
{
	const struct metric_override *o = &said->override;

	if (!metric_override_any(o)) {
		jw_null(w, "override");
		return;
	}
	jw_obj(w, "override");
	jw_str(w, "unit", o->unit);
	jw_str(w, "direction", o->has_direction ? direction_name(o->direction) : NULL);
	jw_str(w, "kind", o->has_kind ? kind_name(o->kind) : NULL);
	jw_str(w, "role", o->has_role ? role_name(o->role) : NULL);
	jw_num(w, "threshold_pct", o->threshold_pct);
	jw_num(w, "floor", o->floor);
	jw_time(w, "at", o->at);
	jw_str(w, "who", said->nwords ? said->words[0].who : NULL);
	jw_str(w, "what", said->nwords ? said->words[0].what : NULL);
	jw_end(w);
}

void metric_json_facts(struct jw *w, const struct metric *m, const struct metric_said *said)
{
	struct metric_facts by_name = metric_facts_of(m->name);

	jw_str(w, "name", m->name);
	jw_str(w, "unit", m->facts.unit);
	jw_str(w, "direction", direction_name(m->facts.direction));
	jw_str(w, "kind", kind_name(m->facts.kind));
	jw_str(w, "meaning", by_name.meaning);
	jw_str(w, "rule", *by_name.rule ? by_name.rule : NULL);
	jw_num(w, "threshold_pct", fmax(m->threshold_pct, RULE_POINTS));
	jw_num(w, "floor", m->floor > 0 ? m->floor : (double)NAN);
	json_override(w, said);
}

static void write_json(struct req *r, const struct metric_page *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	metric_json_facts(&w, p->metric, &p->said);
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

/* What is so because somebody said so. */
static void write_by(struct req *r, bool overridden)
{
	if (overridden)
		html(r->out, " <small>(set by an administrator)</small>");
}

static void write_threshold(struct req *r, const struct metric_page *p)
{
	const struct metric *m = p->metric;

	html(r->out, "\n<tr><th scope=\"row\">Smallest change that counts<td>");
	if (m->facts.kind == KIND_FUNCTIONAL) {
		html(r->out, "2 failed runs");
		return;
	}
	out_num(r->out, fmax(m->threshold_pct, RULE_POINTS));
	html(r->out, "%s", m->facts.kind == KIND_PERCENT ? " points" : " %");
	write_by(r, !isnan(p->said.override.threshold_pct));
	if (m->floor > 0) {
		html(r->out, "; from a base of 0, a value of at least ");
		out_num(r->out, m->floor);
		write_by(r, true);
	}
}

static void write_facts(struct req *r, const struct metric_page *p)
{
	const struct metric_facts *f = &p->metric->facts;
	const struct metric_override *o = &p->said.override;
	struct metric_facts by_name = metric_facts_of(p->metric->name);

	if (f->meaning)
		html(r->out, "<p class=\"lead\">%s</p>\n", f->meaning);
	else
		html(r->out,
		     "<p class=\"empty\">What this metric means was not written down yet; its name "
		     "is the one the test or the monitor gave it.</p>\n");
	html(r->out, "<table class=\"pairs\">\n<tr><th scope=\"row\">Direction<td><b>%s</b>",
	     direction_words(f->direction));
	write_by(r, o->has_direction);
	if (f->direction == DIRECTION_NONE)
		html(r->out, "; a change of it is shown, but never called a regression");
	html(r->out, "\n<tr><th scope=\"row\">Rule for its name<td>");
	if (*by_name.rule)
		html(r->out, "names like <code>%s</code>", by_name.rule);
	else
		html(r->out, "none: no rule knows this name");
	html(r->out, "\n<tr><th scope=\"row\">Unit<td>%s",
	     f->unit ? f->unit : "not known from the name; an upload can tell it");
	write_by(r, o->unit != NULL);
	html(r->out, "\n<tr><th scope=\"row\">Kind<td>%s", kind_words(f->kind));
	write_by(r, o->has_kind);
	if (f->has_role) {
		html(r->out, "\n<tr><th scope=\"row\">Role<td>%s in every test",
		     role_name(f->role));
		write_by(r, true);
	}
	write_threshold(r, p);
	html(r->out, "\n</table>\n");
}

/* What administrators said of it, the last word first. */
static void write_words(struct req *r, const struct metric_page *p)
{
	if (!p->said.nwords)
		return;
	html(r->out, "<h2>What administrators said</h2>\n<ul>\n");
	for (size_t i = 0; i < p->said.nwords; i++) {
		const struct metric_word *x = &p->said.words[i];

		html(r->out, "<li>");
		layout_time(r->out, x->at);
		html(r->out, ", %s: %s\n", x->who, x->what ? x->what : "");
	}
	html(r->out, "</ul>\n");
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
	write_words(r, &p);
	write_places(r, &p);
	return req_page_end(r, 200);
}
