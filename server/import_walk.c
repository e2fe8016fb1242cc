/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk over folders by the names in them; no file is opened. A level holds the names of its
 * folders, sorted, and closes its directory before it goes down.
 */
#include "server/import_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/err.h"

#define DEPTH_MAX 32
#define LOOKS_MAX 2000 /* folders that are looked at for a guess */

/* The names in a folder. */
struct listing {
	char **folders;
	size_t n, cap;
	bool has_stats, has_job, has_state, has_matrix, has_numbers;
};

static bool is_number(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n > 0 && n <= 6 && s[n] == '\0' && !(s[0] == '0' && n > 1);
}

/* name, or name.gz, or name.xz. */
static bool is_file(const char *s, const char *name)
{
	size_t n = strlen(name);

	return strncmp(s, name, n) == 0 &&
	       (!s[n] || !strcmp(s + n, ".gz") || !strcmp(s + n, ".xz"));
}

static bool is_folder(int fd, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static void add_folder(struct listing *l, const char *name)
{
	if (l->n == l->cap) {
		l->cap = l->cap * 2 + 16;
		l->folders = realloc(l->folders, l->cap * sizeof(*l->folders));
	}
	if (!l->folders || !(l->folders[l->n++] = strdup(name)))
		die("out of memory");
	l->has_numbers |= is_number(name);
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->folders[i]);
	free(l->folders);
}

/* False: it cannot be read, errno says why. */
static bool list_folder(const char *path, struct listing *l)
{
	struct dirent *entry;
	DIR *d = opendir(path);

	*l = (struct listing){0};
	if (!d)
		return false;
	while ((errno = 0, entry = readdir(d))) {
		const char *name = entry->d_name;

		if (name[0] == '.')
			continue;
		if (is_folder(dirfd(d), entry))
			add_folder(l, name);
		l->has_stats |= is_file(name, "stats.json");
		l->has_job |= is_file(name, "job.yaml");
		l->has_state |= is_file(name, "last_state");
		l->has_matrix |= is_file(name, "matrix.json");
	}
	if (errno) {
		int error = errno;

		closedir(d);
		listing_free(l);
		errno = error;
		return false;
	}
	closedir(d);
	if (l->n)
		qsort(l->folders, l->n, sizeof(*l->folders), by_version);
	return true;
}

static bool is_run(const struct listing *l)
{
	return l->has_stats || l->has_state || (l->has_job && !l->has_numbers);
}

static bool has_own_stats(const char *path, const char *run)
{
	static const char *const names[] = {"stats.json", "stats.json.gz", "stats.json.xz"};
	char full[PATH_MAX];

	for (size_t i = 0; i < 3; i++) {
		int n = snprintf(full, sizeof(full), "%s/%s/%s", path, run, names[i]);

		if (n < (int)sizeof(full) &&
		    faccessat(AT_FDCWD, full, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	}
	return false;
}

/* A matrix beside runs: what of it is needed. Takes the runs that it stands for from the listing.
 */
static void visit_matrix(const char *path, struct listing *l, const struct walk_visitor *v)
{
	int64_t *own = calloc(l->n + 1, sizeof(*own));
	size_t nown = 0, kept = 0;
	bool needed = !l->has_numbers;

	if (!own)
		die("out of memory");
	for (size_t i = 0; i < l->n; i++) {
		bool number = is_number(l->folders[i]);

		if (number && !has_own_stats(path, l->folders[i])) {
			needed = true;
			free(l->folders[i]);
			continue;
		}
		if (number)
			own[nown++] = strtol(l->folders[i], NULL, 10);
		l->folders[kept++] = l->folders[i];
	}
	l->n = kept;
	if (needed)
		v->commit(v->arg, path, own, nown);
	free(own);
}

static void walk(const char *path, const struct walk_visitor *v, int depth)
{
	char below[PATH_MAX];
	struct listing l;

	if (v->enter)
		v->enter(v->arg, path);
	if (!list_folder(path, &l)) {
		v->unreadable(v->arg, path, errno);
		return;
	}
	if (is_run(&l)) {
		v->run(v->arg, path);
		listing_free(&l);
		return;
	}
	if (l.has_matrix)
		visit_matrix(path, &l, v);
	for (size_t i = 0; i < l.n && !*v->stop; i++) {
		int n = snprintf(below, sizeof(below), "%s/%s", path, l.folders[i]);

		if (n >= (int)sizeof(below) || depth == DEPTH_MAX)
			v->unreadable(v->arg, path, ENAMETOOLONG);
		else
			walk(below, v, depth + 1);
	}
	listing_free(&l);
}

void walk_tree(const char *path, const struct walk_visitor *v)
{
	walk(path, v, 0);
}

/* --- a look --- */

struct looking {
	atomic_bool stop;
	bool found;
	int looks;
};

static void found_run(void *arg, const char *path)
{
	struct looking *k = arg;

	(void)path;
	k->found = true;
	k->stop = true;
}

static void found_commit(void *arg, const char *path, const int64_t *own, size_t nown)
{
	(void)own, (void)nown;
	found_run(arg, path);
}

static void looked(void *arg, const char *path)
{
	struct looking *k = arg;

	(void)path;
	if (++k->looks == LOOKS_MAX)
		k->stop = true;
}

static void looked_in_vain(void *arg, const char *path, int error)
{
	(void)error;
	looked(arg, path);
}

bool walk_looks_like_results(const char *path)
{
	struct looking k = {0};
	const struct walk_visitor v = {
		.run = found_run,
		.commit = found_commit,
		.enter = looked,
		.unreadable = looked_in_vain,
		.stop = &k.stop,
		.arg = &k,
	};

	walk_tree(path, &v);
	return k.found;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * 0x9e3779b97f4a7c15 + (h >> 29);
}

static int64_t nanoseconds(const struct timespec *t)
{
	return t->tv_sec * 1000000000 + t->tv_nsec;
}

/* Notes a name in a folder that is looked at. */
static void look_at_name(struct listing *l, const char *name, const struct stat *st, int *state)
{
	if (S_ISDIR(st->st_mode)) {
		l->has_numbers |= is_number(name);
		return;
	}
	*state = 1;
	l->has_stats |= is_file(name, "stats.json");
	l->has_state |= is_file(name, "last_state");
	l->has_job |= is_file(name, "job.yaml");
	l->has_matrix |= is_file(name, "matrix.json");
}

int walk_look_at_run(const char *path, int64_t *newest, uint64_t *signature)
{
	struct listing l = {0};
	struct dirent *entry;
	DIR *d = opendir(path);
	struct stat st;
	int state = 0;

	*newest = 0;
	*signature = 0;
	if (!d)
		return 0;
	while ((entry = readdir(d))) {
		const char *name = entry->d_name;
		uint64_t one = 0;

		if (!strcmp(name, "..") || fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (nanoseconds(&st.st_mtim) > *newest)
			*newest = nanoseconds(&st.st_mtim);
		one = mix(mix(st.st_ino, (uint64_t)st.st_size), (uint64_t)nanoseconds(&st.st_mtim));
		*signature += one; /* in whatever order they come */
		look_at_name(&l, name, &st, &state);
	}
	closedir(d);
	return l.has_stats || l.has_state || (l.has_matrix && !l.has_job && !l.has_numbers) ? 2
											    : state;
}
