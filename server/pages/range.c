/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /range/A..B, /range?range=: the commits of a range, newest first, with what was measured on
 * them. The text is `git log --oneline --abbrev=12 --topo-order`, byte for byte, and has columns
 * behind the subjects only when a series and a metric are asked for. Text and CSV are whole unless
 * limit says otherwise, or there are more than ROWS_WHOLE; cursor counts commits.
 */
#include "server/pages/range.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/pages/commit_page.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/csv.h"
#include "server/view/html.h"
#include "server/view/json.h"
#include "server/view/url.h"

#define ROWS_SHOWN    500
#define ROWS_WHOLE    100000
#define SUBJECT_WIDTH 64 /* columns begin behind it, or behind a longer subject */
#define FIGURES_WIDTH 44
#define MANY_SHOWN    20

const char *range_name(struct req *r, const struct range *x)
{
	return arena_fmt(r->ctx.arena, "%s%s%s", x->ends.from_asked,
			 x->ends.symmetric ? "..." : "..", x->ends.to_asked);
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static void json_row(struct jw *w, const struct range *x, const struct range_row *row)
{
	const struct history_point *p = row->point;

	jw_obj(w, NULL);
	jw_str(w, "id", row->id);
	jw_str(w, "name", row->name);
	jw_str(w, "subject", row->subject);
	jw_time(w, "date", row->date);
	jw_bool(w, "merge", row->merge);
	jw_bool(w, "measured", x->history.metric ? p != NULL : row->nseries > 0);
	jw_int(w, "series", row->nseries);
	jw_int(w, "findings", row->findings);
	jw_int(w, "builds", row->builds);
	jw_int(w, "failed_builds", row->failed_builds);
	jw_int(w, "warnings", row->warnings);
	if (p && !p->printed)
		jw_int(w, "n", (int64_t)p->d.n);
	else
		jw_null(w, "n");
	jw_num(w, "mean", p ? p->d.mean : NAN);
	jw_num(w, "stddev", p ? p->d.stddev : NAN);
	jw_str(w, "below", row->below ? row->below->name : NULL);
	jw_num(w, "change_pct", p && row->below ? history_change(p, row->below, false) : NAN);
	jw_num(w, "change_abs", p && row->below ? history_change(p, row->below, true) : NAN);
	jw_bool(w, "suspect", row->suspect);
	jw_null(w, "probability");
	jw_end(w);
}

static void json_step(struct jw *w, const struct range_step *s)
{
	if (!s) {
		jw_null(w, "step");
		return;
	}
	jw_obj(w, "step");
	jw_str(w, "good", s->good->name);
	jw_str(w, "bad", s->bad->name);
	jw_num(w, "change_pct", history_change(s->bad, s->good, false));
	jw_num(w, "change_abs", history_change(s->bad, s->good, true));
	jw_str(w, "verdict", verdict_name(s->cell->verdict));
	jw_str(w, "reason", s->cell->reason);
	jw_str(w, "rule", rule_version_name(s->rule));
	jw_int(w, "suspects", (int64_t)s->nsuspects);
	jw_end(w);
}

static void json_suggestion(struct jw *w, const struct range_suggestion *s)
{
	if (!s->id) {
		jw_null(w, "suggestion");
		return;
	}
	jw_obj(w, "suggestion");
	jw_str(w, "commit", s->id);
	jw_int(w, "runs", s->runs);
	jw_str(w, "why", s->why);
	jw_end(w);
}

static void answer_json(struct req *r, const struct range *x)
{
	struct arena *a = r->ctx.arena;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "schema", "plumbline.range/1");
	part_json_commit(&w, a, "from", &x->ends.from);
	part_json_commit(&w, a, "to", &x->ends.to);
	jw_bool(&w, "symmetric", x->ends.symmetric);
	jw_int(&w, "total", (int64_t)x->total);
	if (x->history.metric) {
		part_json_series(&w, "series", &x->history.series, false);
		jw_str(&w, "metric", x->history.metric->name);
		jw_str(&w, "unit", x->history.unit);
		jw_str(&w, "direction", direction_name(x->history.metric->facts.direction));
	} else {
		jw_null(&w, "series");
		jw_null(&w, "metric");
		jw_null(&w, "unit");
		jw_null(&w, "direction");
	}
	jw_arr(&w, "commits");
	for (size_t i = 0; i < x->nrows; i++)
		json_row(&w, x, &x->rows[i]);
	jw_end(&w);
	json_step(&w, x->step);
	json_suggestion(&w, &x->suggestion);
	part_json_next(&w, x->next);
	jw_end(&w);
}

