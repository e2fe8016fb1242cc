/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chart of percentiles: levels above, differences below, one axis under both. A shift of every
 * operation by the same time is hard to see among levels that grow sixfold, and a straight line
 * among differences.
 */
#include "server/view/chart_percentiles.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "server/view/chart_scale.h"
#include "server/view/html.h"
#include "server/view/unit.h"

#define WIDTH        960
#define LEFT         76
#define RIGHT        24
#define INSET        28
#define LEGEND_LINE  20
#define NAME_HEIGHT  38
#define LEVELS       220 /* height of the plot of values */
#define GAP          40  /* between the plots, for the name of the lower one */
#define DIFFERENCES  120
#define AXIS_HEIGHT  46
#define PLOT_WIDTH   (WIDTH - LEFT - RIGHT)
#define LABEL_GAP    44 /* between two labels of the axis */
#define EDGE         1e-4
#define LABEL_BYTES  60
#define SCALED_ABOVE 1e6 /* larger values are shown in a larger unit */

struct plot {
	struct out *o;
	const struct percentile_chart *c;
	struct chart_scale y;
	double top, height;
	double left_end, right_end; /* of the axis, by spread() */
	struct unit_scale unit;
	bool differences;
};

static void put_coordinate(struct out *o, double v)
{
	out_num(o, round(v * 10) / 10 + 0.0);
}

static void put_xy(struct out *o, char command, double x, double y)
{
	out_char(o, command);
	put_coordinate(o, x);
	out_char(o, ' ');
	put_coordinate(o, y);
}

/* ln(p / (1 - p)), the ends at a ten-thousandth of a percent. */
static double spread(double percentile)
{
	double p = fmin(fmax(percentile, EDGE), 100 - EDGE);

	return log(p / (100 - p));
}

static double x_of(const struct plot *p, size_t i)
{
	double range = p->right_end - p->left_end;

	if (range <= 0)
		return LEFT + PLOT_WIDTH / 2.0;
	return LEFT + INSET +
	       (spread(p->c->at[i]) - p->left_end) / range * (PLOT_WIDTH - 2.0 * INSET);
}

static double y_of(const struct plot *p, double v)
{
	return p->top + p->height * (1 - chart_scale_place(&p->y, v));
}

/* What is drawn of a line in this plot; NAN: nothing. */
static double value_of(const struct plot *p, size_t line, size_t i)
{
	const struct percentile_line *l = &p->c->lines[line];

	if (!p->differences)
		return l->values[i];
	if (l->base == line)
		return (double)NAN;
	return l->values[i] - p->c->lines[l->base].values[i];
}

/* The range of all that this plot shows; false: nothing. */
static bool find_range(struct plot *p)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t k = 0; k < p->c->nlines; k++) {
		for (size_t i = 0; i < p->c->n; i++) {
			double v = value_of(p, k, i);

			if (!isfinite(v))
				continue;
			low = fmin(low, v);
			high = fmax(high, v);
		}
	}
	if (low > high)
		return false;
	if (p->differences) {
		low = fmin(low, 0);
		high = fmax(high, 0);
	}
	chart_scale_init(&p->y, low, high);
	return true;
}

