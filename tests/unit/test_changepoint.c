/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change points: lines whose changes are known by construction; every partition against one found
 * by trying all begins (no pruning, squares summed point by point); lines that grow against that
 * too.
 */
#include "server/analysis/changepoint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "server/analysis/changepoint_fit.h"
#include "server/base/arena.h"

#include <cmocka.h>

#define POINTS 400

static uint64_t seed = 1;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(seed >> 11) + .5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

static double mean[POINTS], runs[POINTS];

static struct changepoint_series series(size_t n, double within)
{
	for (size_t i = 0; i < n; i++)
		runs[i] = 5;
	return (struct changepoint_series){
		.kind = CHANGEPOINT_BENCHMARK,
		.mean = mean,
		.runs = runs,
		.n = n,
		.within = within,
	};
}

static void assert_near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%g is not within %g of %g", got, within, want);
}

static void a_step_without_noise_is_found_exactly(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	for (size_t i = 0; i < 40; i++)
		mean[i] = i < 17 ? 3 : 3.5;
	struct changepoint_series s = series(40, 0);
	struct segmentation g = changepoint_find(a, &s);

	assert_int_equal(g.n, 2);
	assert_int_equal(g.segments[1].begin, 17);
	assert_int_equal(g.segments[1].end, 40);
	assert_false(g.segments[0].drift);
	assert_near(changepoint_step(&g, 1), .5, 1e-12);
	assert_near(segment_at(&g.segments[0], 5), 3, 1e-12);
}

/* Steps of ten standard errors of a mean: +.1 at 60, -.2 at 130. */
static void steps_in_noise_are_found(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	seed = 7;
	for (size_t i = 0; i < 200; i++)
		mean[i] = (i < 60 ? 0 : i < 130 ? .1 : -.1) + normal() * .01;
	struct changepoint_series s = series(200, 5 * .01 * .01);
	struct segmentation g = changepoint_find(a, &s);

	assert_int_equal(g.n, 3);
	assert_int_equal(g.segments[1].begin, 60);
	assert_int_equal(g.segments[2].begin, 130);
	assert_near(changepoint_step(&g, 1), .1, .01);
	assert_near(changepoint_step(&g, 2), -.2, .01);
}

static void a_drift_is_no_row_of_steps(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	seed = 11;
	for (size_t i = 0; i < 200; i++)
		mean[i] = 1 + .001 * (double)i + normal() * .01;
	struct changepoint_series s = series(200, 5 * .01 * .01);
	struct segmentation g = changepoint_find(a, &s);

	assert_int_equal(g.n, 1);
	assert_true(g.segments[0].drift);
	assert_near(g.segments[0].slope, .001, 1e-4);
	assert_near(segment_at(&g.segments[0], 100), 1.1, .01);
}

static void one_wild_point_is_no_change(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	seed = 13;
	for (size_t i = 0; i < 100; i++)
		mean[i] = normal() * .01 + (i == 40 ? 3 : 0);
	struct changepoint_series s = series(100, 5 * .01 * .01);
	struct segmentation g = changepoint_find(a, &s);

	assert_int_equal(g.n, 1);
	assert_false(g.segments[0].drift);
}

/* Commits that differ by themselves, far beyond what runs of one commit do. */
static void noise_between_commits_is_learned(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	size_t changes = 0;

	for (size_t trial = 0; trial < 200; trial++) {
		seed = 1000 + trial;
		for (size_t i = 0; i < 100; i++)
			mean[i] = normal() * .01;
		struct changepoint_series s = series(100, 1e-10);
		changes += changepoint_find(a, &s).n - 1;
	}
	assert_in_range(changes, 0, 30); /* .09 a series is promised, 18 of 200 */
}

