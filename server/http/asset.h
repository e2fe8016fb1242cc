/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The static files, put into the program at build time (static/embed.c). Their address holds a
 * digest of the content, so an answer may be kept for ever.
 */
#ifndef HTTP_ASSET_H
#define HTTP_ASSET_H

#include <stddef.h>

struct asset {
	const char *name; /* "app.css" */
	const char *path; /* "/static/app.<8 hex digits>.css" */
	const char *mime;
	const unsigned char *bytes;
	size_t n;
	const unsigned char *gz; /* the same with gzip; NULL when that is not smaller */
	size_t ngz;
};

extern const struct asset assets[];
extern const size_t asset_count;

/* The file behind an address, or NULL. */
const struct asset *asset_find(const char *path);
/* The address of a file, or NULL when there is none of that name. */
const char *asset_path(const char *name);

#endif
