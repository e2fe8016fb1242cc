/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirrors. Whatever changes one is git itself, but for our refs refs/plumbline/<id>, which libgit2
 * writes as any ref. Fetching follows exactly the patterns of the repository; what is gone on the
 * other side goes here too, and what was measured of it stays by our refs.
 */
#include "server/history/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <git2/refs.h>

#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/history/git_child.h"
#include "server/history/repo_open.h"
#include "server/history/repo_url.h"

#define FETCH_SECONDS (12 * 3600) /* a first copy of a large tree over a slow line */
#define ASK_SECONDS   120
#define TIDY_SECONDS  3600
#define PIN_ROWS      500
#define LOCK_STALE    600 /* seconds; git holds its locks for moments */

/* --- places -------------------------------------------------------------------------------------
 */

/* "<folder>/repos/<name>": the folder of the database as seen from the root. */
static char *place(struct ctx *c, const char *database, const char *name, const char *end)
{
	const char *slash = strrchr(database, '/');
	char *folder = slash ? arena_strn(c->arena, database, (size_t)(slash - database + 1))
			     : arena_str(c->arena, ".");
	char *real = realpath(folder, NULL);
	char *path = arena_fmt(c->arena, "%s/repos/%s%s", real ? real : folder, name, end);

	free(real);
	return path;
}

char *mirror_path(struct ctx *c, const char *database, const char *name)
{
	return place(c, database, name, ".git");
}

/* All folders above the path's last part. */
static int make_folders(struct ctx *c, const char *path)
{
	char *copy = arena_str(c->arena, path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return fail(c, E_INTERNAL, "cannot make the folder %s: %s", copy,
				    strerror(errno));
		*slash = '/';
	}
	return E_OK;
}

int mirror_lock(struct ctx *c, const char *database, const char *name, bool wait)
{
	const char *path = place(c, database, name, ".lock");
	struct stat ours, there;
	int e = make_folders(c, path), fd;

	if (e < 0)
		return e;
	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0)
			return fail(c, E_INTERNAL, "cannot open %s: %s", path, strerror(errno));
		while (flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) < 0)
			if (errno != EINTR) {
				close(fd);
				return fail(c, E_BUSY, "another process is refreshing %s", name);
			}
		/* Whoever removed the repository meanwhile took the file along. */
		if (fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino)
			return fd;
		close(fd);
	}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

int mirror_remove(struct ctx *c, const char *database, const struct repo *r)
{
	const char *path = mirror_path(c, database, r->name); /* never what the row says */
	struct stat st;

	if (!r->in_place && lstat(path, &st) == 0 &&
	    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		return fail(c, E_INTERNAL, "cannot remove %s: %s", path, strerror(errno));
	unlink(place(c, database, r->name, ".lock"));
	return E_OK;
}

/* --- fetching -----------------------------------------------------------------------------------
 */

static bool ends_in_lock(const char *path)
{
	size_t n = strlen(path);

	return n > 5 && strcmp(path + n - 5, ".lock") == 0;
}

static int remove_stale_lock(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)at;
	if (kind == FTW_F && ends_in_lock(path) && st->st_mtim.tv_sec < clock_now() - LOCK_STALE)
		unlink(path);
	return 0;
}

/* git's own lock files stay when it is killed, and would stop every later fetch. Nobody else works
 * on a mirror while we hold our lock, but for a git that outlived a server that was killed: so only
 * old ones are removed. */
static void remove_stale_locks(struct ctx *c, const char *path)
{
	static const char *const top[] = {"packed-refs.lock", "config.lock", "HEAD.lock",
					  "shallow.lock", "gc.pid.lock"};
	struct stat st;

	for (size_t i = 0; i < sizeof(top) / sizeof(top[0]); i++) {
		const char *file = arena_fmt(c->arena, "%s/%s", path, top[i]);

		if (lstat(file, &st) == 0)
			remove_stale_lock(file, &st, FTW_F, NULL);
	}
	nftw(arena_fmt(c->arena, "%s/refs", path), remove_stale_lock, 16, FTW_PHYS);
	nftw(arena_fmt(c->arena, "%s/objects/info", path), remove_stale_lock, 16, FTW_PHYS);
}

static const char *make_mirror(struct ctx *c, const struct repo *r, struct stop_sign *stop)
{
	const char *const init[] = {"init", "--quiet", "--bare", "--", r->path, NULL};
	struct git_run g = {.args = init, .seconds = ASK_SECONDS, .stop = stop};
	struct stat st;

	remove_stale_locks(c, r->path);
	/* git init makes these first and last; on what is there already it changes nothing */
	if (stat(arena_fmt(c->arena, "%s/config", r->path), &st) == 0 &&
	    stat(arena_fmt(c->arena, "%s/objects/pack", r->path), &st) == 0)
		return NULL;
	if (make_folders(c, r->path) < 0) {
		ctx_clear(c);
		return "the folder of its mirror cannot be made";
	}
	return git_run(c->arena, &g) ? NULL : g.problem;
}

/* Which branch the other side's HEAD is: "ref: refs/heads/master\tHEAD". Not knowing it is no
 * failure. */
