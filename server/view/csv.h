/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV by RFC 4180: fields with commas, quotes or line ends are quoted, lines end in CRLF. A text
 * that a spreadsheet would run as a formula (it begins with = + - @ tab or CR and is no number)
 * gets a ' in front.
 */
#ifndef VIEW_CSV_H
#define VIEW_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/out.h"

struct csv {
	struct out *o;
	bool inside; /* a field was written in this line */
};

void csv_init(struct csv *c, struct out *o);
void csv_str(struct csv *c, const char *s); /* NULL: an empty field */
void csv_int(struct csv *c, int64_t v);
void csv_num(struct csv *c, double v); /* NaN: an empty field */
void csv_end_line(struct csv *c);

#endif
