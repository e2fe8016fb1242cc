/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET / - what this is, what the lab holds, what came last, and where to go from here. No
 * parameters; all lists are short and end in a link to the whole.
 */
#include "server/pages/pages.h"

#include <inttypes.h>

#include "db/machines.h"
#include "server/base/clock.h"
#include "server/model/compare.h"
#include "server/model/silence.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define HOME_COMMITS 15
#define HOME_NAMES   30 /* machines, tests */

struct home_commit {
	struct commit commit;
	size_t series;
	int64_t last_upload;
};

struct home {
	struct store_counts counts;
	struct home_commit *commits;
	size_t ncommits;
	struct machine *machines;
	struct silence *silence; /* of each machine */
	size_t nmachines, nsilent;
	struct testcase *tests;
	size_t ntests;
};

static int load_commits(struct ctx *c, struct home *h)
{
	struct commit *recent;
	size_t n;
	int e = commit_recent(c, HOME_COMMITS, &recent, &n);

	if (e < 0)
		return e;
	h->commits = arena_array(c->arena, struct home_commit, n);
	for (size_t i = 0; i < n; i++) {
		struct measured *m;
		struct home_commit *k = &h->commits[h->ncommits++];

		k->commit = recent[i];
		k->last_upload = TIME_NONE;
		e = measured_of_commit(c, recent[i].id, 1000, &m, &k->series);
		if (e < 0)
			return e;
		for (size_t j = 0; j < k->series; j++)
			if (m[j].last_received > k->last_upload)
				k->last_upload = m[j].last_received;
	}
	return E_OK;
}

static int load(struct ctx *c, struct home *h)
{
	int e = store_counts(c, &h->counts);

	if (e >= 0)
		e = load_commits(c, h);
	if (e >= 0)
		e = machine_list(c, &h->machines, &h->nmachines);
	if (e >= 0)
		e = silence_of_all(c, h->machines, h->nmachines, clock_now(), &h->silence);
	for (size_t i = 0; e >= 0 && i < h->nmachines; i++)
		h->nsilent += h->silence[i].silent;
	if (e >= 0)
		e = testcase_list(c, &h->tests, &h->ntests);
	return e;
}

static void write_json(struct req *r, const struct home *h)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_obj(&w, "counts");
	jw_int(&w, "series", h->counts.series);
	jw_int(&w, "commits", h->counts.commits);
	jw_int(&w, "runs", h->counts.runs);
	jw_int(&w, "metrics", h->counts.metrics);
	jw_end(&w);
	jw_arr(&w, "commits");
	for (size_t i = 0; i < h->ncommits; i++) {
		const struct home_commit *k = &h->commits[i];

		jw_obj(&w, NULL);
		jw_str(&w, "id", k->commit.name);
		jw_str(&w, "name", compare_name(r->ctx.arena, k->commit.name));
		jw_str(&w, "subject", k->commit.subject);
		jw_int(&w, "series", (int64_t)k->series);
		jw_time(&w, "last_upload", k->last_upload);
		jw_end(&w);
	}
	jw_end(&w);
	jw_arr(&w, "machines");
	for (size_t i = 0; i < h->nmachines; i++)
		jw_str(&w, NULL, h->machines[i].name);
	jw_end(&w);
	jw_arr(&w, "silent");
	for (size_t i = 0; i < h->nmachines; i++) {
		if (!h->silence[i].silent)
			continue;
		jw_obj(&w, NULL);
		jw_str(&w, "machine", h->machines[i].name);
		jw_bool(&w, "silent", true);
		jw_time(&w, "last_upload", h->machines[i].last_upload);
		jw_time(&w, "expected_by", h->silence[i].expected_by);
		jw_end(&w);
	}
	jw_end(&w);
	jw_arr(&w, "testcases");
	for (size_t i = 0; i < h->ntests; i++)
		jw_str(&w, NULL, h->tests[i].name);
	jw_end(&w);
	jw_end(&w);
}

static void write_intro(struct req *r, const struct home *h)
{
	struct arena *a = r->ctx.arena;

	html(r->out,
	     "<p class=\"lead\">Plumbline keeps what a lab of test machines measures on Linux "
	     "kernels, commit by commit, and tells which commit made which test slower or faster, "
	     "on which machines, and how sure that is.</p>\n"
	     "<p>It holds <b>%s</b> in <b>%s</b> on <b>%s</b>, with %s; %s known.</p>\n",
	     part_count(a, h->counts.runs, "run"), part_series_count(a, h->counts.series),
	     part_count(a, (int64_t)h->nmachines, "machine"),
	     part_count(a, h->counts.metrics, "metric"),
	     arena_fmt(a, "%s %s", part_count(a, h->counts.commits, "commit"),
		       h->counts.commits == 1 ? "is" : "are"));
	html(r->out, "<form class=\"ask\" action=\"");
	html_url(r->out, url_path(a, "/compare"));
	html(r->out, "\" method=\"get\"><label>Compare commits (the first is the base) "
		     "<input name=\"commits\" size=\"44\" required "
		     "placeholder=\"7bc162d5cc4d,a0fd217e6d6f\">"
		     "</label> <button>Compare</button></form>\n<p>");
	html_link(r->out, url_path(a, "/help/reading"), "How to read a table");
	html(r->out, " · ");
	html_link(r->out, url_path(a, "/help/verdicts"), "How a verdict is made");
	html(r->out, " · ");
	html_link(r->out, url_path(a, "/help/upload"), "How to upload results");
	html(r->out, "</p>\n");
}

