/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /search?q= - commits by id, subject or Message-Id; metrics, tests and machines by a part of
 * their name; series by digest, or by the tests and machines that were found. A text that is
 * exactly one commit and nothing else leads straight to its page, in HTML only; so does a range,
 * A..B, whose ends are known. Every list is short; a longer text narrows it.
 */
#include "server/pages/pages.h"

#include <inttypes.h>

#include "db/machines.h"
#include "db/metrics.h"
#include "server/history/revision.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/url.h"

#define SHOWN      20
#define TEXT_LEAST 2
#define TEXT_MOST  300

struct search {
	const char *q;
	struct commit *commits;
	size_t ncommits;
	const struct metric **metrics;
	size_t nmetrics;
	struct series *series;
	size_t nseries;
	const char **machines, **tests;
	size_t nmachines, ntests;
	struct commit exact;
	bool is_exact; /* q names one commit */
	bool is_range; /* q is one, and both ends are known */
};

/* An id that is given whole, or a prefix or tag: those come first, even when the text search cut
 * them off. */
static int find_exact(struct ctx *c, struct search *s)
{
	int e = revision_resolve(c, s->q, &s->exact, NULL);

	if (e == E_NOTFOUND || e == E_AMBIGUOUS || e == E_INVALID) {
		ctx_clear(c);
		return E_OK;
	}
	s->is_exact = e >= 0;
	return e;
}

static int find_range(struct ctx *c, struct search *s)
{
	struct revision_range range;
	struct commit_list many;
	int e = strstr(s->q, "..") ? revision_range(c, s->q, &range, &many) : E_NOTFOUND;

	s->is_range = e >= 0 || e == E_AMBIGUOUS; /* its page asks which commit is meant */
	if (e == E_NOTFOUND || e == E_AMBIGUOUS || e == E_INVALID) {
		ctx_clear(c);
		return E_OK;
	}
	return e;
}

static int find_machines(struct ctx *c, struct search *s)
{
	struct machine *list;
	size_t n;
	int e = machine_list(c, &list, &n);

	if (e < 0)
		return e;
	s->machines = arena_array(c->arena, const char *, SHOWN);
	for (size_t i = 0; i < n && s->nmachines < SHOWN; i++)
		if (strcasestr(list[i].name, s->q))
			s->machines[s->nmachines++] = list[i].name;
	return E_OK;
}

static int find_tests(struct ctx *c, struct search *s)
{
	struct testcase *list;
	size_t n;
	int e = testcase_list(c, &list, &n);

	if (e < 0)
		return e;
	s->tests = arena_array(c->arena, const char *, SHOWN);
	for (size_t i = 0; i < n && s->ntests < SHOWN; i++)
		if (strcasestr(list[i].name, s->q))
			s->tests[s->ntests++] = list[i].name;
	return E_OK;
}

static int add_series_of(struct ctx *c, struct search *s, const char *axis, const char *value)
{
	const struct pair filter = {axis, value};
	struct series *list;
	size_t n;
	int e = series_list(c, &filter, 1, 0, SHOWN, &list, &n);

	for (size_t i = 0; e >= 0 && i < n && s->nseries < SHOWN; i++) {
		bool known = false;

		for (size_t k = 0; k < s->nseries && !known; k++)
			known = s->series[k].id == list[i].id;
		if (!known)
			s->series[s->nseries++] = list[i];
	}
	return e;
}

static int find_series(struct ctx *c, struct search *s)
{
	size_t n = strlen(s->q);
	int e = E_OK;

	s->series = arena_array(c->arena, struct series, SHOWN);
	if (n >= 8 && n <= DIGEST_HEX && strspn(s->q, "0123456789abcdef") == n) {
		e = series_get(c, s->q, &s->series[0]);
		if (e >= 0)
			e = series_count(c, &s->series[0]);
		if (e >= 0)
			s->nseries = 1;
		if (e == E_NOTFOUND || e == E_AMBIGUOUS || e == E_INVALID) {
			ctx_clear(c);
			e = E_OK;
		}
	}
	for (size_t i = 0; e >= 0 && i < s->ntests; i++)
		e = add_series_of(c, s, "testcase", s->tests[i]);
	for (size_t i = 0; e >= 0 && i < s->nmachines; i++)
		e = add_series_of(c, s, "tbox_group", s->machines[i]);
	return e;
}

static int find_all(struct ctx *c, struct search *s)
{
	int e = find_exact(c, s);

	if (e >= 0)
		e = find_range(c, s);
	if (e >= 0)
		e = commit_search(c, s->q, SHOWN, &s->commits, &s->ncommits);
	if (e >= 0)
		e = metric_search(c, s->q, SHOWN, &s->metrics, &s->nmetrics);
	if (e >= 0)
		e = find_machines(c, s);
	if (e >= 0)
		e = find_tests(c, s);
	if (e >= 0)
		e = find_series(c, s);
	if (e >= 0 && s->is_exact && s->ncommits == 0) {
		s->commits = &s->exact;
		s->ncommits = 1;
	}
	return e;
}

