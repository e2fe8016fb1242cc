/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /openapi.json - the description of every address, method, parameter and key, for programs. It
 * is written by hand in static/openapi.json, and tests/http/test_openapi.mjs holds it against the
 * running server. Only the server's own address is filled in here.
 */
#include "server/pages/openapi.h"

#include <assert.h>
#include <string.h>

#include "server/config.h"
#include "server/pages/pages.h"
#include "server/pages/req.h"
#include "server/view/json.h"

int page_openapi(struct req *r)
{
	static const char before_url[] = "\"servers\": [{ \"url\": ", root[] = "\"/\"";
	const char *text = (const char *)openapi_json, *end = text + openapi_json_size;
	const char *url = r->config->public_url;
	const char *at = memmem(text, openapi_json_size, before_url, strlen(before_url));

	assert(at);
	at += strlen(before_url);
	out_bytes(r->out, text, (size_t)(at - text));
	json_quote(r->out, *url ? url : "/", *url ? strlen(url) : 1);
	at += strlen(root);
	out_bytes(r->out, at, (size_t)(end - at));
	return 200;
}
