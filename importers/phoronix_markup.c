/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the tags, comments and the like of a composite.xml are. libxml2 takes each as a whole,
 * and time that grows with the square of its length: for the attributes of a tag, for every "--" in
 * a comment, for a CDATA section in pieces, for what a document type declares. So a file is refused
 * that has a long one, or a document type; what else is wrong the parser says.
 */
#include "importers/phoronix.h"

#define TAG_MAX   ((size_t)16 << 10)
#define CDATA_MAX ((size_t)1 << 20)

/* Behind the mark; NULL. */
static const char *behind(const char *p, size_t n, const char *mark)
{
	const char *at = memmem(p, n, mark, strlen(mark));

	return at ? at + strlen(mark) : NULL;
}

/* Behind the > that is in no quotes; NULL. */
static const char *behind_tag(const char *p, size_t n)
{
	char quote = 0;

	for (const char *end = p + n; p < end; p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '>')
			return p + 1;
		else if (*p == '"' || *p == '\'')
			quote = *p;
	}
	return NULL;
}

static bool begins(const char *p, size_t n, const char *mark)
{
	return n >= strlen(mark) && memcmp(p, mark, strlen(mark)) == 0;
}

/* Behind what begins at p, which is the end if that comes first; NULL: it is too long. */
static const char *markup_end(const char *p, const char *end)
{
	size_t n = (size_t)(end - p), max = begins(p, n, "<![CDATA[") ? CDATA_MAX : TAG_MAX;
	size_t seen = n < max ? n : max;
	const char *stop;

	if (max == CDATA_MAX)
		stop = behind(p, seen, "]]>");
	else if (begins(p, n, "<!--"))
		stop = behind(p + 4, seen - 4, "-->");
	else if (begins(p, n, "<?"))
		stop = behind(p, seen, "?>");
	else
		stop = behind_tag(p, seen);
	return stop || n > max ? stop : end;
}

static size_t line_of(const char *p, const char *bytes)
{
	size_t line = 1;

	for (; (bytes = memchr(bytes, '\n', (size_t)(p - bytes))); bytes++)
		line++;
	return line;
}

int phoronix_check_markup(struct ctx *c, const char *bytes, size_t n)
{
	const char *end = bytes + n, *stop;

	for (const char *p = bytes; (p = memchr(p, '<', (size_t)(end - p))); p = stop) {
		if (begins(p, (size_t)(end - p), "<!DOCTYPE"))
			return fail(c, E_SYNTAX, "line %zu: document types are not taken",
				    line_of(p, bytes));
		stop = markup_end(p, end);
		if (!stop)
			return fail(c, E_TOO_LARGE,
				    "line %zu: a tag, comment or CDATA section is too long",
				    line_of(p, bytes));
	}
	return E_OK;
}
