/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /machines and /machine/<name> - what a box is, what it measures, and what it sent last. HTML
 * and JSON. A machine is a tbox_group, as uploads name it.
 */
#include "server/pages/pages.h"

#include <inttypes.h>

#include "db/events.h"
#include "db/machines.h"
#include "server/base/clock.h"
#include "server/model/silence.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define MACHINES_SHOWN 1000
#define RUNS_SHOWN     20
#define EVENTS_SHOWN   20

static void json_machine_keys(struct jw *w, const struct machine *m, const struct silence *s)
{
	jw_str(w, "name", m->name);
	jw_str(w, "description", m->description);
	jw_str(w, "state", m->state);
	jw_int(w, "series", m->series);
	jw_int(w, "runs", m->runs);
	jw_time(w, "last_upload", m->last_upload);
	if (m->expect_every < 0)
		jw_null(w, "expect_every");
	else
		jw_int(w, "expect_every", m->expect_every);
	jw_time(w, "expected_by", s->expected_by);
	jw_bool(w, "silent", s->silent);
}

/* "active", or "active, silent since …" in words that need no colour. */
static void write_state(struct req *r, const struct machine *m, const struct silence *s)
{
	html(r->out, "<span class=\"state-%s\">%s</span>", m->state, m->state);
	if (!s->silent)
		return;
	html(r->out, ", <b class=\"silent\">silent</b>: an upload was due ");
	layout_time(r->out, s->expected_by);
}

static void list_json(struct req *r, const struct machine *list, const struct silence *silence,
		      size_t n, int64_t next)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "machines");
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w, NULL);
		json_machine_keys(&w, &list[i], &silence[i]);
		jw_end(&w);
	}
	jw_end(&w);
	part_json_next(&w, next);
	jw_end(&w);
}

static void list_html(struct req *r, const struct machine *list, const struct silence *silence,
		      size_t n, int64_t next)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<table class=\"machines\">\n<thead><tr><th scope=\"col\">Machine"
		     "<th scope=\"col\">What it is<th scope=\"col\">State"
		     "<th scope=\"col\" class=\"num\">Series<th scope=\"col\" class=\"num\">Runs"
		     "<th scope=\"col\">Last upload</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		const struct machine *m = &list[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_machine(a, m->name), m->name);
		html(r->out, "<td>%s<td>", m->description ? m->description : "");
		write_state(r, m, &silence[i]);
		html(r->out, "<td class=\"num\">%" PRId64 "<td class=\"num\">%" PRId64 "<td>",
		     m->series, m->runs);
		layout_time(r->out, m->last_upload);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
	part_pager(r, next);
}

int page_machines(struct req *r)
{
	struct machine *list;
	struct silence *silence;
	struct page_cut cut = part_page_cut(r, MACHINES_SHOWN, 0);
	struct page_slice page;
	size_t n;
	int e = req_status(r);

	if (e >= 0)
		e = machine_list(&r->ctx, &list, &n);
	if (e < 0)
		return e;
	page = part_page_slice(cut, n);
	e = silence_of_all(&r->ctx, list + page.first, page.n, clock_now(), &silence);
	if (e < 0)
		return e;
	if (r->form == FORM_JSON) {
		list_json(r, list + page.first, silence, page.n, page.next);
		return 200;
	}
	req_page_begin(r, "Machines", "machines");
	if (n == 0)
		html(r->out, "<p class=\"empty\">No machine is known yet. One appears with its "
			     "first result, "
			     "under the name that its uploads give as tbox_group.</p>\n");
	else
		list_html(r, list + page.first, silence, page.n, page.next);
	return req_page_end(r, 200);
}

struct machine_page {
	struct machine machine;
	struct silence silence;
	struct series *series;
	size_t nseries;
	int64_t next;
	struct run *runs;
	size_t nruns;
	struct event *events;
	size_t nevents;
};

