/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every intermediate value of the rule, of every metric of tests/data/rule-reference*.json: 1e-9
 * relative, probabilities 1e-7. Other files of the same form may be named on the command line. They
 * judge on the logarithmic scale, all metrics in one role.
 */
#include "tests/unit/reference.h"

#include "server/analysis/describe.h"
#include "server/analysis/rule.h"
#include "server/base/arena.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NEAR     1e-9
#define NEAR_P   1e-7

static double *take_array(struct arena *a, const json_t *list, size_t *n)
{
	double *v = reference_array(list, n), *kept = arena_copy(a, v, (*n + 1) * sizeof(*v));

	free(v);
	return kept;
}

static void take(struct arena *a, const json_t *m, struct rule_row *row)
{
	const json_t *history = json_object_get(m, "history"), *h;
	size_t k = json_array_size(history), i, nx, ny, n;
	struct rule_group *groups = arena_array(a, struct rule_group, k + 2);
	double *x = take_array(a, json_object_get(m, "x"), &nx), *v;
	double *y = take_array(a, json_object_get(m, "y"), &ny);
	struct rule_input in = {.groups = groups,
				.nhistory = k,
				.median_x = describe(x, nx).median,
				.median_y = describe(y, ny).median,
				.delta = cliff_delta(x, nx, y, ny)};

	json_array_foreach(history, i, h)
	{
		v = take_array(a, h, &n);
		rule_group_fill(&groups[i], v, n);
	}
	rule_group_fill(&groups[k], x, nx);
	rule_group_fill(&groups[k + 1], y, ny);
	rule_row_take(row, &in, NULL);
}

static void check(const json_t *m, const struct rule_row *r, double floor)
{
	char where[32];
	bool suspect;
	enum rule_gate gate = rule_decide(r, false, &suspect);
	const char *verdict = gate == RULE_CHANGED ? "CHANGED" : suspect ? "SUSPECT" : "SAME";

	snprintf(where, sizeof(where), "metric %g", reference_number(m, "id"));
	assert_int_equal(r->scale, SCALE_LOG);
	reference_near(where, m, "s2", r->s2, NEAR);
	reference_near(where, m, "d", r->d, NEAR);
	reference_near(where, m, "s2_post", r->post, NEAR);
	reference_near(where, m, "P", r->p_between, NEAR);
	if (r->nhistory >= RULE_HISTORY_MIN) {
		reference_near(where, m, "ratio", r->ratio, NEAR);
		reference_near(where, m, "ratio_moderated", r->ratio_moderated, NEAR);
	} else {
		assert_true(isnan(reference_number(m, "ratio")));
		assert_true(isnan(reference_number(m, "ratio_moderated")));
	}
	reference_near(where, m, "level", r->level, NEAR);
	reference_near(where, m, "se2", r->variance, NEAR);
	reference_near(where, m, "df_used", r->df, NEAR);
	reference_near(where, m, "t", r->t, NEAR);
	reference_near(where, m, "p", r->p, NEAR_P);
	reference_near(where, m, "p_w", r->p_within, NEAR_P);
	reference_near(where, m, "cliff_delta", r->delta, NEAR);
	reference_near(where, m, "rel_median", r->size, NEAR);
	reference_near(where, m, "q", r->q, NEAR_P);
	assert_int_equal(r->guard, json_is_true(json_object_get(m, "guard")));
	if (strcmp(verdict, json_string_value(json_object_get(m, "verdict"))) != 0)
		fail_msg("%s is %s, not %s", where, verdict,
			 json_string_value(json_object_get(m, "verdict")));
	assert_true(r->post >= floor * 0.999 || r->s2 > 0);
}

static void check_file(const char *path)
{
	auto_arena struct arena *a = arena_new();
	json_t *j = reference_load(path), *m;
	const json_t *metrics = json_object_get(j, "metrics");
	size_t n = json_array_size(metrics), i;
	struct rule_row *rows = arena_array(a, struct rule_row, n);
	struct rule_prior prior[RULE_SCALES];

	assert_true(n > 0);
	json_array_foreach(metrics, i, m)
	{
		take(a, m, &rows[i]);
	}
	rule_test(a, rows, n, prior);
	reference_near(path, j, "d0", prior[SCALE_LOG].within.df, NEAR);
	reference_near(path, j, "s0_squared", prior[SCALE_LOG].within.scale, NEAR);
	reference_near(path, j, "variance_floor", prior[SCALE_LOG].floor, NEAR);
	reference_near(path, j, "nu0", prior[SCALE_LOG].between.df, NEAR);
	reference_near(path, j, "r0", prior[SCALE_LOG].between.scale, NEAR);
	json_array_foreach(metrics, i, m)
	{
		check(m, &rows[i], prior[SCALE_LOG].floor);
	}
	json_decref(j);
}

static void files(void **state)
{
	(void)state;
	for (size_t f = 0; f < reference_nfiles; f++)
		check_file(reference_files[f]);
}

int main(int argc, char **argv)
{
	static const char *const defaults[] = {"tests/data/rule-reference.json",
					       "tests/data/rule-reference-mixed.json"};
	const struct CMUnitTest tests[] = {cmocka_unit_test(files)};

	reference_choose(argc, argv, defaults, COUNT(defaults));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rule_reference", tests, NULL, NULL);
}
