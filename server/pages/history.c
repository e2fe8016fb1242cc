/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /history: one metric of one series over its commits, in all four forms. Ordered by commit
 * date, or by first upload with order=time. Events of the machine are in the JSON; change
 * points and findings have their places there and are empty so far; ref= and join= are accepted and
 * said to have no effect yet.
 */
#include "server/pages/history.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/csv.h"
#include "server/view/json.h"

static const char *const order_words[] = {"commit", "time", NULL};
static const char *const without_effect[] = {"ref", "join", NULL};

static void write_point(struct jw *w, const struct history_point *p)
{
	jw_obj(w, NULL);
	jw_obj(w, "commit");
	jw_str(w, "id", p->name);
	jw_str(w, "name", p->shown);
	jw_str(w, "subject", p->subject);
	jw_time(w, "date", p->date);
	jw_end(w);
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

static void write_nothing_yet(struct jw *w, const char *name)
{
	jw_arr(w, name);
	jw_end(w);
}

static void answer_json(struct req *r, const struct history *h)
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
	jw_arr(&w, "points");
	for (size_t i = 0; i < h->npoints; i++)
		write_point(&w, &h->points[i]);
	jw_end(&w);
	write_nothing_yet(&w, "change_points");
	part_json_events(&w, "events", h->events, h->nevents);
	write_nothing_yet(&w, "findings");
	jw_arr(&w, "without_effect");
	for (size_t i = 0; without_effect[i]; i++)
		if (req_param(r, without_effect[i]))
			jw_str(&w, NULL, without_effect[i]);
	jw_end(&w);
	jw_end(&w);
}

static void answer_csv(struct req *r, const struct history *h)
{
	static const char *const head[] = {"commit", "subject", "date",       "n",
					   "mean",   "stddev",  "stddev_pct", "min",
					   "median", "max",     "values"};
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
		csv_end_line(&w);
	}
}

/* A text from outside in one line of a terminal: what would control it becomes a question mark. */
static void put_text(struct out *o, const char *s)
{
	for (; s && *s; s++)
		out_char(o, (unsigned char)*s < ' ' || *s == 127 ? '?' : *s);
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
	put_text(o, p->subject);
	out_char(o, '\n');
}

static void answer_txt(struct req *r, const struct history *h)
{
	struct out *o = r->out;
	bool points = h->metric->facts.kind == KIND_PERCENT;

	put_text(o, h->metric->name);
	out_str(o, h->unit ? " in " : "");
	put_text(o, h->unit);
	out_fmt(o, ", %s\n", direction_words(h->metric->facts.direction));
	put_text(o, part_series_title(r->ctx.arena, &h->series));
	out_fmt(o, ", series %s\n", h->series.digest);
	for (size_t i = 0; without_effect[i]; i++)
		if (req_param(r, without_effect[i]))
			out_fmt(o, "%s= has no effect yet\n", without_effect[i]);
	out_fmt(o, "\n%-16s  %-16s %5s %14s %7s %9s  %s\n", "commit", "date", "runs", "mean",
		"stddev", points ? "points" : "change", "subject");
	for (size_t i = 0; i < h->npoints; i++)
		write_line(o, &h->points[i], i ? &h->points[i - 1] : NULL, points);
}

int page_history(struct req *r)
{
	const char *series = req_param(r, "series"), *metric = req_param(r, "metric");
	int order = req_enum(r, "order", order_words, HISTORY_BY_COMMIT);
	struct history h;
	int rc;

	if (!series || !*series)
		fault(&r->ctx, "series", "say which series: its digest or number");
	if (!metric || !*metric)
		fault(&r->ctx, "metric", "say which metric: its full name");
	rc = req_status(r);
	if (rc >= 0)
		rc = history_load(&r->ctx, series, metric, (enum history_order)order, &h);
	if (rc < 0)
		return rc;
	switch (r->form) {
	case FORM_JSON:
		answer_json(r, &h);
		break;
	case FORM_CSV:
		answer_csv(r, &h);
		break;
	case FORM_TXT:
		answer_txt(r, &h);
		break;
	case FORM_HTML:
	case FORM_MD: /* which it does not have */
		return history_html(r, &h);
	}
	return 200;
}
