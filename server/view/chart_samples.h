/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All samples of a few commits as dots above one axis, a lane each, so that anyone sees whether the
 * runs of both sides overlap. An SVG picture made on the server, like chart.h; equal values stand
 * on each other, an upright is the mean. Said in words to a screen reader. Pure.
 */
#ifndef VIEW_CHART_SAMPLES_H
#define VIEW_CHART_SAMPLES_H

#include <stddef.h>

#include "server/base/out.h"

struct sample_lane {
	const char *name; /* the commit's short name */
	const double *values;
	size_t n;
	double mean;
};

struct sample_chart {
	const char *title;  /* read by screen readers */
	const char *x_name; /* metric */
	const char *x_unit; /* may be NULL */
	const char *better; /* "higher is better", or NULL */
	const struct sample_lane *lanes;
	size_t n;
};

/* Writes <svg>…</svg>; of a lane at most 2000 dots, evenly left out. Without values: a sentence. */
void chart_samples(struct out *o, const struct sample_chart *c);

#endif
