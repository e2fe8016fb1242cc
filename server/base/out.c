/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The byte buffer of an answer. Room doubles up to the maximum; over it everything is dropped and
 * the buffer says so once, at the end. Numbers are the hot path of large answers: they are
 * written straight into the buffer, without printf.
 */
#include "server/base/out.h"

#include <assert.h>

#include "server/base/err.h"
#include "server/base/num.h"

#define OUT_FIRST ((size_t)1024)

void out_init(struct out *o, size_t max)
{
	assert(max < SIZE_MAX / 4);
	*o = (struct out){.max = max};
}

void out_free(struct out *o)
{
	free(o->p);
	out_init(o, o->max);
}

char *out_take(struct out *o, size_t *len)
{
	char *p = o->p;

	if (!p) {
		p = calloc(1, 1);
		if (!p)
			die("out of memory");
	}
	if (len)
		*len = o->len;
	out_init(o, o->max);
	return p;
}

void out_truncate(struct out *o, size_t len)
{
	if (!len)
		o->failed = false;
	if (len >= o->len)
		return;
	o->len = len;
	o->p[len] = '\0';
}

/* Gets a buffer for n more bytes and the NUL. */
static bool out_enlarge(struct out *o, size_t n)
{
	size_t need, cap;
	char *p;

	if (n > o->max || o->len > o->max - n) {
		o->failed = true;
		return false;
	}
	need = o->len + n + 1;
	cap = o->cap ? 2 * o->cap : OUT_FIRST;
	if (cap > o->max + 1)
		cap = o->max + 1;
	if (cap < need)
		cap = need;
	p = realloc(o->p, cap);
	if (!p)
		die("out of memory (%zu bytes)", cap);
	p[o->len] = '\0';
	o->p = p;
	o->cap = cap;
	return true;
}

/* True when n more bytes fit and have their place. Once failed nothing fits any more, so that
 * what was kept is the beginning of the text and has no holes. */
static inline bool out_fits(struct out *o, size_t n)
{
	if (__builtin_expect(o->failed, 0))
		return false;
	if (__builtin_expect(n < o->cap && o->len < o->cap - n, 1))
		return true;
	return out_enlarge(o, n);
}

char *out_room(struct out *o, size_t n)
{
	return out_fits(o, n) ? o->p + o->len : NULL;
}

void out_bytes(struct out *o, const void *p, size_t n)
{
	if (!n || !out_fits(o, n))
		return;
	memcpy(o->p + o->len, p, n);
	o->len += n;
	o->p[o->len] = '\0';
}

void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

void out_char(struct out *o, char c)
{
	if (!out_fits(o, 1))
		return;
	o->p[o->len++] = c;
	o->p[o->len] = '\0';
}

void out_vfmt(struct out *o, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	assert(n >= 0);
	if ((size_t)n < sizeof(small)) {
		out_bytes(o, small, (size_t)n);
	} else if (out_fits(o, (size_t)n)) {
		vsnprintf(o->p + o->len, (size_t)n + 1, fmt, again);
		o->len += (size_t)n;
	}
	va_end(again);
}

void out_fmt(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out_vfmt(o, fmt, ap);
	va_end(ap);
}

void out_int(struct out *o, int64_t v)
{
	char buf[24];
	char *p = buf + sizeof(buf);
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do {
		*--p = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		*--p = '-';
	out_bytes(o, p, (size_t)(buf + sizeof(buf) - p));
}

void out_num(struct out *o, double v)
{
	char buf[NUM_MAX];

	/* Most numbers are far from the end of the buffer: write them in place. */
	if (!o->failed && o->cap - o->len > NUM_MAX) {
		o->len += num_shortest(v, o->p + o->len);
		o->p[o->len] = '\0';
		return;
	}
	out_bytes(o, buf, num_shortest(v, buf));
}
