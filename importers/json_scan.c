/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over a JSON value counting brackets outside strings. A bracket of the wrong kind counts as
 * one of the right kind: the piece found is then too long or too short, never without an end, and
 * jansson says what is wrong with it.
 */
#include "importers/json_scan.h"

#include <string.h>

const char *json_skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* p is behind the opening quote; returns the byte behind the closing one, or NULL. A quote ends the
 * string unless an odd number of backslashes stands before it. */
static const char *skip_string(const char *p, const char *end)
{
	const char *begin = p;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		const char *q = p;

		while (q > begin && q[-1] == '\\')
			q--;
		p++;
		if ((p - q) % 2 != 0)
			return p;
	}
	return NULL;
}

/* A number, a word, or anything else that is not bracketed: up to what can follow it. */
static const char *skip_bare(const char *p, const char *end)
{
	do {
		p++;
	} while (p < end && !strchr(" \n\r\t,:[]{}\"", *p)); /* strchr finds a NUL too */
	return p;
}

enum json_scan json_scan_value(const char *p, const char *end, unsigned max_depth,
			       unsigned max_brackets, const char **stop)
{
	static const unsigned char special[256] = {
		['"'] = 1, ['{'] = 1, ['['] = 1, ['}'] = 1, [']'] = 1,
	};
	unsigned depth = 0, brackets = 0;

	if (!special[(unsigned char)*p]) {
		*stop = skip_bare(p, end);
		return JSON_SCAN_OK;
	}
	while (p < end) {
		char ch = *p++;

		if (!special[(unsigned char)ch])
			continue;
		if (ch == '"') {
			p = skip_string(p, end);
			if (!p)
				break;
		} else if (ch == '{' || ch == '[') {
			if (++depth > max_depth || ++brackets > max_brackets) {
				*stop = p - 1;
				return depth > max_depth ? JSON_SCAN_DEEP : JSON_SCAN_MANY;
			}
		} else if (depth) {
			depth--;
		}
		if (depth == 0) {
			*stop = p;
			return JSON_SCAN_OK;
		}
	}
	*stop = end;
	return JSON_SCAN_CUT;
}

size_t json_line_ends(const char *p, const char *end)
{
	size_t n = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}
