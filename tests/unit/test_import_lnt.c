/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LNT's reports. Expected values were read off the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static void test_report(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "lnt.SingleSource/sieve.execution_time", 0.107, "s"},
		{1, "lnt.SingleSource/sieve.execution_time", 0.109, "s"},
		{2, "lnt.SingleSource/sieve.execution_time", 0.108, "s"},
		{0, "lnt.SingleSource/sieve.compile_time", 13.12, "s"},
		{0, "lnt.SingleSource/sieve.mem_bytes", 262144, "B"},
		{0, "lnt.SingleSource/sieve.code_size", 4096, "B"},
		{0, "lnt.SingleSource/sieve.execution_time.pass", 1, ""},
		{0, "lnt.SingleSource/queens.execution_time", 2.5, "s"},
		{1, "lnt.SingleSource/queens.execution_time", 2.625, "s"},
		{1, "lnt.SingleSource/queens.score", 4700.25, ""},
		{0, "lnt.MultiSource/broken.execution.fail", 1, ""},
	};
	struct raw r;

	(void)state;
	field_read(&r, "lnt", "lnt.json", NULL, NULL);
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].nruns, 3);
	assert_int_equal(raw_metrics(&r, 0, 0), 9);
	assert_int_equal(raw_metrics(&r, 0, 1), 3);
	assert_int_equal(raw_metrics(&r, 0, 2), 1);
	assert_string_equal(r.in.subs[0].tbox_group, "lab-a1");
	assert_string_equal(r.in.subs[0].commit.id, "f71ed0f653e9dbd57347f6321e36556004a17b52");
	assert_int_equal(r.in.subs[0].started, 1500388103); /* 2017-07-18T14:28:23Z */
	assert_string_equal(raw_info(&r, 0, "machine.os"), "Debian 12");
	raw_end(&r);
}

/* What LNT's own driver writes: digests of the compiler beside the run's order, in 40 digits all.
 */
static void test_digests_are_no_commits(void **state)
{
#define RUN                                                                                        \
	"\"cc1_exec_hash\":\"f3d4c85eedcf58e83b34d9458626d93fbfca3beb\","                          \
	"\"cc_exec_hash\":\"e3d4c85eedcf58e83b34d9458626d93fbfca3bec\",\"no_errors\":\"True\","
	static const char text[] =
		"{\"format_version\":\"2\",\"machine\":{\"name\":\"m\"},\"run\":{" RUN
		"\"inferred_run_order\":"
		"\"dc0abebc8e834bceea9a467f07e124ab944e9be9\"},\"tests\":[{"
		"\"name\":\"t\",\"score\":1}]}";
	struct raw r;

	(void)state;
	field_taken(&r, "lnt", text, NULL, NULL);
	assert_string_equal(r.in.subs[0].commit.id, "dc0abebc8e834bceea9a467f07e124ab944e9be9");
	raw_end(&r);
	field_refused(
		"lnt",
		"{\"format_version\":\"2\",\"machine\":{\"name\":\"m\"},\"run\":{"
		"\"cc1_exec_hash\":\"f3d4c85eedcf58e83b34d9458626d93fbfca3beb\","
		"\"inferred_run_order\":\"154331\"},\"tests\":[{\"name\":\"t\",\"score\":1}]}",
		NULL, NULL, "commit", "the commit");
}

static void test_version_5(void **state)
{
	static const char text[] =
		"{\"format_version\":\"5\",\"machine\":{\"name\":\"m\"},\"commit\":{\"value\":"
		"\"dc0abebc8e834bceea9a467f07e124ab944e9be9\",\"ordinal\":598181},"
		"\"run_parameters\":{" RUN "\"start_time\":\"2026-09-22T00:15:40\"},\"tests\":[{"
		"\"name\":\"t\",\"execution_time\":[5.5,5.25],\"hash\":\"b7ef\"}]}";
	static const struct raw_figure figures[] = {
		{0, "lnt.t.execution_time", 5.5, "s"},
		{1, "lnt.t.execution_time", 5.25, "s"},
	};
	struct raw r;

	(void)state;
	field_taken(&r, "lnt", text, NULL, NULL);
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(raw_metrics(&r, 0, 0), 1);
	assert_string_equal(r.in.subs[0].commit.id, "dc0abebc8e834bceea9a467f07e124ab944e9be9");
	assert_int_equal(r.in.subs[0].started, 1790036140); /* date -ud 2026-09-22T00:15:40 +%s */
	assert_string_equal(raw_info(&r, 0, "run.no_errors"), "True");
	raw_end(&r);
}

static void test_faults(void **state)
{
	(void)state;
	field_refused("lnt",
		      "{\"format_version\":\"2\",\"run\":{\"version\":\"154331\"},\"tests\":["
		      "{\"name\":\"t\",\"score\":1}]}",
		      NULL, NULL, "commit", "the commit");
	field_refused("lnt", "{\"format_version\":\"2\",\"tests\":[{\"name\":\"t\",\"score\":1}]}",
		      NULL, "v6.4", "tbox_group", "the machine");
	field_refused("lnt", "{\"format_version\":\"1\",\"tests\":[]}", NULL, "v6.4",
		      "format_version", "must be \"2\" or \"5\"");
	field_refused("lnt",
		      "{\"format_version\":\"2\",\"tests\":[{\"name\":\"t\",\"score\":[1,true]}]}",
		      NULL, "v6.4", "tests[0][\"score\"][1]", "must be a number");
	field_refused("lnt", "{\"format_version\":\"2\",\"tests\":[{\"score\":1}]}", NULL, "v6.4",
		      "tests[0].name", "is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_digests_are_no_commits),
		cmocka_unit_test(test_version_5),
		cmocka_unit_test(test_faults),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_lnt", tests, NULL, NULL);
}
