/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf stat prints with further options, and what becomes of it in mails: summaries of
 * intervals, groups of metrics, control groups, other locales. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

/* --summary: what stands below the intervals is not counted again. */
static void test_summary_of_intervals(void **state)
{
	static const char csv[] =
		"     1.0,8000.5,msec,cpu-clock,8000500000,100.00,8.000,CPUs utilized\n"
		"     1.0,200,,context-switches,8000500000,100.00,24.998,/sec\n"
		"     2.0,7999.5,msec,cpu-clock,7999500000,100.00,8.000,CPUs utilized\n"
		"     2.0,100,,context-switches,7999500000,100.00,12.501,/sec\n"
		"         summary,16000.0,msec,cpu-clock,16000000000,100.00,8.000,CPUs "
		"utilized\n"
		"         summary,300,,context-switches,16000000000,100.00,18.750,/sec\n";
	static const char plain[] = "#           time             counts unit events\n"
				    "     1.000000000          7,000,000      hv/cyc,chip=0/\n"
				    "     1.000000000          7,500,000      hv/cyc,chip=1/\n"
				    "^C     2.000000000          5,000,000      hv/cyc,chip=0/\n"
				    "     2.000000000          5,500,000      hv/cyc,chip=1/\n"
				    "\n"
				    " Performance counter stats for 'CPU(s) 0':\n"
				    "\n"
				    "        12,000,000      hv/cyc,chip=0/\n"
				    "        13,000,000      hv/cyc,chip=1/\n"
				    "\n"
				    "       2.000000000 seconds time elapsed\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "perf-stat", csv, sizeof(csv) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_true(raw_value(&r, 0, 0, "perf-stat.total.context-switches") == 300);
	assert_true(raw_value(&r, 0, 0, "perf-stat.ps.context-switches") == 150);
	assert_true(raw_value(&r, 0, 0, "perf-stat.context-switches") == 300);
	raw_end(&r);
	assert_int_equal(raw_run(&r, "perf-stat", plain, sizeof(plain) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_true(raw_value(&r, 0, 0, "perf-stat.total.hv/cyc,chip=0/") == 12e6);
	assert_true(raw_value(&r, 0, 0, "perf-stat.total.hv/cyc,chip=1/") == 13e6);
	assert_true(raw_value(&r, 0, 0, "perf-stat.hv/cyc,chip=0/") == 12e6);
	assert_true(raw_value(&r, 0, 0, "perf-stat.elapsed_time") == 2);
	raw_end(&r);
}

/* Groups of metrics without a count, metrics with a name behind their unit, and a line of a mail
 * that only begins like a row. */
static void test_groups_of_metrics(void **state)
{
	static const char text[] =
		" Performance counter stats for 'system wide':\n\n"
		"      2,000      context-switches       #    735.5 cs/sec  cs_per_second\n"
		"             TopdownL1 (cpu_core)       #      7.5 %  tma_bad_speculation\n"
		"                                        #     34.5 %  tma_frontend_bound\n"
		"             TopdownL1 (cpu_core)       #     39.0 %  tma_backend_bound\n"
		"    500,000      branches               #   1126.5 M/sec  branch_frequency  ( +-  "
		"0.10% )\n"
		"\n"
		"RX 128 (39.4 Mpps dropped):\n"
		"       1.5 seconds time elapsed\n";
	static const struct raw_figure figures[] = {
		{0, "perf-stat.context-switches", 2000, ""},
		{0, "perf-stat.context-switches.cs_per_second", 735.5, "cs/sec"},
		{0, "perf-stat.TopdownL1_cpu_core.tma_bad_speculation%", 7.5, "%"},
		{0, "perf-stat.TopdownL1_cpu_core.tma_frontend_bound%", 34.5, "%"},
		{0, "perf-stat.TopdownL1_cpu_core.tma_backend_bound%", 39, "%"},
		{0, "perf-stat.branches", 500000, ""},
		{0, "perf-stat.branches.branch_frequency", 1126500000, "1/s"},
		{0, "perf-stat.branches.stddev%", 0.1, "%"},
		{0, "perf-stat.elapsed_time", 1.5, "s"},
	};
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "perf-stat", text, sizeof(text) - 1, NULL), E_OK);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(raw_metrics(&r, 0, 0), sizeof(figures) / sizeof(figures[0]));
	raw_end(&r);
}

