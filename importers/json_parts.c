/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over brackets and strings (json_scan.h); only what stands between members and elements is
 * checked here, jansson checks the values that are built. What is passed over is not checked.
 */
#include "importers/json_parts.h"

#include <limits.h>

#include "importers/json_scan.h"
#include "server/base/arena.h"

#define DEPTH_MAX 64

static int syntax(struct ctx *c, const char *bytes, const char *p, const char *what)
{
	return fail(c, E_SYNTAX, "line %zu: %s", json_line_ends(bytes, p) + 1, what);
}

/* Behind the value at p; NULL: there is none. */
static const char *skip_value(struct ctx *c, const char *bytes, const char *p, const char *end)
{
	const char *stop;

	if (p == end || strchr(",:]}", *p)) { /* strchr finds a NUL too */
		syntax(c, bytes, p, p == end ? "the file ends too early" : "a value is missing");
		return NULL;
	}
	switch (json_scan_value(p, end, DEPTH_MAX, UINT_MAX, &stop)) {
	case JSON_SCAN_OK:
		return stop;
	case JSON_SCAN_CUT:
		syntax(c, bytes, stop, "the file ends inside a value");
		return NULL;
	default:
		syntax(c, bytes, stop, "is nested too deeply");
		return NULL;
	}
}

bool json_document(struct ctx *c, const char *bytes, size_t n, struct json_span *top)
{
	const char *p = bytes, *end = bytes + n;

	if (n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		p += 3;
	p = json_skip_space(p, end);
	top->p = p;
	top->end = skip_value(c, bytes, p, end);
	if (!top->end)
		return false;
	p = json_skip_space(top->end, end);
	if (p == end)
		return true;
	syntax(c, bytes, p, "something stands behind the document");
	return false;
}

/* The member that begins at p (behind '{' or ','): its name and value. Returns what is behind it.
 */
static const char *read_member(struct ctx *c, const char *bytes, const char *p, const char *end,
			       struct json_span *name, struct json_span *value)
{
	p = json_skip_space(p, end);
	if (p == end || *p != '"') {
		syntax(c, bytes, p, "a member's name is missing");
		return NULL;
	}
	name->p = p + 1;
	p = skip_value(c, bytes, p, end);
	if (!p)
		return NULL;
	name->end = p - 1;
	p = json_skip_space(p, end);
	if (p == end || *p != ':') {
		syntax(c, bytes, p, "a colon is missing behind a member's name");
		return NULL;
	}
	value->p = json_skip_space(p + 1, end);
	value->end = skip_value(c, bytes, value->p, end);
	return value->end;
}

bool json_find_members(struct ctx *c, const char *bytes, struct json_span object,
		       const char *const *keys, size_t n, struct json_span *out)
{
	const char *p = object.p, *end = object.end - 1; /* its last bracket */
	struct json_span name, value;

	for (size_t i = 0; i < n; i++)
		out[i] = (struct json_span){NULL, NULL};
	if (*p != '{' || *end != '}') {
		fail(c, E_INVALID, "the document must be an object");
		return false;
	}
	p = json_skip_space(p + 1, end);
	while (p < end) {
		p = read_member(c, bytes, p, end, &name, &value);
		if (!p)
			return false;
		for (size_t i = 0; i < n; i++) {
			size_t len = strlen(keys[i]);

			if ((size_t)(name.end - name.p) == len && !memcmp(name.p, keys[i], len))
				out[i] = value;
		}
		p = json_skip_space(p, end);
		if (p < end && *p++ != ',') {
			syntax(c, bytes, p, "a comma is missing between members");
			return false;
		}
	}
	return true;
}

json_t *json_span_object(struct ctx *c, const char *bytes, struct json_span v,
			 const struct json_at *at)
{
	struct json_pieces one;

	if (!v.p || (v.end - v.p == 4 && !memcmp(v.p, "null", 4)))
		return NULL;
	if (*v.p != '{') {
		json_read_fault(c, at, "must be an object");
		return NULL;
	}
	json_pieces_begin(&one, c, v.p, (size_t)(v.end - v.p));
	one.line = json_line_ends(bytes, v.p) + 1;
	if (json_piece_find(v.p, v.end) == v.p)
		return json_pieces_next(&one);
	syntax(c, bytes, v.p, "an object does not begin with a member's name");
	return NULL;
}

json_t *json_read_again(struct ctx *c, const char *begin, const char *end)
{
	struct json_pieces one;

	json_pieces_begin(&one, c, begin, (size_t)(end - begin));
	return json_pieces_next(&one);
}

bool json_elements_begin(struct json_elements *e, struct ctx *c, const char *bytes,
			 struct json_span array, const struct json_at *at)
{
	*e = (struct json_elements){.at = at};
	json_pieces_begin(&e->pieces, c, bytes, 0);
	if (*array.p != '[' || array.end[-1] != ']') {
		json_read_fault(c, at, "must be an array");
		return false;
	}
	e->pieces.p = array.p + 1;
	e->pieces.end = array.end - 1;
	e->pieces.line = json_line_ends(bytes, array.p) + 1;
	ctx_init(&e->own, arena_new(), NULL);
	return true;
}

void json_hand_over(struct ctx *from, struct ctx *to)
{
	size_t kept = from->nfaults;

	for (size_t i = 0; i < kept; i++)
		fault(to, from->faults[i].path, "%s", from->faults[i].message);
	to->faults_seen += from->faults_seen - kept;
	if (from->err)
		fail(to, from->err, "%s", from->detail);
	ctx_clear(from);
}

int json_elements_end(struct json_elements *e)
{
	json_hand_over(&e->own, e->pieces.ctx);
	arena_free(e->own.arena);
	return e->pieces.ctx->err;
}

/* Passes over an element that is no object. */
static bool refuse_element(struct json_elements *e, const char *p)
{
	struct json_pieces *s = &e->pieces;
	const char *stop;

	json_read_fault(s->ctx, JSON_AT_INDEX(e->at, e->index), "must be an object");
	stop = skip_value(s->ctx, s->bytes, p, s->end);
	if (!stop)
		return false;
	s->line += json_line_ends(s->p, stop);
	s->p = stop;
	return true;
}

json_t *json_elements_next(struct json_elements *e)
{
	struct json_pieces *s = &e->pieces;

	json_hand_over(&e->own, s->ctx);
	arena_reset(e->own.arena);
	for (;;) {
		const char *p = json_skip_space(s->p, s->end);

		if (p == s->end)
			return NULL;
		if (e->begun) {
			if (*p != ',') {
				syntax(s->ctx, s->bytes, p, "a comma is missing between elements");
				return NULL;
			}
			p = json_skip_space(p + 1, s->end);
			e->index++;
		}
		e->begun = true;
		if (p < s->end && *p == '{') {
			if (json_piece_find(p, s->end) == p) {
				json_t *v = json_pieces_next(s);

				e->last = (struct json_span){p, s->p};
				return v;
			}
			syntax(s->ctx, s->bytes, p,
			       "an object does not begin with a member's name");
			return NULL;
		}
		if (!refuse_element(e, p))
			return NULL;
	}
}
