/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From runs to points on the rule's scale, to segments, and back to the metric's unit. A boundary
 * whose jump is too small to matter stays a boundary of the fit, but is no step.
 */
#include "server/model/history_changes.h"

#include <math.h>

#include "server/analysis/changepoint.h"
#include "server/analysis/rule.h"
#include "server/base/arena.h"
#include "server/model/history.h"
#include "server/model/kept_passes.h"

struct scaled {
	enum rule_scale scale;
	double unit;
};

/* The mean count behind a mean of 2 sqrt(v + 3/8): the closed form of the unbiased inverse for
 * Poisson counts (Mäkitalo and Foi 2011), 0 at 0. The plain inverse is too small where counts are.
 */
static double uncounted(double g)
{
	double none = 2 * sqrt(0.375), r = 1 / g;

	if (!(g > none))
		return 0;
	return g * g / 4 + sqrt(1.5) / 4 * r - 11.0 / 8 * r * r + 5.0 / 8 * sqrt(1.5) * r * r * r -
	       1.0 / 8;
}

static double unscaled(const struct scaled *s, double g)
{
	switch (s->scale) {
	case SCALE_LOG:
		return exp(g);
	case SCALE_COUNT:
		return uncounted(g);
	case SCALE_PLAIN:
		return g * s->unit;
	default:
		return g;
	}
}

/* The line of a metric, and its beginning, over which the full pass is made. */
struct line {
	struct changepoint_series all, first;
};

/* S of the plain scale from the beginning alone, else each new commit would change all of it. */
static double unit_of(struct arena *a, const struct rule_group *groups, size_t first, size_t n,
		      size_t values)
{
	double *room = arena_array(a, double, values);

	for (size_t i = 0; i < first; i++)
		for (size_t k = 0; k < groups[i].n; k++)
			if (groups[i].v[k] != 0)
				return scale_unit(groups, first, room);
	return scale_unit(groups, n, room);
}

static void take_moments(const struct rule_group *g, const struct scaled *s, double *mean,
			 double *squares)
{
	if (g->own != s->scale || g->own == SCALE_PLAIN) {
		scale_moments(g, s->scale, s->unit, mean, squares);
		return;
	}
	*mean = g->mean; /* of its own scale it has them */
	*squares = g->squares;
}

/* Means of the points on the scale that all of them share, and the variance between runs of one
 * point. Where no point has a second run, nothing tells the noise: that is a foreign line. */
static struct scaled scale_points(struct arena *a, const struct metric *m,
				  const struct level_point *points, size_t n, struct line *line)
{
	struct rule_group *groups = arena_array(a, struct rule_group, n);
	double *mean = arena_array(a, double, n), *runs = arena_array(a, double, n);
	struct scaled s = {.unit = 1};
	double squares = 0, all = 0;
	size_t values = 0, first = changepoint_anchor(n);

	for (size_t i = 0; i < n; i++) {
		rule_group_fill(&groups[i], points[i].values, points[i].n);
		values += points[i].n;
	}
	s.scale = scale_of(groups, n, m->facts.kind == KIND_PERCENT);
	if (s.scale == SCALE_PLAIN)
		s.unit = unit_of(a, groups, first, n, values);
	line->all = (struct changepoint_series){
		.kind = values > n ? CHANGEPOINT_BENCHMARK : CHANGEPOINT_FOREIGN,
		.mean = mean,
		.runs = runs,
		.n = n,
	};
	line->first = line->all;
	line->first.n = first;
	values = 0;
	for (size_t i = 0; i < n; i++) {
		take_moments(&groups[i], &s, &mean[i], &squares);
		runs[i] = (double)points[i].n;
		all += squares;
		values += points[i].n;
		line->all.within = values > i + 1 ? all / (double)(values - i - 1) : 0;
		if (i + 1 == first)
			line->first.within = line->all.within;
	}
	return s;
}

static struct changepoint_line *full_pass(struct arena *a, const struct changepoint_series *s,
					  bool keep)
{
	return keep ? kept_passes_line(a, s) : changepoint_line_new(a, s);
}

static struct segmentation segments_of(struct arena *a, const struct line *line, bool keep)
{
	struct changepoint_line *l = full_pass(a, &line->first, keep);
	struct segmentation g;

