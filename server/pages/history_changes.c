/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the history page says of steps and drifts, in its forms. */
#include <math.h>

#include "server/base/arena.h"
#include "server/model/compare.h"
#include "server/pages/history.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static double percent_of(double from, double to)
{
	return from == 0 ? (double)NAN : 100 * (to - from) / fabs(from);
}

static void json_levels(struct jw *w, double before, double after)
{
	jw_num(w, "before", before);
	jw_num(w, "after", after);
	jw_num(w, "change_abs", after - before);
	jw_num(w, "change_pct", percent_of(before, after));
}

static void json_commit(struct jw *w, const char *name, const struct history_point *p)
{
	jw_obj(w, name);
	jw_str(w, "id", p->name);
	jw_str(w, "name", p->shown);
	jw_str(w, "subject", p->subject);
	jw_end(w);
}

static enum verdict drift_verdict(const struct metric *m, const struct level_stretch *s)
{
	if (m->facts.direction == DIRECTION_NONE || s->at_last == s->at_first)
		return VERDICT_CHANGED;
	return (s->at_last > s->at_first) == (m->facts.direction == DIRECTION_HIGHER)
		       ? VERDICT_IMPROVEMENT
		       : VERDICT_REGRESSION;
}

void history_changes_json(struct jw *w, const struct history *h,
			  const struct history_changes *found)
{
	jw_arr(w, "change_points");
	for (size_t i = 0; i < found->nsteps; i++) {
		const struct level_step *s = &found->steps[i];

		jw_obj(w, NULL);
		jw_int(w, "index", (int64_t)s->index);
		json_commit(w, "commit", &h->points[s->index]);
		json_levels(w, s->before, s->after);
		jw_str(w, "verdict", verdict_name(s->verdict));
		jw_end(w);
	}
	jw_end(w);
	jw_arr(w, "drifts");
	for (size_t i = 0; i < found->nstretches; i++) {
		const struct level_stretch *s = &found->stretches[i];

		if (!s->drift)
			continue;
		jw_obj(w, NULL);
		jw_int(w, "first", (int64_t)s->first);
		jw_int(w, "last", (int64_t)s->last);
		json_levels(w, s->at_first, s->at_last);
		jw_str(w, "verdict", verdict_name(drift_verdict(h->metric, s)));
		jw_end(w);
	}
	jw_end(w);
}

/* "-12.5 %", "+3.10 points", "from 0 to 17" */
static const char *change_text(struct arena *a, const struct history *h, double before,
			       double after)
{
	if (h->metric->facts.kind == KIND_PERCENT)
		return arena_fmt(a, "%+.2f points", after - before);
	if (before == 0)
		return arena_fmt(a, "from 0 to %.6g", after);
	return arena_fmt(a, "%+.1f %%", percent_of(before, after));
}

void history_changes_txt(struct req *r, const struct history *h,
			 const struct history_changes *found)
{
	struct arena *a = r->ctx.arena;

	for (size_t i = found->nsteps; i-- > 0;) {
		const struct level_step *s = &found->steps[i];

		out_fmt(r->out, "step at %s: %s, %s\n", h->points[s->index].shown,
			change_text(a, h, s->before, s->after), verdict_name(s->verdict));
	}
	for (size_t i = found->nstretches; i-- > 0;) {
		const struct level_stretch *s = &found->stretches[i];

		if (s->drift)
			out_fmt(r->out, "drift from %s to %s: %s\n", h->points[s->first].shown,
				h->points[s->last].shown,
				change_text(a, h, s->at_first, s->at_last));
	}
}

static void write_step(struct req *r, const struct history *h, const struct level_step *s)
{
	struct arena *a = r->ctx.arena;
	const struct history_point *p = &h->points[s->index];
	const struct history_point *before = history_previous(h, p);
	struct out *o = r->out;

	html(o, "<li><span class=\"verdict verdict-%s\">%s</span> <b>%s</b> at ",
	     verdict_name(s->verdict), verdict_name(s->verdict),
	     change_text(a, h, s->before, s->after));
	html_link_class(o, "commit", url_commit(a, p->name), p->shown);
	if (p->subject)
		html(o, " <span class=\"subject\">%s</span>", p->subject);
	html(o, ": from ");
	layout_quantity(o, s->before, h->unit);
	html(o, " to ");
	layout_quantity(o, s->after, h->unit);
	if (p->change)
		html(o, "; the setup changes there, too: %s", p->change);
	if (before && before->series == p->series) {
		html(o, ". ");
		html_link(o,
			  url_compare(a, arena_fmt(a, "%s,%s", before->name, p->name),
				      h->joined[p->series].digest),
			  "What else moved");
	}
	html(o, "</li>\n");
}

static void write_drift(struct req *r, const struct history *h, const struct level_stretch *s)
{
	struct arena *a = r->ctx.arena;
	struct out *o = r->out;

	html(o, "<li><span class=\"badge\">drift</span> <b>%s</b> over %s, from ",
	     change_text(a, h, s->at_first, s->at_last),
	     part_count(a, (int64_t)(s->last - s->first), "commit"));
	html_link_class(o, "commit", url_commit(a, h->points[s->first].name),
			h->points[s->first].shown);
	html(o, " to ");
	html_link_class(o, "commit", url_commit(a, h->points[s->last].name),
			h->points[s->last].shown);
	html(o, ": little by little, no single commit stands out.</li>\n");
}

void history_changes_html(struct req *r, const struct history *h,
			  const struct history_changes *found)
{
	if (!found->nsteps && !found->ndrifts) {
		if (h->npoints >= 6)
			html(r->out, "<p class=\"changes\">No step and no drift stands out of its "
				     "noise.</p>\n");
		return;
	}
	html(r->out, "<ul class=\"changes\">\n");
	for (size_t i = found->nsteps; i-- > 0;)
		write_step(r, h, &found->steps[i]);
	for (size_t i = found->nstretches; i-- > 0;)
		if (found->stretches[i].drift)
			write_drift(r, h, &found->stretches[i]);
	html(r->out, "</ul>\n");
}
