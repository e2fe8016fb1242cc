/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chart of one metric over commits. What is told by shape: line and ring for the mean, band for
 * +- one standard deviation, small dots for single values. The picture is one image to a screen
 * reader; the rings lie above it as links of their own. What grows with the data is bounded: dots
 * and rings are thinned, the line is not.
 */
#include "server/view/chart.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/view/chart_scale.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/unit.h"
#include "server/view/url.h"

#define WIDTH         960
#define LEFT          76
#define RIGHT         16
#define TOP           48
#define INSET         10 /* keeps the first and last point off the axis */
#define PLOT_WIDTH    (WIDTH - LEFT - RIGHT)
#define PLOT_HEIGHT   236
#define FLOOR         (TOP + PLOT_HEIGHT) /* where the plot ends and the labels begin */
#define LEVEL_HEIGHT  (FLOOR + 48)        /* of the picture with level labels */
#define TURNED_HEIGHT (FLOOR + 96)
#define DOTS_MAX      4000 /* single values drawn */
#define SMALL_RINGS   200  /* with more points than this they would hide the line */
#define RINGS_MAX     2500 /* points with title and link */
#define TAB_STOPS     40   /* with more points than this the keyboard goes past them */
#define LEVEL_LABELS  8    /* so many labels fit without being turned */
#define LABELS_MAX    48
#define LABEL_BYTES   16
#define NAME_BYTES    100

struct plot {
	struct out *o;
	const struct chart *c;
	struct chart_scale y;
	struct unit_scale unit;
	int height;
	size_t first, last; /* points with a mean */
	bool asides;        /* hollow marks say something: the others are full */
};

/* One decimal is a tenth of a pixel. */
static void put_coordinate(struct out *o, double v)
{
	out_num(o, round(v * 10) / 10 + 0.0); /* + 0.0 turns -0 into 0 */
}

static void put_xy(struct out *o, char command, double x, double y)
{
	out_char(o, command);
	put_coordinate(o, x);
	out_char(o, ' ');
	put_coordinate(o, y);
}

static double x_of(const struct plot *p, size_t i)
{
	if (p->c->n == 1)
		return LEFT + PLOT_WIDTH / 2.0;
	return LEFT + INSET + (double)i * (PLOT_WIDTH - 2 * INSET) / (double)(p->c->n - 1);
}

static double y_of(const struct plot *p, double v)
{
	return TOP + PLOT_HEIGHT * (1 - chart_scale_place(&p->y, v));
}

static bool has_mean(const struct chart_point *pt)
{
	return isfinite(pt->mean);
}

static bool has_band(const struct chart_point *pt)
{
	return has_mean(pt) && isfinite(pt->mean - pt->stddev) && isfinite(pt->mean + pt->stddev);
}

/* Text cut to about n bytes at a whole character. */
static void put_cut(struct out *o, const char *s, size_t n)
{
	size_t len = strlen(s);

	if (len > n) {
		while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
			n--;
		html_text(o, s, n);
		html(o, "…");
	} else {
		html_text(o, s, len);
	}
}

/* Takes in all that will be drawn; false when there is nothing. */
static bool find_range(struct plot *p)
{
	double low = INFINITY, high = -INFINITY;
	bool any = false;

	for (size_t i = 0; i < p->c->n; i++) {
		const struct chart_point *pt = &p->c->points[i];

		p->asides |= pt->aside;
		if (!has_mean(pt))
			continue;
		if (!any)
			p->first = i;
		p->last = i;
		any = true;
		low = fmin(low, pt->mean);
		high = fmax(high, pt->mean);
		if (has_band(pt)) {
			low = fmin(low, pt->mean - pt->stddev);
			high = fmax(high, pt->mean + pt->stddev);
		}
		for (size_t k = 0; pt->values && k < pt->n; k++) {
			if (isfinite(pt->values[k])) {
				low = fmin(low, pt->values[k]);
				high = fmax(high, pt->values[k]);
			}
		}
	}
	if (any)
		chart_scale_init(&p->y, low, high);
	return any;
}

static void put_y_axis(const struct plot *p)
{
	struct out *o = p->o;
	double ticks[CHART_TICKS_MAX];
	size_t n = chart_scale_ticks(&p->y, p->unit.divisor, ticks);

	for (size_t i = 0; i < n; i++) {
		double y = y_of(p, ticks[i]);

		html(o, "<path class=\"chart-grid\" d=\"");
		put_xy(o, 'M', LEFT, y);
		html(o, "h%d\"/><text class=\"chart-label\" text-anchor=\"end\" x=\"%d\" y=\"",
		     PLOT_WIDTH, LEFT - 8);
		put_coordinate(o, y + 4);
		html(o, "\">");
		chart_scale_label(o, ticks[i] / p->unit.divisor);
		html(o, "</text>\n");
	}
	html(o, "<path class=\"chart-axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, FLOOR,
	     WIDTH - RIGHT);
}

