/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database in a folder where this process may not write: a reader needs the -shm file beside it,
 * and cannot make one. When there is no log either, the file by itself is all there is, and it is
 * opened as one that never changes. SQLite then takes no locks and looks for no changes, so that is
 * watched here: a server that would mix old pages with new ones must say so instead.
 */
#include "db/engine_sqlite.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/arena.h"

struct frozen {
	char path[PATH_MAX];
	struct stat was;
};

static bool has_log(struct ctx *c, const char *path)
{
	struct stat st;

	return stat(arena_fmt(c->arena, "%s-wal", path), &st) == 0 && st.st_size > 0;
}

/* The path as SQLite's URI; it starts with one slash, so it is not taken for a host. */
static const char *frozen_uri(struct ctx *c, const char *path)
{
	char *escaped = arena_alloc(c->arena, 3 * strlen(path) + 1), *to = escaped;

	for (; *path; path++) {
		const char *as = *path == '%'   ? "%25"
				 : *path == '?' ? "%3f"
				 : *path == '#' ? "%23"
						: NULL;
		size_t n = as ? 3 : 1;
		memcpy(to, as ? as : path, n);
		to += n;
	}
	return arena_fmt(c->arena, "file:%.*s?immutable=1", (int)(to - escaped), escaped);
}

int engine_open_frozen(struct ctx *c, struct db *d, const char *path, int rc)
{
	struct frozen *z = calloc(1, sizeof(*z));

	if (!z)
		die("out of memory");
	d->frozen = z;
	if (!realpath(path, z->path) || stat(z->path, &z->was) < 0)
		return fail(c, E_INTERNAL, "%s: %s", path, strerror(errno));
	if (rc != SQLITE_READONLY_DIRECTORY && access(z->path, R_OK) < 0)
		return fail(c, E_INTERNAL, "%s: %s", path, strerror(errno));
	if (has_log(c, z->path))
		return fail(c, E_INTERNAL,
			    "%s has a log (%s-wal) that can only be read by who may write to the "
			    "folder: end the server that left it, or copy both elsewhere",
			    path, path);
	sqlite3_close(d->h);
	d->h = NULL;
	rc = sqlite3_open_v2(frozen_uri(c, z->path), &d->h,
			     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK)
		return engine_fail(c, d->h, rc, path);
	sqlite3_extended_result_codes(d->h, 1);
	return E_OK;
}

int engine_check_frozen(struct ctx *c, const struct db *d)
{
	const struct frozen *z = d->frozen;
	struct stat now;

	if (stat(z->path, &now) == 0 && now.st_ino == z->was.st_ino &&
	    now.st_size == z->was.st_size && now.st_mtim.tv_sec == z->was.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == z->was.st_mtim.tv_nsec && !has_log(c, z->path))
		return E_OK;
	return fail(c, E_INTERNAL,
		    "%s has changed, but was opened as a file that never does: start again",
		    z->path);
}
