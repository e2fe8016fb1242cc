/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as text. The C library prints a double that reads back the same in 400 ns; the C++
 * library's to_chars needs 54, so num.cc, the only C++ file, wraps it.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUM_MAX 32

#ifdef __cplusplus
extern "C" {
#endif
/* Writes the shortest decimal that reads back as v (finite) into buf of NUM_MAX bytes, without a
 * NUL; returns its length. It is valid JSON ("1e+30", "-0.0", "479042.68774902937"). */
size_t num_shortest(double v, char *buf);
/* The same, rounded to 1..17 significant digits, as printf's %g: "0.05", "1.23457e-09". */
size_t num_rounded(double v, int digits, char *buf);
#ifdef __cplusplus
}
#endif

/* A whole decimal integer in [min, max], no sign but '-', no spaces: true and *v, or false. */
bool num_parse_int(const char *s, int64_t min, int64_t max, int64_t *v);
/* A whole finite decimal number: true and *v, or false. */
bool num_parse_real(const char *s, double *v);

#endif
