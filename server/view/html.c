/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML that cannot forget to escape: the format is ours and goes out as it is, every text that is
 * put into it is escaped. One escaping serves for text and for quoted attributes.
 */
#include "server/view/html.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/utf8.h"
#include "server/view/url.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* 0: as it is; 1: replaced; 2: begins something that may be UTF-8. */
static const unsigned char class_of[256] = {
	[0 ... 8] = 1, [11 ... 31] = 1, ['&'] = 1, ['<'] = 1,         ['>'] = 1,
	['"'] = 1,     ['\''] = 1,      [127] = 1, [128 ... 255] = 2,
};

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&#34;";
	case '\'':
		return "&#39;";
	default:
		return REPLACEMENT;
	}
}

void html_text(struct out *o, const char *s, size_t n)
{
	size_t from = 0, i = 0;

	while (i < n) {
		unsigned char class = class_of[(unsigned char)s[i]];
		size_t len = 1;

		if (!class) {
			i++;
			continue;
		}
		if (class == 2) {
			len = utf8_length(s + i, n - i);
			if (len && !utf8_is_c1(s + i) && !utf8_turns_text(s + i)) {
				i += len;
				continue;
			}
		}
		out_bytes(o, s + from, i - from);
		out_str(o, class == 1 ? entity_of(s[i]) : REPLACEMENT);
		i += len ? len : 1;
		from = i;
	}
	out_bytes(o, s + from, n - from);
}

enum length { LENGTH_NONE, LENGTH_LONG, LENGTH_LONG_LONG, LENGTH_SIZE };

/* One conversion of a format. */
struct conversion {
	char spec[24]; /* for snprintf, integers always as long long: "%-8.3lld" */
	bool bare;     /* no flags, width or precision */
	enum length length;
	char letter;
};

/* Reads what stands behind a '%' and returns what follows it. */
static const char *read_conversion(const char *p, struct conversion *c)
{
	size_t n = strspn(p, "-+ #0123456789.");

	assert(n + 6 < sizeof(c->spec) && "a conversion that is too long");
	c->bare = n == 0;
	c->length = LENGTH_NONE;
	c->spec[0] = '%';
	memcpy(c->spec + 1, p, n);
	for (p += n;; p++) {
		if (*p == 'l')
			c->length = c->length ? LENGTH_LONG_LONG : LENGTH_LONG;
		else if (*p == 'z' || *p == 't')
			c->length = LENGTH_SIZE;
		else if (*p == 'j')
			c->length = LENGTH_LONG_LONG;
		else
			break;
	}
	c->letter = *p;
	n++;
	if (c->letter && strchr("diuxXo", c->letter)) {
		c->spec[n++] = 'l';
		c->spec[n++] = 'l';
	}
	c->spec[n++] = c->letter;
	c->spec[n] = '\0';
	return c->letter ? p + 1 : p;
}

static long long take_integer(const struct conversion *c, va_list *ap)
{
	bool is_signed = c->letter == 'd' || c->letter == 'i';

	switch (c->length) {
	case LENGTH_LONG_LONG:
		return va_arg(*ap, long long);
	case LENGTH_SIZE:
		return (long long)va_arg(*ap, size_t);
	case LENGTH_LONG:
		return is_signed ? va_arg(*ap, long) : (long long)va_arg(*ap, unsigned long);
	case LENGTH_NONE:
		break;
	}
	return is_signed ? va_arg(*ap, int) : (long long)va_arg(*ap, unsigned);
}

/* The spec is a piece of a literal that the compiler has checked at the call of html(). */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void put_integer(struct out *o, const struct conversion *c, va_list *ap)
{
	long long v = take_integer(c, ap);

	if (c->bare && (c->letter == 'd' || c->letter == 'i' || (c->letter == 'u' && v >= 0)))
		out_int(o, v);
	else
		out_fmt(o, c->spec, v);
}

static void put_real(struct out *o, const struct conversion *c, va_list *ap)
{
	assert(!c->length);
	out_fmt(o, c->spec, va_arg(*ap, double));
}

#pragma GCC diagnostic pop

static void put_conversion(struct out *o, const struct conversion *c, va_list *ap)
{
	switch (c->letter) {
	case '%':
		assert(c->bare);
		out_char(o, '%');
		return;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		put_integer(o, c, ap);
		return;
	case 'f':
	case 'F':
	case 'e':
	case 'E':
	case 'g':
	case 'G':
		put_real(o, c, ap);
		return;
	default:
		/* also %s with anything between: %5s, %.3s, %ls */
		assert(!"a conversion that html() does not know");
	}
}

static void html_vfmt(struct out *o, const char *fmt, va_list *ap)
{
	struct conversion c;

	for (;;) {
		const char *percent = strchrnul(fmt, '%');

		out_bytes(o, fmt, (size_t)(percent - fmt));
		if (!*percent)
			return;
		if (percent[1] == 's') {
			const char *s = va_arg(*ap, const char *);

			if (s)
				html_text(o, s, strlen(s));
			fmt = percent + 2;
			continue;
		}
		fmt = read_conversion(percent + 1, &c);
		put_conversion(o, &c, ap);
	}
}

void html_fmt(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	html_vfmt(o, fmt, &ap);
	va_end(ap);
}

void html_url(struct out *o, const struct url *u)
{
	html_text(o, u->s, strlen(u->s));
}

void html_link(struct out *o, const struct url *u, const char *text)
{
	html_link_class(o, NULL, u, text);
}

void html_link_class(struct out *o, const char *class_literal, const struct url *u,
		     const char *text)
{
	html(o, "<a ");
	if (class_literal)
		html(o, "class=\"%s\" ", class_literal);
	html(o, "href=\"");
	html_url(o, u);
	html(o, "\">%s</a>", text);
}
