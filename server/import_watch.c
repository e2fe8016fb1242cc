/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows a result tree. Every folder above the runs is watched, and the folder of a run until it
 * is taken; whatever is new in one is looked at with all that is below it. A run waits in a list
 * until it is ripe: it has stats.json or last_state, and its files have been the same for
 * TREE_SETTLE seconds, by the clock of this program and not that of the files, which may lie
 * elsewhere. The folder of a commit of which matrix.json alone is left waits like a run; where
 * there are runs beside it, it may be of runs that are still written, and is left alone. What
 * inotify cannot tell (too many folders, a queue that ran over, other machines on a network's file
 * system) is found by looking at the whole tree every few minutes.
 */
#include "server/import_tree.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/digest.h"

#define LOOK_EVERY_US  ((int64_t)300 * 1000000)
#define RIPEN_EVERY_MS 250
#define EVENTS         (IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR | IN_DONT_FOLLOW)

/* A run that is still written. */
struct growing_run {
	char *path;
	uint64_t hash; /* of the path */
	uint64_t signature;
	int64_t since; /* clock_us when it was seen like that first */
};

struct watched {
	int wd;
	char *path; /* NULL: no more */
};

struct watch {
	struct ctx *c;
	struct import_tree *t;
	int fd;
	struct watched *folders; /* by descriptor, which the kernel counts upwards */
	size_t n, cap, gone;
	struct growing_run *runs;
	size_t nruns, runs_cap;
	bool told_limit, look_now, looked;
	atomic_bool stop; /* never: walks here are short */
};

static void add_run(struct watch *w, const char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));

	for (size_t i = 0; i < w->nruns; i++) {
		if (w->runs[i].hash == hash && strcmp(w->runs[i].path, path) == 0)
			return;
	}
	if (w->nruns == w->runs_cap) {
		w->runs_cap = w->runs_cap * 2 + 16;
		w->runs = realloc(w->runs, w->runs_cap * sizeof(*w->runs));
	}
	if (!w->runs)
		die("out of memory");
	w->runs[w->nruns] = (struct growing_run){.path = strdup(path), .hash = hash};
	if (!w->runs[w->nruns++].path)
		die("out of memory");
}

/* --- what is watched --- */

/* Where a descriptor stands, or would. */
static size_t find_watched(const struct watch *w, int wd)
{
	size_t lo = 0, hi = w->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->folders[mid].wd < wd)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void add_watched(struct watch *w, int wd, const char *path)
{
	size_t at = find_watched(w, wd);

	if (at == w->n || w->folders[at].wd != wd) {
		if (w->n == w->cap) {
			w->cap = w->cap * 2 + 64;
			w->folders = realloc(w->folders, w->cap * sizeof(*w->folders));
			if (!w->folders)
				die("out of memory");
		}
		memmove(w->folders + at + 1, w->folders + at, (w->n - at) * sizeof(*w->folders));
		w->folders[at] = (struct watched){.wd = wd};
		w->n++;
	}
	free(w->folders[at].path);
	w->folders[at].path = strdup(path);
	if (!w->folders[at].path)
		die("out of memory");
}

static void forget_watched(struct watch *w, size_t at)
{
	size_t kept = 0;

	free(w->folders[at].path);
	w->folders[at].path = NULL;
	if (++w->gone < 64 || w->gone < w->n / 2)
		return;
	for (size_t i = 0; i < w->n; i++) {
		if (w->folders[i].path)
			w->folders[kept++] = w->folders[i];
	}
	w->n = kept;
	w->gone = 0;
}

/* Before it is looked into, so that nothing comes between the two. */
static void watch_folder(void *arg, const char *path)
{
	struct watch *w = arg;
	int wd = inotify_add_watch(w->fd, path, EVENTS);

	if (wd >= 0)
		add_watched(w, wd, path);
	if (wd >= 0 || errno != ENOSPC || w->told_limit)
		return;
	fprintf(stderr,
		"the system watches no more folders (fs.inotify.max_user_watches): what is new in "
		"others is found within %d minutes\n",
		(int)(LOOK_EVERY_US / 60000000));
	w->told_limit = true;
}

