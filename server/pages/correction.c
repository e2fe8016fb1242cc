/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /corrections and /correction/<n>: who changed what was uploaded, why, and what it did to
 * which runs; and the parts by which other pages say so. HTML and JSON.
 */
#include "server/pages/corrections.h"

#include <inttypes.h>

#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

/* --- parts --- */

static void write_undone(struct req *r, const struct correction *k)
{
	if (k->undone_at == TIME_NONE)
		return;
	html(r->out, "; <b>undone</b> by %s ", k->undone_by);
	layout_time(r->out, k->undone_at);
}

void part_correction(struct req *r, const struct correction *k)
{
	struct arena *a = r->ctx.arena;

	html_link(r->out, url_correction(a, k->id), arena_fmt(a, "correction %" PRId64, k->id));
	html(r->out, " by %s ", k->who);
	layout_time(r->out, k->at);
	html(r->out, ": “%s”", k->reason);
	write_undone(r, k);
}

/* JSON that was kept; '<' stands in its texts alone, and is escaped as everywhere. */
static void json_kept(struct jw *w, const char *name, const char *json)
{
	auto_out struct out safe;

	out_init(&safe, OUT_MAX_DEFAULT);
	for (const char *p = json; *p; p++) {
		if (*p == '<')
			out_str(&safe, "\\u003c");
		else
			out_char(&safe, *p);
	}
	jw_raw(w, name, safe.p, safe.len);
}

static void json_keys(struct jw *w, const struct correction *k)
{
	jw_int(w, "id", k->id);
	jw_time(w, "at", k->at);
	jw_str(w, "who", k->who);
	json_kept(w, "select", k->selection);
	json_kept(w, "set", k->change);
	jw_str(w, "reason", k->reason);
	jw_int(w, "runs", k->runs);
	jw_int(w, "summaries", k->summaries);
	jw_time(w, "undone_at", k->undone_at);
	jw_str(w, "undone_by", k->undone_by);
}

void part_json_correction(struct jw *w, const char *name, const struct correction *k)
{
	jw_obj(w, name);
	json_keys(w, k);
	jw_end(w);
}

void part_correction_note(struct req *r, const struct correction_note *k, const char *where)
{
	html(r->out, "<p class=\"note corrected\">%s%s%s: ",
	     correction_words(r->ctx.arena, &k->correction, k->runs, k->summaries, k->came),
	     where ? ", of " : "", where);
	part_correction(r, &k->correction);
	html(r->out, ".</p>\n");
}

int part_correction_notes(struct req *r, int64_t series_id)
{
	struct correction_note *list;
	size_t n;
	int e = correction_notes(&r->ctx, series_id, 0, &list, &n);

	for (size_t i = 0; e >= 0 && i < n; i++)
		part_correction_note(r, &list[i], NULL);
	return e;
}

int part_json_correction_notes(struct req *r, struct jw *w, const char *name, int64_t series_id)
{
	struct correction_note *list;
	size_t n;
	int e = correction_notes(&r->ctx, series_id, 0, &list, &n);

	jw_arr(w, name);
	for (size_t i = 0; e >= 0 && i < n; i++) {
		const struct correction_note *k = &list[i];

		jw_obj(w, NULL);
		jw_int(w, "correction", k->correction.id);
		jw_int(w, "runs", k->runs);
		jw_int(w, "summaries", k->summaries);
		jw_str(w, "what",
		       correction_words(r->ctx.arena, &k->correction, k->runs, k->summaries,
					k->came));
		jw_str(w, "reason", k->correction.reason);
		jw_str(w, "who", k->correction.who);
		jw_time(w, "at", k->correction.at);
		jw_end(w);
	}
	jw_end(w);
	return e;
}

/* --- the list --- */

static void list_json(struct req *r, const struct correction *list, size_t n, int64_t next)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "corrections");
	for (size_t i = 0; i < n; i++)
		part_json_correction(&w, NULL, &list[i]);
	jw_end(&w);
	part_json_next(&w, next);
	jw_end(&w);
}

