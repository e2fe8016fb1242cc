/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value axis of a chart: its range, where a value lies on it, and round numbers along it. */
#ifndef VIEW_CHART_SCALE_H
#define VIEW_CHART_SCALE_H

#include <stddef.h>

#include "server/base/out.h"

#define CHART_TICKS_MAX 10

struct chart_scale {
	double low, high; /* finite, low < high */
};

/* A range around finite low <= high. It is never narrower than a 25th of the level, so that noise
 * of half a percent does not look like a mountain. */
void chart_scale_init(struct chart_scale *s, double low, double high);
/* 0 at low, 1 at high. */
double chart_scale_place(const struct chart_scale *s, double v);
/* Usually 4 to 6 values inside the range that are round when divided by divisor. */
size_t chart_scale_ticks(const struct chart_scale *s, double divisor,
			 double ticks[CHART_TICKS_MAX]);
/* A tick as text, already divided. */
void chart_scale_label(struct out *o, double v);

#endif
