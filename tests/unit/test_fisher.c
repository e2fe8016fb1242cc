/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fisher's exact test against scipy 1.10 (fisher_exact: greater, less, two-sided). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/analysis/fisher.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-10 * want))
		fail_msg("%.17g, not %.17g", got, want);
}

static void reference(void **state)
{
	static const struct {
		int64_t fails_a, runs_a, fails_b, runs_b;
		double more, fewer, both;
	} cases[] = {
		{0, 6, 3, 6, 0.090909090909090898, 1, 0.18181818181818185},
		{0, 6, 6, 6, 0.0010822510822510823, 1, 0.0021645021645021645},
		{3, 6, 0, 6, 1, 0.090909090909090925, 0.18181818181818185},
		{2, 10, 3, 6, 0.24175824175824179, 0.9642857142857143, 0.29945054945054939},
		{1, 8, 4, 4, 0.0101010101010101, 1, 0.0101010101010101},
		{0, 6, 0, 6, 1, 1, 1},
		{6, 6, 6, 6, 1, 1, 1},
		{5, 100, 17, 90, 0.0025753359188787385, 0.99948811742102228, 0.0030999221753779771},
		{0, 3, 3, 3, 0.05, 1, 0.1},
		{400, 1000, 470, 1000, 0.00092475864234188088, 0.99932166477009909,
		 0.0018495172846837618},
		{1, 50000, 9, 50000, 0.010739111481943746, 0.9990238768959967,
		 0.021478222963887492},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fisher f = fisher_exact(cases[i].fails_a, cases[i].runs_a, cases[i].fails_b,
					       cases[i].runs_b);

		near(f.more, cases[i].more);
		near(f.fewer, cases[i].fewer);
		near(f.both, cases[i].both);
	}
}

/* Two fails in 6 + 6 runs: at best both on one side, C(6,2)/C(12,2) = 15/66. */
static void what_could_be(void **state)
{
	struct fisher f = fisher_exact(1, 6, 1, 6);

	(void)state;
	near(f.least_more, 15.0 / 66);
	near(f.least_fewer, 15.0 / 66);
	f = fisher_exact(0, 3, 6, 6); /* 6 fails among 3 + 6 runs: all after 1/84; 3 of 3 before */
	near(f.least_more, 1.0 / 84);
	near(f.least_fewer, 20.0 / 84);
	near(f.more, 1.0 / 84);
}

static void nonsense(void **state)
{
	(void)state;
	assert_true(isnan(fisher_exact(1, 0, 1, 1).more));
	assert_true(isnan(fisher_exact(2, 1, 1, 1).both));
	assert_true(isnan(fisher_exact(-1, 1, 1, 1).fewer));
	assert_true(isnan(fisher_exact(0, 2000000, 1, 1).more));
	near(fisher_exact(0, 1000000, 1000000, 1000000).fewer, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference),
		cmocka_unit_test(what_could_be),
		cmocka_unit_test(nonsense),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fisher", tests, NULL, NULL);
}
