/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of pages that show the same thing in the same way everywhere. Nothing here asks the
 * database, except part_runs_table, which needs the series and commit of each run and asks once for
 * neighbours that are equal.
 */
#include "server/pages/parts.h"

#include <inttypes.h>

#include "db/corrections.h"
#include "server/config.h"
#include "server/base/clock.h"
#include "server/model/compare.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

struct page_cut part_page_cut(struct req *r, int64_t fallback_limit, int64_t fallback_cursor)
{
	struct page_cut cut = {
		.limit = (size_t)req_int(r, "limit", 1, 1000, fallback_limit),
		.cursor = req_int(r, "cursor", 0, INT64_MAX, fallback_cursor),
	};

	return cut;
}

struct page_slice part_page_slice(struct page_cut cut, size_t n)
{
	struct page_slice s = {.first = (uint64_t)cut.cursor < n ? (size_t)cut.cursor : n,
			       .next = -1};

	s.n = n - s.first < cut.limit ? n - s.first : cut.limit;
	if (s.first + s.n < n)
		s.next = (int64_t)(s.first + s.n);
	return s;
}

void part_json_next(struct jw *w, int64_t next)
{
	if (next < 0)
		jw_null(w, "next");
	else
		jw_int(w, "next", next);
}

void part_pager(struct req *r, int64_t next)
{
	if (next < 0)
		return;
	html(r->out, "<p class=\"cut\">The list goes on.</p>\n");
	layout_pager(r->out, req_url_with(r, "cursor", arena_fmt(r->ctx.arena, "%" PRId64, next)));
}

const char *part_count(struct arena *a, int64_t n, const char *singular)
{
	if (n == 0)
		return arena_fmt(a, "no %ss", singular);
	return arena_fmt(a, "%" PRId64 " %s%s", n, singular, n == 1 ? "" : "s");
}

const char *part_series_count(struct arena *a, int64_t n)
{
	return n == 0 ? "no series" : arena_fmt(a, "%" PRId64 " series", n);
}

/* Series ------------------------------------------------------------------------------------------
 */

const char *part_series_title(struct arena *a, const struct series *s)
{
	return arena_fmt(a, "%s on %s", s->testcase, s->tbox_group);
}

const char *part_series_rest(struct arena *a, const struct series *s)
{
	char *text = arena_str(a, "");

	for (size_t i = 0; i < s->naxes; i++) {
		const struct pair *x = &s->axes[i];

		if (!strcmp(x->name, "testcase") || !strcmp(x->name, "tbox_group"))
			continue;
		text = arena_fmt(a, "%s%s%s: %s", text, *text ? ", " : "", x->name, x->value);
	}
	return text;
}

void part_series_table(struct req *r, const struct series *list, size_t n, const char *when_empty)
{
	struct arena *a = r->ctx.arena;

	if (n == 0) {
		html(r->out, "<p class=\"empty\">%s</p>\n", when_empty);
		return;
	}
	html(r->out, "<table class=\"series\">\n<thead><tr><th scope=\"col\">Series"
		     "<th scope=\"col\">Setup<th scope=\"col\" class=\"num\">Commits"
		     "<th scope=\"col\" class=\"num\">Runs<th scope=\"col\" class=\"num\">Metrics"
		     "<th scope=\"col\">Last upload</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		const struct series *s = &list[i];

		html(r->out, "<tr><td>");
		html_link(r->out, url_series(a, s->digest), part_series_title(a, s));
		html(r->out,
		     "<td class=\"setup\">%s<td class=\"num\">%" PRId64 "<td class=\"num\">%" PRId64
		     "<td class=\"num\">%" PRId64 "<td>",
		     part_series_rest(a, s), s->commits, s->runs, s->metrics);
		layout_time(r->out, s->last_upload);
		html(r->out, "\n");
	}
	html(r->out, "</tbody></table>\n");
}

void part_json_pairs(struct jw *w, const char *name, const struct pair *p, size_t n)
{
	jw_obj(w, name);
	for (size_t i = 0; i < n; i++)
		jw_str(w, p[i].name, p[i].value);
	jw_end(w);
}

