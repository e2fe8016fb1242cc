/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of a mail -> lines. Repairs what mailers and archives do to it: wrong charset labels, spaces
 * that are none, quoted-printable that nobody decoded, and the marks of quoting. Bytes that are
 * valid UTF-8 are taken as such whatever their label says, since no table in another charset looks
 * like that. Each step is one pass over the text.
 */
#include "importers/robot_mail.h"

#include <iconv.h>
#include <string.h>

#include "server/base/arena.h"
#include "server/base/utf8.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)
#define CUT_LEAST      70 /* bytes of a line that quoted-printable has cut */
#define CUT_MOST       78
#define WRAPPED_LEAST  40 /* of one that a mailer has wrapped */
#define WRAPPED_MOST   64 /* from which on every mailer wraps */
#define LETTERS_LEAST  3  /* runs of spaces that became letters */
#define INDENT_MOST    8
#define SPACED_LEAST   20 /* lines of a text that can be told to be spaced */

static bool is_valid_utf8(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(s + i, n - i);

		if (!len)
			return false;
		i += len;
	}
	return true;
}

/* Valid characters stay, other bytes are taken for ISO 8859-1. */
static char *mend_bytes(struct arena *a, const char *s, size_t n, size_t *out_n)
{
	char *out = arena_alloc(a, 2 * n + 1), *o = out;

	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(s + i, n - i);
		unsigned char ch = (unsigned char)s[i];

		if (len) {
			memcpy(o, s + i, len);
			o += len;
			i += len;
			continue;
		}
		*o++ = (char)(0xc0 | (ch >> 6));
		*o++ = (char)(0x80 | (ch & 0x3f));
		i++;
	}
	*out_n = (size_t)(o - out);
	return out;
}

/* By the label; NULL when the charset is unknown or the bytes are not in it. */
static char *convert(struct arena *a, const char *charset, const char *s, size_t n, size_t *out_n)
{
	iconv_t cd = iconv_open("UTF-8", charset);
	size_t room = 4 * n + 16, left = room;
	char *out, *o, *in = (char *)s;

	if (cd == (iconv_t)-1)
		return NULL;
	out = o = arena_alloc(a, room + 1);
	if (iconv(cd, &in, &n, &o, &left) == (size_t)-1)
		out = NULL;
	iconv_close(cd);
	*out_n = room - left;
	return out;
}

static bool is_escaped(const char *charset)
{
	return charset &&
	       (strncasecmp(charset, "iso-2022", 8) == 0 ||
		strncasecmp(charset, "utf-16", 6) == 0 || strncasecmp(charset, "utf-32", 6) == 0);
}

static const char *to_utf8(struct arena *a, const char *charset, const char *s, size_t *n)
{
	char *out = NULL;
	size_t len = 0;

	if (*n >= 2 && (memcmp(s, "\xff\xfe", 2) == 0 || memcmp(s, "\xfe\xff", 2) == 0))
		charset = "UTF-16";
	if (!is_escaped(charset) && is_valid_utf8(s, *n))
		return s;
	if (charset && strlen(charset) < 40)
		out = convert(a, charset, s, *n, &len);
	if (!out || !is_valid_utf8(out, len))
		out = mend_bytes(a, s, *n, &len);
	*n = len;
	return out;
}

static int hex_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

static const char *undo_quoted_printable(struct arena *a, const char *s, size_t *n)
{
	char *out = arena_alloc(a, *n + 1), *o = out;

	for (size_t i = 0; i < *n; i++) {
		if (s[i] == '=' && i + 2 < *n && hex_value(s[i + 1]) >= 0 &&
		    hex_value(s[i + 2]) >= 0) {
			*o++ = (char)(hex_value(s[i + 1]) * 16 + hex_value(s[i + 2]));
			i += 2;
		} else if (s[i] == '=' && i + 1 < *n && s[i + 1] == '\n') {
			i++;
		} else if (s[i] == '=' && i + 2 < *n && s[i + 1] == '\r' && s[i + 2] == '\n') {
			i += 2;
		} else {
			*o++ = s[i];
		}
	}
	*n = (size_t)(o - out);
	return out;
}

/* What quoted-printable makes of a table's own characters, or three lines that it cut; a plain text
 * has none of it. */
