/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values run by run, as people paste them from the result tree: an array of a matrix, with or
 * without the name of the file before each line, or one line of each run's stats.json. The commit
 * is in the file's path, or else in a line shortly above. An array without its end is left out:
 * its last value may be half a number.
 *
 *	for 7bc162d5cc:
 *	  "hackbench.throughput": [
 *	v6.12-rc4/matrix.json-    108.03,
 *	7bc162d5cc4de5c3/0/stats.json:  "fio.write_iops": 105228,
 */
#include "importers/robot_mail.h"

#include <ctype.h>
#include <math.h>

#include "server/base/arena.h"

#define SAMPLES_MAX  10000 /* of one metric and commit, as in native files */
#define ARRAYS_MAX   500   /* of one mail */
#define LINES_ABOVE  6     /* in which the commit can stand */
#define LINE_MAX_LEN 100000

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " ");
}

/* Behind "PATH.json:" or "PATH.json-" as grep prints it; *path is its length. s itself: none. */
static const char *skip_file(const char *s, size_t *path)
{
	size_t word = strcspn(s, " \"");
	const char *json = memmem(s, word, ".json", 5), *p;

	*path = 0;
	if (!json)
		return s;
	p = json + 5;
	if (strncmp(p, ".gz", 3) == 0)
		p += 3;
	if (*p != ':' && *p != '-')
		return s;
	*path = (size_t)(p - s);
	p++;
	while (*p >= '0' && *p <= '9' && strchr(":-", p[strspn(p, "0123456789")]) &&
	       p[strspn(p, "0123456789")])
		p += strspn(p, "0123456789") + 1; /* a line number */
	return skip_spaces(p);
}

/* "NAME": at s; what follows, or NULL. */
static const char *read_key(const char *s, const char **name, size_t *n)
{
	const char *stop;

	if (*s != '"' || !(stop = strchr(s + 1, '"')))
		return NULL;
	*name = s + 1;
	*n = (size_t)(stop - s) - 1;
	s = skip_spaces(stop + 1);
	return *s == ':' && *n && *n <= MAIL_METRIC_MAX ? skip_spaces(s + 1) : NULL;
}

/* A number or null at s; what follows, or NULL. */
static const char *read_value(const char *s, double *v)
{
	size_t n = strcspn(s, " ,]");
	char text[64], *end;

	if (!n || n >= sizeof(text))
		return NULL;
	if ((n == 4 && !memcmp(s, "null", 4)) || (n == 3 && !strncasecmp(s, "nan", 3))) {
		*v = NAN;
		return s + n;
	}
	memcpy(text, s, n);
	text[n] = '\0';
	if (strspn(text, "0123456789+-.eE") != n)
		return NULL;
	*v = strtod(text, &end);
	return *end || !isfinite(*v) ? NULL : s + n;
}

static void add_value(struct mail *m, struct mail_samples *k, double v)
{
	if (k->n == SAMPLES_MAX)
		return;
	k->values = arena_grow(m->a, k->values, &k->cap, k->n + 1, sizeof(*k->values));
	k->values[k->n++] = v;
}

/* The values of a line, behind which a note can stand: "<--- new runs". *done: the array ends in
 * it. False: it has something else. */
static bool read_values(struct mail *m, struct mail_samples *k, const char *s, bool *done)
{
	double v;

	*done = false;
	for (s = skip_spaces(s); *s; s = skip_spaces(s)) {
		if (*s == ']') {
			*done = true;
			return true;
		}
		if (*s == ',') {
			s++;
			continue;
		}
		if (k->n && strncmp(s, "<-", 2) == 0)
			return true;
		s = read_value(s, &v);
		if (!s)
			return false;
		add_value(m, k, v);
	}
	return true;
}

/* The folder that is named after a commit: the file's own, or the one above a run's. */
static const char *commit_of_path(struct mail *m, const char *path, size_t n)
{
	while (n && path[n - 1] != '/')
		n--;
	while (n) {
		size_t end = n - 1, from = end;

		while (from && path[from - 1] != '/')
			from--;
		if (mail_is_commit_name(path + from, end - from))
			return arena_strn(m->a, path + from, end - from);
		if (strspn(path + from, "0123456789") < end - from)
			return NULL;
		n = from;
	}
	return NULL;
}

static bool is_known(const struct mail *m, const char *s, size_t n)
{
	for (size_t i = 0; i < m->ncommits; i++) {
		if (strlen(m->commits[i].name) == n && !memcmp(m->commits[i].name, s, n))
			return true;
	}
	for (size_t i = 0; i < m->ntables; i++) {
		for (size_t c = 0; c < m->tables[i]->ncolumns; c++) {
			const char *head = m->tables[i]->heads[c];

			if (strlen(head) == n && !memcmp(head, s, n))
				return true;
		}
	}
	return false;
}

