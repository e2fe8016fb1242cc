/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repositories that a thread keeps open: a few, the one that was not used for longest makes room.
 * Whether the folder is still the one that was opened is looked at each time, so that a repository
 * that was removed or put back is noticed. Nothing that libgit2 says of a fault is passed on, since
 * it names folders of this machine. No configuration but the repository's own is read.
 */
#include "server/history/opened.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "db/repos.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define SLOTS        8
#define OBJECT_CACHE ((ssize_t)16 << 20) /* bytes that libgit2 keeps of objects, all threads */

struct slot {
	char *path;
	git_repository *repo;
	dev_t dev;
	ino_t ino;
	uint64_t used;
};

struct slots {
	struct slot slot[SLOTS];
	uint64_t clock;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void slot_close(struct slot *s)
{
	git_repository_free(s->repo);
	free(s->path);
	*s = (struct slot){0};
}

static void close_all(void *arg)
{
	struct slots *all = arg;

	for (size_t i = 0; i < SLOTS; i++)
		slot_close(&all->slot[i]);
	free(all);
}

static void start(void)
{
	static const git_config_level_t levels[] = {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
						    GIT_CONFIG_LEVEL_GLOBAL,
						    GIT_CONFIG_LEVEL_PROGRAMDATA};

	if (git_libgit2_init() < 0 || pthread_key_create(&key, close_all) != 0)
		die("libgit2 does not start");
	/* An administrator added the folder, whoever owns it. */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, OBJECT_CACHE);
}

static struct slots *thread_slots(void)
{
	struct slots *all;

	pthread_once(&once, start);
	all = pthread_getspecific(key);
	if (!all) {
		all = calloc(1, sizeof(*all));
		if (!all || pthread_setspecific(key, all) != 0)
			die("out of memory");
	}
	return all;
}

/* The slot of a folder, else the one to be used for it. */
static struct slot *slot_of(struct slots *all, const char *path)
{
	struct slot *oldest = &all->slot[0];

	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *s = &all->slot[i];

		if (s->path && strcmp(s->path, path) == 0)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	return oldest;
}

/* NULL: it cannot be opened, *why says so. */
static git_repository *repo_open(const char *path, const char **why)
{
	struct slots *all = thread_slots();
	struct slot *s = slot_of(all, path);
	bool is_its = s->path && strcmp(s->path, path) == 0;
	struct stat now;

	if (stat(path, &now) != 0) {
		if (is_its)
			slot_close(s);
		*why = "is gone";
		return NULL;
	}
	if (!is_its || s->dev != now.st_dev || s->ino != now.st_ino) {
		slot_close(s);
		if (git_repository_open_ext(&s->repo, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) <
		    0) {
			s->repo = NULL;
			*why = "cannot be opened";
			return NULL;
		}
		s->path = strdup(path);
		if (!s->path)
			die("out of memory");
		s->dev = now.st_dev;
		s->ino = now.st_ino;
	}
	s->used = ++all->clock;
	return s->repo;
}

/* True: found, or as good as. A first problem is kept while others are asked. */
static bool look_in(struct ctx *c, const struct repo *r, const git_oid *oid, struct opened *out)
{
	const char *why = NULL;
	git_repository *repo = repo_open(r->path, &why);
	int e;

	if (repo) {
		e = git_commit_lookup(&out->commit, repo, oid);
		if (e == 0) {
			out->repo = repo;
			out->tree = r->name;
			out->problem = NULL;
			return true;
		}
		out->commit = NULL;
		if (e != GIT_ENOTFOUND)
			why = "is damaged";
	}
	if (why && !out->problem)
		out->problem = arena_fmt(c->arena, "the repository %s %s", r->name, why);
	return false;
}

int opened_find(struct ctx *c, const char *id, struct opened *out)
{
	struct repo *repos;
	git_oid oid;
	size_t n;
	int e;

	*out = (struct opened){0};
	thread_slots();
	e = repo_list(c, false, &repos, &n);
	if (e < 0)
		return e;
	if (git_oid_fromstr(&oid, id) < 0) {
		out->problem = "it is not known by its whole id";
		return E_OK;
	}
	for (int snapshots = 0; snapshots < 2; snapshots++)
		for (size_t i = 0; i < n; i++)
			if (repos[i].snapshots == (snapshots == 1) &&
			    look_in(c, &repos[i], &oid, out))
				return E_OK;
	if (!out->problem)
		out->problem = "no repository that is followed has it any more";
	return E_OK;
}

git_repository *opened_repo(const char *path)
{
	const char *why;

	return repo_open(path, &why);
}

int opened_parent_tree(const struct opened *o, git_tree **parent)
{
	git_commit *first;
	int e;

	*parent = NULL;
	if (git_commit_parentcount(o->commit) == 0)
		return 0;
	e = git_commit_parent(&first, o->commit, 0);
	if (e < 0)
		return e;
	e = git_commit_tree(parent, first);
	git_commit_free(first);
	return e;
}
