/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POST /api/v1/import/<format>?axis.NAME=VALUE&commit=&tree=&source= - a file in a foreign format,
 * as it is: all of it is stored, or nothing. What the file does not say comes from the query.
 * "auto" takes the format that fits best, and the answer says which. The Content-Type of a foreign
 * file tells nothing and is not looked at; the native form behaves as it does at /api/v1/runs.
 *
 * source is made part of the keys, as the place of a file is by the command: a true repeat with
 * equal figures needs one to be told from the same file sent again.
 */
#include "server/pages/import_post.h"

#include "importers/import.h"
#include "importers/native.h"
#include "server/model/intake_stream.h"
#include "server/pages/req.h"
#include "server/pages/upload.h"

#define NAME_MAX_BYTES   255 /* as in the files */
#define VALUE_MAX_BYTES  4096
#define SOURCE_MAX_BYTES 900

static int find_format(struct req *r, const char *name, const struct importer **out)
{
	struct import_guess g;

	if (strcmp(name, "auto") != 0) {
		*out = importer_find(name);
		return *out ? E_OK
			    : fail(&r->ctx, E_NOTFOUND, "no format \"%.40s\"; there are: auto %s",
				   name, importer_names(r->ctx.arena));
	}
	importer_guess(r->body, r->body_len, &g);
	if (!g.n)
		return fault(&r->ctx, "", "%s", importer_guess_words(r->ctx.arena, &g));
	*out = g.list[0].format;
	return E_OK;
}

/* Bytes that are packed and do not say so. */
static int refuse_packed(struct req *r)
{
	static const struct {
		const char *magic, *name;
		size_t n;
	} kinds[] = {{"\x1f\x8b", "gzip", 2},
		     {"\x28\xb5\x2f\xfd", "zstd", 4},
		     {"\xfd"
		      "7zXZ",
		      NULL, 5}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (r->body_len < kinds[i].n || memcmp(r->body, kinds[i].magic, kinds[i].n) != 0)
			continue;
		if (!kinds[i].name)
			return fault(&r->ctx, "",
				     "the body is packed by xz: unpack it, or pack it with gzip or "
				     "zstd");
		return fault(&r->ctx, "",
			     "the body is packed: send it with \"Content-Encoding: %s\"",
			     kinds[i].name);
	}
	return E_OK;
}

static const char *text_param(struct req *r, const char *name, size_t max)
{
	const char *text = req_param(r, name);

	if (text && !import_text_valid(text, max))
		fault(&r->ctx, name, "must have 1 to %zu bytes of UTF-8, no control characters",
		      max);
	return text;
}

/* What the file does not say. */
static int read_defaults(struct req *r, struct import *in)
{
	req_axes(r, "axis.", &in->axes, &in->naxes);
	for (size_t i = 0; i < in->naxes; i++) {
		const struct pair *p = &in->axes[i];

		if (!import_text_valid(p->name, NAME_MAX_BYTES) ||
		    !import_text_valid(p->value, VALUE_MAX_BYTES))
			fault(&r->ctx, arena_fmt(r->ctx.arena, "axis.%.100s", p->name),
			      "must be a name and a value of UTF-8, no control characters");
	}
	in->commit = text_param(r, "commit", NAME_MAX_BYTES);
	in->tree = text_param(r, "tree", NAME_MAX_BYTES);
	in->source = text_param(r, "source", SOURCE_MAX_BYTES);
	return req_status(r);
}

int page_post_import(struct req *r)
{
	struct import in = {.ctx = &r->ctx, .after_document = upload_charge, .after_arg = r};
	const struct importer *format;
	const char *name = r->captures[0];
	int e;

	if (strcmp(name, "native") == 0)
		return page_upload_runs(r);
	if ((e = refuse_packed(r)) < 0 || (e = find_format(r, name, &format)) < 0 ||
	    (e = read_defaults(r, &in)) < 0)
		return e;
	if (r->body_len > INTAKE_WHOLE_MAX)
		return upload_stream(r, &in, format);
	/* in advance, so that all that are read at once stay within what the process may have; what
	 * more they come to is charged as they go */
	e = r->reserve(r, IMPORT_COST * r->body_len);
	if (e < 0)
		return e;
	e = format->run(&in, r->body, r->body_len);
	if (e < 0 || (e = r->charge(r)) < 0)
		return e;
	return upload_store(r, &in, format->name);
}
