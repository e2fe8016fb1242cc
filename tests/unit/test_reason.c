/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences behind verdicts must not contradict the figures in them: size is judged by the medians
 * while the change is told by the means, and a second reason to suspect is p against the base
 * alone. Each case hands in what the rule would have said.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/reason.h"
#include "server/base/arena.h"

/* What is told of a case; the rest is the same in all. */
struct told {
	const char *name;
	enum metric_role role;
	enum rule_gate gate;
	bool suspect;
	enum verdict verdict;
	double mean_x, mean_y;     /* of the samples */
	double median_x, median_y; /* … */
	double p, p_within, q;
	double mde;   /* 0: not known */
	int64_t runs; /* a side; 0: 5 */
	bool down;    /* on the rule's scale */
};

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

static const char *reason_of(struct arena *a, const struct told *t)
{
	struct metric m = {.id = 1, .name = t->name, .facts = metric_facts_of(t->name)};
	bool points = m.facts.kind == KIND_PERCENT;
	double moved = t->median_y - t->median_x;
	int64_t runs = t->runs ? t->runs : 5;
	struct cell base = {.n = runs, .mean = t->mean_x, .stddev = 1};
	struct cell now = {.n = runs,
			   .mean = t->mean_y,
			   .stddev = 1,
			   .cliff_delta = 0.8,
			   .p = t->p,
			   .q = t->q,
			   .mde = t->mde != 0 ? t->mde : (double)NAN,
			   .history = 8,
			   .verdict = t->verdict,
			   .change_abs = t->mean_y - t->mean_x};
	struct comparison_row row = {.metric = &m, .role = t->role};
	struct rule_row rule = {
		.nx = (size_t)runs,
		.ny = (size_t)runs,
		.nhistory = 8,
		.mean_x = t->down ? 2 : 1,
		.mean_y = t->down ? 1 : 2,
		.median_x = t->median_x,
		.median_y = t->median_y,
		.size = points        ? moved
			: t->median_x ? moved / fabs(t->median_x)
			: moved != 0  ? copysign(INFINITY, moved)
				      : 0,
		.p = t->p,
		.p_within = t->p_within,
		.q = t->q,
		.scale = points ? SCALE_PERCENT : SCALE_LOG,
	};
	struct judged j = {&row, &base, &now, &rule, t->gate, t->suspect, SHAPE_PLAIN, .tests = 40};

	m.threshold_pct = 5;
	now.change_pct = t->mean_x   ? 100 * now.change_abs / fabs(t->mean_x)
			 : t->mean_y ? (double)NAN
				     : 0;
	return reason_judged(a, &j);
}

