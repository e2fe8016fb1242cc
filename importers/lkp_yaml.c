/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader for the YAML that job.yaml is made of: maps inside maps by indentation, plain and quoted
 * scalars. What is not understood is stepped over with all that is indented below it, so that a
 * hostile file can at worst say less. A value is left out rather than told half: when it goes on in
 * the next line, has escapes that are not its own quotes, or is a tag or a flow collection. Of
 * anchors those of scalars are known where they are meant (*a); whole maps that are meant are
 * stepped over.
 */
#include "importers/lkp.h"

#include "importers/json_read.h"
#include "server/base/arena.h"

#define SCALARS_MAX 10000
#define DEPTH_MAX   32
#define ANCHORS_MAX 100

struct level {
	size_t indent;
	const char *key;
};

struct yaml {
	struct arena *a;
	const char *p, *end;
	long line;
	struct lkp_scalar *list;
	size_t n, cap;
	struct level levels[DEPTH_MAX]; /* keys that are open, each deeper than the one before */
	size_t depth;
	/* Lines deeper than this belong to something that is stepped over; SIZE_MAX: to nothing. */
	size_t over;
	bool open; /* the last scalar is the value of the line before: it may go on */
	struct pair anchors[ANCHORS_MAX];
	size_t nanchors;
	bool anchored; /* the last scalar has the last anchor */
};

/* The next line without its end: false at the end, and of a last one that has no end. */
static bool next_line(struct yaml *y, const char **start, const char **stop)
{
	const char *nl = memchr(y->p, '\n', (size_t)(y->end - y->p));

	if (!nl)
		return false;
	*start = y->p;
	*stop = nl > y->p && nl[-1] == '\r' ? nl - 1 : nl;
	y->p = nl + 1;
	y->line++;
	return true;
}

static bool is_space(char ch)
{
	return ch == ' ' || ch == '\t';
}

static void trim(const char **p, const char **stop)
{
	while (*p < *stop && is_space(**p))
		(*p)++;
	while (*stop > *p && is_space((*stop)[-1]))
		(*stop)--;
}

/* What is between quotes; only the quote itself may be escaped. *p moves behind it. NULL: none. */
static const char *quoted(struct arena *a, const char **p, const char *stop)
{
	char quote = **p;
	char *s = arena_alloc(a, (size_t)(stop - *p) + 1);
	size_t n = 0;

	for ((*p)++; *p < stop; (*p)++) {
		char ch = **p, next = *p + 1 < stop ? (*p)[1] : 0;

		if (ch == quote && quote == '\'' && next == quote) {
			(*p)++;
		} else if (ch == '\\' && quote == '"') {
			if (next != '"' && next != '\\' && next != '/')
				return NULL;
			ch = next;
			(*p)++;
		} else if (ch == quote) {
			(*p)++;
			s[n] = '\0';
			return s;
		}
		s[n++] = ch;
	}
	return NULL;
}

/* A comment begins at '#' behind a space. */
static const char *before_comment(const char *p, const char *stop)
{
	for (const char *q = p; q < stop; q++) {
		if (*q == '#' && (q == p || is_space(q[-1])))
			return q;
	}
	return stop;
}

/* The scalar of a line, or NULL: none, or one that is not told. */
static const char *scalar(struct arena *a, const char *p, const char *stop)
{
	const char *s;

	trim(&p, &stop);
	if (p == stop)
		return NULL;
	if (*p == '"' || *p == '\'') {
		s = quoted(a, &p, stop);
		trim(&p, &stop);
		if (p < stop && *p != '#')
			return NULL;
	} else {
		stop = before_comment(p, stop);
		trim(&p, &stop);
		if (p == stop || strchr("&*![]{}|>@`?,", *p))
			return NULL;
		s = arena_strn(a, p, (size_t)(stop - p));
	}
	if (!s || !import_text_valid(s, JSON_TEXT_MAX) || !strcmp(s, "~") || !strcmp(s, "null"))
		return NULL;
	return s;
}

/* The key of a line and where its value begins; NULL: the line is no "key: value". */
static const char *key_of(struct arena *a, const char **p, const char *stop)
{
	const char *start = *p, *colon = start, *s;

	if (*start == '"' || *start == '\'') {
		s = quoted(a, p, stop);
		if (!s || *p == stop || **p != ':')
			return NULL;
		colon = *p;
	} else {
		do {
			colon = memchr(colon, ':', (size_t)(stop - colon));
			if (!colon || colon == start)
				return NULL;
		} while (colon + 1 < stop && !is_space(colon[1]) && ++colon < stop);
		if (colon >= stop)
			return NULL;
		s = arena_strn(a, start, (size_t)(colon - start));
	}
	*p = colon + 1;
	return import_text_valid(s, JSON_NAME_MAX) ? s : NULL;
}

