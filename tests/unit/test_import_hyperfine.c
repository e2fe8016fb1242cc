/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hyperfine's JSON. Expected values were read off the file, which hyperfine 1.15 wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", NULL};

static void test_runs(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "hyperfine.seconds", 0.005307115, "s"},
		{1, "hyperfine.seconds", 0.003957532000000001, "s"},
		{3, "hyperfine.seconds", 0.003990672000000001, "s"},
	};
	struct raw r;

	(void)state;
	field_read(&r, "hyperfine", "hyperfine.json", box, "v6.4");
	assert_int_equal(r.in.n, 8); /* four commands, runs and means of each */
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 4);
	assert_int_equal(raw_metrics(&r, 0, 0), 1);
	assert_string_equal(r.in.subs[0].testcase, "hyperfine");
	assert_string_equal(raw_axis(&r, 0, "command"), "sleep 0.001");
	assert_string_equal(raw_axis(&r, 0, "n"), "1");
	/* the same command with another parameter is another series */
	assert_string_equal(raw_axis(&r, 2, "command"), "true");
	assert_string_equal(raw_axis(&r, 2, "n"), "1");
	assert_string_equal(raw_axis(&r, 6, "command"), "true");
	assert_string_equal(raw_axis(&r, 6, "n"), "2");
	/* user and system time are means only */
	assert_int_equal(r.in.subs[1].kind, SUBMISSION_SUMMARY);
	assert_int_equal(r.in.subs[1].ncells, 2);
	assert_true(field_cell(&r, 1, "hyperfine.user_time")->mean == 0.00063925);
	assert_true(field_cell(&r, 1, "hyperfine.system_time")->mean == 0.00024925);
	assert_int_equal(field_cell(&r, 1, "hyperfine.user_time")->n, 4);
	assert_string_equal(raw_axis(&r, 1, "command"), "sleep 0.001");
	assert_string_equal(raw_unit(&r, 1, "hyperfine.user_time"), "s");
	raw_end(&r);
}

static void test_memory_and_failures(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "hyperfine.seconds", 1.5, "s"},
		{1, "hyperfine.seconds", 2.5, "s"},
		{0, "hyperfine.memory_usage_bytes", 4096, "B"},
		{1, "hyperfine.memory_usage_bytes", 8192, "B"},
		{1, "hyperfine.fail", 1, ""},
	};
	struct raw r;

	(void)state;
	field_taken(&r, "hyperfine",
		    "{\"results\":[{\"command\":\"x\",\"mean\":2,\"stddev\":null,\"user\":0.25,"
		    "\"times\":[1.5,2.5],\"memory_usage_byte\":[4096,8192],\"exit_codes\":[0,null]"
		    "}]}",
		    box, "v6.4");
	RAW_CHECK(&r, 0, figures);
	assert_true(isnan(raw_value(&r, 0, 0, "hyperfine.fail")));
	assert_int_equal(r.in.subs[1].ncells, 1);
	raw_end(&r);
}

static void test_means_alone(void **state)
{
	const struct summary_in *k;
	struct raw r;

	(void)state;
	field_taken(&r, "hyperfine",
		    "{\"results\":[{\"command\":\"x\",\"mean\":2,\"stddev\":0.5,\"median\":2,"
		    "\"min\":1.5,\"max\":2.5,\"parameters\":{\"command\":\"y\"}}]}",
		    box, "v6.4");
	assert_int_equal(r.in.n, 1);
	k = field_cell(&r, 0, "hyperfine.seconds");
	assert_true(k->mean == 2 && k->stddev == 0.5 && k->min == 1.5 && k->max == 2.5);
	assert_int_equal(k->n, -1);
	assert_string_equal(raw_axis(&r, 0, "command"), "x");
	assert_string_equal(raw_axis(&r, 0, "parameter_command"), "y");
	raw_end(&r);
}

static void test_what_is_missing(void **state)
{
	static const char text[] = "{\"results\":[{\"command\":\"x\",\"times\":[1]}]}";

	(void)state;
	field_refused("hyperfine", text, NULL, "v6.4", "tbox_group", "does not name the machine");
	field_refused("hyperfine", text, box, NULL, "commit", "does not name the commit");
	field_refused("hyperfine", "{\"results\":[{\"times\":[1]}]}", box, "v6.4",
		      "results[0].command", "is missing");
	field_refused("hyperfine", "{\"results\":[{\"command\":\"x\",\"times\":[1,\"2\"]}]}", box,
		      "v6.4", "results[0].times[1]", "must be a number");
	field_refused("hyperfine", "{\"results\":[]}", box, "v6.4", "results", "is empty");
	field_refused("hyperfine", "{\"results\":[3,{\"command\":\"x\",\"times\":[1]}]}", box,
		      "v6.4", "results[0]", "must be an object");
	field_refused(
		"hyperfine",
		"{\"results\":[{\"command\":\"x\",\"times\":[1]}\n{\"command\":\"y\",\"times\":"
		"[1]}]}",
		box, "v6.4", "", "line 2: a comma is missing");
	field_refused("hyperfine", "{\"results\":[{\"command\":\"x\",\"times\":[1]}]}\n\n]", box,
		      "v6.4", "", "line 3: something stands behind");
	field_refused("hyperfine", "{\"a\":1}", box, "v6.4", "results", "is missing");
	field_refused("hyperfine", "{\"results\":[{\"command\":\"x\"\n\"times\":[1]}]}", box,
		      "v6.4", "", "line 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_memory_and_failures),
		cmocka_unit_test(test_means_alone),
		cmocka_unit_test(test_what_is_missing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_hyperfine", tests, NULL, NULL);
}
