/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /history: one metric of one series over its commits, in all four forms. Ordered along the
 * first parents of a ref, or by first upload with order=time; with join= also the series that
 * differ in the named axes alone. Change points and drifts are looked for along the commits; by
 * upload there are none. Events of the machine are in the JSON; findings have their place there and
 * are empty so far.
 */
#include "server/pages/history.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/report/robot_table.h"
#include "server/view/csv.h"
#include "server/view/json.h"

static const char *const order_words[] = {"commit", "time", NULL};

/* As /compare says them of its commits. */
static void write_names(struct jw *w, const struct history_point *p)
{
	if (p->nrows < 2)
		return;
	jw_arr(w, "names");
	for (size_t i = 0; i < p->nrows; i++)
		jw_str(w, NULL, p->names[i]);
	jw_end(w);
}

static void write_point(struct jw *w, const struct history *h, const struct history_point *p)
{
	jw_obj(w, NULL);
	jw_obj(w, "commit");
	jw_str(w, "id", p->name);
	jw_str(w, "name", p->shown);
	jw_str(w, "subject", p->subject);
	jw_time(w, "date", p->date);
	write_names(w, p);
	jw_end(w);
	jw_str(w, "series", h->joined[p->series].digest);
	jw_str(w, "place", history_place_name(p->place));
	jw_str(w, "beside", p->beside);
	if (p->printed)
		jw_null(w, "n");
	else
		jw_int(w, "n", (int64_t)p->d.n);
	jw_num(w, "mean", p->d.mean);
	jw_num(w, "stddev", p->d.stddev);
	jw_num(w, "min", p->d.min);
	jw_num(w, "max", p->d.max);
	jw_num(w, "median", p->d.median);
	if (p->printed)
		jw_num(w, "stddev_pct", p->stddev_pct);
	jw_arr(w, "values");
	for (size_t i = 0; i < p->d.n; i++)
		jw_num(w, NULL, p->values[i]);
	jw_end(w);
	jw_end(w);
}

static void answer_json(struct req *r, const struct history *h, const struct history_changes *found)
{
	const struct metric_facts *f = &h->metric->facts;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "schema", "plumbline.history/1");
	part_json_series(&w, "series", &h->series, false);
	jw_str(&w, "metric", h->metric->name);
	jw_str(&w, "unit", h->unit);
	jw_str(&w, "direction", direction_name(f->direction));
	jw_str(&w, "ref", h->line);
	part_json_series_list(&w, "joined", h->joined + 1, h->njoined - 1);
	jw_arr(&w, "points");
	for (size_t i = 0; i < h->npoints; i++)
		write_point(&w, h, &h->points[i]);
	jw_end(&w);
	history_changes_json(&w, h, found);
	part_json_events(&w, "events", h->events, h->nevents);
	jw_arr(&w, "findings"); /* nobody opens any yet */
	jw_end(&w);
	jw_end(&w);
}

static void answer_csv(struct req *r, const struct history *h)
{
	static const char *const head[] = {"commit", "subject",    "date",   "n",      "mean",
					   "stddev", "stddev_pct", "min",    "median", "max",
					   "values", "place",      "beside", "series"};
	struct csv w;

	csv_init(&w, r->out);
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		csv_str(&w, head[i]);
	csv_end_line(&w);
	for (size_t i = 0; i < h->npoints; i++) {
		const struct history_point *p = &h->points[i];
		char date[TIME_TEXT];
		auto_out struct out values;

		out_init(&values, OUT_MAX_DEFAULT);
		for (size_t k = 0; k < p->d.n; k++) {
			if (k)
				out_char(&values, ' ');
			out_num(&values, p->values[k]);
		}
		clock_rfc3339(p->date, date);
		csv_str(&w, p->name);
		csv_str(&w, p->subject);
		csv_str(&w, date);
		if (p->printed)
			csv_str(&w, NULL);
		else
			csv_int(&w, (int64_t)p->d.n);
		csv_num(&w, p->d.mean);
		csv_num(&w, p->d.stddev);
		csv_num(&w, p->stddev_pct);
		csv_num(&w, p->d.min);
		csv_num(&w, p->d.median);
		csv_num(&w, p->d.max);
		csv_str(&w, values.len ? values.p : NULL);
		csv_str(&w, history_place_name(p->place));
		csv_str(&w, p->beside);
		csv_str(&w, h->joined[p->series].digest);
		csv_end_line(&w);
	}
}

