/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One metric over commits as an SVG picture, made on the server: works without scripts, prints,
 * scales with its width, and takes its colours from the style sheet's classes (chart-line,
 * chart-band, chart-dot, chart-aside, chart-change, chart-level, chart-axis, chart-grid,
 * chart-label, chart-mark). Axes carry names and units; each point has a <title> and links to its
 * commit; single values are drawn as small dots. Pure.
 */
#ifndef VIEW_CHART_H
#define VIEW_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/out.h"

struct url;

struct chart_point {
	const char *label;      /* under the axis and in the title: the commit's short name */
	const char *subject;    /* may be NULL */
	const struct url *link; /* may be NULL */
	double mean, stddev;    /* stddev NAN: unknown. mean NAN: a gap */
	double min, max;
	const double *values; /* may be NULL */
	size_t n;
	bool aside;       /* beside the line, which goes past it: a hollow mark */
	const char *mark; /* what is another from here on, told at a dashed upright; may be NULL */
};

/* A fitted level: a straight line from one point to another. */
struct chart_level {
	size_t first, last;
	double at_first, at_last;
};

struct chart {
	const char *title;  /* read by screen readers */
	const char *x_name; /* "commits, oldest first" */
	const char *y_name; /* metric */
	const char *y_unit; /* may be NULL */
	const char *better; /* "higher is better", or NULL */
	const struct chart_point *points;
	size_t n;
	const struct chart_level *levels; /* drawn over all else, without a label */
	size_t nlevels;
};

/* Writes <svg>…</svg>. With no points: a sentence instead of a picture. */
void chart_history(struct out *o, const struct chart *c);
/* A row of bars or dots without axes, about one line of text high, for lists. */
void chart_spark(struct out *o, const double *means, size_t n);

#endif