static bool is_quoted_printable(const char *s, size_t n)
{
	static const char *const signs[] = {"=C2=B1", "=B1 ", "=3D=3D=3D=3D", "=C4=85", "=C2=A0"};
	size_t cut = 0;

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (memmem(s, n, signs[i], strlen(signs[i])))
			return true;
	}
	for (const char *p = s, *end = s + n, *stop; cut < 3 && p < end; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (!stop)
			break;
		cut += stop - p >= CUT_LEAST && stop - p <= CUT_MOST && stop[-1] == '=' &&
		       stop[-2] != '=';
	}
	return cut == 3;
}

/* Bytes of a character that shows as a space, or as nothing (*shown false); 0: another. An A with a
 * circumflex is what is left of a no-break space or before a plus-minus sign read as ISO 8859-1. */
static size_t odd_space(const unsigned char *p, size_t n, bool *shown)
{
	*shown = true;
	if (n >= 2 && p[0] == 0xc2 && (p[1] == 0xa0 || p[1] < 0xa0))
		return 2;
	if (n >= 2 && p[0] == 0xc3 && p[1] == 0x82)
		return 2;
	if (n >= 3 && p[0] == 0xe2 && p[1] == 0x80) {
		*shown = p[2] < 0x8b || p[2] > 0x8f;
		return p[2] <= 0x8f || p[2] == 0xaf || p[2] == 0xa8 || p[2] == 0xa9 ? 3 : 0;
	}
	if (n >= 3 && p[0] == 0xe3 && p[1] == 0x80 && p[2] == 0x80)
		return 3;
	*shown = false;
	if (n >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf)
		return 3;
	return 0;
}

/* Of an escape sequence of terminals at p: its length, or 1. */
static size_t escape_length(const char *p, const char *end)
{
	const char *q = p + 2;

	if (end - p < 3 || p[1] != '[')
		return 1;
	while (q < end && q - p < 20 && ((*q >= '0' && *q <= '9') || *q == ';'))
		q++;
	return (size_t)(q - p) + (q<end && * q> ' ' && *q < 0x7f);
}

/* Copies a text with plain spaces and without control characters; lines stay. Never longer. */
static char *plain_spaces(struct arena *a, const char *s, size_t n, size_t *out_n)
{
	char *out = arena_alloc(a, n + 1), *o = out;
	const char *end = s + n;

	while (s < end) {
		unsigned char ch = (unsigned char)*s;
		size_t odd;
		bool shown;

		if ((ch >= 0x20 && ch < 0x7f) || ch == '\n') {
			*o++ = *s++;
		} else if (ch < 0x20 || ch == 0x7f) {
			if (ch == 0x1b)
				s += escape_length(s, end);
			else if (s++, ch != '\r')
				*o++ = ' ';
		} else if ((odd = odd_space((const unsigned char *)s, (size_t)(end - s), &shown))) {
			if (shown)
				*o++ = ' ';
			s += odd;
		} else {
			size_t len = utf8_length(s, (size_t)(end - s));

			memcpy(o, s, len);
			o += len;
			s += len;
		}
	}
	*o = '\0';
	*out_n = (size_t)(o - out);
	return out;
}

/* An archive without no-break spaces has made an A of each: "A A A 1207402 A+-A A 7%". Of runs of
 * two and more they become spaces, where a text has many. */
static void undo_letters(char *s, size_t n)
{
	char *end = s + n, *p = s;

	for (int seen = 0; seen < LETTERS_LEAST; seen++) {
		p = memmem(p, (size_t)(end - p), "A A A A", 7);
		if (!p)
			return;
		p += 7;
	}
	for (p = s; end - p > 2; p++) {
		if (memcmp(p, "A A", 3) != 0)
			continue;
		for (; end - p > 2 && memcmp(p, "A A", 3) == 0; p += 2)
			*p = ' ';
		if (end - p < 2 || p[1] != '+') /* of "A+-" */
			*p = ' ';
	}
}

/* Behind the marks of quoting: '>' with up to two spaces between, and before where a mail stands
 * indented in another text. */
static char *skip_quotes(char *s, const char *end, unsigned *depth)
{
	char *p = s;

	*depth = 0;
	for (;;) {
		char *q = p;

		while (q < end && *q == ' ' && q - p < (*depth ? 2 : INDENT_MOST))
			q++;
		if (q >= end || *q != '>')
			return p;
		(*depth)++;
		p = q + 1;
	}
}

