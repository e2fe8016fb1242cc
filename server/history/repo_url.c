/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names, addresses and ref patterns: checked by a grammar of ours that is narrower than git's,
 * since they become file names and arguments of a child.
 */
#include "server/history/repo_url.h"

#include <ctype.h>
#include <string.h>

#include "server/base/arena.h"
#include "server/base/utf8.h"

#define NAME_BYTES_MAX    100
#define URL_BYTES_MAX     2000
#define PATTERN_BYTES_MAX 200

static bool ends_in(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n >= m && memcmp(s + n - m, end, m) == 0;
}

bool repo_name_valid(const char *name)
{
	if (!*name || strlen(name) > NAME_BYTES_MAX)
		return false;
	for (const char *part = name;; part++) {
		size_t n = strcspn(part, "/");

		if (!n || part[0] == '-' ||
		    (part[0] == '.' && (n == 1 || (n == 2 && part[1] == '.'))))
			return false;
		if (ends_in(part, n, ".git") || ends_in(part, n, ".lock"))
			return false;
		for (size_t i = 0; i < n; i++)
			if (!isalnum((unsigned char)part[i]) && !strchr("._-", part[i]))
				return false;
		part += n;
		if (!*part)
			return true;
	}
}

/* "host:path" or "user@host:path": a colon before any slash. */
static bool is_scp_like(const char *url)
{
	size_t n = strcspn(url, ":/");

	return n > 0 && url[n] == ':';
}

bool repo_url_is_remote(const char *url)
{
	return strstr(url, "://") != NULL || is_scp_like(url);
}

/* "-oProxyCommand=…" as the name of a host would be an option of ssh. */
static bool host_is_option(const char *url)
{
	const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
	size_t n = strcspn(host, "/?#"), at = n;

	while (at > 0 && host[at - 1] != '@')
		at--;
	return host[at] == '-' || host[0] == '-';
}

const char *repo_url_fault(const char *url)
{
	static const char *const schemes[] = {"https://", "http://", "git://", "ssh://", "file://"};
	bool known = false;

	if (!*url || strlen(url) > URL_BYTES_MAX)
		return "an address has 1 to 2000 bytes";
	if (host_is_option(url))
		return "neither an address nor the name of a host begins with \"-\"";
	for (const char *p = url; *p; p++)
		if ((unsigned char)*p <= ' ' || (unsigned char)*p == 0x7f)
			return "an address has no spaces and no control characters";
	if (strstr(url, "::") && strstr(url, "::") < url + strcspn(url, "/"))
		return "git's transport helpers (\"ext::\") are not used";
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (strncmp(url, schemes[i], n) == 0)
			known = url[n] != '\0';
	}
	if (strstr(url, "://"))
		return known ? NULL
			     : "only https, http, git, ssh and file addresses are fetched from";
	return NULL;
}

/* Where the part behind the credentials of an address begins: s is behind "://". */
static const char *skip_credentials(const char *s, bool is_ssh)
{
	size_t n = strcspn(s, "/?# \t\"'<>"), at = n;

	while (at > 0 && s[at - 1] != '@')
		at--;
	if (at == 0 || (is_ssh && !memchr(s, ':', at)))
		return s;
	return s + at;
}

char *repo_url_shown(struct arena *a, const char *text)
{
	size_t n = strlen(text);
	const char *p = text, *end = text + n;
	char *out = arena_alloc(a, n + 1), *to = out;

	while (p < end) {
		size_t bytes = utf8_length(p, (size_t)(end - p));

		if (!bytes || (bytes == 1 && ((unsigned char)*p < ' ' || *p == 0x7f)) ||
		    (bytes == 2 && utf8_is_c1(p))) {
			*to++ = '?';
			p += bytes ? bytes : 1;
			continue;
		}
		if (strncmp(p, "://", 3) == 0) {
			bool is_ssh = to - out >= 3 && memcmp(to - 3, "ssh", 3) == 0;

			memcpy(to, p, 3);
			to += 3;
			p = skip_credentials(p + 3, is_ssh);
			continue;
		}
		memcpy(to, p, bytes);
		to += bytes;
		p += bytes;
	}
	*to = '\0';
	return out;
}

/* By git's rules for the names of refs, with at most one "*". */
static bool pattern_valid(const char *s)
{
	size_t n = strlen(s);
	int stars = 0;

	if (n > PATTERN_BYTES_MAX || s[n - 1] == '/' || s[n - 1] == '.' || ends_in(s, n, ".lock"))
		return false;
	if (strstr(s, "..") || strstr(s, "//") || strstr(s, "/.") || strstr(s, "@{"))
		return false;
	for (const char *p = s; *p; p++) {
		size_t bytes = utf8_length(p, strlen(p));

		if (!bytes || (unsigned char)*p <= ' ' || *p == 0x7f || strchr("~^:?[\\", *p))
			return false;
		stars += *p == '*';
		p += bytes - 1;
	}
	return stars <= 1;
}

char *repo_ref_pattern(struct arena *a, const char *ref)
{
	char *full;

	if (!*ref || *ref == '-' || *ref == '.' || *ref == '/')
		return NULL;
	if (strncmp(ref, "refs/", 5) == 0)
		full = arena_str(a, ref);
	else if (strncmp(ref, "heads/", 6) == 0 || strncmp(ref, "tags/", 5) == 0 ||
		 strncmp(ref, "remotes/", 8) == 0)
		full = arena_fmt(a, "refs/%s", ref);
	else
		full = arena_fmt(a, "refs/heads/%s", ref);
	return strlen(full) > 5 && pattern_valid(full) ? full : NULL;
}

static bool fits(const char *pattern, size_t n, const char *name)
{
	const char *star = memchr(pattern, '*', n);
	size_t before = star ? (size_t)(star - pattern) : n, after = star ? n - before - 1 : 0;
	size_t len = strlen(name);

	if (!star)
		return len == n && memcmp(name, pattern, n) == 0;
	return len >= before + after && memcmp(name, pattern, before) == 0 &&
	       memcmp(name + len - after, star + 1, after) == 0;
}

bool repo_ref_followed(const char *patterns, const char *name)
{
	if (!*patterns)
		return strncmp(name, "refs/heads/", 11) == 0 ||
		       strncmp(name, "refs/tags/", 10) == 0;
	while (*patterns) {
		size_t n = strcspn(patterns, "\n");

		if (n && fits(patterns, n, name))
			return true;
		patterns += n + (patterns[n] != '\0');
	}
	return false;
}