void part_json_series_keys(struct jw *w, const struct series *s, bool counts)
{
	jw_int(w, "id", s->id);
	jw_str(w, "digest", s->digest);
	part_json_pairs(w, "axes", s->axes, s->naxes);
	if (counts) {
		jw_int(w, "commits", s->commits);
		jw_int(w, "runs", s->runs);
		jw_int(w, "metrics", s->metrics);
		jw_time(w, "last_upload", s->last_upload);
	}
}

void part_json_series(struct jw *w, const char *name, const struct series *s, bool counts)
{
	jw_obj(w, name);
	part_json_series_keys(w, s, counts);
	jw_end(w);
}

void part_json_series_list(struct jw *w, const char *name, const struct series *list, size_t n)
{
	jw_arr(w, name);
	for (size_t i = 0; i < n; i++)
		part_json_series(w, NULL, &list[i], true);
	jw_end(w);
}

void part_pairs_table(struct req *r, const struct pair *p, size_t n)
{
	html(r->out, "<table class=\"pairs\">\n");
	for (size_t i = 0; i < n; i++)
		html(r->out, "<tr><th scope=\"row\">%s<td>%s\n", p[i].name, p[i].value);
	html(r->out, "</table>\n");
}

/* Commits and runs --------------------------------------------------------------------------------
 */

void part_commit(struct req *r, const struct commit *k)
{
	struct arena *a = r->ctx.arena;

	html_link_class(r->out, "commit", url_commit(a, commit_address(a, k)), commit_short(a, k));
	if (k->subject)
		html(r->out, " <span class=\"subject\">%s</span>", k->subject);
	if (k->label)
		html(r->out, " <span class=\"label\">(%s)</span>", k->label);
}

void part_faults_of_many(struct req *r, const struct commit_list *many, size_t max)
{
	for (size_t i = 0; i < many->n && i < max; i++) {
		const struct commit *k = &many->commits[i];

		fault(&r->ctx, commit_address_among(r->ctx.arena, k), "%s",
		      k->subject ? k->subject : "no subject is known");
	}
}

void part_candidate(struct req *r, const struct commit *k, struct url *url)
{
	html(r->out, "<li>");
	html_link_class(r->out, "commit", url, commit_address_among(r->ctx.arena, k));
	if (k->subject)
		html(r->out, " <span class=\"subject\">%s</span>", k->subject);
	if (k->trees)
		html(r->out, " in %s", k->trees);
	html(r->out, "\n");
}

void part_json_commit(struct jw *w, struct arena *a, const char *name, const struct commit *k)
{
	jw_obj(w, name);
	jw_str(w, "id", k->git_id ? k->git_id : k->name);
	jw_str(w, "name", compare_name(a, k->name));
	jw_str(w, "subject", k->subject);
	jw_end(w);
}

/* A word for each correction in force: "moved" where it still counts, else the status says it. */
static int run_corrections(struct req *r, const struct run *run)
{
	struct correction *list;
	size_t n;
	int e = corrections_of_run(&r->ctx, run->id, &list, &n);

	for (size_t i = 0; e >= 0 && i < n; i++) {
		if (list[i].undone_at != TIME_NONE)
			continue;
		html(r->out, ", ");
		html_link(r->out, url_correction(r->ctx.arena, list[i].id),
			  arena_fmt(r->ctx.arena, "correction %" PRId64, list[i].id));
	}
	return e;
}

void part_json_events(struct jw *w, const char *name, const struct event *list, size_t n)
{
	jw_arr(w, name);
	for (size_t i = 0; i < n; i++) {
		const struct event *x = &list[i];

		jw_obj(w, NULL);
		jw_int(w, "id", x->id);
		jw_str(w, "machine", x->machine);
		jw_time(w, "at", x->at);
		jw_str(w, "key", x->key);
		jw_str(w, "old", x->old_value);
		jw_str(w, "new", x->new_value);
		jw_str(w, "note", x->note);
		jw_end(w);
	}
	jw_end(w);
}

