/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /runs - runs, newest first. Parameters: machine, token, testcase, series, commit, received (a
 * day, or from..to), limit (1 to 1000), cursor (run ids below).
 */
#include "server/pages/pages.h"

#include "db/corrections.h"
#include "server/base/clock.h"
#include "server/history/revision.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/url.h"

#define DAY 86400

/* "2023-07-20", "2023-07-20..2023-07-22", "2023-07-20T10:00:00Z..": both ends count, a plain date
 * is the whole day. */
static void read_received(struct req *r, struct run_filter *f)
{
	const char *text = req_param(r, "received");
	const char *dots = text ? strstr(text, "..") : NULL;
	const char *from = text, *to = text;

	if (!text || !*text)
		return;
	if (dots) {
		from = arena_strn(r->ctx.arena, text, (size_t)(dots - text));
		to = dots + 2;
	}
	if (*from && !clock_parse(from, &f->received_from)) {
		fault(&r->ctx, "received", "\"%.40s\" is not a time", from);
		return;
	}
	if (*to && !clock_parse(to, &f->received_to)) {
		fault(&r->ctx, "received", "\"%.40s\" is not a time", to);
		return;
	}
	if (*to && strlen(to) <= strlen("2023-07-20"))
		f->received_to += DAY - 1;
}

static const char *filled(const char *value)
{
	return value && *value ? value : NULL;
}

static int read_filter(struct req *r, struct run_filter *f, struct page_cut *cut)
{
	const char *series = filled(req_param(r, "series"));
	const char *commit = filled(req_param(r, "commit"));
	int e;

	*cut = part_page_cut(r, 100, INT64_MAX);
	*f = (struct run_filter){
		.machine = filled(req_param(r, "machine")),
		.token = filled(req_param(r, "token")),
		.testcase = filled(req_param(r, "testcase")),
		.series_id = -1,
		.commit_id = -1,
		.received_from = TIME_NONE,
		.received_to = TIME_NONE,
		.before = cut->cursor,
	};
	read_received(r, f);
	e = req_status(r);
	if (e >= 0 && series) {
		struct series s = {.id = -1};

		e = series_get(&r->ctx, series, &s);
		f->series_id = s.id;
	}
	if (e >= 0 && commit) {
		struct commit k = {.id = -1};

		e = revision_resolve(&r->ctx, commit, &k, NULL);
		f->commit_id = k.id;
	}
	return e;
}

/* The numbers of the corrections in force that touched it. */
static int json_corrections(struct req *r, struct jw *w, int64_t run_id)
{
	struct correction *list;
	size_t n;
	int e = corrections_of_run(&r->ctx, run_id, &list, &n);

	jw_arr(w, "corrections");
	for (size_t i = 0; e >= 0 && i < n; i++)
		if (list[i].undone_at == TIME_NONE)
			jw_int(w, NULL, list[i].id);
	jw_end(w);
	return e;
}

static int write_json(struct req *r, const struct run *runs, size_t n, int64_t next)
{
	struct jw w;
	struct series s = {.id = -1};
	struct commit k = {.id = -1};

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "runs");
	for (size_t i = 0; i < n; i++) {
		const struct run *run = &runs[i];
		int e = s.id == run->series_id ? E_OK : series_get_id(&r->ctx, run->series_id, &s);

		if (e >= 0 && k.id != run->commit_id)
			e = commit_get(&r->ctx, run->commit_id, &k);
		if (e < 0)
			return e;
		jw_obj(&w, NULL);
		jw_int(&w, "id", run->id);
		part_json_series(&w, "series", &s, false);
		part_json_commit(&w, r->ctx.arena, "commit", &k);
		jw_str(&w, "status", run_status_name(run->status));
		if ((e = json_corrections(r, &w, run->id)) < 0)
			return e;
		jw_str(&w, "key", run->key);
		jw_time(&w, "started", run->started);
		jw_time(&w, "received", run->received);
		jw_str(&w, "token", run->token);
		jw_end(&w);
	}
	jw_end(&w);
	part_json_next(&w, next);
	jw_end(&w);
	return 200;
}

static void write_field(struct req *r, const char *label, const char *name, const char *hint)
{
	const char *value = req_param(r, name);

	html(r->out,
	     "<label>%s <input name=\"%s\" value=\"%s\" placeholder=\"%s\" size=\"20\"></label>\n",
	     label, name, value ? value : "", hint);
}

static void write_form(struct req *r)
{
	html(r->out, "<form class=\"filter\" method=\"get\" action=\"");
	html_url(r->out, url_path(r->ctx.arena, "/runs"));
	html(r->out, "\">\n");
	write_field(r, "Machine", "machine", "lkp-icl-2sp2");
	write_field(r, "Test", "testcase", "hackbench");
	write_field(r, "Commit", "commit", "a0fd217e6d6f");
	write_field(r, "Uploaded by", "token", "name of a token");
	write_field(r, "Received", "received", "2023-07-20..2023-07-22");
	html(r->out, "<button>Show</button></form>\n");
}

int page_runs(struct req *r)
{
	struct run_filter f;
	struct page_cut cut;
	struct run *runs;
	size_t n;
	int64_t next = -1;
	int e = read_filter(r, &f, &cut);

	if (e >= 0)
		e = run_list(&r->ctx, &f, cut.limit + 1, &runs, &n);
	if (e < 0)
		return e;
	if (n > cut.limit) {
		n = cut.limit;
		next = runs[n - 1].id;
	}
	if (r->form == FORM_JSON)
		return write_json(r, runs, n, next);
	req_page_begin(r, "Runs, newest first", "runs");
	write_form(r);
	e = part_runs_table(r, runs, n,
			    "No run fits. Leave fields empty to see more, or upload some results.");
	if (e < 0)
		return e;
	part_pager(r, next);
	html(r->out, "<p>");
	html_link(r->out, url_path(r->ctx.arena, "/corrections"),
		  "What was corrected, by whom and why");
	html(r->out, "</p>\n");
	return req_page_end(r, 200);
}