/* --- CSV ----------------------------------------------------------------------------------------
 */

static void answer_csv(struct req *r, const struct range *x)
{
	static const char *const head[] = {
		"commit", "subject", "merge",  "series", "findings",   "failed_builds", "warnings",
		"n",      "mean",    "stddev", "below",  "change_pct", "suspect"};
	struct csv w;

	csv_init(&w, r->out);
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		csv_str(&w, head[i]);
	csv_end_line(&w);
	for (size_t i = 0; i < x->nrows; i++) {
		const struct range_row *row = &x->rows[i];
		const struct history_point *p = row->point;

		csv_str(&w, row->id);
		csv_str(&w, row->subject);
		csv_int(&w, row->merge);
		csv_int(&w, row->nseries);
		csv_int(&w, row->findings);
		csv_int(&w, row->failed_builds);
		csv_int(&w, row->warnings);
		if (p && !p->printed)
			csv_int(&w, (int64_t)p->d.n);
		else
			csv_str(&w, NULL);
		csv_num(&w, p ? p->d.mean : NAN);
		csv_num(&w, p ? p->d.stddev : NAN);
		csv_str(&w, row->below ? row->below->name : NULL);
		csv_num(&w, p && row->below ? history_change(p, row->below, false) : NAN);
		csv_int(&w, row->suspect);
		csv_end_line(&w);
	}
}

/* --- text ---------------------------------------------------------------------------------------
 */

/* A text from outside in one line, as git prints it but for what would control a terminal. Returns
 * how many characters. */
