/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule, step by step. A row first keeps the few numbers that its runs come to, so that nothing
 * here grows with the history; then all rows are tested together, since each borrows from the
 * others.
 */
#include "server/analysis/rule.h"

#include <math.h>

#include "server/analysis/describe.h"
#include "server/analysis/rule_level.h"
#include "server/analysis/rule_mde.h"
#include "server/base/arena.h"

#define FLOOR_WITHIN  1e-5 /* of the median s2 */
#define FLOOR_BETWEEN 1e-3 /* of the median r */

/* --- step 1, 2, and the history of 4 -----------------------------------------------------------
 */

static double relative_size(const struct rule_row *r)
{
	double moved = r->median_y - r->median_x;

	if (r->scale == SCALE_PERCENT)
		return moved;
	if (r->median_x != 0)
		return moved / fabs(r->median_x);
	return moved == 0 ? 0 : copysign(INFINITY, moved);
}

void rule_row_take(struct rule_row *r, const struct rule_input *in, double *room)
{
	size_t k = in->nhistory, n = k + 2;
	double m[RULE_HISTORY_MAX + 2], u[RULE_HISTORY_MAX + 2], squares = 0;
	struct rule_level level;

	*r = (struct rule_row){.role = in->role,
			       .nx = in->groups[k].n,
			       .ny = in->groups[k + 1].n,
			       .nhistory = k,
			       .median_x = in->median_x,
			       .median_y = in->median_y,
			       .delta = in->delta,
			       .threshold = in->threshold,
			       .floor = in->floor};
	r->scale = scale_of(in->groups, n, in->percent);
	r->unit = r->scale == SCALE_PLAIN ? scale_unit(in->groups, n - 1, room) : 1;
	for (size_t i = 0; i < n; i++) {
		const struct rule_group *g = &in->groups[i];
		double about;

		if (g->own == r->scale && g->own != SCALE_PLAIN) {
			m[i] = g->mean;
			about = g->squares;
		} else {
			scale_moments(g, r->scale, r->unit, &m[i], &about);
		}
		u[i] = 1 / (double)g->n;
		r->d += (double)g->n - 1;
		squares += about;
	}
	level = rule_level_of(m, u, k + 1);
	r->mean_x = m[k];
	r->mean_y = m[k + 1];
	r->s2 = r->d > 0 ? squares / r->d : 0;
	r->level = level.level;
	r->u_level = level.u;
	r->p_between = k >= RULE_HISTORY_MIN ? level.p_between : (double)NAN;
	r->size = relative_size(r);
}

/* --- step 3 ------------------------------------------------------------------------------------
 */

/* Whether the numbers of a row can be reckoned with: not so when values of 1e300 lie beside 1. */
static bool in_range(const struct rule_row *r)
{
	return isfinite(r->s2) && isfinite(r->mean_x) && isfinite(r->mean_y) &&
	       isfinite(r->level) && !isinf(r->p_between);
}

static bool has_history(const struct rule_row *r)
{
	return r->untested == RULE_TESTED && r->nhistory >= RULE_HISTORY_MIN;
}

struct scratch {
	double *v, *d, *sorted;
};

static double median_copy(struct scratch *s, size_t n)
{
	memcpy(s->sorted, s->v, n * sizeof(*s->v));
	return median_take(s->sorted, n);
}

static void fit_within(struct rule_row *rows, size_t n, enum rule_scale scale, struct scratch *s,
		       struct rule_prior *prior)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].scale != scale || !(rows[i].s2 > 0) || !in_range(&rows[i]))
			continue;
		s->v[used] = rows[i].s2;
		s->d[used++] = rows[i].d;
	}
	prior->floor = used ? FLOOR_WITHIN * median_copy(s, used) : (double)NAN;
	for (size_t i = 0; i < used; i++)
		s->v[i] = fmax(s->v[i], prior->floor);
	prior->within = prior_fit(s->v, s->d, used);
}

static void moderate_within(struct rule_row *r, const struct rule_prior *prior)
{
	double d0 = prior->within.df;

	if (!in_range(r))
		r->untested = RULE_OUT_OF_RANGE;
	else if (r->d == 0 && !(d0 > 0))
		r->untested = RULE_NO_REPEATS;
	else if (isnan(prior->floor))
		r->untested = RULE_NO_NOISE;
	if (r->untested != RULE_TESTED)
		return;
	r->post = prior_moderate(&prior->within, fmax(r->s2, prior->floor), r->d);
	r->df_within = d0 + r->d;
	if (!(r->post > 0)) /* the floor of denormals */
		r->untested = RULE_NO_NOISE;
}

