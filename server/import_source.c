/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as bounded pieces, and large ones as a mapped copy; see the header. */
#include "server/import_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/base/arena.h"

#define CHUNK ((size_t)64 << 10)

int source_open(struct ctx *c, const char *path, struct import_source *s)
{
	bool is_stdin = strcmp(path, "-") == 0;

	*s = (struct import_source){.name = is_stdin ? "standard input" : path, .fd = STDIN_FILENO};
	if (is_stdin)
		return E_OK;
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (s->fd < 0)
		return fail(c, E_NOTFOUND, "%s: %s", path, strerror(errno));
	return E_OK;
}

void source_close(struct import_source *s)
{
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	free(s->buf);
	s->buf = NULL;
	if (s->map)
		munmap(s->map, s->mapped);
	s->map = NULL;
}

void source_replace(struct import_source *s, char *bytes, size_t n)
{
	free(s->buf);
	if (s->map)
		munmap(s->map, s->mapped);
	s->map = NULL;
	s->buf = bytes;
	s->begin = 0;
	s->end = s->cap = n;
	s->eof = true;
}

/* Reads a piece behind what is held. */
static int fill(struct ctx *c, struct import_source *s)
{
	ssize_t n;

	if (s->begin) {
		memmove(s->buf, s->buf + s->begin, s->end - s->begin);
		s->end -= s->begin;
		s->begin = 0;
	}
	if (s->cap - s->end < CHUNK) {
		s->cap = s->cap * 2 + CHUNK;
		s->buf = realloc(s->buf, s->cap);
		if (!s->buf)
			die("out of memory");
	}
	do {
		n = read(s->fd, s->buf + s->end, s->cap - s->end);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(c, E_INTERNAL, "%s: %s", s->name, strerror(errno));
	s->eof = n == 0;
	s->end += (size_t)n;
	return E_OK;
}

static size_t held(const struct import_source *s)
{
	return s->end - s->begin;
}

int source_peek(struct ctx *c, struct import_source *s, size_t least, size_t max, const char **p,
		size_t *n)
{
	size_t seen = least;

	while (!s->eof && held(s) < max) {
		if (held(s) > seen) {
			if (memchr(s->buf + s->begin + seen, '\n', held(s) - seen))
				break;
			seen = held(s);
		}
		if (fill(c, s) < 0)
			return c->err;
	}
	*p = s->buf ? s->buf + s->begin : "";
	*n = held(s) < max ? held(s) : max;
	return E_OK;
}

/* --- a copy of our own --- */

static const char *copy_folder(void)
{
	const char *said = getenv("TMPDIR");

	return said && *said ? said : "/var/tmp";
}

static int no_copy(struct ctx *c, const struct import_source *s)
{
	return fail(c, E_INTERNAL, "%s: no copy of it can be made in %s (TMPDIR): %s", s->name,
		    copy_folder(), strerror(errno));
}

/* A new file without a name; -1: see errno. */
static int open_copy(struct ctx *c)
{
	char *name = arena_fmt(c->arena, "%s/plumbline-XXXXXX", copy_folder());
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd >= 0)
		unlink(name);
	return fd;
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Moves what is held and what is still to come into the copy, at most max + 1 bytes. */
static int fill_copy(struct ctx *c, struct import_source *s, int fd, size_t max, size_t *n)
{
	for (*n = 0;;) {
		size_t left = max + 1 - *n, piece = held(s) < left ? held(s) : left;

		if (piece && write_all(fd, s->buf + s->begin, piece) < 0)
			return no_copy(c, s);
		*n += piece;
		s->begin = s->end = 0;
		if (s->eof || *n > max)
			return E_OK;
		if (fill(c, s) < 0)
			return c->err;
	}
}

static int make_copy(struct ctx *c, struct import_source *s, size_t max)
{
	int e, fd = open_copy(c);
	size_t n;

	if (fd < 0)
		return no_copy(c, s);
	e = fill_copy(c, s, fd, max, &n);
	if (e >= 0) {
		s->map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
		s->mapped = n;
		if (s->map == MAP_FAILED) {
			s->map = NULL;
			e = no_copy(c, s);
		}
	}
	close(fd);
	free(s->buf);
	s->buf = NULL;
	s->cap = 0;
	return e;
}

int source_whole(struct ctx *c, struct import_source *s, size_t small, size_t max, const char **p,
		 size_t *n)
{
	if (source_peek(c, s, SIZE_MAX, small + 1, p, n) < 0)
		return c->err;
	if (s->eof && held(s) <= small) { /* it is all there already */
		*n = held(s);
		return E_OK;
	}
	if (make_copy(c, s, max) < 0)
		return c->err;
	*p = s->map;
	*n = s->mapped;
	return E_OK;
}

int source_line(struct ctx *c, struct import_source *s, size_t max, const char **p, size_t *n)
{
	bool too_long = false;
	size_t seen = 0;

	for (;;) {
		char *at = s->buf ? s->buf + s->begin : NULL;
		char *stop = held(s) > seen ? memchr(at + seen, '\n', held(s) - seen) : NULL;

		if (stop || (s->eof && (held(s) || too_long))) {
			*n = stop ? (size_t)(stop - at) : held(s);
			*p = too_long || *n > max ? NULL : at;
			s->begin += *n + (stop != NULL);
			s->line++;
			return 1;
		}
		if (s->eof)
			return 0;
		seen = held(s);
		if (seen > max) { /* forget it, but remember that there was a line */
			too_long = true;
			s->begin = s->end;
			seen = 0;
		}
		if (fill(c, s) < 0)
			return c->err;
	}
}
