/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The refreshing thread. It has a reading connection of its own and no snapshot open while it
 * waits; what is due stands in the database, so that a restart forgets nothing and `plumbline repo`
 * beside it is heard. Failures of the engine itself (a full disk) make it wait, too.
 */
#include "server/history/refresher.h"

#include <pthread.h>
#include <signal.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "db/repos.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/history/sync.h"
#include "server/limits.h"

#define HELD_OFF 60 /* seconds, after a failure that no row could be told of */

struct refresher {
	pthread_t thread;
	struct stop_sign stop;
	struct arena *arena;
	struct db *db;
	struct writer *writer;
	const char *database;
	int64_t held_until;      /* of clock_us */
	int64_t seen_generation; /* of the data, when rows were looked at last */
	int64_t next_row;        /* see sync_rows */
};

static struct sync_lab lab_of(struct refresher *r, struct ctx *c)
{
	arena_reset(r->arena);
	ctx_init(c, r->arena, r->db);
	return (struct sync_lab){
		.c = c, .writer = r->writer, .database = r->database, .stop = &r->stop};
}

static void hold_off(struct refresher *r, const struct ctx *c, const char *name)
{
	struct logline l;

	r->held_until = clock_us() + INT64_C(1000000) * HELD_OFF;
	if (stop_raised(&r->stop))
		return;
	log_begin(&l, LOG_WARN, "refresh");
	log_str(&l, "name", name);
	log_str(&l, "problem", c->detail);
	log_end(&l);
}

/* Copies the name of the repository that is due for longest; false: none is. */
static bool pick_due(struct refresher *r, char *name, size_t room)
{
	int64_t now = clock_now(), earliest = INT64_MAX;
	struct repo *repos;
	struct ctx c;
	size_t n;

	lab_of(r, &c);
	if (repo_list(&c, false, &repos, &n) < 0) {
		hold_off(r, &c, NULL);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (repos[i].next_try <= now && repos[i].next_try < earliest) {
			earliest = repos[i].next_try;
			snprintf(name, room, "%s", repos[i].name);
		}
	return earliest != INT64_MAX;
}

static void refresh_due(struct refresher *r)
{
	struct sync_result result;
	struct sync_lab lab;
	struct ctx c;
	char name[128];

	while (!stop_raised(&r->stop) && clock_us() >= r->held_until &&
	       pick_due(r, name, sizeof(name))) {
		lab = lab_of(r, &c);
		int e = sync_repo(&lab, name, &result);
		if (e == E_BUSY) /* another process is at it, and will say how it went */
			return;
		if (e < 0 && e != E_NOTFOUND)
			hold_off(r, &c, name);
		r->next_row = 0;
		r->seen_generation = -1;
	}
}

/* Only when something was written since the last time. */
static void look_at_rows(struct refresher *r)
{
	int64_t generation;
	struct sync_lab lab;
	struct ctx c;

	if (stop_raised(&r->stop) || clock_us() < r->held_until)
		return;
	lab = lab_of(r, &c);
	int e = generation_get(&c, &generation);
	if (e >= 0 && generation == r->seen_generation)
		return;
	if (e >= 0)
		e = sync_rows(&lab, &r->next_row);
	if (e < 0)
		hold_off(r, &c, NULL);
	r->seen_generation = generation;
}

static void *refresher_main(void *arg)
{
	struct refresher *r = arg;
	struct pollfd fd = {.fd = r->stop.fd, .events = POLLIN};

	while (!stop_raised(&r->stop)) {
		refresh_due(r);
		look_at_rows(r);
		poll(&fd, 1, REFRESH_LOOK * 1000);
	}
	return NULL;
}

int refresher_start(struct ctx *c, const char *database, struct writer *w, struct refresher **out)
{
	struct db *db;
	sigset_t all, before;
	int fd, e = db_open(c, database, DB_READ, &db);

	*out = NULL;
	if (e < 0)
		return e;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct refresher *r = calloc(1, sizeof(*r));
	if (fd < 0 || !r)
		die("the refresher cannot start");
	r->arena = arena_new();
	r->db = db;
	r->writer = w;
	r->database = database;
	r->seen_generation = -1;
	r->stop.fd = fd;
	sigfillset(&all); /* signals are for the main thread */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&r->thread, NULL, refresher_main, r) != 0)
		die("cannot start the refreshing thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*out = r;
	return E_OK;
}

void refresher_ask_to_stop(struct refresher *r)
{
	const uint64_t one = 1;

	if (!r)
		return;
	atomic_store(&r->stop.raised, true);
	if (write(r->stop.fd, &one, sizeof(one)) < 0)
		log_msg(LOG_WARN, "stop", "the refresher may take a moment");
}

bool refresher_stop(struct refresher *r, int64_t deadline)
{
	int64_t left = deadline - clock_us();
	struct timespec until;

	if (!r)
		return true;
	clock_gettime(CLOCK_REALTIME, &until);
	if (left > 0) {
		until.tv_sec += left / 1000000;
		until.tv_nsec += left % 1000000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	}
	if (pthread_timedjoin_np(r->thread, NULL, &until) != 0)
		return false;
	close(r->stop.fd);
	db_close(r->db);
	arena_free(r->arena);
	free(r);
	return true;
}
