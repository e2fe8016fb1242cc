/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons of many runs with many metrics, few of them in each run; and columns that are held
 * against different bases.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#include <cmocka.h> /* last: its macro fail() would hide ours */

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

static const struct metric *new_metric(struct arena *a, uint32_t id, const char *name)
{
	struct metric *m = arena_array(a, struct metric, 1);

	m->id = id;
	m->name = name;
	m->name_len = strlen(name);
	m->facts = metric_facts_of(name);
	return m;
}

static const struct cell *cells_of(const struct comparison *c, const char *name)
{
	for (size_t i = 0; i < c->nrows; i++)
		if (strcmp(c->rows[i].metric->name, name) == 0)
			return c->rows[i].cells;
	fail_msg("no row %s", name);
	return NULL;
}

/* n runs of one metric each, each of another one. */
static struct comparison_column sparse_column(struct arena *a, const char *prefix, uint32_t n)
{
	struct sample_run *runs = arena_array(a, struct sample_run, n);

	for (uint32_t i = 0; i < n; i++) {
		const struct metric **list = arena_array(a, const struct metric *, 1);
		double *value = arena_array(a, double, 1);

		/* the list of a later run comes first */
		list[0] = new_metric(a, 100 + 3 * (n - i), arena_fmt(a, "%s%u", prefix, i));
		value[0] = i;
		runs[i] = (struct sample_run){list, value, 1, i};
	}
	return (struct comparison_column){.runs = runs, .nruns = n};
}

/* 20,000 runs with 20,000 metrics, one in each: 20,000 values, not the 400 million places of
 * metrics times runs. */
static void memory_goes_by_values(void **state)
{
	struct arena *a = *state;
	struct comparison_column col = sparse_column(a, "t.m", 20000);
	struct comparison c;
	size_t before = arena_used(a);

	assert_true(comparison_build(a, "t", &col, 1, &c));
	assert_int_equal(c.nrows, 20000);
	assert_true(arena_used(a) - before < 20000 * 1000);
	assert_int_equal(cells_of(&c, "t.m19999")[0].n, 1);
	assert_true(cells_of(&c, "t.m19999")[0].mean == 19999);
	assert_true(cells_of(&c, "t.m7")[0].mean == 7);
}

/* Where what is absent means 0, the places are what it takes: 6,000 failures in 6,000 runs are
 * refused before any of them is made. */
static void implied_zeros_are_bounded(void **state)
{
	struct arena *a = *state;
	struct comparison_column col = sparse_column(a, "dmesg.w", 6000);
	struct comparison c;
	size_t before = arena_used(a);

	assert_false(comparison_build(a, "t", &col, 1, &c));
	assert_int_equal(c.nrows, 0);
	assert_true(arena_used(a) - before < 6000 * 1000);
	col = sparse_column(a, "dmesg.w", 100);
	assert_true(comparison_build(a, "t", &col, 1, &c));
	assert_int_equal(cells_of(&c, "dmesg.w7")[0].runs, 100);
	assert_int_equal(cells_of(&c, "dmesg.w7")[0].fails, 1);
	assert_true(cells_of(&c, "dmesg.w7")[0].values[7] == 7);
}

/* Two bases, each with its change: 100 to 110, and 200 to 100. */
static void columns_have_bases(void **state)
{
	static const double v[4][4] = {{99, 100, 100, 101},
				       {109, 110, 110, 111},
				       {199, 200, 200, 201},
				       {99, 100, 100, 101}};
	struct arena *a = *state;
	const struct metric *m = new_metric(a, 1, "t.a");
	struct sample_run runs[4][4];
	struct comparison_column cols[4];
	struct comparison c;
	const struct cell *cells;

	for (size_t i = 0; i < 4; i++) {
		for (size_t r = 0; r < 4; r++)
			runs[i][r] = (struct sample_run){&m, &v[i][r], 1, (int64_t)r};
		cols[i] =
			(struct comparison_column){.runs = runs[i], .nruns = 4, .base = i - i % 2};
	}
	assert_true(comparison_build(a, "t", cols, 4, &c));
	cells = cells_of(&c, "t.a");
	assert_false(cells[0].judged || cells[2].judged);
	assert_true(fabs(cells[1].change_pct - 10) < 1e-9);
	assert_true(fabs(cells[3].change_pct + 50) < 1e-9);
	assert_int_equal(cells[2].verdict, VERDICT_NO_DATA);
	assert_int_equal(cells[3].verdict, VERDICT_CHANGED);
}

#define T(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(memory_goes_by_values),
		T(implied_zeros_are_bounded),
		T(columns_have_bases),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("comparison_values", tests, NULL, NULL);
}