/* The only commit that a line names; NULL. */
static const char *commit_in_line(struct mail *m, const struct mail_line *l)
{
	const char *found = NULL;

	for (const char *s = l->s; *s;) {
		size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._/-");
		const char *name = s;

		s += n + (s[n] != '\0');
		while (n && strchr("./-", name[n - 1]))
			n--;
		if (n < 3 || !(is_known(m, name, n) ||
			       (mail_hex_length(name) == n && strcspn(name, "abcdef") < n)))
			continue;
		if (found && (strlen(found) != n || memcmp(found, name, n) != 0))
			return NULL;
		found = arena_strn(m->a, name, n);
	}
	return found;
}

static const char *commit_above(struct mail *m, size_t i)
{
	const struct mail_line *l = &m->lines[i];

	for (int seen = 0; i-- > 0 && seen < LINES_ABOVE;) {
		const struct mail_line *above = &m->lines[i];
		const char *name;

		if (!above->len || above->depth != l->depth)
			continue;
		if (above->part != l->part || strchr(above->s, ']') || above->len > MAIL_TEXT_MAX)
			return NULL;
		name = commit_in_line(m, above);
		if (name)
			return name;
		seen++;
	}
	return NULL;
}

static struct mail_samples *add_samples(struct mail *m, size_t i, const char *name, size_t n,
					const char *path, size_t path_n)
{
	struct mail_samples *k;

	if (m->nsamples == ARRAYS_MAX)
		return NULL;
	m->samples =
		arena_grow(m->a, m->samples, &m->samples_cap, m->nsamples + 1, sizeof(*m->samples));
	k = &m->samples[m->nsamples];
	*k = (struct mail_samples){.line = i, .metric = arena_strn(m->a, name, n)};
	k->commit = path_n ? commit_of_path(m, path, path_n) : NULL;
	return import_text_valid(k->metric, MAIL_METRIC_MAX) ? k : NULL;
}

/* An array that begins in line i; the line behind it. */
static size_t read_array(struct mail *m, size_t i, struct mail_samples *k, const char *s)
{
	const struct mail_line *first = &m->lines[i];
	bool done;

	for (;;) {
		size_t path;

		if (!read_values(m, k, s, &done))
			return i + 1;
		i++;
		if (done && k->n)
			m->nsamples++;
		while (i < m->nlines && !m->lines[i].len)
			i++;
		if (done || i >= m->nlines || m->lines[i].depth != first->depth ||
		    m->lines[i].part != first->part || m->lines[i].len > LINE_MAX_LEN)
			return i;
		s = skip_file(skip_spaces(m->lines[i].s), &path);
	}
}

/* One value of one run's file; runs that follow each other are one list. */
static void read_stats(struct mail *m, size_t i, const char *name, size_t n, const char *path,
		       size_t path_n, const char *s)
{
	struct mail_samples *before = m->nsamples ? &m->samples[m->nsamples - 1] : NULL, *k;
	double v;

	s = read_value(s, &v);
	if (!s || *skip_spaces(*s == ',' ? s + 1 : s) || isnan(v))
		return;
	k = add_samples(m, i, name, n, path, path_n);
	if (!k)
		return;
	if (before && before->line + before->n == i && strcmp(before->metric, k->metric) == 0 &&
	    (k->commit ? before->commit && !strcmp(before->commit, k->commit) : true)) {
		add_value(m, before, v);
		return;
	}
	add_value(m, k, v);
	m->nsamples++;
}

void mail_samples_read(struct mail *m)
{
	for (size_t i = 0; i < m->nlines && !mail_is_full(m);) {
		const struct mail_line *l = &m->lines[i];
		const char *s = skip_spaces(l->s), *rest, *name;
		size_t path, n, before = m->nsamples;
		struct mail_samples *k;

		if (l->len > LINE_MAX_LEN || !memchr(l->s, '"', l->len)) {
			i++;
			continue;
		}
		rest = skip_file(s, &path);
		if (!path && i > 0 && l[-1].depth == l->depth && l[-1].len <= MAIL_TEXT_MAX) {
			const char *above = skip_spaces(l[-1].s); /* wrapped behind the file */

			if (*skip_file(above, &path) == '\0')
				s = above;
			else
				path = 0;
		}
		rest = read_key(rest, &name, &n);
		if (rest && *rest == '[' && (k = add_samples(m, i, name, n, s, path))) {
			if (!k->commit)
				k->commit = commit_above(m, i);
			i = read_array(m, i, k, rest + 1);
			continue;
		}
		if (rest && path && memmem(s, path, "stats.json", 10))
			read_stats(m, i, name, n, s, path, rest);
		if (m->nsamples > before && !m->samples[before].commit)
			m->samples[before].commit = commit_above(m, i);
		i++;
	}
}
