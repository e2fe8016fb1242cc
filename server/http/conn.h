/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to server/http/: one request and where it stands, and what all requests share.
 *
 * A request is in the hands of one thread at a time: an I/O thread of libmicrohttpd, then perhaps a
 * worker, the writer, a worker again; then it is resumed and its I/O thread sends the answer.
 */
#ifndef HTTP_CONN_H
#define HTTP_CONN_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/base/digest.h"
#include "server/config.h"
#include "server/http/http.h"
#include "server/http/page_cache.h"
#include "server/http/reaper.h"
#include "server/http/route.h"
#include "server/http/worker.h"
#include "server/limits.h"
#include "server/pages/counters.h"
#include "server/pages/req.h"

struct http {
	const struct config *config;
	struct writer *writer;
	struct MHD_Daemon *daemon;
	struct workers *workers;
	struct reaper *reaper;
	struct page_cache *cache;
	struct counters counters;
	int listen_fd;
	char salt[DIGEST_HEX + 1]; /* in every ETag: this program, this database, these settings */
	char id_prefix[8];         /* of request numbers: differs from start to start */
	_Atomic uint64_t last_request;
	atomic_bool stopping;
	_Atomic uint64_t epoch;  /* raised by each write that was answered */
	_Atomic int64_t running; /* pages that run now */
	_Atomic int64_t sending; /* answers made and not sent to the end */
	/* arenas and reading connections, under the lock */
	pthread_mutex_t lock;
	struct arena *arenas[ARENAS_KEPT];
	size_t narenas;
	struct thread_db *dbs;
};

/* The body of a request while it comes in. */
struct body {
	char *p; /* malloc'ed, NUL-terminated when complete */
	size_t len, cap;
	size_t dropped;   /* bytes read and not kept */
	size_t max;       /* as sent */
	size_t max_whole; /* when unpacked */
	size_t charged;   /* of the budget, for what was made of it */
	enum coding { CODING_NONE, CODING_GZIP, CODING_ZSTD } coding;
};

enum stage {
	STAGE_HEAD,     /* the head is being read */
	STAGE_BODY,     /* the body comes in (or is dropped, when the request has failed) */
	STAGE_WAITING,  /* suspended: a worker or the writer has it */
	STAGE_ANSWERED, /* there is an answer to queue */
	STAGE_SENDING,
};

struct conn {
	struct req r; /* first: what pages see */
	struct http *http;
	struct MHD_Connection *mc;
	struct peer *peer;
	enum stage stage;
	struct task task; /* while a worker has it */
	struct out out;
	struct token token;
	struct body body;
	char id[32];
	int64_t began; /* clock_us */

	char *uri;         /* as sent */
	const char *query; /* after '?', or NULL */
	const struct route *route;
	char allow[64]; /* for 405 */
	bool close;     /* after the answer */
	bool looked;    /* for an answer that is known already */
	bool takes_gzip;

	struct job *job;
	int (*reply)(struct req *r, struct job *j);

	/* the answer */
	bool has_etag;
	struct digest etag;
	unsigned status;
	size_t sent; /* bytes of the body */
	struct MHD_Response *response;
	struct cached_page *cached; /* response is its */
};

/* --- request.c: the head --- */

/* Checks the head and finds the route, the form and the token. Negative: c->r.ctx has the failure,
 * and c->r.form the form to say it in. */
int request_read_head(struct conn *c, const char *method, const char *version);
/* Value of a header, or NULL. */
const char *request_header(const struct conn *c, const char *name);
/* Looks the token up when the route wants one. */
int request_check_token(struct conn *c);

/* --- form.c: HTML, JSON, CSV or text --- */

/* Of an error that comes before the page is known. */
enum form form_guess(const char *uri, const char *accept);
/* Of a page with these flags. E_NOTFOUND: it was asked for in a form it does not have; E_INVALID.
 */
int form_choose(struct ctx *c, unsigned flags, int suffix, const char *format, const char *accept,
		enum form *out);
/* Length of ".json", ".csv", ".txt" at the end of a path, and which; 0 and -1 without. */
size_t form_suffix(const char *path, int *suffix);

/* --- body.c --- */

/* What the head says of the body: too large, an unknown encoding … */
int body_expect(struct conn *c);
/* Takes a piece. False: so much was dropped that the connection is closed without an answer. */
bool body_add(struct conn *c, const char *p, size_t n);
/* All is there: unpacks it and hands it to the page. */
int body_finish(struct conn *c);
/* With all that was charged for it. */
void body_free(struct conn *c);
/* charge, reserve and drop_body of struct req. */
int body_charge(struct req *r);
int body_reserve(struct req *r, size_t bytes);
void body_drop(struct req *r);

/* --- run.c: a page from snapshot to answer --- */

/* True: the answer was known and is made. */
bool run_known(struct conn *c);
/* Runs the page and makes the answer; false: REQ_PENDING, c is somebody else's now. */
bool run_page(struct conn *c);
/* Runs the reply of a job that is done, and makes the answer. */
void run_reply(struct conn *c);
/* This thread's reading connection, opened at the first call; NULL: ctx has the failure. */
struct db *run_thread_db(struct http *h, struct ctx *ctx);
void run_close_dbs(struct http *h);

/* --- http.c --- */

/* Callbacks of the daemon. */
void *conn_on_uri(void *cls, const char *uri, struct MHD_Connection *mc);
void conn_on_completed(void *cls, struct MHD_Connection *mc, void **con_cls,
		       enum MHD_RequestTerminationCode end);
enum MHD_Result conn_on_request(void *cls, struct MHD_Connection *mc, const char *url,
				const char *method, const char *version, const char *data,
				size_t *ndata, void **con_cls);
void conn_on_connection(void *cls, struct MHD_Connection *mc, void **socket_context,
			enum MHD_ConnectionNotificationCode what);
/* submit of struct req. */
int conn_submit(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j));
/* What is suspended goes on: its answer is sent. c belongs to its I/O thread from then on. */
void conn_resume(struct conn *c);

/* --- access.c: what is left when a request is over --- */

void access_begin(struct http *h);
/* One line in the log and the counters. */
void access_note(const struct conn *c, enum MHD_RequestTerminationCode end);

/* --- answer.c --- */

/* Makes the answer of a page's result: a status, or a negative error. */
void answer_make(struct conn *c, int result);
void answer_not_modified(struct conn *c);
/* Whether the client has the page already. */
bool answer_matches_etag(const struct conn *c);
/* "If-None-Match: *" wants a page only if there is none, so it is known when the page has run. */
void answer_if_any(struct conn *c);
/* The answer from the page cache, if it is there. */
bool answer_from_cache(struct conn *c);
/* A static file; false when there is none at that path. */
bool answer_asset(struct conn *c, const char *path);
void answer_release(struct conn *c);

#endif
