/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of a printed table: a cell for each commit, a change before each but the first, the
 * metric's name. Strict, since the rest of a mail is full of numbers: the figures must fill all
 * columns exactly, and nothing but a note may follow the name.
 *
 *	  12294118 ±  2%      -2.2%   12027483        vm-scalability.throughput
 *	        :6           67%           4:6     dmesg.RIP:…
 *
 * The plus-minus sign comes in every form that charsets make of it, or not at all.
 */
#include "importers/robot_mail.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>

#define TOKENS_MAX (5 * MAIL_COLUMNS_MAX)
#define RUNS_MAX   1000000000

enum token_kind { TOKEN_NUMBER, TOKEN_PERCENT, TOKEN_RATIO, TOKEN_MARK };

struct token {
	enum token_kind kind;
	double v;
	bool is_signed, is_plus;
	int64_t fails, runs;
};

static const char *skip_spaces(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

static bool is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/* What stands for the plus-minus sign: ±, ~, +-, +/-, A+-, __, ?, an escape that nobody undid, or
 * up to three characters that are not ASCII; only before a percentage, which was -1 where there was
 * none.
 */
static const char *read_mark(const char *p, const char *end)
{
	static const char *const marks[] = {
		"A+-", "+/-", "+-", "~", "__", "?", "\\302\\261", "\\261", "=C2=B1", "=B1",
	};
	const char *q = p;

	if ((unsigned char)*p < 0x80 && !strchr("A+~_?\\=", *p))
		return NULL;
	for (size_t i = 0; q == p && i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t n = strlen(marks[i]);

		if ((size_t)(end - p) >= n && memcmp(p, marks[i], n) == 0)
			q = p + n;
	}
	while (q < end && (unsigned char)*q >= 0x80 && q - p < 10)
		q++;
	if (q == p)
		return NULL;
	p = skip_spaces(q, end);
	return p == end || is_digit(p + (*p == '-'), end) ? q : NULL;
}

/* Behind a decimal number without its sign; NULL. */
static const char *skip_number(const char *p, const char *end)
{
	const char *q = p;

	if (end - p >= 3 && (strncasecmp(p, "inf", 3) == 0 || strncasecmp(p, "nan", 3) == 0))
		return p + 3;
	while (is_digit(q, end))
		q++;
	if (q == p || q - p > 300)
		return NULL;
	if (q < end && *q == '.')
		for (q++; is_digit(q, end); q++)
			;
	if (q < end && (*q == 'e' || *q == 'E')) {
		const char *e = q + 1;

		e += e < end && (*e == '+' || *e == '-');
		if (!is_digit(e, end))
			return NULL;
		while (is_digit(e, end))
			e++;
		q = e;
	}
	return q;
}

/* "4:6" or ":14"; NULL. */
static const char *read_ratio(const char *p, const char *end, struct token *t)
{
	int64_t v[2] = {0, 0};

	for (int i = 0; i < 2; i++) {
		const char *from = p;

		for (; is_digit(p, end) && v[i] <= RUNS_MAX; p++)
			v[i] = v[i] * 10 + (*p - '0');
		if (i == 0 && (p == end || *p++ != ':'))
			return NULL;
		if (i == 1 && p == from)
			return NULL;
	}
	if ((p < end && *p != ' ') || v[1] > RUNS_MAX || v[0] > v[1])
		return NULL;
	*t = (struct token){.kind = TOKEN_RATIO, .fails = v[0], .runs = v[1]};
	return p;
}

/* The number at p, which ends before end. Up to 15 digits are exact without the C library. */
static double number_of(const char *p, const char *end)
{
	static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *q = p + (*p == '-' || *p == '+');
	int64_t digits = 0;
	size_t n = 0, after_dot = 0;
	bool dot = false;

	for (; q < end && n <= 15; q++) {
		if (*q == '.' && !dot) {
			dot = true;
			continue;
		}
		if (*q < '0' || *q > '9')
			break;
		digits = digits * 10 + (*q - '0');
		n++;
		after_dot += dot;
	}
	if (q < end || n > 15)
		return strtod(p, NULL);
	return (*p == '-' ? -(double)digits : (double)digits) / tens[after_dot];
}

/* A figure at p; what follows it, or NULL when it is none. */
static const char *read_token(const char *p, const char *end, struct token *t)
{
	const char *q = read_ratio(p, end, t), *from = p, *mark;

	if (q)
		return q;
	if ((q = read_mark(p, end))) {
		*t = (struct token){.kind = TOKEN_MARK};
		return q;
	}
	t->is_plus = *p == '+';
	t->is_signed = t->is_plus || *p == '-';
	p += t->is_signed;
	q = skip_number(p, end);
	if (!q)
		return NULL;
	t->kind = TOKEN_NUMBER;
	t->v = number_of(from, q);
	if (q < end && *q == '%') {
		t->kind = TOKEN_PERCENT;
		q++;
	}
	if (q == end || *q == ' ')
		return q;
	mark = read_mark(q, end); /* "±" without a space before it */
	return mark ? q : NULL;
}

/* --- tokens -> cells ----------------------------------------------------------------------------
 */

static bool can_be_mean(const struct token *t)
{
	return t->kind == TOKEN_RATIO || (t->kind == TOKEN_NUMBER && !t->is_plus);
}

static bool can_be_change(const struct token *t, bool is_loose)
{
	return t->kind == TOKEN_PERCENT ? true
					: t->kind == TOKEN_NUMBER && (t->is_signed || is_loose);
}

/* How a cell is read: with a change before it or not, with a deviation marked, bare, or none. */
struct reading {
	unsigned cost;
	unsigned char used, change, deviation;
};

static void set_change(struct mail_cell *k, const struct token *t, bool is_ratio)
{
	if (isnan(t->v))
		return;
	k->kind = is_ratio                   ? CHANGE_REPRODUCTION
		  : t->kind == TOKEN_PERCENT ? CHANGE_PCT
					     : CHANGE_ABS;
	k->change = t->v;
}

static void fill(struct mail_cell *k, const struct token *t, const struct reading *r)
{
	*k = (struct mail_cell){.mean = NAN, .stddev_pct = NAN, .fails = -1, .runs = -1};
	if (r->change)
		set_change(k, t, t[1].kind == TOKEN_RATIO);
	t += r->change;
	if (t->kind == TOKEN_RATIO) {
		k->fails = t->fails;
		k->runs = t->runs;
		k->given = true;
		return;
	}
	k->mean = t->v;
	k->given = isfinite(t->v);
	if (r->deviation)
		k->stddev_pct = t[r->deviation].v;
	/* of a mean below 0 it is, too; of another -1 stood for none */
	if (!isfinite(k->stddev_pct) || (k->stddev_pct == -1 && k->mean >= 0))
		k->stddev_pct = NAN;
}

/* The next reading of a cell at t, of which left tokens are there; false when there is no more.
 * Changes are left out in old tables only; a deviation without its sign is a last resort. */
static bool try_reading(const struct token *t, size_t left, bool first, bool is_loose,
			bool is_ratio, int which, struct reading *r)
{
	const bool change = which < 3;
	const int deviation = which % 3; /* 0 none, 1 marked, 2 bare */
	size_t i = 0;

	r->used = 0;
	if (first ? change : !change && !is_loose)
		return false;
	if (change && (i >= left || !can_be_change(&t[i], is_loose)))
		return false;
	i += change;
	if (i >= left || !can_be_mean(&t[i]) || (t[i].kind == TOKEN_RATIO) != is_ratio)
		return false;
	/* without its sign a percentage is a change, unless the table is of those that omit it */
	if (change && is_ratio && t[0].kind != TOKEN_PERCENT)
		return false;
	if (change && !is_ratio && !is_loose && !t[0].is_signed)
		return false;
	i++;
	if (deviation && is_ratio)
		return false;
	if (deviation == 1 && (i + 1 >= left || t[i].kind != TOKEN_MARK ||
			       t[i + 1].kind != TOKEN_PERCENT || t[i + 1].is_plus))
		return false;
	if (deviation == 2 && (i >= left || t[i].kind != TOKEN_PERCENT || t[i].is_signed))
		return false;
	i += deviation == 1 ? 2 : deviation == 2;
	*r = (struct reading){.cost = (!change && !first ? 1 : 0) + (deviation == 2 ? 3 : 0),
			      .used = (unsigned char)i,
			      .change = change,
			      .deviation = (unsigned char)(deviation == 1   ? 2
							   : deviation == 2 ? 1
									    : 0)};
	return true;
}

/* The cheapest way to read all tokens as a cell for every column. */
static bool assign(const struct token *t, size_t n, size_t ncolumns, bool is_loose,
		   struct mail_cell *cells)
{
	struct reading best[MAIL_COLUMNS_MAX + 1][TOKENS_MAX + 1];
	bool is_ratio = t[0].kind == TOKEN_RATIO;
	size_t at = n;

	for (size_t c = 0; c <= ncolumns; c++) {
		for (size_t i = 0; i <= n; i++)
			best[c][i].cost = c || i ? UINT_MAX : 0;
	}
	for (size_t c = 0; c < ncolumns; c++) {
		for (size_t i = 0; i < n; i++) {
			for (int w = 0; best[c][i].cost != UINT_MAX && w < 6; w++) {
				struct reading r, *to;

				if (!try_reading(&t[i], n - i, c == 0, is_loose, is_ratio, w, &r))
					continue;
				to = &best[c + 1][i + r.used];
				r.cost += best[c][i].cost;
				if (r.cost < to->cost)
					*to = r;
			}
		}
	}
	if (best[ncolumns][n].cost == UINT_MAX)
		return false;
	for (size_t c = ncolumns; c-- > 0;) {
		const struct reading *r = &best[c + 1][at];

		at -= r->used;
		fill(&cells[c], &t[at], r);
	}
	return true;
}

/* --- the name -----------------------------------------------------------------------------------
 */

static size_t word_length(const char *p, const char *end)
{
	const char *stop = memchr(p, ' ', (size_t)(end - p));

	return (size_t)((stop ? stop : end) - p);
}

/* "TOTAL", "GEO-MEAN": a word in capitals before the metric. */
static const char *aggregate_of(const char *p, size_t n)
{
	static const char *const words[] = {"TOTAL", "GEO-MEAN", "AVG", "SUM"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == n && memcmp(words[i], p, n) == 0)
			return words[i];
	}
	return NULL;
}

