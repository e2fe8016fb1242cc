/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of every page and the small pieces that all pages write alike. No styles or scripts
 * stand in the page itself: the policy that is sent with it would refuse them.
 */
#include "server/view/layout.h"

#include <math.h>

#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/view/html.h"
#include "server/view/unit.h"
#include "server/view/url.h"

#define NO_VALUE "–"

/* An address that is text already; still escaped as every address. */
static void put_href(struct out *o, const char *attribute, const char *address)
{
	struct url u = {(char *)address};

	html(o, " %s=\"", attribute);
	html_url(o, &u);
	html(o, "\"");
}

static void put_head(struct out *o, const struct page_frame *l)
{
	html(o,
	     "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s · Plumbline</title>\n",
	     l->title);
	if (l->css_href) {
		html(o, "<link rel=\"stylesheet\"");
		put_href(o, "href", l->css_href);
		html(o, ">\n");
	}
	if (l->js_href) {
		html(o, "<script defer");
		put_href(o, "src", l->js_href);
		html(o, "></script>\n");
	}
	html(o, "</head>\n");
}

static void put_navigation(struct out *o, const char *lit)
{
	static const struct {
		const char *key, *path, *text;
	} entries[] = {
		{"series", "/series", "Series"},
		{"machines", "/machines", "Machines"},
		{"runs", "/runs", "Runs"},
		{"findings", "/findings", "Findings"},
		{"paste", "/paste", "Paste"},
		{"reading", "/help/reading", "How to read a table"},
		{"upload", "/help/upload", "How to upload"},
	};

	html(o, "<nav aria-label=\"Main\"><ul>\n");
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		html(o, "<li><a");
		put_href(o, "href", entries[i].path);
		if (lit && !strcmp(lit, entries[i].key))
			html(o, " aria-current=\"page\"");
		html(o, ">%s</a></li>\n", entries[i].text);
	}
	html(o, "</ul></nav>\n");
}

static void put_search(struct out *o, const char *query)
{
	html(o,
	     "<form class=\"search\" role=\"search\" action=\"/search\" method=\"get\">\n"
	     "<label for=\"search-text\">Search</label>\n"
	     "<input id=\"search-text\" type=\"search\" name=\"q\" value=\"%s\" maxlength=\"300\" "
	     "placeholder=\"commit, metric, machine …\">\n"
	     "<button>Go</button>\n</form>\n",
	     query ? query : "");
}

static void put_forms(struct out *o, const char *const *forms)
{
	if (!forms || !forms[0])
		return;
	html(o, "<p class=\"forms\">This page as");
	for (; forms[0] && forms[1]; forms += 2) {
		html(o, " <a rel=\"alternate\"");
		put_href(o, "href", forms[1]);
		html(o, ">%s</a>", forms[0]);
	}
	html(o, "</p>\n");
}

void layout_begin(struct out *o, const struct page_frame *l)
{
	put_head(o, l);
	html(o, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
		"<header class=\"top\">\n<a class=\"brand\" href=\"/\">Plumbline</a>\n");
	put_navigation(o, l->nav);
	put_search(o, l->query);
	html(o, "</header>\n<main id=\"main\">\n<div class=\"page-head\">\n<h1>%s</h1>\n",
	     l->title);
	put_forms(o, l->forms);
	html(o, "</div>\n");
}

void layout_end(struct out *o)
{
	html(o, "</main>\n<footer>\n<p>Plumbline: which commit changed which metric, and how sure "
		"that is. All times are UTC.</p>\n<p><a");
	put_href(o, "href", "/repositories");
	html(o, ">Repositories</a></p>\n</footer>\n</body>\n</html>\n");
}

void layout_value(struct out *o, double v)
{
	char text[NUM_MAX];

	if (isnan(v))
		html(o, NO_VALUE);
	else if (isinf(v))
		html(o, "%s∞", v > 0 ? "" : "-");
	else if (fabs(v) >= 1e8 || fabs(v) < 1000)
		out_bytes(o, text, num_rounded(v, 4, text));
	else
		out_int(o, (int64_t)v); /* cut, as in the mails, so that both show the same */
}

void layout_quantity(struct out *o, double v, const char *unit)
{
	struct unit_scale scale = unit_scale_for(v, unit);

	if (!isfinite(v) || !*scale.name) {
		layout_value(o, v);
		return;
	}
	if (scale.divisor == 1)
		layout_value(o, v);
	else
		unit_put_number(o, v / scale.divisor);
	html(o, " %s", scale.name);
}

void layout_figure(struct out *o, double v, const char *unit)
{
	layout_value(o, v);
	if (unit && isfinite(v))
		html(o, " <small class=\"muted\">%s</small>", unit);
}

void layout_percent(struct out *o, double pct)
{
	if (isnan(pct))
		html(o, NO_VALUE);
	else if (isinf(pct))
		html(o, "from 0");
	else if (fabs(pct) < 100000)
		html(o, "%+.1f %%", pct);
	else
		html(o, "%+.2g %%", pct);
}

void layout_time(struct out *o, int64_t t)
{
	char full[TIME_TEXT], brief[TIME_TEXT];

	clock_rfc3339(t, full);
	clock_short(t, brief);
	if (*full)
		html(o, "<time datetime=\"%s\">%s</time>", full, brief);
	else
		html(o, NO_VALUE);
}

void layout_pager(struct out *o, const struct url *next)
{
	if (!next)
		return;
	html(o, "<nav class=\"pager\" aria-label=\"Pages\"><a rel=\"next\" href=\"");
	html_url(o, next);
	html(o, "\">Next page</a></nav>\n");
}