static void strike(struct req *r, bool struck, bool begin)
{
	if (struck && begin)
		html(r->out, "<s>");
	else if (struck)
		html(r->out, "</s>");
}

/* What does not count any more, by a correction or a later upload, is struck through. */
static int runs_table_row(struct req *r, const struct run *run, const struct series *s,
			  const struct commit *k)
{
	struct arena *a = r->ctx.arena;
	bool struck = run->status == RUN_INVALID || run->status == RUN_REPLACED ||
		      run->status == RUN_DELETED;

	html(r->out, "<tr><td class=\"num\">");
	strike(r, struck, true);
	html_link(r->out, url_run(a, run->id), arena_fmt(a, "%" PRId64, run->id));
	strike(r, struck, false);
	html(r->out, "<td>");
	strike(r, struck, true);
	html_link(r->out, url_series(a, s->digest), part_series_title(a, s));
	strike(r, struck, false);
	html(r->out, "<td>");
	part_commit(r, k);
	html(r->out, "<td class=\"status-%s\">%s", run_status_name(run->status),
	     run_status_name(run->status));
	int e = run_corrections(r, run);
	html(r->out, "<td>");
	layout_time(r->out, run->started);
	html(r->out, "<td>");
	layout_time(r->out, run->received);
	html(r->out, "<td>%s\n", run->token ? run->token : "command line");
	return e;
}

int part_runs_table(struct req *r, const struct run *runs, size_t n, const char *when_empty)
{
	struct series s = {.id = -1};
	struct commit k = {.id = -1};
	int e;

	if (n == 0) {
		html(r->out, "<p class=\"empty\">%s</p>\n", when_empty);
		return E_OK;
	}
	html(r->out, "<table class=\"runs\">\n<thead><tr><th scope=\"col\" class=\"num\">Run"
		     "<th scope=\"col\">Series<th scope=\"col\">Commit<th scope=\"col\">Status"
		     "<th scope=\"col\">Started<th scope=\"col\">Received"
		     "<th scope=\"col\">Uploaded by</thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		e = s.id == runs[i].series_id ? E_OK
					      : series_get_id(&r->ctx, runs[i].series_id, &s);
		if (e >= 0 && k.id != runs[i].commit_id)
			e = commit_get(&r->ctx, runs[i].commit_id, &k);
		if (e >= 0)
			e = runs_table_row(r, &runs[i], &s, &k);
		if (e < 0)
			return e;
	}
	html(r->out, "</tbody></table>\n");
	return E_OK;
}

/* Verdicts ----------------------------------------------------------------------------------------
 */

void part_quarantine(struct req *r, const char *machine)
{
	if (machine)
		html(r->out,
		     "<p class=\"note\">Not judged: %s is quarantined. Its figures are shown, "
		     "and what would be a change is only suspect.</p>\n",
		     machine);
}

const char *part_verdict_sign(enum verdict v)
{
	switch (v) {
	case VERDICT_REGRESSION:
		return "▼";
	case VERDICT_IMPROVEMENT:
		return "▲";
	case VERDICT_CHANGED:
		return "◆";
	case VERDICT_SUSPECT:
		return "?";
	case VERDICT_SAME:
		return "=";
	case VERDICT_FAILED:
		return "✗";
	case VERDICT_NO_DATA:
		break;
	}
	return "–";
}

void part_verdict(struct out *o, enum verdict v)
{
	html(o, "<span class=\"verdict verdict-%s\">%s %s</span>", verdict_name(v),
	     part_verdict_sign(v), verdict_name(v));
}

const char *part_own_address(const struct req *r)
{
	const struct config *cfg = r->config;

	if (cfg && cfg->public_url && *cfg->public_url)
		return cfg->public_url;
	if (cfg && cfg->listen && *cfg->listen)
		return arena_fmt(r->ctx.arena, "http://%s", cfg->listen);
	return "http://127.0.0.1:8080";
}
