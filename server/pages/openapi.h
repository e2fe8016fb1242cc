/* SPDX-License-Identifier: GPL-2.0-or-later */
/* static/openapi.json, put into the program at build time (static/embed.c). */
#ifndef PAGES_OPENAPI_H
#define PAGES_OPENAPI_H

#include <stddef.h>

extern const unsigned char openapi_json[];
extern const size_t openapi_json_size;

#endif
