/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bodies of requests: collected in memory up to the limit, unpacked up to another, and all of them
 * together within a budget of the process. The body of a request that has failed already is read
 * and dropped, so that the client gets to see the answer instead of a broken connection.
 */
#include "server/http/conn.h"

#include <malloc.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "server/base/num.h"

/* RFC 9659: what is sent as zstd needs no more than 8 MiB to look back, so a decoder need hold no
 * more. */
#define ZSTD_WINDOW_LOG 23

/* What needs one of these scopes changes what is kept. */
#define STORES (NEEDS_UPLOAD | NEEDS_TRIAGE | NEEDS_ADMIN)

/* Takes n bytes from the budget of all bodies. */
static bool budget_take(struct http *h, size_t n)
{
	int64_t before = atomic_fetch_add(&h->counters.body_bytes, (int64_t)n);

	if (before + (int64_t)n <= (int64_t)BODIES_MAX)
		return true;
	atomic_fetch_sub(&h->counters.body_bytes, (int64_t)n);
	return false;
}

static int busy(struct conn *c)
{
	c->r.retry_after = RETRY_AFTER;
	return fail(&c->r.ctx, E_BUSY, "too many uploads at once: try again in a moment");
}

/* Room for one byte more than want, for the NUL. */
static int grow(struct conn *c, size_t want, size_t max)
{
	struct body *b = &c->body;
	size_t cap = b->cap ? b->cap : 16 * KIB;

	if (want < b->cap)
		return 0;
	while (cap <= want)
		cap *= 2;
	if (!b->cap && want > 16 * KIB)
		cap = want + 1; /* the length is known */
	if (cap > max + 1)
		cap = max + 1;
	if (!budget_take(c->http, cap - b->cap))
		return busy(c);
	char *p = realloc(b->p, cap);
	if (!p)
		die("out of memory");
	b->p = p;
	b->cap = cap;
	return 0;
}

static void drop_bytes(struct conn *c)
{
	struct body *b = &c->body;

	free(b->p);
	atomic_fetch_sub(&c->http->counters.body_bytes, (int64_t)b->cap);
	b->p = NULL;
	b->len = b->cap = 0;
}

void body_free(struct conn *c)
{
	drop_bytes(c);
	atomic_fetch_sub(&c->http->counters.body_bytes, (int64_t)c->body.charged);
	c->body.charged = 0;
}

void body_drop(struct req *r)
{
	struct conn *c = (struct conn *)r;
	bool large = c->body.cap > 4 * MIB;

	drop_bytes(c);
	r->body = NULL;
	r->body_len = 0;
	if (large)
		malloc_trim(0);
}

int body_charge(struct req *r)
{
	return body_reserve(r, arena_used(r->ctx.arena));
}

int body_reserve(struct req *r, size_t bytes)
{
	struct conn *c = (struct conn *)r;
	struct body *b = &c->body;

	if (bytes < b->charged + 64 * KIB)
		return 0;
	if (b->cap + bytes > BODIES_MAX)
		return fail(&r->ctx, E_TOO_LARGE,
			    "the body holds too much to be read at once: send it in parts");
	if (!budget_take(c->http, bytes - b->charged))
		return busy(c);
	b->charged = bytes;
	return 0;
}

int body_expect(struct conn *c)
{
	struct ctx *ctx = &c->r.ctx;
	const char *encoding = request_header(c, MHD_HTTP_HEADER_CONTENT_ENCODING);
	const char *length = request_header(c, MHD_HTTP_HEADER_CONTENT_LENGTH);
	int64_t n = 0;

	if (!(c->route->flags & BODY))
		return 0;
	c->body.max = (size_t)c->http->config->max_body;
	c->body.max_whole = INFLATED_MAX;
	if (c->route->flags & LITTLE && c->body.max > LITTLE_BODY_MAX)
		c->body.max = LITTLE_BODY_MAX;
	if (c->route->flags & LITTLE)
		c->body.max_whole = LITTLE_BODY_MAX;
	if (c->http->config->read_only && c->route->flags & STORES)
		return fail(ctx, E_FORBIDDEN, "this server is read-only: it takes no results");
	if (encoding && (!strcasecmp(encoding, "gzip") || !strcasecmp(encoding, "x-gzip")))
		c->body.coding = CODING_GZIP;
	else if (encoding && !strcasecmp(encoding, "zstd"))
		c->body.coding = CODING_ZSTD;
	else if (encoding && strcasecmp(encoding, "identity") != 0)
		return fail(ctx, E_MEDIA_TYPE, "Content-Encoding can be gzip, zstd or identity");
	if (length && !num_parse_int(length, 0, INT64_MAX, &n))
		length = NULL;
	if (n > (int64_t)c->body.max)
		return fail(ctx, E_TOO_LARGE, "a body may have %zu bytes", c->body.max);
	if (atomic_load(&c->http->counters.body_bytes) >= (int64_t)BODIES_MAX)
		return busy(c);
	/* All of it at once: ten large bodies that each got half would all have to be sent again.
	 */
	return length ? grow(c, (size_t)n, c->body.max) : 0;
}

