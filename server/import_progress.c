/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far an import is: how many runs are through, how many a second, and how long the rest takes
 * at that rate. How many there are is counted by a walk of its own, which is faster than the import
 * and is not waited for.
 */
#include "server/import_tree.h"

#include <stdatomic.h>
#include <unistd.h>

#include "server/base/clock.h"

#define EVERY_US 250000

struct progress {
	pthread_t counter;
	const char *const *paths;
	size_t npaths;
	atomic_size_t total;
	atomic_bool counted;
	atomic_bool stop;
	int64_t began, shown;
	atomic_bool on_screen;
};

static void count_run(void *arg, const char *path)
{
	struct progress *p = arg;

	(void)path;
	p->total++;
}

static void count_commit(void *arg, const char *path, const int64_t *own, size_t nown)
{
	(void)own, (void)nown;
	count_run(arg, path);
}

static void skip_unreadable(void *arg, const char *path, int error)
{
	(void)arg, (void)path, (void)error; /* the import says it */
}

static void *count_main(void *arg)
{
	struct progress *p = arg;
	const struct walk_visitor v = {
		.run = count_run,
		.commit = count_commit,
		.unreadable = skip_unreadable,
		.stop = &p->stop,
		.arg = p,
	};

	for (size_t i = 0; i < p->npaths; i++)
		walk_tree(p->paths[i], &v);
	p->counted = true;
	return NULL;
}

struct progress *progress_start(const char *const *paths, size_t n)
{
	struct progress *p;
	sigset_t all, before;

	if (!isatty(STDERR_FILENO))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		die("out of memory");
	p->paths = paths;
	p->npaths = n;
	p->began = p->shown = clock_us();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&p->counter, NULL, count_main, p) != 0)
		die("cannot start a thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return p;
}

void progress_show(struct progress *p, size_t done, size_t refused)
{
	int64_t now = clock_us();
	double seconds, rate;
	size_t total;

	if (!p || now - p->shown < EVERY_US)
		return;
	p->shown = now;
	seconds = (double)(now - p->began) / 1e6;
	rate = (double)done / seconds;
	total = p->total;
	fprintf(stderr, "\r%zu of %s%zu runs, %.0f/s", done, p->counted ? "" : "at least ", total,
		rate);
	if (p->counted && rate > 0 && total > done) {
		long left = (long)((double)(total - done) / rate);

		fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
	}
	if (refused)
		fprintf(stderr, ", %zu refused", refused);
	fprintf(stderr, "\033[K");
	p->on_screen = true;
}

void progress_clear(struct progress *p)
{
	if (p && atomic_exchange(&p->on_screen, false))
		fprintf(stderr, "\r\033[K");
}

void progress_stop(struct progress *p)
{
	if (!p)
		return;
	progress_clear(p);
	p->stop = true;
	pthread_join(p->counter, NULL);
	free(p);
}
