/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reference values in JSON files: the tests of analysis/ compare every value of every file with
 * what the code says. Files may be named on the command line; without, those in tests/data/ are
 * read, by a path from the top of the source tree.
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <cmocka.h>

static const char *const *reference_files;
static size_t reference_nfiles;

static inline json_t *reference_load(const char *path)
{
	json_error_t e;
	json_t *j = json_load_file(path, 0, &e);

	if (!j)
		fail_msg("%s: %s", path, e.text);
	return j;
}

/* A member that must be there: a number, or "nan", "inf", "-inf" as text; null is NAN. */
static inline double reference_number(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);

	if (!v)
		fail_msg("no %s", name);
	if (json_is_string(v))
		return strtod(json_string_value(v), NULL);
	return json_is_null(v) ? (double)NAN : json_number_value(v);
}

/* An array of numbers; the caller frees. */
static inline double *reference_array(const json_t *a, size_t *n)
{
	double *v;

	assert_true(json_is_array(a));
	*n = json_array_size(a);
	v = calloc(*n + 1, sizeof(*v));
	assert_non_null(v);
	for (size_t i = 0; i < *n; i++)
		v[i] = json_number_value(json_array_get(a, i));
	return v;
}

static inline double *reference_values(const json_t *o, const char *name, size_t *n)
{
	return reference_array(json_object_get(o, name), n);
}

/* Fails unless got is the member within the relative tolerance and 1e-12. */
static inline void reference_near(const char *where, const json_t *o, const char *name, double got,
				  double relative)
{
	double want = reference_number(o, name);

	if (isnan(want)   ? isnan(got)
	    : isinf(want) ? got == want
			  : fabs(got - want) <= 1e-12 + relative * fabs(want))
		return;
	fail_msg("%s %s: %.17g, not %.17g", where, name, got, want);
}

/* Command line or defaults. */
static inline void reference_choose(int argc, char **argv, const char *const *defaults, size_t n)
{
	reference_files = argc > 1 ? (const char *const *)argv + 1 : defaults;
	reference_nfiles = argc > 1 ? (size_t)argc - 1 : n;
}

#endif
