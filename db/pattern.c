/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LIKE patterns. PostgreSQL's LIKE minds the case and SQLite's does not, so both sides are lowered:
 * the column by lower(), the text here. Only ASCII is, since SQLite knows no more.
 */
#include "db/pattern.h"

#include "server/base/arena.h"
#include "server/base/utf8.h"

#define TEXT_MAX 200

static char *pattern(struct arena *a, const char *before, const char *text)
{
	size_t len = strlen(text), at = strlen(before), n = 0;
	char *out = arena_alloc(a, at + 2 * TEXT_MAX + 8);

	memcpy(out, before, at);
	while (n < len) {
		size_t bytes = utf8_length(text + n, len - n);

		if (!bytes)
			bytes = 1;
		if (n + bytes > TEXT_MAX)
			break;
		if (text[n] == '%' || text[n] == '_' || text[n] == '!')
			out[at++] = '!';
		for (size_t i = 0; i < bytes; i++, n++)
			out[at++] =
				text[n] >= 'A' && text[n] <= 'Z' ? (char)(text[n] + 32) : text[n];
	}
	out[at++] = '%';
	out[at] = '\0';
	return out;
}

char *pattern_containing(struct arena *a, const char *text)
{
	return pattern(a, "%", text);
}

char *pattern_beginning(struct arena *a, const char *text)
{
	return pattern(a, "", text);
}
