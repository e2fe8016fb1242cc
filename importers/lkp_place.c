/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a run lies in a result tree says what it is. Paths are only looked at, never opened. A path
 * that is long enough and ends in a number could be any path: callers that know more (job.yaml)
 * hold it against that.
 */
#include "importers/lkp.h"

#include "db/commits.h"
#include "server/base/arena.h"

#define PARTS      7
#define PART_MAX   255
#define DIGITS_MAX 6 /* of a run's number */

/* The part before end, without slashes; NULL: none, or no good name. Moves *end before it. */
static const char *part_before(struct arena *a, const char *path, const char **end)
{
	const char *stop = *end, *start;
	char *s;

	while (stop > path && stop[-1] == '/')
		stop--;
	for (start = stop; start > path && start[-1] != '/';)
		start--;
	*end = start;
	if (start == stop || stop - start > PART_MAX)
		return NULL;
	s = arena_strn(a, start, (size_t)(stop - start));
	return import_text_valid(s, PART_MAX) && strcmp(s, ".") != 0 && strcmp(s, "..") != 0 ? s
											     : NULL;
}

static int64_t run_number(const char *s)
{
	int64_t n = 0;

	if (!s || strlen(s) > DIGITS_MAX || (s[0] == '0' && s[1]))
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -1;
		n = n * 10 + (*s - '0');
	}
	return n;
}

static bool commit_before(struct arena *a, const char *path, const char *end, struct lkp_place *out)
{
	const char *parts[PARTS];
	bool is_hex;

	for (size_t i = PARTS; i-- > 0;) {
		parts[i] = part_before(a, path, &end);
		if (!parts[i])
			return false;
	}
	*out = (struct lkp_place){parts[0], parts[1], parts[2], parts[3],
				  parts[4], parts[5], parts[6], -1};
	return commit_name_valid(out->commit, &is_hex);
}

bool lkp_place_of_commit(struct arena *a, const char *path, struct lkp_place *out)
{
	return commit_before(a, path, path + strlen(path), out);
}

bool lkp_place_of_run(struct arena *a, const char *path, struct lkp_place *out)
{
	const char *end = path + strlen(path);
	int64_t run = run_number(part_before(a, path, &end));

	if (run < 0 || !commit_before(a, path, end, out))
		return false;
	out->run = run;
	return true;
}

const char *lkp_key(struct arena *a, const struct lkp_place *p, int64_t run)
{
	const char *commit =
		arena_fmt(a, "%s/%s/%s/%s/%s/%s/%s/", p->tbox_group, p->testcase, p->path_params,
			  p->rootfs, p->kconfig, p->compiler, p->commit);

	return run < 0 ? commit : arena_fmt(a, "%s%lld", commit, (long long)run);
}

const char *lkp_path(struct arena *a, const struct lkp_place *p)
{
	return arena_fmt(a, "%s/%s/%s/%s/%s/%s/%s", p->testcase, p->path_params, p->tbox_group,
			 p->rootfs, p->kconfig, p->compiler, p->commit);
}

const char *lkp_group_of_host(struct arena *a, const char *host)
{
	size_t n = strlen(host), digits = n;

	while (digits > 0 && host[digits - 1] >= '0' && host[digits - 1] <= '9')
		digits--;
	if (digits == n || digits < 2 || host[digits - 1] != '-')
		return host;
	return arena_strn(a, host, digits - 1);
}
