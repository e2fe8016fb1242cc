/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /series - search series by their axes, in all four forms. Parameters: axis.<name>=<value> as
 * often as wanted, name= and value= for one more from the form, limit (1 to 1000), cursor (series
 * ids above).
 */
#include "server/pages/pages.h"

#include <inttypes.h>

#include "server/base/clock.h"
#include "server/pages/parts.h"
#include "server/view/csv.h"
#include "server/view/html.h"
#include "server/view/url.h"

struct series_query {
	const struct pair *axes;
	size_t naxes;
	struct page_cut cut;
};

/* The filters that have a value: a form sends its empty fields too. */
static int read_query(struct req *r, struct series_query *q)
{
	const struct pair *given;
	size_t n;
	const char *name = req_param(r, "name"), *value = req_param(r, "value");
	struct pair *axes;

	q->cut = part_page_cut(r, 100, 0);
	req_axes(r, "axis.", &given, &n);
	axes = arena_array(r->ctx.arena, struct pair, n + 1);
	for (size_t i = 0; i < n; i++)
		if (*given[i].value)
			axes[q->naxes++] = given[i];
	if (name && *name && value && *value)
		axes[q->naxes++] = (struct pair){name, value};
	q->axes = axes;
	return req_status(r);
}

static void write_json(struct req *r, const struct series *list, size_t n, int64_t next)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	part_json_series_list(&w, "series", list, n);
	part_json_next(&w, next);
	jw_end(&w);
}

static void write_csv(struct req *r, const struct series *list, size_t n)
{
	static const char *const head[] = {"id",      "digest", "testcase", "tbox_group", "setup",
					   "commits", "runs",   "metrics",  "last_upload"};
	struct csv c;
	char when[TIME_TEXT];

	csv_init(&c, r->out);
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		csv_str(&c, head[i]);
	csv_end_line(&c);
	for (size_t i = 0; i < n; i++) {
		const struct series *s = &list[i];

		csv_int(&c, s->id);
		csv_str(&c, s->digest);
		csv_str(&c, s->testcase);
		csv_str(&c, s->tbox_group);
		csv_str(&c, part_series_rest(r->ctx.arena, s));
		csv_int(&c, s->commits);
		csv_int(&c, s->runs);
		csv_int(&c, s->metrics);
		clock_rfc3339(s->last_upload, when);
		csv_str(&c, when);
		csv_end_line(&c);
	}
}

static void write_txt(struct req *r, const struct series *list, size_t n, int64_t next)
{
	char when[TIME_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct series *s = &list[i];

		clock_short(s->last_upload, when);
		out_fmt(r->out, "%.12s  %s on %s\n    %s\n    %s, %s, %s, last upload %s\n",
			s->digest, s->testcase, s->tbox_group, part_series_rest(r->ctx.arena, s),
			part_count(r->ctx.arena, s->commits, "commit"),
			part_count(r->ctx.arena, s->runs, "run"),
			part_count(r->ctx.arena, s->metrics, "metric"), *when ? when : "never");
	}
	if (n == 0)
		out_str(r->out, "No series fits.\n");
	if (next >= 0)
		out_fmt(r->out, "The list goes on: cursor=%" PRId64 "\n", next);
}

static const char *axis_asked(const struct series_query *q, const char *name)
{
	for (size_t i = 0; i < q->naxes; i++)
		if (!strcmp(q->axes[i].name, name))
			return q->axes[i].value;
	return "";
}

static void write_form(struct req *r, const struct series_query *q)
{
	html(r->out, "<form class=\"filter\" method=\"get\" action=\"");
	html_url(r->out, url_path(r->ctx.arena, "/series"));
	html(r->out,
	     "\">\n<label>Test <input name=\"axis.testcase\" value=\"%s\" "
	     "placeholder=\"hackbench\"></label>\n"
	     "<label>Machine <input name=\"axis.tbox_group\" value=\"%s\" "
	     "placeholder=\"lkp-icl-2sp2\"></label>\n"
	     "<label>Any axis <input name=\"name\" value=\"\" placeholder=\"nr_threads\"></label>\n"
	     "<label>is <input name=\"value\" value=\"\" placeholder=\"100%%\"></label>\n",
	     axis_asked(q, "testcase"), axis_asked(q, "tbox_group"));
	for (size_t i = 0; i < q->naxes; i++) {
		const struct pair *x = &q->axes[i];

		if (strcmp(x->name, "testcase") != 0 && strcmp(x->name, "tbox_group") != 0)
			html(r->out, "<input type=\"hidden\" name=\"axis.%s\" value=\"%s\">\n",
			     x->name, x->value);
	}
	html(r->out, "<button>Search</button></form>\n");
	if (q->naxes) {
		html(r->out, "<p>Shown: series where ");
		for (size_t i = 0; i < q->naxes; i++)
			html(r->out, "%s<b>%s</b> is <b>%s</b>", i ? " and " : "", q->axes[i].name,
			     q->axes[i].value);
		html(r->out, ". ");
		html_link(r->out, url_path(r->ctx.arena, "/series"), "Show all");
		html(r->out, "</p>\n");
	}
}

int page_series_list(struct req *r)
{
	struct series_query q = {.naxes = 0};
	struct series *list;
	size_t n;
	int64_t next = -1;
	int e = read_query(r, &q);

	if (e >= 0)
		e = series_list(&r->ctx, q.axes, q.naxes, q.cut.cursor, q.cut.limit + 1, &list, &n);
	if (e < 0)
		return e;
	if (n > q.cut.limit) {
		n = q.cut.limit;
		next = list[n - 1].id;
	}
	if (r->form == FORM_JSON) {
		write_json(r, list, n, next);
		return 200;
	}
	if (r->form == FORM_CSV || r->form == FORM_TXT) {
		if (r->form == FORM_CSV)
			write_csv(r, list, n);
		else
			write_txt(r, list, n, next);
		return 200;
	}
	req_page_begin(r, "Series", "series");
	html(r->out,
	     "<p>A series is one test with one setup on one kind of machine; only the commit "
	     "varies. A changed setup is another series, so that unlike things are never "
	     "compared.</p>\n");
	write_form(r, &q);
	part_series_table(
		r, list, n,
		q.naxes ? "No series has these axes. Names and values must match as a whole."
			: "There is no series yet. It is made by the first upload.");
	part_pager(r, next);
	return req_page_end(r, 200);
}
