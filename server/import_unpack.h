/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as they lie: plain, or compressed by gzip or xz, as a whole and within a limit. */
#ifndef SERVER_IMPORT_UNPACK_H
#define SERVER_IMPORT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/err.h"

/* What import commands take of one file that is read as a whole, after unpacking. */
#define IMPORT_FILE_MAX ((size_t)256 << 20)

/* True when the bytes begin as a gzip or xz file does. */
bool import_is_packed(const char *p, size_t n);
/* The plain bytes, malloc'ed, a NUL behind them. E_TOO_LARGE: more than max; E_SYNTAX: damaged, or
 * cut. name: for messages. */
int import_unpack(struct ctx *c, const char *name, const char *p, size_t n, size_t max, char **out,
		  size_t *len);
/* The plain bytes of name, name.gz or name.xz in a folder, the first of the order .gz, .xz, plain
 * that is there; malloc'ed, a NUL behind them. *out NULL: none is there. Only plain files are read,
 * and no symbolic link is followed, since a tree may come from elsewhere. Fails as import_unpack;
 * E_INTERNAL: it cannot be read. */
int import_read_part(struct ctx *c, int folder, const char *name, size_t max, char **out,
		     size_t *len);

#endif
