/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of URLs and how a path finds its row. Paths are cut before they are decoded, so an
 * encoded slash stays inside its segment. The table is short: it is walked from the top, and the
 * first row that fits wins.
 */
#include "server/http/route.h"

#include <assert.h>
#include <string.h>

#define ROUTE(method, pattern, page, flags) int page(struct req *r);
#include "server/http/routes.def"
#undef ROUTE

#define ROUTE(method, pattern, page, flags) {#method, pattern, page, flags},
static const struct route routes[] = {
#include "server/http/routes.def"
};
#undef ROUTE
#define NROUTES (sizeof(routes) / sizeof(routes[0]))

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

long route_decode(char *s, bool plus)
{
	char *to = s;

	for (const char *p = s; *p; p++) {
		char c = *p;
		if (c == '%') {
			int high = hex_digit(p[1]);
			int low = high < 0 ? -1 : hex_digit(p[2]);
			if (low < 0 || (high == 0 && low == 0))
				return -1;
			c = (char)(high << 4 | low);
			p += 2;
		} else if (c == '+' && plus) {
			c = ' ';
		}
		*to++ = c;
	}
	*to = '\0';
	return to - s;
}

int route_cut(char *path, char **segments, int max)
{
	char *to = path, *from = path + 1;
	int n = 0;

	if (path[0] != '/')
		return -1;
	if (!*from)
		return 0;
	for (;;) {
		size_t raw = strcspn(from, "/");
		bool last = !from[raw];
		from[raw] = '\0';
		long len = route_decode(from, false);
		if (len < 0 || n == max)
			return -1;
		memmove(to, from, (size_t)len + 1);
		segments[n++] = to;
		to += len + 1;
		from += raw + 1;
		if (last)
			return n;
	}
}

/* Whether the pattern takes the segments; fills captures. The tail is the first segment of a *name.
 */
static bool pattern_fits(const char *pattern, char *const *segments, size_t n,
			 const char *captures[4], size_t *tail)
{
	size_t i = 0, ncaptures = 0;
	const char *p = pattern + 1;

	*tail = n;
	for (; *p; i++) {
		size_t len = strcspn(p, "/");
		if (i == n)
			return false;
		if (*p == ':' || *p == '*') {
			assert(ncaptures < 4);
			captures[ncaptures++] = segments[i];
			if (*p == '*') {
				*tail = i;
				return *segments[i] || n > i + 1;
			}
			if (!*segments[i])
				return false;
		} else if (strlen(segments[i]) != len || memcmp(segments[i], p, len)) {
			return false;
		}
		p += len + (p[len] == '/');
	}
	return i == n;
}

/* Puts the slashes back between the segments from the tail on. */
static void join_tail(char *const *segments, size_t tail, size_t n)
{
	for (size_t i = tail + 1; i < n; i++)
		segments[i][-1] = '/';
}

static void add_allowed(char allow[64], const char *method)
{
	const char *words = !strcmp(method, "GET") ? "GET, HEAD" : method;
	size_t len = strlen(allow);

	if (strstr(allow, words) || len + strlen(words) + 3 > 64)
		return;
	if (len) {
		memcpy(allow + len, ", ", 3);
		len += 2;
	}
	memcpy(allow + len, words, strlen(words) + 1);
}

const struct route *route_find(const char *method, char *const *segments, size_t nsegments,
			       const char *captures[4], char allow[64])
{
	const char *wanted = !strcmp(method, "HEAD") ? "GET" : method;

	allow[0] = '\0';
	for (size_t i = 0; i < NROUTES; i++) {
		size_t tail;
		memset(captures, 0, 4 * sizeof(*captures));
		if (!pattern_fits(routes[i].pattern, segments, nsegments, captures, &tail))
			continue;
		if (!strcmp(routes[i].method, wanted)) {
			join_tail(segments, tail, nsegments);
			return &routes[i];
		}
		add_allowed(allow, routes[i].method);
	}
	memset(captures, 0, 4 * sizeof(*captures));
	return NULL;
}

const struct route *route_at(size_t i)
{
	return i < NROUTES ? &routes[i] : NULL;
}
