/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of units between three kinds of threads. The walk fills the slot at the head, readers take
 * the next one that is found, and the thread that called stores from the tail: so the order of the
 * tree is kept whoever reads faster. A reader waits while too much is held, but never the one that
 * reads for the tail, so there is always progress.
 */
#include "server/import_tree.h"

#include <errno.h>
#include <unistd.h>

#include "db/writer.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/import_known.h"
#include "server/say.h"

#define READERS_MAX 32

volatile sig_atomic_t import_tree_stopped;

struct pass {
	struct import_tree *t;
	const char *const *paths;
	size_t npaths;
	struct import_known *known;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct tree_unit *ring;  /* TREE_WINDOW of them */
	size_t head, next, tail; /* found, to be read, to be stored; only ever grow */
	size_t held;             /* bytes of units that were read */
	bool walked;             /* nothing follows head */
	atomic_bool end;         /* the walk ends */
	size_t known_runs, unreadable;
	size_t ndead; /* those at the beginning, which are sorted */
};

static void on_signal(int sig)
{
	(void)sig;
	import_tree_stopped = 1;
}

void import_tree_catch_signals(void)
{
	struct sigaction how = {.sa_handler = on_signal,
				.sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

	import_tree_stopped = 0;
	sigaction(SIGINT, &how, NULL);
	sigaction(SIGTERM, &how, NULL);
}

/* --- the walk --- */

/* A slot for one more folder; it waits while all are in use. */
static void add_unit(struct pass *p, const char *path, const int64_t *own, size_t nown)
{
	struct tree_unit *u;

	pthread_mutex_lock(&p->lock);
	while (p->head - p->tail == TREE_WINDOW && !p->end)
		pthread_cond_wait(&p->changed, &p->lock);
	if (!p->end) {
		u = &p->ring[p->head % TREE_WINDOW];
		u->path = strdup(path);
		u->is_commit = own != NULL;
		u->nown = nown;
		u->own = own ? malloc((nown + 1) * sizeof(*own)) : NULL;
		if (!u->path || (own && !u->own))
			die("out of memory");
		if (nown)
			memcpy(u->own, own, nown * sizeof(*own));
		u->state = UNIT_FOUND;
		p->head++;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void add_path(struct tree_paths *p, const char *path)
{
	if (p->n == p->cap) {
		p->cap = p->cap * 2 + 64;
		p->list = realloc(p->list, p->cap * sizeof(*p->list));
	}
	if (!p->list || !(p->list[p->n++] = strdup(path)))
		die("out of memory");
}

void tree_paths_clear(struct tree_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i]);
	p->n = 0;
}

static bool is_dead(struct pass *p, uint64_t signature)
{
	bool found;

	pthread_mutex_lock(&p->lock); /* more may be added now */
	found = p->ndead &&
		bsearch(&signature, p->t->dead, p->ndead, sizeof(*p->t->dead), by_number);
	pthread_mutex_unlock(&p->lock);
	return found;
}

/* Of watching: whether a run may be read now. */
static bool is_ripe(struct pass *p, const char *path)
{
	struct import_tree *t = p->t;
	int64_t newest, now = clock_now();
	uint64_t signature;
	int state = walk_look_at_run(path, &newest, &signature);

	if (is_dead(p, signature))
		return false;
	if (state == 2 && newest / 1000000000 + TREE_SETTLE <= now)
		return true;
	if (state != 2)
		return false; /* its folder is watched */
	add_path(&t->later, path);
	return false;
}

static void on_run(void *arg, const char *path)
{
	struct pass *p = arg;

	if (p->known && known_has(p->known, path)) {
		pthread_mutex_lock(&p->lock);
		p->known_runs++;
		pthread_mutex_unlock(&p->lock);
	} else if (!p->t->settled_only || is_ripe(p, path)) {
		add_unit(p, path, NULL, 0);
	}
}

/* While runs are still written, one without stats.json is no sign that only the matrix has it;
 * where there is no folder of a run at all, nothing is written any more. */
static void on_commit(void *arg, const char *path, const int64_t *own, size_t nown)
{
	struct pass *p = arg;

	if (!p->t->settled_only || is_ripe(p, path))
		add_unit(p, path, own, nown);
}

static void on_unreadable(void *arg, const char *path, int error)
{
	struct pass *p = arg;

	pthread_mutex_lock(&p->lock);
	progress_clear(p->t->progress);
	say("%s: %s", path, strerror(error));
	p->unreadable++;
	pthread_mutex_unlock(&p->lock);
}

static void *walk_main(void *arg)
{
	struct pass *p = arg;
	const struct walk_visitor v = {
		.run = on_run,
		.commit = on_commit,
		.unreadable = on_unreadable,
		.stop = &p->end,
		.arg = p,
	};

	for (size_t i = 0; i < p->npaths && !p->end; i++)
		walk_tree(p->paths[i], &v);
	pthread_mutex_lock(&p->lock);
	p->walked = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* --- readers --- */

/* The next unit to read, or NULL at the end. */
static struct tree_unit *take_unit(struct pass *p)
{
	struct tree_unit *u = NULL;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		bool waits = p->next == p->head;

		if (waits && (p->walked || p->end))
			break;
		if (!waits && (p->held < TREE_HELD || p->next == p->tail)) {
			u = &p->ring[p->next++ % TREE_WINDOW];
			u->state = UNIT_TAKEN;
			break;
		}
		pthread_cond_wait(&p->changed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return u;
}

static void *read_main(void *arg)
{
	struct pass *p = arg;
	struct tree_unit *u;

	while ((u = take_unit(p))) {
		tree_unit_read(p->t, u);
		pthread_mutex_lock(&p->lock);
		u->state = UNIT_READ;
		p->held += u->held;
		pthread_cond_broadcast(&p->changed);
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

/* --- the store --- */

/* Waits for the unit at the tail, and gives it and those behind it that are read too. 0 at the end.
 */
static size_t take_read(struct pass *p, struct tree_unit **units)
{
	size_t n = 0;

	pthread_mutex_lock(&p->lock);
	while (!(p->tail < p->head && p->ring[p->tail % TREE_WINDOW].state == UNIT_READ) &&
	       !(p->tail == p->head && p->walked)) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&p->changed, &p->lock, &until);
		if (import_tree_stopped)
			p->end = true;
		progress_show(p->t->progress, p->tail + p->known_runs, p->t->refused);
		if (p->end)
			pthread_cond_broadcast(&p->changed);
	}
	while (p->tail + n < p->head && n < TREE_WINDOW &&
	       p->ring[(p->tail + n) % TREE_WINDOW].state == UNIT_READ) {
		units[n] = &p->ring[(p->tail + n) % TREE_WINDOW];
		n++;
	}
	pthread_mutex_unlock(&p->lock);
	return n;
}

/* Of watching: a run that was refused is left alone until its folder changes, and so is a matrix
 * that was taken, of which no key says that it is known. */
static void note_dead(struct import_tree *t, const struct tree_unit *u)
{
	int64_t newest;
	uint64_t signature;

	if (!t->watching || (!u->ctx.err && !u->is_commit))
		return;
	walk_look_at_run(u->path, &newest, &signature);
	if (t->ndead == t->dead_cap) {
		t->dead_cap = t->dead_cap * 2 + 64;
		t->dead = realloc(t->dead, t->dead_cap * sizeof(*t->dead));
		if (!t->dead)
			die("out of memory");
	}
	t->dead[t->ndead++] = signature;
	if (u->ctx.err)
		add_path(&t->failed, u->path);
}

static void release(struct pass *p, struct tree_unit **units, size_t n)
{
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < n; i++) {
		struct tree_unit *u = units[i];

		p->held -= u->held;
		note_dead(p->t, u);
		free(u->path);
		free(u->own);
		arena_reset(u->arena);
		*u = (struct tree_unit){.arena = u->arena};
	}
	p->tail += n;
	if (import_tree_stopped)
		p->end = true;
	progress_show(p->t->progress, p->tail + p->known_runs, p->t->refused);
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static int store_all(struct ctx *c, struct pass *p)
{
	auto_arena struct arena *a = arena_new();
	struct tree_unit *units[TREE_WINDOW];
	size_t n;
	int e = E_OK;

	while ((n = take_read(p, units))) {
		if (e >= 0) {
			e = tree_store(c, p->t, units, n, a);
			arena_reset(a);
		}
		if (e < 0)
			p->end = true; /* the others are read and thrown away */
		release(p, units, n);
	}
	return e;
}

static size_t start_threads(struct pass *p, pthread_t *walker, pthread_t *readers)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = cores < 1 ? 1 : cores > READERS_MAX ? READERS_MAX : (size_t)cores;
	sigset_t all, before;

	sigfillset(&all); /* signals are for the main thread */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(walker, NULL, walk_main, p) != 0)
		die("cannot start a thread");
	for (size_t i = 0; i < n; i++) {
		if (pthread_create(&readers[i], NULL, read_main, p) != 0)
			die("cannot start a thread");
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n;
}

static int run_pass(struct ctx *c, struct pass *p)
{
	pthread_t walker, readers[READERS_MAX];
	size_t n;
	int e;

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	n = start_threads(p, &walker, readers);
	e = store_all(c, p);
	pthread_join(walker, NULL);
	for (size_t i = 0; i < n; i++)
		pthread_join(readers[i], NULL);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	return e;
}

int import_tree_pass(struct ctx *c, struct import_tree *t, const char *const *paths, size_t n)
{
	struct pass p = {.t = t, .paths = paths, .npaths = n, .ndead = t->ndead};
	int e = E_OK;

	if (t->writer)
		e = known_open(c, t->database, t->defaults->axes, t->defaults->naxes, &p.known);
	p.ring = calloc(TREE_WINDOW, sizeof(*p.ring));
	if (!p.ring)
		die("out of memory");
	for (size_t i = 0; i < TREE_WINDOW; i++)
		p.ring[i].arena = arena_new();
	if (e >= 0) {
		t->progress = t->watching ? NULL : progress_start(paths, n);
		e = run_pass(c, &p);
		progress_stop(t->progress);
		t->progress = NULL;
	}
	for (size_t i = 0; i < TREE_WINDOW; i++)
		arena_free(p.ring[i].arena);
	free(p.ring);
	known_close(p.known);
	if (t->ndead)
		qsort(t->dead, t->ndead, sizeof(*t->dead), by_number);
	t->known += p.known_runs;
	t->refused += p.unreadable;
	return e;
}

void import_tree_free(struct import_tree *t)
{
	tree_paths_clear(&t->later);
	tree_paths_clear(&t->failed);
	free(t->later.list);
	free(t->failed.list);
	free(t->dead);
}
