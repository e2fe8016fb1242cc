/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forms as browsers send them by default: name=value&name=value, with '+' for a space and %XX for
 * any other byte. A value may hold any byte, also NUL: it is data. Unlike an address, a form is
 * bounded only by the body that it came in, so the number of its fields is bounded here.
 */
#include "server/pages/form_fields.h"

#include "server/base/utf8.h"
#include "server/pages/req.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes n bytes into the arena; NULL: a broken escape. */
static char *decode(struct arena *a, const char *s, size_t n, size_t *len)
{
	char *out = arena_alloc(a, n + 1);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		char ch = s[i] == '+' ? ' ' : s[i];

		if (ch == '%') {
			int high = n - i > 2 ? hex_digit(s[i + 1]) : -1;
			int low = n - i > 2 ? hex_digit(s[i + 2]) : -1;

			if (high < 0 || low < 0)
				return NULL;
			ch = (char)(high << 4 | low);
			i += 2;
		}
		out[k++] = ch;
	}
	out[k] = '\0';
	*len = k;
	return out;
}

static bool is_name(const char *s)
{
	size_t n = strlen(s), bytes;

	for (size_t i = 0; i < n; i += bytes) {
		bytes = utf8_length(s + i, n - i);
		if (!bytes || (unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return false;
	}
	return n > 0 && n <= FORM_NAME_MAX;
}

int form_add(struct ctx *c, struct form_fields *out, const struct form_field *f)
{
	if (!is_name(f->name))
		return fault(c, "", "a field of the form has no name, or one that is none");
	if (out->n == FORM_FIELDS_MAX)
		return fault(c, "", "the form has more than %d fields", FORM_FIELDS_MAX);
	out->list[out->n++] = *f;
	return E_OK;
}

int form_read_urlencoded(struct ctx *c, const char *body, size_t n, struct form_fields *out)
{
	const char *p = body, *end = body + n;
	int e = E_OK;

	while (e >= 0 && p < end) {
		const char *stop = memchr(p, '&', (size_t)(end - p));
		const char *last = stop ? stop : end;
		const char *equals = memchr(p, '=', (size_t)(last - p));
		const char *name_end = equals ? equals : last, *from = equals ? equals + 1 : last;
		struct form_field f = {0};
		size_t name_len;

		if (last > p) {
			f.name = decode(c->arena, p, (size_t)(name_end - p), &name_len);
			f.value = decode(c->arena, from, (size_t)(last - from), &f.n);
			if (!f.name || !f.value)
				return fail(c, E_SYNTAX, "the form has a broken %% escape");
			e = form_add(c, out, &f);
		}
		p = last + 1;
	}
	return e;
}

int form_fields_read(struct req *r, struct form_fields *out)
{
	const char *type = r->content_type ? r->content_type : "";

	out->n = 0;
	if (!strcmp(type, "application/x-www-form-urlencoded"))
		return form_read_urlencoded(&r->ctx, r->body, r->body_len, out);
	if (!strcmp(type, "multipart/form-data"))
		return form_read_multipart(&r->ctx, r->content_params, r->body, r->body_len, out);
	return fail(&r->ctx, E_MEDIA_TYPE,
		    "the Content-Type must be that of a form, multipart/form-data or "
		    "application/x-www-form-urlencoded, is %s%.80s",
		    *type ? "" : "missing", type);
}
