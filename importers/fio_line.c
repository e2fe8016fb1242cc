/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio prints figures with four digits and a letter, times in the unit that suits them, and sizes
 * both in powers of 1024 and of 1000: "IOPS=13.8k, BW=53.8MiB/s (56.4MB/s)(2368KiB/43msec)".
 */
#include "importers/fio_line.h"

#include <math.h>

#include "importers/text_lines.h"

double fio_scaled(double v, double factor)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g", v * factor);
	return strtod(text, NULL);
}

const char *fio_line_find(const struct fio_line *l, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = l->s; (p = strstr(p, key)); p += n) {
		bool begins = p == l->s || strchr(" \t,(:", p[-1]);

		if (begins && p[n] == '=')
			return p + n + 1;
	}
	return NULL;
}

double fio_line_value(const struct fio_line *l, const char *key)
{
	const char *p = fio_line_find(l, key);
	double v;

	if (!p)
		return (double)NAN;
	if (!text_number(&p, false, &v)) {
		if (strspn(p, " -") + 3 <= strlen(p) && strstr(p, "nan") == p + strspn(p, " -"))
			return (double)NAN; /* fio divided by 0 */
		fault(l->ctx, "", "line %ld: \"%.40s\" of %.40s is no number", l->number, p, key);
		return (double)NAN;
	}
	return fio_scaled(v, text_scale(&p));
}

bool fio_line_unit(const struct fio_line *l, char *unit, size_t size)
{
	const char *p = strchr(l->s, '('), *end = p ? strchr(p, ')') : NULL;
	size_t n;

	if (!end)
		return false;
	p++;
	while (*p == ' ')
		p++;
	n = p < end ? (size_t)(end - p) : 0;
	if (!n || n >= size)
		return false;
	memcpy(unit, p, n);
	unit[n] = '\0';
	return true;
}

double fio_time_factor(const char *unit)
{
	static const struct {
		const char *name;
		double us;
	} units[] = {{"nsec", 1e-3}, {"usec", 1}, {"msec", 1e3}, {"sec", 1e6}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].us;
	return 0;
}

double fio_size_factor(const char *unit, bool old)
{
	static const char letters[] = "kmgtp";
	const char *letter = *unit ? strchr(letters, *unit | 0x20) : NULL;
	double bytes = 1, base;

	if (*unit == 'B')
		return 1.0 / 1024;
	if (!letter)
		return 0;
	base = unit[1] == 'i' || old ? 1024 : 1000;
	for (const char *l = letters; l <= letter; l++)
		bytes *= base;
	return bytes / 1024;
}

double fio_size(const char **p, bool old)
{
	double v, factor;

	if (!text_number(p, false, &v))
		return (double)NAN;
	factor = fio_size_factor(*p, old);
	while (**p && !strchr(" ,()-", **p))
		++*p;
	return factor > 0 ? fio_scaled(v, factor) : (double)NAN;
}
