/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The robot's table to the byte: its pieces, tables of samples and failures, and text from outside.
 */
#include "server/report/robot_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/arena.h"

#include <cmocka.h>

#define X        NAN
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RULE89                                                                                     \
	"=================================================="                                       \
	"=======================================\n"

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

static struct metric metric_of(const char *name, size_t i)
{
	return (struct metric){.id = (uint32_t)i + 1,
			       .name = name,
			       .name_len = strlen(name),
			       .facts = metric_facts_of(name)};
}

static struct summary_cell summary(const struct metric *m)
{
	return (struct summary_cell){
		.metric = m,
		.mean = NAN,
		.stddev = NAN,
		.stddev_pct = NAN,
		.min = NAN,
		.max = NAN,
		.n = -1,
		.fails = -1,
		.runs = -1,
	};
}

/* Prints the columns and gives the text, in the arena. */
static const char *table(struct arena *a, const struct compare_commit *commits, size_t ncols,
			 const struct pair *axes, size_t naxes,
			 const struct comparison_column *cols)
{
	struct compare_table t = {.series = {.axes = axes, .naxes = naxes, .testcase = ""}};
	struct compare cmp = {.ncommits = ncols, .ntables = 1, .next = -1};
	struct compare_column *columns = arena_array(a, struct compare_column, ncols);
	auto_out struct out o;

	for (size_t i = 0; i < naxes; i++)
		if (strcmp(axes[i].name, "testcase") == 0)
			t.series.testcase = axes[i].value;
	cmp.commits = arena_copy(a, commits, ncols * sizeof(*commits));
	for (size_t i = 0; i < ncols; i++)
		columns[i].commit = &cmp.commits[i];
	t.columns = columns;
	t.ncols = ncols;
	comparison_build(a, t.series.testcase, cols, ncols, &t.all);
	t.rows = t.all.rows;
	t.nrows = t.all.nrows;
	out_init(&o, OUT_MAX_DEFAULT);
	robot_table(&o, &cmp, &t);
	assert_false(o.failed);
	return arena_strn(a, o.p, o.len);
}

static const char *format(void (*f)(struct out *, double), double v, char *buf, size_t n)
{
	auto_out struct out o;

	out_init(&o, 100);
	f(&o, v);
	snprintf(buf, n, "%s", o.p);
	return buf;
}

static void means(void **state)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {
		{0, "      0.00"},        {0.266, "      0.27"},
		{948.29, "    948.29"},   {-59.4, "    -59.40"},
		{999.99, "    999.99"},   {1000, "      1000"},
		{1272.9, "      1272"},   {479042.68774902937, "    479042"},
		{-1234.9, "     -1234"},  {62087973, "  62087973"},
		{1e8, " 100000000"},      {100000001, "     1e+08"},
		{4.581e10, " 4.581e+10"}, {4.77e10, "  4.77e+10"},
		{-2.5e9, "  -2.5e+09"},   {1e300, "    1e+300"},
		{NAN, "          "},
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(format(robot_mean, cases[i].v, buf, sizeof(buf)),
				    cases[i].text);
}