/* --- step 4 ------------------------------------------------------------------------------------
 */

static double df_between(const struct rule_row *r)
{
	return fmax(1, ((double)r->nhistory - 2) / 2);
}

static void fit_between(struct rule_row *rows, size_t n, enum rule_scale scale, struct scratch *s,
			struct rule_prior *prior)
{
	size_t used = 0, positive = 0;
	double least;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].scale != scale || !has_history(&rows[i]))
			continue;
		rows[i].ratio = rows[i].p_between / rows[i].post;
		s->v[used++] = rows[i].ratio;
	}
	least = used ? FLOOR_BETWEEN * median_copy(s, used) : 0;
	for (size_t i = 0; i < n; i++) {
		struct rule_row *r = &rows[i];

		if (r->scale != scale || !has_history(r) || !(fmax(r->ratio, least) > 0))
			continue;
		s->v[positive] = fmax(r->ratio, least);
		s->d[positive++] = df_between(r);
	}
	prior->between = prior_fit(s->v, s->d, positive);
	for (size_t i = 0; i < n; i++)
		if (rows[i].scale == scale && has_history(&rows[i]))
			rows[i].ratio_moderated = prior_moderate(
				&prior->between, fmax(rows[i].ratio, least), df_between(&rows[i]));
}

/* --- step 5 ------------------------------------------------------------------------------------
 */

static double difference_p(double difference, double variance, double df)
{
	return student_t_two_sided(difference / sqrt(variance), df);
}

static int sign_of(double v)
{
	return (v > 0) - (v < 0);
}

static void test_row(struct rule_row *r, const struct rule_prior *prior)
{
	double w, level, between, df;

	r->p = r->p_within = 1;
	r->guard = true;
	r->mde = NAN;
	if (r->untested != RULE_TESTED || r->lent)
		return;
	w = r->post * (1 / (double)r->nx + 1 / (double)r->ny);
	r->p_within = difference_p(r->mean_y - r->mean_x, w, r->df_within);
	if (r->nhistory < RULE_HISTORY_MIN) {
		r->variance = w;
		r->df = r->df_within;
		r->t = (r->mean_y - r->mean_x) / sqrt(w);
		r->p = r->p_within;
		return;
	}
	level = r->post * (1 / (double)r->ny + level_variance[5] * r->u_level);
	between = fmax(0, r->ratio_moderated - 1) * level;
	df = r->df_within;
	if (between > 0) {
		double df_ratio = prior->between.df + df_between(r), all = level + between;

		df = all * all / (level * level / df + between * between / df_ratio);
	}
	r->variance = level + between;
	r->df = df;
	r->t = (r->mean_y - r->level) / sqrt(r->variance);
	r->p = student_t_two_sided(r->t, df);
	r->guard = sign_of(r->mean_y - r->level) == sign_of(r->mean_y - r->mean_x) &&
		   r->p_within <= RULE_GUARD;
}

/* --- step 6 ------------------------------------------------------------------------------------
 */

static void adjust_role(struct arena *a, struct rule_row *rows, size_t n, int role)
{
	double *p = arena_array(a, double, 2 * n), *q = p + n;
	size_t *places = arena_array(a, size_t, n), used = 0, flags = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].role == role && !rows[i].lent)
			p[used++] = rows[i].p;
	if (!used)
		return;
	benjamini_hochberg(p, q, used, places);
	used = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].role != role || rows[i].lent)
			continue;
		rows[i].q = q[used++];
		flags += rows[i].q <= RULE_Q;
	}
	rule_mde_fill(rows, n, role, RULE_Q * fmax(1, (double)flags) / (double)used);
}

void rule_test(struct arena *a, struct rule_row *rows, size_t n,
	       struct rule_prior prior[RULE_SCALES])
{
	struct scratch s = {arena_array(a, double, 3 * n), NULL, NULL};

	s.d = s.v + n;
	s.sorted = s.d + n;
	for (int k = 0; k < RULE_SCALES; k++) {
		enum rule_scale scale = (enum rule_scale)k;

		fit_within(rows, n, scale, &s, &prior[k]);
		for (size_t i = 0; i < n; i++)
			if (rows[i].scale == scale)
				moderate_within(&rows[i], &prior[k]);
		fit_between(rows, n, scale, &s, &prior[k]);
		for (size_t i = 0; i < n; i++)
			if (rows[i].scale == scale)
				test_row(&rows[i], &prior[k]);
	}
	for (int role = 0; role < RULE_ROLES; role++)
		adjust_role(a, rows, n, role);
}