static void assert_ends(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	if (n < k || strcmp(text + n - k, end) != 0)
		fail_msg("\"%s\" does not end in \"%s\"", text, end);
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#define SAME .gate = RULE_GATE_SIZE, .verdict = VERDICT_SAME, .p = 0.4, .p_within = 0.4, .q = 0.9

/* "+10 %: less than 1 %" is no sentence. */
static void size_is_of_medians(void **state)
{
	assert_ends(reason_of(*state,
			      &(struct told){"a.b", ROLE_MONITOR, SAME, .mean_x = 100,
					     .mean_y = 110, .median_x = 100, .median_y = 100.5}),
		    "5 against 5 runs, +10.0 % (medians +0.5 %): less than 1 % by the medians");
	assert_ends(reason_of(*state,
			      &(struct told){"fio.iops", ROLE_PRIMARY, SAME, .mean_x = 100,
					     .mean_y = 98.96, .median_x = 100, .median_y = 99.2}),
		    ", beside 8 commits before: less than 1 % by the medians");
	assert_ends(reason_of(*state, &(struct told){"a.b", ROLE_MONITOR, SAME, .mean_x = 0,
						     .mean_y = 0.4, .median_x = 0, .median_y = 0}),
		    "5 against 5 runs, from 0 (medians +0.0 %): less than 1 % by the medians");
	assert_ends(reason_of(*state, &(struct told){"a.b%", ROLE_MONITOR, SAME, .mean_x = 5,
						     .mean_y = 7, .median_x = 5, .median_y = 5.5}),
		    "+2.0 points (medians +0.5 points): less than 1 point by the medians");
	/* no more words than needed */
	assert_ends(reason_of(*state,
			      &(struct told){"a.b", ROLE_MONITOR, SAME, .mean_x = 100,
					     .mean_y = 100.4, .median_x = 100, .median_y = 100.3}),
		    "5 against 5 runs, +0.4 %: less than 1 %");
}

/* A verdict beside a change of the means that is too small for one, or goes the other way. */
static void change_is_of_medians(void **state)
{
	struct told t = {.name = "fio.write_iops",
			 .role = ROLE_PRIMARY,
			 .gate = RULE_CHANGED,
			 .verdict = VERDICT_IMPROVEMENT,
			 .mean_x = 100,
			 .mean_y = 100.2,
			 .median_x = 100,
			 .median_y = 104,
			 .p = 1e-4,
			 .p_within = 1e-4,
			 .q = 0.004};

	assert_says(reason_of(*state, &t), ", +0.2 % (medians +4.0 %); delta");
	t.mean_y = 90;
	assert_says(reason_of(*state, &t),
		    ", -10.0 % (medians +4.0 %), the other way on the scale of the test; delta");
	t.mean_y = 103;
	assert_says(reason_of(*state, &t), ", +3.0 %; delta");
	t.median_x = 0;
	assert_says(reason_of(*state, &t), ", +3.0 % (medians from 0); delta");
	t.median_x = 100;
	t.down = true; /* the means on the rule's scale decide the way */
	assert_says(reason_of(*state, &t),
		    ", +3.0 %, the other way on the scale of the test; delta");
	t.down = false;
	t.gate = RULE_GATE_OWN;
	t.suspect = true;
	t.mean_y = 106;
	assert_ends(reason_of(*state, &t), ": suspect, less than the 5 % that count here");
	assert_says(reason_of(*state, &t), ", +6.0 % (medians +4.0 %); delta");
}

/* p .22 is not "rare, but too common among so many": it is suspect for what its base says. */
static void why_suspect(void **state)
{
	struct told t = {.name = "fio.write_iops",
			 .role = ROLE_PRIMARY,
			 .gate = RULE_GATE_Q,
			 .suspect = true,
			 .verdict = VERDICT_SUSPECT,
			 .mean_x = 100,
			 .mean_y = 103,
			 .median_x = 100,
			 .median_y = 103,
			 .p = 0.22,
			 .p_within = 0.003,
			 .q = 0.9};

	assert_ends(
		reason_of(*state, &t),
		": suspect, apart from its base (p 0.003 by these runs alone), but not from the "
		"commits before; three more runs a side, in turn, would tell");
	t.p = 0.02;
	assert_ends(reason_of(*state, &t),
		    ": suspect, too common among so many metrics (q above 0.05); three more runs a "
		    "side, in turn, would tell");
	/* 10 runs a side are all that is worth it */
	t.runs = 10;
	assert_ends(reason_of(*state, &t),
		    ": suspect, too common among so many metrics (q above 0.05)");
	t.gate = RULE_GATE_BOOT;
	assert_ends(
		reason_of(*state, &t),
		": suspect, all runs of a side are of one boot; runs of another boot would tell");
}

/* What was smaller than the change that is told would not have been seen for its size alone. */
static void detectable_effect_is_larger(void **state)
{
	struct told t = {.name = "a.b",
			 .gate = RULE_GATE_DELTA,
			 .role = ROLE_MONITOR,
			 .verdict = VERDICT_SAME,
			 .mean_x = 100,
			 .mean_y = 96.8,
			 .median_x = 100,
			 .median_y = 96.5,
			 .p = 0.04,
			 .p_within = 0.04,
			 .q = 1,
			 .mde = 2.8};

	assert_ends(reason_of(*state, &t), "-3.2 %: the runs of both sides overlap");
	t.mde = 4.1;
	assert_ends(reason_of(*state, &t),
		    "-3.2 %: the runs of both sides overlap; would have seen 4.1 %");
}

/* Two runs a side, 1 and 1e300: no change is large enough to be found, so none is told. */
static void no_detectable_effect(void **state)
{
	struct metric m = {.id = 1, .name = "fio.a", .facts = metric_facts_of("fio.a")};
	const struct metric *list[] = {&m};
	const double small = 1, large = 1e300;
	const struct sample_run runs[] = {{list, &small, 1, 1}, {list, &large, 1, 2}};
	const struct comparison_column cols[2] = {{.runs = runs, .nruns = 2},
						  {.runs = runs, .nruns = 2}};
	struct comparison c;

	assert_true(comparison_build(*state, "fio", cols, 2, &c));
	assert_true(c.rows[0].cells[1].p == 1);
	assert_true(isnan(c.rows[0].cells[1].mde));
	assert_null(strstr(c.rows[0].cells[1].reason, "would have seen"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(size_is_of_medians, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(change_is_of_medians, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(why_suspect, arena_open, arena_close),
		cmocka_unit_test_setup_teardown(detectable_effect_is_larger, arena_open,
						arena_close),
		cmocka_unit_test_setup_teardown(no_detectable_effect, arena_open, arena_close),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
