/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures in the lines of fio's output for people; for fio_text.c alone. */
#ifndef IMPORTERS_FIO_LINE_H
#define IMPORTERS_FIO_LINE_H

#include <stdbool.h>

#include "server/base/err.h"

/* A line and where it stands, for faults. */
struct fio_line {
	struct ctx *ctx;
	const char *s;
	long number;
};

/* The figure behind "key=", which stands at the line's beginning or behind a space, comma or
 * bracket; a k, M, G behind it counts thousands. NAN when the key is not there; a fault too when no
 * number follows it. */
double fio_line_value(const struct fio_line *l, const char *key);
/* What follows "key=" in the line, or NULL. */
const char *fio_line_find(const struct fio_line *l, const char *key);
/* The unit in the first brackets, "( MiB/s)" -> "MiB/s", into unit; false: none. */
bool fio_line_unit(const struct fio_line *l, char *unit, size_t size);

/* Microseconds in a unit of time that fio prints ("nsec", "usec", "msec", "sec"); 0: it is none. */
double fio_time_factor(const char *unit);
/* KiB in a unit of sizes ("KiB/s", "MB/s", "B/s", "kB", "m"); old: fio 2, whose KB has 1024 bytes;
 * 0: it is none. */
double fio_size_factor(const char *unit, bool old);
/* "53.8MiB/s (56.4MB/s)": the size in KiB; NAN: none. Moves *p behind the unit. */
double fio_size(const char **p, bool old);
/* v times a factor, without the last bits that the multiplication made up. */
double fio_scaled(double v, double factor);

#endif
