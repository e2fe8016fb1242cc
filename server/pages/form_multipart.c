/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * multipart/form-data as browsers and curl send it: parts between lines "--boundary", each with a
 * head whose Content-Disposition names the field, and perhaps a file. Nothing is decoded (the
 * standard does away with transfer encodings) and nothing is copied but names. Each byte is looked
 * at once, by memmem; heads and their number are bounded.
 */
#include "server/pages/form_fields.h"

#include <strings.h>

#include "server/base/arena.h"
#include "server/base/err.h"

#define BOUNDARY_MAX 70 /* RFC 2046 */
#define HEAD_MAX     8192

struct parts {
	struct ctx *c;
	const char *p, *end;
	char mark[BOUNDARY_MAX + 5]; /* "\r\n--boundary" */
	size_t mark_len;
};

static int broken(struct ctx *c, const char *what)
{
	return fail(c, E_SYNTAX, "the form is broken: %s", what);
}

/* Value of a parameter in "; name=value; other=\"value\"", in the arena; NULL: none. Of the escapes
 * only \" and \\ are taken, since some browsers send a path with backslashes. */
static char *find_param(struct arena *a, const char *s, size_t n, const char *name)
{
	const char *end = s + n;
	size_t want = strlen(name);

	while (s < end && (s = memchr(s, ';', (size_t)(end - s)))) {
		char *value;
		size_t len = 0;
		bool hit;

		for (s++; s < end && (*s == ' ' || *s == '\t'); s++)
			;
		hit = (size_t)(end - s) > want && !strncasecmp(s, name, want) && s[want] == '=';
		while (s < end && *s != '=' && *s != ';')
			s++;
		if (s == end || *s != '=')
			continue;
		s++;
		value = hit ? arena_alloc(a, (size_t)(end - s) + 1) : NULL;
		if (s < end && *s == '"') {
			for (s++; s < end && *s != '"'; s++) {
				if (*s == '\\' && end - s > 1 && (s[1] == '"' || s[1] == '\\'))
					s++;
				if (hit)
					value[len++] = *s;
			}
		} else {
			for (; s < end && *s != ';' && *s != ' ' && *s != '\t'; s++)
				if (hit)
					value[len++] = *s;
		}
		if (hit)
			return value;
	}
	return NULL;
}

/* Moves behind the next boundary. *what is what stood before it. */
static int skip_boundary(struct parts *t, const char **what, size_t *n)
{
	const char *found = memmem(t->p, (size_t)(t->end - t->p), t->mark, t->mark_len);

	if (!found)
		return broken(t->c, "it has no last boundary");
	*what = t->p;
	*n = (size_t)(found - t->p);
	t->p = found + t->mark_len;
	return E_OK;
}

/* The line of a part's head that names its field. NULL: there is none. */
static const char *find_disposition(const char *head, size_t n, size_t *len)
{
	static const char name[] = "content-disposition:";
	const char *end = head + n;

	while (head < end) {
		const char *stop = memmem(head, (size_t)(end - head), "\r\n", 2);
		size_t line = (size_t)((stop ? stop : end) - head);

		if (line > sizeof(name) - 1 && !strncasecmp(head, name, sizeof(name) - 1)) {
			*len = line;
			return head;
		}
		head += line + 2;
	}
	return NULL;
}

/* p stands behind a boundary. 1: a part was added; 0: it was the last boundary. */
static int read_part(struct parts *t, struct form_fields *out)
{
	struct form_field f = {0};
	const char *head, *head_end, *line;
	size_t room, len;
	int e;

	if (t->end - t->p >= 2 && !memcmp(t->p, "--", 2))
		return 0;
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
	room = (size_t)(t->end - t->p);
	head = t->p;
	head_end = memmem(head, room < HEAD_MAX ? room : HEAD_MAX, "\r\n\r\n", 4);
	if (!head_end || memcmp(head, "\r\n", 2) != 0)
		return broken(t->c, "a part has no head");
	head += 2;
	line = head < head_end ? find_disposition(head, (size_t)(head_end - head), &len) : NULL;
	if (!line)
		return broken(t->c, "a part does not say which field it is");
	f.name = find_param(t->c->arena, line, len, "name");
	f.filename = find_param(t->c->arena, line, len, "filename");
	if (!f.name)
		return broken(t->c, "a part does not say which field it is");
	t->p = head_end + 2; /* an empty part ends with the CRLF that ends its head */
	e = skip_boundary(t, &f.value, &f.n);
	if (e < 0)
		return e;
	if (f.n >= 2) {
		f.value += 2;
		f.n -= 2;
	}
	e = form_add(t->c, out, &f);
	return e < 0 ? e : 1;
}

int form_read_multipart(struct ctx *c, const char *params, const char *body, size_t n,
			struct form_fields *out)
{
	const char *boundary = find_param(c->arena, params, strlen(params), "boundary");
	struct parts t = {.c = c, .p = body, .end = body + n};
	const char *preamble;
	size_t len;
	int e;

	if (!boundary || !*boundary || strlen(boundary) > BOUNDARY_MAX)
		return broken(c, "its Content-Type names no boundary");
	t.mark_len = (size_t)snprintf(t.mark, sizeof(t.mark), "\r\n--%s", boundary);
	if (n >= t.mark_len - 2 && !memcmp(body, t.mark + 2, t.mark_len - 2))
		t.p = body + t.mark_len - 2;
	else if ((e = skip_boundary(&t, &preamble, &len)) < 0)
		return e;
	while ((e = read_part(&t, out)) > 0)
		;
	return e;
}