static void write_json(struct req *r, const struct search *s)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "commits");
	for (size_t i = 0; i < s->ncommits; i++)
		part_json_commit(&w, r->ctx.arena, NULL, &s->commits[i]);
	jw_end(&w);
	jw_arr(&w, "metrics");
	for (size_t i = 0; i < s->nmetrics; i++)
		jw_str(&w, NULL, s->metrics[i]->name);
	jw_end(&w);
	part_json_series_list(&w, "series", s->series, s->nseries);
	jw_arr(&w, "machines");
	for (size_t i = 0; i < s->nmachines; i++)
		jw_str(&w, NULL, s->machines[i]);
	jw_end(&w);
	jw_arr(&w, "testcases");
	for (size_t i = 0; i < s->ntests; i++)
		jw_str(&w, NULL, s->tests[i]);
	jw_end(&w);
	jw_str(&w, "range", s->is_range ? s->q : NULL);
	jw_end(&w);
}

static void begin_list(struct req *r, const char *title, size_t n)
{
	html(r->out, "<h2>%s</h2>\n", title);
	if (n == SHOWN)
		html(r->out,
		     "<p class=\"cut\">The first %d are shown; more of the name narrows it.</p>\n",
		     SHOWN);
	html(r->out, "<ul>\n");
}

static void write_names(struct req *r, const char *title, const char *const *names, size_t n,
			struct url *(*address)(struct arena *, const char *))
{
	if (n == 0)
		return;
	begin_list(r, title, n);
	for (size_t i = 0; i < n; i++) {
		html(r->out, "<li>");
		html_link(r->out, address(r->ctx.arena, names[i]), names[i]);
		html(r->out, "\n");
	}
	html(r->out, "</ul>\n");
}

static void write_commits(struct req *r, const struct search *s)
{
	if (s->ncommits == 0)
		return;
	begin_list(r, "Commits", s->ncommits);
	for (size_t i = 0; i < s->ncommits; i++) {
		html(r->out, "<li>");
		part_commit(r, &s->commits[i]);
		html(r->out, "\n");
	}
	html(r->out, "</ul>\n");
}

static void write_metrics(struct req *r, const struct search *s)
{
	if (s->nmetrics == 0)
		return;
	begin_list(r, "Metrics", s->nmetrics);
	for (size_t i = 0; i < s->nmetrics; i++) {
		const struct metric *m = s->metrics[i];

		html(r->out, "<li>");
		html_link(r->out, url_metric(r->ctx.arena, m->name), m->name);
		html(r->out, " <span class=\"direction\">%s</span>\n",
		     direction_words(m->facts.direction));
	}
	html(r->out, "</ul>\n");
}

static void write_form(struct req *r, const char *q)
{
	html(r->out, "<form class=\"filter\" method=\"get\" role=\"search\" action=\"");
	html_url(r->out, url_path(r->ctx.arena, "/search"));
	html(r->out,
	     "\"><label>Look for <input type=\"search\" name=\"q\" value=\"%s\" size=\"50\" "
	     "maxlength=\"%d\"></label> <button>Search</button></form>\n",
	     q ? q : "", TEXT_MOST);
}

static int write_html(struct req *r, const struct search *s)
{
	size_t found = s->ncommits + s->nmetrics + s->nseries + s->nmachines + s->ntests;

	req_page_begin(r, "Search", NULL);
	write_form(r, s->q);
	if (!s->q)
		html(r->out,
		     "<p class=\"empty\">Commits are found by id, subject or Message-Id; metrics, "
		     "tests "
		     "and machines by a part of their name; series by their digest; a range of "
		     "commits as A..B. At least %d characters.</p>\n",
		     TEXT_LEAST);
	else if (found == 0)
		html(r->out,
		     "<p class=\"empty\">Nothing here is called <b>%s</b>. Only commits that were "
		     "measured, or named by an upload, are known.</p>\n",
		     s->q);
	write_commits(r, s);
	write_metrics(r, s);
	write_names(r, "Tests", s->tests, s->ntests, url_testcase);
	write_names(r, "Machines", s->machines, s->nmachines, url_machine);
	if (s->nseries) {
		html(r->out, "<h2>Series</h2>\n");
		part_series_table(r, s->series, s->nseries, "");
		if (s->nseries == SHOWN)
			html(r->out, "<p class=\"cut\">The first %d are shown.</p>\n", SHOWN);
	}
	return req_page_end(r, 200);
}

int page_search(struct req *r)
{
	struct search s = {.q = req_param(r, "q")};
	int e;

	if (s.q && !*s.q)
		s.q = NULL;
	if (s.q && (strlen(s.q) < TEXT_LEAST || strlen(s.q) > TEXT_MOST))
		return fault(&r->ctx, "q", "give %d to %d characters to look for", TEXT_LEAST,
			     TEXT_MOST);
	if (s.q) {
		e = find_all(&r->ctx, &s);
		if (e < 0)
			return e;
	}
	if (r->form == FORM_JSON) {
		write_json(r, &s);
		return 200;
	}
	if (s.is_range) {
		r->location = url_range(r->ctx.arena, s.q, NULL, NULL)->s;
		return 302;
	}
	if (s.is_exact && s.ncommits == 1 && s.commits[0].id == s.exact.id &&
	    s.nmetrics + s.nseries + s.nmachines + s.ntests == 0) {
		r->location = url_commit(r->ctx.arena, s.exact.name)->s;
		return 302;
	}
	return write_html(r, &s);
}