/* Two groups of metrics that share events: neither a second run nor a sum. */
static void test_event_met_twice(void **state)
{
	static const char text[] = " Performance counter stats for 'true':\n\n"
				   "     1,250      inst_retired.any    #      1.5 IPC\n"
				   "       950      cycles\n"
				   "     1,240      inst_retired.any\n"
				   "       940      cycles\n\n"
				   "     0.5 seconds time elapsed\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "perf-stat", text, sizeof(text) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_true(raw_value(&r, 0, 0, "perf-stat.inst_retired.any") == 1250);
	assert_true(raw_value(&r, 0, 0, "perf-stat.inst_retired.any.2") == 1240);
	assert_true(raw_value(&r, 0, 0, "perf-stat.cycles") == 950);
	assert_true(raw_value(&r, 0, 0, "perf-stat.cycles.2") == 940);
	raw_end(&r);
}

/* Events were counted from the third second on: the interval that ends at 4 s has no count, those
 * at 5 and 6 s have; the last one is cut short and in no mean. */
static void test_intervals_without_a_count(void **state)
{
	static const char text[] = "#           time             counts unit events\n"
				   "     2.000000000      <not counted>      cycles\n"
				   "     4.000000000      <not counted>      cycles\n"
				   "     5.000000000          3,000,000      cycles\n"
				   "     6.000000000         80,000,000      cycles\n";
	static const char one[] = "#           time             counts unit events\n"
				  "     2.000000000      <not counted>      cycles\n"
				  "     4.000000000          3,000,000      cycles\n"
				  "     6.000000000      <not counted>      cycles\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "perf-stat", text, sizeof(text) - 1, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "perf-stat.i.cycles") == 3e6);
	assert_true(raw_value(&r, 0, 0, "perf-stat.total.cycles") == 83e6);
	assert_string_equal(raw_info(&r, 0, "perf-stat.not_counted"), "cycles");
	raw_end(&r);
	assert_int_equal(raw_run(&r, "perf-stat", one, sizeof(one) - 1, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "perf-stat.i.cycles") == 1.5e6);
	assert_true(raw_value(&r, 0, 0, "perf-stat.ps.cycles") == 3e6 / 4);
	raw_end(&r);
}

/* --for-each-cgroup: the group stands behind the event, whose own commas are between slashes. */
static void test_control_groups(void **state)
{
	static const char csv[] =
		"900,,cycles,system.slice/a.scope,1000,100.00,,\n"
		"70,,cpu/event=0x3c,umask=0x1/,system.slice/a.scope,1000,100.00,,\n"
		"100,,cycles,system.slice/b.scope,1000,100.00,,\n"
		"30,,cpu/event=0x3c,umask=0x1/,system.slice/b.scope,1000,100.00,,\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "perf-stat", csv, sizeof(csv) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_true(raw_value(&r, 0, 0, "perf-stat.system.slice/a.scope.cycles") == 900);
	assert_true(raw_value(&r, 0, 0, "perf-stat.system.slice/b.scope.cycles") == 100);
	assert_true(raw_value(&r, 0, 0, "perf-stat.cycles") == 1000);
	assert_true(raw_value(&r, 0, 0,
			      "perf-stat.system.slice/a.scope.cpu/event=0x3c,umask=0x1/") == 70);
	assert_true(raw_value(&r, 0, 0, "perf-stat.cpu/event=0x3c,umask=0x1/") == 100);
	raw_end(&r);
}