static void list_html(struct req *r, const struct correction *list, size_t n)
{
	struct arena *a = r->ctx.arena;

	if (n == 0) {
		html(r->out, "<p class=\"empty\">Nothing was corrected yet. What was uploaded "
			     "wrongly can be marked invalid, moved to another commit or setup, or "
			     "marked deleted, always with a reason and an undo.</p>\n");
		return;
	}
	html(r->out, "<table class=\"corrections\">\n<thead><tr><th scope=\"col\" class=\"num\">"
		     "Number<th scope=\"col\">When<th scope=\"col\">Who<th scope=\"col\">What"
		     "<th scope=\"col\">Why<th scope=\"col\">State</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		const struct correction *k = &list[i];

		html(r->out, "<tr><td class=\"num\">");
		html_link(r->out, url_correction(a, k->id), arena_fmt(a, "%" PRId64, k->id));
		html(r->out, "<td>");
		layout_time(r->out, k->at);
		html(r->out, "<td>%s<td>%s<td>%s<td>%s\n", k->who,
		     correction_words(a, k, k->runs, k->summaries, false), k->reason,
		     k->undone_at == TIME_NONE ? "in force" : "undone");
	}
	html(r->out, "</tbody></table>\n");
}

int page_corrections(struct req *r)
{
	struct page_cut cut = part_page_cut(r, 100, INT64_MAX);
	struct correction *list;
	int64_t next = -1;
	size_t n;
	int e = req_status(r);

	if (e >= 0)
		e = correction_list(&r->ctx, cut.cursor, cut.limit + 1, &list, &n);
	if (e < 0)
		return e;
	if (n > cut.limit) {
		n = cut.limit;
		next = list[n - 1].id;
	}
	if (r->form == FORM_JSON) {
		list_json(r, list, n, next);
		return 200;
	}
	req_page_begin(r, "Corrections", "runs");
	list_html(r, list, n);
	part_pager(r, next);
	return req_page_end(r, 200);
}

/* --- one --- */

struct correction_page {
	struct correction correction;
	struct corrected_run *runs;
	size_t nruns;
	int64_t next;
};

/* Of an undone correction a series that it made may be gone, so only commits are looked up. */
static int commit_name(struct req *r, int64_t id, const char **name)
{
	struct commit k = {.name = NULL};
	int e = commit_get(&r->ctx, id, &k);

	*name = k.name;
	return e;
}

/* One that only an undone correction had made is gone, and its number may be another's now. */
static void json_series(struct jw *w, int64_t series_id)
{
	if (series_id > 0)
		jw_int(w, "series", series_id);
	else
		jw_null(w, "series");
}

