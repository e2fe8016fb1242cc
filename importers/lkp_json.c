/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON of the test robot's files, which is flat: an object of numbers and arrays of numbers. A
 * parser for trees would take a hundred bytes for each number and refuses the NaN that stands in
 * them; this one goes over the bytes once. Numbers of at most 15 digits are converted by one exact
 * multiplication or division, all others by strtod.
 */
#include "importers/lkp.h"

#include <math.h>
#include <stdarg.h>

#include "importers/json_read.h"
#include "importers/json_scan.h"
#include "importers/json_unescape.h"
#include "importers/native.h"
#include "server/base/arena.h"
#include "server/base/utf8.h"

#define NUMERAL_MAX 400 /* bytes of one */

struct reading {
	struct ctx *c;
	const char *begin, *p, *end;
	/* lines are counted as they are asked for */
	const char *counted;
	long line;
	struct lkp_row *rows;
	size_t n, cap;
	/* of the array being read */
	size_t nvalues, measured;
	double sum;
};

static long line_at(struct reading *r, const char *at)
{
	const char *p = r->counted, *next;

	while (p < at && (next = memchr(p, '\n', (size_t)(at - p)))) {
		r->line++;
		p = next + 1;
	}
	r->counted = at;
	return r->line;
}

static int syntax(struct reading *r, const char *at, const char *what)
{
	const char *start = at;
	size_t column = 1;

	r->counted = r->begin;
	r->line = 1;
	while (start > r->begin && start[-1] != '\n') {
		start--;
		column += ((unsigned char)*start & 0xc0) != 0x80;
	}
	ctx_clear(r->c);
	return fail(r->c, E_SYNTAX, "line %ld, column %zu: %s", line_at(r, at), column, what);
}

static int unexpected(struct reading *r, const char *what)
{
	return syntax(r, r->p, r->p == r->end ? "it ends before its end" : what);
}

int lkp_row_fault(struct ctx *c, const struct lkp_row *row, const char *fmt, ...)
{
	char text[300], place[32];
	const struct json_at top = {.key = NULL};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (c->nfaults == FAULTS_MAX)
		return fault(c, "", "not kept");
	snprintf(place, sizeof(place), "line %ld", row->line);
	return json_read_fault(c, &top, "%s: \"%.160s\" %s", place, row->name, text);
}

/* --- texts --- */

/* A text with escapes, which is never longer than its source. */
static const char *read_escaped(struct reading *r, const char *start, const char *stop, size_t *len)
{
	char *s = arena_alloc(r->c->arena, (size_t)(stop - start) + 1);
	const char *wrong = json_unescape(start, stop, s, len);

	if (!wrong)
		return s;
	syntax(r, wrong, "no such escape");
	return NULL;
}

/* The text at r->p, which is a quote; NULL after a failure. */
static const char *read_text(struct reading *r, size_t *len)
{
	const char *start = ++r->p, *stop = start, *s;
	bool escaped = false;

	while (stop < r->end && *stop != '"') {
		if ((unsigned char)*stop < 0x20) {
			syntax(r, stop, "a control character in a text");
			return NULL;
		}
		escaped |= *stop == '\\';
		stop += *stop == '\\' && stop + 1 < r->end ? 2 : 1;
	}
	if (stop >= r->end) {
		r->p = r->end;
		unexpected(r, "");
		return NULL;
	}
	*len = (size_t)(stop - start);
	s = escaped ? read_escaped(r, start, stop, len) : arena_strn(r->c->arena, start, *len);
	r->p = stop + 1;
	for (size_t i = 0, bytes; s && i < *len; i += bytes) {
		bytes = utf8_length(s + i, *len - i);
		if (!bytes) {
			syntax(r, start, "a text that is not UTF-8");
			return NULL;
		}
	}
	return s;
}

/* --- numbers --- */

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

