/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of one request: everything that is made while it is answered lives in
 * its arena and dies with it, at one place. There is no free for single blocks.
 *
 * An arena belongs to one thread at a time. Out of memory ends the process: what
 * guards us are the caps on whatever comes from outside. Under AddressSanitizer
 * the unused part of a block is poisoned.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

/* A new empty arena, owned by the caller. Never NULL. */
struct arena *arena_new(void);
/* Forgets everything in it; the first block is kept for reuse. */
void arena_reset(struct arena *a);
/* Frees the arena and all that is in it. NULL is ignored. */
void arena_free(struct arena *a);
/* Bytes handed out since the start or the last reset. */
size_t arena_used(const struct arena *a);

/* n zeroed bytes, aligned to 16. n may be 0 (the pointer is then unusable but not NULL). */
void *arena_alloc(struct arena *a, size_t n);
/* n zeroed elements of size bytes; ends the process when the product overflows. */
void *arena_calloc(struct arena *a, size_t n, size_t size);
/* n zeroed objects of a type. */
#define arena_array(a, type, n) ((type *)arena_calloc((a), (n), sizeof(type)))
/* An array grown to hold at least want elements: returns old when *cap suffices, else a copy of
 * at least twice the size with the new part zeroed, and sets *cap. */
void *arena_grow(struct arena *a, void *old, size_t *cap, size_t want, size_t size);

/* Copies, NUL-terminated. arena_str(a, NULL) is NULL. */
char *arena_str(struct arena *a, const char *s);
char *arena_strn(struct arena *a, const char *s, size_t n);
void *arena_copy(struct arena *a, const void *p, size_t n);
/* printf into the arena. */
char *arena_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vfmt(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static inline void arena_cleanup(struct arena **a)
{
	arena_free(*a);
}
/* auto_arena struct arena *a = arena_new(); is freed when a goes out of scope. */
#define auto_arena __attribute__((cleanup(arena_cleanup)))

#endif
