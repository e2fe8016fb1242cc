/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of the database beside its writers, by VACUUM INTO: one read transaction, whereas the
 * backup API starts again whenever somebody writes. The copy is made under another name in the same
 * folder and gets its own when it is on disk, so a file of that name is always whole.
 */
#include "db/engine_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "server/base/arena.h"

static int fail_file(struct ctx *c, const char *what, const char *path)
{
	if (errno == ENOSPC || errno == EDQUOT)
		return fail(c, E_DISK_FULL, "the disk of %s is full", path);
	if (errno == EEXIST)
		return fail(c, E_CONFLICT, "%s is there already: choose another name", path);
	return fail(c, E_INTERNAL, "cannot %s %s: %s", what, path, strerror(errno));
}

static int sync_path(struct ctx *c, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);
	int rc = fd < 0 ? -1 : fsync(fd);
	int e = rc < 0 ? fail_file(c, "sync", path) : E_OK;

	if (fd >= 0)
		close(fd);
	return e;
}

/* An empty file that only its owner reads, as SQLite wants to find it. */
static int claim_file(struct ctx *c, const char *part)
{
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail_file(c, "make", part);
	close(fd);
	return E_OK;
}

static int vacuum_into(struct ctx *c, const char *part)
{
	sqlite3 *h = c->db->h;
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_exec(h, "PRAGMA query_only = OFF", NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(h, "VACUUM INTO ?1", -1, &st, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(st, 1, part, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	int e = rc == SQLITE_DONE ? E_OK : engine_fail(c, h, rc, "copying the database");
	sqlite3_finalize(st);
	sqlite3_exec(h, "PRAGMA query_only = ON", NULL, NULL, NULL);
	return e;
}

/* Gives the finished copy its name, unless another file has taken it meanwhile. */
static int publish(struct ctx *c, const char *part, const char *path)
{
	if (renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return E_OK;
	if (errno != EINVAL && errno != ENOSYS)
		return fail_file(c, "make", path);
	/* a file system without that */
	if (access(path, F_OK) == 0) {
		errno = EEXIST;
		return fail_file(c, "make", path);
	}
	return rename(part, path) == 0 ? E_OK : fail_file(c, "make", path);
}

int db_backup(struct ctx *c, const char *path)
{
	char *part = arena_fmt(c->arena, "%s.part", path);
	char *folder = arena_str(c->arena, path), *slash = strrchr(folder, '/');
	int e;

	if (access(path, F_OK) == 0) {
		errno = EEXIST;
		return fail_file(c, "make", path);
	}
	if ((e = claim_file(c, part)) < 0)
		return e;
	if ((e = vacuum_into(c, part)) < 0 || (e = sync_path(c, part, O_RDONLY)) < 0 ||
	    (e = publish(c, part, path)) < 0) {
		unlink(part);
		return e;
	}
	if (slash)
		slash[slash == folder] = '\0'; /* "/file" lies in "/" */
	return sync_path(c, slash ? folder : ".", O_RDONLY | O_DIRECTORY);
}
