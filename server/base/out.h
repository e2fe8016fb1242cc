/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte buffer with a maximum. Over the maximum it drops what comes from then on and remembers
 * that it failed: callers write without checking and ask once, at the end. Always NUL-terminated
 * after the last byte (the NUL is not counted). The bytes are malloc'ed, since an answer outlives
 * the request that made it.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out {
	char *p;
	size_t len, cap, max;
	bool failed;
};

#define OUT_MAX_DEFAULT ((size_t)256 << 20)

/* Ready to write, nothing allocated yet. */
void out_init(struct out *o, size_t max);
/* Frees the bytes; o can be used again with the same maximum. */
void out_free(struct out *o);
/* Takes the bytes away: the caller frees them. Never NULL. o is empty afterwards. */
char *out_take(struct out *o, size_t *len);
/* Forgets all after the first len bytes; with 0 also a failure, so that an error can be told. */
void out_truncate(struct out *o, size_t len);
/* Makes room for n more bytes and returns where they go, or NULL when the maximum forbids it
 * (then failed is set). The caller writes up to n bytes and adds what it wrote to o->len. */
char *out_room(struct out *o, size_t n);

void out_bytes(struct out *o, const void *p, size_t n);
void out_str(struct out *o, const char *s);
void out_char(struct out *o, char c);
void out_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_vfmt(struct out *o, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void out_int(struct out *o, int64_t v);
/* Shortest decimal that reads back as the same double; -0.0 keeps its sign. v must be finite. */
void out_num(struct out *o, double v);

static inline void out_cleanup(struct out *o)
{
	out_free(o);
}
#define auto_out __attribute__((cleanup(out_cleanup)))

#endif
