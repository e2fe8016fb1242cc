/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every value of tests/data/stats-reference.json (scipy 1.10, statsmodels 0.13) to 1e-9 relative.
 * Other files of the same form may be named on the command line.
 */
#include "tests/unit/reference.h"

#include "server/analysis/describe.h"
#include "server/analysis/moderation.h"
#include "server/analysis/rank_tests.h"
#include "server/analysis/special.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define TOLERANCE 1e-9

/* A pair of samples of the file. */
struct samples {
	const json_t *json;
	const char *id;
	double *x, *y;
	size_t nx, ny;
	double tolerance;
};

static void near(const struct samples *s, const char *part, const char *name, double got)
{
	const json_t *o = part ? json_object_get(s->json, part) : s->json;

	reference_near(s->id, o, name, got, s->tolerance);
}

static void check_description(const struct samples *s)
{
	struct description x = describe(s->x, s->nx), y = describe(s->y, s->ny);

	near(s, NULL, "n_x", (double)x.n);
	near(s, NULL, "n_y", (double)y.n);
	near(s, NULL, "mean_x", x.mean);
	near(s, NULL, "mean_y", y.mean);
	near(s, NULL, "median_x", x.median);
	near(s, NULL, "median_y", y.median);
	near(s, NULL, "sd_x", x.stddev);
	near(s, NULL, "sd_y", y.stddev);
	near(s, NULL, "median_x", quartiles_of(s->x, s->nx).second);
}

static void check_ranks(const struct samples *s)
{
	static const char part[] = "mann_whitney";
	const json_t *o = json_object_get(s->json, part);
	struct mann_whitney m = mann_whitney(s->x, s->nx, s->y, s->ny);

	assert_true(m.exact);
	near(s, part, "U_x", m.u_a);
	near(s, part, "U_y", m.u_b);
	near(s, part, "count_le", m.at_most);
	near(s, part, "count_ge", m.at_least);
	near(s, part, "count_abs_ge", m.as_far);
	near(s, part, "count_total", m.all);
	near(s, part, "p_exact_two_sided", m.p);
	near(s, part, "p_exact_two_sided_absdev", m.as_far / m.all);
	near(s, part, "p_asymptotic_cc", m.p_normal);
	near(s, part, "p_asymptotic_nocc", m.p_normal_plain);
	if (json_object_get(o, "p_scipy_mannwhitneyu_exact"))
		near(s, part, "p_scipy_mannwhitneyu_exact", m.p);
	if (json_object_get(o, "p_scipy_permutation_test_exact"))
		near(s, part, "p_scipy_permutation_test_exact", m.p);
}

static void check_t(const struct samples *s)
{
	struct description x = describe(s->x, s->nx), y = describe(s->y, s->ny);
	struct t_test w = welch_test(&x, &y), t = student_test(&x, &y);

	near(s, "welch_t", "t_y_minus_x", w.t);
	near(s, "welch_t", "df", w.df);
	near(s, "welch_t", "p_two_sided", w.p);
	near(s, "student_t", "t_y_minus_x", t.t);
	near(s, "student_t", "df", t.df);
	near(s, "student_t", "p_two_sided", t.p);
}

static void check_effect(const struct samples *s)
{
	static const char part[] = "effect";
	struct description x = describe(s->x, s->nx), y = describe(s->y, s->ny);
	double df = (double)(s->nx + s->ny - 2), pooled, d, approx = 1 - 3 / (4 * df - 1), logs = 0;
	bool positive = true;
	struct t_test t = student_test(&x, &y);

	pooled = t.se / sqrt(1 / (double)s->nx + 1 / (double)s->ny);
	d = t.difference == 0 ? 0 : t.difference / pooled;
	near(s, part, "pooled_sd", pooled);
	near(s, part, "cohens_d", d);
	near(s, part, "hedges_J_exact", gamma_ratio((df - 1) / 2) / sqrt(df / 2));
	near(s, part, "hedges_g_exact", hedges_g(&x, &y));
	near(s, part, "hedges_J_approx", approx);
	near(s, part, "hedges_g_approx", d * approx);
	near(s, part, "cliffs_delta_y_vs_x", cliff_delta(s->x, s->nx, s->y, s->ny));
	near(s, part, "hodges_lehmann_shift",
	     hodges_lehmann(s->x, s->nx, s->y, s->ny, 0.05).median);
	near(s, part, "rel_change_of_means",
	     x.mean == 0 ? (double)NAN : (y.mean - x.mean) / x.mean);
	near(s, part, "rel_change_of_medians",
	     x.median == 0 ? (double)NAN : (y.median - x.median) / x.median);
	for (size_t i = 0; i < s->nx; i++) {
		positive &= s->x[i] > 0;
		logs -= log(s->x[i]) / (double)s->nx;
	}
	for (size_t i = 0; i < s->ny; i++) {
		positive &= s->y[i] > 0;
		logs += log(s->y[i]) / (double)s->ny;
	}
	if (positive && json_object_get(json_object_get(s->json, part), "ratio_of_geomeans"))
		near(s, part, "ratio_of_geomeans", exp(logs));
}

