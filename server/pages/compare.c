/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /compare: reads what is asked for, has model/compare.c fill the tables, and hands them to the
 * form that is wanted. A commit name that fits several commits is answered by the list of them
 * (300).
 */
#include "server/pages/compare.h"

#include "db/commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/config.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/url.h"

#define TABLES_HTML      20
#define TABLES_OTHER     100
#define SERIES_IN_MATRIX 1000
#define STOP_AFTER       (16 << 20) /* bytes of tables: then the page ends, and the next begins */

static const char *const role_words[] = {"primary", "monitor", "functional", NULL};
static const char *const view_words[] = {"tables", "matrix", NULL};
static const char *const sort_words[] = {"robot", "change", "name", "confidence", NULL};

static const char *text_param(const struct req *r, const char *name)
{
	const char *v = req_param(r, name);

	return v && *v ? v : NULL; /* an empty field of the form asks for nothing */
}

static void add_commit(struct req *r, struct compare_query *q, const char **asked,
		       const char *param, const char *text, size_t n)
{
	if (q->nasked == COMPARE_COMMITS_MAX) {
		if (req_status(r) >= 0)
			fault(&r->ctx, param, "at most %d commits can be compared at once",
			      COMPARE_COMMITS_MAX);
		return;
	}
	if (n == 0)
		fault(&r->ctx, param, "name %zu is empty", q->nasked + 1);
	asked[q->nasked++] = arena_strn(r->ctx.arena, text, n);
}

/* The names between the commas; of pairs each is two with ".." between them. A hole or too many
 * are faults. */
static void read_names(struct req *r, struct compare_query *q, const char *param, const char *text)
{
	const char **asked = arena_array(r->ctx.arena, const char *, COMPARE_COMMITS_MAX);

	q->asked = asked;
	for (;;) {
		size_t n = strcspn(text, ",");
		const char *dots = q->pairs ? memmem(text, n, "..", 2) : NULL;

		if (q->pairs && !dots) {
			fault(&r->ctx, param, "a pair is A..B: a base and what changes it");
			return;
		}
		if (dots)
			add_commit(r, q, asked, param, text, (size_t)(dots - text));
		if (dots)
			add_commit(r, q, asked, param, dots + 2, n - (size_t)(dots - text) - 2);
		else
			add_commit(r, q, asked, param, text, n);
		if (!text[n])
			return;
		text += n + 1;
	}
}

static void read_commits(struct req *r, struct compare_query *q, bool matrix)
{
	const char *commits = text_param(r, "commits"), *pairs = text_param(r, "pairs");

	if (!commits)
		commits = text_param(r, "commit");
	q->across = text_param(r, "across");
	q->base = text_param(r, "base");
	q->pairs = pairs != NULL;
	if (q->across && matrix)
		fault(&r->ctx, "view", "a matrix is of commits or pairs, not across an axis");
	if (pairs && (commits || q->across))
		fault(&r->ctx, "pairs", "pairs stand alone, without commits and across");
	else if (pairs)
		read_names(r, q, "pairs", pairs);
	else if (commits)
		read_names(r, q, "commits", commits);
	else
		fault(&r->ctx, "commits", "say which commits to compare: commits=A,B");
}

/* An empty field, or none, leaves that side open. */
static int64_t read_bound(struct req *r, const char *name)
{
	int64_t t = text_param(r, name) ? req_time(r, name) : TIME_NONE;

	return t == TIME_NONE ? 0 : t;
}

static bool is_name(const char *glob)
{
	return glob && !strpbrk(glob, "*?");
}

static int read_query(struct req *r, struct compare_query *q, bool matrix)
{
	bool html_form = r->form == FORM_HTML;
	struct page_cut cut = part_page_cut(r,
					    matrix      ? SERIES_IN_MATRIX
					    : html_form ? TABLES_HTML
							: TABLES_OTHER,
					    0);

	*q = (struct compare_query){.limit = cut.limit, .after = cut.cursor};
	read_commits(r, q, matrix);
	q->series = text_param(r, "series");
	q->metric_glob = text_param(r, "metric");
	q->role = text_param(r, "role") ? req_enum(r, "role", role_words, -1) : -1;
	/* A reader comes for what changed; of one commit alone nothing can have, and a metric that
	 * is asked for by its name is to be seen whatever it did. */
	q->changed_only = !matrix && req_bool(r, "changed",
					      html_form && (q->nasked > 1 || q->across) &&
						      !is_name(q->metric_glob));
	q->others = (html_form || r->form == FORM_JSON) && !matrix && !q->across;
	q->detail = req_bool(r, "detail", false);
	q->detail_one = html_form;
	q->own_only = matrix && q->role != ROLE_MONITOR;
	q->order = (enum row_order)req_enum(r, "sort", sort_words,
					    html_form ? ORDER_CHANGE : ORDER_ROBOT);
	if (matrix)
		q->order = ORDER_CHANGE; /* what a cell shows is the first row */
	req_axes(r, "axis.", &q->axes, &q->naxes);
	req_axes(r, "info.", &q->infos, &q->ninfos);
	q->since = read_bound(r, "since");
	q->until = read_bound(r, "until");
	return req_status(r);
}

