/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The share of a change that is recovered, with Fieller's interval. Each change is written as a sum
 * of independent parts (the means of samples) with a variance and degrees of freedom each.
 */
#include "server/analysis/recovered.h"

#include <math.h>

#include "server/analysis/special.h"

#define PARTS_MAX 4

/* A mean that both changes are made of: its variance, and how much of it goes into a and b. */
struct part {
	double variance, df;
	double in_a, in_b;
};

struct ratio {
	double a, b;
	struct part parts[PARTS_MAX];
	size_t n;
	bool spread_known;
};

static void add_part(struct ratio *r, const struct recovered_side *s, double in_a, double in_b)
{
	if (s->n < 2 || !isfinite(s->stddev)) {
		r->spread_known = false;
		return;
	}
	r->parts[r->n++] = (struct part){
		.variance = s->stddev * s->stddev / (double)s->n,
		.df = (double)s->n - 1,
		.in_a = in_a,
		.in_b = in_b,
	};
}

/* Variance of a - R b, and its degrees of freedom. */
static double variance_at(const struct ratio *r, double R, double *df)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct part *p = &r->parts[i];
		double w = (p->in_a - R * p->in_b) * (p->in_a - R * p->in_b) * p->variance;

		sum += w;
		squares += w * w / p->df;
	}
	*df = squares > 0 ? sum * sum / squares : INFINITY;
	return sum;
}

static void fieller(const struct ratio *r, struct recovered *out)
{
	double R = r->a / r->b, va = 0, vb = 0, cov = 0, df, t2, A, B, C, root;

	for (size_t i = 0; i < r->n; i++) {
		const struct part *p = &r->parts[i];

		va += p->in_a * p->in_a * p->variance;
		vb += p->in_b * p->in_b * p->variance;
		cov += p->in_a * p->in_b * p->variance;
	}
	if (variance_at(r, R, &df) <= 0) {
		out->low = out->high = out->share;
		return;
	}
	t2 = student_t_quantile(0.975, df);
	t2 *= t2;
	A = r->b * r->b - t2 * vb;
	B = r->a * r->b - t2 * cov;
	C = r->a * r->a - t2 * va;
	if (!(A > 0))
		return;
	root = sqrt(fmax(B * B - A * C, 0));
	out->low = 1 - (B + root) / A;
	out->high = 1 - (B - root) / A;
}

struct recovered recovered_share(const struct recovered_side *base,
				 const struct recovered_side *first,
				 const struct recovered_side *now_base,
				 const struct recovered_side *now, bool points)
{
	struct recovered out = {NAN, NAN, NAN};
	struct ratio r = {.spread_known = true};

	if (base == now_base || points) {
		r.a = now->mean - now_base->mean;
		r.b = first->mean - base->mean;
		add_part(&r, now, 1, 0);
		add_part(&r, first, 0, 1);
		if (base == now_base) {
			add_part(&r, base, -1, -1);
		} else {
			add_part(&r, base, 0, -1);
			add_part(&r, now_base, -1, 0);
		}
	} else {
		double x = base->mean, y = now_base->mean;

		r.a = now->mean / y - 1;
		r.b = first->mean / x - 1;
		add_part(&r, now, 1 / y, 0);
		add_part(&r, first, 0, 1 / x);
		add_part(&r, base, 0, -first->mean / (x * x));
		add_part(&r, now_base, -now->mean / (y * y), 0);
	}
	if (!isfinite(r.a) || !isfinite(r.b) || r.b == 0)
		return out;
	out.share = 1 - r.a / r.b;
	if (r.spread_known)
		fieller(&r, &out);
	return out;
}

struct recovered recovered_from_changes(double first, double now)
{
	struct recovered out = {NAN, NAN, NAN};

	if (isfinite(first) && isfinite(now) && first != 0)
		out.share = 1 - now / first;
	return out;
}