static void short_and_equal_lines(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	struct changepoint_series s;

	for (size_t i = 0; i < 50; i++)
		mean[i] = i < 2 ? 1 : 9;
	s = series(0, 0);
	assert_int_equal(changepoint_find(a, &s).n, 0);
	for (size_t n = 1; n < 6; n++) {
		s = series(n, 0);
		assert_int_equal(changepoint_find(a, &s).n, 1);
	}
	for (size_t i = 0; i < 50; i++)
		mean[i] = 1e300;
	s = series(50, 0);
	assert_int_equal(changepoint_find(a, &s).n, 1);
	for (size_t i = 0; i < 50; i++) /* a step where squares overflow, and where they vanish */
		mean[i] = i < 20 ? 1e300 : 1.5e300;
	s = series(50, 0);
	assert_int_equal(changepoint_find(a, &s).n, 2);
	for (size_t i = 0; i < 50; i++)
		mean[i] = i < 20 ? 1e-300 : 1.5e-300;
	s = series(50, 0);
	assert_int_equal(changepoint_find(a, &s).segments[1].begin, 20);
	for (size_t i = 0; i < 50; i++)
		mean[i] = 0;
	s = series(50, 0);
	assert_int_equal(changepoint_find(a, &s).n, 1);
}

/* --- all begins --------------------------------------------------------------------------------
 */

/* Squares about a level, or a line plus kappa, from deviations of each point. */
static double plain_cost(const double *w, const double *v, size_t s, size_t t, double kappa)
{
	double sw = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;

	for (size_t i = s; i < t; i++) {
		sw += w[i];
		mx += w[i] * (double)i;
		my += w[i] * v[i];
	}
	mx /= sw;
	my /= sw;
	for (size_t i = s; i < t; i++) {
		xx += w[i] * ((double)i - mx) * ((double)i - mx);
		xy += w[i] * ((double)i - mx) * (v[i] - my);
		yy += w[i] * (v[i] - my) * (v[i] - my);
	}
	return fmin(yy, yy - xy * xy / xx + kappa);
}

static double best_of_all(const double *w, const double *v, size_t n, double beta, double kappa)
{
	double f[POINTS + 1];

	f[0] = -beta;
	for (size_t t = 1; t <= n; t++) {
		f[t] = INFINITY;
		for (size_t s = 0; s + CHANGEPOINT_SEGMENT_MIN <= t; s++)
			f[t] = fmin(f[t], f[s] + plain_cost(w, v, s, t, kappa) + beta);
	}
	return f[n];
}

static void fill(double *w, double *v, size_t n)
{
	double level = 0, slope = 0;

	for (size_t i = 0; i < n; i++) {
		if (uniform() < .08)
			level = normal() * 3;
		if (uniform() < .04)
			slope = uniform() < .5 ? 0 : normal() * .3;
		level += slope;
		w[i] = .2 + uniform();
		v[i] = level + normal();
	}
}

static void pruning_loses_nothing(void **state)
{
	(void)state;
	double w[POINTS], v[POINTS];

	for (size_t trial = 0; trial < 400; trial++) {
		auto_arena struct arena *a = arena_new();
		seed = 50000 + trial;
		size_t n = 6 + (size_t)(uniform() * 90);
		double beta = .5 + 20 * uniform(), kappa = beta * uniform();
		fill(w, v, n);
		struct partition *p = partition_new(a, n, v[0], 1);
		for (size_t i = 0; i < n; i++)
			partition_add(p, w[i], v[i]);
		partition_price(p, beta, kappa);
		assert_near(p->cost[n], best_of_all(w, v, n, beta, kappa), 1e-7);
		/* and the segments that are told cost what was said */
		struct segmentation g = partition_segments(a, p);
		double sum = -beta;
		for (size_t k = 0; k < g.n; k++)
			sum += plain_cost(w, v, g.segments[k].begin, g.segments[k].end, kappa) +
			       beta;
		assert_near(sum, p->cost[n], 1e-7);
	}
}

