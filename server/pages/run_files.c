/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lower part of a run's page: distributions, a table of percentiles a metric with its buckets
 * folded away, and the files that came with it.
 */
#include "server/pages/run.h"

#include <math.h>

#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define BUCKETS_SHOWN 1000

static void write_whole(struct jw *w, const char *name, int64_t v)
{
	if (v < 0)
		jw_null(w, name);
	else
		jw_int(w, name, v);
}

void run_json_distributions(struct jw *w, const struct run_page *p)
{
	jw_obj(w, "distributions");
	for (size_t i = 0; i < p->ndistributions; i++) {
		const struct distribution_in *d = &p->distributions[i];

		jw_obj(w, d->metric);
		jw_str(w, "unit", d->unit);
		write_whole(w, "n", d->n);
		jw_num(w, "min", d->min);
		jw_num(w, "max", d->max);
		jw_num(w, "mean", d->mean);
		jw_num(w, "stddev", d->stddev);
		jw_obj(w, "percentiles");
		for (size_t k = 0; k < d->npercentiles; k++)
			jw_num(w, d->percentiles[k].name, d->percentiles[k].value);
		jw_end(w);
		jw_arr(w, "buckets");
		for (size_t k = 0; k < d->nbuckets; k++) {
			jw_arr(w, NULL);
			jw_num(w, NULL, d->buckets[k].le);
			jw_int(w, NULL, d->buckets[k].count);
			jw_end(w);
		}
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

void run_json_artifacts(struct jw *w, struct arena *a, const struct run_page *p)
{
	char hex[ARTIFACT_HEX + 1];

	jw_arr(w, "artifacts");
	for (size_t i = 0; i < p->nartifacts; i++) {
		const struct run_artifact *x = &p->artifacts[i];

		artifact_hex(&x->digest, hex);
		jw_obj(w, NULL);
		jw_str(w, "name", x->name);
		jw_str(w, "digest", hex);
		jw_int(w, "size", x->size);
		jw_time(w, "received", x->received);
		jw_str(w, "token", x->by);
		jw_str(w, "url", url_artifact(a, hex, NULL)->s);
		jw_end(w);
	}
	jw_end(w);
}

static void write_figure(struct req *r, const char *label, double v, const char *unit)
{
	if (isnan(v))
		return;
	html(r->out, "<tr><th scope=\"row\">%s<td class=\"num\">", label);
	layout_quantity(r->out, v, unit);
	html(r->out, "\n");
}

static void write_buckets(struct req *r, const struct distribution_in *d)
{
	size_t shown = d->nbuckets < BUCKETS_SHOWN ? d->nbuckets : BUCKETS_SHOWN;

	html(r->out, "<details><summary>%s</summary>\n<table class=\"pairs\">\n",
	     part_count(r->ctx.arena, (int64_t)d->nbuckets, "bucket"));
	for (size_t i = 0; i < shown; i++) {
		html(r->out, "<tr><th scope=\"row\">up to ");
		layout_quantity(r->out, d->buckets[i].le, d->unit);
		html(r->out, "<td class=\"num\">%lld\n", (long long)d->buckets[i].count);
	}
	html(r->out, "</table>\n");
	if (shown < d->nbuckets)
		html(r->out, "<p class=\"cut\">The others are in the JSON form.</p>\n");
	html(r->out, "</details>\n");
}

void run_html_distributions(struct req *r, const struct run_page *p)
{
	if (!p->ndistributions)
		return;
	html(r->out, "<h2 id=\"distributions\">Distributions</h2>\n");
	for (size_t i = 0; i < p->ndistributions; i++) {
		const struct distribution_in *d = &p->distributions[i];

		html(r->out, "<h3>");
		html_link(r->out, url_metric(r->ctx.arena, d->metric), d->metric);
		html(r->out, "</h3>\n<table class=\"pairs\">\n");
		if (d->n >= 0)
			html(r->out, "<tr><th scope=\"row\">Samples<td class=\"num\">%lld\n",
			     (long long)d->n);
		write_figure(r, "Least", d->min, d->unit);
		for (size_t k = 0; k < d->npercentiles; k++)
			write_figure(
				r,
				arena_fmt(r->ctx.arena, "%s %% are below", d->percentiles[k].name),
				d->percentiles[k].value, d->unit);
		write_figure(r, "Greatest", d->max, d->unit);
		write_figure(r, "Mean", d->mean, d->unit);
		write_figure(r, "Standard deviation", d->stddev, d->unit);
		html(r->out, "</table>\n");
		if (d->nbuckets)
			write_buckets(r, d);
	}
}

void run_html_artifacts(struct req *r, const struct run_page *p)
{
	struct arena *a = r->ctx.arena;
	char hex[ARTIFACT_HEX + 1];

	if (!p->nartifacts)
		return;
	html(r->out, "<h2 id=\"files\">Files</h2>\n<table class=\"files\">\n<thead><tr>"
		     "<th scope=\"col\">Name<th scope=\"col\" class=\"num\">Size"
		     "<th scope=\"col\">Received<th scope=\"col\">Uploaded by</thead>\n<tbody>\n");
	for (size_t i = 0; i < p->nartifacts; i++) {
		const struct run_artifact *x = &p->artifacts[i];

		artifact_hex(&x->digest, hex);
		html(r->out, "<tr><td>");
		html_link(r->out, url_artifact(a, hex, x->name), x->name);
		html(r->out, "<td class=\"num\">");
		layout_quantity(r->out, (double)x->size, "bytes");
		html(r->out, "<td>");
		layout_time(r->out, x->received);
		html(r->out, "<td>%s\n", x->by ? x->by : "command line");
	}
	html(r->out, "</tbody></table>\n");
}