/* A numeral as JSON has it; false: none. What is too large is infinite. */
static bool read_numeral(struct reading *r, double *v)
{
	static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const char *p = r->p, *start = p, *first;
	char copy[NUMERAL_MAX + 1];
	uint64_t digits = 0;
	long after = 0; /* digits behind the point */
	bool plain = true;

	if (p < r->end && *p == '-')
		p++;
	for (first = p; p < r->end && is_digit(*p); p++)
		digits = digits * 10 + (uint64_t)(*p - '0');
	if (p == first || (*first == '0' && p - first > 1))
		return false;
	if (p < r->end && *p == '.') {
		const char *point = p++;

		for (; p < r->end && is_digit(*p); p++)
			digits = digits * 10 + (uint64_t)(*p - '0');
		after = p - point - 1;
		if (!after)
			return false;
	}
	plain = p - first <= 16; /* 16 digits, or 15 and a point: no more than one rounding */
	if (p < r->end && (*p == 'e' || *p == 'E')) {
		plain = false;
		p++;
		if (p < r->end && (*p == '-' || *p == '+'))
			p++;
		if (p == r->end || !is_digit(*p))
			return false;
		while (p < r->end && is_digit(*p))
			p++;
	}
	r->p = p;
	if (plain) {
		*v = (double)digits / ten[after];
		if (*start == '-')
			*v = -*v;
		return true;
	}
	if (p - start > NUMERAL_MAX)
		return false;
	memcpy(copy, start, (size_t)(p - start));
	copy[p - start] = '\0';
	*v = strtod(copy, NULL);
	return true;
}

static bool take_word(struct reading *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return false;
	r->p += n;
	return true;
}

/* A number, or a word for none. 1; 0: something else stands there; or a failure. */
static int read_number(struct reading *r, double *v)
{
	const char *at = r->p;

	if (take_word(r, "null") || take_word(r, "NaN") || take_word(r, "-NaN") ||
	    take_word(r, "Infinity") || take_word(r, "-Infinity")) {
		*v = NAN;
		return 1;
	}
	if (*at != '-' && !is_digit(*at))
		return 0;
	if (!read_numeral(r, v) || !isfinite(*v))
		return syntax(r, at, "no number, or one that is too large");
	return 1;
}

/* --- values --- */

static const char *kind_at(const char *p)
{
	switch (*p) {
	case '{':
		return "an object";
	case '[':
		return "an array";
	case '"':
		return "a text";
	default:
		return "no number";
	}
}

/* Steps over a value of another form, for the sake of what follows it. */
static int step_over(struct reading *r)
{
	const char *at = r->p, *stop;
	size_t len;

	if (*at == '"')
		return read_text(r, &len) ? E_OK : (int)r->c->err;
	if (*at != '{' && *at != '[' && !take_word(r, "true") && !take_word(r, "false"))
		return unexpected(r, "a value expected");
	if (r->p != at)
		return E_OK;
	if (json_scan_value(at, r->end, NATIVE_DEPTH_MAX, UINT32_MAX, &stop) != JSON_SCAN_OK) {
		r->p = stop;
		return unexpected(r, "brackets inside brackets without an end");
	}
	r->p = stop;
	return E_OK;
}

static void count_value(struct reading *r, double v)
{
	r->nvalues++;
	if (isnan(v))
		return;
	r->measured++;
	r->sum += v;
}

double lkp_row_next(const char **p, const char *end)
{
	struct reading r = {.p = *p, .end = end};
	double v = (double)NAN;

	read_number(&r, &v); /* it was read before */
	r.p = json_skip_space(r.p, end);
	if (r.p < end && *r.p == ',')
		r.p = json_skip_space(r.p + 1, end);
	*p = r.p;
	return v;
}

/* Behind an element: 1 another follows, 0 that was the last. */
static int next_element(struct reading *r, char close)
{
	r->p = json_skip_space(r->p, r->end);
	if (r->p == r->end || (*r->p != ',' && *r->p != close))
		return unexpected(r, close == ']' ? "',' or ']' expected" : "',' or '}' expected");
	if (*r->p++ == close)
		return 0;
	r->p = json_skip_space(r->p, r->end);
	return r->p == r->end ? unexpected(r, "") : 1;
}

static int read_element(struct reading *r, struct lkp_row *row, const char ***texts, size_t *cap)
{
	double v;
	int e = read_number(r, &v);
	size_t len;

	if (e > 0) {
		count_value(r, v);
		return E_OK;
	}
	if (e < 0)
		return e;
	if (*r->p == '"' && strcmp(row->name, "stats_source") == 0) {
		*texts = arena_grow(r->c->arena, *texts, cap, row->n + 1, sizeof(**texts));
		(*texts)[row->n] = read_text(r, &len);
		return (*texts)[row->n++] ? E_OK : (int)r->c->err;
	}
	lkp_row_fault(r->c, row, "must hold numbers, has %s at %zu", kind_at(r->p),
		      r->nvalues + row->n);
	return step_over(r);
}

