/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arena: a chain of malloc'ed blocks, newest first, that double from 8 KiB to 1 MiB. What is
 * larger than a quarter of the next block gets a block of its own, so that a half-used block is
 * not given up for it. Not thread-safe: an arena belongs to one thread.
 */
#include "server/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#include "server/base/err.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(ARENA_ASAN)
#define ARENA_ASAN 1
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#define GAP            16 /* stays poisoned behind every piece, so that running over it is seen */
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#define GAP            0
#endif

#define ALIGN       ((size_t)16)
#define FIRST_BLOCK ((size_t)8 << 10)
#define LAST_BLOCK  ((size_t)1 << 20)

struct block {
	struct block *next;
	size_t size; /* bytes behind this header */
	size_t used;
	size_t pad; /* keeps the data aligned to 16 */
};

struct arena {
	struct block *first;   /* kept by a reset */
	struct block *current; /* where the next small piece goes */
	struct block *others;  /* all but the first */
	size_t next_size;
	size_t handed_out;
};

static char *block_data(struct block *b)
{
	return (char *)(b + 1);
}

static struct block *block_new(size_t size)
{
	struct block *b = malloc(sizeof(*b) + size);

	if (!b)
		die("out of memory (%zu bytes)", size);
	b->next = NULL;
	b->size = size;
	b->used = 0;
	b->pad = 0;
	POISON(block_data(b), size);
	return b;
}

static void block_free(struct block *b)
{
	UNPOISON(block_data(b), b->size);
	free(b);
}

static void arena_start(struct arena *a)
{
	a->first->used = 0;
	a->current = a->first;
	a->others = NULL;
	a->next_size = 2 * FIRST_BLOCK;
	a->handed_out = 0;
}

struct arena *arena_new(void)
{
	struct arena *a = malloc(sizeof(*a));

	if (!a)
		die("out of memory");
	a->first = block_new(FIRST_BLOCK);
	arena_start(a);
	return a;
}

void arena_reset(struct arena *a)
{
	while (a->others) {
		struct block *next = a->others->next;

		block_free(a->others);
		a->others = next;
	}
	POISON(block_data(a->first), a->first->size);
	arena_start(a);
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	arena_reset(a);
	block_free(a->first);
	free(a);
}

size_t arena_used(const struct arena *a)
{
	return a->handed_out;
}

/* A block that has room for need bytes. */
static struct block *block_for(struct arena *a, size_t need)
{
	struct block *b = a->current;
	bool alone = need > a->next_size / 4;

	if (b->size - b->used >= need)
		return b;
	b = block_new(alone ? need : a->next_size);
	b->next = a->others;
	a->others = b;
	if (!alone) {
		a->current = b;
		if (a->next_size < LAST_BLOCK)
			a->next_size *= 2;
	}
	return b;
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t need;
	struct block *b;
	char *p;

	if (n > SIZE_MAX / 2)
		die("out of memory (%zu bytes)", n);
	need = ((n ? n : 1) + GAP + ALIGN - 1) & ~(ALIGN - 1);
	b = block_for(a, need);
	p = block_data(b) + b->used;
	b->used += need;
	a->handed_out += n;
	UNPOISON(p, n);
	memset(p, 0, n);
	return p;
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		die("out of memory (%zu times %zu bytes)", n, size);
	return arena_alloc(a, bytes);
}

void *arena_grow(struct arena *a, void *old, size_t *cap, size_t want, size_t size)
{
	size_t bigger;
	void *p;

	if (old && want <= *cap)
		return old;
	bigger = old ? *cap : 0;
	if (__builtin_mul_overflow(bigger, (size_t)2, &bigger))
		die("out of memory (%zu elements)", want);
	if (bigger < 8)
		bigger = 8;
	if (bigger < want)
		bigger = want;
	p = arena_calloc(a, bigger, size);
	if (old && *cap)
		memcpy(p, old, *cap * size);
	*cap = bigger;
	return p;
}

char *arena_strn(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *arena_str(struct arena *a, const char *s)
{
	return s ? arena_strn(a, s, strlen(s)) : NULL;
}

void *arena_copy(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_alloc(a, n);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *arena_vfmt(struct arena *a, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0)
		die("bad format: %s", fmt);
	if ((size_t)n < sizeof(small)) {
		p = arena_strn(a, small, (size_t)n);
	} else {
		p = arena_alloc(a, (size_t)n + 1);
		vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	return p;
}

char *arena_fmt(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vfmt(a, fmt, ap);
	va_end(ap);
	return p;
}
