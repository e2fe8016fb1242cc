/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds links in a message, line by line. Only what is certain becomes one; the text itself is not
 * changed, so that all pieces together are the message again.
 */
#include "server/model/commit_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "db/commits.h"
#include "server/base/arena.h"
#include "server/history/revision.h"

#define ID_MIN 7
#define ID_MAX 40

struct cutting {
	struct ctx *c;
	struct text_piece *list;
	size_t n, cap, looked_up;
	const char *plain; /* where the plain text before the next link begins */
};

static void add(struct cutting *x, enum text_kind kind, const char *s, size_t n, const char *target)
{
	if (n == 0)
		return;
	x->list = arena_grow(x->c->arena, x->list, &x->cap, x->n + 1, sizeof(*x->list));
	x->list[x->n++] = (struct text_piece){kind, s, n, target};
}

static void add_link(struct cutting *x, enum text_kind kind, const char *s, size_t n,
		     const char *target)
{
	add(x, TEXT_PLAIN, x->plain, (size_t)(s - x->plain), NULL);
	add(x, kind, s, n, target);
	x->plain = s + n;
}

/* Length of the address that s begins with, without the mark that ends a sentence or bracket. */
static size_t address_length(const char *s)
{
	size_t head = !strncmp(s, "https://", 8) ? 8 : !strncmp(s, "http://", 7) ? 7 : 0;
	size_t n = head;

	if (!head)
		return 0;
	while (s[n] && !isspace((unsigned char)s[n]) && !strchr("<>\"`", s[n]))
		n++;
	while (n > head && strchr(".,;:!?)]}'*", s[n - 1]))
		n--;
	return n > head ? n : 0;
}

static bool is_word_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '-' || (unsigned char)ch >= 0x80;
}

static size_t hex_length(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return n >= ID_MIN && n <= ID_MAX && !is_word_char(s[n]) ? n : 0;
}

/* Name of the commit, NULL: it is not known, or not one. */
static const char *known_commit(struct cutting *x, const char *s, size_t n)
{
	struct commit k;
	int e;

	if (x->looked_up == TEXT_IDS_MAX)
		return NULL;
	x->looked_up++;
	e = revision_resolve(x->c, arena_strn(x->c->arena, s, n), &k, NULL);
	if (e == E_NOTFOUND || e == E_AMBIGUOUS || e == E_INVALID) {
		ctx_clear(x->c);
		return NULL;
	}
	return e < 0 ? NULL : k.name;
}

static bool names_mails(const char *line)
{
	return !strncasecmp(line, "message-id:", 11) || !strncasecmp(line, "in-reply-to:", 12);
}

/* The Message-Id that a line has, as a link. */
static void cut_mail(struct cutting *x, const char *line, size_t n)
{
	const char *s = strchr(line, ':') + 1, *end = line + n;

	while (s < end && (*s == ' ' || *s == '\t' || *s == '<'))
		s++;
	while (end > s && (isspace((unsigned char)end[-1]) || end[-1] == '>'))
		end--;
	if (end > s && memchr(s, '@', (size_t)(end - s)))
		add_link(x, TEXT_MAIL, s, (size_t)(end - s),
			 arena_strn(x->c->arena, s, (size_t)(end - s)));
}

static void cut_line(struct cutting *x, const char *line, size_t n)
{
	for (const char *s = line; s < line + n;) {
		size_t len = address_length(s);
		const char *name;

		if (len) {
			add_link(x, TEXT_ADDRESS, s, len, arena_strn(x->c->arena, s, len));
			s += len;
			continue;
		}
		len = hex_length(s);
		name = len ? known_commit(x, s, len) : NULL;
		if (name)
			add_link(x, TEXT_COMMIT, s, len, name);
		if (len) {
			s += len;
			continue;
		}
		do
			s++;
		while (s < line + n && is_word_char(s[-1]) && is_word_char(*s));
	}
}

int commit_text_cut(struct ctx *c, const char *text, struct text_piece **out, size_t *n)
{
	struct cutting x = {.c = c, .plain = text};

	for (const char *s = text; *s;) {
		size_t len = strcspn(s, "\n");

		if (names_mails(s))
			cut_mail(&x, s, len);
		else
			cut_line(&x, s, len);
		s += len + (s[len] == '\n');
	}
	add(&x, TEXT_PLAIN, x.plain, strlen(x.plain), NULL);
	*out = x.list;
	*n = x.n;
	return c->err < 0 ? (int)c->err : E_OK;
}