static size_t put_text(struct out *o, const char *s)
{
	size_t n = 0;

	if (!s)
		return 0;
	commit_plain(o, s, strlen(s));
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void text_figures(struct out *o, const struct range *x, const struct range_row *row)
{
	const struct history_point *p = row->point;
	double spread = history_spread_pct(p);

	if (p->printed)
		out_fmt(o, " %8s", "-");
	else
		out_fmt(o, " %3zu %s", p->d.n, p->d.n == 1 ? "run " : "runs");
	out_fmt(o, " %14.7g", p->d.mean);
	if (isnan(spread))
		out_fmt(o, " %9s", "");
	else
		out_fmt(o, " ± %5.1f%% ", spread);
	if (isnan(row->change))
		out_fmt(o, " %9s", "-");
	else if (x->history.metric->facts.kind == KIND_PERCENT)
		out_fmt(o, " %+9.2f", row->change);
	else
		out_fmt(o, " %+8.1f%%", row->change);
}

static void answer_txt(struct req *r, const struct range *x)
{
	struct out *o = r->out;

	for (size_t i = 0; i < x->nrows; i++) {
		const struct range_row *row = &x->rows[i];
		size_t width;

		put_text(o, row->name);
		out_char(o, ' ');
		width = put_text(o, row->subject);
		if (x->history.metric) {
			size_t from = row->point ? SUBJECT_WIDTH : SUBJECT_WIDTH + FIGURES_WIDTH;

			for (; width < from && (row->point || row->suspect); width++)
				out_char(o, ' ');
			if (row->point)
				text_figures(o, x, row);
			if (row->suspect)
				out_str(o, "  suspect");
			if (row->failed_builds)
				out_str(o, "  does not build");
		}
		out_char(o, '\n');
	}
	if (x->next >= 0 && !req_param(r, "limit"))
		out_fmt(o, "… and %zu more: go on with cursor=%lld\n", x->total - (size_t)x->next,
			(long long)x->next);
}

/* --- the page -----------------------------------------------------------------------------------
 */

static int read_query(struct req *r, struct range_query *q)
{
	bool whole = r->form == FORM_TXT || r->form == FORM_CSV;
	struct page_cut cut;

	q->asked = req_name(r, 0, "range");
	q->series = req_param(r, "series");
	q->metric = req_param(r, "metric");
	q->first_parent = req_bool(r, "first_parent", false);
	cut = part_page_cut(r, ROWS_SHOWN, 0);
	q->limit = whole && !req_param(r, "limit") ? ROWS_WHOLE : cut.limit;
	q->first = (size_t)cut.cursor;
	if (q->series && !*q->series)
		q->series = NULL;
	if (q->metric && !*q->metric)
		q->metric = NULL;
	if (!q->asked)
		return fail(&r->ctx, E_NOTFOUND,
			    "say which range: /range/A..B are the commits of B that A does not "
			    "have, such as /range/v6.4..v6.5; /range?range=A..B says the same");
	if (q->metric && !q->series)
		fault(&r->ctx, "series", "say which series: its digest or number");
	if (q->series && !q->metric)
		fault(&r->ctx, "metric", "say which metric: its full name");
	return req_status(r);
}

/* "^2~3" of "v5.6^2~3" */
static const char *steps_of(const char *asked)
{
	return asked + strcspn(asked, "^~");
}

/* Which of the two sides is meant; the page offers each with the rest of the address as it is. */
static int answer_ambiguous(struct req *r, const struct revision_range *ends,
			    const struct commit_list *many)
{
	struct arena *a = r->ctx.arena;
	bool is_from = !ends->from.name;
	const char *dots = ends->symmetric ? "..." : "..";

	if (r->form != FORM_HTML) {
		part_faults_of_many(r, many, MANY_SHOWN);
		return E_AMBIGUOUS;
	}
	ctx_clear(&r->ctx);
	req_page_begin(r, arena_fmt(a, "Which %s?", is_from ? ends->from_asked : ends->to_asked),
		       NULL);
	html(r->out, "<p>Several commits fit this name. Choose one to go on:</p>\n<ul>\n");
	for (size_t i = 0; i < many->n && i < MANY_SHOWN; i++) {
		const char *name = commit_address_among(a, &many->commits[i]);
		const char *range =
			is_from ? arena_fmt(a, "%s%s%s%s", name, steps_of(ends->from_asked), dots,
					    ends->to_asked)
				: arena_fmt(a, "%s%s%s%s", ends->from_asked, dots, name,
					    steps_of(ends->to_asked));

		part_candidate(r, &many->commits[i],
			       url_range(a, range, req_param(r, "series"), req_param(r, "metric")));
	}
	html(r->out, "</ul>\n");
	return req_page_end(r, err_status(E_AMBIGUOUS));
}

/* For people who came without one: what is wanted, and a field to write it in. */
static int answer_unasked(struct req *r)
{
	struct arena *a = r->ctx.arena;

	ctx_clear(&r->ctx);
	r->forms = 0; /* an error has no other form worth a link */
	req_page_begin(r, "Which range?", NULL);
	html(r->out, "<p>Commits from one to another, with what was measured on them: "
		     "<code>A..B</code> are the commits of B that A does not have, "
		     "<code>A...B</code> those that only one of the two has. A and B are ids, "
		     "prefixes of ids, tags or branches, such as <code>v6.4..v6.5</code>.</p>\n"
		     "<form class=\"filter\" method=\"get\" action=\"");
	html_url(r->out, url_path(a, "/range"));
	html(r->out, "\"><label>Range <input name=\"range\" size=\"50\" required "
		     "placeholder=\"v6.4..v6.5\"></label> <button>Show</button></form>\n");
	return req_page_end(r, 404);
}

int page_range(struct req *r)
{
	struct commit_list many = {0};
	struct range_query q = {0};
	struct range x;
	int e = read_query(r, &q);

	if (!q.asked && e == E_NOTFOUND && r->form == FORM_HTML)
		return answer_unasked(r);
	if (e >= 0)
		e = range_load(&r->ctx, &q, &x, &many);
	if (e == E_AMBIGUOUS && many.n)
		return answer_ambiguous(r, &x.ends, &many);
	if (e < 0)
		return e;
	if (r->form == FORM_JSON)
		answer_json(r, &x);
	else if (r->form == FORM_CSV)
		answer_csv(r, &x);
	else if (r->form == FORM_TXT)
		answer_txt(r, &x);
	else
		return range_html(r, &x);
	return 200;
}
