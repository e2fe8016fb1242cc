/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commit page for terminals and spreadsheets: the same rows as the HTML page, without links. */
#include "server/pages/commit_page.h"

#include <inttypes.h>
#include <math.h>

#include "server/base/clock.h"
#include "server/model/commit.h"
#include "server/pages/parts.h"
#include "server/view/csv.h"

#define ROWS_SHOWN 20

static void csv_row(struct csv *c, struct arena *a, const struct commit_result *x,
		    const struct commit_row *row)
{
	const struct cell *k = &row->now;

	csv_str(c, x->series.digest);
	csv_str(c, x->series.testcase);
	csv_str(c, x->series.tbox_group);
	csv_str(c, part_series_rest(a, &x->series));
	csv_str(c, x->has_base ? x->base.name : NULL);
	csv_str(c, row->metric->name);
	csv_str(c, row->unit);
	csv_str(c, direction_name(row->metric->facts.direction));
	csv_str(c, role_name(row->role));
	csv_num(c, row->base.present ? row->base.mean : NAN);
	csv_num(c, k->present ? k->mean : NAN);
	csv_num(c, k->judged ? k->change_abs : NAN);
	csv_num(c, k->judged ? k->change_pct : NAN);
	csv_num(c, k->judged ? k->q : NAN);
	csv_str(c, verdict_name(k->judged ? k->verdict : VERDICT_NO_DATA));
	csv_str(c, k->reported ? "reported" : "judged");
	csv_end_line(c);
}

static void csv_rows(struct csv *c, struct arena *a, const struct commit_result *x,
		     const struct row_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		csv_row(c, a, x, &l->rows[i]);
}

void commit_page_csv(struct req *r, const struct commit_page *p)
{
	static const char *const head[] = {"series",     "testcase",  "tbox_group", "setup",
					   "base",       "metric",    "unit",       "direction",
					   "role",       "mean_base", "mean",       "change_abs",
					   "change_pct", "q",         "verdict",    "origin"};
	struct csv c;

	csv_init(&c, r->out);
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		csv_str(&c, head[i]);
	csv_end_line(&c);
	for (size_t i = 0; i < p->nresults; i++) {
		const struct commit_result *x = &p->results[i];

		csv_rows(&c, r->ctx.arena, x, &x->worst);
		csv_rows(&c, r->ctx.arena, x, &x->best);
		csv_rows(&c, r->ctx.arena, x, &x->steady);
	}
}

static void txt_rows(struct req *r, const struct row_list *l)
{
	size_t n = l->n < ROWS_SHOWN ? l->n : ROWS_SHOWN;

	for (size_t i = 0; i < n; i++) {
		const struct commit_row *row = &l->rows[i];

		out_fmt(r->out, "  %s %-11s %12s  %s%s (%s)\n", part_verdict_sign(row->now.verdict),
			verdict_name(row->now.verdict), commit_change_text(r->ctx.arena, row),
			row->metric->name, row->now.reported ? ", as reported" : "",
			direction_words(row->metric->facts.direction));
	}
	if (n < l->seen)
		out_fmt(r->out, "  and %zu more\n", l->seen - n);
}

static void txt_result(struct req *r, const struct commit_result *x)
{
	struct arena *a = r->ctx.arena;

	out_fmt(r->out, "\n%s (series %.12s)\n  %s\n  %s", part_series_title(a, &x->series),
		x->series.digest, part_series_rest(a, &x->series),
		x->n || x->failed || !x->printed ? part_count(a, x->n, "run")
						 : "figures from a report, no samples");
	if (x->failed)
		out_fmt(r->out, ", %" PRId64 " more failed", x->failed);
	if (!x->has_base) {
		out_str(r->out, ", no measured ancestor to compare with\n");
		return;
	}
	out_fmt(r->out, ", against %s%s%s\n", commit_short(a, &x->base), x->base.subject ? " " : "",
		x->base.subject ? x->base.subject : "");
	txt_rows(r, &x->worst);
	txt_rows(r, &x->best);
	out_fmt(r->out, "  = no change in %zu %s\n", x->counts[VERDICT_SAME],
		x->counts[VERDICT_SAME] == 1 ? "metric" : "metrics");
}

static void txt_warnings(struct out *o, const struct build *b)
{
	for (size_t i = 0; i < b->nwarnings; i++) {
		const struct warning *x = &b->warnings[i];

		out_fmt(o, "build warning: %s", x->file ? x->file : "");
		if (x->line >= 0)
			out_fmt(o, ":%" PRId64, x->line);
		if (x->column >= 0)
			out_fmt(o, ":%" PRId64, x->column);
		out_fmt(o, "%s%s\n", x->file ? ": " : "", x->message);
	}
}

/* Lines of a text from outside, indented, so that none of them can pass for one of ours. */
static void txt_message(struct out *o, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		out_str(o, "    ");
		out_bytes(o, text, n);
		out_char(o, '\n');
		text += n + (text[n] == '\n');
	}
}

void commit_page_txt(struct req *r, const struct commit_page *p)
{
	const struct commit *k = &p->commit;
	char when[TIME_TEXT];

	out_fmt(r->out, "commit %s\n", k->name);
	for (size_t i = 0; i < p->nparents; i++)
		out_fmt(r->out, "parent %s\n", p->parents[i].name);
	if (k->author.name || k->author.email)
		out_fmt(r->out, "author %s <%s>\n", k->author.name ? k->author.name : "",
			k->author.email ? k->author.email : "");
	clock_rfc3339(k->date, when);
	if (*when)
		out_fmt(r->out, "date   %s\n", when);
	if (k->label)
		out_fmt(r->out, "label  %s\n", k->label);
	if (k->message || k->subject) {
		out_char(r->out, '\n');
		txt_message(r->out, k->message ? k->message : k->subject);
	}
	out_fmt(r->out, "\nIn short: %s.\n", p->sentence);
	for (size_t i = 0; i < p->nbuilds; i++)
		txt_warnings(r->out, &p->builds[i]);
	for (size_t i = 0; i < p->nresults; i++)
		txt_result(r, &p->results[i]);
	if (p->cut)
		out_fmt(r->out, "\nMore than %d series were measured; the others are not shown.\n",
			COMMIT_RESULTS_MAX);
}