/* The address of this page with the ambiguous name, the at-th, spelt out. */
static struct url *url_spelt_out(struct req *r, const struct compare_query *q, size_t at,
				 const char *name)
{
	struct arena *a = r->ctx.arena;
	char *text = arena_str(a, "");

	for (size_t i = 0; i < q->nasked; i++)
		text = arena_fmt(a, "%s%s%s", text,
				 i == 0              ? ""
				 : q->pairs && i % 2 ? ".."
						     : ",",
				 i == at ? name : q->asked[i]);
	return req_url_with(r, q->pairs ? "pairs" : "commits", text);
}

static int answer_ambiguous(struct req *r, const struct compare_query *q, size_t at,
			    const struct commit_list *many)
{
	struct arena *a = r->ctx.arena;

	if (r->form != FORM_HTML) {
		part_faults_of_many(r, many, many->n);
		return E_AMBIGUOUS;
	}
	ctx_clear(&r->ctx); /* this page is the answer, not an error's */
	req_page_begin(r, arena_fmt(a, "Which %s?", q->asked[at]), "compare");
	html(r->out, "<p>Several commits fit this name. Choose one to go on:</p>\n<ul>\n");
	for (size_t i = 0; i < many->n; i++) {
		const struct commit *k = &many->commits[i];

		part_candidate(r, k, url_spelt_out(r, q, at, commit_address_among(a, k)));
	}
	html(r->out, "</ul>\n");
	return req_page_end(r, err_status(E_AMBIGUOUS));
}

const char *compare_names(struct arena *a, const struct compare *cmp, size_t first)
{
	char *text = arena_str(a, cmp->commits[first].commit.name);

	for (size_t i = 0; i < cmp->ncommits; i++)
		if (i != first)
			text = arena_fmt(a, "%s,%s", text, cmp->commits[i].commit.name);
	return text;
}

static const char *make_title(struct arena *a, const struct compare *cmp)
{
	if (cmp->across)
		return arena_fmt(a, "%s by %s", cmp->commits[0].name, cmp->across);
	if (cmp->pairs && cmp->ncommits > 2)
		return arena_fmt(a, "%s against its base, and %zu more", cmp->commits[1].name,
				 cmp->ncommits / 2 - 1);
	if (cmp->ncommits == 1)
		return cmp->commits[0].name;
	if (cmp->ncommits == 2)
		return arena_fmt(a, "%s against %s", cmp->commits[1].name, cmp->commits[0].name);
	return arena_fmt(a, "%s and %zu more against %s", cmp->commits[1].name, cmp->ncommits - 2,
			 cmp->commits[0].name);
}

static int answer_html(struct req *r, struct compare_answer *x)
{
	int rc;

	req_page_begin(r, make_title(r->ctx.arena, x->cmp), "compare");
	rc = x->matrix ? compare_matrix_html(r, x) : compare_html(r, x);
	return rc < 0 ? rc : req_page_end(r, 200);
}

int compare_answer_next(struct compare_answer *x, struct compare_table *t)
{
	if (x->stop_after && x->o->len >= x->stop_after)
		compare_stop(x->cmp);
	return compare_next(x->c, x->q, x->cmp, x->scratch, t);
}

static int answer(struct req *r, struct compare_answer *x)
{
	bool matrix = x->matrix;

	switch (r->form) {
	case FORM_JSON:
		return matrix ? compare_matrix_json(x) : compare_json(x);
	case FORM_CSV:
		return matrix ? compare_matrix_csv(x) : compare_csv(x);
	case FORM_TXT:
		return matrix ? compare_matrix_txt(x) : compare_txt(x);
	case FORM_MD:
		return matrix ? compare_matrix_md(x) : compare_md(x);
	case FORM_HTML:
		break;
	}
	return answer_html(r, x);
}

int page_compare(struct req *r)
{
	auto_arena struct arena *scratch = arena_new();
	struct compare_query q;
	struct compare cmp;
	struct commit_list many = {0};
	struct compare_answer x = {
		.c = &r->ctx,
		.o = r->out,
		.q = &q,
		.cmp = &cmp,
		.scratch = scratch,
		.stop_after = STOP_AFTER,
		.matrix = text_param(r, "view") && req_enum(r, "view", view_words, 0) == 1,
		.samples = req_bool(r, "samples", false),
		.detail = req_bool(r, "detail", false),
		.public_url = r->config ? r->config->public_url : "",
	};
	int rc = read_query(r, &q, x.matrix);

	if (rc < 0)
		return rc;
	rc = compare_load(&r->ctx, &q, &cmp, &many);
	if (rc == E_AMBIGUOUS && many.n)
		return answer_ambiguous(r, &q, cmp.ncommits, &many);
	if (rc >= 0)
		rc = answer(r, &x);
	return rc < 0 ? rc : 200;
}