static void put_names(const struct plot *p)
{
	struct out *o = p->o;

	html(o, "<text class=\"chart-label chart-name\" x=\"8\" y=\"16\">");
	put_cut(o, p->c->y_name, NAME_BYTES);
	if (*p->unit.name)
		html(o, " (%s)", p->unit.name);
	html(o, "</text>\n");
	if (p->c->better)
		html(o, "<text class=\"chart-label\" x=\"8\" y=\"34\">%s</text>\n", p->c->better);
	html(o, "<text class=\"chart-label\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n",
	     LEFT + PLOT_WIDTH / 2, p->height - 6, p->c->x_name);
}

/* Every k-th label, counted from the newest, so that it is always there. */
static void put_x_labels(const struct plot *p)
{
	struct out *o = p->o;
	size_t n = p->c->n;
	size_t every = (n + LABELS_MAX - 1) / LABELS_MAX;
	int y = FLOOR + 16;

	for (size_t i = (n - 1) % every; i < n; i += every) {
		html(o, "<text class=\"chart-label\" ");
		if (n <= LEVEL_LABELS) {
			html(o, "text-anchor=\"%s\" x=\"",
			     n == 1 || (i > 0 && i < n - 1) ? "middle"
			     : i == 0                       ? "start"
							    : "end");
			put_coordinate(o, x_of(p, i));
			html(o, "\" y=\"%d", y);
		} else {
			html(o, "text-anchor=\"end\" transform=\"translate(");
			put_coordinate(o, x_of(p, i) + 4);
			html(o, " %d) rotate(-45)", y - 4);
		}
		html(o, "\">");
		put_cut(o, p->c->points[i].label, LABEL_BYTES);
		html(o, "</text>\n");
	}
}

/* The band over points [from, to), all of which have one or stand aside. */
static void put_band_piece(const struct plot *p, size_t from, size_t to, double wider)
{
	const struct chart_point *pts = p->c->points;
	char command = 'M';

	for (size_t i = from; i < to; i++) {
		if (pts[i].aside)
			continue;
		put_xy(p->o, command, x_of(p, i) - wider, y_of(p, pts[i].mean + pts[i].stddev));
		command = 'L';
		if (wider > 0)
			put_xy(p->o, 'L', x_of(p, i) + wider, y_of(p, pts[i].mean + pts[i].stddev));
	}
	for (size_t i = to; i-- > from;) {
		if (pts[i].aside)
			continue;
		put_xy(p->o, 'L', x_of(p, i) + wider, y_of(p, pts[i].mean - pts[i].stddev));
		if (wider > 0)
			put_xy(p->o, 'L', x_of(p, i) - wider, y_of(p, pts[i].mean - pts[i].stddev));
	}
	out_char(p->o, 'Z');
}

static void put_band(const struct plot *p)
{
	size_t i = p->first;

	html(p->o, "<path class=\"chart-band\" d=\"");
	while (i <= p->last) {
		size_t from = i, on_line = 0;

		while (i <= p->last && (p->c->points[i].aside || has_band(&p->c->points[i])))
			on_line += !p->c->points[i++].aside;
		/* A single point still gets a visible bar. */
		if (on_line)
			put_band_piece(p, from, i, on_line == 1 ? 4 : 0);
		if (i == from)
			i++;
	}
	html(p->o, "\"/>\n");
}

static void put_line(const struct plot *p)
{
	bool drawing = false;

	html(p->o, "<path class=\"chart-line\" d=\"");
	for (size_t i = p->first; i <= p->last; i++) {
		const struct chart_point *pt = &p->c->points[i];

		if (pt->aside)
			continue;
		if (has_mean(pt))
			put_xy(p->o, drawing ? 'L' : 'M', x_of(p, i), y_of(p, pt->mean));
		drawing = has_mean(pt);
	}
	html(p->o, "\"/>\n");
}

/* A dot is a line without length and with round ends: a fifth of the bytes of a circle. */
static void put_dots(const struct plot *p)
{
	size_t total = 0, every, seen = 0;

	for (size_t i = 0; i < p->c->n; i++)
		total += p->c->points[i].values ? p->c->points[i].n : 0;
	if (!total)
		return;
	every = (total + DOTS_MAX - 1) / DOTS_MAX;
	html(p->o, "<path class=\"chart-dot\" d=\"");
	for (size_t i = p->first; i <= p->last; i++) {
		const struct chart_point *pt = &p->c->points[i];

		for (size_t k = 0; pt->values && has_mean(pt) && k < pt->n; k++) {
			if (seen++ % every || !isfinite(pt->values[k]))
				continue;
			put_xy(p->o, 'M', x_of(p, i), y_of(p, pt->values[k]));
			html(p->o, "h0");
		}
	}
	html(p->o, "\"/>\n");
}

/* Where the setup changes: upright dashes half a step before the point, with the change as title.
 */
static void put_changes(const struct plot *p)
{
	for (size_t i = 0; i < p->c->n; i++) {
		const struct chart_point *pt = &p->c->points[i];
		double x = i ? (x_of(p, i - 1) + x_of(p, i)) / 2 : x_of(p, i) - INSET / 2.0;

		if (!pt->mark)
			continue;
		html(p->o, "<g><title>%s</title><path class=\"chart-change\" d=\"", pt->mark);
		put_xy(p->o, 'M', x, TOP);
		html(p->o, "V%d\"/></g>\n", FLOOR);
	}
}

