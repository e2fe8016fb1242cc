/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file or standard input as the import command reads it: a look at its beginning first, then as
 * lines or as a whole. Holds at most a line, or the whole that was asked for if it is small.
 *
 * A large whole lies in a file of our own, unlinked, in $TMPDIR or /var/tmp, and is mapped: so it
 * takes pages that the system may take back, not memory. The file itself is not mapped. Whoever
 * shortens it meanwhile would end the process (SIGBUS), and who writes into it would change bytes
 * under an importer that has looked at them already.
 */
#ifndef SERVER_IMPORT_SOURCE_H
#define SERVER_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/err.h"

struct import_source {
	const char *name; /* for messages */
	int fd;
	char *buf; /* malloc'ed */
	size_t begin, end, cap;
	bool eof;
	char *map; /* a large whole, NULL: none */
	size_t mapped;
	long line; /* number of the line that source_line gave last */
};

/* "-" is standard input. E_NOTFOUND with the reason. */
int source_open(struct ctx *c, const char *path, struct import_source *s);
void source_close(struct import_source *s);
/* The bytes (malloc'ed, now the source's) stand for all that was to be read. source_whole lays them
 * into our own file, too. */
void source_replace(struct import_source *s, char *bytes, size_t n);
/* Reads until max bytes are held, or up to the first line end after at least least bytes, or to the
 * end. What is held is still to be read. E_INTERNAL: the file cannot be read. */
int source_peek(struct ctx *c, struct import_source *s, size_t least, size_t max, const char **p,
		size_t *n);
/* All of it, valid until source_close; of more than max bytes at least max + 1. What is more than
 * small bytes lies in our own file: E_INTERNAL also when there is no room for
 * that.
 */
int source_whole(struct ctx *c, struct import_source *s, size_t small, size_t max, const char **p,
		 size_t *n);
/* The next line without its end, valid until the next call: 1; 0 at the end. A line of more than
 * max bytes is skipped: *p is NULL then. */
int source_line(struct ctx *c, struct import_source *s, size_t max, const char **p, size_t *n);

#endif