bool body_add(struct conn *c, const char *p, size_t n)
{
	struct body *b = &c->body;
	bool wanted = c->route && c->route->flags & BODY;

	if (wanted && c->r.ctx.err == E_OK) {
		if (n > b->max - b->len)
			fail(&c->r.ctx, E_TOO_LARGE, "a body may have %zu bytes", b->max);
		else if (grow(c, b->len + n, b->max) == 0) {
			memcpy(b->p + b->len, p, n);
			b->len += n;
			return true;
		}
		body_free(c);
	}
	b->dropped += n;
	return b->dropped <= DRAIN_MAX;
}

static int too_large(struct conn *c)
{
	return fail(&c->r.ctx, E_TOO_LARGE, "a body may have %zu bytes when unpacked",
		    c->body.max_whole);
}

/* Unpacks all of z into c->body, which is empty. */
static int inflate_into(struct conn *c, z_stream *z)
{
	struct body *b = &c->body;

	for (;;) {
		int e = grow(c, b->len + 1, b->max_whole);
		if (e < 0)
			return e;
		z->next_out = (Bytef *)b->p + b->len;
		z->avail_out = (uInt)(b->cap - 1 - b->len);
		int rc = inflate(z, Z_NO_FLUSH);
		b->len = (size_t)((char *)z->next_out - b->p);
		if (rc == Z_STREAM_END && z->avail_in == 0)
			return 0;
		if (rc == Z_STREAM_END && inflateReset(z) == Z_OK)
			continue; /* gzip files may follow one another */
		if (rc == Z_OK && b->len < b->max_whole && (z->avail_in || !z->avail_out))
			continue;
		if (rc == Z_OK && b->len >= b->max_whole)
			return too_large(c);
		return fail(&c->r.ctx, E_SYNTAX, "the body is not whole gzip data");
	}
}

static int unpack_gzip(struct conn *c, const struct body *packed)
{
	z_stream z = {.next_in = (Bytef *)packed->p, .avail_in = (uInt)packed->len};

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		die("out of memory");
	int e = inflate_into(c, &z);
	inflateEnd(&z);
	return e;
}

/* Frames may follow one another, as with gzip. */
static int decode_into(struct conn *c, ZSTD_DStream *z, ZSTD_inBuffer *in)
{
	struct body *b = &c->body;

	for (;;) {
		int e = grow(c, b->len + 1, b->max_whole);
		if (e < 0)
			return e;
		ZSTD_outBuffer out = {b->p, b->cap - 1, b->len};
		size_t rc = ZSTD_decompressStream(z, &out, in);
		b->len = out.pos;
		if (rc == 0 && in->pos == in->size)
			return 0;
		bool more = in->pos < in->size || b->len == b->cap - 1;
		if (!ZSTD_isError(rc) && b->len < b->max_whole && more)
			continue;
		if (!ZSTD_isError(rc) && b->len >= b->max_whole)
			return too_large(c);
		return fail(&c->r.ctx, E_SYNTAX,
			    "the body is not whole zstd data that looks back 8 MiB at most");
	}
}

static int unpack_zstd(struct conn *c, const struct body *packed)
{
	ZSTD_inBuffer in = {packed->p, packed->len, 0};
	ZSTD_DStream *z = ZSTD_createDStream();

	if (!z || ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
		die("out of memory");
	int e = decode_into(c, z, &in);
	ZSTD_freeDStream(z);
	return e;
}

static int unpack(struct conn *c)
{
	struct body packed = c->body;
	const char *name = packed.coding == CODING_GZIP ? "gzip" : "zstd";
	int e;

	c->body = (struct body){.max = packed.max, .max_whole = packed.max_whole};
	if (!packed.len)
		e = fail(&c->r.ctx, E_SYNTAX, "the body is not whole %s data", name);
	else if (packed.coding == CODING_GZIP)
		e = unpack_gzip(c, &packed);
	else
		e = unpack_zstd(c, &packed);
	free(packed.p);
	atomic_fetch_sub(&c->http->counters.body_bytes, (int64_t)packed.cap);
	return e;
}

int body_finish(struct conn *c)
{
	int e = 0;

	if (!(c->route->flags & BODY))
		return 0;
	if (c->body.coding != CODING_NONE && (e = unpack(c)) < 0)
		return e;
	if ((e = grow(c, c->body.len, SIZE_MAX - 1)) < 0)
		return e;
	c->body.p[c->body.len] = '\0';
	c->r.body = c->body.p;
	c->r.body_len = c->body.len;
	return 0;
}
