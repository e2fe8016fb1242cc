/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON documents among a program's other output: what stands before, between and behind them is
 * passed over, and each is read by itself. Programs write nan and inf where they divided by 0;
 * those become empty texts, which no reader takes for a number.
 */
#ifndef IMPORTERS_JSON_PIECE_H
#define IMPORTERS_JSON_PIECE_H

#include <jansson.h>
#include <stddef.h>

#include "server/base/err.h"

#define JSON_PIECE_MAX ((size_t)16 << 20) /* bytes of one document */

struct json_pieces {
	struct ctx *ctx;
	const char *bytes, *p, *end;
	size_t line; /* where the last document begins, from 1 */
};

void json_pieces_begin(struct json_pieces *s, struct ctx *c, const char *bytes, size_t n);
/* The next document, an object; the caller gives it back with json_decref. NULL: no more; or it is
 * no JSON (E_SYNTAX) or too large (E_TOO_LARGE), then the failure is set and names the line. */
json_t *json_pieces_next(struct json_pieces *s);
/* Where the first document begins (a '{' with a '"' or '}' behind it), or NULL. */
const char *json_piece_find(const char *p, const char *end);

#endif