static void stddevs(void **state)
{
	static const struct {
		double pct;
		const char *text;
	} cases[] = {
		{NAN, "      "},   {0, "      "},       {2, "      "},
		{2.01, " ±  2%"},  {5.99, " ±  5%"},    {86, " ± 86%"},
		{244.9, " ±244%"}, {1234.5, " ±1234%"}, {-3, "      "},
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(format(robot_stddev, cases[i].pct, buf, sizeof(buf)),
				    cases[i].text);
}

static void changes(void **state)
{
	static const struct {
		double change;
		bool percent;
		const char *text;
	} cases[] = {
		{-12.459253971775096, true, "     -12.5% "},
		{4.3, true, "      +4.3% "},
		{0.0, true, "      +0.0% "},
		{-0.0, true, "      -0.0% "},
		{-0.04, false, "      -0.0  "},
		{6.0, false, "      +6.0  "},
		{99999.9, true, "  +99999.9% "},
		{620000, true, "  +6.2e+05% "},
		{1.9e12, true, "  +1.9e+12% "},
		{INFINITY, true, "      +Inf% "},
		{-INFINITY, true, "      -Inf% "},
		{NAN, true, "            "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_out struct out o;

		out_init(&o, 100);
		robot_change(&o, cases[i].change, cases[i].percent);
		assert_string_equal(o.p, cases[i].text);
	}
}

/* A column of runs; v[metric][run], NAN where the run has none. */
static struct comparison_column run_column(struct arena *a, const struct metric *metrics, size_t n,
					   const double (*v)[6], size_t nruns)
{
	struct sample_run *runs = arena_array(a, struct sample_run, nruns);

	for (size_t r = 0; r < nruns; r++) {
		const struct metric **m = arena_array(a, const struct metric *, n);
		double *values = arena_array(a, double, n);

		for (size_t i = 0; i < n; i++) {
			if (isnan(v[i][r]))
				continue;
			m[runs[r].n] = &metrics[i];
			values[runs[r].n++] = v[i][r];
		}
		runs[r].metrics = m;
		runs[r].values = values;
	}
	return (struct comparison_column){.runs = runs, .nruns = nruns};
}

/* Samples and failures in one table, the third commit without runs of most. 90 and 110 have mean
 * 100 and population stddev 10; 98 and 102: 2 %, which is not shown. */
static void samples_and_failures(void **state)
{
	static const char *const names[] = {"dmesg.BUG:soft_lockup", "hackbench.throughput",
					    "vmstat.system.cs", "vmstat.system.in", "x.only"};
	static const double first[][6] = {
		{X, X, X, X, X, X},
		{480199.7631014502, 478713.21886768367, 480692.1967633392, 476795.9313413859,
		 478545.2225235285, 479309.7938967886},
		{90, 110, 90, 110, 90, 110},
		{98, 102, 98, 102, 98, 102},
		{X, X, X, X, X, X},
	};
	static const double second[][6] = {
		{1, X, 1, X, X, 1},
		{422654.2688081149, 419017.82222470525, 416817.183983105, 423286.39557524625,
		 414307.41610274825, 420062.1692010417},
		{100, 100, 100, 100, 100, 100},
		{X, X, X, X, X, X},
		{7, 7, 7, 7, 7, 7},
	};
	static const double third[][6] = {{1}, {X}, {50}, {X}, {X}};
	static const struct pair axes[] = {{"nr_threads", "100%"}, {"testcase", "hackbench"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_FULL,
			    .name = "7bc162d5cc4de5c33d4a2ca98f8a5ec2a8be0b8b",
			    .subject = "a merge"},
		 .asked = "7bc162d5cc"},
		{.commit = {.kind = COMMIT_FULL,
			    .name = "a0fd217e6d6fbd23e91f8796787b621e7d576088",
			    .subject = "a patch"},
		 .asked = "a0fd217e6d"},
		{.commit = {.kind = COMMIT_FULL,
			    .name = "3333333333333333333333333333333333333333",
			    .subject = "third"},
		 .asked = "a0fd217e6d^2~3"},
	};
	static const char want[] = RULE89
		"nr_threads/testcase:\n"
		"  100%/hackbench\n"
		"\n"
		"commit: \n"
		"  7bc162d5cc (\"a merge\")\n"
		"  a0fd217e6d (\"a patch\")\n"
		"  3333333333 (\"third\")\n"
		"\n"
		"7bc162d5cc4de5c3 a0fd217e6d6fbd23e91f8796787 333333333333333333333333333 \n"
		"---------------- --------------------------- --------------------------- \n"
		"       fail:runs  %reproduction    fail:runs  %reproduction    fail:runs\n"
		"           |             |             |             |             |    \n"
		"           :6           50%           3:6          100%           1:1     "
		"dmesg.BUG:soft_lockup\n"
		"         %stddev     %change         %stddev     %change         %stddev\n"
		"             \\          |                \\          |                \\  \n"
		"    479042           -12.5%     419357                                    "
		"hackbench.throughput\n"
		"                                  7.00                                    x.only\n"
		"    100.00 ± 10%      +0.0%     100.00           -50.0%      50.00        "
		"vmstat.system.cs\n"
		"    100.00                                                                "
		"vmstat.system.in\n";
	struct comparison_column cols[3];
	struct metric metrics[5];

	for (size_t i = 0; i < COUNT(names); i++)
		metrics[i] = metric_of(names[i], i);
	cols[0] = run_column(*state, metrics, 5, first, 6);
	cols[1] = run_column(*state, metrics, 5, second, 6);
	cols[2] = run_column(*state, metrics, 5, third, 1);
	assert_string_equal(table(*state, commits, 3, axes, 2, cols), want);
}

/* A commit alone has no change; a summary that was not printed follows the rule of samples. */
static void one_commit(void **state)
{
	struct metric m[] = {metric_of("t.a", 0), metric_of("t.b", 1), metric_of("t.c", 2)};
	struct summary_cell s[] = {summary(&m[0]), summary(&m[1]), summary(&m[2])};
	const struct comparison_column col = {.cells = s, .ncells = 3};
	static const struct pair axes[] = {{"testcase", "t"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_REF, .name = "v5.6-rc4"}, .asked = "v5.6-rc4"}};
	static const char want[] = RULE89 "testcase:\n"
					  "  t\n"
					  "\n"
					  "commit: \n"
					  "  v5.6-rc4\n"
					  "\n"
					  "        v5.6-rc4 \n"
					  "---------------- \n"
					  "         %stddev\n"
					  "             \\  \n"
					  "     10.00 ±  3%  t.a\n"
					  "     10.00        t.b\n"
					  "     10.00 ± 40%  t.c\n";

	s[0].mean = s[1].mean = s[2].mean = 10;
	s[0].stddev_pct = 3;
	s[1].stddev_pct = 2;
	/* 5 of 10 among 3 samples is 5 * sqrt(2/3) = 4.08 of the population */
	s[2].stddev = 5;
	s[2].n = 3;
	assert_string_equal(table(*state, commits, 1, axes, 1, &col), want);
}

/* Names from outside can neither start a line nor send an escape sequence. */
static void hostile_text(void **state)
{
	struct metric m = metric_of("t.a\n=====\x1b[2J\xc2\x9b", 0);
	struct summary_cell s = summary(&m);
	const struct comparison_column col = {.cells = &s, .ncells = 1};
	static const struct pair axes[] = {{"testcase\r", "<b>\ttab"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_FULL,
			    .name = "7bc162d5cc4de5c33d4a2ca98f8a5ec2a8be0b8b",
			    .subject = "sub\nject %s caf\xc3\xa9",
			    .label = "\x7f"},
		 .asked = "7bc162d5cc"}};
	const char *text;

	s.mean = 1;
	text = table(*state, commits, 1, axes, 1, &col);
	assert_non_null(strstr(text, "\ntestcase?:\n  <b>?tab\n"));
	assert_non_null(strstr(text, "  7bc162d5cc (\"sub?ject %s caf\xc3\xa9\")  (?)\n"));
	assert_non_null(strstr(text, "        t.a?=====?[2J?\n"));
}

#define in_arena(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means),   cmocka_unit_test(stddevs),
		cmocka_unit_test(changes), in_arena(samples_and_failures),
		in_arena(one_commit),      in_arena(hostile_text),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("robot_table", tests, NULL, NULL);
}