static void each_pair(void (*check)(const struct samples *s))
{
	for (size_t f = 0; f < reference_nfiles; f++) {
		json_t *j = reference_load(reference_files[f]), *c;
		size_t i;

		json_array_foreach(json_object_get(j, "cases"), i, c)
		{
			struct samples s = {.json = c,
					    .id = json_string_value(json_object_get(c, "id")),
					    .tolerance = TOLERANCE};

			s.x = reference_values(c, "x", &s.nx);
			s.y = reference_values(c, "y", &s.ny);
			if (s.id && strcmp(s.id, "h15") == 0)
				s.tolerance = 1e-6; /* as the file says */
			check(&s);
			free(s.x);
			free(s.y);
		}
		assert_true(i > 0);
		json_decref(j);
	}
}

static void descriptions(void **state)
{
	(void)state;
	each_pair(check_description);
}

static void ranks(void **state)
{
	(void)state;
	each_pair(check_ranks);
}

static void t_tests(void **state)
{
	(void)state;
	each_pair(check_t);
}

static void effects(void **state)
{
	(void)state;
	each_pair(check_effect);
}

static void false_discoveries(void **state)
{
	(void)state;
	for (size_t f = 0; f < reference_nfiles; f++) {
		json_t *j = reference_load(reference_files[f]), *c;
		size_t i;

		json_array_foreach(json_object_get(j, "bh"), i, c)
		{
			size_t n, nq, *places;
			double *p = reference_values(c, "p", &n), *want, *q;

			want = reference_values(c, "q_bh", &nq);
			assert_int_equal(n, nq);
			q = calloc(n, sizeof(*q));
			places = calloc(n, sizeof(*places));
			benjamini_hochberg(p, q, n, places);
			for (size_t k = 0; k < n; k++)
				if (!(fabs(q[k] - want[k]) <= 1e-12 + TOLERANCE * want[k]))
					fail_msg("q of %g: %.17g, not %.17g", p[k], q[k], want[k]);
			free(p);
			free(want);
			free(q);
			free(places);
		}
		assert_true(i > 0);
		json_decref(j);
	}
}

/* Moderated t over the pooled variances of the block's metrics, on their plain values. */
static void moderated(void **state)
{
	(void)state;
	for (size_t f = 0; f < reference_nfiles; f++) {
		json_t *j = reference_load(reference_files[f]), *m;
		const json_t *block = json_object_get(j, "moderated_t");
		const json_t *metrics = json_object_get(block, "metrics");
		size_t n = json_array_size(metrics), i;
		double *s2 = calloc(n, sizeof(*s2)), *d = calloc(n, sizeof(*d));
		struct prior prior;

		assert_true(n >= MODERATION_MIN);
		json_array_foreach(metrics, i, m)
		{
			size_t nx, ny;
			double *x = reference_values(m, "x", &nx);
			double *y = reference_values(m, "y", &ny);
			struct description a = describe(x, nx), b = describe(y, ny);
			struct t_test t = student_test(&a, &b);

			s2[i] = t.se * t.se / (1 / (double)nx + 1 / (double)ny);
			d[i] = t.df;
			reference_near("moderated", m, "pooled_var", s2[i], TOLERANCE);
			reference_near("moderated", m, "df", d[i], TOLERANCE);
			free(x);
			free(y);
		}
		prior = prior_fit(s2, d, n);
		reference_near("moderated", block, "d0", prior.df, TOLERANCE);
		reference_near("moderated", block, "s0_squared", prior.scale, TOLERANCE);
		json_array_foreach(metrics, i, m)
		{
			size_t nx, ny;
			double *x = reference_values(m, "x", &nx);
			double *y = reference_values(m, "y", &ny);
			struct description a = describe(x, nx), b = describe(y, ny);
			double post = prior_moderate(&prior, s2[i], d[i]);
			double t =
				(b.mean - a.mean) / sqrt(post * (1 / (double)nx + 1 / (double)ny));

			reference_near("moderated", m, "posterior_var", post, TOLERANCE);
			reference_near("moderated", m, "t_moderated", t, TOLERANCE);
			reference_near("moderated", m, "df_total", prior.df + d[i], TOLERANCE);
			reference_near("moderated", m, "p_two_sided",
				       student_t_two_sided(t, prior.df + d[i]), 1e-7);
			free(x);
			free(y);
		}
		free(s2);
		free(d);
		json_decref(j);
	}
}

int main(int argc, char **argv)
{
	static const char *const defaults[] = {"tests/data/stats-reference.json"};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptions), cmocka_unit_test(ranks),
		cmocka_unit_test(t_tests),      cmocka_unit_test(effects),
		cmocka_unit_test(moderated),    cmocka_unit_test(false_discoveries),
	};

	reference_choose(argc, argv, defaults, COUNT(defaults));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stats_reference", tests, NULL, NULL);
}
