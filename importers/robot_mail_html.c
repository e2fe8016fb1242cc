/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a page: what archives of mailing lists and mailers show. Tags end lines or vanish,
 * space counts as it does in a browser, a block quote puts "> " before its lines, entities become
 * characters; scripts and styles are left out. One pass, no tree: a page may be cut anywhere.
 */
#include "importers/robot_mail.h"

#include <string.h>
#include <strings.h>

#include "server/base/arena.h"

#define HTML_QUOTES_MAX 16
#define HTML_PAGE_MAX   4096 /* bytes in which a page says that it is one */
#define ENTITY_MAX      12

struct page {
	struct arena *a;
	const char *p, *end;
	char *out;
	size_t n, cap;
	unsigned quotes, pre;
	bool at_start; /* of a line */
	bool space;    /* one is due before the next character */
};

bool mail_is_html(const char *bytes, size_t n)
{
	static const char *const signs[] = {"<html", "<!doctype html", "<body", "<pre"};
	size_t i = 0, seen = n < HTML_PAGE_MAX ? n : HTML_PAGE_MAX;

	if (seen >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < seen && strchr(" \t\r\n", bytes[i]) && bytes[i])
		i++;
	if (i == seen || bytes[i] != '<')
		return false;
	for (; i < seen; i++) {
		for (size_t k = 0; bytes[i] == '<' && k < sizeof(signs) / sizeof(signs[0]); k++) {
			if (n - i >= strlen(signs[k]) &&
			    strncasecmp(bytes + i, signs[k], strlen(signs[k])) == 0)
				return true;
		}
	}
	return false;
}

static void put(struct page *g, const char *s, size_t n)
{
	if (g->n + n + 1 > g->cap)
		g->out = arena_grow(g->a, g->out, &g->cap, g->n + n + 1, 1);
	memcpy(g->out + g->n, s, n);
	g->n += n;
}

static void new_line(struct page *g)
{
	put(g, "\n", 1);
	g->at_start = true;
	g->space = false;
}

/* Ends the line unless nothing is in it. */
static void end_line(struct page *g)
{
	if (!g->at_start)
		new_line(g);
}

static void put_text(struct page *g, const char *s, size_t n)
{
	if (g->at_start) {
		for (unsigned i = 0; i < g->quotes; i++)
			put(g, "> ", 2);
		g->at_start = false;
	} else if (g->space) {
		put(g, " ", 1);
	}
	g->space = false;
	put(g, s, n);
}

static size_t utf8_write(unsigned long u, char *b)
{
	if (u < 0x80) {
		b[0] = (char)u;
		return 1;
	}
	if (u < 0x800) {
		b[0] = (char)(0xc0 | (u >> 6));
		b[1] = (char)(0x80 | (u & 0x3f));
		return 2;
	}
	if (u < 0x10000) {
		b[0] = (char)(0xe0 | (u >> 12));
		b[1] = (char)(0x80 | ((u >> 6) & 0x3f));
		b[2] = (char)(0x80 | (u & 0x3f));
		return 3;
	}
	b[0] = (char)(0xf0 | (u >> 18));
	b[1] = (char)(0x80 | ((u >> 12) & 0x3f));
	b[2] = (char)(0x80 | ((u >> 6) & 0x3f));
	b[3] = (char)(0x80 | (u & 0x3f));
	return 4;
}

/* Of "&…;" at p: its character; 0 when it is none that we know. */
static unsigned long entity(const char *p, const char *end, size_t *len)
{
	static const struct {
		const char *name;
		unsigned long u;
	} known[] = {{"gt", '>'},       {"lt", '<'},      {"amp", '&'},    {"quot", '"'},
		     {"nbsp", 0xa0},    {"plusmn", 0xb1}, {"pm", 0xb1},    {"apos", '\''},
		     {"percnt", '%'},   {"sol", '/'},     {"lbrack", '['}, {"rbrack", ']'},
		     {"ndash", 0x2013}, {"mdash", 0x2014}};
	const char *stop = memchr(p, ';', (size_t)(end - p < ENTITY_MAX ? end - p : ENTITY_MAX));
	size_t n;

	if (!stop || stop - p < 3)
		return 0;
	*len = (size_t)(stop - p) + 1;
	n = *len - 2;
	if (p[1] == '#') {
		unsigned long u = 0;
		bool is_hex = p[2] == 'x' || p[2] == 'X';

		for (const char *q = p + 2 + is_hex; q < stop; q++) {
			int d = *q >= '0' && *q <= '9'             ? *q - '0'
				: is_hex && *q >= 'a' && *q <= 'f' ? *q - 'a' + 10
				: is_hex && *q >= 'A' && *q <= 'F' ? *q - 'A' + 10
								   : -1;
			if (d < 0 || u > 0x10ffff)
				return 0;
			u = u * (is_hex ? 16 : 10) + (unsigned long)d;
		}
		return u > 0x10ffff || (u >= 0xd800 && u < 0xe000) ? 0 : u;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) == n && memcmp(known[i].name, p + 1, n) == 0)
			return known[i].u;
	}
	return 0;
}

