/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /commit/<rev>, /c/<rev>, /commit?rev= - everything about one commit, in all four forms. A
 * prefix that fits several commits answers 300 with a list of them, an unknown one 404 with a way
 * on.
 */
#include "server/pages/commit_page.h"

#include "server/model/commit.h"
#include "server/model/compare.h"
#include "server/pages/pages.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/url.h"

#define CANDIDATES_SHOWN 50

static int answer_ambiguous(struct req *r, const char *rev, const struct commit_list *many)
{
	size_t n = many->n < CANDIDATES_SHOWN ? many->n : CANDIDATES_SHOWN;
	struct arena *a = r->ctx.arena;

	if (r->form != FORM_HTML) {
		part_faults_of_many(r, many, n);
		return E_AMBIGUOUS;
	}
	ctx_clear(&r->ctx);
	req_page_begin(r, "Which commit?", NULL);
	html(r->out, "<p><b>%s</b> fits several commits. Choose one to go on:</p>\n<ul>\n", rev);
	for (size_t i = 0; i < n; i++) {
		const char *address = commit_address_among(a, &many->commits[i]);

		part_candidate(r, &many->commits[i], url_commit(a, address));
	}
	html(r->out, "</ul>\n");
	if (n < many->n)
		html(r->out, "<p class=\"cut\">%zu more are not shown.</p>\n", many->n - n);
	return req_page_end(r, 300);
}

static int answer_unknown(struct req *r, const char *rev)
{
	struct arena *a = r->ctx.arena;

	if (r->form != FORM_HTML)
		return E_NOTFOUND;
	ctx_clear(&r->ctx);
	r->forms = 0; /* an error has no other form worth a link */
	req_page_begin(r, "Unknown commit", NULL);
	html(r->out,
	     "<p>No result was ever uploaded for a commit called <b>%s</b>, no other commit "
	     "names it as its parent, and no repository that is followed has it.</p>\n<p>A commit "
	     "is found by its id or the first 7 or more "
	     "digits of it, or by a tag such as v5.7-rc1. ",
	     rev);
	html_link(r->out, url_search(a, rev), "Search for it in subjects and Message-Ids");
	html(r->out, ", or see ");
	html_link(r->out, url_home(a), "what came last");
	html(r->out, ".</p>\n");
	return req_page_end(r, 404);
}

int page_commit(struct req *r)
{
	const char *rev = req_name(r, 0, "rev");
	struct commit_list many = {.n = 0};
	struct commit commit;
	struct commit_page p;
	int e;

	if (!rev)
		return fail(&r->ctx, E_NOTFOUND, "name a commit: /commit/<id or tag>");
	e = compare_resolve(&r->ctx, rev, &commit, &many);
	if (e == E_AMBIGUOUS)
		return answer_ambiguous(r, rev, &many);
	if (e == E_NOTFOUND)
		return answer_unknown(r, rev);
	if (e >= 0)
		e = commit_page_load(&r->ctx, &commit, &p);
	if (e < 0)
		return e;
	if (r->form == FORM_HTML)
		return commit_page_html(r, &p);
	if (r->form == FORM_JSON)
		commit_page_json(r, &p);
	else if (r->form == FORM_CSV)
		commit_page_csv(r, &p);
	else
		commit_page_txt(r, &p);
	return 200;
}
