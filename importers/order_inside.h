/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the orders: what their readers share. */
#ifndef IMPORTERS_ORDER_INSIDE_H
#define IMPORTERS_ORDER_INSIDE_H

#include "importers/json_read.h"

/* The document, or NULL after a failure. The caller gives it back. */
json_t *order_parse(struct ctx *c, const char *bytes, size_t n);
/* A fault unless it is a boolean or absent (then false). */
bool order_read_bool(const struct json_object *o, const char *key);

#endif
