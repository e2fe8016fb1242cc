/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in tables. Spreadsheets write "1,5" or "1,234.5" as the language of their user has it.
 * In a table with commas between its cells a comma in a cell groups digits; in one with semicolons
 * it does either, and the numbers of the table must tell: "1,5" can only be a fraction, "1,234.5"
 * only a grouped one, and "0.5" is none where commas are decimal signs. Where all are like "1,234"
 * nothing is guessed.
 */
#include "importers/csv.h"

#include <string.h>

#include "server/base/num.h"

#define NUMBER_MAX 60 /* bytes */

static size_t count_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Whole digits grouped by threes, then perhaps a fraction behind the other sign: copies it without
 * the groups. */
static bool read_grouped(const char *s, char group, char point, char *out)
{
	size_t n, groups = 0;

	if (*s == '-' || *s == '+')
		*out++ = *s++;
	n = count_digits(s);
	if (n < 1 || n > 3)
		return false;
	while (n) {
		memcpy(out, s, n);
		out += n;
		s += n;
		if (*s != group)
			break;
		s++;
		groups++;
		n = count_digits(s);
		if (n != 3)
			return false;
	}
	if (*s == point) {
		*out++ = '.';
		s++;
		n = count_digits(s);
		memcpy(out, s, n);
		out += n;
		s += n;
	}
	*out = '\0';
	return groups > 0 && !*s;
}

/* "1,5" and "12,5e-3": the only comma is the point. */
static bool read_fraction(const char *s, char *out)
{
	const char *comma = strchr(s, ',');

	if (!comma || strchr(comma + 1, ',') || strchr(s, '.') || count_digits(comma + 1) == 0)
		return false;
	memcpy(out, s, strlen(s) + 1);
	out[comma - s] = '.';
	return true;
}

bool csv_number(const char *cell, enum csv_comma comma, double *v)
{
	char plain[NUMBER_MAX + 1];

	if (strlen(cell) > NUMBER_MAX)
		return num_parse_real(cell, v);
	if (comma == CSV_COMMA_DECIMAL && strpbrk(cell, ",."))
		return (read_grouped(cell, '.', ',', plain) || read_fraction(cell, plain)) &&
		       num_parse_real(plain, v);
	if (comma == CSV_COMMA_GROUPS && strchr(cell, ','))
		return read_grouped(cell, ',', '.', plain) && num_parse_real(plain, v);
	return num_parse_real(cell, v);
}

unsigned csv_comma_told(const char *cell)
{
	double v;

	return (csv_number(cell, CSV_COMMA_GROUPS, &v) ? CSV_IF_GROUPS : 0U) |
	       (csv_number(cell, CSV_COMMA_DECIMAL, &v) ? CSV_IF_DECIMAL : 0U);
}
