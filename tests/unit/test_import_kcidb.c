/* SPDX-License-Identifier: GPL-2.0-or-later */
/* KCIDB documents. Expected values were read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", NULL};

static void test_tests_of_a_build(void **state)
{
	static const struct raw_figure ltp[] = {
		{0, "ltp.syscalls.read01.pass", 1, ""},
		{0, "ltp.time.syscalls.read01.duration", 2.5, "s"},
		{1, "ltp.syscalls.read01.fail", 1, ""},
	};
	static const struct raw_figure fio[] = {
		{0, "fio.seqread.bandwidth", 512.25, "MB/s"},
		{1, "fio.seqread.bandwidth", 515.5, "MB/s"},
	};
	size_t i, k, broken;
	struct raw r;

	(void)state;
	field_read(&r, "kcidb", "kcidb-5.json", NULL, NULL);
	assert_int_equal(r.in.n, 5);
	i = field_find(&r, "testcase", "ltp", NULL);
	RAW_CHECK(&r, i, ltp);
	assert_int_equal(r.in.subs[i].nruns, 2);
	assert_int_equal(raw_metrics(&r, i, 0), 2);
	assert_int_equal(raw_metrics(&r, i, 1), 1);
	assert_string_equal(r.in.subs[i].tbox_group, "acme,board-2");
	assert_string_equal(raw_axis(&r, i, "arch"), "arm64");
	assert_string_equal(raw_axis(&r, i, "compiler"), "gcc-12");
	assert_string_equal(raw_axis(&r, i, "kconfig"), "defconfig");
	assert_int_equal(r.in.subs[i].started, 1709287260); /* the first: 10:01 */
	k = field_find(&r, "testcase", "fio", NULL);
	RAW_CHECK(&r, k, fio);
	assert_int_equal(raw_metrics(&r, k, 0), 1);
	broken = field_find(&r, "tbox_group", "Old laptop", NULL);
	assert_true(raw_value(&r, broken, 0, "boot.error") == 1);
	raw_end(&r);
}

static void test_commits_and_builds(void **state)
{
	const struct commit_in *c;
	size_t i;
	struct raw r;

	(void)state;
	field_read(&r, "kcidb", "kcidb-5.json", NULL, NULL);
	c = &r.in.subs[field_find(&r, "testcase", "ltp", NULL)].commit;
	assert_string_equal(c->id, "e8f897f4afef0031fe618a8e94127a0934896aba");
	assert_string_equal(c->tree, "mainline");
	assert_false(c->patch.given);
	assert_string_equal(c->build.status, "ok");
	assert_string_equal(c->build.config, "defconfig");
	assert_int_equal(c->build.nwarnings, 1);
	assert_string_equal(c->build.warnings[0].file, "drivers/acme/fan.c");
	assert_int_equal(c->build.warnings[0].line, 17);
	/* with patches it is not that commit */
	i = field_find(&r, "arch", "x86_64", NULL);
	c = &r.in.subs[i].commit;
	assert_string_equal(c->id, "patches-903638c08733-on-e8f897f4afef");
	assert_string_equal(c->patch.base, "e8f897f4afef0031fe618a8e94127a0934896aba");
	assert_string_equal(c->patch.message_id, "20240301.1@example.org");
	assert_true(raw_value(&r, i, 0, "boot.skip") == 1);
	raw_end(&r);
}

/* Nobody tested it: it says how it went, and no machine. */
static void test_build_alone(void **state)
{
	static const char text[] =
		"{\"version\":{\"major\":5},\"checkouts\":[{\"id\":\"a:c\",\"git_commit_hash\":"
		"\"a0fd217e6d6f\"}],\"builds\":[{\"id\":\"a:b\",\"checkout_id\":\"a:c\","
		"\"architecture\":\"riscv\",\"status\":\"FAIL\"}]}";
	struct raw r;

	(void)state;
	field_taken(&r, "kcidb", text, NULL, NULL);
	assert_int_equal(r.in.n, 1);
	assert_string_equal(r.in.subs[0].testcase, "build");
	assert_string_equal(r.in.subs[0].tbox_group, "a"); /* who built it */
	assert_int_equal(r.in.subs[0].kind, SUBMISSION_NOTE);
	assert_string_equal(r.in.subs[0].commit.build.status, "failed");
	assert_string_equal(raw_axis(&r, 0, "arch"), "riscv");
	raw_end(&r);
}

static void test_version_4(void **state)
{
	struct raw r;

	(void)state;
	field_read(&r, "kcidb", "kcidb-4.json", NULL, NULL);
	assert_int_equal(r.in.n, 1);
	assert_true(raw_value(&r, 0, 0, "sleep.latency") == 17);
	assert_int_equal(raw_metrics(&r, 0, 0), 1);
	assert_string_equal(raw_unit(&r, 0, "sleep.latency"), "us");
	assert_string_equal(r.in.subs[0].tbox_group, "rig-9");
	assert_string_equal(r.in.subs[0].commit.build.status, "ok");
	raw_end(&r);
	field_read(&r, "kcidb", "kcidb-4.json",
		   (const char *const[]){"testcase=mine", "tbox_group=box", NULL}, "v6.4");
	assert_true(raw_value(&r, 0, 0, "mine.sleep.latency") == 17);
	assert_string_equal(r.in.subs[0].tbox_group, "box");
	assert_string_equal(r.in.subs[0].commit.id, "v6.4");
	raw_end(&r);
}

#define START "{\"version\":{\"major\":4},\"checkouts\":[{\"id\":\"a:c\"}],"
#define BUILD "\"builds\":[{\"id\":\"a:b\",\"checkout_id\":\"a:c\"}],"

