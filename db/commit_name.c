/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of names: what may be the id of a commit, a ref, or a revision that a reader asks
 * for. It is ours and narrower than git's: nothing from outside reaches a rev-parse, and ":/text"
 * is no revision here.
 */
#include <ctype.h>

#include "db/commit_row.h"
#include "server/base/arena.h"
#include "server/base/num.h"
#include "server/base/utf8.h"

static bool all_hex(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return n > 0;
}

/* One part of a ref, between slashes. */
static bool part_valid(const char *s, size_t n)
{
	if (!n || s[0] == '.')
		return false;
	return n < 5 || memcmp(s + n - 5, ".lock", 5) != 0;
}

/* The rules of git for ref names, and: at least 3 bytes, with a digit, valid UTF-8, not an option.
 */
static bool ref_valid(const char *s, size_t n)
{
	bool digit = false;
	size_t start = 0;

	if (n < 3 || n > COMMIT_NAME_MAX || s[0] == '-' || s[n - 1] == '.')
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		size_t bytes = utf8_length(s + i, n - i);

		if (!bytes || ch <= ' ' || ch == 0x7f || (bytes == 1 && strchr("~^:?*[\\", ch)))
			return false;
		if ((ch == '.' && i + 1 < n && s[i + 1] == '.') ||
		    (ch == '@' && i + 1 < n && s[i + 1] == '{'))
			return false;
		if (ch == '/') {
			if (!part_valid(s + start, i - start))
				return false;
			start = i + 1;
		}
		digit |= isdigit(ch) != 0;
		i += bytes - 1;
	}
	return digit && part_valid(s + start, n - start);
}

static bool name_valid(const char *s, size_t n, bool *is_hex)
{
	*is_hex = all_hex(s, n);
	if (*is_hex)
		return n >= ID_DIGITS_MIN && n <= ID_DIGITS;
	return ref_valid(s, n);
}

bool commit_name_valid(const char *s, bool *is_hex)
{
	return name_valid(s, strlen(s), is_hex);
}

static int refuse(struct ctx *c, const char *asked, const char *why)
{
	return fail(c, E_INVALID, "\"%.200s\" is no commit: %s", asked, why);
}

static int parse_steps(struct ctx *c, const char *asked, const char *p, struct revision *out)
{
	int64_t distance = 0;

	while (*p) {
		char kind = *p++, number[8] = "1";
		size_t digits = strspn(p, "0123456789");

		if (kind != '^' && kind != '~')
			return refuse(c, asked, "after a name only ^, ^N, ~ and ~N may follow");
		if (out->nsteps == REVISION_STEPS)
			return refuse(c, asked, "it has too many steps");
		if (digits >= sizeof(number))
			return refuse(c, asked, "its steps lead too far");
		if (digits) {
			memcpy(number, p, digits);
			number[digits] = '\0';
		}
		struct step *s = &out->steps[out->nsteps++];
		s->kind = kind;
		if (!num_parse_int(number, 0, REVISION_DISTANCE, &s->n))
			return refuse(c, asked, "its steps lead too far");
		distance += kind == '~' ? s->n : 1;
		if (distance > REVISION_DISTANCE)
			return refuse(c, asked, "its steps lead too far");
		p += digits;
	}
	return E_OK;
}

int revision_parse(struct ctx *c, const char *asked, struct revision *out)
{
	size_t n = strcspn(asked, "^~");

	out->nsteps = 0;
	if (!name_valid(asked, n, &out->is_hex))
		return refuse(
			c, asked,
			out->is_hex
				? "an id has 7 to 40 hex digits"
				: "neither an id of 7 to 40 hex digits nor the name of a tag or "
				  "branch with a digit in it");
	memcpy(out->name, asked, n);
	out->name[n] = '\0';
	for (size_t i = 0; out->is_hex && i < n; i++)
		out->name[i] = (char)tolower((unsigned char)out->name[i]);
	return parse_steps(c, asked, asked + n, out);
}

char *hex_above(struct arena *a, const char *prefix)
{
	return arena_fmt(a, "%sg", prefix); /* the letter after the last hex digit */
}

const char *commit_short(struct arena *a, const struct commit *k)
{
	if (k->kind == COMMIT_REF || strlen(k->name) <= 12)
		return k->name;
	return arena_strn(a, k->name, 12);
}
