/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the conventions of kernel messages, line by line. What looks almost like one is none: a
 * wrong link is worse than a missing one.
 */
#include "server/history/message_links.h"

#include <ctype.h>
#include <strings.h>

#include "server/base/arena.h"

#define ID_MIN         7
#define ID_MAX         40
#define MESSAGE_ID_MAX 250
#define DIGITS         "0123456789abcdefABCDEF"

struct found {
	struct arena *arena;
	struct git_link *links;
	size_t n;
};

static void add(struct found *f, enum git_link_kind kind, const char *target)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->links[i].kind == kind && strcmp(f->links[i].target, target) == 0)
			return;
	if (f->n < MESSAGE_LINKS_MAX)
		f->links[f->n++] = (struct git_link){.kind = kind, .target = target};
}

/* Behind a word at the beginning, whatever its case; NULL: it does not begin so. */
static const char *after(const char *s, const char *word)
{
	size_t n = strlen(word);

	return strncasecmp(s, word, n) == 0 ? s + n : NULL;
}

/* The id that s begins with, and what follows it; NULL: none. */
static const char *read_id(struct arena *a, const char *s, const char **rest)
{
	size_t n = strspn(s, DIGITS);
	char *id;

	if (n < ID_MIN || n > ID_MAX || isalnum((unsigned char)s[n]) || s[n] == '_')
		return NULL;
	*rest = s + n;
	id = arena_strn(a, s, n);
	for (char *p = id; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return id;
}

static void look_for_fixes(struct found *f, const char *line)
{
	const char *p = after(line, "Fixes:"), *rest, *id;

	if (!p)
		return;
	p += strspn(p, " \t");
	if (after(p, "commit "))
		p += 7;
	id = read_id(f->arena, p, &rest);
	if (id)
		add(f, LINK_FIXES, id);
}

static void look_for_upstream(struct found *f, const char *line)
{
	const char *p = line + strspn(line, "[ \t"), *rest = NULL, *id = NULL, *from;

	if ((from = after(p, "Upstream commit ")))
		id = read_id(f->arena, from, &rest);
	else if ((from = after(line, "(cherry picked from commit ")))
		id = read_id(f->arena, from, &rest);
	else if ((from = after(p, "commit "))) {
		id = read_id(f->arena, from, &rest);
		if (id && !after(rest, " upstream"))
			id = NULL;
	}
	if (id)
		add(f, LINK_UPSTREAM, id);
}

static void look_for_reverts(struct found *f, const char *line)
{
	const char *p = after(line, "This reverts commit "), *rest;
	const char *id = p ? read_id(f->arena, p, &rest) : NULL;

	if (id)
		add(f, LINK_REVERTS, id);
}

static int hex_value(char ch)
{
	return isdigit((unsigned char)ch) ? ch - '0' : tolower((unsigned char)ch) - 'a' + 10;
}

/* A Message-Id of n bytes, percent-decoded when it comes from an address. */
static void add_message_id(struct found *f, const char *s, size_t n, bool encoded)
{
	char *id = arena_alloc(f->arena, n + 1), *to = id;

	if (n > MESSAGE_ID_MAX)
		return;
	for (size_t i = 0; i < n; i++) {
		bool is_hex = encoded && s[i] == '%' && i + 2 < n &&
			      isxdigit((unsigned char)s[i + 1]) &&
			      isxdigit((unsigned char)s[i + 2]);
		char ch = is_hex ? (char)(hex_value(s[i + 1]) * 16 + hex_value(s[i + 2])) : s[i];

		if ((unsigned char)ch <= ' ' || (unsigned char)ch >= 0x7f || strchr("<>\"", ch))
			return;
		i += is_hex ? 2 : 0;
		*to++ = ch;
	}
	*to = '\0';
	const char *at = strchr(id, '@');
	if (at && at > id && at[1] && !strchr(id, '/'))
		add(f, LINK_MESSAGE_ID, id);
}

/* The last part of the path of an archive's address. */
static void add_archive_address(struct found *f, const char *url)
{
	static const char *const archives[] = {"lore.kernel.org/", "lkml.kernel.org/r/",
					       "patch.msgid.link/"};
	const char *p = after(url, "https://");

	if (!p)
		p = after(url, "http://");
	for (size_t i = 0; p && i < sizeof(archives) / sizeof(archives[0]); i++) {
		const char *path = after(p, archives[i]);
		size_t n = path ? strcspn(path, " \t#?") : 0, begin;

		if (!path || strchr(path + n, '['))
			continue;
		while (n && path[n - 1] == '/')
			n--;
		for (begin = n; begin && path[begin - 1] != '/'; begin--)
			;
		add_message_id(f, path + begin, n - begin, true);
	}
}

static void look_for_mail(struct found *f, const char *line, bool below_report)
{
	const char *p = after(line, "Link:"), *end;

	if (p && !below_report)
		add_archive_address(f, p + strspn(p, " \t"));
	p = after(line, "Message-Id:");
	if (!p)
		return;
	p += strspn(p, " \t");
	end = *p == '<' ? strchr(p, '>') : NULL;
	if (end)
		add_message_id(f, p + 1, (size_t)(end - p - 1), false);
}

size_t message_links(struct arena *a, const char *message, struct git_link **out)
{
	struct found f = {.arena = a, .links = arena_array(a, struct git_link, MESSAGE_LINKS_MAX)};
	char *rest = arena_str(a, message), *line;
	bool below_report = false;

	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		look_for_fixes(&f, line);
		look_for_upstream(&f, line);
		look_for_reverts(&f, line);
		look_for_mail(&f, line, below_report);
		below_report = after(line, "Reported-by:") ||
			       after(line, "Reported-and-tested-by:") ||
			       (below_report && after(line, "Link:"));
	}
	*out = f.links;
	return f.n;
}
