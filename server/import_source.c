/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as bounded pieces. Nothing is mapped: a file that shrinks while it is read must not end the
 * process. */
#include "server/import_source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
}

void source_replace(struct import_source *s, char *bytes, size_t n)
{
	free(s->buf);
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
