/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a form that a page got as a body: application/x-www-form-urlencoded, or
 * multipart/form-data (RFC 7578) with files. */
#ifndef PAGES_FORM_FIELDS_H
#define PAGES_FORM_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct req;
struct ctx;

#define FORM_FIELDS_MAX 64
#define FORM_NAME_MAX   100 /* bytes of a field's name */

struct form_field {
	const char *name;  /* without control characters */
	const char *value; /* any bytes, not terminated; in the body or the arena */
	size_t n;
	const char *filename; /* of a file, "" when none was chosen; NULL: no file */
};

struct form_fields {
	struct form_field list[FORM_FIELDS_MAX];
	size_t n;
};

/* E_MEDIA_TYPE: the body is neither; E_SYNTAX: it is broken; E_INVALID: more fields than
 * FORM_FIELDS_MAX, or a name that is none. */
int form_fields_read(struct req *r, struct form_fields *out);

/* The two of them, for tests. params: of the Content-Type, "; boundary=x". */
int form_read_urlencoded(struct ctx *c, const char *body, size_t n, struct form_fields *out);
int form_read_multipart(struct ctx *c, const char *params, const char *body, size_t n,
			struct form_fields *out);
/* Adds one with what both have to check. */
int form_add(struct ctx *c, struct form_fields *out, const struct form_field *f);

#endif
