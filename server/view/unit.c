/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which unit a value is read best in. Only times and bytes are scaled, since only there all
 * readers agree on the names; KB is taken as 1000 B, KiB as 1024 B.
 */
#include "server/view/unit.h"

#include <math.h>

#include "server/base/num.h"

struct step {
	const char *name, *rate; /* "MB", "MB/s"; a time has no rate */
	const char *other;       /* a second spelling */
	double size;
};

#define STEPS 5

static const struct step families[][STEPS] = {
	{{"ns", NULL, "nsec", 1e-9},
	 {"µs", NULL, "us", 1e-6},
	 {"ms", NULL, "msec", 1e-3},
	 {"s", NULL, "sec", 1},
	 {NULL, NULL, NULL, 0}},
	{{"B", "B/s", "bytes", 1},
	 {"KB", "KB/s", "kB", 1e3},
	 {"MB", "MB/s", "mb", 1e6},
	 {"GB", "GB/s", "gb", 1e9},
	 {"TB", "TB/s", "tb", 1e12}},
	{{"B", "B/s", "bytes", 1},
	 {"KiB", "KiB/s", "kib", 0x1p10},
	 {"MiB", "MiB/s", "mib", 0x1p20},
	 {"GiB", "GiB/s", "gib", 0x1p30},
	 {"TiB", "TiB/s", "tib", 0x1p40}},
};

static bool matches(const char *unit, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(unit, name, n);
}

/* The row and step of a unit, rate set for "MB/s" and "MBps"; NULL: not one of ours. */
static const struct step *find_unit(const char *unit, const struct step **family, bool *rate)
{
	size_t n = strlen(unit);

	*rate = n > 2 && (!strcmp(unit + n - 2, "/s") || !strcmp(unit + n - 2, "ps"));
	if (*rate)
		n -= 2;
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		for (const struct step *s = families[f]; s < families[f] + STEPS; s++) {
			if (!s->name || (*rate && !s->rate))
				continue;
			if (matches(unit, n, s->name) || matches(unit, n, s->other)) {
				*family = families[f];
				return s;
			}
		}
	}
	return NULL;
}

struct unit_scale unit_scale_for(double size, const char *unit)
{
	struct unit_scale same = {1, unit ? unit : ""};
	const struct step *family, *from, *to;
	bool rate;

	from = unit && isfinite(size) && size != 0 ? find_unit(unit, &family, &rate) : NULL;
	if (!from)
		return same;
	to = family;
	/* 0.9995 is shown as 1 with three digits. */
	for (const struct step *s = family + 1; s < family + STEPS && s->name; s++) {
		if (fabs(size) * (from->size / s->size) >= 0.9995)
			to = s;
	}
	return (struct unit_scale){to->size / from->size, rate ? to->rate : to->name};
}

void unit_put_number(struct out *o, double v)
{
	char text[NUM_MAX];

	if (fabs(v) >= 99.95 && fabs(v) < 1e8)
		out_int(o, llround(v));
	else
		out_bytes(o, text, num_rounded(v, 3, text));
}

void unit_put_printed(struct out *o, double v)
{
	char text[NUM_MAX];

	if (isnan(v))
		out_str(o, "–");
	else if (isinf(v))
		out_str(o, v > 0 ? "∞" : "-∞");
	else if ((v == trunc(v) || fabs(v) >= 1e6) && fabs(v) < 1e15)
		out_int(o, llround(v));
	else
		out_bytes(o, text, num_rounded(v, 7, text));
}