static bool is_signature(const char *s, size_t len)
{
	return len == 3 && memcmp(s, "-- ", 3) == 0;
}

static void add_line(struct mail *m, char *s, char *end, bool delsp, bool *is_soft)
{
	struct mail_line *before = m->nlines ? &m->lines[m->nlines - 1] : NULL;
	unsigned depth;
	char *p = skip_quotes(s, end, &depth);
	bool ends_soft = delsp && end - p > 1 && end[-1] == ' ' && end[-2] != ' ' &&
			 !is_signature(p, (size_t)(end - p));

	if (depth > MAIL_QUOTES_MAX - 1)
		depth = MAIL_QUOTES_MAX - 1;
	while (end > p && end[-1] == ' ')
		end--;
	*end = '\0';
	if (*is_soft && before && before->depth == depth &&
	    before->len + (size_t)(end - p) < LINE_MAX_BYTES) {
		before->s = arena_fmt(m->a, "%s%s", before->s, *p == ' ' ? p + 1 : p);
		before->len = (uint32_t)strlen(before->s);
		*is_soft = ends_soft && before->len < MAIL_ROW_BYTES;
		return;
	}
	m->lines = arena_grow(m->a, m->lines, &m->lines_cap, m->nlines + 1, sizeof(*m->lines));
	m->lines[m->nlines++] =
		(struct mail_line){p, (uint32_t)(end - p), (uint16_t)depth, (uint16_t)m->nparts};
	*is_soft = ends_soft;
}

/* An archive that puts an empty line behind every line: of odd numbers of them one goes. */
static void close_up(struct mail *m, size_t first)
{
	size_t kept = first, full = 0;

	for (size_t i = first; i < m->nlines; i++) {
		full += m->lines[i].len > 0;
		if (i > first && m->lines[i].len && m->lines[i - 1].len)
			return;
	}
	if (full < SPACED_LEAST)
		return;
	for (size_t i = first, empty = 0; i < m->nlines; i++) {
		empty = m->lines[i].len ? 0 : empty + 1;
		if (empty % 2 == 0)
			m->lines[kept++] = m->lines[i];
	}
	m->nlines = kept;
}

/* A mailer that wraps what is quoted leaves the rest of the line without its marks: one line of
 * lesser depth behind a long one, or one with which its first word would have been too long, and
 * before one of the same depth. */
static void requote(struct mail *m, size_t first)
{
	for (size_t i = first + 1; i + 1 < m->nlines; i++) {
		const struct mail_line *above = &m->lines[i - 1], *below = &m->lines[i + 1];
		struct mail_line *l = &m->lines[i];
		size_t width = above->len + 2u * above->depth;
		size_t word = strcspn(l->s + strspn(l->s, " "), " ");

		if (l->len && l->depth < above->depth && below->depth == above->depth &&
		    (width >= WRAPPED_LEAST || width + word >= WRAPPED_MOST))
			l->depth = above->depth;
	}
}

void mail_text_add(struct mail *m, const char *bytes, size_t n, const struct mail_coding *k)
{
	size_t first = m->nlines;
	bool is_soft = false;
	char *text, *end;

	if (k->may_be_quoted_printable && is_quoted_printable(bytes, n))
		bytes = undo_quoted_printable(m->a, bytes, &n);
	bytes = to_utf8(m->a, k->charset, bytes, &n);
	if (k->is_html)
		bytes = mail_html_text(m->a, bytes, n, &n);
	text = plain_spaces(m->a, bytes, n, &n);
	undo_letters(text, n);
	end = text + n;
	m->nparts++;
	while (text < end && !mail_is_full(m)) {
		char *stop = memchr(text, '\n', (size_t)(end - text));
		char *line_end = stop ? stop : end;

		if ((size_t)(line_end - text) > LINE_MAX_BYTES)
			text[LINE_MAX_BYTES] = '\0', line_end = text + LINE_MAX_BYTES;
		add_line(m, text, line_end, k->delsp, &is_soft);
		text = stop ? stop + 1 : end;
	}
	close_up(m, first);
	requote(m, first);
}
