/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of a line of commits must pass the rule's size gate: 1 % or the metric's own threshold, of
 * percentages 1 point; and from 0 the metric's floor, without one 1 of counts and nothing of other
 * figures. Lines are long and quiet, so that every step is found and only the gate decides.
 */
#include "tests/unit/reference.h"

#include "server/base/arena.h"
#include "server/model/history_changes.h"

#define POINTS 24

static int arena_open(void **state)
{
	*state = arena_new();
	return 0;
}

static int arena_close(void **state)
{
	arena_free(*state);
	return 0;
}

/* Half of the points at each level, three runs a point. noise: from run to run, behind the step. */
static struct history_changes find(struct arena *a, const struct metric *m, double before,
				   double after, double noise)
{
	double(*values)[3] = arena_alloc(a, POINTS * sizeof(*values));
	struct level_point points[POINTS];

	for (size_t i = 0; i < POINTS; i++) {
		double level = i < POINTS / 2 ? before : after;

		for (size_t r = 0; r < 3; r++)
			values[i][r] = level + (level != 0 ? noise * ((double)r - 1) : 0);
		points[i] = (struct level_point){i, values[i], 3};
	}
	return changes_find(a, m, points, POINTS);
}

static struct metric metric_of(const char *name)
{
	return (struct metric){.id = 1, .name = name, .facts = metric_facts_of(name)};
}

static void of_the_level(void **state)
{
	struct metric m = metric_of("fio.write_iops"), percent = metric_of("mpstat.cpu.all.usr%");
	struct history_changes h = find(*state, &m, 100, 101.2, 0.01);

	assert_int_equal(h.nsteps, 1);
	assert_int_equal(h.steps[0].index, POINTS / 2);
	assert_true(fabs(h.steps[0].change - 1.2) < 1e-3);
	assert_int_equal(h.steps[0].verdict, VERDICT_IMPROVEMENT);
	assert_int_equal(find(*state, &m, 100, 100.8, 0.01).nsteps, 0);
	m.threshold_pct = 2;
	assert_int_equal(find(*state, &m, 100, 101.2, 0.01).nsteps, 0);
	assert_int_equal(find(*state, &percent, 5, 6.2, 0.01).nsteps, 1);
	assert_int_equal(find(*state, &percent, 5, 5.8, 0.01).nsteps, 0);
}

static void from_zero(void **state)
{
	struct metric m = metric_of("proc-vmstat.x");

	assert_int_equal(find(*state, &m, 0, 3, 0).nsteps, 1); /* counts */
	m.floor = 5;
	assert_int_equal(find(*state, &m, 0, 3, 0).nsteps, 0);
	assert_int_equal(find(*state, &m, 0, 6, 0).nsteps, 1);
	m.floor = 0;
	assert_int_equal(find(*state, &m, 0, 3, 0.25).nsteps, 0); /* not counts */
	m.floor = 2;
	assert_int_equal(find(*state, &m, 0, 3, 0.25).nsteps, 1);
	m.floor = 0.1;
	assert_int_equal(find(*state, &m, 0, 0.4, 0.05).nsteps, 1);
}

/* One run a commit, and neighbours alike: real series (Turing Change Point Dataset) of which all
 * five people who looked at them say the same. */
static void one_run_a_commit(void **state)
{
	static const struct {
		const char *name;
		size_t changes, at;
	} marked[] = {{"bank", 0, 0}, {"quality_control_1", 1, 144}, {"quality_control_3", 1, 179}};
	struct metric m = metric_of("x.y");
	json_t *doc = reference_load("tests/data/change-points.json");

	for (size_t s = 0; s < sizeof(marked) / sizeof(marked[0]); s++) {
		size_t n;
		double *v = reference_values(
			json_object_get(json_object_get(doc, "series"), marked[s].name), "values",
			&n);
		struct level_point *points = arena_array(*state, struct level_point, n);
		struct history_changes h;

		for (size_t i = 0; i < n; i++)
			points[i] = (struct level_point){i, &v[i], 1};
		h = changes_find(*state, &m, points, n);
		assert_int_equal(h.nstretches, marked[s].changes + 1);
		assert_int_equal(h.stretches[h.nstretches - 1].first, marked[s].at);
		free(v);
	}
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_the_level, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(from_zero, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(one_run_a_commit, arena_open, arena_close),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("history_changes", tests, NULL, NULL);
}