static void write_commits(struct req *r, const struct home *h)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<h2>Latest uploads</h2>\n");
	if (h->ncommits == 0) {
		html(r->out, "<p class=\"empty\">Nothing was uploaded yet. ");
		html_link(r->out, url_path(a, "/help/upload"), "Upload the first result");
		html(r->out, ": it takes one command.</p>\n");
		return;
	}
	html(r->out, "<table class=\"commits\">\n<thead><tr><th scope=\"col\">Commit"
		     "<th scope=\"col\" class=\"num\">Series<th scope=\"col\">Last upload"
		     "</thead>\n<tbody>\n");
	for (size_t i = 0; i < h->ncommits; i++) {
		html(r->out, "<tr><td>");
		part_commit(r, &h->commits[i].commit);
		html(r->out, "<td class=\"num\">%zu<td>", h->commits[i].series);
		layout_time(r->out, h->commits[i].last_upload);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n<p>");
	html_link(r->out, url_path(a, "/runs"), "All runs, newest first");
	html(r->out, " · ");
	html_link(r->out, url_path(a, "/series"), "all series");
	html(r->out, "</p>\n");
}

/* Machines from which more was expected by now. */
static void write_silent(struct req *r, const struct home *h)
{
	size_t shown = 0;

	if (!h->nsilent)
		return;
	html(r->out, "<h2 id=\"silent\">Machines that fell silent</h2>\n<ul class=\"silent\">\n");
	for (size_t i = 0; i < h->nmachines && shown < HOME_NAMES; i++) {
		const struct machine *m = &h->machines[i];

		if (!h->silence[i].silent)
			continue;
		shown++;
		html(r->out, "<li>");
		html_link(r->out, url_machine(r->ctx.arena, m->name), m->name);
		if (m->last_upload == TIME_NONE) {
			html(r->out, ": never sent anything");
		} else {
			html(r->out, ": last upload ");
			layout_time(r->out, m->last_upload);
		}
		html(r->out, ", the next was expected by ");
		layout_time(r->out, h->silence[i].expected_by);
		html(r->out, "\n");
	}
	html(r->out, "</ul>\n");
	if (shown < h->nsilent)
		html(r->out, "<p class=\"cut\">%zu more are silent.</p>\n", h->nsilent - shown);
}

static void write_machines(struct req *r, const struct home *h)
{
	struct arena *a = r->ctx.arena;
	size_t n = h->nmachines < HOME_NAMES ? h->nmachines : HOME_NAMES;

	html(r->out, "<h2>Machines</h2>\n");
	if (n == 0) {
		html(r->out,
		     "<p class=\"empty\">A machine appears here with its first result.</p>\n");
		return;
	}
	html(r->out, "<table class=\"machines\">\n<thead><tr><th scope=\"col\">Machine"
		     "<th scope=\"col\">State<th scope=\"col\" class=\"num\">Runs"
		     "<th scope=\"col\">Last upload</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		const struct machine *m = &h->machines[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_machine(a, m->name), m->name);
		html(r->out, "<td>%s<td class=\"num\">%" PRId64 "<td>", m->state, m->runs);
		layout_time(r->out, m->last_upload);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n<p>");
	if (n < h->nmachines)
		html(r->out, "%zu more are not shown here. ", h->nmachines - n);
	html_link(r->out, url_path(a, "/machines"), "All machines");
	html(r->out, "</p>\n");
}

static void write_tests(struct req *r, const struct home *h)
{
	struct arena *a = r->ctx.arena;
	size_t n = h->ntests < HOME_NAMES ? h->ntests : HOME_NAMES;

	html(r->out, "<h2>Tests</h2>\n<p>");
	for (size_t i = 0; i < n; i++) {
		if (i)
			html(r->out, " · ");
		html_link(r->out, url_testcase(a, h->tests[i].name), h->tests[i].name);
	}
	if (n == 0)
		html(r->out, "None yet.");
	html(r->out, "</p>\n<p>");
	if (n < h->ntests)
		html(r->out, "%zu more are not shown here. ", h->ntests - n);
	html_link(r->out, url_path(a, "/testcases"), "All tests");
	html(r->out, "</p>\n");
}

int page_home(struct req *r)
{
	struct home h = {.ncommits = 0};
	int e = load(&r->ctx, &h);

	if (e < 0)
		return e;
	if (r->form == FORM_JSON) {
		write_json(r, &h);
		return 200;
	}
	req_page_begin(r, "Kernel performance, commit by commit", NULL);
	write_intro(r, &h);
	write_silent(r, &h);
	write_commits(r, &h);
	write_machines(r, &h);
	write_tests(r, &h);
	return req_page_end(r, 200);
}
