/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "METHOD path": how a path is cut, decoded and found. A name that was found, encoded again and put
 * into an address in its place, is found as the same name.
 */
#include "fuzz.h"

#include "server/base/arena.h"
#include "server/http/route.h"
#include "server/limits.h"
#include "server/view/url.h"

static const struct route *look_up(struct arena *a, const char *method, const char *path,
				   const char *captures[4])
{
	char *segments[SEGMENTS_MAX];
	char *copy = arena_str(a, path);
	char allow[64];
	int n = route_cut(copy, segments, SEGMENTS_MAX);

	must(n >= -1 && n <= SEGMENTS_MAX);
	if (n < 0)
		return NULL;
	for (int i = 0; i < n; i++)
		must(segments[i] >= copy &&
		     segments[i] + strlen(segments[i]) <= copy + strlen(path));
	const struct route *row = route_find(method, segments, (size_t)n, captures, allow);
	must(strlen(allow) < sizeof(allow));
	must(!row || !*allow || strcmp(row->method, method) || !strcmp(method, "HEAD") || *allow);
	return row;
}

/* The address of the row with these names. */
static struct url *address(struct arena *a, const struct route *row, const char *captures[4])
{
	struct url *u = arena_alloc(a, sizeof(*u));
	size_t at = 0;

	u->s = arena_str(a, "");
	for (const char *p = row->pattern; *p;) {
		size_t n = strcspn(++p, "/");
		const char *name = *p == ':' || *p == '*' ? captures[at++] : arena_strn(a, p, n);

		if (*name)
			url_segment(a, u, name);
		p += n;
	}
	return u;
}

static void check(struct arena *a, const char *method, const char *path)
{
	const char *captures[4], *again[4];
	const struct route *row = look_up(a, method, path, captures);

	if (!row || !strcmp(row->pattern, "/"))
		return;
	for (size_t i = 0; i < 4 && captures[i]; i++)
		if (!captures[i][0])
			return; /* has no address as a segment */
	const char *same = address(a, row, captures)->s;
	must(look_up(a, method, same, again) == row, "%s and %s", path, same);
	for (size_t i = 0; i < 4; i++)
		must(!captures[i] == !again[i] && (!again[i] || !strcmp(again[i], captures[i])),
		     "%s and %s", path, same);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new();
	char *text = bytes_alone(bytes, n), *space = strchr(text, ' ');

	if (space) {
		*space = '\0';
		check(a, text, space + 1);
		char *decoded = arena_str(a, space + 1);
		long len = route_decode(decoded, true);
		must(len < 0 || (size_t)len == strlen(decoded));
	}
	free(text);
	return 0;
}
