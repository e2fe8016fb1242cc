/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which form of a page is wanted: by ?format=, by the suffix, by Accept. People's browsers say
 * text/html; a bare "anything" is curl in a terminal, which gets text where there is text. Quality
 * values are not weighed: no client that matters uses them to choose between these forms.
 */
#include "server/http/conn.h"

#include <strings.h>

static const char *const words[] = {"html", "json", "csv", "txt", "md"};
static const char *const labels[] = {"HTML", "JSON", "CSV", "text", "Markdown"};

size_t form_suffix(const char *path, int *suffix)
{
	size_t len = strlen(path);

	for (int f = FORM_JSON; f <= FORM_TXT; f++) {
		size_t n = strlen(words[f]) + 1;
		/* a name must be left before the dot */
		if (len > n + 1 && path[len - n] == '.' && path[len - n - 1] != '/' &&
		    !strcmp(path + len - n + 1, words[f])) {
			*suffix = f;
			return n;
		}
	}
	*suffix = -1;
	return 0;
}

static bool has_form(unsigned flags, enum form f)
{
	switch (f) {
	case FORM_HTML:
		return !(flags & NO_HTML);
	case FORM_JSON:
		return flags & HAS_JSON;
	case FORM_CSV:
		return flags & HAS_CSV;
	case FORM_TXT:
		return flags & HAS_TXT;
	case FORM_MD:
		return flags & HAS_MD;
	}
	return false;
}

static bool type_is(const char *p, size_t n, const char *type)
{
	return strlen(type) == n && !strncasecmp(p, type, n);
}

/* The form that one media type of Accept means, or -1. */
static int form_of_type(const char *p, size_t n)
{
	if (type_is(p, n, "text/html") || type_is(p, n, "application/xhtml+xml"))
		return FORM_HTML;
	if (type_is(p, n, "application/json") || type_is(p, n, "application/problem+json"))
		return FORM_JSON;
	if (type_is(p, n, "text/csv"))
		return FORM_CSV;
	if (type_is(p, n, "text/markdown"))
		return FORM_MD;
	if (type_is(p, n, "text/plain") || type_is(p, n, "text/*") || type_is(p, n, "*/*"))
		return FORM_TXT;
	return -1;
}

/* HTML wherever it stands in the list; else the first that the page has; else HTML. */
static enum form form_of_accept(const char *accept, unsigned flags)
{
	int first = -1;

	if (!accept)
		return FORM_HTML;
	for (const char *p = accept; *p && p < accept + ACCEPT_MAX;) {
		p += strspn(p, " \t,");
		int f = form_of_type(p, strcspn(p, " \t,;"));
		if (f == FORM_HTML)
			return FORM_HTML;
		if (f >= 0 && first < 0 && has_form(flags, (enum form)f))
			first = f;
		p += strcspn(p, ",");
	}
	return first < 0 ? FORM_HTML : (enum form)first;
}

enum form form_guess(const char *uri, const char *accept)
{
	size_t n = strcspn(uri, "?");

	if (!strncmp(uri, "/api/", 5) || (n > 5 && !strncmp(uri + n - 5, ".json", 5)))
		return FORM_JSON;
	if (n > 4 && (!strncmp(uri + n - 4, ".csv", 4) || !strncmp(uri + n - 4, ".txt", 4)))
		return FORM_TXT;
	return form_of_accept(accept, HAS_JSON | HAS_TXT);
}

int form_choose(struct ctx *c, unsigned flags, int suffix, const char *format, const char *accept,
		enum form *out)
{
	int wanted = suffix;

	if (format) {
		for (wanted = FORM_MD; wanted >= 0 && strcmp(words[wanted], format); wanted--)
			;
		if (wanted < 0)
			return fault(c, "format", "\"%.40s\" is none of: html, json, csv, txt, md",
				     format);
	}
	if (wanted < 0) {
		*out = flags & NO_HTML ? flags & HAS_JSON ? FORM_JSON : FORM_TXT
				       : form_of_accept(accept, flags);
		return 0;
	}
	*out = (enum form)wanted; /* an error is said in it, too */
	if (!has_form(flags, (enum form)wanted))
		return fail(c, E_NOTFOUND, "this page has no form as %s", labels[wanted]);
	return 0;
}