/* One that has all it needs is waited for by the clock, and needs no watch. */
static void new_run(void *arg, const char *path)
{
	struct watch *w = arg;
	uint64_t signature;
	int64_t newest;
	int wd;

	if (walk_look_at_run(path, &newest, &signature) != 2)
		return;
	if (w->looked)
		add_run(w, path);
	wd = inotify_add_watch(w->fd, path, EVENTS); /* says which it is */
	if (wd >= 0 && find_watched(w, wd) < w->n)
		forget_watched(w, find_watched(w, wd));
	if (wd >= 0)
		inotify_rm_watch(w->fd, wd);
}

static void matrix_found(void *arg, const char *path, const int64_t *own, size_t nown)
{
	struct watch *w = arg;
	uint64_t signature;
	int64_t newest;

	(void)own, (void)nown;
	if (w->looked && walk_look_at_run(path, &newest, &signature) == 2)
		add_run(w, path);
}

static void gone(void *arg, const char *path, int error)
{
	(void)arg, (void)path, (void)error; /* while it was looked at */
}

/* Watches a folder and those below it; runs among them are to be taken. */
static void watch_below(struct watch *w, const char *path)
{
	const struct walk_visitor v = {
		.enter = watch_folder,
		.run = new_run,
		.commit = matrix_found,
		.unreadable = gone,
		.stop = &w->stop,
		.arg = w,
	};

	walk_tree(path, &v);
}

/* --- what is told --- */

static void on_event(struct watch *w, const struct inotify_event *event)
{
	size_t at = find_watched(w, event->wd);
	const char *path = at < w->n && w->folders[at].wd == event->wd ? w->folders[at].path : NULL;
	char below[PATH_MAX];
	uint64_t signature;
	int64_t newest;

	if (event->mask & IN_Q_OVERFLOW)
		w->look_now = true;
	if (!path)
		return;
	if (event->mask & IN_IGNORED) {
		forget_watched(w, at);
	} else if (event->mask & IN_ISDIR) {
		if (event->name[0] != '.' &&
		    snprintf(below, sizeof(below), "%s/%s", path, event->name) < (int)sizeof(below))
			watch_below(w, below);
	} else if (event->len && walk_look_at_run(path, &newest, &signature) == 2) {
		add_run(w, path);
	}
}

static void read_events(struct watch *w)
{
	_Alignas(struct inotify_event) char buf[64 << 10];
	ssize_t n;

	while ((n = read(w->fd, buf, sizeof(buf))) > 0) {
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const struct inotify_event *)(void *)p;

			on_event(w, event);
			p += sizeof(*event) + event->len;
		}
	}
}

/* --- what is taken --- */

/* Whether its files have been the same for long enough. *gone: it was removed or renamed. */
static bool is_settled(struct growing_run *run, int64_t now, bool *gone)
{
	int64_t newest;
	uint64_t signature;
	int state = walk_look_at_run(run->path, &newest, &signature);

	*gone = !state && access(run->path, F_OK) < 0 && errno == ENOENT;
	if (!run->since || signature != run->signature) {
		run->signature = signature;
		run->since = now;
	}
	return state == 2 && now - run->since >= TREE_SETTLE * (int64_t)1000000;
}