static void put_cut(struct out *o, const char *s)
{
	size_t n = strlen(s);

	if (n > LABEL_BYTES)
		for (n = LABEL_BYTES; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			;
	html_text(o, s, n);
	if (s[n])
		html(o, "…");
}

/* A mark around (x, y): circle, square, triangle, diamond; hollow from the fifth line on. */
static void put_mark(struct out *o, size_t line, double x, double y)
{
	html(o, "<path class=\"chart-mark line-%zu%s\" d=\"", line, line < 4 ? " chart-full" : "");
	switch (line % 4) {
	case 0:
		put_xy(o, 'M', x - 3.5, y);
		html(o, "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z");
		break;
	case 1:
		put_xy(o, 'M', x - 3.5, y - 3.5);
		html(o, "h7v7h-7z");
		break;
	case 2:
		put_xy(o, 'M', x, y - 4.5);
		html(o, "l4.5 8h-9z");
		break;
	default:
		put_xy(o, 'M', x, y - 5);
		html(o, "l5 5l-5 5l-5 -5z");
	}
	html(o, "\"/>");
}

static void put_legend(struct out *o, const struct percentile_chart *c)
{
	for (size_t k = 0; k < c->nlines; k++) {
		double y = 14 + LEGEND_LINE * (double)k;

		html(o, "<path class=\"chart-line line-%zu\" d=\"", k);
		put_xy(o, 'M', LEFT, y);
		html(o, "h44\"/>");
		put_mark(o, k, LEFT + 22, y);
		html(o, "<text class=\"chart-label chart-name\" x=\"%d\" y=\"", LEFT + 54);
		put_coordinate(o, y + 4);
		html(o, "\">");
		put_cut(o, c->lines[k].name);
		html(o, "</text>\n");
	}
}

static void put_y_axis(const struct plot *p)
{
	struct out *o = p->o;
	double ticks[CHART_TICKS_MAX];
	size_t n = chart_scale_ticks(&p->y, p->unit.divisor, ticks);

	for (size_t i = 0; i < n; i++) {
		double y = y_of(p, ticks[i]);

		html(o, "<path class=\"%s\" d=\"",
		     p->differences && ticks[i] == 0 ? "chart-axis" : "chart-grid");
		put_xy(o, 'M', LEFT, y);
		html(o, "h%d\"/><text class=\"chart-label\" text-anchor=\"end\" x=\"%d\" y=\"",
		     PLOT_WIDTH, LEFT - 8);
		put_coordinate(o, y + 4);
		html(o, "\">%s", p->differences && ticks[i] > 0 ? "+" : "");
		chart_scale_label(o, ticks[i] / p->unit.divisor);
		html(o, "</text>\n");
	}
	html(o, "<path class=\"chart-axis\" d=\"");
	put_xy(o, 'M', LEFT, p->top);
	out_char(o, 'V');
	put_coordinate(o, p->top + p->height);
	html(o, "H%d\"/>\n", WIDTH - RIGHT);
}

static void put_name(const struct plot *p)
{
	struct out *o = p->o;

	html(o, "<text class=\"chart-label chart-name\" x=\"8\" y=\"");
	put_coordinate(o, p->top - 10);
	html(o, "\">");
	if (p->differences)
		html(o, "Difference");
	else
		put_cut(o, p->c->y_name);
	if (*p->unit.name)
		html(o, " (%s)", p->unit.name);
	html(o, "</text>\n");
}

static void put_lines(const struct plot *p)
{
	for (size_t k = 0; k < p->c->nlines; k++) {
		bool drawing = false, any = false;

		for (size_t i = 0; i < p->c->n; i++) {
			double v = value_of(p, k, i);

			if (!isfinite(v))
				continue;
			if (!any)
				html(p->o, "<path class=\"chart-line line-%zu\" d=\"", k);
			any = true;
			put_xy(p->o, drawing ? 'L' : 'M', x_of(p, i), y_of(p, v));
			drawing = true;
		}
		if (any)
			html(p->o, "\"/>\n");
	}
}

static void put_signed(struct out *o, double v)
{
	if (v > 0)
		out_char(o, '+');
	unit_put_printed(o, v);
}

/* "99.00th: before 8291 us, after 10159 us (+1868)" */
static void put_title(const struct plot *p, size_t i)
{
	const struct percentile_chart *c = p->c;
	struct out *o = p->o;

	html(o, "<title>%sth: ", c->names[i]);
	for (size_t k = 0; k < c->nlines; k++) {
		const struct percentile_line *l = &c->lines[k];
		double by = l->values[i] - c->lines[l->base].values[i];

		if (k)
			html(o, ", ");
		put_cut(o, l->name);
		html(o, " ");
		unit_put_printed(o, l->values[i]);
		if (c->y_unit && isfinite(l->values[i]))
			html(o, " %s", c->y_unit);
		if (l->base != k && isfinite(by)) {
			html(o, " (");
			put_signed(o, by);
			html(o, ")");
		}
	}
	html(o, "</title>");
}

static void put_marks(const struct plot *p)
{
	for (size_t i = 0; i < p->c->n; i++) {
		html(p->o, "<g>");
		put_title(p, i);
		for (size_t k = 0; k < p->c->nlines; k++) {
			double v = value_of(p, k, i);

			if (isfinite(v))
				put_mark(p->o, k, x_of(p, i), y_of(p, v));
		}
		html(p->o, "</g>\n");
	}
}

/* Names the i-th percentile on the axis unless another is too near. */
static void name_one(const struct plot *p, size_t i, bool *named)
{
	for (size_t other = 0; other < p->c->n; other++) {
		if (named[other] && fabs(x_of(p, i) - x_of(p, other)) < LABEL_GAP)
			return;
	}
	named[i] = true;
}

/* Which percentiles are named on the axis: those that people ask for first, then what fits. */
static void choose_labels(const struct plot *p, bool *named)
{
	static const double first[] = {50, 99, 1, 99.9, 99.99, 90, 10};

	for (size_t k = 0; k < sizeof(first) / sizeof(first[0]); k++) {
		for (size_t i = 0; i < p->c->n; i++) {
			if (p->c->at[i] == first[k])
				name_one(p, i, named);
		}
	}
	for (size_t i = 0; i < p->c->n; i++)
		name_one(p, i, named);
}

static void put_x_axis(const struct plot *p, const bool *named)
{
	struct out *o = p->o;
	double floor = p->top + p->height;

	for (size_t i = 0; i < p->c->n; i++) {
		if (!named[i])
			continue;
		html(o, "<text class=\"chart-label\" text-anchor=\"middle\" x=\"");
		put_coordinate(o, x_of(p, i));
		html(o, "\" y=\"");
		put_coordinate(o, floor + 16);
		html(o, "\">%s</text>\n", p->c->names[i]);
	}
	html(o, "<text class=\"chart-label\" text-anchor=\"middle\" x=\"%d\" y=\"",
	     LEFT + PLOT_WIDTH / 2);
	put_coordinate(o, floor + 36);
	html(o, "\">percentile of operations</text>\n");
}

/* The figures themselves, where there is one line of them. */
static void put_differences(const struct plot *p, const bool *named)
{
	struct out *o = p->o;

	for (size_t i = 0; i < p->c->n && p->c->nlines == 2; i++) {
		double v = value_of(p, 1, i);

		if (!named[i] || !isfinite(v))
			continue;
		html(o, "<text class=\"chart-label\" text-anchor=\"middle\" x=\"");
		put_coordinate(o, x_of(p, i));
		html(o, "\" y=\"");
		put_coordinate(o, y_of(p, v) + (v < 0 ? 18 : -9));
		html(o, "\">");
		put_signed(o, round(v / p->unit.divisor * 1e3) / 1e3);
		html(o, "</text>\n");
	}
}

static struct unit_scale scale_of(double size, const char *unit)
{
	if (size < SCALED_ABOVE)
		return (struct unit_scale){1, unit ? unit : ""};
	return unit_scale_for(size, unit);
}

/* One of the two plots; the lower one names the axis. */
static void put_plot(const struct plot *p)
{
	put_name(p);
	put_y_axis(p);
	put_lines(p);
	put_marks(p);
}

void chart_percentiles(struct out *o, const struct percentile_chart *c)
{
	struct plot levels = {.o = o, .c = c, .height = LEVELS}, lower;
	bool named[PERCENTILES_DRAWN_MAX] = {false};
	bool compared;

	assert(c->n <= PERCENTILES_DRAWN_MAX && c->nlines <= PERCENTILE_LINES_MAX);
	if (!c->n || !find_range(&levels))
		return;
	levels.top = LEGEND_LINE * (double)c->nlines + NAME_HEIGHT;
	levels.left_end = spread(c->at[0]);
	levels.right_end = spread(c->at[c->n - 1]);
	levels.unit = scale_of(fmax(fabs(levels.y.low), fabs(levels.y.high)), c->y_unit);
	lower = levels;
	lower.differences = true;
	compared = find_range(&lower);
	if (compared) {
		lower.top = levels.top + LEVELS + GAP;
		lower.height = DIFFERENCES;
	} else {
		lower = levels;
	}
	choose_labels(&lower, named);
	html(o,
	     "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
	     "width=\"100%%\" role=\"img\" aria-label=\"%s\">\n",
	     WIDTH, lower.top + lower.height + AXIS_HEIGHT, c->title);
	put_legend(o, c);
	put_plot(&levels);
	if (compared) {
		put_plot(&lower);
		put_differences(&lower, named);
	}
	put_x_axis(&lower, named);
	html(o, "</svg>\n");
}
