/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of commits, which may be in any encoding or in none. The name of an encoding comes from
 * outside: only plain names reach iconv, none with a slash, which glibc would take for options or a
 * file.
 */
#include <ctype.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "server/base/arena.h"
#include "server/base/utf8.h"
#include "server/history/opened.h"

#define ENCODING_MAX 40
#define TEXT_MAX     ((size_t)1 << 20) /* of a message; more is cut */

static const char replacement[] = "\xef\xbf\xbd";

static bool is_utf8(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(s + i, n - i);

		if (len == 0)
			return false;
		i += len;
	}
	return true;
}

static bool encoding_plain(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > ENCODING_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._:-", name[i]))
			return false;
	return true;
}

/* By iconv; NULL: it does not know the encoding, or the bytes are not in it. */
static char *convert(struct arena *a, const char *bytes, size_t n, const char *encoding)
{
	size_t room = 4 * n + 8, left = room, rest = n;
	char *out = arena_alloc(a, room + 1), *to = out, *from = (char *)bytes;
	iconv_t cd = iconv_open("UTF-8", encoding);
	size_t done;

	if (cd == (iconv_t)-1)
		return NULL;
	done = iconv(cd, &from, &rest, &to, &left);
	if (done != (size_t)-1)
		done = iconv(cd, NULL, NULL, &to, &left);
	iconv_close(cd);
	if (done == (size_t)-1 || rest)
		return NULL;
	return text_clean(a, out, (size_t)(to - out), NULL);
}

char *text_clean(struct arena *a, const char *bytes, size_t n, size_t *len)
{
	size_t bad = 0, at = 0;
	char *out;

	for (size_t i = 0; i < n;) {
		size_t step = bytes[i] ? utf8_length(bytes + i, n - i) : 0;

		bad += step == 0;
		i += step ? step : 1;
	}
	out = arena_alloc(a, n + 2 * bad + 1);
	for (size_t i = 0; i < n;) {
		size_t step = bytes[i] ? utf8_length(bytes + i, n - i) : 0;

		memcpy(out + at, step ? bytes + i : replacement, step ? step : 3);
		at += step ? step : 3;
		i += step ? step : 1;
	}
	out[at] = '\0';
	if (len)
		*len = at;
	return out;
}

static char *from_latin1(struct arena *a, const char *bytes, size_t n)
{
	char *out = arena_alloc(a, 2 * n + 1);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c >= 0x80)
			out[at++] = (char)(0xc0 | c >> 6);
		out[at++] = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
	}
	return text_clean(a, out, at, NULL);
}

char *text_decode(struct arena *a, const char *bytes, size_t n, const char *encoding)
{
	char *text;

	if (n > TEXT_MAX)
		n = TEXT_MAX;
	if (encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "utf8") != 0 &&
	    encoding_plain(encoding)) {
		text = convert(a, bytes, n, encoding);
		if (text)
			return text;
	}
	if (is_utf8(bytes, n) || n == TEXT_MAX)
		return text_clean(a, bytes, n, NULL);
	return from_latin1(a, bytes, n);
}

/* Without what is blank at its end, as git takes it: a form feed is not. */
static size_t line_length(const char *line, size_t n)
{
	while (n && strchr(" \t\r\n", line[n - 1]))
		n--;
	return n;
}

char *text_subject(struct arena *a, const git_commit *commit)
{
	const char *message = git_commit_message(commit);
	size_t at = 0;
	char *subject;

	if (!message)
		return arena_str(a, "");
	subject = arena_alloc(a, strlen(message) + 1);
	while (*message) {
		size_t n = strcspn(message, "\n"), len = line_length(message, n);

		if (!len && at)
			break;
		if (len && at)
			subject[at++] = ' ';
		memcpy(subject + at, message, len);
		at += len;
		message += n + (message[n] == '\n');
	}
	return text_decode(a, subject, at, git_commit_message_encoding(commit));
}
