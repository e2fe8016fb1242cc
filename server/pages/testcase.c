/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /testcases and /testcase/<name> - what a test measures, on which machines, with which setups.
 * HTML and JSON. Parameters of the second: limit, cursor (series ids above). The primary metrics
 * are read from the first series.
 */
#include "server/pages/pages.h"

#include <inttypes.h>

#include "db/machines.h"
#include "db/metrics.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define TESTS_SHOWN   1000
#define SERIES_ASKED  20 /* for primary metrics */
#define METRICS_SHOWN 100

static void json_test_keys(struct jw *w, const struct testcase *t)
{
	jw_str(w, "name", t->name);
	jw_int(w, "series", t->series);
	jw_int(w, "runs", t->runs);
	jw_time(w, "last_upload", t->last_upload);
}

static void list_json(struct req *r, const struct testcase *list, size_t n, int64_t next)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "testcases");
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w, NULL);
		json_test_keys(&w, &list[i]);
		jw_end(&w);
	}
	jw_end(&w);
	part_json_next(&w, next);
	jw_end(&w);
}

static void list_html(struct req *r, const struct testcase *list, size_t n, int64_t next)
{
	html(r->out, "<table class=\"tests\">\n<thead><tr><th scope=\"col\">Test"
		     "<th scope=\"col\" class=\"num\">Series<th scope=\"col\" class=\"num\">Runs"
		     "<th scope=\"col\">Last upload</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		html(r->out, "<tr><td>");
		html_link(r->out, url_testcase(r->ctx.arena, list[i].name), list[i].name);
		html(r->out, "<td class=\"num\">%" PRId64 "<td class=\"num\">%" PRId64 "<td>",
		     list[i].series, list[i].runs);
		layout_time(r->out, list[i].last_upload);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
	part_pager(r, next);
}

int page_testcases(struct req *r)
{
	struct testcase *list;
	struct page_cut cut = part_page_cut(r, TESTS_SHOWN, 0);
	struct page_slice page;
	size_t n;
	int e = req_status(r);

	if (e >= 0)
		e = testcase_list(&r->ctx, &list, &n);
	if (e < 0)
		return e;
	page = part_page_slice(cut, n);
	if (r->form == FORM_JSON) {
		list_json(r, list + page.first, page.n, page.next);
		return 200;
	}
	req_page_begin(r, "Tests", "tests");
	if (n == 0)
		html(r->out, "<p class=\"empty\">No test is known yet. One appears with its first "
			     "result, under "
			     "the name that its uploads give as testcase.</p>\n");
	else
		list_html(r, list + page.first, page.n, page.next);
	return req_page_end(r, 200);
}

struct testcase_page {
	struct testcase test;
	struct series *series;
	size_t nseries;
	int64_t next;
	struct series_metric *primary; /* by name, each once */
	size_t nprimary;
	const char **machines; /* of the series shown, each once */
	size_t nmachines;
};

static bool has_metric(const struct testcase_page *p, const struct metric *m)
{
	for (size_t i = 0; i < p->nprimary; i++)
		if (p->primary[i].metric->id == m->id)
			return true;
	return false;
}

static int by_name(const void *x, const void *y)
{
	const struct series_metric *a = x, *b = y;

	return strcmp(a->metric->name, b->metric->name);
}

static int load_primary(struct ctx *c, struct testcase_page *p)
{
	size_t cap = 0;

	for (size_t i = 0; i < p->nseries && i < SERIES_ASKED; i++) {
		struct series_metric *list;
		size_t n;
		int e = series_metrics(c, p->series[i].id, &list, &n);

		if (e < 0)
			return e;
		for (size_t k = 0; k < n && p->nprimary < METRICS_SHOWN; k++) {
			const struct metric *m = list[k].metric;

			if (metric_role_in(&m->facts, m->name, p->test.name) != ROLE_PRIMARY ||
			    has_metric(p, m))
				continue;
			p->primary = arena_grow(c->arena, p->primary, &cap, p->nprimary + 1,
						sizeof(*p->primary));
			p->primary[p->nprimary++] = list[k];
		}
	}
	if (p->nprimary > 1)
		qsort(p->primary, p->nprimary, sizeof(*p->primary), by_name);
	return E_OK;
}

static void find_machines(struct ctx *c, struct testcase_page *p)
{
	p->machines = arena_array(c->arena, const char *, p->nseries);
	for (size_t i = 0; i < p->nseries; i++) {
		bool known = false;

		for (size_t k = 0; k < p->nmachines && !known; k++)
			known = !strcmp(p->machines[k], p->series[i].tbox_group);
		if (!known)
			p->machines[p->nmachines++] = p->series[i].tbox_group;
	}
}

static int load(struct ctx *c, const char *name, const struct page_cut *cut,
		struct testcase_page *p)
{
	const struct pair axis = {"testcase", name};
	int e = testcase_get(c, name, &p->test);

	if (e >= 0)
		e = series_list(c, &axis, 1, cut->cursor, cut->limit + 1, &p->series, &p->nseries);
	if (e < 0)
		return e;
	p->next = -1;
	if (p->nseries > cut->limit) {
		p->nseries = cut->limit;
		p->next = p->series[p->nseries - 1].id;
	}
	find_machines(c, p);
	return load_primary(c, p);
}

static void write_json(struct req *r, const struct testcase_page *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	json_test_keys(&w, &p->test);
	jw_arr(&w, "primary_metrics");
	for (size_t i = 0; i < p->nprimary; i++) {
		const struct metric *m = p->primary[i].metric;

		jw_obj(&w, NULL);
		jw_str(&w, "metric", m->name);
		jw_str(&w, "unit", p->primary[i].unit);
		jw_str(&w, "direction", direction_name(m->facts.direction));
		jw_end(&w);
	}
	jw_end(&w);
	jw_arr(&w, "machines");
	for (size_t i = 0; i < p->nmachines; i++)
		jw_str(&w, NULL, p->machines[i]);
	jw_end(&w);
	part_json_series_list(&w, "measured_as", p->series, p->nseries);
	part_json_next(&w, p->next);
	jw_end(&w);
}

static void write_primary(struct req *r, const struct testcase_page *p)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<h2>What it measures itself</h2>\n");
	if (p->nprimary == 0) {
		html(r->out, "<p class=\"empty\">No metric whose name begins with the test's own "
			     "came yet; what "
			     "monitors saw is listed with each series.</p>\n");
		return;
	}
	html(r->out, "<table class=\"metrics\">\n<thead><tr><th scope=\"col\">Metric<th "
		     "scope=\"col\">Direction"
		     "<th scope=\"col\">Unit<th scope=\"col\">Meaning</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->nprimary; i++) {
		const struct series_metric *x = &p->primary[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_metric(a, x->metric->name), x->metric->name);
		html(r->out, "<td class=\"direction\">%s<td>%s<td>%s\n",
		     direction_words(x->metric->facts.direction), x->unit ? x->unit : "–",
		     x->metric->facts.meaning ? x->metric->facts.meaning : "");
	}
	html(r->out, "</tbody></table>\n");
	if (p->nprimary == METRICS_SHOWN)
		html(r->out,
		     "<p class=\"cut\">Only the first %d are listed; a series' page has all.</p>\n",
		     METRICS_SHOWN);
}

