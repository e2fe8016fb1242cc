/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON writer. Large answers are mostly short names with numbers, so a name, its commas and a
 * number go into the buffer in one piece; texts are copied in runs of bytes that need no escape.
 */
#include "server/view/json.h"

#include <assert.h>
#include <math.h>

#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/base/utf8.h"

/* 0: as it is; 1: ASCII that is escaped; 2: begins something that may be UTF-8. */
static const unsigned char class_of[256] = {
	[0 ... 31] = 1, ['"'] = 1, ['\\'] = 1, ['<'] = 1, [127] = 1, [128 ... 255] = 2,
};

static void put_unicode(struct out *o, unsigned code)
{
	static const char digits[] = "0123456789abcdef";
	const char text[6] = {'\\',
			      'u',
			      digits[code >> 12 & 15],
			      digits[code >> 8 & 15],
			      digits[code >> 4 & 15],
			      digits[code & 15]};

	out_bytes(o, text, sizeof(text));
}

static void put_ascii_escape(struct out *o, unsigned char c)
{
	switch (c) {
	case '"':
		out_bytes(o, "\\\"", 2);
		return;
	case '\\':
		out_bytes(o, "\\\\", 2);
		return;
	case '\n':
		out_bytes(o, "\\n", 2);
		return;
	case '\t':
		out_bytes(o, "\\t", 2);
		return;
	case '\r':
		out_bytes(o, "\\r", 2);
		return;
	default:
		put_unicode(o, c);
	}
}

void json_quote(struct out *o, const char *s, size_t n)
{
	size_t from = 0, i = 0;

	out_char(o, '"');
	while (i < n) {
		unsigned char c = (unsigned char)s[i];
		size_t len = 1;

		if (!class_of[c]) {
			i++;
			continue;
		}
		if (class_of[c] == 2) {
			len = utf8_length(s + i, n - i);
			if (len && !utf8_is_line_end(s + i)) {
				i += len;
				continue;
			}
		}
		out_bytes(o, s + from, i - from);
		if (class_of[c] == 1)
			put_ascii_escape(o, c);
		else if (len)
			put_unicode(o, (unsigned char)s[i + 2] == 0xa8 ? 0x2028 : 0x2029);
		else
			out_str(o, "\xef\xbf\xbd");
		i += len ? len : 1;
		from = i;
	}
	out_bytes(o, s + from, n - from);
	out_char(o, '"');
}

void jw_init(struct jw *w, struct out *o)
{
	*w = (struct jw){.o = o};
}

/* Comma and name, as far as the place needs them. */
static void jw_lead(struct jw *w, const char *name)
{
	bool in_object = w->depth && w->closer[w->depth - 1] == '}';

	assert(in_object == (name != NULL));
	assert(w->depth || !w->comma); /* one value at the top */
	if (w->comma)
		out_char(w->o, ',');
	w->comma = true;
	if (name) {
		json_quote(w->o, name, strlen(name));
		out_char(w->o, ':');
	}
}

/* The same for the values that come in thousands: returns where size bytes of the value go, with
 * comma and name before them already written, or NULL when the long way is needed. The caller
 * hands the end of what it wrote to jw_wrote(). */
static char *jw_lead_quick(struct jw *w, const char *name, size_t size)
{
	size_t n = 0;
	char *p;

	assert((w->depth && w->closer[w->depth - 1] == '}') == (name != NULL));
	if (!w->depth)
		return NULL;
	if (name) {
		for (; name[n]; n++) {
			if (class_of[(unsigned char)name[n]])
				return NULL;
		}
	}
	/* Only inside what is allocated anyway, so that a buffer near its maximum fails where the
	 * text does not fit and not earlier. */
	if (w->o->failed || w->o->cap - w->o->len < n + size + 8)
		return NULL;
	p = w->o->p + w->o->len;
	if (w->comma)
		*p++ = ',';
	w->comma = true;
	if (name) {
		*p++ = '"';
		memcpy(p, name, n);
		p += n;
		*p++ = '"';
		*p++ = ':';
	}
	return p;
}

static void jw_wrote(struct jw *w, char *end)
{
	*end = '\0';
	w->o->len = (size_t)(end - w->o->p);
}

static void jw_open(struct jw *w, const char *name, char opener, char closer)
{
	jw_lead(w, name);
	assert(w->depth < JW_DEPTH);
	out_char(w->o, opener);
	w->closer[w->depth++] = closer;
	w->comma = false;
}

void jw_obj(struct jw *w, const char *name)
{
	jw_open(w, name, '{', '}');
}

void jw_arr(struct jw *w, const char *name)
{
	jw_open(w, name, '[', ']');
}

void jw_end(struct jw *w)
{
	assert(w->depth);
	out_char(w->o, w->closer[--w->depth]);
	w->comma = true;
}

void jw_str(struct jw *w, const char *name, const char *s)
{
	if (!s) {
		jw_null(w, name);
		return;
	}
	jw_strn(w, name, s, strlen(s));
}

void jw_strn(struct jw *w, const char *name, const char *s, size_t n)
{
	jw_lead(w, name);
	json_quote(w->o, s, n);
}

void jw_int(struct jw *w, const char *name, int64_t v)
{
	jw_lead(w, name);
	out_int(w->o, v);
}

void jw_num(struct jw *w, const char *name, double v)
{
	char *p;

	if (!isfinite(v)) {
		jw_null(w, name);
		return;
	}
	p = jw_lead_quick(w, name, NUM_MAX);
	if (p) {
		jw_wrote(w, p + num_shortest(v, p));
		return;
	}
	jw_lead(w, name);
	out_num(w->o, v);
}

void jw_prob(struct jw *w, const char *name, double v)
{
	char text[NUM_MAX];

	if (!isfinite(v)) {
		jw_null(w, name);
		return;
	}
	jw_lead(w, name);
	out_bytes(w->o, text, num_rounded(v, 6, text));
}

void jw_bool(struct jw *w, const char *name, bool v)
{
	jw_lead(w, name);
	out_str(w->o, v ? "true" : "false");
}

void jw_null(struct jw *w, const char *name)
{
	char *p = jw_lead_quick(w, name, 4);

	if (p) {
		memcpy(p, "null", 4);
		jw_wrote(w, p + 4);
		return;
	}
	jw_lead(w, name);
	out_str(w->o, "null");
}

void jw_time(struct jw *w, const char *name, int64_t t)
{
	char text[TIME_TEXT];

	clock_rfc3339(t, text);
	jw_str(w, name, *text ? text : NULL);
}

void jw_raw(struct jw *w, const char *name, const char *json, size_t n)
{
	jw_lead(w, name);
	out_bytes(w->o, json, n);
}