static int json_runs(struct req *r, struct jw *w, const struct correction_page *p)
{
	int e = E_OK;

	jw_arr(w, "changed_runs");
	for (size_t i = 0; i < p->nruns && e >= 0; i++) {
		const struct corrected_run *x = &p->runs[i];
		const char *before, *after;

		e = commit_name(r, x->old_commit_id, &before);
		if (e >= 0)
			e = commit_name(r, x->new_commit_id, &after);
		if (e < 0)
			break;
		jw_obj(w, NULL);
		jw_int(w, "run", x->run_id);
		jw_obj(w, "before");
		jw_str(w, "status", run_status_name(x->old_status));
		jw_str(w, "commit", before);
		json_series(w, x->old_series_id);
		jw_end(w);
		jw_obj(w, "after");
		jw_str(w, "status", run_status_name(x->new_status));
		jw_str(w, "commit", after);
		json_series(w, x->new_series_id);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
	return e;
}

static int one_json(struct req *r, const struct correction_page *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	json_keys(&w, &p->correction);
	int e = json_runs(r, &w, p);
	part_json_next(&w, p->next);
	jw_end(&w);
	return e < 0 ? e : 200;
}

static void write_facts(struct req *r, const struct correction *k)
{
	html(r->out,
	     "<table class=\"pairs\">\n<tr><th scope=\"row\">Why<td>%s\n"
	     "<tr><th scope=\"row\">Who<td>%s\n<tr><th scope=\"row\">When<td>",
	     k->reason, k->who);
	layout_time(r->out, k->at);
	html(r->out,
	     "\n<tr><th scope=\"row\">Selected by<td><code>%s</code>\n"
	     "<tr><th scope=\"row\">Set<td><code>%s</code>\n<tr><th scope=\"row\">State<td>",
	     k->selection, k->change);
	if (k->undone_at == TIME_NONE) {
		html(r->out, "in force");
	} else {
		html(r->out, "<b>undone</b> by %s ", k->undone_by);
		layout_time(r->out, k->undone_at);
	}
	html(r->out, "\n</table>\n");
}

static int write_runs(struct req *r, const struct correction_page *p)
{
	struct arena *a = r->ctx.arena;
	int e = E_OK;

	if (p->nruns == 0) {
		html(r->out, "<p class=\"empty\">No runs: only figures from reports.</p>\n");
		return E_OK;
	}
	html(r->out, "<table class=\"runs\">\n<thead><tr><th scope=\"col\" class=\"num\">Run"
		     "<th scope=\"col\">Status before<th scope=\"col\">after"
		     "<th scope=\"col\">Commit before<th scope=\"col\">after"
		     "<th scope=\"col\">Setup</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->nruns && e >= 0; i++) {
		const struct corrected_run *x = &p->runs[i];
		struct commit before, after;

		e = commit_get(&r->ctx, x->old_commit_id, &before);
		if (e >= 0)
			e = commit_get(&r->ctx, x->new_commit_id, &after);
		if (e < 0)
			break;
		html(r->out, "<tr><td class=\"num\">");
		html_link(r->out, url_run(a, x->run_id), arena_fmt(a, "%" PRId64, x->run_id));
		html(r->out, "<td>%s<td>%s<td>", run_status_name(x->old_status),
		     run_status_name(x->new_status));
		html_link(r->out, url_commit(a, before.name), commit_short(a, &before));
		html(r->out, "<td>");
		html_link(r->out, url_commit(a, after.name), commit_short(a, &after));
		html(r->out, "<td>%s\n",
		     x->old_series_id == x->new_series_id ? "the same" : "another");
	}
	html(r->out, "</tbody></table>\n");
	return e;
}

static int one_html(struct req *r, const struct correction_page *p)
{
	const struct correction *k = &p->correction;
	struct arena *a = r->ctx.arena;

	req_page_begin(r, arena_fmt(a, "Correction %" PRId64, k->id), "runs");
	html(r->out, "<p class=\"lead\">%s.</p>\n",
	     correction_words(a, k, k->runs, k->summaries, false));
	write_facts(r, k);
	html(r->out, "<h2>Which runs</h2>\n");
	int e = write_runs(r, p);
	if (e < 0)
		return e;
	part_pager(r, p->next);
	html(r->out, "<p>");
	html_link(r->out, url_path(a, "/corrections"), "All corrections");
	html(r->out, "</p>\n");
	return req_page_end(r, 200);
}

int page_correction(struct req *r)
{
	struct page_cut cut = part_page_cut(r, 1000, 0);
	const char *number = req_name(r, 0, "correction");
	struct correction_page p = {.next = -1};
	int64_t id;
	int e = req_status(r);

	if (e >= 0 && (!number || !num_parse_int(number, 1, INT64_MAX, &id)))
		e = fail(&r->ctx, E_NOTFOUND, "a correction has a number: /correction/5");
	if (e >= 0)
		e = correction_get(&r->ctx, id, &p.correction);
	if (e >= 0)
		e = correction_runs(&r->ctx, id, cut.cursor, cut.limit + 1, &p.runs, &p.nruns);
	if (e < 0)
		return e;
	if (p.nruns > cut.limit) {
		p.nruns = cut.limit;
		p.next = p.runs[p.nruns - 1].run_id;
	}
	return r->form == FORM_JSON ? one_json(r, &p) : one_html(r, &p);
}
