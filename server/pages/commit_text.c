/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commit page for terminals and spreadsheets: the same rows as the HTML page, without links. */
#include "server/pages/commit_page.h"

#include <inttypes.h>
#include <math.h>

#include "server/base/clock.h"
#include "server/model/commit_git.h"
#include "server/pages/parts.h"
#include "server/report/robot_table.h"
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
	csv_str(c, verdict_name(k->verdict));
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

/* A value as the robot's table has it, 16 columns; blanks where there is none. */
static void txt_value(struct out *o, const struct cell *c)
{
	double stddev = isnan(c->stddev_pop) ? c->stddev : c->stddev_pop;

	if (!c->present) {
		out_fmt(o, "%16s", "");
		return;
	}
	robot_mean(o, c->mean);
	robot_stddev(o, isnan(c->stddev_pct) ? 100 * stddev / fabs(c->mean) : c->stddev_pct);
}

/* " (KB/s, higher is better, as reported)" and the end of the line. */
static void txt_about(struct out *o, const struct commit_row *row)
{
	out_str(o, " (");
	robot_text(o, row->unit ? row->unit : "");
	out_fmt(o, "%s%s%s)\n", row->unit ? ", " : "",
		direction_words(row->metric->facts.direction),
		row->now.reported ? ", as reported" : "");
}

/* Text at the right of a column, counted in characters. */
static void txt_right(struct out *o, size_t width, const char *s)
{
	size_t n = 0;

	for (const char *p = s; *p; p++)
		n += ((unsigned char)*p & 0xc0) != 0x80;
	for (; n < width; n++)
		out_char(o, ' ');
	out_str(o, s);
}

/* Verdict, change, both values, name. Fails of runs stand in the change already. */
static void txt_row(struct req *r, const struct commit_row *row)
{
	struct out *o = r->out;

	out_fmt(o, "  %s %-11s ", part_verdict_sign(row->now.verdict),
		verdict_name(row->now.verdict));
	txt_right(o, 14, commit_change_text(r->ctx.arena, row));
	if (row->metric->facts.kind != KIND_FUNCTIONAL) {
		txt_value(o, &row->base);
		out_str(o, " ->");
		txt_value(o, &row->now);
	}
	out_str(o, "  ");
	robot_text(o, row->metric->name);
	txt_about(o, row);
}

static void txt_rows(struct req *r, const struct row_list *l)
{
	size_t n = l->n < ROWS_SHOWN ? l->n : ROWS_SHOWN;

	for (size_t i = 0; i < n; i++)
		txt_row(r, &l->rows[i]);
	if (n < l->seen)
		out_fmt(r->out, "  and %zu more\n", l->seen - n);
}

/* What the test itself measured, where there is nothing to hold it against. */
static void txt_values(struct req *r, const struct commit_result *x)
{
	size_t n = x->steady.n < ROWS_SHOWN ? x->steady.n : ROWS_SHOWN;

	for (size_t i = 0; i < n; i++) {
		const struct commit_row *row = &x->steady.rows[i];

		out_str(r->out, "  ");
		txt_value(r->out, &row->now);
		out_str(r->out, "  ");
		robot_text(r->out, row->metric->name);
		txt_about(r->out, row);
	}
	if (n < x->steady.seen)
		out_fmt(r->out, "  and %zu more\n", x->steady.seen - n);
}

/* What did not change is an answer too: the test's own figures by name. */
static void txt_steady(struct req *r, const struct commit_result *x)
{
	size_t named = 0;

	if (x->counts[VERDICT_SAME] == 0 && x->worst.seen + x->best.seen > 0)
		return;
	out_fmt(r->out, "  = no change in %zu %s\n", x->counts[VERDICT_SAME],
		x->counts[VERDICT_SAME] == 1 ? "metric" : "metrics");
	for (size_t i = 0; i < x->steady.n && named < ROWS_SHOWN; i++) {
		const struct commit_row *row = &x->steady.rows[i];

		if (!row->now.judged || row->now.verdict != VERDICT_SAME)
			continue;
		named++;
		txt_row(r, row);
	}
}