static void ask_for_line(struct ctx *c, struct repo *r, struct stop_sign *stop)
{
	const char *const ask[] = {"ls-remote", "--symref", "--", r->url, "HEAD", NULL};
	struct git_run g = {.args = ask, .seconds = ASK_SECONDS, .stop = stop};

	if (!git_run(c->arena, &g) || strncmp(g.text, "ref: ", 5) != 0)
		return;
	const char *name = arena_strn(c->arena, g.text + 5, strcspn(g.text + 5, "\t\n"));
	if (strncmp(name, "refs/heads/", 11) == 0 && strlen(name) < 250 &&
	    repo_ref_followed(r->refs, name))
		r->line = repo_url_shown(c->arena, name);
}

/* "+pattern:pattern" for each that is followed. */
static size_t add_refspecs(struct arena *a, const char *patterns, const char **args, size_t room)
{
	size_t n = 0;

	if (!*patterns)
		patterns = "refs/heads/*\nrefs/tags/*";
	while (*patterns && n < room) {
		size_t len = strcspn(patterns, "\n");

		if (len)
			args[n++] =
				arena_fmt(a, "+%.*s:%.*s", (int)len, patterns, (int)len, patterns);
		patterns += len + (patterns[len] != '\0');
	}
	return n;
}

const char *mirror_fetch(struct ctx *c, struct repo *r, struct stop_sign *stop)
{
	static const char *const head[] = {"fetch",
					   "--quiet",
					   "--prune",
					   "--no-tags",
					   "--no-write-fetch-head",
					   "--no-auto-maintenance",
					   "--no-recurse-submodules",
					   "--"};
	const char *args[GIT_ARGS_MAX];
	size_t n = sizeof(head) / sizeof(head[0]);
	const char *problem = make_mirror(c, r, stop);

	if (problem)
		return problem;
	memcpy(args, head, sizeof(head));
	args[n++] = r->url;
	n += add_refspecs(c->arena, r->refs, args + n, GIT_ARGS_MAX - n - 1);
	args[n] = NULL;
	struct git_run g = {
		.folder = r->path, .args = args, .seconds = FETCH_SECONDS, .stop = stop};
	if (!git_run(c->arena, &g))
		return g.problem;
	if (!r->line)
		ask_for_line(c, r, stop);
	return NULL;
}

/* --- afterwards ---------------------------------------------------------------------------------
 */

static void run_quietly(struct ctx *c, const struct repo *r, const char *const *args,
			struct stop_sign *stop)
{
	struct git_run g = {.folder = r->path, .args = args, .seconds = TIDY_SECONDS, .stop = stop};
	struct logline l;

	if (stop_raised(stop) || git_run(c->arena, &g) || stop_raised(stop))
		return;
	log_begin(&l, LOG_WARN, "repository");
	log_str(&l, "name", r->name);
	log_str(&l, "problem", g.problem);
	log_end(&l);
}

/* Whether packs came or went since the graph was written. Every fetch makes one (see git_child.c).
 */
static bool graph_is_old(struct ctx *c, const struct repo *r)
{
	struct stat graph, packs;

	if (stat(arena_fmt(c->arena, "%s/objects/info/commit-graph", r->path), &graph) < 0)
		return true;
	if (stat(arena_fmt(c->arena, "%s/objects/pack", r->path), &packs) < 0)
		return false;
	return packs.st_mtim.tv_sec > graph.st_mtim.tv_sec ||
	       (packs.st_mtim.tv_sec == graph.st_mtim.tv_sec &&
		packs.st_mtim.tv_nsec > graph.st_mtim.tv_nsec);
}

void mirror_tidy(struct ctx *c, const struct repo *r, struct stop_sign *stop)
{
	static const char *const graph[] = {"commit-graph", "write", "--reachable", "--no-progress",
					    NULL};
	static const char *const pack[] = {"gc", "--auto", "--quiet", NULL};

	if (!graph_is_old(c, r))
		return;
	run_quietly(c, r, pack, stop);
	run_quietly(c, r, graph, stop);
}

static void pin_one(git_repository *git, const char *id)
{
	char name[80];
	git_reference *ref = NULL;
	git_commit *commit = NULL;
	git_oid oid;

	snprintf(name, sizeof(name), "refs/plumbline/%.40s", id);
	if (git_oid_fromstr(&oid, id) < 0)
		return;
	if (git_reference_lookup(&ref, git, name) != 0 &&
	    git_commit_lookup(&commit, git, &oid) == 0)
		git_reference_create(&ref, git, name, &oid, 0, NULL);
	git_reference_free(ref);
	git_commit_free(commit);
}

int mirror_pin(struct ctx *c, const struct repo *r, struct stop_sign *stop)
{
	const char *problem;
	git_repository *git = repo_open(c->arena, r->path, &problem);
	struct git_row *rows;
	int64_t above = 0;
	size_t n = 0;
	int e = E_OK;

	if (!git)
		return E_OK;
	do {
		e = git_rows_known(c, above, false, PIN_ROWS, &rows, &n);
		for (size_t i = 0; i < n && e >= 0; i++) {
			pin_one(git, rows[i].id);
			above = rows[i].position;
		}
	} while (e >= 0 && n == PIN_ROWS && !stop_raised(stop));
	git_repository_free(git);
	return e;
}