/* What another locale wrote is refused as a whole: "117.524" would be read as a small number. */
static void test_other_locales(void **state)
{
	static const char *const texts[] = {
		" Performance counter stats for 'a' (5 runs):\n\n"
		"           117.524      context-switches      ( +-  2,04% )\n",
		" Performance counter stats for 'a':\n\n"
		"           117.524      context-switches\n\n"
		"       3,481400000 seconds time elapsed\n",
		" Performance counter stats for 'a' (2 runs):\n\n"
		"               117      context-switches\n\n"
		"       3,4814 +- 0,0128 seconds time elapsed\n",
	};
	static const char ours[] = " Performance counter stats for 'a' (5 runs):\n\n"
				   "           117,524      context-switches      ( +-  2.04% )\n\n"
				   "      3,481.400000000 seconds time elapsed\n";
	struct raw r = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(raw_run(&r, "perf-stat", texts[i], strlen(texts[i]), NULL),
				 E_INVALID);
		assert_int_equal(r.ctx.nfaults, 1);
		assert_non_null(strstr(r.ctx.faults[0].message, "LC_ALL=C"));
		raw_end(&r);
	}
	assert_int_equal(raw_run(&r, "perf-stat", ours, sizeof(ours) - 1, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "perf-stat.context-switches") == 117524);
	assert_true(raw_value(&r, 0, 0, "perf-stat.elapsed_time") == 3481.4);
	raw_end(&r);
}

static void test_commands(void **state)
{
	static const struct {
		const char *head, *command;
	} heads[] = {
		{"'CPU(s) 0':", "CPU(s) 0"},
		{"'sh -c it's' (10 runs):", "sh -c it's"},
		{"process id '123':", "process id '123'"},
		{"'':", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct raw r = {0};
		char text[300];

		snprintf(text, sizeof(text),
			 " Performance counter stats for %s\n\n     2      page-faults\n",
			 heads[i].head);
		assert_int_equal(raw_run(&r, "perf-stat", text, strlen(text), NULL), E_OK);
		assert_string_equal(raw_info(&r, 0, "command"),
				    heads[i].command ? heads[i].command : "");
		raw_end(&r);
	}
}

/* Groups of metrics alone, an output after the other; and intervals with a summary, twice. */
static void test_outputs_apart(void **state)
{
	static const char groups[] = " Performance counter stats for 'a':\n\n"
				     "   TopdownL1      #      7.5 %  tma_retiring\n\n"
				     " Performance counter stats for 'a':\n\n"
				     "   TopdownL1      #      8.5 %  tma_retiring\n\n";
	static const char intervals[] = "#           time             counts unit events\n"
					"     1.000000000                 20      page-faults\n"
					" Performance counter stats for 'a':\n\n"
					"                20      page-faults\n\n"
					" Performance counter stats for 'b':\n\n"
					"                50      page-faults\n\n"
					"#           time             counts unit events\n"
					"     1.000000000                 30      page-faults\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "perf-stat", groups, sizeof(groups) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "perf-stat.TopdownL1.tma_retiring%") == 7.5);
	assert_true(raw_value(&r, 0, 1, "perf-stat.TopdownL1.tma_retiring%") == 8.5);
	raw_end(&r);
	assert_int_equal(raw_run(&r, "perf-stat", intervals, sizeof(intervals) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_true(raw_value(&r, 0, 0, "perf-stat.total.page-faults") == 20);
	assert_true(raw_value(&r, 0, 0, "perf-stat.page-faults") == 20);
	assert_true(raw_value(&r, 0, 1, "perf-stat.page-faults") == 50);
	assert_true(raw_value(&r, 0, 2, "perf-stat.total.page-faults") == 30);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary_of_intervals),
		cmocka_unit_test(test_groups_of_metrics),
		cmocka_unit_test(test_event_met_twice),
		cmocka_unit_test(test_intervals_without_a_count),
		cmocka_unit_test(test_control_groups),
		cmocka_unit_test(test_other_locales),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_outputs_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_perf_stat", tests, NULL, NULL);
}