static int by_path(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The folder of a run that was taken is watched no more. */
static void unwatch(struct watch *w, char *const *paths, size_t n)
{
	for (size_t i = w->n; i-- > 0;) {
		char *const *found = w->folders[i].path ? bsearch(&w->folders[i].path, paths, n,
								  sizeof(*paths), by_path)
							: NULL;

		if (found) {
			inotify_rm_watch(w->fd, w->folders[i].wd);
			free(w->folders[i].path);
			w->folders[i].path = NULL;
			w->gone++;
		}
	}
}

/* That of a run that was refused is, since it may be mended. */
static void watch_failed(struct watch *w)
{
	for (size_t i = 0; i < w->t->failed.n; i++)
		watch_folder(w, w->t->failed.list[i]);
	tree_paths_clear(&w->t->failed);
}

static int take_settled(struct watch *w)
{
	char **ripe = calloc(w->nruns + 1, sizeof(*ripe));
	int64_t now = clock_us();
	bool gone_by_now;
	size_t n = 0;
	int e = E_OK;

	if (!ripe)
		die("out of memory");
	for (size_t i = w->nruns; i-- > 0;) {
		bool settled = is_settled(&w->runs[i], now, &gone_by_now);

		if (settled)
			ripe[n++] = w->runs[i].path;
		else if (gone_by_now)
			free(w->runs[i].path);
		if (settled || gone_by_now)
			w->runs[i] = w->runs[--w->nruns];
	}
	if (n) {
		qsort(ripe, n, sizeof(*ripe), by_path);
		w->t->settled_only = false; /* they have been seen to be */
		e = import_tree_pass(w->c, w->t, (const char *const *)ripe, n);
		w->t->settled_only = true;
		unwatch(w, ripe, n);
		watch_failed(w);
		printf("%zu created, %zu duplicate, %zu refused\n", w->t->taken, w->t->known,
		       w->t->refused);
		fflush(stdout);
	}
	for (size_t i = 0; i < n; i++)
		free(ripe[i]);
	free(ripe);
	return e;
}

/* All of the tree: what is ripe is taken, what is not is waited for. */
static int look_at_all(struct watch *w, const char *path)
{
	size_t known = w->t->known;
	int e = import_tree_pass(w->c, w->t, &path, 1);

	for (size_t i = 0; i < w->t->later.n; i++)
		add_run(w, w->t->later.list[i]);
	tree_paths_clear(&w->t->later);
	watch_failed(w);
	if (w->looked)
		w->t->known = known; /* what it took itself is not there already */
	w->looked = true;
	return e;
}

/* A signal between the question whether there was one and the wait must end the wait. */
static void wait_for_news(struct watch *w, int64_t next_look)
{
	struct pollfd p = {.fd = w->fd, .events = POLLIN};
	int64_t left = (next_look - clock_us()) / 1000;
	struct timespec most;
	sigset_t ours, before;
	int n = 0;

	if (left < 0)
		left = 0;
	if (w->nruns && left > RIPEN_EVERY_MS)
		left = RIPEN_EVERY_MS;
	most = (struct timespec){left / 1000, left % 1000 * 1000000};
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	if (!import_tree_stopped)
		n = ppoll(&p, 1, &most, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (n > 0)
		read_events(w);
}

static int follow(struct watch *w, const char *path)
{
	int64_t next_look = 0;
	int e = E_OK;

	while (e >= 0 && !import_tree_stopped) {
		if (w->look_now || clock_us() >= next_look) {
			w->look_now = false;
			e = look_at_all(w, path);
			next_look = clock_us() + LOOK_EVERY_US;
		}
		if (e >= 0)
			e = take_settled(w);
		if (e >= 0)
			wait_for_news(w, next_look);
	}
	return e;
}

int import_tree_watch(struct ctx *c, struct import_tree *t, const char *path)
{
	struct watch w = {.c = c, .t = t};
	int e;

	w.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w.fd < 0)
		return fail(c, E_INTERNAL, "cannot watch folders: %s", strerror(errno));
	t->watching = t->settled_only = true;
	watch_below(&w, path);
	e = follow(&w, path);
	close(w.fd);
	for (size_t i = 0; i < w.n; i++)
		free(w.folders[i].path);
	free(w.folders);
	for (size_t i = 0; i < w.nruns; i++)
		free(w.runs[i].path);
	free(w.runs);
	return e;
}
