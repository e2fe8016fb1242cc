/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /patch/<message-id>, /patch?id= - a patch by any mail of it: all versions and parts that were
 * tested, each version against the one before, and what git has of it.
 */
#include "server/model/patch.h"

#include "server/pages/pages.h"
#include "server/pages/patch_page.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/url.h"

static int answer_unknown(struct req *r, const char *id)
{
	struct arena *a = r->ctx.arena;

	if (r->form != FORM_HTML)
		return E_NOTFOUND;
	ctx_clear(&r->ctx);
	r->forms = 0; /* an error has no other form worth a link */
	req_page_begin(r, "Unknown patch", NULL);
	html(r->out,
	     "<p>No upload named the mail <b>%s</b> as that of a patch under test, no series that "
	     "was tested has such a mail, and no commit links to it. ",
	     id);
	html_link(r->out, url_search(a, id), "Search for it");
	html(r->out, ", or see ");
	html_link(r->out, url_path(a, "/help/upload"), "how an upload names a patch");
	html(r->out, ".</p>\n");
	return req_page_end(r, 404);
}

int page_patch(struct req *r)
{
	const char *id = req_name(r, 0, "id");
	struct patch_page p;
	int e;

	if (!id)
		return fail(&r->ctx, E_NOTFOUND, "name a mail: /patch/<message-id>");
	e = patch_page_load(&r->ctx, id, &p);
	if (e == E_NOTFOUND)
		return answer_unknown(r, id);
	if (e < 0)
		return e;
	if (r->form == FORM_HTML)
		return patch_page_html(r, &p);
	if (r->form == FORM_TXT)
		patch_page_txt(r, &p);
	else
		patch_page_json(r, &p);
	return 200;
}
