/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads Message-Ids and subjects of patches by hand: what does not fit a form tells nothing. */
#include "server/model/mail_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "server/base/arena.h"

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Few digits only, so that it cannot overflow. */
static int64_t number(const char *s, size_t n)
{
	int64_t v = 0;

	for (size_t i = 0; i < n && i < 9; i++)
		v = 10 * v + (s[i] - '0');
	return v;
}

static bool read_send_email(struct arena *a, const char *id, struct mail_name *out)
{
	size_t stamp = digits(id), pid;

	if (stamp < 8 || id[stamp] != '.')
		return false;
	pid = digits(id + stamp + 1);
	if (!pid || id[stamp + 1 + pid] != '-' || !digits(id + stamp + pid + 2))
		return false;
	out->sending = arena_fmt(a, "send-email %.*s", (int)(stamp + 1 + pid), id);
	return true;
}

static bool read_format_patch(struct arena *a, const char *id, struct mail_name *out)
{
	const char *dot = strchr(id, '.');
	size_t stamp;

	if (!dot || dot == id)
		return false;
	if (strncmp(id, "cover.", 6) != 0 && strspn(id, "0123456789abcdef") != (size_t)(dot - id))
		return false;
	stamp = digits(dot + 1);
	if (!stamp || strncmp(dot + 1 + stamp, ".git.", 5) != 0)
		return false;
	out->sending = arena_fmt(a, "format-patch %s", dot + 1);
	return true;
}

/* The last "-vN-I-hash@host" of the name. */
static bool read_b4(struct arena *a, const char *id, struct mail_name *out)
{
	const char *at = strchr(id, '@'), *v = NULL;
	size_t date = digits(id), n;

	if (!at || date != 8 || id[8] != '-')
		return false;
	for (const char *p = id + 9; p < at; p++)
		if (p[0] == '-' && p[1] == 'v' && digits(p + 2) && p[2 + digits(p + 2)] == '-')
			v = p;
	if (!v)
		return false;
	n = digits(v + 2);
	if (!digits(v + 3 + n))
		return false;
	out->version = number(v + 2, n);
	out->sending = arena_fmt(a, "b4 %.*s%s", (int)(v + 2 + n - id), id, at);
	out->change = arena_fmt(a, "b4 %.*s%s", (int)(v - (id + 9)), id + 9, at);
	return true;
}

struct mail_name mail_name_read(struct arena *a, const char *message_id)
{
	struct mail_name out = {.version = -1};

	if (!read_send_email(a, message_id, &out) && !read_format_patch(a, message_id, &out))
		read_b4(a, message_id, &out);
	return out;
}

/* Words of a tag: "v2", "3/7"; others say nothing here. */
static void read_word(const char *s, size_t n, struct subject_tag *out)
{
	size_t d;

	if ((s[0] == 'v' || s[0] == 'V') && n > 1 && digits(s + 1) == n - 1) {
		out->version = number(s + 1, n - 1);
		return;
	}
	d = digits(s);
	if (d && d < n && s[d] == '/' && digits(s + d + 1) == n - d - 1 && n > d + 1) {
		out->index = number(s, d);
		out->total = number(s + d + 1, n - d - 1);
	}
}

const char *subject_bare(const char *subject)
{
	for (;;) {
		const char *end;

		while (isspace((unsigned char)*subject))
			subject++;
		if (!strncasecmp(subject, "re:", 3)) {
			subject += 3;
			continue;
		}
		end = *subject == '[' ? strchr(subject, ']') : NULL;
		if (!end || !memmem(subject, (size_t)(end - subject), "PATCH", 5))
			return subject;
		subject = end + 1;
	}
}

struct subject_tag subject_tag_read(const char *subject)
{
	struct subject_tag out = {-1, -1, -1};
	const char *end = subject_bare(subject);

	for (const char *p = subject; p < end;) {
		size_t n = strcspn(p, " []\t");

		if (n > (size_t)(end - p))
			break;
		read_word(p, n, &out);
		p += n + (p[n] != '\0');
	}
	return out;
}
