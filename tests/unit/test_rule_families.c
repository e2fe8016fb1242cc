/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole comparisons of metrics of every kind (logarithms, percentages, counts with zeros, plain
 * values, profiles), with and without history, runs that lack a metric, too few metrics or runs,
 * constants: what the rule makes of each against tests/data/rule-reference-families.json, whose
 * values another program (Python and scipy) made from the rule's description alone. Other files of
 * the same form may be named on the command line.
 */
#include "tests/unit/reference.h"

#include "server/analysis/comparison.h"
#include "server/analysis/describe.h"
#include "server/analysis/rule.h"
#include "server/base/arena.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NEAR     1e-9
#define NEAR_P   1e-7

/* Metric i has the id i + 1; its "values" are a list of commits, each a list of runs, null where
 * the run has no value. */
static struct metric *take_metrics(struct arena *a, const json_t *list)
{
	size_t n = json_array_size(list), i;
	struct metric *metrics = arena_array(a, struct metric, n);
	const json_t *j;

	json_array_foreach(list, i, j)
	{
		struct metric *m = &metrics[i];

		m->id = (uint32_t)i + 1;
		m->name = json_string_value(json_object_get(j, "name"));
		m->name_len = strlen(m->name);
		m->facts = metric_facts_of(m->name);
		m->threshold_pct = reference_number(j, "threshold");
		m->floor = reference_number(j, "floor");
	}
	return metrics;
}

static const json_t *runs_of(const json_t *metric, size_t commit)
{
	return json_array_get(json_object_get(metric, "values"), commit);
}

static struct comparison_column take_commit(struct arena *a, const struct metric *metrics,
					    const json_t *list, size_t commit)
{
	size_t nruns = json_array_size(runs_of(json_array_get(list, 0), commit));
	size_t n = json_array_size(list), i;
	struct sample_run *runs = arena_array(a, struct sample_run, nruns);
	const json_t *j;

	for (size_t r = 0; r < nruns; r++) {
		const struct metric **of = arena_array(a, const struct metric *, n);
		double *v = arena_array(a, double, n);

		json_array_foreach(list, i, j)
		{
			const json_t *value = json_array_get(runs_of(j, commit), r);

			if (!json_is_number(value))
				continue;
			of[runs[r].n] = &metrics[i];
			v[runs[r].n++] = json_number_value(value);
		}
		runs[r].metrics = of;
		runs[r].values = v;
	}
	return (struct comparison_column){.runs = runs, .nruns = nruns};
}

static const char *untested_name(enum rule_untested why)
{
	static const char *const names[] = {NULL, "no repeated runs", "no noise measured",
					    "out of range"};

	return names[why];
}

static const char *verdict_word(const struct cell *c, const struct rule_row *r)
{
	if (c->verdict == VERDICT_SAME || c->verdict == VERDICT_SUSPECT)
		return verdict_name(c->verdict);
	return r->mean_y > r->mean_x ? "up" : "down";
}

static void check_text(const char *where, const json_t *m, const char *name, const char *got)
{
	const char *want = json_string_value(json_object_get(m, name));

	if (got != want && (!got || !want || strcmp(got, want) != 0))
		fail_msg("%s: %s %s, not %s", where, name, got ? got : "none",
			 want ? want : "none");
}

static void check_test(const char *where, const json_t *m, const struct rule_row *r)
{
	reference_near(where, m, "post", r->post, NEAR);
	if (r->nhistory >= RULE_HISTORY_MIN) {
		reference_near(where, m, "level", r->level, NEAR);
		reference_near(where, m, "P", r->p_between, NEAR);
		reference_near(where, m, "ratio_moderated", r->ratio_moderated, NEAR);
	}
	reference_near(where, m, "se2", r->variance, NEAR);
	reference_near(where, m, "df", r->df, NEAR);
	reference_near(where, m, "t", r->t, NEAR);
}

static void check_row(const char *where, const json_t *m, const struct cell *c)
{
	const struct rule_row *r = c->rule;

	if (!r) {
		check_text(where, m, "verdict", "absent");
		return;
	}
	check_text(where, m, "family", scale_name(r->scale));
	assert_int_equal(r->nhistory, (size_t)reference_number(m, "history"));
	assert_int_equal(c->history, r->nhistory);
	reference_near(where, m, "d", r->d, NEAR);
	reference_near(where, m, "s2", r->s2, NEAR);
	reference_near(where, m, "size", r->size, NEAR);
	reference_near(where, m, "cliff_delta", c->cliff_delta, NEAR);
	check_text(where, m, "untested", untested_name(r->untested));
	if (r->untested == RULE_TESTED)
		check_test(where, m, r);
	reference_near(where, m, "p", c->p, NEAR_P);
	reference_near(where, m, "p_w", r->p_within, NEAR_P);
	reference_near(where, m, "q", c->q, NEAR_P);
	reference_near(where, m, "mde", c->mde, 1e-6);
	assert_int_equal(r->guard, json_is_true(json_object_get(m, "guard")));
	check_text(where, m, "verdict", verdict_word(c, r));
}

static void check_comparison(const char *path, size_t at, const json_t *j)
{
	auto_arena struct arena *a = arena_new();
	const json_t *list = json_object_get(j, "metrics");
	size_t k = (size_t)reference_number(j, "commits_before");
	size_t left = k > RULE_HISTORY_MAX ? k - RULE_HISTORY_MAX : 0;
	struct metric *metrics = take_metrics(a, list);
	struct history_cell cells[RULE_HISTORY_MAX];
	const struct history_cell *of[RULE_HISTORY_MAX];
	struct comparison_history history = {of, k - left};
	struct comparison_column cols[2] = {take_commit(a, metrics, list, k),
					    take_commit(a, metrics, list, k + 1)};
	struct comparison c;
	char where[160];
	size_t judged = 0, rows = 0, i;
	const json_t *m;

	for (i = 0; i < k - left; i++) {
		struct comparison_column col = take_commit(a, metrics, list, left + i);

		of[i] = &cells[i];
		assert_true(history_cell_fill(a, &col, COMPARISON_VALUES_MAX, &cells[i]));
	}
	cols[1].history = &history;
	assert_true(comparison_build(a, "t", cols, 2, &c));
	for (i = 0; i < c.nrows; i++) {
		const struct metric *metric = c.rows[i].metric;

		snprintf(where, sizeof(where), "%s, comparison %zu, %s:", path, at, metric->name);
		check_row(where, json_array_get(list, metric->id - 1), &c.rows[i].cells[1]);
		judged += c.rows[i].cells[1].rule != NULL;
	}
	/* What is in neither commit has no row. */
	json_array_foreach(list, i, m)
	{
		rows += strcmp(json_string_value(json_object_get(m, "verdict")), "absent") != 0;
	}
	assert_int_equal(judged, rows);
}

static void files(void **state)
{
	(void)state;
	for (size_t f = 0; f < reference_nfiles; f++) {
		json_t *j = reference_load(reference_files[f]), *one;
		const json_t *list = json_object_get(j, "comparisons");
		size_t i;

		assert_true(json_array_size(list) > 0);
		json_array_foreach(list, i, one)
		{
			check_comparison(reference_files[f], i, one);
		}
		json_decref(j);
	}
}

int main(int argc, char **argv)
{
	static const char *const defaults[] = {"tests/data/rule-reference-families.json"};
	const struct CMUnitTest tests[] = {cmocka_unit_test(files)};

	reference_choose(argc, argv, defaults, COUNT(defaults));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rule_families", tests, NULL, NULL);
}
