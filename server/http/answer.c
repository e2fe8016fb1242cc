/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers: status, headers, body, compression. Made on the thread that ran the page; queued on the
 * I/O thread. An answer that depends on nothing but the data is filed in the page cache with all
 * its headers, ready to send again.
 */
#include "server/http/conn.h"

#include <assert.h>
#include <zlib.h>

#include "server/base/log.h"
#include "server/http/asset.h"
#include "server/pages/artifact.h"

#define CSP                                                                                        \
	"default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "          \
	"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
#define ETAG_TEXT (DIGEST_HEX + 5)

static void add(struct MHD_Response *a, const char *name, const char *value)
{
	/* Refused only for a value that no header can hold; then it is better left out. */
	MHD_add_response_header(a, name, value);
}

static void etag_text(const struct conn *c, char text[ETAG_TEXT])
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&c->etag, hex);
	snprintf(text, ETAG_TEXT, "W/\"%s\"", hex);
}

static void add_common(struct conn *c, struct MHD_Response *a)
{
	add(a, "X-Content-Type-Options", "nosniff");
	add(a, "Referrer-Policy", "same-origin");
	add(a, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (c->http->config->readers_need_token)
		add(a, MHD_HTTP_HEADER_VARY, "Authorization");
	if (c->close)
		add(a, MHD_HTTP_HEADER_CONNECTION, "close");
}

static void add_validator(struct conn *c, struct MHD_Response *a)
{
	char text[ETAG_TEXT];

	etag_text(c, text);
	add(a, MHD_HTTP_HEADER_ETAG, text);
	add(a, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
}

static void set_answer(struct conn *c, unsigned status, struct MHD_Response *a, size_t bytes)
{
	assert(!c->response);
	c->status = status;
	c->response = a;
	c->sent = bytes;
}

bool answer_matches_etag(const struct conn *c)
{
	const char *list = request_header(c, MHD_HTTP_HEADER_IF_NONE_MATCH);
	char text[ETAG_TEXT];

	if (!list)
		return false;
	etag_text(c, text);
	/* Without W/, so that the strong form, as some proxies make it, matches too. */
	return strstr(list, text + 2) != NULL;
}

static struct MHD_Response *new_response(void *bytes, size_t n, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *a = MHD_create_response_from_buffer(n, bytes, mode);

	if (!a)
		die("out of memory");
	return a;
}

void answer_not_modified(struct conn *c)
{
	static char nothing[1];
	struct MHD_Response *a = new_response(nothing, 0, MHD_RESPMEM_PERSISTENT);

	add_common(c, a);
	add_validator(c, a);
	c->http->counters.not_modified++;
	set_answer(c, MHD_HTTP_NOT_MODIFIED, a, 0);
}

void answer_if_any(struct conn *c)
{
	const char *list = request_header(c, MHD_HTTP_HEADER_IF_NONE_MATCH);

	if (c->status != 200 || !c->has_etag || !list || strcmp(list, "*") != 0)
		return;
	answer_release(c);
	answer_not_modified(c);
}

/* --- the page cache --- */

/* The compressed form is an entry of its own. */
static struct digest cache_key(const struct conn *c)
{
	struct digest key = c->etag;

	key.b[DIGEST_LEN - 1] ^= c->takes_gzip ? 0xff : 0;
	return key;
}

bool answer_from_cache(struct conn *c)
{
	struct digest key = cache_key(c);

	c->cached = page_cache_get(c->http->cache, &key);
	if (!c->cached)
		return false;
	set_answer(c, 200, cached_page_response(c->cached), cached_page_bytes(c->cached));
	return true;
}

static void file_in_cache(struct conn *c)
{
	struct digest key = cache_key(c);

	c->cached = page_cache_put(c->http->cache, &key, c->response, c->sent);
}

/* --- the body --- */

/* Replaces the bytes by their gzip form where that is smaller. True: it was. */
static bool compress_body(char **bytes, size_t *n)
{
	z_stream z = {0};
	size_t room = *n; /* not smaller: not worth it */
	char *packed = malloc(room);

	if (!packed || deflateInit2(&z, *n > GZIP_FAST ? 1 : 4, Z_DEFLATED, 15 + 16, 8,
				    Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory");
	z.next_in = (Bytef *)*bytes;
	z.avail_in = (uInt)*n;
	z.next_out = (Bytef *)packed;
	z.avail_out = (uInt)room;
	bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
	size_t len = z.total_out;
	deflateEnd(&z);
	if (!done) {
		free(packed);
		return false;
	}
	free(*bytes);
	char *fit = realloc(packed, len);
	*bytes = fit ? fit : packed;
	*n = len;
	return true;
}

static const char *content_type(const struct req *r)
{
	static const char *const by_form[] = {
		"text/html; charset=utf-8",     "application/json",
		"text/csv; charset=utf-8",      "text/plain; charset=utf-8",
		"text/markdown; charset=utf-8",
	};

	return r->answer_type ? r->answer_type : by_form[r->form];
}

/* Only a plain name may stand in the header. */
static void add_filename(struct conn *c, struct MHD_Response *a)
{
	char *name = arena_str(c->r.ctx.arena, c->r.filename);

	for (char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~' || strchr("\"\\/;%", *p))
			*p = '_';
	add(a, MHD_HTTP_HEADER_CONTENT_DISPOSITION,
	    arena_fmt(c->r.ctx.arena, "attachment; filename=\"%s\"", name));
}

static void add_special(struct conn *c, struct MHD_Response *a, unsigned status)
{
	const struct req *r = &c->r;

	if (status == 401)
		add(a, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"plumbline\"");
	if (status == 405)
		add(a, MHD_HTTP_HEADER_ALLOW, c->allow);
	if (status == 415)
		add(a, MHD_HTTP_HEADER_ACCEPT_ENCODING, "gzip, zstd");
	if (r->location)
		add(a, MHD_HTTP_HEADER_LOCATION, r->location);
	if (r->filename)
		add_filename(c, a);
	int after = r->retry_after                   ? r->retry_after
		    : status == 503 || status == 429 ? RETRY_AFTER
						     : 0;
	if (after)
		add(a, MHD_HTTP_HEADER_RETRY_AFTER, arena_fmt(r->ctx.arena, "%d", after));
}

/* What never changes is kept by whoever has it. */
static void add_forever(struct conn *c, struct MHD_Response *a)
{
	bool closed = c->http->config->readers_need_token;

	add(a, MHD_HTTP_HEADER_ETAG, arena_fmt(c->r.ctx.arena, "\"%s\"", c->r.forever));
	add(a, MHD_HTTP_HEADER_CACHE_CONTROL,
	    closed ? "private, max-age=31536000, immutable"
		   : "public, max-age=31536000, immutable");
}

/* Whether the client has it. */
static bool has_forever(const struct conn *c)
{
	const char *list = request_header(c, MHD_HTTP_HEADER_IF_NONE_MATCH);

	return list && (!strcmp(list, "*") || strstr(list, c->r.forever));
}

/* Headers and body from what the page has filled in. */
static void make_response(struct conn *c, unsigned status)
{
	const char *type = content_type(&c->r);
	bool keep = c->has_etag && status == 200 && !c->r.no_store && !c->close;
	size_t n;
	char *bytes = out_take(&c->out, &n);
	bool forever = c->r.forever && (status == 200 || status == 304);
	/* a strong ETag is one for these very bytes */
	bool packed = !forever && c->takes_gzip && n >= GZIP_LEAST && compress_body(&bytes, &n);
	struct MHD_Response *a = new_response(bytes, n, MHD_RESPMEM_MUST_FREE);

	add(a, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (packed)
		add(a, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	add_common(c, a);
	if (!strncmp(type, "text/html", 9))
		add(a, "Content-Security-Policy", CSP);
	if (forever)
		add_forever(c, a);
	else if (keep)
		add_validator(c, a);
	else
		add(a, MHD_HTTP_HEADER_CACHE_CONTROL, c->r.no_store ? "no-store" : "no-cache");
	add_special(c, a, status);
	set_answer(c, status, a, n);
	if (keep)
		file_in_cache(c);
}

/* The text of a failure of ours goes to the log, and only there. */
static void log_failure(const struct conn *c, int result)
{
	struct logline l;

	log_begin(&l, LOG_ERROR, "failure");
	log_str(&l, "req", c->id);
	log_str(&l, "route", c->route ? c->route->pattern : NULL);
	log_str(&l, "path", c->r.path);
	log_int(&l, "code", result);
	log_str(&l, "text", c->r.ctx.detail);
	log_end(&l);
}

void answer_make(struct conn *c, int result)
{
	assert(result != REQ_PENDING);
	if (result > 0 && c->out.failed)
		result = fail(&c->r.ctx, E_INTERNAL, "the answer grew over %zu bytes", ANSWER_MAX);
	unsigned status = result > 0 ? (unsigned)result : (unsigned)err_status(result);
	if (result <= 0) {
		if (status == 500 || status == 507)
			log_failure(c, result);
		if (status == 503)
			c->http->counters.refused++;
		c->has_etag = false;
		req_error(&c->r, (int)status);
	} else if (status == 200 && c->r.forever && has_forever(c)) {
		c->http->counters.not_modified++;
		out_truncate(&c->out, 0);
		status = MHD_HTTP_NOT_MODIFIED;
	}
	make_response(c, status);
}

bool answer_asset(struct conn *c, const char *path)
{
	const struct asset *f = asset_find(path);

	if (!f || (strcmp(c->r.method, "GET") != 0 && strcmp(c->r.method, "HEAD") != 0))
		return false;
	bool gz = f->gz && c->takes_gzip;
	size_t n = gz ? f->ngz : f->n;
	struct MHD_Response *a =
		new_response((void *)(uintptr_t)(gz ? f->gz : f->bytes), n, MHD_RESPMEM_PERSISTENT);
	add(a, MHD_HTTP_HEADER_CONTENT_TYPE, f->mime);
	if (gz)
		add(a, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	add_common(c, a);
	add(a, MHD_HTTP_HEADER_CACHE_CONTROL, "public, max-age=31536000, immutable");
	set_answer(c, 200, a, n);
	return true;
}

void answer_release(struct conn *c)
{
	artifact_sent(&c->r);
	if (c->cached)
		page_cache_release(c->http->cache, c->cached);
	else if (c->response)
		MHD_destroy_response(c->response);
	c->cached = NULL;
	c->response = NULL;
}
