/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded queue and its threads. Two lists: the rest of begun work goes first, since people wait
 * for it and it frees memory; new work is bounded, so overload is refused instead of hoarded.
 */
#include "server/http/worker.h"

#include <pthread.h>

#include "server/base/err.h"

struct list {
	struct task *first, **end;
	size_t n;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct list rest, fresh;
	size_t limit;
	bool stopping;
	unsigned nthreads;
	pthread_t threads[];
};

static void list_add(struct list *l, struct task *t)
{
	t->next = NULL;
	*l->end = t;
	l->end = &t->next;
	l->n++;
}

static struct task *list_take(struct list *l)
{
	struct task *t = l->first;

	if (!t)
		return NULL;
	l->first = t->next;
	if (!l->first)
		l->end = &l->first;
	l->n--;
	return t;
}

static void *work(void *arg)
{
	struct workers *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct task *t = list_take(&w->rest);
		if (!t)
			t = list_take(&w->fresh);
		if (t) {
			pthread_mutex_unlock(&w->lock);
			t->run(t);
			pthread_mutex_lock(&w->lock);
		} else if (w->stopping) {
			break;
		} else {
			pthread_cond_wait(&w->some, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct workers *workers_start(unsigned threads, size_t limit)
{
	struct workers *w = calloc(1, sizeof(*w) + threads * sizeof(w->threads[0]));

	if (!w)
		die("out of memory");
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->some, NULL);
	w->rest.end = &w->rest.first;
	w->fresh.end = &w->fresh.first;
	w->limit = limit;
	w->nthreads = threads;
	for (unsigned i = 0; i < threads; i++) {
		int e = pthread_create(&w->threads[i], NULL, work, w);
		if (e)
			die("cannot start a worker thread: %s", strerror(e));
	}
	return w;
}

bool workers_add(struct workers *w, struct task *t)
{
	pthread_mutex_lock(&w->lock);
	bool room = !w->stopping && w->fresh.n < w->limit;
	if (room) {
		list_add(&w->fresh, t);
		pthread_cond_signal(&w->some);
	}
	pthread_mutex_unlock(&w->lock);
	return room;
}

void workers_add_rest(struct workers *w, struct task *t)
{
	pthread_mutex_lock(&w->lock);
	list_add(&w->rest, t);
	pthread_cond_signal(&w->some);
	pthread_mutex_unlock(&w->lock);
}

void workers_stop(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_broadcast(&w->some);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->nthreads; i++)
		pthread_join(w->threads[i], NULL);
	pthread_cond_destroy(&w->some);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
