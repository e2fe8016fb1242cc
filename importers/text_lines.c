/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines and numbers of programs' output. Every line is a copy, so that an importer may keep what it
 * points at; together they take the input's size once more. Nothing here fails: what cannot be read
 * is a space, or no number.
 */
#include "importers/text_lines.h"

#include <string.h>

#include "server/base/arena.h"
#include "server/base/num.h"

#define LINE_MAX_BYTES  ((size_t)64 << 10)
#define NUMBER_TEXT_MAX 400
#define ESCAPE          0x1b

void text_lines_init(struct text_lines *t, struct arena *a, const char *bytes, size_t n)
{
	*t = (struct text_lines){.p = bytes, .end = bytes + n, .arena = a};
	if (n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) /* a byte order mark */
		t->p += 3;
}

/* Behind an escape sequence that begins at p: ESC [ parameters letter, ESC ] text BEL (or ESC \),
 * or ESC and one more. */
static const char *skip_escape(const char *p, const char *end)
{
	char kind;

	if (++p >= end)
		return end;
	kind = *p++;
	if (kind == '[') {
		while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x40)
			p++;
		return p < end ? p + 1 : end;
	}
	if (kind == ']') {
		while (p < end && *p != '\a' && *p != ESCAPE)
			p++;
		if (p < end && *p == ESCAPE && p + 1 < end && p[1] == '\\')
			p++;
		return p < end ? p + 1 : end;
	}
	return p;
}

/* Bytes of a space that is none of ASCII at p: U+00A0, U+2000 to U+200A, U+202F, U+205F, U+3000. 0:
 * there is none. */
static size_t wide_space(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t n = (size_t)(end - p);

	if (u[0] < 0x80)
		return 0;
	if (n >= 2 && u[0] == 0xc2 && u[1] == 0xa0)
		return 2;
	if (n < 3)
		return 0;
	if (u[0] == 0xe2 && u[1] == 0x80)
		return u[2] <= 0x8a || u[2] == 0xaf ? 3 : 0;
	return (u[0] == 0xe2 && u[1] == 0x81 && u[2] == 0x9f) || !memcmp(u, "\xe3\x80\x80", 3) ? 3
											       : 0;
}

/* Copies without escape sequences; wide spaces and NULs become spaces. Returns the length. */
static size_t copy_clean(char *out, const char *p, const char *end)
{
	char *o = out;
	size_t wide;

	while (p < end) {
		if (*p == ESCAPE) {
			p = skip_escape(p, end);
		} else if ((wide = wide_space(p, end))) {
			*o++ = ' ';
			p += wide;
		} else {
			*o++ = *p ? *p : ' ';
			p++;
		}
	}
	return (size_t)(o - out);
}

/* Behind marks of quoting, "> > " or ">> "; a single space follows the last. ">=" is none. */
static char *skip_quoting(char *p, size_t *depth)
{
	*depth = 0;
	for (;;) {
		char *mark = *p == ' ' ? p + 1 : p;

		if (*mark != '>' || mark[1] == '=')
			break;
		p = mark + 1;
		++*depth;
	}
	if (*depth && *p == ' ')
		p++;
	return p;
}

char *text_line(struct text_lines *t)
{
	const char *begin = t->p, *end = begin, *stop;
	char *line;
	size_t n;

	if (t->p >= t->end)
		return NULL;
	while (end < t->end && *end != '\n' && *end != '\r')
		end++;
	/* a lone CR goes back to the line's beginning on a terminal: what follows is a line too */
	if (t->number == 0 || begin[-1] == '\n')
		t->number++;
	t->p = end;
	if (t->p < t->end && *t->p == '\r')
		t->p++;
	if (t->p < t->end && *t->p == '\n' && (t->p == end || t->p[-1] == '\r'))
		t->p++;
	stop = (size_t)(end - begin) > LINE_MAX_BYTES ? begin + LINE_MAX_BYTES : end;
	line = arena_alloc(t->arena, (size_t)(stop - begin) + 1);
	n = copy_clean(line, begin, stop);
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	line[n] = '\0';
	return skip_quoting(line, &t->quote);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_spaces(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* A number being copied without its commas; n over the size: too long. */
struct number_text {
	char s[NUMBER_TEXT_MAX];
	size_t n;
};

static void put(struct number_text *t, char c)
{
	if (t->n < sizeof(t->s))
		t->s[t->n] = c;
	t->n++;
}

/* Digits, in groups of three where commas may stand between them. */
static const char *copy_digits(const char *p, bool grouping, struct number_text *t)
{
	const char *begin = p;

	while (is_digit(*p))
		put(t, *p++);
	if (!grouping || p == begin || p - begin > 3)
		return p;
	while (*p == ',' && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) && !is_digit(p[4])) {
		for (int i = 1; i <= 3; i++)
			put(t, p[i]);
		p += 4;
	}
	return p;
}

static const char *copy_exponent(const char *p, struct number_text *t)
{
	const char *q = p + 1;

	if (*p != 'e' && *p != 'E')
		return p;
	if (*q == '-' || *q == '+')
		q++;
	if (!is_digit(*q))
		return p;
	for (; p < q; p++)
		put(t, *p);
	return copy_digits(p, false, t);
}

bool text_number(const char **p, bool grouping, double *v)
{
	const char *q = skip_spaces(*p), *digits;
	struct number_text t = {.n = 0};

	if (*q == '-' || *q == '+')
		put(&t, *q++);
	if (q[0] == '0' && (q[1] == 'x' || q[1] == 'X'))
		return false;
	digits = q;
	q = copy_digits(q, grouping, &t);
	if (*q == '.' && (q > digits || is_digit(q[1]))) {
		put(&t, *q++);
		q = copy_digits(q, false, &t);
	}
	q = copy_exponent(q, &t);
	if (q == digits || t.n >= sizeof(t.s))
		return false;
	t.s[t.n] = '\0';
	if (!num_parse_real(t.s, v))
		return false;
	*p = q;
	return true;
}

double text_scale(const char **p)
{
	static const char letters[] = "kMGTP";
	char c = **p == 'K' ? 'k' : **p;
	const char *found = c ? strchr(letters, c) : NULL;
	double base = 1000, factor = 1;

	if (!found)
		return 1;
	++*p;
	if (**p == 'i') {
		base = 1024;
		++*p;
	}
	for (const char *l = letters; l <= found; l++)
		factor *= base;
	return factor;
}

const char *text_after(const char *line, const char *text)
{
	const char *p = skip_spaces(line);
	size_t n = strlen(text);

	return strncmp(p, text, n) == 0 ? p + n : NULL;
}

const char *text_find(const char *line, const char *text)
{
	const char *p = strstr(line, text);

	return p ? p + strlen(text) : NULL;
}

bool text_word(const char **p, char *buf, size_t size)
{
	const char *begin = skip_spaces(*p);
	size_t n = strcspn(begin, " \t"), kept = n < size ? n : size - 1;

	if (!n)
		return false;
	memcpy(buf, begin, kept);
	buf[kept] = '\0';
	*p = begin + n;
	return true;
}
