/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /findings and /events. Findings are opened by nobody yet, so that list is empty and says so;
 * events come from their table. Parameters of /events: machine, since, until, limit, cursor.
 */
#include "server/pages/pages.h"

#include "db/events.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

int page_findings(struct req *r)
{
	struct jw w;

	if (r->form == FORM_JSON) {
		jw_init(&w, r->out);
		jw_obj(&w, NULL);
		jw_arr(&w, "findings");
		jw_end(&w);
		jw_null(&w, "next");
		jw_end(&w);
		return 200;
	}
	req_page_begin(r, "Findings", "findings");
	html(r->out, "<p class=\"empty\">No finding is open. What a commit changed is on its own "
		     "page: start "
		     "from ");
	html_link(r->out, url_home(r->ctx.arena), "the latest uploads");
	html(r->out, ".</p>\n");
	return req_page_end(r, 200);
}

static void events_json(struct req *r, const struct event *list, size_t n, int64_t next)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	part_json_events(&w, "events", list, n);
	part_json_next(&w, next);
	jw_end(&w);
}

static void events_html(struct req *r, const struct event *list, size_t n)
{
	if (n == 0) {
		html(r->out, "<p class=\"empty\">No event is known. An event is a moment at which "
			     "something "
			     "changed on a machine, a kernel command line or a microcode for "
			     "example; results "
			     "before and after it are not held against each other without saying "
			     "so.</p>\n");
		return;
	}
	html(r->out, "<table class=\"events\">\n<thead><tr><th scope=\"col\">When"
		     "<th scope=\"col\">Machine<th scope=\"col\">What<th scope=\"col\">Before"
		     "<th scope=\"col\">After<th scope=\"col\">Note</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		const struct event *x = &list[i];

		html(r->out, "<tr><td>");
		layout_time(r->out, x->at);
		html(r->out, "<td>");
		html_link(r->out, url_machine(r->ctx.arena, x->machine), x->machine);
		html(r->out, "<td>%s<td>%s<td>%s<td>%s\n", x->key,
		     x->old_value ? x->old_value : "–", x->new_value ? x->new_value : "–",
		     x->note ? x->note : "");
	}
	html(r->out, "</tbody></table>\n");
}

int page_events(struct req *r)
{
	struct page_cut cut = part_page_cut(r, 100, INT64_MAX);
	const char *machine = req_param(r, "machine");
	struct event *list;
	size_t n;
	int64_t next = -1;
	const struct event_filter f = {
		.machine = machine && *machine ? machine : NULL,
		.since = req_time(r, "since"),
		.until = req_time(r, "until"),
		.before = cut.cursor,
	};
	int e = req_status(r);

	if (e >= 0)
		e = event_list(&r->ctx, &f, cut.limit + 1, &list, &n);
	if (e < 0)
		return e;
	if (n > cut.limit) {
		n = cut.limit;
		next = list[n - 1].id;
	}
	if (r->form == FORM_JSON) {
		events_json(r, list, n, next);
		return 200;
	}
	req_page_begin(r, "Events on machines", "events");
	events_html(r, list, n);
	part_pager(r, next);
	return req_page_end(r, 200);
}
