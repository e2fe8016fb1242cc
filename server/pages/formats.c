/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET /formats - what plumbline import, POST /api/v1/import and /paste can read. HTML and JSON
 * {"formats": [{"name", "summary"}]}; no parameters. */
#include "server/pages/pages.h"

#include "importers/import.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/json.h"
#include "server/view/url.h"

static int write_json(struct req *r)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_arr(&w, "formats");
	for (size_t i = 0; i < importer_count(); i++) {
		jw_obj(&w, NULL);
		jw_str(&w, "name", importer_at(i)->name);
		jw_str(&w, "summary", importer_at(i)->summary);
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	out_char(r->out, '\n');
	return 200;
}

int page_formats(struct req *r)
{
	struct arena *a = r->ctx.arena;
	struct out *o = r->out;

	if (r->form == FORM_JSON)
		return write_json(r);
	req_page_begin(r, "Formats", NULL);
	html(o,
	     "<p class=\"lead\">What tests, rigs and mailing lists already produce is read as it "
	     "is. <b>auto</b> takes whichever format fits best and says which.</p>\n<p>");
	html_link(o, url_path(a, "/paste"), "Paste some output");
	html(o,
	     " to look at it without storing anything; or send it with the name of its format, and "
	     "what it does not say itself:</p>\n<pre>"
	     "hackbench | curl -sS --data-binary @- -H \"Authorization: Bearer $TOKEN\" \\\n"
	     "  '%s/api/v1/import/hackbench?axis.tbox_group=my-box&amp;commit=7bc162d5cc4d'</pre>\n"
	     "<table class=\"fields\">\n<thead><tr><th scope=\"col\">Name<th scope=\"col\">"
	     "What it is</thead>\n<tbody>\n",
	     part_own_address(r));
	for (size_t i = 0; i < importer_count(); i++)
		html(o, "<tr><th scope=\"row\"><code>%s</code><td>%s\n", importer_at(i)->name,
		     importer_at(i)->summary);
	html(o, "</tbody></table>\n");
	return req_page_end(r, 200);
}
