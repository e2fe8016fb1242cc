/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs share the lists of their names' numbers, wholly or as far as they are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <math.h>

#include "importers/record.h"
#include "server/base/arena.h"

static double value_of(const struct run_in *run, const char *metric)
{
	for (size_t i = 0; i < run->names->n; i++) {
		if (!strcmp(run->names->names[i], metric))
			return run->values[i];
	}
	return (double)NAN;
}

/* Runs that have some names of the one before, in its order or another, and a value told twice. */
static void test_runs_that_go_on_otherwise(void **state)
{
	static const char *const runs[] = {"abc",  "ac",   "acbd",  "a",  "",
					   "abcd", "bacd", "abcda", "abd"};
	const size_t n = sizeof(runs) / sizeof(runs[0]);
	static const struct pair machine[] = {{"tbox_group", "rig-1"}};
	struct ctx c;
	struct import in = {.ctx = &c, .axes = machine, .naxes = 1, .commit = "v6.4"};
	struct record *r;
	const struct submission *s;
	size_t at = 0;

	(void)state;
	ctx_init(&c, arena_new(), NULL);
	r = record_begin(&in, "t");
	for (size_t i = 0; i < n; i++) {
		record_run(r);
		for (size_t k = 0; runs[i][k]; k++)
			record_value(r, NULL, (double)(100 * i + k), "t.%c", runs[i][k]);
	}
	assert_int_equal(record_end(r), E_OK);
	s = &in.subs[0];
	assert_int_equal(s->nruns, n - 1); /* without the empty one */
	for (size_t i = 0; i < n; i++) {
		size_t seen = 0;

		if (!*runs[i])
			continue;
		for (char ch = 'a'; ch <= 'd'; ch++) {
			const char *last = strrchr(runs[i], ch), name[] = {'t', '.', ch, '\0'};
			double v = value_of(&s->runs[at], name);

			seen += last != NULL;
			if (last)
				assert_true(v == (double)(100 * i + (size_t)(last - runs[i])));
			else
				assert_true(isnan(v));
		}
		assert_int_equal(s->runs[at++].names->n, seen);
	}
	arena_free(c.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs_that_go_on_otherwise)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("record_runs", tests, NULL, NULL);
}
