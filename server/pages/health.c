/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the service is: /healthz for "does it answer", /readyz for "may it be sent work", /metrics
 * for Prometheus, and /status, the same for people. All of it is about this process; figures start
 * at zero with it.
 */
#include "server/pages/req.h"

#include "db/machines.h"
#include "db/repos.h"
#include "db/rule_setting.h"
#include "db/writer.h"
#include "server/base/clock.h"
#include "server/config.h"
#include "server/pages/counters.h"
#include "server/pages/rules.h"
#include "server/view/html.h"
#include "server/view/json.h"
#include "server/view/layout.h"
#include "server/view/url.h"

int page_healthz(struct req *r);
int page_readyz(struct req *r);
int page_prometheus(struct req *r);
int page_status(struct req *r);

static void plain_answer(struct req *r)
{
	r->answer_type = "text/plain; charset=utf-8";
	r->no_store = true;
}

int page_healthz(struct req *r)
{
	plain_answer(r);
	out_str(r->out, "ok\n");
	return 200;
}

int page_readyz(struct req *r)
{
	struct writer_stats stats = {0};
	int64_t generation;
	const char *trouble = NULL;

	if (r->writer)
		writer_get_stats(r->writer, &stats);
	if (!r->ctx.db || generation_get(&r->ctx, &generation) < 0)
		trouble = "the database does not answer";
	else if (r->writer && stats.queued >= r->config->queue_jobs)
		trouble = "the queue of uploads is full";
	plain_answer(r);
	out_fmt(r->out, "%s\n", trouble ? trouble : "ready");
	return trouble ? 503 : 200;
}

/* One figure with its name in /metrics, its words on /status, and its key in the JSON. */
struct figure {
	const char *metric, *type, *words;
	double value;
};

#define FIGURES_MAX 32

struct health {
	struct figure figures[FIGURES_MAX];
	size_t n;
	struct repo *repos;
	size_t nrepos;
	int64_t accepted, refused; /* uploads */
	enum rule_version rule;    /* in force */
};

static void put(struct health *h, const char *metric, const char *type, const char *words,
		int64_t v)
{
	if (h->n < FIGURES_MAX)
		h->figures[h->n++] = (struct figure){metric, type, words, (double)v};
}

static void put_process(struct health *h, const struct counters *n)
{
	for (size_t i = 0; i < n->nroutes; i++) {
		const struct route_counter *row = &n->routes[i];
		if (strcmp(row->method, "POST") != 0)
			continue;
		h->accepted += row->by_class[2];
		h->refused += row->by_class[4] + row->by_class[5];
	}
	put(h, "start_time_seconds", "gauge", "started at, seconds since 1970", n->started);
	put(h, "connections", "gauge", "connections open now", n->connections);
	put(h, "suspended_requests", "gauge", "requests that wait for a worker or the disk",
	    n->suspended);
	put(h, "request_body_bytes", "gauge", "bytes of request bodies in memory", n->body_bytes);
	put(h, "sent_bytes_total", "counter", "bytes of answers sent, without their heads",
	    n->bytes_sent);
	put(h, "not_modified_total", "counter", "answers that the reader had already",
	    n->not_modified);
	put(h, "busy_total", "counter", "requests told to come back later", n->refused);
	put(h, "reaped_connections_total", "counter", "connections closed for being too slow",
	    n->reaped);
	put(h, "uploads_accepted_total", "counter", "uploads accepted", h->accepted);
	put(h, "uploads_refused_total", "counter", "uploads refused", h->refused);
	put(h, "page_cache_hits_total", "counter", "pages found in the page cache", n->cache_hits);
	put(h, "page_cache_misses_total", "counter", "pages not found there", n->cache_misses);
	put(h, "page_cache_pages", "gauge", "pages in it", n->cache_pages);
	put(h, "page_cache_bytes", "gauge", "bytes in it", n->cache_bytes);
}

static void put_writer(struct health *h, struct writer *w)
{
	struct writer_stats s;

	if (!w)
		return;
	writer_get_stats(w, &s);
	put(h, "writer_queue", "gauge", "uploads that wait to be written", s.queued);
	put(h, "writer_jobs_total", "counter", "jobs written or refused by the writer", s.jobs);
	put(h, "writer_batches_total", "counter", "transactions", s.batches);
	put(h, "writer_failed_batches_total", "counter", "transactions that were undone",
	    s.failed_batches);
	put(h, "writer_refused_total", "counter",
	    "jobs refused because the queue or the disk was full", s.refused);
	put(h, "writer_commit_seconds_total", "counter", "seconds spent in commits", s.commit_us);
	h->figures[h->n - 1].value /= 1e6;
}

static int put_repositories(struct ctx *c, struct health *h)
{
	int64_t problems = 0;
	int e = repo_list(c, false, &h->repos, &h->nrepos);

	for (size_t i = 0; i < h->nrepos; i++)
		problems += h->repos[i].problem != NULL;
	put(h, "repositories", "gauge", "git repositories that are followed", (int64_t)h->nrepos);
	put(h, "repository_problems", "gauge", "of them with a problem", problems);
	return e;
}

