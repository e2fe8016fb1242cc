/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only reports of other settings and excerpts of UnixBench show; names and figures are the
 * robot's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void read_text(struct raw *r, const char *format, const char *text, const char *testcase)
{
	int e = raw_run(r, format, text, strlen(text), testcase);

	if (e != E_OK)
		raw_fail("%s", r->ctx.detail);
	r->bytes = NULL;
}

#define UNIXBENCH                                                                                  \
	"Benchmark Run: Mon Jan 08 2024 07:40:42 - 07:46:52\n"                                     \
	"36 CPUs in system; running 1 parallel copy of tests\n\n"

/* A test that is in no index has neither table nor score. */
static void test_outside_the_index(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "unixbench.throughput", 3121976, "KBps"},
		{0, "unixbench.workload", 3121976.0 * 370, ""},
		{0, "unixbench.test.pass", 1, ""},
	};
	struct raw r;

	(void)state;
	read_text(&r, "unixbench",
		  UNIXBENCH
		  "File Write 1024 bufsize 2000 maxblocks      3121976.0 KBps  (30.0 s, 7 "
		  "samples)\n\n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	assert_true(isnan(raw_value(&r, 0, 0, "unixbench.test.fail")));
	raw_end(&r);
}

/* Two tables that a mail quotes without anything above them. */
static void test_bare_tables(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "unixbench.score", 396.25, ""},
		{0, "unixbench.Pipe_Throughput.result", 493023.5, ""},
		{1, "unixbench.score", 408.5, ""},
		{1, "unixbench.Pipe_Throughput.result", 507551.5, ""},
	};
	static const char text[] =
		"> System Benchmarks Partial Index  BASELINE       RESULT    INDEX\n"
		"> Pipe Throughput                   12440.0     493023.5   396.25\n"
		">                                                         ========\n"
		"> System Benchmarks Index Score (Partial Only)             396.25\n"
		">\n"
		"> System Benchmarks Partial Index  BASELINE       RESULT    INDEX\n"
		"> Pipe Throughput                   12440.0     507551.5    408.5\n"
		">                                                         ========\n"
		"> System Benchmarks Index Score (Partial Only)              408.5\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "unixbench", text, sizeof(text) - 1, NULL), E_OK);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

static void test_graphics(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "unixbench.score", 960.2, ""},
		{0, "unixbench.throughput", 3207, "fps"},
		{0, "unixbench.workload", 3207.0 * 370, ""},
		{0, "unixbench.test.pass", 1, ""},
		{0, "unixbench.3D_graphics_gears.samples", 1, "samples"},
	};
	struct raw r;

	(void)state;
	read_text(&r, "unixbench",
		  UNIXBENCH
		  "3D graphics: gears                   3207.0 fps   (20.0 s, 1 sample)\n\n"
		  "3D Graphics Benchmarks Index Values     BASELINE       RESULT    INDEX\n"
		  "3D graphics: gears                          33.4       3207.0    960.2\n"
		  "                                                              ========\n"
		  "3D Graphics Benchmarks Index Score                               960.2\n",
		  NULL);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

static void test_without_a_result(void **state)
{
	struct raw r;

	(void)state;
	read_text(&r, "unixbench",
		  UNIXBENCH "Run: \"2D graphics: aa polygons\": command returned status 2816; "
			    "aborting\n",
		  NULL);
	assert_true(raw_value(&r, 0, 0, "unixbench.test.fail") == 1);
	raw_end(&r);
}

/* Mails quote parts without their first line: what ran before a patch and behind it. */
static void test_parts(void **state)
{
	static const char part[] =
		"80 CPUs in system; running 80 parallel copies of tests\n\n"
		"System Call Overhead                    %s lps   (10.0 s, 1 samples)\n\n"
		"System Benchmarks Partial Index              BASELINE       RESULT    INDEX\n"
		"System Call Overhead                          15000.0    %s   %s\n"
		"                                                                   ========\n"
		"System Benchmarks Index Score (Partial Only)                         %s\n\n";
	char text[4096], second[2048];
	struct raw r;

	(void)state;
	snprintf(text, sizeof(text), part, "3789860.2", "3789860.2", "2526.6", "2526.6");
	snprintf(second, sizeof(second), part, "3951328.1", "3951328.1", "2634.2", "2634.2");
	strncat(text, second, sizeof(text) - strlen(text) - 1);
	read_text(&r, "unixbench", text, NULL);
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "unixbench.score") == 2526.6);
	assert_true(raw_value(&r, 0, 1, "unixbench.score") == 2634.2);
	assert_true(raw_value(&r, 0, 1, "unixbench.throughput") == 3951328.1);
	raw_end(&r);
}

/* Version 4 weighs other tests against another machine: its index is not the other's. */
static void test_version_4(void **state)
{
	static const char text[] =
		"    BYTE UNIX Benchmarks (Version 4.1-wht.2)\n"
		"                         INDEX VALUES\n"
		"    TEST                                  BASELINE     RESULT      INDEX\n\n"
		"    Execl Throughput                         188.3     9166.8      486.8\n"
		"                                                              =========\n"
		"         FINAL SCORE                                              507.1\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "unixbench", text, sizeof(text) - 1, NULL), E_INVALID);
	assert_non_null(strstr(r.ctx.faults[0].message, "UnixBench 4"));
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outside_the_index),
		cmocka_unit_test(test_bare_tables),
		cmocka_unit_test(test_graphics),
		cmocka_unit_test(test_without_a_result),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_version_4),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_unixbench", tests, NULL, NULL);
}
