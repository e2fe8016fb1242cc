/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a JSON value ends, found without building anything: so that a document is bounded in size
 * and depth before jansson reads it, and a long array is read element by element. It checks no
 * grammar: jansson does that on the piece that was cut out.
 */
#ifndef IMPORTERS_JSON_SCAN_H
#define IMPORTERS_JSON_SCAN_H

#include <stddef.h>

enum json_scan {
	JSON_SCAN_OK,   /* *stop is behind the value */
	JSON_SCAN_CUT,  /* the bytes end inside the value; *stop is end */
	JSON_SCAN_DEEP, /* *stop is the bracket that is one too many inside others */
	JSON_SCAN_MANY, /* *stop is the bracket that is one too many in all */
};

/* p is at the first byte of a value (no space before it), p < end. */
enum json_scan json_scan_value(const char *p, const char *end, unsigned max_depth,
			       unsigned max_brackets, const char **stop);
/* The first byte that is not JSON white space, or end. */
const char *json_skip_space(const char *p, const char *end);
/* How many line ends stand before end. */
size_t json_line_ends(const char *p, const char *end);

#endif
