/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must_fail(const char *file, int line, const char *what, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: not so: %s:", file, line, what);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

char *bytes_alone(const void *bytes, size_t n)
{
	char *copy = malloc(n + 1);

	must(copy);
	if (n)
		memcpy(copy, bytes, n);
	copy[n] = '\0';
	return copy;
}
