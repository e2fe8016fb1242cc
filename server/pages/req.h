/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a page gets and fills. A page is `int page_x(struct req *r)`: it reads parameters, asks
 * model/ and db/, writes into r->out, and returns an HTTP status or a negative error. It sends
 * nothing, so the status can change until the end, and it can be tested without a socket.
 */
#ifndef PAGES_REQ_H
#define PAGES_REQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/arena.h"
#include "server/base/err.h"
#include "server/base/out.h"
#include "db/tokens.h"

struct config;
struct counters;
struct job;
struct url;
struct writer;

enum form { FORM_HTML, FORM_JSON, FORM_CSV, FORM_TXT, FORM_MD };

struct param {
	const char *name, *value; /* decoded */
};

struct req {
	struct ctx ctx;  /* first, so that &r->ctx is at hand: arena, connection, failure */
	struct out *out; /* the answer's body */
	enum form form;
	const char *method;
	const char *path; /* as it came, still encoded, without query, form suffix and /api/v1;
			     begins with '/' */
	const char *captures[4];    /* of the route's pattern, decoded */
	const struct param *params; /* the query, in order */
	size_t nparams;
	const char *body; /* decoded by Content-Encoding; NUL-terminated */
	size_t body_len;
	const char *content_type;   /* of the body, lower case without parameters; NULL: none */
	const char *content_params; /* what follows it, "; boundary=x"; "" */
	const struct token *token;  /* of the request, NULL: none */
	const struct config *config;
	struct writer *writer;
	int64_t generation;              /* of the data in this snapshot */
	unsigned forms;                  /* the page's other forms, bits 1 << FORM_… */
	const char *id;                  /* of the request, as in the log */
	const char *css_href, *js_href;  /* hashed names of the static files */
	const struct counters *counters; /* of the process, for /metrics and /status */

	/* what the page may set besides the body */
	const char *answer_type; /* Content-Type; NULL: by form */
	const char *location;
	const char *filename; /* Content-Disposition */
	int retry_after;      /* seconds, 0: none */
	bool no_store;        /* never cached */
	size_t file_bytes;    /* taken of the room for files being sent; see artifact_sent */
	const char *forever;  /* the body never changes at this address: its ETag, without quotes */

	/* set by http.c: takes from the room of all uploads what the arena has grown to; negative:
	 * busy, or larger than all that room */
	int (*charge)(struct req *r);
	/* set by http.c: takes it in advance, for who cannot ask while it grows. Fails likewise. */
	int (*reserve)(struct req *r, size_t bytes);
	void (*drop_body)(struct req *r); /* it has been read: body is NULL */
	/* set by http.c: the server is to end, so work that takes long is given up (E_BUSY) */
	bool (*stopping)(const struct req *r);
	/* set by http.c: queues the job and answers when it is done; see req_submit */
	int (*submit)(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j));
};

/* Value of a parameter, the last one of that name, or NULL. An empty value is a value. */
const char *req_param(const struct req *r, const char *name);
/* A whole number in [min, max], fallback when absent. A bad one is a fault (422) and returns
 * fallback. */
int64_t req_int(struct req *r, const char *name, int64_t min, int64_t max, int64_t fallback);
/* Position of the value in the NULL-terminated list, fallback when absent; a bad one is a fault. */
int req_enum(struct req *r, const char *name, const char *const *words, int fallback);
bool req_bool(struct req *r, const char *name, bool fallback); /* 0 or 1 */
/* A time, TIME_NONE when absent; a bad one is a fault. */
int64_t req_time(struct req *r, const char *name);
/* All parameters axis.<name>=<value>, sorted by name, as filters. */
struct pair;
void req_axes(struct req *r, const char *prefix, const struct pair **pairs, size_t *n);
/* Captured name, or ?name= (?rev= …) where a name cannot stand in a path; "" is never returned:
 * NULL. */
const char *req_name(const struct req *r, int capture, const char *param);
/* E_OK, or the first fault or failure so far: for use after reading parameters. */
int req_status(const struct req *r);

/* HTML: begins and ends the page (layout.h), with links to its other forms. */
void req_page_begin(struct req *r, const char *title, const char *nav);
int req_page_end(struct req *r, int status);
/* This page's address in another form, or with one parameter changed (value NULL: dropped). */
struct url *req_url_form(struct req *r, enum form f);
struct url *req_url_with(struct req *r, const char *name, const char *value);

/* Hands a job to the writer and answers when it is on disk: returns REQ_PENDING (the page returns
 * it at once), or a failure (E_BUSY). Sets j->ctx to &r->ctx, and j->done; check, store, arg and
 * weight are the page's. The job lives in the request's arena. reply runs after the commit or the
 * failure (see j->result), on a worker, with a reading connection in r->ctx.db, and returns a
 * status as a page does. */
#define REQ_PENDING 0
int req_submit(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j));

/* The list of errors as problem+json, an HTML page that helps, or text: for any status >= 400 (and
 * 300). */
void req_error(struct req *r, int status);

#endif
