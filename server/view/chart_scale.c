/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic of a chart's value axis. Values may be anything a double can hold, so differences
 * are only taken after dividing by the largest, where nothing overflows.
 */
#include "server/view/chart_scale.h"

#include <float.h>
#include <math.h>

#include "server/base/num.h"

#define LEAST_RANGE 0.04 /* of the level */
#define MARGIN      0.05 /* of the range, above and below */

static double clamp(double v)
{
	return fmax(-DBL_MAX, fmin(DBL_MAX, v));
}

void chart_scale_init(struct chart_scale *s, double low, double high)
{
	double size = fmax(fabs(low), fabs(high));
	double range, middle, half;

	if (size == 0) {
		*s = (struct chart_scale){-1, 1};
		return;
	}
	range = high / size - low / size;
	middle = (high / size + low / size) / 2;
	half = fmax(range, LEAST_RANGE) * (0.5 + MARGIN);
	s->low = clamp((middle - half) * size);
	s->high = clamp((middle + half) * size);
	/* Nothing below zero: do not draw an axis that goes there. */
	if (low >= 0 && s->low < 0)
		s->low = 0;
	if (!(s->low < s->high)) /* the last bits of a denormal */
		s->high = s->low + DBL_MIN;
}

double chart_scale_place(const struct chart_scale *s, double v)
{
	double size = fmax(fabs(s->low), fabs(s->high));

	return (v / size - s->low / size) / (s->high / size - s->low / size);
}

/* Puts the multiples of step from low to high into ticks; returns how many, at most max. */
static size_t multiples(double low, double high, double step, double *ticks, size_t max)
{
	double from = ceil(low / step), to = floor(high / step);
	size_t n = 0;

	for (double k = from; k <= to && n < max; k++)
		ticks[n++] = k * step + 0.0;
	return n;
}

size_t chart_scale_ticks(const struct chart_scale *s, double divisor, double ticks[CHART_TICKS_MAX])
{
	static const double round_numbers[] = {10, 5, 4, 2.5, 2, 1};
	double low = s->low / divisor, high = s->high / divisor;
	double size = fmax(fabs(low), fabs(high));
	double quarter = (high / size - low / size) / 4 * size;
	double power = pow(10, floor(log10(quarter)));
	size_t n = 0;

	/* From the coarsest on: the first step that gives four ticks. */
	for (size_t i = 0; i < sizeof(round_numbers) / sizeof(round_numbers[0]); i++) {
		n = multiples(low, high, round_numbers[i] * power, ticks, CHART_TICKS_MAX);
		if (n >= 4)
			break;
	}
	for (size_t i = 0; i < n; i++)
		ticks[i] *= divisor;
	return n;
}

void chart_scale_label(struct out *o, double v)
{
	char text[NUM_MAX];

	if (fabs(v) >= 1e6 && fabs(v) < 1e8)
		out_fmt(o, "%.0f", v);
	else
		out_bytes(o, text, num_rounded(v, 6, text));
}