/* r->p is behind the bracket. */
static int read_array(struct reading *r, struct lkp_row *row)
{
	const char **texts = NULL;
	size_t cap = 0;
	int e;

	r->nvalues = r->measured = 0;
	r->sum = -0.0; /* what leaves every number as it is, a -0.0 too */
	row->kind = LKP_NUMBERS;
	r->p = json_skip_space(r->p, r->end);
	row->first = r->p;
	row->value = NAN;
	if (r->p < r->end && *r->p == ']') {
		r->p++;
		return E_OK;
	}
	if (r->p == r->end)
		return unexpected(r, "");
	do {
		e = read_element(r, row, &texts, &cap);
	} while (e >= 0 && (e = next_element(r, ']')) > 0);
	if (e < 0)
		return e;
	if (texts) {
		row->kind = LKP_TEXTS;
		row->texts = texts;
		if (r->nvalues)
			lkp_row_fault(r->c, row, "has texts and numbers");
		return E_OK;
	}
	row->value = r->measured ? r->sum / (double)r->measured : NAN;
	row->n = r->nvalues;
	return E_OK;
}

static int read_value(struct reading *r, struct lkp_row *row)
{
	double v;
	int e;

	if (*r->p == '[') {
		r->p++;
		return read_array(r, row);
	}
	e = read_number(r, &v);
	if (e > 0) {
		row->kind = LKP_NUMBER;
		row->value = v;
		row->n = 1;
		return E_OK;
	}
	if (e < 0)
		return e;
	lkp_row_fault(r->c, row, "must be a number or an array of numbers, is %s", kind_at(r->p));
	return step_over(r);
}

/* One member; r->p is at its name. */
static int read_member(struct reading *r)
{
	struct lkp_row row = {.line = line_at(r, r->p)};
	size_t len;
	int e;

	if (*r->p != '"')
		return unexpected(r, "a name in quotes expected");
	if (r->n == NATIVE_METRICS_MAX)
		return fail(r->c, E_TOO_LARGE, "line %ld: more than %d metrics", row.line,
			    NATIVE_METRICS_MAX);
	row.name = read_text(r, &len);
	if (!row.name)
		return (int)r->c->err;
	r->p = json_skip_space(r->p, r->end);
	if (r->p == r->end || *r->p != ':')
		return unexpected(r, "':' expected");
	r->p = json_skip_space(r->p + 1, r->end);
	if (r->p == r->end)
		return unexpected(r, "");
	e = read_value(r, &row);
	if (e < 0)
		return e;
	if (strlen(row.name) != len || !import_text_valid(row.name, METRIC_NAME_MAX))
		lkp_row_fault(r->c, &row, "is no name: 1 to %d bytes without control characters",
			      METRIC_NAME_MAX);
	r->rows = arena_grow(r->c->arena, r->rows, &r->cap, r->n + 1, sizeof(row));
	r->rows[r->n++] = row;
	return E_OK;
}

static int read_object(struct reading *r)
{
	int e = 1;

	r->p = json_skip_space(r->p, r->end);
	if (r->p == r->end || *r->p != '{')
		return unexpected(r, "'{' expected: an object of metrics");
	r->p = json_skip_space(r->p + 1, r->end);
	if (r->p < r->end && *r->p == '}') {
		r->p++;
		e = 0;
	} else if (r->p == r->end) {
		return unexpected(r, "");
	}
	while (e > 0) {
		e = read_member(r);
		if (e >= 0)
			e = next_element(r, '}');
	}
	if (e < 0)
		return e;
	r->p = json_skip_space(r->p, r->end);
	return r->p == r->end ? E_OK : syntax(r, r->p, "nothing may follow the object");
}

int lkp_json_read(struct ctx *c, const char *bytes, size_t n, struct lkp_row **rows, size_t *nrows)
{
	struct reading r = {.c = c, .begin = bytes, .p = bytes, .end = bytes + n};
	int e;

	r.counted = bytes;
	r.line = 1;
	if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		r.p += 3;
	e = read_object(&r);
	*rows = r.rows;
	*nrows = r.n;
	return e < 0 ? e : (int)c->err;
}
