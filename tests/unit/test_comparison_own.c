/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison without its monitors' verdicts says the same of all other rows, to the last bit: the
 * monitors still lend their noise. The samples are made up; what is expected is the whole
 * comparison of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#include <cmocka.h>

#define METRICS 60
#define RUNS    5

struct made {
	struct metric metrics[METRICS];
	const struct metric *list[METRICS];
	char names[METRICS][40];
	double values[2 * RUNS][METRICS];
	struct sample_run runs[2 * RUNS];
	struct comparison_column cols[2];
};

/* The first own figures, then monitors, one in five a percentage, and failures. */
static void make(struct made *m, size_t first, size_t n)
{
	uint32_t seed = 7;

	for (size_t i = 0; i < METRICS; i++) {
		snprintf(m->names[i], sizeof(m->names[i]), "%s.m%zu%s",
			 i < 15   ? "hackbench"
			 : i < 55 ? "vmstat"
				  : "dmesg",
			 i, i % 5 == 0 && i < 55 ? "%" : "");
		m->metrics[i] = (struct metric){.id = (uint32_t)i,
						.name = m->names[i],
						.name_len = strlen(m->names[i]),
						.facts = metric_facts_of(m->names[i])};
		m->list[i] = &m->metrics[i];
		for (size_t r = 0; r < 2 * RUNS; r++) {
			seed = seed * 1664525 + 1013904223;
			m->values[r][i] = i < 55 ? 100 + (double)(seed >> 24) / 64 +
							   (r >= RUNS && i % 3 == 0 ? 5 : 0)
						 : (r >= RUNS && i % 2);
		}
	}
	for (size_t r = 0; r < 2 * RUNS; r++)
		m->runs[r] = (struct sample_run){.metrics = m->list + first,
						 .values = m->values[r] + first,
						 .n = n,
						 .run_id = (int64_t)r};
	m->cols[0] = (struct comparison_column){.runs = m->runs, .nruns = RUNS};
	m->cols[1] = (struct comparison_column){.runs = m->runs + RUNS, .nruns = RUNS};
}

static const struct cell *find(const struct comparison *c, const char *name)
{
	for (size_t i = 0; i < c->nrows; i++)
		if (strcmp(c->rows[i].metric->name, name) == 0)
			return &c->rows[i].cells[1];
	fail_msg("there is no row %s", name);
	return NULL;
}

static void the_same_without_monitors(void **state)
{
	static struct made m;
	const struct comparison_judging by = {.rule = RULE_NEWEST, .own_only = true};
	struct arena *a = arena_new();
	struct comparison whole, own;
	size_t judged = 0, changed = 0;

	(void)state;
	make(&m, 0, METRICS);
	assert_true(comparison_build(a, "hackbench", m.cols, 2, &whole));
	assert_true(comparison_build_by(a, &by, "hackbench", m.cols, 2, &own));
	assert_int_equal(own.nrows, whole.nrows);
	for (size_t i = 0; i < own.nrows; i++) {
		const struct cell *k = &own.rows[i].cells[1];
		const struct cell *want = find(&whole, own.rows[i].metric->name);

		if (own.rows[i].role == ROLE_MONITOR) {
			assert_int_equal(k->verdict, VERDICT_NO_DATA);
			assert_false(k->judged);
			continue;
		}
		judged++;
		changed += verdict_is_change(want->verdict);
		assert_int_equal(k->verdict, want->verdict);
		assert_memory_equal(&k->p, &want->p, sizeof(k->p));
		assert_memory_equal(&k->q, &want->q, sizeof(k->q));
		assert_memory_equal(&k->mde, &want->mde, sizeof(k->mde));
		assert_string_equal(k->reason, want->reason);
	}
	assert_int_equal(judged, 20);
	assert_true(changed > 3);
	arena_free(a);
}

/* They do lend it: without them at all a p is another. */
static void monitors_lend(void **state)
{
	static struct made m;
	struct arena *a = arena_new();
	struct comparison whole, few;

	(void)state;
	make(&m, 0, METRICS);
	assert_true(comparison_build(a, "hackbench", m.cols, 2, &whole));
	make(&m, 0, 15);
	assert_true(comparison_build(a, "hackbench", m.cols, 2, &few));
	assert_true(find(&whole, "hackbench.m3")->p != find(&few, "hackbench.m3")->p);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_without_monitors),
		cmocka_unit_test(monitors_lend),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("comparison_own", tests, NULL, NULL);
}
