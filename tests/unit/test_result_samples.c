/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that come in any order become runs: with gaps, replaced, of some runs only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "importers/result_file.h"
#include "server/base/arena.h"

static double value_of(const struct run_in *run, const char *metric)
{
	for (size_t i = 0; i < run->names->n; i++) {
		if (!strcmp(run->names->names[i], metric))
			return run->values[i];
	}
	return -1;
}

static struct samples *begin(struct ctx *c, struct import *in)
{
	static const struct pair axes[] = {{"tbox_group", "rig-1"}};

	ctx_init(c, arena_new(), NULL);
	*in = (struct import){.ctx = c, .axes = axes, .naxes = 1, .commit = "v6.5"};
	return samples_begin(in, "t");
}

static void test_any_order(void **state)
{
	/* of m, n and k in runs 0 … 6; -1: none */
	static const double expected[7][3] = {{10, 0, 20}, {11, 1, 21},  {99, 2, -1}, {13, 3, -1},
					      {-1, 4, -1}, {-1, -1, 25}, {-1, -1, 26}};
	struct ctx c;
	struct import in;
	struct samples *s = begin(&c, &in);
	uint32_t m;

	(void)state;
	samples_set(s, 2, NULL, 12, "m");
	samples_set(s, 0, NULL, 10, "m");
	samples_add(s, "us", 13, "m"); /* behind the last one there was */
	samples_set(s, 1, NULL, 11, "m");
	samples_set(s, 2, NULL, 99, "m");
	for (int i = 0; i < 5; i++)
		samples_add(s, NULL, i, "n");
	samples_set(s, 0, NULL, 20, "k");
	samples_set(s, 1, NULL, 21, "k");
	samples_set(s, 5, NULL, 25, "k");
	samples_add(s, NULL, 26, "k");
	samples_add(s, NULL, (double)INFINITY, "k");
	m = samples_metric(s, "m");
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(samples_has(s, m, i), i < 4);
	m = samples_metric(s, "k");
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(samples_has(s, m, i), i < 2 || i == 5 || i == 6);
	assert_int_equal(samples_end(s), E_OK);
	assert_int_equal(in.n, 1);
	assert_int_equal(in.subs[0].nruns, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_true(value_of(&in.subs[0].runs[i], "t.m") == expected[i][0]);
		assert_true(value_of(&in.subs[0].runs[i], "t.n") == expected[i][1]);
		assert_true(value_of(&in.subs[0].runs[i], "t.k") == expected[i][2]);
	}
	assert_int_equal(in.subs[0].nunits, 1);
	assert_string_equal(in.subs[0].units[0].name, "t.m");
	arena_free(c.arena);
}

/* More than a link of a column holds, in one that ends before the other. */
static void test_long_columns(void **state)
{
	struct ctx c;
	struct import in;
	struct samples *s = begin(&c, &in);

	(void)state;
	for (int i = 0; i < 5000; i++)
		samples_add(s, NULL, i, "long");
	for (int i = 0; i < 700; i++)
		samples_add(s, NULL, -i, "short");
	samples_set(s, 9000, NULL, 1, "short"); /* runs between have nothing, and are none */
	assert_int_equal(samples_end(s), E_OK);
	assert_int_equal(in.subs[0].nruns, 5001);
	for (int i = 0; i < 5000; i++) {
		assert_true(value_of(&in.subs[0].runs[i], "t.long") == i);
		assert_true(value_of(&in.subs[0].runs[i], "t.short") == (i < 700 ? -i : -1));
	}
	assert_int_equal(in.subs[0].runs[5000].names->n, 1);
	assert_true(value_of(&in.subs[0].runs[5000], "t.short") == 1);
	arena_free(c.arena);
}

/* Behind the fault for too many names nothing is held any more. */
static void test_too_many_names(void **state)
{
	struct ctx c;
	struct import in;
	struct samples *s = begin(&c, &in);
	size_t held;

	(void)state;
	for (int i = 0; i < 200002; i++)
		samples_add(s, NULL, i, "m%d", i);
	assert_int_equal(c.err, E_INVALID);
	assert_string_equal(c.faults[0].message,
			    "the runs have more than 200000 different metrics");
	held = arena_used(c.arena);
	for (int i = 0; i < 50000; i++)
		samples_add(s, NULL, i, "m%d", i);
	for (int i = 0; i < 50000; i++)
		samples_add(s, NULL, i, "n%d", i);
	assert_int_equal(samples_end(s), E_INVALID);
	assert_int_equal(arena_used(c.arena), held);
	assert_int_equal(in.n, 0);
	arena_free(c.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order),
					   cmocka_unit_test(test_long_columns),
					   cmocka_unit_test(test_too_many_names)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("result_samples", tests, NULL, NULL);
}