static int load(struct ctx *c, const char *name, const struct page_cut *cut, struct machine_page *p)
{
	const struct pair axis = {"tbox_group", name};
	struct run_filter f = {
		.machine = name,
		.series_id = -1,
		.commit_id = -1,
		.received_from = TIME_NONE,
		.received_to = TIME_NONE,
		.before = INT64_MAX,
	};
	const struct event_filter recent = {name, TIME_NONE, TIME_NONE, INT64_MAX};
	int e = machine_get(c, name, &p->machine);

	if (e >= 0)
		e = silence_of(c, &p->machine, clock_now(), &p->silence);
	if (e >= 0)
		e = series_list(c, &axis, 1, cut->cursor, cut->limit + 1, &p->series, &p->nseries);
	if (e >= 0)
		e = run_list(c, &f, RUNS_SHOWN, &p->runs, &p->nruns);
	if (e >= 0)
		e = event_list(c, &recent, EVENTS_SHOWN, &p->events, &p->nevents);
	if (e < 0)
		return e;
	p->next = -1;
	if (p->nseries > cut->limit) {
		p->nseries = cut->limit;
		p->next = p->series[p->nseries - 1].id;
	}
	return E_OK;
}

static void write_json(struct req *r, const struct machine_page *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	json_machine_keys(&w, &p->machine, &p->silence);
	part_json_series_list(&w, "measures", p->series, p->nseries);
	jw_arr(&w, "last_runs");
	for (size_t i = 0; i < p->nruns; i++)
		jw_int(&w, NULL, p->runs[i].id);
	jw_end(&w);
	part_json_events(&w, "events", p->events, p->nevents);
	part_json_next(&w, p->next);
	jw_end(&w);
}

static void write_quarantine(struct req *r, const struct machine *m)
{
	if (!strcmp(m->state, "quarantined"))
		html(r->out,
		     "<p class=\"note\"><b>Quarantined:</b> its results are taken and shown, "
		     "and are not judged.</p>\n");
}

static int write_html(struct req *r, const struct machine_page *p)
{
	struct arena *a = r->ctx.arena;
	const struct machine *m = &p->machine;
	struct url *runs = url_path(a, "/runs"), *events = url_path(a, "/events");
	int e;

	url_param(a, runs, "machine", m->name);
	url_param(a, events, "machine", m->name);
	req_page_begin(r, m->name, "machines");
	if (m->description)
		html(r->out, "<p class=\"lead\">%s</p>\n", m->description);
	else
		html(r->out, "<p class=\"empty\">Nobody described this machine yet.</p>\n");
	write_quarantine(r, m);
	html(r->out, "<p>State: ");
	write_state(r, m, &p->silence);
	html(r->out, ". It measures %s and sent %s, the last ", part_series_count(a, m->series),
	     part_count(a, m->runs, "run"));
	layout_time(r->out, m->last_upload);
	html(r->out, ".</p>\n<h2>What it measures</h2>\n");
	part_series_table(r, p->series, p->nseries, "Nothing yet.");
	part_pager(r, p->next);
	html(r->out, "<h2>Its last runs</h2>\n");
	e = part_runs_table(r, p->runs, p->nruns,
			    "No runs: what is known of this machine came from reports.");
	if (e < 0)
		return e;
	html(r->out, "<p>");
	html_link(r->out, runs, "All its runs");
	html(r->out, "</p>\n<h2>Events</h2>\n<p>%s. ",
	     p->nevents ? part_count(a, (int64_t)p->nevents, "recent event")
			: "No event is known: nothing is said to have changed on it");
	html_link(r->out, events, "All its events");
	html(r->out, "</p>\n");
	return req_page_end(r, 200);
}

int page_machine(struct req *r)
{
	const char *name = req_name(r, 0, "name");
	struct page_cut cut = part_page_cut(r, 100, 0);
	struct machine_page p;
	int e = req_status(r);

	if (e >= 0 && !name)
		e = fail(&r->ctx, E_NOTFOUND, "name a machine: /machine/lkp-icl-2sp2");
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
