/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of one series as JSON, CSV (a line a metric) and text. */
#include "server/pages/series_one.h"

#include <inttypes.h>

#include "server/base/clock.h"
#include "server/model/compare.h"
#include "server/pages/corrections.h"
#include "server/pages/parts.h"
#include "server/pages/series_changes.h"
#include "server/view/csv.h"

static void json_metrics(struct jw *w, const struct series_page *p)
{
	jw_arr(w, "metrics");
	for (size_t i = 0; i < p->nmetrics; i++) {
		const struct series_value *v = &p->metrics[i];

		jw_obj(w, NULL);
		jw_str(w, "metric", v->metric->name);
		jw_str(w, "unit", v->unit);
		jw_str(w, "direction", direction_name(v->metric->facts.direction));
		jw_str(w, "kind", kind_name(v->metric->facts.kind));
		jw_str(w, "role", role_name(v->role));
		jw_num(w, "last", v->mean);
		jw_end(w);
	}
	jw_end(w);
}

static void json_commits(struct jw *w, struct arena *a, const struct series_page *p, size_t limit)
{
	jw_arr(w, "commits");
	for (size_t i = 0; i < p->ncommits && i < limit; i++) {
		const struct series_commit *k = &p->commits[i];

		jw_obj(w, NULL);
		jw_str(w, "id", k->name);
		jw_str(w, "name", compare_name(a, k->name));
		jw_str(w, "subject", k->subject);
		jw_time(w, "date", k->date);
		jw_int(w, "runs", k->runs);
		jw_int(w, "failed", k->failed);
		jw_time(w, "last_upload", k->last_received);
		jw_end(w);
	}
	jw_end(w);
}

void series_page_json(struct req *r, const struct series_page *p, size_t limit)
{
	struct arena *a = r->ctx.arena;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_int(&w, "id", p->series.id);
	jw_str(&w, "digest", p->series.digest);
	part_json_pairs(&w, "axes", p->series.axes, p->series.naxes);
	jw_int(&w, "runs", p->series.runs);
	jw_time(&w, "last_upload", p->series.last_upload);
	part_json_correction_notes(r, &w, "corrections", p->series.id);
	series_changes_json(&w, a, &p->changes);
	json_metrics(&w, p);
	json_commits(&w, a, p, limit);
	jw_int(&w, "commits_in_all", (int64_t)p->ncommits);
	part_json_series_list(&w, "peers", p->peers, p->npeers);
	jw_arr(&w, "neighbours");
	for (size_t i = 0; i < p->nneighbours; i++) {
		jw_obj(&w, NULL);
		part_json_series_keys(&w, &p->neighbours[i], true);
		jw_str(&w, "difference", series_difference(a, &p->series, &p->neighbours[i]));
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
}

void series_page_csv(struct req *r, const struct series_page *p)
{
	static const char *const head[] = {"metric", "unit", "direction", "kind", "role", "last"};
	struct csv c;

	csv_init(&c, r->out);
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		csv_str(&c, head[i]);
	csv_end_line(&c);
	for (size_t i = 0; i < p->nmetrics; i++) {
		const struct series_value *v = &p->metrics[i];

		csv_str(&c, v->metric->name);
		csv_str(&c, v->unit);
		csv_str(&c, direction_name(v->metric->facts.direction));
		csv_str(&c, kind_name(v->metric->facts.kind));
		csv_str(&c, role_name(v->role));
		csv_num(&c, v->mean);
		csv_end_line(&c);
	}
}

void series_page_txt(struct req *r, const struct series_page *p, size_t limit)
{
	struct arena *a = r->ctx.arena;
	char when[TIME_TEXT];

	out_fmt(r->out, "%s\nseries %s\n\n", part_series_title(a, &p->series), p->series.digest);
	for (size_t i = 0; i < p->series.naxes; i++)
		out_fmt(r->out, "  %-20s %s\n", p->series.axes[i].name, p->series.axes[i].value);
	out_str(r->out, "\ncommits measured, newest first\n");
	for (size_t i = 0; i < p->ncommits && i < limit; i++) {
		const struct series_commit *k = &p->commits[i];

		clock_short(k->last_received, when);
		out_fmt(r->out, "  %-12s  %3" PRId64 " runs  %s  %s\n", compare_name(a, k->name),
			k->runs, when, k->subject ? k->subject : "");
	}
	if (p->ncommits > limit)
		out_fmt(r->out, "  and %zu older ones\n", p->ncommits - limit);
	series_changes_txt(r, &p->changes);
	out_str(r->out, "\nmetrics, with the mean on the newest commit\n");
	for (size_t i = 0; i < p->nmetrics; i++) {
		const struct series_value *v = &p->metrics[i];

		if (v->measured)
			out_fmt(r->out, "  %14.6g", v->mean);
		else
			out_fmt(r->out, "  %14s", "-");
		out_fmt(r->out, " %-8s %s (%s, %s)\n", v->unit ? v->unit : "", v->metric->name,
			role_name(v->role), direction_words(v->metric->facts.direction));
	}
}
