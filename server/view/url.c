/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses. A name from outside is encoded byte by byte, so whatever it holds stays one segment
 * or one value; names that no path can carry go into the query.
 */
#include "server/view/url.h"

#include <assert.h>
#include <stdbool.h>

#include "server/base/arena.h"

#define EXTERNAL_MAX 2000 /* what browsers and proxies surely take */

static bool is_unreserved(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

/* Adds a literal lead and the text, percent-encoded but for the extra characters. */
static void url_add(struct arena *a, struct url *u, const char *lead, const char *text,
		    const char *extra)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t before = strlen(u->s), nlead = strlen(lead);
	char *s = arena_alloc(a, before + nlead + 3 * strlen(text) + 1);
	char *p = s + before + nlead;

	memcpy(s, u->s, before);
	memcpy(s + before, lead, nlead);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (is_unreserved(*text) || strchr(extra, *text)) {
			*p++ = *text;
		} else {
			*p++ = '%';
			*p++ = digits[c >> 4];
			*p++ = digits[c & 15];
		}
	}
	u->s = s;
}

struct url *url_path(struct arena *a, const char *path_literal)
{
	struct url *u = arena_alloc(a, sizeof(*u));

	assert(path_literal[0] == '/');
	u->s = arena_str(a, path_literal);
	return u;
}

void url_segment(struct arena *a, struct url *u, const char *segment)
{
	url_add(a, u, "/", segment, ":@,");
}

void url_param(struct arena *a, struct url *u, const char *name, const char *value)
{
	if (!value)
		return;
	url_add(a, u, strchr(u->s, '?') ? "&" : "?", name, "");
	url_add(a, u, "=", value, ":@,/");
}

void url_param_int(struct arena *a, struct url *u, const char *name, int64_t value)
{
	url_param(a, u, name, arena_fmt(a, "%lld", (long long)value));
}

char *url_absolute(struct arena *a, const char *public_url, const struct url *u)
{
	if (u->s[0] != '/') /* an external one */
		return arena_str(a, u->s);
	return arena_fmt(a, "%s%s", public_url, u->s);
}

struct url *url_external(struct arena *a, const char *address)
{
	const char *host = NULL, *p;
	struct url *u;

	if (!address || strlen(address) > EXTERNAL_MAX)
		return NULL;
	if (!strncasecmp(address, "http://", 7))
		host = address + 7;
	else if (!strncasecmp(address, "https://", 8))
		host = address + 8;
	if (!host || !*host || strchr("/?#\\:", *host))
		return NULL;
	for (p = address; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 127)
			return NULL;
	}
	/* "https://known.example@other.example/" leads elsewhere than it looks. */
	p = host + strcspn(host, "/?#\\@");
	if (*p == '@')
		return NULL;
	u = arena_alloc(a, sizeof(*u));
	u->s = arena_str(a, "");
	url_add(a, u, "", address, ":/?#[]@!$&()*+,;=%");
	return u;
}

/* A name that is the last segment of a path: none that is empty, that browsers resolve ("..", also
 * encoded), that holds a '/' or that ends like a page's form. */
static bool fits_path(const char *name)
{
	static const char *const forms[] = {".json", ".csv", ".txt", ".html", ".mbox", ".atom"};
	size_t n = strlen(name);

	if (!n || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t nform = strlen(forms[i]);

		if (n >= nform && !strcasecmp(name + n - nform, forms[i]))
			return false;
	}
	return true;
}

static struct url *url_named(struct arena *a, const char *path, const char *param, const char *name)
{
	struct url *u = url_path(a, path);

	if (fits_path(name))
		url_segment(a, u, name);
	else
		url_param(a, u, param, name);
	return u;
}

struct url *url_home(struct arena *a)
{
	return url_path(a, "/");
}

struct url *url_commit(struct arena *a, const char *name)
{
	return url_named(a, "/commit", "rev", name);
}

struct url *url_series(struct arena *a, const char *digest)
{
	struct url *u = url_path(a, "/series");

	url_segment(a, u, digest);
	return u;
}

struct url *url_history(struct arena *a, const char *series_digest, const char *metric)
{
	struct url *u = url_path(a, "/history");

	url_param(a, u, "series", series_digest);
	url_param(a, u, "metric", metric);
	return u;
}

struct url *url_compare(struct arena *a, const char *commits, const char *series_digest)
{
	struct url *u = url_path(a, "/compare");

	url_param(a, u, "commits", commits);
	url_param(a, u, "series", series_digest);
	return u;
}

struct url *url_range(struct arena *a, const char *range, const char *series_digest,
		      const char *metric)
{
	struct url *u = url_named(a, "/range", "range", range);

	url_param(a, u, "series", series_digest);
	url_param(a, u, "metric", metric);
	return u;
}

struct url *url_run(struct arena *a, int64_t run_id)
{
	struct url *u = url_path(a, "/run");

	url_segment(a, u, arena_fmt(a, "%lld", (long long)run_id));
	return u;
}

struct url *url_artifact(struct arena *a, const char *digest, const char *name)
{
	struct url *u = url_path(a, "/artifact");

	url_segment(a, u, digest);
	url_param(a, u, "name", name);
	return u;
}

struct url *url_correction(struct arena *a, int64_t id)
{
	struct url *u = url_path(a, "/correction");

	url_segment(a, u, arena_fmt(a, "%lld", (long long)id));
	return u;
}

struct url *url_metric(struct arena *a, const char *name)
{
	return url_named(a, "/metric", "name", name);
}

struct url *url_testcase(struct arena *a, const char *name)
{
	return url_named(a, "/testcase", "name", name);
}

struct url *url_machine(struct arena *a, const char *name)
{
	return url_named(a, "/machine", "name", name);
}

struct url *url_patch(struct arena *a, const char *message_id)
{
	return url_named(a, "/patch", "id", message_id);
}

struct url *url_search(struct arena *a, const char *q)
{
	struct url *u = url_path(a, "/search");

	url_param(a, u, "q", q);
	return u;
}
