/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing thread. Everyone who waits shares one transaction and one sync, but for heavy jobs,
 * which take turns with all others; when anything in it
 * fails all is undone and each job runs again in a transaction of its own, so a bad job fails
 * alone. The rerun checks again too: what a check saw may have been the work of a neighbour that is
 * gone now.
 *
 * Memory is bounded by the limits of the queue, twice: what waits, and what is being written. The
 * mutex guards the queue and the counters; neither SQL nor done() ever runs under it.
 */
#include "db/writer.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>

#include "db/metrics.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/log.h"

#define DISK_LOOK_US 100000            /* asking the file system is cheap, but not free */
#define HEAVY        ((size_t)4 << 20) /* a job of more may take seconds: it runs alone */

struct writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;     /* there is work, or an end to it */
	pthread_cond_t finished; /* a job of writer_run is done */
	struct job *head, **tail;
	size_t waiting, waiting_bytes;
	bool stopping;
	bool heavy_next; /* the last batch was of light jobs */
	struct writer_limits limits;
	char *path;
	int64_t disk_looked; /* clock_us of the last look */
	bool disk_low;
	struct writer_stats stats;
	/* the thread's own */
	struct db *db;
	struct arena *arena;
};

/* --- the thread --- */

/* One job inside the open transaction: 0 or more, or negative. *stored: it came to its writing. */
static int run_job(struct writer *w, struct job *j, bool *stored)
{
	struct db *before = j->ctx->db;

	*stored = false;
	j->ctx->db = w->db;
	int e = j->check ? j->check(j->ctx, j) : E_OK;
	if (e >= 0) {
		*stored = true;
		e = j->store(j->ctx, j);
	}
	j->ctx->db = before;
	if (e < 0)
		fail(j->ctx, (enum err)e, "the job failed"); /* unless it said why */
	return j->result = e;
}

/* The jobs from first to before end. A refusal by check() concerns its job alone. */
static int run_jobs(struct writer *w, struct ctx *c, struct job *first, struct job *end)
{
	bool any = false;

	for (struct job *j = first; j != end; j = j->next) {
		bool stored;
		int e = run_job(w, j, &stored);
		any |= stored;
		if (e < 0 && stored)
			return fail(c, (enum err)e, "%s", j->ctx->detail);
	}
	if (!any) {
		db_rollback(c); /* nothing to keep, no new generation */
		return E_OK;
	}
	int e = generation_bump(c); /* fails when the engine dropped the transaction */
	if (e < 0)
		return e;
	int64_t start = clock_us();
	e = db_commit(c);
	pthread_mutex_lock(&w->lock);
	w->stats.commit_us += clock_us() - start;
	pthread_mutex_unlock(&w->lock);
	return e;
}

/* Gives what met the whole transaction to those of its jobs that have no failure of their own. */
static void spread_failure(struct ctx *c, struct job *first, struct job *end, int e)
{
	for (struct job *j = first; j != end; j = j->next) {
		if (j->result < 0)
			continue;
		j->result = e;
		fail(j->ctx, (enum err)e, "%s", c->detail);
	}
}

/* Facts that were overridden in it, by this or another process, are known before anybody is
 * answered. Where that fails, who reads next tries again. */
static void refresh_facts(struct ctx *c)
{
	if (metrics_refresh(c) < 0)
		ctx_clear(c);
}

/* One transaction. Results are final when it returns E_OK, or when there was but one job. *begun:
 * the failure, if any, came after the start. */
static int run_together(struct writer *w, struct job *first, struct job *end, bool *begun)
{
	struct ctx c;

	arena_reset(w->arena);
	ctx_init(&c, w->arena, w->db);
	for (struct job *j = first; j != end; j = j->next) {
		ctx_clear(j->ctx); /* it may be the second time */
		j->result = E_OK;
	}
	int e = db_begin_write(&c);
	*begun = e >= 0;
	if (e >= 0) {
		e = run_jobs(w, &c, first, end);
		if (e >= 0) {
			metrics_publish();
			refresh_facts(&c);
			return E_OK;
		}
		db_rollback(&c);
		metrics_forget_pending();
	}
	log_msg(LOG_WARN, "transaction-undone", "%s", c.detail);
	spread_failure(&c, first, end, e);
	return e;
}

static void run_batch(struct writer *w, struct job *first)
{
	bool begun;
	int e = run_together(w, first, NULL, &begun);

	pthread_mutex_lock(&w->lock);
	w->stats.batches++;
	w->stats.failed_batches += e < 0;
	pthread_mutex_unlock(&w->lock);
	if (e >= 0)
		return;
	/* When not even the start succeeded, someone else holds the database: trying for each would
	 * take a timeout for each. */
	if (!begun || !first->next)
		return;
	for (struct job *j = first; j; j = j->next)
		run_together(w, j, j->next, &begun);
}

static void finish(struct writer *w, struct job *j)
{
	bool awaited = j->awaited; /* otherwise the job may be gone after done() */

	if (j->done)
		j->done(j);
	if (!awaited)
		return;
	pthread_mutex_lock(&w->lock);
	j->awaited = false;
	pthread_cond_broadcast(&w->finished);
	pthread_mutex_unlock(&w->lock);
}