/* A width of 14 holds what %.7g prints; the subject comes last, whatever its length. */
static void write_line(struct out *o, const struct history_point *p,
		       const struct history_point *prev, bool points)
{
	double spread = history_spread_pct(p), change = history_change(p, prev, points);
	char date[TIME_TEXT];

	clock_short(p->date, date);
	out_fmt(o, "%-16.27s  %-16s ", p->shown, date[0] ? date : "-");
	if (p->printed)
		out_fmt(o, "%5s %14.7g ", "-", p->d.mean);
	else
		out_fmt(o, "%5zu %14.7g ", p->d.n, p->d.mean);
	if (isnan(spread))
		out_fmt(o, "%7s ", "-");
	else
		out_fmt(o, "%6.1f%% ", spread);
	if (isnan(change))
		out_fmt(o, "%9s ", "-");
	else if (points)
		out_fmt(o, "%+9.2f ", change);
	else
		out_fmt(o, fabs(change) < 100000 ? "%+8.1f%% " : "%+8.2g%% ", change);
	out_char(o, ' ');
	if (p->place == HISTORY_BESIDE)
		out_fmt(o, "[beside %.27s] ", p->beside ? p->beside : "the line");
	if (p->change)
		out_str(o, "[");
	robot_text(o, p->change ? p->change : "");
	out_str(o, p->change ? "] " : "");
	robot_text(o, p->subject ? p->subject : "");
	out_char(o, '\n');
}

static void answer_txt(struct req *r, const struct history *h, const struct history_changes *found)
{
	struct out *o = r->out;
	bool points = h->metric->facts.kind == KIND_PERCENT;

	robot_text(o, h->metric->name);
	out_str(o, h->unit ? " in " : "");
	robot_text(o, h->unit ? h->unit : "");
	out_fmt(o, ", %s\n", direction_words(h->metric->facts.direction));
	robot_text(o, part_series_title(r->ctx.arena, &h->series));
	out_fmt(o, ", series %s\n", h->series.digest);
	if (h->line) {
		out_str(o, "in the order of ");
		robot_text(o, h->line);
		out_char(o, '\n');
	}
	history_changes_txt(r, h, found);
	out_fmt(o, "\n%-16s  %-16s %5s %14s %7s %9s  %s\n", "commit", "date", "runs", "mean",
		"stddev", points ? "points" : "change", "subject");
	for (size_t i = 0; i < h->npoints; i++)
		write_line(o, &h->points[i], history_previous(h, &h->points[i]), points);
}

/* join=ucode,rootfs */
static void read_join(struct req *r, struct history_query *q)
{
	const char *at = req_param(r, "join");
	const char **names = arena_array(r->ctx.arena, const char *, HISTORY_JOIN_MAX);

	q->join = names;
	while (at && *at) {
		size_t n = strcspn(at, ",");

		if (q->njoin == HISTORY_JOIN_MAX) {
			fault(&r->ctx, "join", "at most %d axes are joined", HISTORY_JOIN_MAX);
			return;
		}
		if (n)
			names[q->njoin++] = arena_strn(r->ctx.arena, at, n);
		at += n + (at[n] == ',');
	}
}

int page_history(struct req *r)
{
	const char *series = req_param(r, "series"), *metric = req_param(r, "metric");
	const char *ref = req_param(r, "ref");
	struct history_query q = {
		.series = series,
		.metric = metric,
		.order = (enum history_order)req_enum(r, "order", order_words, HISTORY_BY_COMMIT),
		.ref = ref && *ref ? ref : NULL,
	};
	struct history_changes found = {0};
	struct history h;
	int rc;

	if (!series || !*series)
		fault(&r->ctx, "series", "say which series: its digest or number");
	if (!metric || !*metric)
		fault(&r->ctx, "metric", "say which metric: its full name");
	read_join(r, &q);
	rc = req_status(r);
	if (rc >= 0)
		rc = history_ask(&r->ctx, &q, &h);
	if (rc < 0)
		return rc;
	if (q.order == HISTORY_BY_COMMIT)
		found = history_changes(r->ctx.arena, &h);
	switch (r->form) {
	case FORM_JSON:
		answer_json(r, &h, &found);
		break;
	case FORM_CSV:
		answer_csv(r, &h);
		break;
	case FORM_TXT:
		answer_txt(r, &h, &found);
		break;
	case FORM_HTML:
	case FORM_MD: /* which it does not have */
		return history_html(r, &h, &found);
	}
	return 200;
}
