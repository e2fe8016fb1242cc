/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, streamed: open, name, value, close. Commas and escapes are its business; '<' is written
 * \u003c so that a text is harmless inside HTML; NaN and infinity become null; bytes that are not
 * UTF-8 become U+FFFD. Nesting is checked by assert.
 *
 *	struct jw w;
 *	jw_init(&w, o);
 *	jw_obj(&w, NULL);
 *	jw_str(&w, "metric", name);
 *	jw_arr(&w, "cells");
 *	jw_num(&w, NULL, 1.5);
 *	jw_end(&w);
 *	jw_end(&w);
 * A name is given inside objects and NULL inside arrays and at the top.
 */
#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/out.h"

#define JW_DEPTH 24

struct jw {
	struct out *o;
	unsigned depth;
	bool comma; /* the next value needs a comma before it */
	char closer[JW_DEPTH];
};

void jw_init(struct jw *w, struct out *o);
void jw_obj(struct jw *w, const char *name);
void jw_arr(struct jw *w, const char *name);
void jw_end(struct jw *w);
void jw_str(struct jw *w, const char *name, const char *s); /* NULL: null */
void jw_strn(struct jw *w, const char *name, const char *s, size_t n);
void jw_int(struct jw *w, const char *name, int64_t v);
void jw_num(struct jw *w, const char *name, double v);  /* shortest; NaN, inf: null */
void jw_prob(struct jw *w, const char *name, double v); /* 6 significant digits */
void jw_bool(struct jw *w, const char *name, bool v);
void jw_null(struct jw *w, const char *name);
void jw_time(struct jw *w, const char *name, int64_t t); /* RFC 3339, TIME_NONE: null */
/* A part of a document that is JSON already (made by a jw, or kept as such). */
void jw_raw(struct jw *w, const char *name, const char *json, size_t n);
/* Writes s as a JSON string with its quotes, outside any document. */
void json_quote(struct out *o, const char *s, size_t n);

#endif