/* Under the lock. Takes the light jobs that wait, or the first heavy one. NULL: there is none. */
static struct job *take(struct writer *w, bool heavy)
{
	struct job *taken = NULL, **end = &taken, **at = &w->head;

	while (*at && !(heavy && taken)) {
		struct job *j = *at;

		if ((j->weight > HEAVY) != heavy) {
			at = &j->next;
			continue;
		}
		*at = j->next;
		w->waiting--;
		w->waiting_bytes -= j->weight;
		j->next = NULL;
		*end = j;
		end = &j->next;
	}
	for (w->tail = &w->head; *w->tail; w->tail = &(*w->tail)->next)
		;
	return taken;
}

/* The next batch, or NULL at the end: all light jobs that wait, and a heavy one in turn with them.
 * So a light one waits for one heavy job at most, and a heavy one, which fails alone, never has to
 * be run again for a neighbour's sake. */
static struct job *take_next(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->head && !w->stopping)
		pthread_cond_wait(&w->wake, &w->lock);
	bool heavy = w->heavy_next;
	struct job *first = take(w, heavy);
	if (!first)
		first = take(w, heavy = !heavy);
	w->heavy_next = !heavy;
	pthread_mutex_unlock(&w->lock);
	return first;
}

static bool nothing_waits(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	bool nothing = !w->head;
	pthread_mutex_unlock(&w->lock);
	return nothing;
}

static void *writer_main(void *arg)
{
	struct writer *w = arg;
	struct job *first;
	struct ctx c;

	ctx_init(&c, w->arena, w->db);
	refresh_facts(&c);
	while ((first = take_next(w))) {
		run_batch(w, first);
		for (struct job *j = first, *next; j; j = next) {
			next = j->next;
			finish(w, j);
		}
		if (nothing_waits(w))
			db_idle(w->db);
	}
	return NULL;
}

/* --- everybody else --- */

int writer_start(struct ctx *c, const char *path, const struct writer_limits *l,
		 struct writer **out)
{
	struct db *db;
	sigset_t all, before;

	*out = NULL;
	int e = db_open(c, path, DB_WRITE, &db);
	if (e < 0)
		return e;
	struct writer *w = calloc(1, sizeof *w);
	char *copy = strdup(path);
	if (!w || !copy)
		die("out of memory");
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	pthread_cond_init(&w->finished, NULL);
	w->tail = &w->head;
	w->limits = *l;
	w->path = copy;
	w->db = db;
	w->arena = arena_new();
	w->disk_looked = INT64_MIN;

	sigfillset(&all); /* signals are for the main thread */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&w->thread, NULL, writer_main, w) != 0)
		die("cannot start the writing thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*out = w;
	return E_OK;
}

/* Under the lock. */
static bool disk_low(struct writer *w)
{
	int64_t now = clock_us();

	if (w->disk_looked == INT64_MIN || now - w->disk_looked >= DISK_LOOK_US) {
		int64_t left = db_disk_free(w->path);
		w->disk_low = left >= 0 && left < w->limits.disk_reserve;
		w->disk_looked = now;
	}
	return w->disk_low;
}

/* Under the lock. One job over the limit of bytes is taken when nothing else waits, or it could
 * never be. */
static int admit(struct writer *w, struct job *j)
{
	if (w->stopping)
		return fail(j->ctx, E_BUSY, "the service is stopping");
	if (w->waiting >= w->limits.jobs ||
	    (w->waiting && w->waiting_bytes + j->weight > w->limits.bytes))
		return fail(j->ctx, E_BUSY, "too many uploads are waiting");
	if (disk_low(w))
		return fail(j->ctx, E_DISK_FULL, "the disk of the database is nearly full");
	return E_OK;
}

int writer_submit(struct writer *w, struct job *j)
{
	assert(j->store && j->ctx);
	pthread_mutex_lock(&w->lock);
	int e = admit(w, j);
	if (e < 0) {
		w->stats.refused++;
	} else {
		j->next = NULL;
		*w->tail = j;
		w->tail = &j->next;
		w->waiting++;
		w->waiting_bytes += j->weight;
		w->stats.jobs++;
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
	return e;
}

int writer_run(struct writer *w, struct job *j)
{
	j->awaited = true;
	int e = writer_submit(w, j);
	if (e < 0) {
		j->awaited = false;
		return e;
	}
	pthread_mutex_lock(&w->lock);
	while (j->awaited)
		pthread_cond_wait(&w->finished, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return j->result;
}

void writer_stop(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	db_checkpoint(w->db);
	db_close(w->db);
	arena_free(w->arena);
	pthread_cond_destroy(&w->finished);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w->path);
	free(w);
}

void writer_get_stats(struct writer *w, struct writer_stats *out)
{
	pthread_mutex_lock(&w->lock);
	*out = w->stats;
	out->queued = (int64_t)w->waiting;
	pthread_mutex_unlock(&w->lock);
}
