/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon and its callbacks: how a request moves from stage to stage. libmicrohttpd calls
 * conn_on_request once with the head, then with each piece of the body, then once more; a request
 * that waits for a worker or the writer is suspended meanwhile and called again when there is an
 * answer.
 */
#include "server/http/http.h"

#include <assert.h>
#include <strings.h>

#include "db/writer.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/num.h"
#include "server/http/asset.h"
#include "server/http/conn.h"

#define SECOND INT64_C(1000000)

static int64_t deadline_for(size_t bytes)
{
	return clock_us() + SECOND * (int64_t)(REQUEST_DEADLINE + bytes / SLOWEST_RATE);
}

/* --- a request's memory --- */

static struct arena *take_arena(struct http *h)
{
	struct arena *a = NULL;

	pthread_mutex_lock(&h->lock);
	if (h->narenas)
		a = h->arenas[--h->narenas];
	pthread_mutex_unlock(&h->lock);
	return a ? a : arena_new();
}

static void give_arena(struct http *h, struct arena *a)
{
	arena_reset(a);
	pthread_mutex_lock(&h->lock);
	if (h->narenas < ARENAS_KEPT) {
		h->arenas[h->narenas++] = a;
		a = NULL;
	}
	pthread_mutex_unlock(&h->lock);
	arena_free(a);
}

static bool is_stopping(const struct req *r)
{
	return atomic_load(&((const struct conn *)r)->http->stopping);
}

/* Called when the request line is there, with the address as sent. */
void *conn_on_uri(void *cls, const char *uri, struct MHD_Connection *mc)
{
	struct http *h = cls;
	struct arena *a = take_arena(h);
	struct conn *c = arena_alloc(a, sizeof(*c));

	ctx_init(&c->r.ctx, a, NULL);
	c->http = h;
	c->mc = mc;
	c->began = clock_us();
	c->uri = arena_str(a, uri);
	out_init(&c->out, ANSWER_MAX);
	snprintf(c->id, sizeof(c->id), "%s-%llu", h->id_prefix,
		 (unsigned long long)atomic_fetch_add(&h->last_request, 1) + 1);
	c->r.id = c->id;
	c->r.out = &c->out;
	c->r.config = h->config;
	c->r.writer = h->writer;
	c->r.counters = &h->counters;
	c->r.submit = conn_submit;
	c->r.charge = body_charge;
	c->r.reserve = body_reserve;
	c->r.drop_body = body_drop;
	c->r.stopping = is_stopping;
	c->r.css_href = asset_path("app.css");
	c->r.js_href = asset_path("app.js");
	c->peer = MHD_get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	return c;
}

void conn_on_completed(void *cls, struct MHD_Connection *mc, void **con_cls,
		       enum MHD_RequestTerminationCode end)
{
	struct http *h = cls;
	struct conn *c = *con_cls;

	(void)mc;
	if (!c)
		return;
	access_note(c, end);
	if (c->stage >= STAGE_ANSWERED)
		atomic_fetch_sub(&h->sending, 1);
	answer_release(c);
	body_free(c);
	out_free(&c->out);
	peer_set_deadline(c->peer, clock_us() + SECOND * (IDLE_TIMEOUT + REQUEST_DEADLINE));
	give_arena(h, c->r.ctx.arena);
	*con_cls = NULL;
}

/* --- stages --- */

/* There is an answer: it counts as being sent from here on. */
static void answered(struct conn *c)
{
	assert(c->response && c->stage < STAGE_ANSWERED);
	c->stage = STAGE_ANSWERED;
	atomic_fetch_add(&c->http->sending, 1);
}

static enum MHD_Result send_answer(struct conn *c)
{
	peer_set_deadline(c->peer, deadline_for(c->sent));
	c->stage = STAGE_SENDING;
	return MHD_queue_response(c->mc, c->status, c->response);
}

static enum MHD_Result fail_now(struct conn *c)
{
	answer_make(c, c->r.ctx.err);
	answered(c);
	return send_answer(c);
}

void conn_resume(struct conn *c)
{
	struct http *h = c->http;

	answered(c);
	MHD_resume_connection(c->mc); /* c may be gone after this */
	h->counters.suspended--;
}

static struct conn *conn_of_task(struct task *t)
{
	return (struct conn *)((char *)t - offsetof(struct conn, task));
}

static void work_page(struct task *t)
{
	struct conn *c = conn_of_task(t);

	if (run_page(c))
		conn_resume(c);
}

static void work_reply(struct task *t)
{
	struct conn *c = conn_of_task(t);

	run_reply(c);
	conn_resume(c);
}