static void add(struct yaml *y, const char *key, const char *value)
{
	if (y->n == SCALARS_MAX)
		return;
	y->list = arena_grow(y->a, y->list, &y->cap, y->n + 1, sizeof(*y->list));
	y->list[y->n++] = (struct lkp_scalar){
		key, y->depth > 1 ? y->levels[y->depth - 2].key : NULL, value, y->line};
	y->open = true;
}

/* --- anchors: "&name value", and "*name" for it --- */

/* The name behind '&' or '*'; *p moved behind it. NULL: none. */
static const char *anchor_name(struct arena *a, const char **p, const char *stop)
{
	const char *start = ++*p;

	while (*p < stop && !is_space(**p))
		++*p;
	return *p > start && *p - start < 64 ? arena_strn(a, start, (size_t)(*p - start)) : NULL;
}

static const char *value_meant(const struct yaml *y, const char *p, const char *stop)
{
	const char *name = anchor_name(y->a, &p, stop);

	trim(&p, &stop);
	if (!name || (p < stop && *p != '#'))
		return NULL;
	for (size_t i = y->nanchors; i-- > 0;) {
		if (!strcmp(y->anchors[i].name, name))
			return y->anchors[i].value;
	}
	return NULL;
}

/* The value of a key, of what is left of its line. *p is moved behind an anchor. */
static const char *value_of(struct yaml *y, const char **p, const char *stop)
{
	const char *anchor, *value;

	y->anchored = false;
	trim(p, &stop);
	if (*p < stop && **p == '*')
		return value_meant(y, *p, stop);
	if (*p == stop || **p != '&')
		return scalar(y->a, *p, stop);
	anchor = anchor_name(y->a, p, stop);
	value = anchor ? scalar(y->a, *p, stop) : NULL;
	if (value && y->nanchors < ANCHORS_MAX) {
		y->anchors[y->nanchors++] = (struct pair){anchor, value};
		y->anchored = true;
	}
	return value;
}

/* A line at its indentation, which is not stepped over. */
static void take_line(struct yaml *y, const char *p, const char *stop, size_t indent)
{
	const char *key, *value;

	while (y->depth && y->levels[y->depth - 1].indent >= indent)
		y->depth--;
	if (*p == '-' && (p + 1 == stop || is_space(p[1]))) { /* of a list */
		y->over = indent;
		return;
	}
	key = key_of(y->a, &p, stop);
	if (!key || y->depth == DEPTH_MAX) {
		y->over = indent;
		return;
	}
	y->levels[y->depth++] = (struct level){indent, key};
	value = value_of(y, &p, stop);
	trim(&p, &stop);
	if (value)
		add(y, key, value);
	else if (p < stop && *p != '#')
		y->over = indent; /* a literal block, or what else is not told */
}

size_t lkp_yaml_read(struct arena *a, const char *bytes, size_t n, struct lkp_scalar **out)
{
	struct yaml y = {.a = a, .p = bytes, .end = bytes + n, .over = SIZE_MAX};
	const char *p, *stop, *start;

	if (n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) /* a byte order mark */
		y.p += 3;
	while (next_line(&y, &start, &stop)) {
		size_t indent;

		for (p = start; p < stop && *p == ' ';)
			p++;
		indent = (size_t)(p - start);
		if (p == stop || *p == '#')
			continue;
		if (y.over != SIZE_MAX && indent > y.over)
			continue;
		y.over = SIZE_MAX;
		if (indent == 0 && stop - p >= 3 && !memcmp(p, "---", 3))
			continue;
		if (y.open && y.depth && indent > y.levels[y.depth - 1].indent) {
			y.n -= y.n > 0; /* the value goes on here: it is not told */
			y.nanchors -= y.anchored;
			y.over = y.levels[y.depth - 1].indent;
			y.open = false;
			continue;
		}
		y.open = false;
		take_line(&y, p, stop, indent);
	}
	*out = y.list;
	return y.n;
}

const char *lkp_yaml_top(const struct lkp_scalar *list, size_t n, const char *key)
{
	while (n-- > 0) {
		if (!list[n].parent && strcmp(list[n].key, key) == 0)
			return list[n].value;
	}
	return NULL;
}