	if (line->first.n == line->all.n)
		return changepoint_line_segments(a, l);
	if (changepoint_line_extend(l, &line->all, &g))
		return g;
	return changepoint_line_segments(a, full_pass(a, &line->all, keep));
}

/* Percent, of percentages points; NAN from 0. */
static double moved(const struct metric *m, double from, double to)
{
	if (m->facts.kind == KIND_PERCENT)
		return to - from;
	return from == 0 ? (double)NAN : 100 * (to - from) / fabs(from);
}

/* The rule's size gate. From 0 a count is one from 1 on; of other figures no size is known. */
static bool matters(const struct metric *m, enum rule_scale scale, const struct level_step *s)
{
	double least = m->facts.kind == KIND_PERCENT ? RULE_POINTS : 100 * RULE_SIZE;
	double floor = m->floor > 0 ? m->floor : scale == SCALE_COUNT ? 1 : 0;

	if (isnan(s->change)) /* from 0 */
		return floor > 0 && fabs(s->after) >= floor * (1 - RULE_SLACK);
	return fabs(s->change) >= fmax(least, m->threshold_pct) * (1 - RULE_SLACK);
}

static enum verdict verdict_of(const struct metric *m, const struct level_step *s)
{
	if (m->facts.direction == DIRECTION_NONE)
		return VERDICT_CHANGED;
	return (s->after > s->before) == (m->facts.direction == DIRECTION_HIGHER)
		       ? VERDICT_IMPROVEMENT
		       : VERDICT_REGRESSION;
}

static struct level_stretch stretch_of(const struct metric *m, const struct scaled *s,
				       const struct segment *g, const struct level_point *points)
{
	struct level_stretch x = {
		.first = points[g->begin].index,
		.last = points[g->end - 1].index,
		.at_first = unscaled(s, segment_at(g, g->begin)),
		.at_last = unscaled(s, segment_at(g, g->end - 1)),
		.drift = g->drift,
	};

	if (g->drift) {
		x.drift_pct = moved(m, x.at_first, x.at_last);
		x.slope_pct = x.drift_pct / (double)(g->end - 1 - g->begin);
	}
	return x;
}

static void add_step(const struct metric *m, const struct scaled *s, const struct segmentation *g,
		     size_t i, const struct level_point *points, struct history_changes *out)
{
	const struct segment *now = &g->segments[i];
	struct level_step step = {
		.index = points[now->begin].index,
		.before = unscaled(s, segment_at(&g->segments[i - 1], now->begin)),
		.after = unscaled(s, now->level),
	};

	step.change = moved(m, step.before, step.after);
	step.verdict = verdict_of(m, &step);
	if (matters(m, s->scale, &step))
		out->steps[out->nsteps++] = step;
}

struct history_changes changes_find(struct arena *a, const struct metric *m,
				    const struct level_point *points, size_t n, bool keep)
{
	struct history_changes out = {0};
	struct line line;
	struct scaled s = scale_points(a, m, points, n, &line);
	struct segmentation g = segments_of(a, &line, keep);

	out.scale = s.scale;
	out.stretches = arena_array(a, struct level_stretch, g.n);
	out.steps = arena_array(a, struct level_step, g.n);
	for (size_t i = 0; i < g.n; i++) {
		if (i > 0)
			add_step(m, &s, &g, i, points, &out);
		out.stretches[out.nstretches] = stretch_of(m, &s, &g.segments[i], points);
		out.ndrifts += out.stretches[out.nstretches++].drift;
	}
	return out;
}

struct history_changes history_changes(struct arena *a, const struct history *h)
{
	struct level_point *points = arena_array(a, struct level_point, h->npoints);
	size_t n = 0;

	for (size_t i = 0; i < h->npoints; i++) {
		const struct history_point *p = &h->points[i];
		bool has_samples = p->d.n > 0;

		if (p->place == HISTORY_BESIDE || (!has_samples && isnan(p->d.mean)))
			continue;
		if (h->line && p->place != HISTORY_LINE)
			continue;
		points[n++] = (struct level_point){
			.index = i,
			.values = has_samples ? p->values : &p->d.mean,
			.n = has_samples ? p->d.n : 1,
		};
	}
	return changes_find(a, h->metric, points, n, true);
}