static int write_html(struct req *r, const struct testcase_page *p)
{
	struct arena *a = r->ctx.arena;
	struct url *runs = url_path(a, "/runs");

	url_param(a, runs, "testcase", p->test.name);
	req_page_begin(r, p->test.name, "tests");
	html(r->out, "<p>%s in %s, the last uploaded ", part_count(a, p->test.runs, "run"),
	     part_series_count(a, p->test.series));
	layout_time(r->out, p->test.last_upload);
	html(r->out, ". ");
	html_link(r->out, runs, "Its last runs");
	html(r->out, "</p>\n");
	write_primary(r, p);
	html(r->out, "<h2>Machines</h2>\n<p>");
	for (size_t i = 0; i < p->nmachines; i++) {
		if (i)
			html(r->out, " · ");
		html_link(r->out, url_machine(a, p->machines[i]), p->machines[i]);
	}
	html(r->out, "</p>\n<h2>Series</h2>\n");
	part_series_table(r, p->series, p->nseries, "None.");
	part_pager(r, p->next);
	return req_page_end(r, 200);
}

int page_testcase(struct req *r)
{
	const char *name = req_name(r, 0, "name");
	struct page_cut cut = part_page_cut(r, 100, 0);
	struct testcase_page p = {.nseries = 0};
	int e = req_status(r);

	if (e >= 0 && !name)
		e = fail(&r->ctx, E_NOTFOUND, "name a test: /testcase/hackbench");
	if (e >= 0)
		e = load(&r->ctx, name, &cut, &p);
	if (e < 0)
		return e;
	if (r->form == FORM_JSON) {
		write_json(r, &p);
		return 200;
	}
	return write_html(r, &p);
}
