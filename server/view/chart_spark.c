/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chart of one line's height for lists: the last means as dots, the newest larger. The figures
 * stand beside it in the list, so screen readers pass it by. */
#include "server/view/chart.h"

#include <math.h>

#include "server/view/chart_scale.h"
#include "server/view/html.h"

#define HEIGHT   16
#define STEP     4
#define DOTS_MAX 60

void chart_spark(struct out *o, const double *means, size_t n)
{
	size_t from = n > DOTS_MAX ? n - DOTS_MAX : 0, shown = n - from, last = n;
	double low = INFINITY, high = -INFINITY;
	struct chart_scale scale;

	for (size_t i = from; i < n; i++) {
		if (!isfinite(means[i]))
			continue;
		low = fmin(low, means[i]);
		high = fmax(high, means[i]);
		last = i;
	}
	if (last == n)
		return;
	chart_scale_init(&scale, low, high);
	html(o, "<svg class=\"chart-spark\" aria-hidden=\"true\" width=\"%zu\" height=\"%d\">",
	     shown * STEP + STEP, HEIGHT);
	html(o, "<path class=\"chart-dot\" d=\"");
	for (size_t i = from; i <= last; i++) {
		if (!isfinite(means[i]))
			continue;
		if (i == last)
			html(o, "\"/><path class=\"chart-dot chart-last\" d=\"");
		html(o, "M%zu %.1fh0", (i - from) * STEP + STEP,
		     2 + (HEIGHT - 4) * (1 - chart_scale_place(&scale, means[i])));
	}
	html(o, "\"/></svg>");
}
