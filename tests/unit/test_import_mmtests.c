/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmtests' export. Expected values were read off the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", NULL};

static void test_kernels_are_commits(void **state)
{
	static const struct raw_figure first[] = {
		{0, "hackbench.Amean-1", 0.4703, ""}, {1, "hackbench.Amean-1", 0.4613, ""},
		{2, "hackbench.Amean-1", 0.4577, ""}, {0, "hackbench.Amean-4", 1.0083, ""},
		{1, "hackbench.Amean-4", 1.0233, ""}, {2, "hackbench.Amean-4", 1.0157, ""},
	};
	static const struct raw_figure second[] = {
		{0, "hackbench.Amean-1", 0.5103, ""},
		{2, "hackbench.Amean-1", 0.498, ""},
		{0, "hackbench.Amean-4", 1.2, ""},
	};
	struct raw r;

	(void)state;
	field_read(&r, "mmtests", "mmtests.json", box, NULL);
	assert_int_equal(r.in.n, 2);
	RAW_CHECK(&r, 0, first);
	RAW_CHECK(&r, 1, second);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_string_equal(r.in.subs[0].testcase, "hackbench");
	assert_string_equal(r.in.subs[0].commit.id, "v6.4");
	assert_string_equal(r.in.subs[1].commit.id, "v6.5-rc1");
	assert_string_equal(raw_info(&r, 0, "better"), "Lower");
	assert_string_equal(raw_axis(&r, 0, "kernel"), "");
	raw_end(&r);
}

/* Two kernels must not become one series of one commit. */
static void test_commit_of_the_request(void **state)
{
	struct raw r;

	(void)state;
	field_read(&r, "mmtests", "mmtests.json", box, "a0fd217e6d6f");
	assert_string_equal(r.in.subs[1].commit.id, "a0fd217e6d6f");
	assert_string_equal(raw_axis(&r, 0, "kernel"), "v6.4");
	assert_string_equal(raw_axis(&r, 1, "kernel"), "v6.5-rc1");
	raw_end(&r);
}

static void test_faults(void **state)
{
	(void)state;
	field_refused("mmtests",
		      "[{\"_ModuleName\":\"ExtractX\",\"_TestName\":\"run-2\",\"_ResultData\":"
		      "{\"a\":[{\"Values\":[1]}]}}]",
		      box, NULL, "commit", "the commit");
	field_refused("mmtests",
		      "[{\"_TestName\":\"v6.4\",\"_ResultData\":{\"a\":[{\"Values\":"
		      "[1]}]}}]",
		      box, NULL, "testcase", "the test");
	field_refused("mmtests", "[{\"_ModuleName\":\"ExtractX\"}]", box, "v6.4", "[0]._ResultData",
		      "is missing");
	field_refused("mmtests", "[{\"_ResultData\":{\"a\":[{\"Values\":[1,\"x\"]}]}}]", box,
		      "v6.4", "[0]._ResultData[\"a\"][0].Values[1]", "must be a number");
	field_refused("mmtests", "{}", box, "v6.4", "_ResultData", "is missing");
	field_refused("mmtests", "7", box, "v6.4", "", "must be a module or an array");
	field_refused("mmtests", "[]", box, "v6.4", "", "is empty");
}

/* One kernel's result, as it is sent from a job: no array around it, NaN as a text, and how the
 * test was called. */
static void test_one_module(void **state)
{
	static const char text[] =
		"{\"_ModuleName\":\"ExtractSysbenchthread\",\"_TestName\":\"run-7\",\"_Cmd\":"
		"[\"mmtests/run-mmtests.sh --config cfg\"],\"CONFIG-MMTESTS_ITERATIONS\":\"3\","
		"\"_ResultData\":{\"sys/1\":[{\"SampleNrs\":[0,1],\"Values\":[\"1.25\",\"NaN\"]},"
		"{\"SampleNrs\":[0],\"Values\":[1.5]}]}}";
	static const struct raw_figure figures[] = {
		{0, "sysbenchthread.sys/1", 1.25, ""},
		{1, "sysbenchthread.sys/1", 1.5, ""},
	};
	struct raw r;

	(void)state;
	field_taken(&r, "mmtests", text, box, "v6.4");
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_string_equal(r.in.subs[0].commit.id, "v6.4");
	assert_string_equal(raw_info(&r, 0, "kernel"), "run-7");
	assert_string_equal(raw_info(&r, 0, "Cmd"), "mmtests/run-mmtests.sh --config cfg");
	assert_string_equal(raw_info(&r, 0, "CONFIG-MMTESTS_ITERATIONS"), "3");
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels_are_commits),
		cmocka_unit_test(test_commit_of_the_request),
		cmocka_unit_test(test_one_module),
		cmocka_unit_test(test_faults),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_mmtests", tests, NULL, NULL);
}