static void growing_and_cutting_is_the_same(void **state)
{
	(void)state;
	double w[POINTS], v[POINTS];

	for (size_t trial = 0; trial < 100; trial++) {
		auto_arena struct arena *a = arena_new();
		seed = 90000 + trial;
		fill(w, v, 120);
		struct partition *p = partition_new(a, 20, 0, 1);
		for (size_t i = 0; i < 20; i++)
			partition_add(p, w[i], v[i]);
		partition_price(p, 8, 4);
		for (size_t i = 20; i < 120; i++) {
			partition_add(p, w[i], v[i]);
			partition_close(p);
			if (uniform() < .2) { /* some points come again, with other values */
				size_t back = i - (size_t)(uniform() * 6);
				partition_cut(p, back);
				for (; back <= i; back++) {
					v[back] += normal() * .5;
					partition_add(p, w[back], v[back]);
				}
				partition_close(p);
			}
			assert_near(p->cost[i + 1], best_of_all(w, v, i + 1, 8, 4), 1e-7);
		}
	}
}

/* --- lines that grow ----------------------------------------------------------------------------
 */

static void full_passes_lie_on_a_grid(void **state)
{
	static const size_t grid[] = {6,  7,  8,  9,  10, 11, 12, 13, 14, 15,  16, 17,
				      18, 19, 20, 22, 24, 26, 28, 30, 33, 36,  39, 42,
				      46, 50, 55, 60, 66, 72, 79, 86, 94, 103, 113};
	size_t at = 0;

	(void)state;
	for (size_t n = 0; n < 6; n++)
		assert_int_equal(changepoint_anchor(n), n);
	for (size_t n = 6; n <= 113; n++) {
		at += grid[at + 1 < sizeof(grid) / sizeof(grid[0]) ? at + 1 : at] == n;
		assert_int_equal(changepoint_anchor(n), grid[at]);
	}
}

static struct changepoint_series part_of(const struct changepoint_series *s, size_t n)
{
	struct changepoint_series part = *s;

	part.n = n;
	return part;
}

/* The full pass over the first points, as it is made or as it was kept, and then the others. */
static bool grow(struct arena *a, const struct changepoint_series *s, bool kept,
		 struct segmentation *out)
{
	struct changepoint_series first = part_of(s, changepoint_anchor(s->n));
	struct changepoint_line *l = changepoint_line_new(a, &first);

	if (kept) {
		void *pass = arena_alloc(a, changepoint_pass_bytes(first.n));

		changepoint_line_pass(l, pass);
		l = changepoint_line_resume(a, &first, pass);
	}
	return changepoint_line_extend(l, s, out);
}

static void a_line_that_grows_quietly_carries_its_end_on(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	struct segmentation g;

	seed = 17;
	for (size_t i = 0; i < 112; i++)
		mean[i] = (i < 60 ? 0 : .1) + normal() * .01;
	struct changepoint_series s = series(112, 5 * .01 * .01); /* 103, and 9 more */
	assert_true(grow(a, &s, false, &g));
	assert_int_equal(g.n, 2);
	assert_int_equal(g.segments[1].begin, 60);
	assert_int_equal(g.segments[1].end, 112);
	/* level: the mean of all its points, not of those that the full pass had */
	double sum = 0;
	for (size_t i = 60; i < 112; i++)
		sum += mean[i] / 52;
	assert_near(g.segments[1].level, sum, 1e-3);
}

static void what_begins_behind_the_full_pass_is_told(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	struct segmentation g;

	seed = 19;
	for (size_t i = 0; i < 112; i++)
		mean[i] = (i < 106 ? 0 : .1) + normal() * .01;
	struct changepoint_series s = series(112, 5 * .01 * .01);
	assert_false(grow(a, &s, false, &g));
	s.n = 105;
	assert_true(grow(a, &s, false, &g));
	assert_int_equal(g.n, 1);
}

/* Steps of four to eight times the noise. */
static void fill_means(size_t n)
{
	double level = 0;

	for (size_t i = 0; i < n; i++) {
		if (uniform() < .03)
			level += (uniform() < .5 ? -.04 : .04) * (1 + uniform());
		mean[i] = level + normal() * .01;
	}
}

