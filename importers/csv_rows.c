/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells are copied into one buffer that each row uses again. It knows nothing of what they mean. */
#include "importers/csv_rows.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/err.h"

static void *grown(void *old, size_t n)
{
	void *p = realloc(old, n);

	if (!p)
		die("out of memory");
	return p;
}

/* Separators of the first line that are not quoted. */
static size_t count_separators(const char *p, const char *end, char separator)
{
	bool quoted = false;
	size_t n = 0;

	for (; p < end && (quoted || (*p != '\n' && *p != '\r')); p++) {
		if (*p == '"')
			quoted = !quoted;
		n += !quoted && *p == separator;
	}
	return n;
}

/* Behind the line end at p. */
static const char *past_line_end(struct csv_rows *r, const char *p)
{
	if (p < r->end && *p == '\r')
		p++;
	if (p < r->end && *p == '\n')
		p++;
	r->next++;
	return p;
}

/* "sep=;" in a line of its own before the table, as spreadsheets write and want it. */
static bool read_separator(struct csv_rows *r)
{
	const char *p = r->p;

	if (r->end - p < 6 || memcmp(p, "sep=", 4) != 0 || (p[5] != '\n' && p[5] != '\r') ||
	    !strchr("\t,;|", p[4]) || !p[4])
		return false;
	r->separator = p[4];
	r->p = past_line_end(r, p + 5);
	return true;
}

void csv_begin(struct csv_rows *r, const char *bytes, size_t n)
{
	static const char separators[] = "\t,;|";
	size_t most = 0;

	*r = (struct csv_rows){.p = bytes, .end = bytes + n, .separator = ',', .next = 1};
	if (n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		r->p += 3;
	if (read_separator(r))
		return;
	for (const char *s = separators; *s; s++) {
		size_t found = count_separators(r->p, r->end, *s);

		if (found > most) {
			most = found;
			r->separator = *s;
		}
	}
}

static void put(struct csv_rows *r, const char *p, size_t n)
{
	if (r->room - r->used < n + 1) {
		r->room = 2 * r->room + n + 256;
		r->text = grown(r->text, r->room);
	}
	memcpy(r->text + r->used, p, n);
	r->used += n;
}

static void begin_cell(struct csv_rows *r)
{
	if (r->n == r->cap) {
		r->cap = 2 * r->cap + 16;
		r->cells = grown(r->cells, r->cap * sizeof(*r->cells));
	}
	r->cells[r->n++] = r->used;
}

/* Line ends and tabs, which no name and no value may have, become a space. */
static void put_flat(struct csv_rows *r, const char *p, const char *end)
{
	while (p < end) {
		const char *q = p;

		while (q < end && *q != '\n' && *q != '\r' && *q != '\t')
			q++;
		put(r, p, (size_t)(q - p));
		if (q < end)
			put(r, " ", 1);
		while (q < end && (*q == '\n' || *q == '\r' || *q == '\t'))
			r->next += *q++ == '\n';
		p = q;
	}
}

/* The opening quote is at p. Behind the closing one; NULL: there is none. */
static const char *read_quoted(struct csv_rows *r, const char *p)
{
	for (p++;;) {
		const char *quote = memchr(p, '"', (size_t)(r->end - p));

		if (!quote)
			return NULL;
		put_flat(r, p, quote);
		p = quote + 1;
		if (p == r->end || *p != '"')
			return p;
		put(r, "\"", 1);
		p++;
	}
}

static bool is_space(const struct csv_rows *r, char ch)
{
	return ch == ' ' || (ch == '\t' && r->separator != '\t');
}

/* The cell that begins at p; returns where the separator, line end or end is. */
static const char *read_cell(struct csv_rows *r, const char *p, const char **why)
{
	const char *begin, *stop;

	begin_cell(r);
	while (p < r->end && is_space(r, *p))
		p++;
	if (p < r->end && *p == '"') {
		p = read_quoted(r, p);
		if (!p) {
			*why = "a quoted cell has no end";
			return NULL;
		}
		while (p < r->end && is_space(r, *p))
			p++;
		if (p < r->end && *p != r->separator && *p != '\n' && *p != '\r') {
			*why = "text stands behind a closing quote";
			return NULL;
		}
	} else {
		for (begin = p; p < r->end && *p != r->separator && *p != '\n' && *p != '\r';)
			p++;
		for (stop = p; stop > begin && is_space(r, stop[-1]);)
			stop--;
		put(r, begin, (size_t)(stop - begin));
	}
	put(r, "", 1);
	return p;
}

static bool is_empty_row(const struct csv_rows *r)
{
	return r->n == 0 || (r->n == 1 && !*csv_cell(r, 0));
}

int csv_next(struct csv_rows *r, const char **why)
{
	*why = NULL;
	do {
		const char *begin = r->p, *p = begin;

		if (r->p >= r->end)
			return 0;
		r->n = r->used = 0;
		r->line = r->next;
		for (;;) {
			p = read_cell(r, p, why);
			if (p && r->n > CSV_COLUMNS_MAX)
				*why = "the row has too many cells";
			else if (p && (size_t)(p - begin) > CSV_ROW_MAX)
				*why = "the row is too large";
			if (*why)
				return -1;
			if (p == r->end || *p != r->separator)
				break;
			p++;
		}
		r->p = p < r->end ? past_line_end(r, p) : p;
	} while (is_empty_row(r));
	return 1;
}

const char *csv_cell(const struct csv_rows *r, size_t i)
{
	return i < r->n ? r->text + r->cells[i] : "";
}

void csv_end(struct csv_rows *r)
{
	free(r->text);
	free(r->cells);
	*r = (struct csv_rows){0};
}