/* Names have a group and a dot, or are paths of old tables. */
static bool is_name(const char *p, size_t n)
{
	return n > 2 && n <= MAIL_METRIC_MAX && (isalpha((unsigned char)*p) || *p == '_') &&
	       (memchr(p, '.', n - 1) || memchr(p, '/', n - 1));
}

/* What may follow a name: "<--- (a)", "# note". */
static bool is_note(const char *p, const char *end)
{
	return p == end || strchr("<#([*", *p) || (end - p > 2 && memcmp(p, "--", 2) == 0) ||
	       (unsigned char)*p >= 0x80;
}

static bool read_name(const char *p, const char *end, struct mail_row *row)
{
	size_t n = word_length(p, end);
	const char *rest;

	row->aggregate = aggregate_of(p, n);
	if (row->aggregate) {
		p = skip_spaces(p + n, end);
		n = word_length(p, end);
	}
	rest = skip_spaces(p + n, end);
	row->metric = p;
	row->metric_len = n;
	return is_name(p, n) && is_note(rest, end);
}

enum mail_row_kind mail_row_parse(const char *line, size_t len, size_t ncolumns, bool is_loose,
				  struct mail_row *row)
{
	const char *end = line + len, *p = skip_spaces(line, end), *q;
	struct token t[TOKENS_MAX];
	size_t n = 0;

	/* most lines of a mail end here */
	if (p == end || len > MAIL_ROW_BYTES ||
	    !(is_digit(p, end) || *p == ':' || *p == '-' || strncasecmp(p, "nan", 3) == 0))
		return ROW_NOT;
	for (; p < end && n < TOKENS_MAX && (q = read_token(p, end, &t[n])); n++)
		p = skip_spaces(q, end);
	if (!n || !can_be_mean(&t[0]))
		return ROW_NOT;
	if (p == end)
		return ROW_BEGUN;
	if (aggregate_of(p, (size_t)(end - p)))
		return ROW_BEGUN; /* the metric is in the next line */
	if (end[-1] == '-' && isalpha((unsigned char)*p) && !memchr(p, ' ', (size_t)(end - p)))
		return ROW_BEGUN; /* or the rest of it: some mailers wrap behind a hyphen */
	if (n == TOKENS_MAX || !read_name(p, end, row) ||
	    !assign(t, n, ncolumns, is_loose, row->cells))
		return ROW_NOT;
	return ROW_WHOLE;
}