static void assert_same(const struct segmentation *a, const struct segmentation *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->segments[i].begin, b->segments[i].begin);
		assert_int_equal(a->segments[i].end, b->segments[i].end);
		assert_int_equal(a->segments[i].drift, b->segments[i].drift);
		assert_memory_equal(&a->segments[i].level, &b->segments[i].level, sizeof(double));
		assert_memory_equal(&a->segments[i].slope, &b->segments[i].slope, sizeof(double));
	}
	assert_memory_equal(&a->beta, &b->beta, sizeof(double));
	assert_memory_equal(&a->noise, &b->noise, sizeof(double));
	assert_memory_equal(&a->autocorrelation, &b->autocorrelation, sizeof(double));
}

/* What was kept goes on bit by bit as what was made; and where a line that grew stands by itself,
 * it cuts where a full pass does. */
static void a_kept_pass_is_the_pass(void **state)
{
	size_t others = 0;

	(void)state;
	for (size_t trial = 0; trial < 600; trial++) {
		auto_arena struct arena *a = arena_new();
		struct segmentation made, kept, full;

		seed = 300000 + trial;
		size_t n = (size_t)(uniform() * POINTS);
		fill_means(n);
		struct changepoint_series s = series(n, 5 * .01 * .01);
		s.kind = trial % 2 ? CHANGEPOINT_FOREIGN : CHANGEPOINT_BENCHMARK;
		for (size_t i = 0; i < n; i++)
			runs[i] = 1 + floor(uniform() * 9);
		assert_int_equal(grow(a, &s, false, &made), grow(a, &s, true, &kept));
		assert_same(&made, &kept);
		if (s.kind == CHANGEPOINT_FOREIGN || !grow(a, &s, true, &kept))
			continue; /* the price of a foreign line is sought, and may settle elsewhere
				   */
		full = changepoint_find(a, &s);
		bool same = full.n == made.n;
		for (size_t i = 0; same && i < full.n; i++)
			same = full.segments[i].begin == made.segments[i].begin;
		others += !same;
	}
	assert_in_range(others, 0, 6); /* of 300: penalties differ a little */
}

/* Lines of exact levels, as counters that never vary are: nothing but their steps, whatever the
 * sums over the line leave. */
static void exact_levels_are_not_cut(void **state)
{
	(void)state;
	auto_arena struct arena *a = arena_new();
	for (size_t trial = 0; trial < 400; trial++) {
		size_t n = 60 + (size_t)(uniform() * 300), steps = trial % 4;
		double unit = pow(10, -3 + 9 * uniform()), offset = (double)(trial % 3) * 500;
		struct changepoint_series s = series(n, 0);
		struct segmentation g;

		for (size_t i = 0; i < n; i++) {
			size_t level = i * (steps + 1) / n;

			mean[i] = unit * (offset + sqrt(0.375 + 7.0 * (double)(level % 2)));
		}
		g = changepoint_find(a, &s);
		assert_int_equal(g.n, steps + 1);
		for (size_t k = 1; k < g.n; k++) {
			assert_true(mean[g.segments[k].begin] != mean[g.segments[k].begin - 1]);
			assert_false(g.segments[k].drift);
		}
		s.kind = CHANGEPOINT_FOREIGN;
		g = changepoint_find(a, &s);
		if (steps <= 1)
			assert_int_equal(g.n, steps + 1);
		for (size_t k = 1; k < g.n; k++)
			assert_true(mean[g.segments[k].begin] != mean[g.segments[k].begin - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_without_noise_is_found_exactly),
		cmocka_unit_test(steps_in_noise_are_found),
		cmocka_unit_test(a_drift_is_no_row_of_steps),
		cmocka_unit_test(one_wild_point_is_no_change),
		cmocka_unit_test(noise_between_commits_is_learned),
		cmocka_unit_test(short_and_equal_lines),
		cmocka_unit_test(pruning_loses_nothing),
		cmocka_unit_test(growing_and_cutting_is_the_same),
		cmocka_unit_test(full_passes_lie_on_a_grid),
		cmocka_unit_test(a_line_that_grows_quietly_carries_its_end_on),
		cmocka_unit_test(what_begins_behind_the_full_pass_is_told),
		cmocka_unit_test(a_kept_pass_is_the_pass),
		cmocka_unit_test(exact_levels_are_not_cut),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("changepoint", tests, NULL, NULL);
}