static void put_levels(const struct plot *p)
{
	if (!p->c->nlevels)
		return;
	html(p->o, "<path class=\"chart-level\" d=\"");
	for (size_t i = 0; i < p->c->nlevels; i++) {
		const struct chart_level *l = &p->c->levels[i];

		if (!isfinite(l->at_first) || !isfinite(l->at_last))
			continue;
		put_xy(p->o, 'M', x_of(p, l->first), y_of(p, l->at_first));
		put_xy(p->o, 'L', x_of(p, l->last), y_of(p, l->at_last));
	}
	html(p->o, "\"/>\n");
}

/* "7bc162d5cc: 479 MB/s ± 1.38 MB/s, 6 values; mm/slub: Optimize …" */
static void put_title(const struct plot *p, const struct chart_point *pt)
{
	struct out *o = p->o;

	html(o, "<title>%s: ", pt->label);
	layout_quantity(o, pt->mean, p->c->y_unit);
	if (isfinite(pt->stddev)) {
		html(o, " ± ");
		layout_quantity(o, pt->stddev, p->c->y_unit);
	}
	if (pt->n > 1) {
		html(o, ", %zu values", pt->n);
		if (isfinite(pt->min) && isfinite(pt->max)) {
			html(o, " from ");
			layout_quantity(o, pt->min, p->c->y_unit);
			html(o, " to ");
			layout_quantity(o, pt->max, p->c->y_unit);
		}
	}
	if (pt->subject) {
		html(o, "; ");
		put_cut(o, pt->subject, NAME_BYTES);
	}
	html(o, "</title>");
}

static void put_ring(const struct plot *p, size_t i)
{
	struct out *o = p->o;
	const struct chart_point *pt = &p->c->points[i];

	put_title(p, pt);
	if (pt->aside)
		html(o, "<circle class=\"chart-mark chart-aside\" r=\"3.5\" cx=\"");
	else if (p->asides)
		html(o, "<circle class=\"chart-mark chart-full\" r=\"%d\" cx=\"",
		     p->c->n > SMALL_RINGS ? 2 : 4);
	else if (p->c->n > SMALL_RINGS)
		html(o, "<circle class=\"chart-mark chart-small\" r=\"2\" cx=\"");
	else
		html(o, "<circle class=\"chart-mark\" r=\"4\" cx=\"");
	put_coordinate(o, x_of(p, i));
	html(o, "\" cy=\"");
	put_coordinate(o, y_of(p, pt->mean));
	html(o, "\"/>");
}

static void put_rings(const struct plot *p)
{
	struct out *o = p->o;
	size_t every = (p->c->n + RINGS_MAX - 1) / RINGS_MAX;

	for (size_t i = p->first; i <= p->last; i++) {
		const struct chart_point *pt = &p->c->points[i];

		if (!has_mean(pt) || (p->last - i) % every)
			continue;
		if (!pt->link) {
			html(o, "<g>");
			put_ring(p, i);
			html(o, "</g>\n");
			continue;
		}
		html(o, "<a href=\"");
		html_url(o, pt->link);
		html(o, "\"");
		if (p->c->n > TAB_STOPS)
			html(o, " tabindex=\"-1\"");
		html(o, ">");
		put_ring(p, i);
		html(o, "</a>\n");
	}
}

/* What a screen reader says instead of the picture. */
static void put_summary(const struct plot *p)
{
	struct out *o = p->o;
	const struct chart_point *first = &p->c->points[p->first];
	const struct chart_point *last = &p->c->points[p->last];

	html(o, "%s. %zu points, from ", p->c->title, p->c->n);
	layout_quantity(o, first->mean, p->c->y_unit);
	html(o, " at %s to ", first->label);
	layout_quantity(o, last->mean, p->c->y_unit);
	html(o, " at %s.", last->label);
	if (p->c->better)
		html(o, " %s.", p->c->better);
}

void chart_history(struct out *o, const struct chart *c)
{
	struct plot p = {.o = o, .c = c};

	if (!find_range(&p)) {
		html(o, "<p class=\"empty\">Nothing to draw yet: no commit has a value.</p>\n");
		return;
	}
	p.height = c->n <= LEVEL_LABELS ? LEVEL_HEIGHT : TURNED_HEIGHT;
	p.unit = unit_scale_for(fmax(fabs(p.y.low), fabs(p.y.high)), c->y_unit);
	html(o,
	     "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
	     "width=\"100%%\">\n<g role=\"img\" aria-label=\"",
	     WIDTH, p.height);
	put_summary(&p);
	html(o, "\">\n");
	put_y_axis(&p);
	put_names(&p);
	put_x_labels(&p);
	put_band(&p);
	put_dots(&p);
	put_line(&p);
	put_levels(&p);
	html(o, "</g>\n<g>\n");
	put_changes(&p);
	put_rings(&p);
	html(o, "</g>\n</svg>\n");
}
