/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds documents by their brackets and has jansson read them. A document is bounded in size, depth
 * and number of brackets before a tree is built of it; trees are not kept.
 */
#include "importers/json_piece.h"

#include "importers/json_scan.h"

#define DEPTH_MAX    32
#define BRACKETS_MAX 500000  /* 200 bytes each in the tree */
#define VALUES_MAX   2000000 /* 40 bytes each */

void json_pieces_begin(struct json_pieces *s, struct ctx *c, const char *bytes, size_t n)
{
	*s = (struct json_pieces){
		.ctx = c, .bytes = bytes, .p = bytes, .end = bytes + n, .line = 1};
}

const char *json_piece_find(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '{', (size_t)(end - p)))) {
		const char *next = json_skip_space(p + 1, end);

		if (next < end && (*next == '"' || *next == '}'))
			return p;
		p++;
	}
	return NULL;
}

/* Length of the word that is no number though it stands for one: nan, -nan, NaN, inf … or 0. */
static size_t no_number(const char *p, const char *end)
{
	static const char *const words[] = {"nan", "NaN", "inf", "Infinity"};
	size_t sign = *p == '-' || *p == '+';

	for (size_t i = sizeof(words) / sizeof(words[0]); i-- > 0;) {
		size_t n = strlen(words[i]);

		if ((size_t)(end - p) >= sign + n && !memcmp(p + sign, words[i], n))
			return sign + n;
	}
	return 0;
}

/* A copy with "" in place of such words; the caller frees it. */
static char *without_nan(const char *p, size_t n)
{
	char *copy = malloc(n + 1);
	bool quoted = false;

	if (!copy)
		die("out of memory");
	memcpy(copy, p, n);
	copy[n] = '\0';
	for (size_t i = 0; i < n; i++) {
		size_t len = quoted ? 0 : no_number(copy + i, copy + n);

		if (quoted && copy[i] == '\\') {
			i++;
		} else if (copy[i] == '"') {
			quoted = !quoted;
		} else if (len) {
			memset(copy + i, ' ', len);
			copy[i] = copy[i + 1] = '"';
			i += len - 1;
		}
	}
	return copy;
}

static json_t *parse(struct json_pieces *s, const char *p, size_t n)
{
	const size_t flags = JSON_DECODE_INT_AS_REAL;
	json_error_t error;
	json_t *v = json_loadb(p, n, flags, &error);
	size_t line, column;

	if (!v) {
		char *clean = without_nan(p, n);
		json_error_t again;

		v = json_loadb(clean, n, flags, &again);
		free(clean);
	}
	if (v)
		return v;
	for (char *t = error.text; *t; t++) { /* it quotes from the input */
		if ((unsigned char)*t < 0x20 || *t == 0x7f)
			*t = '?';
	}
	line = s->line + (error.line > 0 ? (size_t)error.line - 1 : 0);
	column = error.column > 0 ? (size_t)error.column : 1;
	fail(s->ctx, E_SYNTAX, "line %zu, column %zu: %s", line, column, error.text);
	return NULL;
}

/* Texts hold some, too, but not by the million. */
static bool has_too_many_values(const char *p, const char *end)
{
	size_t n = 0;

	while (end - p > VALUES_MAX - (ptrdiff_t)n && n <= VALUES_MAX &&
	       (p = memchr(p, ',', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n > VALUES_MAX;
}

json_t *json_pieces_next(struct json_pieces *s)
{
	const char *begin = json_piece_find(s->p, s->end), *end = s->end, *stop;
	enum json_scan found;
	json_t *v;

	if (!begin)
		return NULL;
	s->line += json_line_ends(s->p, begin);
	if ((size_t)(end - begin) > JSON_PIECE_MAX)
		end = begin + JSON_PIECE_MAX;
	found = json_scan_value(begin, end, DEPTH_MAX, BRACKETS_MAX, &stop);
	if (found == JSON_SCAN_DEEP || found == JSON_SCAN_MANY ||
	    (found == JSON_SCAN_CUT && end < s->end) || has_too_many_values(begin, stop)) {
		fail(s->ctx, found == JSON_SCAN_DEEP ? E_SYNTAX : E_TOO_LARGE,
		     "line %zu: the document that begins here %s", s->line,
		     found == JSON_SCAN_DEEP ? "is nested too deeply" : "is too large");
		return NULL;
	}
	v = parse(s, begin, (size_t)(stop - begin));
	s->line += json_line_ends(begin, stop);
	s->p = stop;
	return v;
}
