/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits that a mail names: in lists above tables, in "commit:" lines, in output of git log,
 * or as 40 digits anywhere. Heads of columns are cut to 16 and 27 digits; the longest name that
 * begins with a head is the commit's, unless two different ones do.
 */
#include "importers/robot_mail.h"

#include "db/commits.h"
#include "server/base/arena.h"

#define COMMITS_MAX   500 /* of one mail, looked through one by one */
#define HEX_LEAST     7
#define HEX_MOST      40
#define HEAD_FIRST    16 /* to which the first head is cut, and the others */
#define HEAD_FURTHER  27
#define SUBJECT_LINES 4

static bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

size_t mail_hex_length(const char *s)
{
	size_t n = 0;

	while (n <= HEX_MOST && is_hex_digit(s[n]))
		n++;
	return n >= HEX_LEAST && n <= HEX_MOST && !is_word_char(s[n]) ? n : 0;
}

/* In the arena, lower-cased when it is hex; NULL when it is no name of a commit. */
static const char *name_of(struct mail *m, const char *s, size_t n, bool *is_hex)
{
	char *name;

	if (!n || n > MAIL_NAME_MAX)
		return NULL;
	name = arena_strn(m->a, s, n);
	if (strspn(name, "0123456789abcdefABCDEF") == n) {
		for (char *p = name; *p; p++) {
			if (*p >= 'A' && *p <= 'F')
				*p += 'a' - 'A';
		}
	}
	return commit_name_valid(name, is_hex) && import_text_valid(name, MAIL_NAME_MAX) ? name
											 : NULL;
}

bool mail_is_commit_name(const char *s, size_t n)
{
	char name[MAIL_NAME_MAX + 1];
	bool is_hex;

	if (n > MAIL_NAME_MAX)
		return false;
	memcpy(name, s, n);
	name[n] = '\0';
	for (char *p = name; *p && strspn(name, "0123456789abcdefABCDEF") == n; p++) {
		if (*p >= 'A' && *p <= 'F')
			*p += 'a' - 'A';
	}
	return commit_name_valid(name, &is_hex);
}

void mail_commit_add(struct mail *m, const char *s, size_t n, const char *subject,
		     const char *label)
{
	struct mail_commit *k = NULL;
	bool is_hex;
	const char *name = name_of(m, s, n, &is_hex);

	if (!name || m->ncommits == COMMITS_MAX)
		return;
	for (size_t i = 0; i < m->ncommits && !k; i++) {
		if (strcmp(m->commits[i].name, name) == 0)
			k = &m->commits[i];
	}
	if (!k) {
		m->commits = arena_grow(m->a, m->commits, &m->commits_cap, m->ncommits + 1,
					sizeof(*m->commits));
		k = &m->commits[m->ncommits++];
		*k = (struct mail_commit){.name = name, .is_hex = is_hex};
	}
	if (!k->subject && subject && import_text_valid(subject, MAIL_TEXT_MAX))
		k->subject = subject;
	if (!k->label && label && import_text_valid(label, MAIL_NAME_MAX))
		k->label = label;
}

/* The text up to close, over as many lines as it takes; *s moves behind it. NULL: it has no end. */
static const char *wrapped(struct mail *m, size_t *i, const char **s, const char *close)
{
	const char *text = *s, *stop;
	const struct mail_line *first = &m->lines[*i];

	for (int lines = 0; !(stop = strstr(text, close)); lines++) {
		const struct mail_line *next = &m->lines[*i + 1];

		if (lines == SUBJECT_LINES || *i + 1 >= m->nlines || !next->len ||
		    next->depth != first->depth || next->part != first->part ||
		    next->len > MAIL_TEXT_MAX || strlen(text) > MAIL_TEXT_MAX)
			return NULL;
		text = arena_fmt(m->a, "%s%s%s", text, *text ? " " : "",
				 next->s + strspn(next->s, " "));
		++*i;
	}
	*s = stop + strlen(close);
	return arena_strn(m->a, text, (size_t)(stop - text));
}

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " ");
}

bool mail_commit_entry(struct mail *m, size_t i, const char *s, size_t *next)
{
	const char *subject = NULL, *label = NULL, *word;
	size_t n;

	s = word = skip_spaces(s);
	n = strcspn(s, " ");
	if (!mail_is_commit_name(s, n))
		return false;
	s = skip_spaces(s + n);
	*next = i + 1;
	if (!*s && i + 1 < m->nlines && m->lines[i + 1].depth == m->lines[i].depth &&
	    strncmp(skip_spaces(m->lines[i + 1].s), "(\"", 2) == 0)
		s = skip_spaces(m->lines[++i].s);
	if (strncmp(s, "(\"", 2) == 0) {
		const char *rest = s + 2;
		size_t at = i;

		subject = wrapped(m, &at, &rest, "\")");
		if (subject) {
			i = at;
			s = skip_spaces(rest);
		}
	}
	if (*s == '(' && s[1] != '"' && strchr(s, ')')) {
		bool is_all = s[strlen(s) - 1] == ')';

		if (is_all && !subject && strstr(s, ": ")) { /* a subject without its quotes */
			subject = arena_strn(m->a, s + 1, strlen(s) - 2);
			s += strlen(s);
		} else {
			label = arena_strn(m->a, s + 1, strcspn(s + 1, ")"));
			s = skip_spaces(strchr(s, ')') + 1);
		}
	}
	if (*s && !subject && label) { /* git log: "(branch) subject" */
		subject = s;
		label = NULL;
	} else if (*s && !subject && !strchr("(<#", *s)) {
		subject = s;
	}
	if (i + 1 > *next)
		*next = i + 1;
	mail_commit_add(m, word, n, subject, label);
	return true;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* A tag is cut in a head only where it fills it. */
static bool is_cut_tag(const char *head, const char *name)
{
	size_t n = strlen(head);

	return (n == HEAD_FIRST || n == HEAD_FURTHER) && begins(name, head);
}

bool mail_names_head(const char *word, const char *head)
{
	size_t n = strcspn(word, " "), len = strlen(head);

	if (mail_hex_length(word) && mail_hex_length(head))
		return strncmp(word, head, n < len ? n : len) == 0;
	return is_cut_tag(head, word) || (n == len && memcmp(word, head, n) == 0);
}

struct mail_commit mail_commit_resolve(struct mail *m, const char *head)
{
	struct mail_commit k = {0};
	bool unsure = false;

	k.name = name_of(m, head, strlen(head), &k.is_hex);
	if (!k.name)
		return k;
	head = k.name;
	for (size_t i = 0; i < m->ncommits && !unsure; i++) {
		const struct mail_commit *c = &m->commits[i];

		if (c->is_hex != k.is_hex ||
		    !(k.is_hex ? begins(c->name, head) : is_cut_tag(head, c->name)))
			continue;
		if (begins(c->name, k.name))
			k.name = c->name;
		else
			unsure = !begins(k.name, c->name);
	}
	if (unsure)
		k.name = head;
	for (size_t i = 0; i < m->ncommits; i++) {
		const struct mail_commit *c = &m->commits[i];

		if (c->is_hex != k.is_hex ||
		    !(k.is_hex ? mail_same_commit(c->name, k.name) : !strcmp(c->name, k.name)))
			continue;
		if (!k.subject)
			k.subject = c->subject;
		if (!k.label)
			k.label = c->label;
	}
	return k;
}

bool mail_same_commit(const char *a, const char *b)
{
	size_t n = strlen(a), k = strlen(b);

	return strncmp(a, b, n < k ? n : k) == 0;
}
