/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening repositories. libgit2 says little of why it refuses one, and names folders of this
 * machine when it does; so the reasons that operators meet are looked for here. An administrator
 * added the folder, so that it may belong to anybody; no settings but the repository's own are
 * read.
 */
#include "server/history/repo_open.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/arena.h"
#include "server/base/err.h"
#include "server/history/repo_url.h"

#define OBJECT_CACHE                                                                               \
	((ssize_t)16 << 20) /* bytes that the library keeps of objects, all threads                \
			     */
#define NOT_ONE     "it is not a git repository"
#define NOT_ALLOWED "the user of this service may not read it"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
	static const git_config_level_t levels[] = {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
						    GIT_CONFIG_LEVEL_GLOBAL,
						    GIT_CONFIG_LEVEL_PROGRAMDATA};

	if (git_libgit2_init() < 0)
		die("libgit2 does not start");
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, OBJECT_CACHE);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
}

/* What its own configuration says that the library does not know. NULL: nothing. */
static const char *strange_format(struct arena *a, const char *path)
{
	static const char *const places[] = {"config", ".git/config"};
	const char *said = NULL;

	for (size_t i = 0; i < 2 && !said; i++) {
		git_config *config = NULL;
		git_buf value = {0};
		int on = 0;

		if (git_config_open_ondisk(&config, arena_fmt(a, "%s/%s", path, places[i])) < 0)
			continue;
		if (git_config_get_string_buf(&value, config, "extensions.objectformat") == 0 &&
		    strcmp(value.ptr, "sha1") != 0)
			said = "its names are not SHA-1 (extensions.objectFormat), and the library "
			       "that reads it knows no others";
		else if (git_config_get_bool(&on, config, "extensions.worktreeconfig") == 0 && on)
			said = "it has a configuration for each working tree "
			       "(extensions.worktreeConfig), which the library that reads it does "
			       "not know";
		git_buf_dispose(&value);
		git_config_free(config);
	}
	return said;
}

/* Whether a file of it, that every repository has, is kept from us. */
static bool may_not_read(struct arena *a, const char *path)
{
	static const char *const files[] = {"",           "/HEAD",        "/config",
					    "/objects",   "/refs",        "/.git",
					    "/.git/HEAD", "/.git/config", "/.git/objects"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *file = arena_fmt(a, "%s%s", path, files[i]);
		struct stat st;

		if (stat(file, &st) < 0) {
			if (errno == EACCES)
				return true;
		} else if (access(file, S_ISDIR(st.st_mode) ? R_OK | X_OK : R_OK) < 0) {
			return true;
		}
	}
	return false;
}

/* What the library says of it, if that names no folder. */
static const char *librarys_words(struct arena *a)
{
	const git_error *e = git_error_last();

	if (e && e->message && strncmp(e->message, "unsupported ", 12) == 0)
		return arena_fmt(a, "the library that reads it says: %.200s",
				 repo_url_shown(a, e->message));
	return NULL;
}

static const char *why_not(struct arena *a, const char *path, int error)
{
	const char *words = librarys_words(a), *strange;

	if (may_not_read(a, path))
		return NOT_ALLOWED;
	strange = strange_format(a, path);
	if (strange || words)
		return strange ? strange : words;
	return error == GIT_ENOTFOUND ? NOT_ONE : "it is damaged: it cannot be opened";
}

git_repository *repo_open(struct arena *a, const char *path, const char **problem)
{
	git_repository *git = NULL;
	struct stat st;

	pthread_once(&once, start);
	*problem = NULL;
	if (stat(path, &st) < 0) {
		*problem = errno == EACCES ? NOT_ALLOWED : "its folder is not there";
		return NULL;
	}
	int e = git_repository_open_ext(&git, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (e == 0 && !may_not_read(a, path))
		return git;
	*problem = e == 0 ? NOT_ALLOWED : why_not(a, path, e);
	git_repository_free(git);
	return NULL;
}

git_repository *repo_open_whole(struct arena *a, const char *path, const char **problem)
{
	git_repository *git = repo_open(a, path, problem);

	if (git && git_repository_is_shallow(git) == 1) {
		*problem = "it is shallow, so its history is cut off: fetch the rest into it (git "
			   "fetch --unshallow)";
		git_repository_free(git);
		git = NULL;
	}
	return git;
}