/* Systems tell tests of builds that they told before: the request then names the commit. */
static void test_tests_alone(void **state)
{
	static const char text[] =
		"{\"version\":{\"major\":5},\"tests\":[{\"id\":\"a:t\",\"build_id\":\"a:b1\","
		"\"path\":\"sleep.latency\",\"status\":\"DONE\",\"number\":{\"value\":12.5,"
		"\"unit\":"
		"\"B/s\",\"prefix\":\"binary\"}},{\"id\":\"a:u\",\"build_id\":\"a:b2\",\"path\":"
		"\"sleep.wake\",\"status\":\"PASS\"}]}";
	struct raw r;

	(void)state;
	field_taken(&r, "kcidb", text, box, "v6.4");
	assert_int_equal(r.in.n, 2);
	assert_true(raw_value(&r, 0, 0, "sleep.latency") == 12.5);
	assert_string_equal(raw_unit(&r, 0, "sleep.latency"), "B/s");
	assert_string_equal(raw_info(&r, 0, "kcidb.build"), "a:b1");
	assert_string_equal(raw_info(&r, 1, "kcidb.build"), "a:b2");
	raw_end(&r);
	field_taken(&r, "kcidb",
		    "{\"version\":{\"major\":4},\"builds\":[{\"id\":\"a:b\",\"checkout_id\":"
		    "\"a:c\",\"valid\":true}]}",
		    box, "v6.4");
	assert_string_equal(r.in.subs[0].commit.id, "v6.4");
	raw_end(&r);
	field_refused("kcidb", text, box, NULL, "tests[0].build_id", "there is no build");
}

/* The schema asks for no path, and an empty one is that of all tests. The builds stand behind them.
 */
static void test_no_path(void **state)
{
	static const char text[] =
		"{\"version\":{\"major\":5,\"minor\":3},\"tests\":[{\"id\":\"a:t\",\"build_id\":"
		"\"a:b\",\"path\":\"\",\"status\":\"PASS\",\"duration\":2.5},{\"id\":\"a:u\","
		"\"build_id\":\"a:b\",\"status\":\"FAIL\"}],\"builds\":[{\"id\":\"a:b\",\"checkout_"
		"id\":"
		"\"a:c\"}],\"checkouts\":[{\"id\":\"a:c\",\"git_commit_hash\":\"a0fd217e6d6f\"}]}";
	struct raw r;

	(void)state;
	field_taken(&r, "kcidb", text,
		    (const char *const[]){"testcase=all", "tbox_group=box", NULL}, NULL);
	assert_int_equal(r.in.n, 1);
	assert_string_equal(r.in.subs[0].testcase, "all");
	assert_string_equal(r.in.subs[0].commit.id, "a0fd217e6d6f");
	assert_true(raw_value(&r, 0, 0, "all.pass") == 1);
	assert_true(raw_value(&r, 0, 0, "all.time.duration") == 2.5);
	assert_true(raw_value(&r, 0, 1, "all.fail") == 1);
	raw_end(&r);
}

static void test_faults(void **state)
{
	(void)state;
	field_refused("kcidb",
		      START BUILD "\"tests\":[{\"id\":\"a:t\",\"build_id\":\"a:lost\",\"path\":"
				  "\"x\",\"status\":\"PASS\"}]}",
		      box, "v6.4", "tests[0].build_id", "there is no build \"a:lost\"");
	field_refused("kcidb", START "\"builds\":[{\"id\":\"a:b\",\"checkout_id\":\"a:gone\"}]}",
		      box, "v6.4", "builds[0].checkout_id", "there is no checkout \"a:gone\"");
	field_refused("kcidb",
		      START BUILD "\"tests\":[{\"build_id\":\"a:b\",\"path\":\"x\",\"status\":"
				  "\"PASS\"}]}",
		      box, NULL, "commit", "the commit");
	field_refused("kcidb",
		      START BUILD "\"tests\":[{\"build_id\":\"a:b\",\"path\":\"x\",\"status\":"
				  "\"PASS\"}]}",
		      NULL, "v6.4", "tbox_group", "the machine");
	field_refused("kcidb",
		      START BUILD "\"tests\":[{\"build_id\":\"a:b\",\"path\":\"x\",\"status\":"
				  "\"fine\"}]}",
		      box, "v6.4", "tests[0].status", "must be FAIL");
	field_refused("kcidb",
		      START BUILD "\"tests\":[{\"build_id\":\"a:b\",\"path\":\"x\",\"number\":"
				  "{\"value\":\"7\"}}]}",
		      box, "v6.4", "tests[0].number.value", "must be a number");
	field_refused("kcidb", START BUILD "\"tests\":[{\"build_id\":\"a:b\",\"path\":\"\"}]}", box,
		      "v6.4", "tests[0].path", "give --axis testcase=NAME");
	field_refused("kcidb", START BUILD "\"tests\":[{\"build_id\":\"a:b\"}]}", box, "v6.4",
		      "tests[0].path", "is missing");
	field_refused("kcidb", "{\"version\":{\"major\":3},\"tests\":[]}", box, "v6.4",
		      "version.major", "must be 4 or 5");
	field_refused("kcidb", "{\"version\":{\"major\":5}}", box, "v6.4", "", "neither tests");
	field_refused("kcidb",
		      "{\"version\":{\"major\":5},\"checkouts\":[{\"id\":\"a:c\","
		      "\"git_commit_hash\":\"v6.4\"}]}",
		      box, "v6.4", "checkouts[0].git_commit_hash", "hex digits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tests_of_a_build), cmocka_unit_test(test_commits_and_builds),
		cmocka_unit_test(test_build_alone),      cmocka_unit_test(test_version_4),
		cmocka_unit_test(test_no_path),          cmocka_unit_test(test_faults),
		cmocka_unit_test(test_tests_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_kcidb", tests, NULL, NULL);
}
