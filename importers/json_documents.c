/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands around the array is copied, with the array's line ends in its place, so that faults
 * name the file's lines. */
#include "importers/json_documents.h"

#include <limits.h>

#include "importers/json_scan.h"

#define DEPTH_MAX 64

void json_documents_begin(struct json_documents *d, struct ctx *c, const char *bytes, size_t n)
{
	*d = (struct json_documents){
		.ctx = c, .bytes = bytes, .p = bytes, .end = bytes + n, .line = 1};
	d->now.p = bytes;
}

bool json_documents_next(struct json_documents *d)
{
	const char *p = json_piece_find(d->p, d->end), *stop;

	if (!p)
		return false;
	d->line += json_line_ends(d->now.p, p); /* from document to document: there may be many */
	switch (json_scan_value(p, d->end, DEPTH_MAX, UINT_MAX, &stop)) {
	case JSON_SCAN_OK:
		d->now = (struct json_span){p, stop};
		d->p = stop;
		return true;
	case JSON_SCAN_CUT:
		fail(d->ctx, E_SYNTAX,
		     "line %zu: the file ends inside the document that begins in line %zu",
		     d->line + json_line_ends(p, stop), d->line);
		return false;
	default:
		fail(d->ctx, E_SYNTAX, "line %zu: is nested too deeply",
		     d->line + json_line_ends(p, stop));
		return false;
	}
}

json_t *json_document_without(const struct json_documents *d, struct json_span array)
{
	const char *begin = d->now.p, *stop = array.p ? array.p : d->now.end;
	size_t lines = array.p ? json_line_ends(array.p, array.end) : 0;
	size_t before = (size_t)(stop - begin), n = before;
	size_t after = array.p ? (size_t)(d->now.end - array.end) : 0;
	struct json_pieces one;
	char *copy = malloc(before + lines + after + 2);
	json_t *v;

	if (!copy)
		die("out of memory");
	memcpy(copy, begin, before);
	if (array.p) {
		copy[n++] = '[';
		memset(copy + n, '\n', lines);
		n += lines;
		copy[n++] = ']';
		memcpy(copy + n, array.end, after);
		n += after;
	}
	json_pieces_begin(&one, d->ctx, copy, n);
	one.line = d->line;
	v = json_pieces_next(&one);
	free(copy);
	return v;
}

bool json_document_elements(const struct json_documents *d, struct json_elements *e,
			    struct json_span array, const struct json_at *at)
{
	if (!json_elements_begin(e, d->ctx, d->now.p, array, at))
		return false;
	e->pieces.line += d->line - 1;
	e->pieces.bytes = d->bytes;
	return true;
}
