/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions as lines over their percentiles, as an SVG picture in the style of chart.h: one
 * above the other, and below them what each lies above or below the one it is held against. Lines
 * are told apart by dashes and the shape of their marks as well as by colour (classes line-0 …
 * line-7, chart-line, chart-mark); each percentile has a <title> with all its values. Pure.
 */
#ifndef VIEW_CHART_PERCENTILES_H
#define VIEW_CHART_PERCENTILES_H

#include <stddef.h>

#include "server/base/out.h"

#define PERCENTILE_LINES_MAX  8
#define PERCENTILES_DRAWN_MAX 200

struct percentile_line {
	const char *name;     /* in the legend */
	const double *values; /* one a percentile, NAN: none */
	size_t base;          /* the line it is held against; itself: none */
};

struct percentile_chart {
	const char *title;        /* read by screen readers */
	const char *y_name;       /* metric */
	const char *y_unit;       /* may be NULL */
	const double *at;         /* the percentiles, 0 to 100, ascending */
	const char *const *names; /* as they are printed, "99.00" */
	size_t n;                 /* at most PERCENTILES_DRAWN_MAX */
	const struct percentile_line *lines;
	size_t nlines; /* at most PERCENTILE_LINES_MAX */
};

/* Writes <svg>…</svg>. Without any value: nothing. The axis is that of ln(p / (100 - p)), which
 * gives both tails room; 0 and 100 stand at its ends. */
void chart_percentiles(struct out *o, const struct percentile_chart *c);

#endif
