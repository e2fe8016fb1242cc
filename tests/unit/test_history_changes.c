/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of a line of commits must pass the rule's size gate: 1 % or the metric's own threshold, of
 * percentages 1 point; and from 0 the metric's floor, without one 1 of counts and nothing of other
 * figures. Lines are long and quiet, so that every step is found and only the gate decides.
 */
#include "tests/unit/reference.h"

#include "server/base/arena.h"
#include <malloc.h>
#include <pthread.h>

#include "server/model/history_changes.h"
#include "server/model/kept_passes.h"

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
	return changes_find(a, m, points, POINTS, false);
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
		h = changes_find(*state, &m, points, n, false);
		assert_int_equal(h.nstretches, marked[s].changes + 1);
		assert_int_equal(h.stretches[h.nstretches - 1].first, marked[s].at);
		free(v);
	}
	json_decref(doc);
}

/* --- what is kept -------------------------------------------------------------------------------
 */

#define LONGEST   160
#define RUNS_MOST 5

struct commit_runs {
	double v[RUNS_MOST];
	size_t n;
};
struct tale {
	struct commit_runs commits[LONGEST];
	size_t n;
	int scale; /* 0 positive, 1 whole numbers, 2 all signs, 3 percent */
	double level;
	uint64_t seed;
};

static double uniform(struct tale *t)
{
	t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(t->seed >> 11) + .5) / 9007199254740992.0;
}

static double value(struct tale *t)
{
	double noise = uniform(t) + uniform(t) + uniform(t) - 1.5;

	switch (t->scale) {
	case 0:
		return t->level * (1 + .01 * noise);
	case 1: /* now and then the first 0, which moves the whole line to another scale */
		return uniform(t) < .001 ? 0 : floor(t->level + 3 * noise);
	case 2:
		return t->level - 120 + noise;
	default:
		return fabs(t->level / 10 + noise);
	}
}

static struct commit_runs measure(struct tale *t)
{
	struct commit_runs k = {.n = 1 + (size_t)(uniform(t) * 3)};

	for (size_t r = 0; r < k.n; r++)
		k.v[r] = value(t);
	return k;
}

/* What happens to a store: mostly a commit more, else runs on an old one, a commit between others,
 * one that is deleted, two that change places. */
static void go_on(struct tale *t)
{
	double what = uniform(t);
	size_t at = (size_t)(uniform(t) * (double)t->n);
	struct commit_runs *k = &t->commits[at];

	if (uniform(t) < .03)
		t->level = 100 + 40 * uniform(t);
	if (what < .6 && t->n < LONGEST) {
		t->commits[t->n++] = measure(t);
	} else if (what < .7 && k->n < RUNS_MOST) {
		k->v[k->n++] = what < .65 ? value(t) : k->v[0];
	} else if (what < .8 && t->n < LONGEST) {
		memmove(k + 1, k, (t->n++ - at) * sizeof(*k));
		*k = measure(t);
	} else if (what < .9 && t->n > 1) {
		memmove(k, k + 1, (--t->n - at) * sizeof(*k));
	} else if (at > 0) {
		struct commit_runs other = k[-1];

		k[-1] = k[0];
		k[0] = other;
	}
}

static struct history_changes look(struct arena *a, const struct tale *t, bool keep)
{
	struct level_point *points = arena_array(a, struct level_point, t->n);
	struct metric m = metric_of(t->scale == 3 ? "mpstat.cpu.all.usr%" : "x.y");

	for (size_t i = 0; i < t->n; i++)
		points[i] = (struct level_point){i, t->commits[i].v, t->commits[i].n};
	return changes_find(a, &m, points, t->n, keep);
}

/* Bit by bit. */
static bool same_changes(const struct history_changes *x, const struct history_changes *y)
{
	if (x->scale != y->scale || x->nsteps != y->nsteps || x->nstretches != y->nstretches)
		return false;
	for (size_t i = 0; i < x->nstretches; i++) {
		const struct level_stretch *p = &x->stretches[i], *q = &y->stretches[i];

		if (p->first != q->first || p->last != q->last || p->drift != q->drift ||
		    memcmp(&p->at_first, &q->at_first, sizeof(double)) ||
		    memcmp(&p->at_last, &q->at_last, sizeof(double)) ||
		    memcmp(&p->drift_pct, &q->drift_pct, sizeof(double)))
			return false;
	}
	for (size_t i = 0; i < x->nsteps; i++) {
		const struct level_step *p = &x->steps[i], *q = &y->steps[i];

		if (p->index != q->index || p->verdict != q->verdict ||
		    memcmp(&p->before, &q->before, sizeof(double)) ||
		    memcmp(&p->after, &q->after, sizeof(double)) ||
		    memcmp(&p->change, &q->change, sizeof(double)))
			return false;
	}
	return true;
}

/* Tells tales and looks twice at each state of each; returns in how many states
 * what is kept made a difference. */
