/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of every HTML page, and the pieces that pages share. */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdint.h>

#include "server/base/out.h"

struct arena;
struct url;

struct page_frame {
	const char *title; /* of the page, escaped here */
	const char *nav; /* which entry of the navigation is lit: "series", "machines" …, or NULL */
	const char *css_href; /* hashed names of the static files, from assets */
	const char *js_href;
	const char *query; /* text that stands in the search box, or NULL */
	const char *const
		*forms; /* "JSON", href, "text", href, …, NULL: the page's other forms; or NULL */
};

/* <!doctype html> up to <main> and the <h1>. */
void layout_begin(struct out *o, const struct page_frame *l);
/* </main>, footer, end. */
void layout_end(struct out *o);

/* A value in words people read: 479042, 12.3, 4.77e+10 — at most 4 significant digits unless it is
 * a whole number below 1e8. NAN: "–". */
void layout_value(struct out *o, double v);
/* With the unit in readable form: "2.34 ms" for 2343000 ns, "1.2 GB/s". unit NULL: plain. */
void layout_quantity(struct out *o, double v, const char *unit);
/* The figure as a report mail prints it, unscaled, with its unit small beside it: a reader who
 * comes from a mail finds it again. unit NULL: plain. */
void layout_figure(struct out *o, double v, const char *unit);
/* "-12.5 %" with sign; NAN: "–"; infinity: "from 0". */
void layout_percent(struct out *o, double pct);
/* <time datetime="…">2023-07-20 03:01</time> */
void layout_time(struct out *o, int64_t t);
/* The link to the next page of a list, or nothing when next is NULL. */
void layout_pager(struct out *o, const struct url *next);

#endif
