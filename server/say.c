/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line is put together first and written at once, so that lines of several threads do not mix.
 * Nothing of it is cut. */
#include "server/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/err.h"
#include "server/base/utf8.h"

/* Whether the character of len bytes (0: it is none) may stand in a line. */
static bool is_plain(const char *p, size_t len)
{
	if (len == 1)
		return (unsigned char)*p >= ' ' && *p != 0x7f;
	return len && !utf8_is_c1(p) && !utf8_turns_text(p) && !utf8_is_line_end(p);
}

/* to has four bytes for each of text. */
static size_t show(char *to, const char *text, size_t n)
{
	char *out = to;

	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(text + i, n - i);

		if (is_plain(text + i, len)) {
			memcpy(out, text + i, len);
			out += len;
		} else if (text[i] == '\n' || text[i] == '\t') {
			*out++ = '\\';
			*out++ = text[i] == '\n' ? 'n' : 't';
			len = 1;
		} else {
			len = len ? len : 1;
			for (size_t k = 0; k < len; k++)
				out += snprintf(out, 5, "\\x%02x", (unsigned char)text[i + k]);
		}
		i += len;
	}
	return (size_t)(out - to);
}

void say(const char *fmt, ...)
{
	char *text, *line;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	line = n < 0 ? NULL : malloc(4 * (size_t)n + 8);
	if (!line)
		die("out of memory");
	n = (int)show(line, text, (size_t)n);
	line[n++] = '\n';
	fwrite(line, 1, (size_t)n, stderr);
	free(line);
	free(text);
}
