/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 of uncertain origin, one character at a time. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid character (not NUL-terminated, n >= 1 bytes) that s begins with: 1 to 4; 0
 * when it is none: a stray or missing continuation, an overlong form, a surrogate, above U+10FFFF.
 */
static inline size_t utf8_length(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (n < len)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

/* True for U+0080 to U+009F, the control characters beyond ASCII (s begins with a valid one). */
static inline int utf8_is_c1(const char *s)
{
	return (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0;
}

/* True for the marks that turn the direction of what follows them, U+202A to U+202E and U+2066 to
 * U+2069, so that it reads as what it is not (s begins with a valid one). */
static inline int utf8_turns_text(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	return p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
				(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

/* True for U+2028 and U+2029, which end a line in some readers (s begins with a valid one). */
static inline int utf8_is_line_end(const char *s)
{
	return (unsigned char)s[0] == 0xe2 && (unsigned char)s[1] == 0x80 &&
	       ((unsigned char)s[2] == 0xa8 || (unsigned char)s[2] == 0xa9);
}

#endif
