/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers from outside: the whole text must be the number, by our own grammar. strtod() alone
 * would take "0x10", "inf", leading spaces and, in some locales, a comma.
 */
#include "server/base/num.h"

#include <math.h>

#define REAL_TEXT_MAX 400 /* longer than any decimal a person or a program writes */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool num_parse_int(const char *s, int64_t min, int64_t max, int64_t *v)
{
	bool negative = *s == '-';
	uint64_t u = 0;
	int64_t i;

	if (negative)
		s++;
	if (!*s)
		return false;
	for (; *s; s++) {
		if (!is_digit(*s) || __builtin_mul_overflow(u, (uint64_t)10, &u) ||
		    __builtin_add_overflow(u, (uint64_t)(*s - '0'), &u))
			return false;
	}
	if (u > (uint64_t)INT64_MAX + negative)
		return false;
	i = negative ? (int64_t)(0 - u) : (int64_t)u;
	if (i < min || i > max)
		return false;
	*v = i;
	return true;
}

/* Steps over digits; false when there is none. */
static bool skip_digits(const char **p)
{
	const char *start = *p;

	while (is_digit(**p))
		(*p)++;
	return *p > start;
}

bool num_parse_real(const char *s, double *v)
{
	const char *p = s;
	double d;

	if (*p == '-' || *p == '+')
		p++;
	if (*p == '.') {
		p++;
		if (!skip_digits(&p))
			return false;
	} else {
		if (!skip_digits(&p))
			return false;
		if (*p == '.') {
			p++;
			skip_digits(&p);
		}
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '-' || *p == '+')
			p++;
		if (!skip_digits(&p))
			return false;
	}
	if (*p || p - s > REAL_TEXT_MAX)
		return false;
	d = strtod(s, NULL); /* the process keeps the "C" locale */
	if (!isfinite(d))
		return false;
	*v = d;
	return true;
}