static size_t differences(uint64_t first, size_t tales)
{
	static const size_t beginnings[] = {1, 20, 60, 110};
	size_t wrong = 0;

	for (size_t i = 0; i < tales; i++) {
		auto_arena struct arena *a = arena_new();
		struct tale t = {.scale = (int)(i % 4), .level = 120, .seed = first + i};

		while (t.n < beginnings[i / 4 % 4])
			t.commits[t.n++] = measure(&t);
		for (size_t state = 0; state < 60; state++, go_on(&t)) {
			arena_reset(a);
			struct history_changes from_nothing = look(a, &t, false);
			struct history_changes kept = look(a, &t, true);
			struct history_changes again = look(a, &t, true);

			wrong += !same_changes(&from_nothing, &kept);
			wrong += !same_changes(&from_nothing, &again);
		}
	}
	return wrong;
}

static void what_is_kept_changes_no_result(void **state)
{
	(void)state;
	assert_int_equal(differences(1000, 32), 0);
}

static void *tell(void *wrong)
{
	*(size_t *)wrong = differences(5000, 8);
	return NULL;
}

static void nor_do_other_threads(void **state)
{
	pthread_t threads[4];
	size_t wrong[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, tell, &wrong[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
}

static size_t bytes_in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* From one full pass to the next nothing is made anew: no pass is added, on no scale. */
static void a_new_commit_needs_no_new_pass(void **state)
{
	for (int scale = 0; scale < 4; scale++) {
		struct tale t = {.scale = scale, .level = 120, .seed = 4242};
		size_t before;

		while (t.n < 103) /* where a full pass is due, and then at 113 */
			t.commits[t.n++] = measure(&t);
		(void)look(*state, &t, true);
		before = bytes_in_use();
		while (t.n < 112) {
			auto_arena struct arena *a = arena_new();

			t.commits[t.n++] = measure(&t);
			assert_int_equal(look(a, &t, true).nsteps, 0);
		}
		assert_in_range(bytes_in_use(), 0, before + changepoint_pass_bytes(103) / 2);
	}
}

/* A pass depends on more than means. */
static void a_pass_is_kept_by_all_that_made_it(void **state)
{
	struct tale t = {.seed = 5};
	double mean[60], runs[60], more[60];
	struct changepoint_series s[4];

	for (size_t i = 0; i < 60; i++) {
		mean[i] = (i < 30 ? 0 : .02) + .01 * uniform(&t);
		runs[i] = 3;
		more[i] = i % 2 ? 3 : 40;
	}
	s[0] = (struct changepoint_series){
		.mean = mean, .runs = runs, .n = 60, .within = 1e-5, .kind = CHANGEPOINT_BENCHMARK};
	s[1] = s[2] = s[3] = s[0];
	s[1].within = 1e-3;
	s[2].runs = more;
	s[3].kind = CHANGEPOINT_FOREIGN;
	for (size_t i = 0; i < 4; i++) {
		struct segmentation want = changepoint_find(*state, &s[i]);
		struct segmentation got =
			changepoint_line_segments(*state, kept_passes_line(*state, &s[i]));

		assert_memory_equal(&got.beta, &want.beta, sizeof(double));
		assert_memory_equal(&got.noise, &want.noise, sizeof(double));
		assert_memory_equal(&got.segments[0].level, &want.segments[0].level,
				    sizeof(double));
	}
}

/* Lines that come to more than may be kept. Memory stays bounded, and the first line, which
 * is long gone, is the same as ever. */
static void the_oldest_leave(void **state)
{
	struct tale t = {.scale = 0, .level = 120, .seed = 77};
	size_t before = bytes_in_use(), lines;
	struct history_changes first, now;
	double value_then;

	t.n = LONGEST;
	for (size_t i = 0; i < t.n; i++)
		t.commits[i] = measure(&t);
	value_then = t.commits[0].v[0];
	first = look(*state, &t, true);
	lines = 5 * (KEPT_PASSES / 4) / changepoint_pass_bytes(changepoint_anchor(LONGEST));
	for (size_t i = 0; i < lines; i++) {
		auto_arena struct arena *a = arena_new();

		t.commits[0].v[0] += .001;
		(void)look(a, &t, true);
	}
	assert_in_range(bytes_in_use(), 0, before + KEPT_PASSES + KEPT_PASSES / 10);
	t.commits[0].v[0] = value_then;
	now = look(*state, &t, true);
	assert_true(same_changes(&first, &now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_the_level, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(from_zero, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(one_run_a_commit, arena_open, arena_close),
		cmocka_unit_test(what_is_kept_changes_no_result),
		cmocka_unit_test(nor_do_other_threads),
		cmocka_unit_test_setup_teardown(a_new_commit_needs_no_new_pass, arena_open,
						arena_close),
		cmocka_unit_test_setup_teardown(a_pass_is_kept_by_all_that_made_it, arena_open,
						arena_close),
		cmocka_unit_test_setup_teardown(the_oldest_leave, arena_open, arena_close),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("history_changes", tests, NULL, NULL);
}