static int collect(struct req *r, struct health *h)
{
	struct store_counts s;
	int e = store_counts(&r->ctx, &s);

	if (e < 0)
		return e;
	*h = (struct health){0};
	put_process(h, r->counters);
	put_writer(h, r->writer);
	put(h, "database_generation", "gauge", "write transactions of the database so far",
	    r->generation);
	put(h, "series", "gauge", "series", s.series);
	put(h, "commits", "gauge", "commits", s.commits);
	put(h, "runs", "gauge", "runs", s.runs);
	put(h, "metrics", "gauge", "metrics", s.metrics);
	put(h, "submissions", "gauge", "accepted uploads in the database", s.submissions);
	put(h, "values", "gauge", "values, about", s.values_estimate);
	e = rule_in_force(&r->ctx, &h->rule);
	return e < 0 ? e : put_repositories(&r->ctx, h);
}

static void requests_text(struct out *o, const struct counters *n)
{
	out_str(o,
		"# HELP plumbline_requests_total requests by route and class of status; 0xx: ended "
		"without an answer of ours\n"
		"# TYPE plumbline_requests_total counter\n");
	for (size_t i = 0; i < n->nroutes; i++) {
		const struct route_counter *row = &n->routes[i];
		for (int k = 0; k < 6; k++) {
			int64_t v = row->by_class[k];
			if (v)
				out_fmt(o,
					"plumbline_requests_total{method=\"%s\",route=\"%s\","
					"status=\"%dxx\"}"
					" %lld\n",
					row->method, row->pattern, k, (long long)v);
		}
	}
	out_str(o, "# HELP plumbline_request_seconds_total time from head to last byte\n"
		   "# TYPE plumbline_request_seconds_total counter\n");
	for (size_t i = 0; i < n->nroutes; i++) {
		const struct route_counter *row = &n->routes[i];
		int64_t us = row->us;
		if (us)
			out_fmt(o,
				"plumbline_request_seconds_total{method=\"%s\",route=\"%s\"} "
				"%.6f\n",
				row->method, row->pattern, (double)us / 1e6);
	}
}

/* Names of repositories have no character that a label would have to escape. */
static void repositories_text(struct out *o, const struct health *h)
{
	if (!h->nrepos)
		return;
	out_str(o, "# HELP plumbline_repository_refreshed_seconds last refresh that went well, "
		   "seconds since 1970\n# TYPE plumbline_repository_refreshed_seconds gauge\n");
	for (size_t i = 0; i < h->nrepos; i++)
		if (h->repos[i].synced != TIME_NONE)
			out_fmt(o, "plumbline_repository_refreshed_seconds{name=\"%s\"} %lld\n",
				h->repos[i].name, (long long)h->repos[i].synced);
	out_str(o, "# HELP plumbline_repository_failures refreshes that failed in a row\n"
		   "# TYPE plumbline_repository_failures gauge\n");
	for (size_t i = 0; i < h->nrepos; i++)
		out_fmt(o, "plumbline_repository_failures{name=\"%s\"} %lld\n", h->repos[i].name,
			(long long)h->repos[i].failures);
}

int page_prometheus(struct req *r)
{
	struct health h;
	int e = collect(r, &h);

	if (e < 0)
		return e;
	r->answer_type = "text/plain; version=0.0.4; charset=utf-8";
	r->no_store = true;
	for (size_t i = 0; i < h.n; i++) {
		const struct figure *f = &h.figures[i];
		out_fmt(r->out, "# HELP plumbline_%s %s\n# TYPE plumbline_%s %s\nplumbline_%s ",
			f->metric, f->words, f->metric, f->type, f->metric);
		out_num(r->out, f->value);
		out_char(r->out, '\n');
	}
	repositories_text(r->out, &h);
	requests_text(r->out, r->counters);
	return 200;
}

static int status_json(struct req *r, const struct health *h)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_time(&w, "started", r->counters->started);
	jw_bool(&w, "read_only", r->config->read_only);
	jw_str(&w, "rule", rule_version_name(h->rule));
	jw_str(&w, "newest_rule", rule_version_name(RULE_NEWEST));
	jw_obj(&w, "figures");
	for (size_t i = 0; i < h->n; i++)
		jw_num(&w, h->figures[i].metric, h->figures[i].value);
	jw_end(&w);
	jw_end(&w);
	out_char(r->out, '\n');
	return 200;
}

int page_status(struct req *r)
{
	struct out *o = r->out;
	struct health h;
	int e = collect(r, &h);

	if (e < 0)
		return e;
	r->no_store = true;
	if (r->form == FORM_JSON)
		return status_json(r, &h);
	req_page_begin(r, "Status", NULL);
	html(o, "<p>Since ");
	layout_time(o, r->counters->started);
	html(o, " (UTC)%s. Figures of this process start at zero with it.</p>\n",
	     r->config->read_only ? ", read-only" : "");
	e = part_rule_note(r);
	if (e < 0)
		return e;
	html(o, "<table>\n<thead><tr><th scope=\"col\">what</th><th "
		"scope=\"col\">now</th></tr></thead>\n"
		"<tbody>\n");
	for (size_t i = 0; i < h.n; i++) {
		html(o, "<tr><th scope=\"row\">%s</th><td>", h.figures[i].words);
		out_num(o, h.figures[i].value);
		html(o, "</td></tr>\n");
	}
	html(o, "</tbody></table>\n<p>");
	html_link(o, url_path(r->ctx.arena, "/repositories"), "The repositories");
	html(o, " that are followed.</p>\n");
	return req_page_end(r, 200);
}
