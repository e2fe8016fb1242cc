/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The escapes of a JSON text, for readers that build no tree. */
#ifndef IMPORTERS_JSON_UNESCAPE_H
#define IMPORTERS_JSON_UNESCAPE_H

#include <stddef.h>

/* The bytes between the quotes, without their escapes, into to, which has room for as many bytes;
 * *len of them. NULL; or where the escape stands that is none: then nothing in to counts. A \u0000
 * becomes a NUL, which the caller has to look for. */
const char *json_unescape(const char *p, const char *end, char *to, size_t *len);

#endif
