/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page, from the snapshot of the database to the finished answer. Each thread that runs pages has
 * one reading connection, opened at its first use and closed when all threads have ended.
 *
 * What is cached is asked for with the generation read by itself; only when that does not settle it
 * a snapshot is opened, and the answer is filed under the generation of the snapshot.
 */
#include "server/http/conn.h"

#include <assert.h>

#include "db/engine.h"
#include "db/metrics.h"
#include "db/writer.h"
#include "server/base/clock.h"

struct thread_db {
	struct db *db;
	struct thread_db *next;
};

static _Thread_local struct db *thread_db;

struct db *run_thread_db(struct http *h, struct ctx *ctx)
{
	if (thread_db)
		return thread_db;
	struct thread_db *entry = malloc(sizeof(*entry));
	if (!entry)
		die("out of memory");
	if (db_open(ctx, h->config->database, DB_READ, &entry->db) < 0) {
		free(entry);
		return NULL;
	}
	thread_db = entry->db;
	pthread_mutex_lock(&h->lock);
	entry->next = h->dbs;
	h->dbs = entry;
	pthread_mutex_unlock(&h->lock);
	return thread_db;
}

void run_close_dbs(struct http *h)
{
	while (h->dbs) {
		struct thread_db *entry = h->dbs;
		h->dbs = entry->next;
		db_close(entry->db);
		free(entry);
	}
}

/* Everything that a cached answer depends on, except its compression. */
static void make_etag(struct conn *c)
{
	struct digest_state d;
	bool clocked = c->route->flags & CLOCKED;
	int64_t facts[4] = {c->r.generation, c->r.form,
			    c->r.token ? 1 + (int64_t)c->token.scopes : 0,
			    clocked ? clock_now() / CLOCKED_SECONDS : 0};

	digest_init(&d);
	digest_add_str(&d, c->http->salt);
	digest_add(&d, facts, sizeof(facts));
	digest_add_str(&d, c->route->pattern);
	digest_add_str(&d, c->r.path);
	digest_add_str(&d, c->query);
	c->etag = digest_end(&d);
	c->has_etag = true;
}

/* The generation of the data, for the decision whether an answer is known already. Reading it costs
 * two file locks, half of what such an answer costs, so a thread remembers it for a moment. Writes
 * of this process end that moment at once, those of others are seen GENERATION_FRESH_US late at
 * most; an answer always says the generation that it was made from. */
static int read_generation(struct conn *c)
{
	static _Thread_local struct {
		const struct http *http;
		uint64_t epoch;
		int64_t generation, at;
	} known;
	struct http *h = c->http;
	uint64_t epoch =
		atomic_load(&h->epoch); /* before reading: a write in between is not missed */
	int64_t now = clock_us();

	if (known.http == h && known.epoch == epoch && now - known.at < GENERATION_FRESH_US) {
		c->r.generation = known.generation;
		return 0;
	}
	int e = generation_get(&c->r.ctx, &c->r.generation);
	if (e < 0)
		return e;
	known.http = h;
	known.epoch = epoch;
	known.generation = c->r.generation;
	known.at = now;
	return 0;
}

/* True when there is an answer without running the page. */
static bool answer_known(struct conn *c)
{
	c->looked = true;
	if (!c->r.ctx.db || read_generation(c) < 0)
		return false;
	make_etag(c);
	if (answer_matches_etag(c)) {
		answer_not_modified(c);
		return true;
	}
	return answer_from_cache(c);
}

static int run_in_snapshot(struct conn *c)
{
	struct req *r = &c->r;
	int e = db_begin_read(&r->ctx);

	if (e < 0)
		return e;
	e = generation_get(&r->ctx, &r->generation);
	if (e >= 0)
		e = metrics_refresh(&r->ctx);
	if (e >= 0) {
		if (c->route->flags & CACHED)
			make_etag(c);
		e = c->route->page(r);
		assert(e != REQ_PENDING); /* a page that writes has no snapshot */
	}
	db_end_read(&r->ctx);
	return e;
}

static int run_route(struct conn *c)
{
	int e = body_finish(c);

	if (e < 0)
		return e;
	c->r.ctx.db = run_thread_db(c->http, &c->r.ctx);
	if (!c->r.ctx.db && c->route->flags & READ)
		return c->r.ctx.err;
	return c->route->flags & READ ? run_in_snapshot(c) : c->route->page(&c->r);
}

bool run_known(struct conn *c)
{
	bool known;

	if (c->looked || !(c->route->flags & CACHED))
		return false;
	c->r.ctx.db = run_thread_db(c->http, &c->r.ctx);
	known = answer_known(c);
	if (known)
		answer_if_any(c);
	c->r.ctx.db = NULL;
	return known;
}

bool run_page(struct conn *c)
{
	struct http *h = c->http;
	bool pending = false;

	/* Raised before the look at stopping, so that http_refuse sees either the page or none. */
	atomic_fetch_add(&h->running, 1);
	if (atomic_load(&h->stopping)) {
		c->close = true;
		c->r.retry_after = RETRY_AFTER;
		answer_make(c, fail(&c->r.ctx, E_BUSY, "the server is stopping: try again soon"));
	} else if (!run_known(c)) {
		int e = c->r.ctx.err ? (int)c->r.ctx.err : run_route(c);
		pending = e == REQ_PENDING; /* then c may be gone already */
		if (!pending) {
			answer_make(c, e);
			answer_if_any(c);
			c->r.ctx.db = NULL;
		}
	}
	atomic_fetch_sub(&h->running, 1);
	return !pending;
}

void run_reply(struct conn *c)
{
	c->r.ctx.db = run_thread_db(c->http, &c->r.ctx);
	answer_make(c, c->reply(&c->r, c->job));
	c->r.ctx.db = NULL;
}