/* On the writer's thread, which has better things to do than to write JSON. */
static void job_done(struct job *j)
{
	struct conn *c = (struct conn *)j->ctx; /* ctx is the first member of req, req of conn */

	atomic_fetch_add(&c->http->epoch, 1); /* whoever is answered after this sees the new data */
	c->task.run = work_reply;
	workers_add_rest(c->http->workers, &c->task);
}

int conn_submit(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j))
{
	struct conn *c = (struct conn *)r;

	assert(c->stage == STAGE_WAITING);
	if (!r->writer)
		return fail(&r->ctx, E_FORBIDDEN, "this server is read-only: it takes no results");
	c->job = j;
	c->reply = reply;
	j->ctx = &r->ctx;
	j->done = job_done;
	int e = writer_submit(r->writer, j);
	if (e < 0)
		return fail(
			&r->ctx, (enum err)e, "%s",
			e == E_DISK_FULL
				? "the disk is nearly full: results are refused until there is room"
				: "too many uploads wait to be written: try again in a moment");
	return REQ_PENDING;
}

/* Hands the request to a worker. Counted before the look at stopping, so that http_stop never
 * misses a connection that is about to be suspended. */
static bool suspend(struct conn *c)
{
	struct http *h = c->http;

	atomic_fetch_add(&h->counters.suspended, 1);
	if (atomic_load(&h->stopping)) {
		atomic_fetch_sub(&h->counters.suspended, 1);
		return false;
	}
	c->stage = STAGE_WAITING;
	peer_set_deadline(c->peer, NO_DEADLINE);
	MHD_suspend_connection(c->mc);
	c->task.run = work_page;
	if (!workers_add(h->workers, &c->task)) {
		answer_make(c, fail(&c->r.ctx, E_BUSY, "too much to do: try again in a moment"));
		conn_resume(c);
	}
	return true;
}

static enum MHD_Result on_head(struct conn *c, const char *method, const char *version)
{
	int e = request_read_head(c, method, version);

	if (e >= 0 && c->route)
		e = body_expect(c);
	if (c->close)
		return fail_now(c);
	const char *length = request_header(c, MHD_HTTP_HEADER_CONTENT_LENGTH);
	int64_t n = 0;
	if (length && !num_parse_int(length, 0, INT64_MAX, &n))
		n = INT64_MAX;
	bool chunked = request_header(c, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
	const char *expect = request_header(c, MHD_HTTP_HEADER_EXPECT);
	bool asks = expect && !strcasecmp(expect, "100-continue");
	if (e < 0 && ((asks && (n || chunked)) || n > (int64_t)DRAIN_MAX)) {
		c->close = true; /* nothing of the body is read */
		return fail_now(c);
	}
	c->stage = STAGE_BODY;
	if (n || chunked)
		peer_set_deadline(c->peer, deadline_for(chunked ? (size_t)c->http->config->max_body
							: n < (int64_t)DRAIN_MAX ? (size_t)n
										 : DRAIN_MAX));
	return MHD_YES;
}

static enum MHD_Result on_body_end(struct conn *c)
{
	if (!c->response) {
		if (c->r.ctx.err < 0)
			return fail_now(c);
		if (c->route->flags & SLOW && !run_known(c) && suspend(c))
			return MHD_YES;
		if (!c->response && !run_page(c))
			die("a page that writes lacks the flag SLOW: %s", c->route->pattern);
	}
	answered(c);
	return send_answer(c);
}

enum MHD_Result conn_on_request(void *cls, struct MHD_Connection *mc, const char *url,
				const char *method, const char *version, const char *data,
				size_t *ndata, void **con_cls)
{
	struct conn *c = *con_cls;

	(void)cls;
	(void)mc;
	(void)url;
	switch (c->stage) {
	case STAGE_HEAD:
		return on_head(c, method, version);
	case STAGE_BODY:
		if (!*ndata)
			return on_body_end(c);
		bool ok = body_add(c, data, *ndata);
		*ndata = 0;
		return ok ? MHD_YES : MHD_NO;
	case STAGE_ANSWERED:
		return send_answer(c);
	case STAGE_WAITING:
	case STAGE_SENDING:
		break;
	}
	return MHD_YES;
}

void conn_on_connection(void *cls, struct MHD_Connection *mc, void **socket_context,
			enum MHD_ConnectionNotificationCode what)
{
	struct http *h = cls;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		int fd = MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		*socket_context = reaper_watch(h->reaper, fd, deadline_for(0));
		h->counters.connections++;
	} else if (*socket_context) {
		reaper_forget(h->reaper, *socket_context);
		*socket_context = NULL;
		h->counters.connections--;
	}
}
