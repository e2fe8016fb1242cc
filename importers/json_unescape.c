/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes of JSON texts. Two \u that are halves of one character (a surrogate pair) become it; a
 * half alone is no character and is refused. What is not escaped is copied as it is: whether it is
 * UTF-8 is the caller's question.
 */
#include "importers/json_unescape.h"

#include <string.h>

/* Four hex digits at p; -1: there are none. */
static int hex4(const char *p, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char ch = p[i] >= 'A' && p[i] <= 'F' ? (char)(p[i] - 'A' + 'a') : p[i];
		const char *d = ch ? strchr(digits, ch) : NULL;

		if (!d)
			return -1;
		v = v * 16 + (int)(d - digits);
	}
	return v;
}

static size_t put_utf8(char *to, unsigned u)
{
	size_t n = u < 0x80 ? 1 : u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; u >>= 6)
		to[i] = (char)(0x80 | (u & 0x3f));
	to[0] = (char)(first[n] | u);
	return n;
}

/* p is behind "\u". Returns what follows the escape, or NULL. */
static const char *unescape_u(const char *p, const char *end, char *to, size_t *n)
{
	int u = hex4(p, end), low;

	if (u < 0 || (u >= 0xdc00 && u < 0xe000))
		return NULL;
	p += 4;
	if (u >= 0xd800 && u < 0xdc00) {
		if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
			return NULL;
		low = hex4(p + 2, end);
		if (low < 0xdc00 || low > 0xdfff)
			return NULL;
		u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	*n += put_utf8(to + *n, (unsigned)u);
	return p;
}

const char *json_unescape(const char *p, const char *end, char *to, size_t *len)
{
	static const char from[] = "\"\\/bfnrt", becomes[] = "\"\\/\b\f\n\r\t";
	size_t n = 0;

	while (p < end) {
		const char *at = p, *found;

		if (*p != '\\') {
			to[n++] = *p++;
			continue;
		}
		if (++p == end)
			return at;
		found = *p ? strchr(from, *p) : NULL;
		if (found) {
			to[n++] = becomes[found - from];
			p++;
		} else if (*p != 'u' || !(p = unescape_u(p + 1, end, to, &n))) {
			return at;
		}
	}
	*len = n;
	return NULL;
}