static bool is_tag(const char *name, size_t n, const char *words)
{
	for (const char *w = words; *w;) {
		size_t len = strcspn(w, " ");

		if (len == n && strncasecmp(w, name, n) == 0)
			return true;
		w += len + (w[len] == ' ');
	}
	return false;
}

/* Behind the end tag of an element whose content is no text. */
static const char *skip_element(const char *p, const char *end, const char *name, size_t n)
{
	while ((p = memchr(p, '<', (size_t)(end - p)))) {
		if (end - p > (long)n + 2 && p[1] == '/' && strncasecmp(p + 2, name, n) == 0)
			return p;
		p++;
	}
	return end;
}

static void read_tag(struct page *g)
{
	const char *p = g->p + 1, *stop;
	bool closes = p < g->end && *p == '/';
	const char *name = p + closes;
	size_t n = 0;

	if (g->end - p >= 3 && memcmp(p, "!--", 3) == 0) {
		stop = memmem(p, (size_t)(g->end - p), "-->", 3);
		g->p = stop ? stop + 3 : g->end;
		return;
	}
	while (name + n < g->end && n < 20 &&
	       ((name[n] | 0x20) >= 'a' ? (name[n] | 0x20) <= 'z'
					: name[n] >= '0' && name[n] <= '9'))
		n++;
	if (!n && name < g->end && *p != '!') { /* a '<' that is only that */
		put_text(g, g->p++, 1);
		return;
	}
	stop = memchr(p, '>', (size_t)(g->end - p));
	g->p = stop ? stop + 1 : g->end;
	if (is_tag(name, n, "script style head title") && !closes && !is_tag(name, n, "head title"))
		g->p = skip_element(g->p, g->end, name, n);
	else if (is_tag(name, n, "br"))
		new_line(g);
	else if (is_tag(name, n, "td th"))
		g->space = !g->at_start;
	else if (is_tag(name, n,
			"p div tr li ul ol table pre blockquote h1 h2 h3 h4 hr title "
			"address dt dd"))
		end_line(g);
	if (is_tag(name, n, "pre"))
		g->pre += closes ? (g->pre ? -1u : 0u) : 1u;
	if (is_tag(name, n, "blockquote") && closes)
		g->quotes -= g->quotes > 0;
	else if (is_tag(name, n, "blockquote"))
		g->quotes += g->quotes < HTML_QUOTES_MAX;
	if (is_tag(name, n, "p") && closes && !g->pre)
		new_line(g);
}

/* Text up to the next tag or entity. */
static void read_text(struct page *g)
{
	const char *p = g->p;

	while (p < g->end && *p != '<' && *p != '&') {
		if (*p == '\n' && g->pre)
			new_line(g), p++;
		else if (*p == '\r' || (!g->pre && strchr(" \t\n", *p) && *p))
			g->space |= !g->at_start && *p != '\r', p++;
		else {
			const char *q = p + 1;

			while (q < g->end && *q != '<' && *q != '&' && *q != '\n' && *q != '\r' &&
			       (g->pre || (*q != ' ' && *q != '\t')))
				q++;
			put_text(g, p, (size_t)(q - p));
			p = q;
		}
	}
	g->p = p;
}

char *mail_html_text(struct arena *a, const char *bytes, size_t n, size_t *len)
{
	struct page g = {.a = a, .p = bytes, .end = bytes + n, .at_start = true};

	put(&g, "", 0);
	while (g.p < g.end) {
		size_t used;
		unsigned long u;
		char b[4];

		if (*g.p == '<') {
			read_tag(&g);
		} else if (*g.p == '&' && (u = entity(g.p, g.end, &used))) {
			put_text(&g, b, utf8_write(u, b));
			g.p += used;
		} else if (*g.p == '&') {
			put_text(&g, g.p++, 1);
		} else {
			read_text(&g);
		}
	}
	*len = g.n;
	return g.out;
}
