/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML by one function that escapes: in html(o, "<td title=\"%s\">%s", a, b) every %s is escaped
 * (& < > " ' and control characters), so forgetting is impossible. The format is always a literal.
 * Addresses go through struct url, never through %s in an attribute; lint refuses href="%s.
 * Knows %d %i %u %x %X %o (with l, ll, j, z, t), %f %e %g and %%; widths and precisions are written
 * out, no *. %s takes neither; a NULL text writes nothing. Anything else ends the process.
 */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "server/base/out.h"

struct url;

#define html(o, ...) html_fmt((o), "" __VA_ARGS__)
void html_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* n bytes of text, escaped. Bytes that are not UTF-8 become U+FFFD. */
void html_text(struct out *o, const char *s, size_t n);

/* <a href="url">text</a>; also with a class (a literal). */
void html_link(struct out *o, const struct url *u, const char *text);
void html_link_class(struct out *o, const char *class_literal, const struct url *u,
		     const char *text);
/* The address alone, escaped for an attribute: html(o, "<form action=\""); html_url(o, u); … */
void html_url(struct out *o, const struct url *u);

#endif
