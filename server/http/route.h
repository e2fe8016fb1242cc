/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of URLs, routes.def: method, pattern, function, flags. Flags are preconditions that are
 * checked once, before the page runs. A pattern's :name takes one segment, *name the rest of the
 * path.
 */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

struct req;

enum route_flags {
	READ = 1,   /* a snapshot of the database is open while it runs */
	CACHED = 2, /* the answer depends on data generation and address alone: ETag, 304, page
		       cache */
	BODY = 4,   /* takes a request body */
	SLOW = 8,   /* may take long: runs in the worker pool, the connection suspended */
	NEEDS_UPLOAD = 16,
	NEEDS_TRIAGE = 32,
	NEEDS_ADMIN = 64, /* a token with this scope; of several, with any of them */
	HAS_JSON = 128,
	HAS_CSV = 256,
	HAS_TXT = 512,  /* forms besides HTML */
	NO_HTML = 1024, /* the only form is what the page writes */
	HAS_MD = 4096,  /* also as Markdown; by ?format= alone, there is no suffix */
	OPEN = 2048,    /* answered without a token even where readers need one */
	LITTLE = 16384, /* with BODY: of at most LITTLE_BODY_MAX bytes, since anyone may send it */
	CLOCKED = 8192, /* with CACHED: the answer also depends on the time, to CLOCKED_SECONDS */
};
#define ALL_FORMS       (HAS_JSON | HAS_CSV | HAS_TXT)
#define CLOCKED_SECONDS 300

struct route {
	const char *method; /* GET also answers HEAD */
	const char *pattern;
	int (*page)(struct req *r);
	unsigned flags;
};

/* Cuts a raw path ("/a/b%20c") at its slashes and then decodes each segment, in place: segments[]
 * point into path, one right after the other. "/" has none. Returns how many, or -1: a bad escape,
 * a NUL, no leading slash, or more than max. "." and ".." are names like any other. */
int route_cut(char *path, char **segments, int max);
/* Decodes %XX in place (plus: also '+' as a space); the length, or -1 for a bad escape or a NUL. */
long route_decode(char *s, bool plus);

/* Finds the row of a request, cut by route_cut. A *name joins what it takes in place, so segments
 * must not be used again after a row was found. Returns the row and fills captures (in order of the
 * pattern); NULL: then *allow holds the methods that the path would take ("GET, HEAD"), or "" when
 * no pattern fits. */
const struct route *route_find(const char *method, char *const *segments, size_t nsegments,
			       const char *captures[4], char allow[64]);
const struct route *route_at(size_t i); /* NULL after the last */

#endif