static void txt_result(struct req *r, const struct commit_result *x)
{
	struct arena *a = r->ctx.arena;

	const char *setup = part_series_rest(a, &x->series);

	out_char(r->out, '\n');
	robot_text(r->out, part_series_title(a, &x->series));
	out_fmt(r->out, " (series %.12s)\n%s", x->series.digest, *setup ? "  " : "");
	robot_text(r->out, setup);
	out_fmt(r->out, "%s  %s", *setup ? "\n" : "",
		x->n || x->failed || !x->printed ? part_count(a, x->n, "run")
						 : "figures from a report, no samples");
	if (x->failed)
		out_fmt(r->out,
			x->n ? ", %" PRId64 " more failed" : " ended well, %" PRId64 " failed",
			x->failed);
	if (x->too_large) {
		out_fmt(r->out, ", not compared: %s\n", x->too_large);
		return;
	}
	if (!x->has_base) {
		out_str(r->out, ", no measured ancestor to compare with\n");
		txt_values(r, x);
		return;
	}
	out_fmt(r->out, ", against %s%s", commit_short(a, &x->base), x->base.subject ? " " : "");
	robot_text(r->out, x->base.subject ? x->base.subject : "");
	out_char(r->out, '\n');
	txt_rows(r, &x->worst);
	txt_rows(r, &x->best);
	txt_steady(r, x);
}

static void txt_warnings(struct out *o, const struct build *b)
{
	for (size_t i = 0; i < b->nwarnings; i++) {
		const struct warning *x = &b->warnings[i];

		out_str(o, "build warning: ");
		robot_text(o, x->file ? x->file : "");
		if (x->line >= 0)
			out_fmt(o, ":%" PRId64, x->line);
		if (x->column >= 0)
			out_fmt(o, ":%" PRId64, x->column);
		out_str(o, x->file ? ": " : "");
		robot_text(o, x->message);
		out_char(o, '\n');
	}
}

/* Lines of a text from outside, indented, so that none of them can pass for one of ours. */
static void txt_message(struct out *o, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		out_str(o, "    ");
		commit_plain(o, text, n);
		out_char(o, '\n');
		text += n + (text[n] == '\n');
	}
}

void commit_page_txt(struct req *r, const struct commit_page *p)
{
	const struct commit *k = &p->commit;
	char when[TIME_TEXT];

	out_fmt(r->out, "commit %s", k->git_id ? k->git_id : k->name);
	if (k->kind == COMMIT_REF && k->git_id)
		out_fmt(r->out, " (%s)", k->name);
	out_char(r->out, '\n');
	for (size_t i = 0; i < p->nparents; i++)
		out_fmt(r->out, "parent %s\n",
			p->parents[i].git_id ? p->parents[i].git_id : p->parents[i].name);
	if (k->author.name || k->author.email) {
		out_str(r->out, "author ");
		robot_text(r->out, k->author.name ? k->author.name : "");
		out_str(r->out, " <");
		robot_text(r->out, k->author.email ? k->author.email : "");
		out_str(r->out, ">\n");
	}
	clock_rfc3339(k->date, when);
	if (*when)
		out_fmt(r->out, "date   %s\n", when);
	if (k->label) {
		out_str(r->out, "label  ");
		robot_text(r->out, k->label);
		out_char(r->out, '\n');
	}
	if (k->message || k->subject) {
		out_char(r->out, '\n');
		txt_message(r->out, k->message ? k->message : k->subject);
	}
	out_str(r->out, "\nIn short: ");
	robot_text(r->out, p->sentence);
	out_str(r->out, ".\n");
	for (size_t i = 0; i < p->nbuilds; i++)
		txt_warnings(r->out, &p->builds[i]);
	for (size_t i = 0; i < p->nresults; i++)
		txt_result(r, &p->results[i]);
	if (p->git) {
		out_char(r->out, '\n');
		commit_git_txt(r->out, p->git);
	}
	if (p->cut)
		out_fmt(r->out, "\nMore than %d series were measured; the others are not shown.\n",
			COMMIT_RESULTS_MAX);
}
