/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chart of samples. Dots that would hide each other are stacked, in the order of their values,
 * so that the picture does not depend on the order of the runs.
 */
#include "server/view/chart_samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "server/view/chart_scale.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/unit.h"

#define WIDTH      960
#define LEFT       16
#define RIGHT      24
#define TOP        44
#define LANE       56 /* height of one */
#define NAME       14 /* of it, for the name */
#define STACK      4  /* dots on each other; more begin again in between */
#define DOT        8  /* across, with the gap to the next */
#define AXIS       40
#define PLOT_WIDTH (WIDTH - LEFT - RIGHT)
#define DOTS_MAX   2000
#define NAME_BYTES 100

struct plot {
	struct out *o;
	const struct sample_chart *c;
	struct chart_scale x;
	struct unit_scale unit;
	double floor;
};

static void put_coordinate(struct out *o, double v)
{
	out_num(o, round(v * 10) / 10 + 0.0);
}

static double x_of(const struct plot *p, double v)
{
	return LEFT + PLOT_WIDTH * chart_scale_place(&p->x, v);
}

static void put_cut(struct out *o, const char *s)
{
	size_t n = strlen(s);

	if (n > NAME_BYTES)
		for (n = NAME_BYTES; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			;
	html_text(o, s, n);
	if (s[n])
		html(o, "…");
}

static bool find_range(struct plot *p)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t k = 0; k < p->c->n; k++) {
		for (size_t i = 0; i < p->c->lanes[k].n; i++) {
			low = fmin(low, p->c->lanes[k].values[i]);
			high = fmax(high, p->c->lanes[k].values[i]);
		}
	}
	if (low > high)
		return false;
	chart_scale_init(&p->x, low, high);
	return true;
}

static int by_value(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* Each lane stands on its own line, dots above it. */
static void put_dots(const struct plot *p, const struct sample_lane *l, double line)
{
	double sorted[DOTS_MAX], last = -INFINITY;
	size_t every = (l->n + DOTS_MAX - 1) / DOTS_MAX, n = 0, height = 0;

	for (size_t i = 0; i < l->n; i += every)
		sorted[n++] = l->values[i];
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (size_t i = 0; i < n; i++) {
		double x = x_of(p, sorted[i]);

		height = x - last < DOT ? (height + 1) % STACK : 0;
		if (height == 0)
			last = x;
		html(p->o, "<circle class=\"chart-mark\" r=\"3.5\" cx=\"");
		put_coordinate(p->o, x);
		html(p->o, "\" cy=\"");
		put_coordinate(p->o, line - 6 - DOT * (double)height);
		html(p->o, "\"><title>");
		layout_quantity(p->o, sorted[i], p->c->x_unit);
		html(p->o, "</title></circle>\n");
	}
}

static void put_lane(const struct plot *p, size_t k)
{
	const struct sample_lane *l = &p->c->lanes[k];
	double top = TOP + LANE * (double)k, line = top + LANE - 4;

	html(p->o, "<text class=\"chart-label chart-name\" x=\"%d\" y=\"", LEFT);
	put_coordinate(p->o, top + NAME - 2);
	html(p->o, "\">");
	put_cut(p->o, l->name);
	html(p->o, "</text>\n<path class=\"chart-grid\" d=\"M%d ", LEFT);
	put_coordinate(p->o, line);
	html(p->o, "h%d\"/>\n", PLOT_WIDTH);
	if (l->n && isfinite(l->mean)) {
		html(p->o, "<path class=\"chart-level\" d=\"M");
		put_coordinate(p->o, x_of(p, l->mean));
		out_char(p->o, ' ');
		put_coordinate(p->o, top + NAME + 2);
		out_char(p->o, 'V');
		put_coordinate(p->o, line);
		html(p->o, "\"/>\n");
	}
	put_dots(p, l, line);
}

static void put_axis(const struct plot *p)
{
	struct out *o = p->o;
	double ticks[CHART_TICKS_MAX];
	size_t n = chart_scale_ticks(&p->x, p->unit.divisor, ticks);

	for (size_t i = 0; i < n; i++) {
		html(o, "<path class=\"chart-grid\" d=\"M");
		put_coordinate(o, x_of(p, ticks[i]));
		html(o, " %dV", TOP);
		put_coordinate(o, p->floor + 4);
		html(o, "\"/><text class=\"chart-label\" text-anchor=\"middle\" x=\"");
		put_coordinate(o, x_of(p, ticks[i]));
		html(o, "\" y=\"");
		put_coordinate(o, p->floor + 18);
		html(o, "\">");
		chart_scale_label(o, ticks[i] / p->unit.divisor);
		html(o, "</text>\n");
	}
	html(o, "<path class=\"chart-axis\" d=\"M%d ", LEFT);
	put_coordinate(o, p->floor + 4);
	html(o, "h%d\"/>\n<text class=\"chart-label\" text-anchor=\"end\" x=\"%d\" y=\"",
	     PLOT_WIDTH, LEFT + PLOT_WIDTH);
	put_coordinate(o, p->floor + 34);
	html(o, "\">a dot a run, the upright is the mean</text>\n");
}

static void put_names(const struct plot *p)
{
	struct out *o = p->o;

	html(o, "<text class=\"chart-label chart-name\" x=\"%d\" y=\"16\">", LEFT);
	put_cut(o, p->c->x_name);
	if (*p->unit.name)
		html(o, " (%s)", p->unit.name);
	html(o, "</text>\n");
	if (p->c->better)
		html(o, "<text class=\"chart-label\" x=\"%d\" y=\"34\">%s</text>\n", LEFT,
		     p->c->better);
}

/* "6 runs of 7bc162d5cc from 476796 to 480692 KB/s, mean 479043 KB/s." */
static void put_words(const struct plot *p)
{
	struct out *o = p->o;

	html(o, "%s.", p->c->title);
	for (size_t k = 0; k < p->c->n; k++) {
		const struct sample_lane *l = &p->c->lanes[k];
		double low = INFINITY, high = -INFINITY;

		for (size_t i = 0; i < l->n; i++) {
			low = fmin(low, l->values[i]);
			high = fmax(high, l->values[i]);
		}
		html(o, " %zu %s of %s", l->n, l->n == 1 ? "run" : "runs", l->name);
		if (l->n) {
			html(o, " from ");
			layout_quantity(o, low, p->c->x_unit);
			html(o, " to ");
			layout_quantity(o, high, p->c->x_unit);
			html(o, ", mean ");
			layout_quantity(o, l->mean, p->c->x_unit);
		}
		html(o, ".");
	}
}

void chart_samples(struct out *o, const struct sample_chart *c)
{
	struct plot p = {.o = o, .c = c};

	if (!find_range(&p)) {
		html(o, "<p class=\"empty\">Nothing to draw: there are no samples.</p>\n");
		return;
	}
	p.unit = unit_scale_for(fmax(fabs(p.x.low), fabs(p.x.high)), c->x_unit);
	p.floor = TOP + LANE * (double)c->n;
	html(o,
	     "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
	     "width=\"100%%\" role=\"img\" aria-label=\"",
	     WIDTH, p.floor + AXIS);
	put_words(&p);
	html(o, "\">\n");
	put_names(&p);
	put_axis(&p);
	for (size_t k = 0; k < c->n; k++)
		put_lane(&p, k);
	html(o, "</svg>\n");
}
