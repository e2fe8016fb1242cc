/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that walks over all sockets once a second. It shuts down, never closes: libmicrohttpd
 * sees the end of the stream and closes by itself. The lock is held over the walk, so a descriptor
 * cannot be somebody else's by then.
 */
#include "server/http/reaper.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/base/err.h"

struct peer {
	int fd;
	_Atomic int64_t deadline;
	struct peer *next, **at; /* at: what points to this one */
};

struct reaper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stopping;
	struct peer *peers;
	counter *reaped;
};

static void reap(struct reaper *r)
{
	int64_t now = clock_us();

	for (struct peer *p = r->peers; p; p = p->next) {
		if (atomic_load_explicit(&p->deadline, memory_order_relaxed) > now)
			continue;
		shutdown(p->fd, SHUT_RDWR);
		peer_set_deadline(p, NO_DEADLINE); /* once is enough */
		++*r->reaped;
	}
}

static void *reaper_run(void *arg)
{
	struct reaper *r = arg;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&r->wake, &r->lock, &until);
		reap(r);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

struct reaper *reaper_start(counter *reaped)
{
	struct reaper *r = calloc(1, sizeof(*r));
	pthread_condattr_t attr;

	if (!r)
		die("out of memory");
	r->reaped = reaped;
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);
	int e = pthread_create(&r->thread, NULL, reaper_run, r);
	if (e)
		die("cannot start a thread: %s", strerror(e));
	return r;
}

void reaper_stop(struct reaper *r)
{
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

struct peer *reaper_watch(struct reaper *r, int fd, int64_t deadline)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		die("out of memory");
	p->fd = fd;
	p->deadline = deadline;
	pthread_mutex_lock(&r->lock);
	p->next = r->peers;
	p->at = &r->peers;
	if (p->next)
		p->next->at = &p->next;
	r->peers = p;
	pthread_mutex_unlock(&r->lock);
	return p;
}

void reaper_forget(struct reaper *r, struct peer *p)
{
	pthread_mutex_lock(&r->lock);
	*p->at = p->next;
	if (p->next)
		p->next->at = p->at;
	pthread_mutex_unlock(&r->lock);
	free(p);
}

void peer_set_deadline(struct peer *p, int64_t deadline)
{
	atomic_store_explicit(&p->deadline, deadline, memory_order_relaxed);
}
