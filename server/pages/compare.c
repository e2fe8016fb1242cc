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
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/url.h"

#define TABLES_HTML  20
#define TABLES_OTHER 100

static const char *const role_words[] = {"primary", "monitor", "functional", NULL};
static const char *const sort_words[] = {"robot", "change", "name", "confidence", NULL};

/* The names between the commas. A hole or too many are faults. */
static void read_commits(struct req *r, struct compare_query *q)
{
	const char *text = req_param(r, "commits");
	const char **asked = arena_array(r->ctx.arena, const char *, COMPARE_COMMITS_MAX);

	q->asked = asked;
	if (!text || !*text) {
		fault(&r->ctx, "commits", "say which commits to compare: commits=A,B");
		return;
	}
	for (;;) {
		size_t n = strcspn(text, ",");

		if (q->nasked == COMPARE_COMMITS_MAX) {
			fault(&r->ctx, "commits", "at most %d commits can be compared at once",
			      COMPARE_COMMITS_MAX);
			return;
		}
		if (n == 0)
			fault(&r->ctx, "commits", "name %zu is empty", q->nasked + 1);
		asked[q->nasked++] = arena_strn(r->ctx.arena, text, n);
		if (!text[n])
			return;
		text += n + 1;
	}
}

static const char *text_param(const struct req *r, const char *name)
{
	const char *v = req_param(r, name);

	return v && *v ? v : NULL; /* an empty field of the form asks for nothing */
}

/* An empty field, or none, leaves that side open. */
static int64_t read_bound(struct req *r, const char *name)
{
	int64_t t = text_param(r, name) ? req_time(r, name) : TIME_NONE;

	return t == TIME_NONE ? 0 : t;
}

static int read_query(struct req *r, struct compare_query *q)
{
	bool html_form = r->form == FORM_HTML;
	struct page_cut cut = part_page_cut(r, html_form ? TABLES_HTML : TABLES_OTHER, 0);

	*q = (struct compare_query){.limit = cut.limit, .after = cut.cursor};
	read_commits(r, q);
	q->series = text_param(r, "series");
	q->metric_glob = text_param(r, "metric");
	q->role = text_param(r, "role") ? req_enum(r, "role", role_words, -1) : -1;
	/* A reader comes for what changed; of one commit alone nothing can have. */
	q->changed_only = req_bool(r, "changed", html_form && q->nasked > 1);
	q->order = (enum row_order)req_enum(r, "sort", sort_words,
					    html_form ? ORDER_CHANGE : ORDER_ROBOT);
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
		text = arena_fmt(a, "%s%s%s", text, i ? "," : "", i == at ? name : q->asked[i]);
	return req_url_with(r, "commits", text);
}

static int answer_ambiguous(struct req *r, const struct compare_query *q, size_t at,
			    const struct commit_list *many)
{
	struct arena *a = r->ctx.arena;

	if (r->form != FORM_HTML) {
		for (size_t i = 0; i < many->n; i++)
			fault(&r->ctx, many->commits[i].name, "%s",
			      many->commits[i].subject ? many->commits[i].subject
						       : "one that it may mean");
		return E_AMBIGUOUS;
	}
	ctx_clear(&r->ctx); /* this page is the answer, not an error's */
	req_page_begin(r, arena_fmt(a, "Which %s?", q->asked[at]), "compare");
	html(r->out, "<p>Several commits fit this name. Choose one to go on:</p>\n<ul>\n");
	for (size_t i = 0; i < many->n; i++) {
		const struct commit *k = &many->commits[i];

		html(r->out, "<li>");
		html_link_class(r->out, "commit", url_spelt_out(r, q, at, k->name), k->name);
		html(r->out, " %s\n", k->subject ? k->subject : "");
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

static int answer_html(struct req *r, const struct compare_query *q, const struct compare *cmp)
{
	struct arena *a = r->ctx.arena;
	char *title = arena_fmt(a, cmp->ncommits > 1 ? "%s against %s" : "%s",
				cmp->commits[cmp->ncommits > 1].name, cmp->commits[0].name);
	int rc;

	if (cmp->ncommits > 2)
		title = arena_fmt(a, "%s and %zu more against %s", cmp->commits[1].name,
				  cmp->ncommits - 2, cmp->commits[0].name);
	req_page_begin(r, title, "compare");
	rc = compare_html(r, q, cmp);
	return rc < 0 ? rc : req_page_end(r, 200);
}

int page_compare(struct req *r)
{
	struct compare_query q;
	struct compare cmp;
	struct commit_list many = {0};
	bool samples = req_bool(r, "samples", false);
	int rc = read_query(r, &q);

	if (rc < 0)
		return rc;
	rc = compare_load(&r->ctx, &q, &cmp, &many);
	if (rc == E_AMBIGUOUS && many.n)
		return answer_ambiguous(r, &q, cmp.ncommits, &many);
	if (rc < 0)
		return rc;
	switch (r->form) {
	case FORM_JSON:
		compare_json(r->out, &cmp, samples);
		break;
	case FORM_CSV:
		compare_csv(r->out, r->ctx.arena, &cmp);
		break;
	case FORM_TXT:
		compare_txt(r->out, &cmp);
		break;
	case FORM_HTML:
		return answer_html(r, &q, &cmp);
	}
	return 200;
}
