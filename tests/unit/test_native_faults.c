/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the native importer refuses: each fault by its place and reason, all faults of a sound
 * document at once, and syntax by line and column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "importers/import.h"
#include "server/base/arena.h"
#include "server/base/out.h"

#define AXES   "\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box\"}"
#define COMMIT "\"commit\":{\"id\":\"a0fd217e6d6f\"}"
#define HEAD   "{" AXES "," COMMIT ","
#define RUNS   "\"runs\":[{\"m\":1}]"

struct fixture {
	struct ctx ctx;
	struct import in;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){0};
	ctx_init(&f->ctx, arena_new(), NULL);
	f->in.ctx = &f->ctx;
}

static void end(struct fixture *f)
{
	arena_free(f->ctx.arena);
}

/* One document, one fault. */
static void check_fault(const char *json, const char *path, const char *message)
{
	struct fixture f;
	int e;

	begin(&f);
	e = import_native(&f.in, json, strlen(json));
	if (e != E_INVALID || f.ctx.nfaults != 1 || strcmp(f.ctx.faults[0].path, path) != 0 ||
	    !strstr(f.ctx.faults[0].message, message)) {
		print_message("%s\n", json);
		for (size_t i = 0; i < f.ctx.nfaults; i++)
			print_message("  %s: %s\n", f.ctx.faults[i].path, f.ctx.faults[i].message);
		print_message("  %s\n", f.ctx.detail);
	}
	assert_int_equal(e, E_INVALID);
	assert_int_equal(f.ctx.nfaults, 1);
	assert_int_equal(f.ctx.faults[0].item, -1);
	assert_string_equal(f.ctx.faults[0].path, path);
	assert_non_null(strstr(f.ctx.faults[0].message, message));
	end(&f);
}

/* --- faults of sound documents
 * ----------------------------------------------------------------------- */

static void test_top_level(void **state)
{
	(void)state;
	check_fault("5", "", "must be an object or a non-empty array, is a number");
	check_fault("\"x\"", "", "is a string");
	check_fault("null", "", "is null");
	check_fault("[]", "", "is an empty array");
	check_fault(HEAD "\"runs\":[{\"m\":1}],\"surprise\":1}", "surprise", "unknown key");
	check_fault(HEAD RUNS ",\"Runs\":1}", "Runs", "unknown key");
	check_fault(HEAD "\"key\":\"\"," RUNS "}", "key", "empty");
	check_fault(HEAD "\"key\":5," RUNS "}", "key", "must be a string, is a number");
	check_fault(HEAD "\"status\":\"invalid\"," RUNS "}", "status", "ok, incomplete or failed");
	check_fault(HEAD "\"started\":\"yesterday\"," RUNS "}", "started", "must be a time");
	check_fault(HEAD "\"started\":1689822060," RUNS "}", "started", "is a number");
	check_fault(HEAD "\"distributions\":{}," RUNS "}", "distributions", "is empty");
	check_fault(HEAD "\"distributions\":{\"d\":{\"mean\":\"x\"}}," RUNS "}",
		    "distributions[\"d\"].mean", "must be a number");
	check_fault(HEAD "\"replaces\":\"\"," RUNS "}", "replaces", "empty");
	check_fault(HEAD "\"key\":\"k\",\"replaces\":\"k\"," RUNS "}", "replaces", "own key");
	check_fault(HEAD "\"stored\":{}," RUNS "}", "stored", "import");
}

static void test_axes(void **state)
{
	(void)state;
	check_fault("{\"axes\":{\"testcase\":\"x\"}," COMMIT "," RUNS "}", "axes.tbox_group",
		    "is required");
	check_fault("{\"axes\":{\"tbox_group\":\"x\"}," COMMIT "," RUNS "}", "axes.testcase",
		    "is required");
	check_fault("{\"axes\":[]," COMMIT "," RUNS "}", "axes", "must be an object, is an array");
	check_fault("{\"axes\":{\"testcase\":\"x\",\"tbox_group\":\"y\",\"n\":4}," COMMIT "," RUNS
		    "}",
		    "axes.n", "must be a string, is a number");
	check_fault("{\"axes\":{\"testcase\":\"x\",\"tbox_group\":\"y\",\"n\":\"\"}," COMMIT
		    "," RUNS "}",
		    "axes.n", "empty");
	check_fault("{\"axes\":{\"testcase\":\"\",\"tbox_group\":\"y\"}," COMMIT "," RUNS "}",
		    "axes.testcase", "empty");
	check_fault("{\"axes\":{\"testcase\":\"x\\ny\",\"tbox_group\":\"y\"}," COMMIT "," RUNS "}",
		    "axes.testcase", "control character at byte 2");
	check_fault("{\"axes\":{\"testcase\":\"x\",\"tbox_group\":\"\xc2\x85\"}," COMMIT "," RUNS
		    "}",
		    "axes.tbox_group", "control character");
	check_fault("{\"axes\":{\"testcase\":\"x\",\"tbox_group\":\"y\",\"\":\"z\"}," COMMIT
		    "," RUNS "}",
		    "axes[\"\"]", "empty");
	check_fault("{\"axes\":{\"testcase\":\"x\",\"tbox_group\":\"y\",\"a b\":null}," COMMIT
		    "," RUNS "}",
		    "axes[\"a b\"]", "is null");
}

/* A series has a bounded number of axes; a time must have a year of four digits in UTC. */
static void test_bounds(void **state)
{
	auto_out struct out json;

	(void)state;
	out_init(&json, 1 << 20);
	out_str(&json, "{\"axes\":{\"testcase\":\"x\",\"tbox_group\":\"y\"");
	for (int i = 0; i < 255; i++)
		out_fmt(&json, ",\"a%d\":\"v\"", i);
	out_str(&json, "}," COMMIT "," RUNS "}");
	out_char(&json, '\0');
	check_fault(json.p, "axes", "has 257 names, at most 256 are allowed");
	check_fault(HEAD "\"started\":\"9999-12-31T23:59:59-12:00\"," RUNS "}", "started",
		    "must be a time");
	check_fault(HEAD "\"started\":\"0000-01-01T00:00:00+00:01\"," RUNS "}", "started",
		    "must be a time");
}

static void test_commit(void **state)
{
	static const char *const bad[] = {"123456",     "12345678901234567890123456789012345678901",
					  "v",          "master",
					  "v5.7..v5.8", "a b1",
					  "-v1",        "abcdef"};
	char json[500];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(json, sizeof(json), "{" AXES ",\"commit\":{\"id\":\"%s\"}," RUNS "}",
			 bad[i]);
		check_fault(json, "commit.id", "neither a commit id");
	}
	check_fault("{" AXES "," RUNS "}", "commit.id", "is required");
	check_fault("{" AXES ",\"commit\":\"abc\"," RUNS "}", "commit", "must be an object");
	check_fault("{" AXES ",\"commit\":{}," RUNS "}", "commit.id", "is required");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"sha\":\"x\"}," RUNS "}",
		    "commit.sha", "unknown key");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"parents\":[\"v5.7\"]}," RUNS "}",
		    "commit.parents[0]", "7 to 40 hex digits");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"parents\":[\"1234567\",7]}," RUNS
		    "}",
		    "commit.parents[1]", "is a number");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"author\":{\"date\":\"x\"}}," RUNS
		    "}",
		    "commit.author.date", "must be a time");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"subject\":\"a\\u0007\"}," RUNS "}",
		    "commit.subject", "control character");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"patch\":{\"version\":1.5}}," RUNS
		    "}",
		    "commit.patch.version", "must be a whole number");
	check_fault("{" AXES
		    ",\"commit\":{\"id\":\"1234567\",\"patch\":{\"index\":3,\"total\":2}}," RUNS
		    "}",
		    "commit.patch.index", "greater than total");
	check_fault("{" AXES
		    ",\"commit\":{\"id\":\"1234567\",\"build\":{\"warnings\":[{\"line\":-1,"
		    "\"message\":\"m\"}]}}," RUNS "}",
		    "commit.build.warnings[0].line", "whole number of at least 0");
	check_fault("{" AXES ",\"commit\":{\"id\":\"1234567\",\"build\":{\"warnings\":[{}]}}," RUNS
		    "}",
		    "commit.build.warnings[0].message", "is required");
}

static void test_runs(void **state)
{
	(void)state;
	check_fault("{" AXES "," COMMIT "}", "", "needs one of runs, matrix, summary");
	check_fault(HEAD "\"runs\":{}}", "runs", "must be an array, is an object");
	check_fault(HEAD "\"runs\":[]}", "runs", "has no runs");
	check_fault(HEAD "\"runs\":[{}]}", "runs[0]", "has no metric");
	check_fault(HEAD "\"runs\":[{\"m\":1},5]}", "runs[1]", "must be an object, is a number");
	check_fault(HEAD "\"runs\":[{\"m\":1},{\"m\":1},{\"hackbench.throughput\":\"12\"}]}",
		    "runs[2][\"hackbench.throughput\"]", "must be a number, is a string");
	check_fault(HEAD "\"runs\":[{\"m\":null}]}", "runs[0][\"m\"]", "is null");
	check_fault(HEAD "\"runs\":[{\"m\":true}]}", "runs[0][\"m\"]", "is a boolean");
	check_fault(HEAD "\"runs\":[{\"a\\u0001\":1}]}", "runs[0][\"a\\u0001\"]",
		    "control character");
	check_fault(HEAD "\"runs\":[{\"\":1}]}", "runs[0][\"\"]", "empty");
	check_fault(HEAD RUNS ",\"matrix\":{\"m\":[1]}}", "matrix", "cannot stand beside runs");
	check_fault(HEAD RUNS ",\"summary\":{\"m\":{\"mean\":1}}}", "summary",
		    "cannot stand beside runs");
	check_fault(HEAD RUNS ",\"units\":{\"m\":5}}", "units[\"m\"]", "must be a string");
	check_fault(HEAD RUNS ",\"info\":{\"a\":[]}}", "info.a", "is an array");
}

static void test_matrix(void **state)
{
	(void)state;
	check_fault(HEAD "\"matrix\":{}}", "matrix", "has no metric");
	check_fault(HEAD "\"matrix\":[]}", "matrix", "must be an object");
	check_fault(HEAD "\"matrix\":{\"y\":[1,2,3],\"x\":[1,2]}}", "matrix[\"x\"]",
		    "has 2 values, expected 3 as in \"y\"");
	check_fault(HEAD "\"matrix\":{\"y\":5}}", "matrix[\"y\"]", "must be an array, is a number");
	check_fault(HEAD "\"matrix\":{\"y\":[]}}", "matrix[\"y\"]", "has no runs");
	check_fault(HEAD "\"matrix\":{\"y\":[1,\"2\"]}}", "matrix[\"y\"][1]",
		    "must be a number or null, is a string");
	check_fault(HEAD "\"matrix\":{\"y\":[1,null],\"x\":[2,null]}}", "matrix",
		    "run 1 has no value");
}

static void test_summary(void **state)
{
	(void)state;
	check_fault(HEAD "\"summary\":{}}", "summary", "is empty");
	check_fault(HEAD "\"summary\":{\"m\":5}}", "summary[\"m\"]", "must be an object");
	check_fault(HEAD "\"summary\":{\"m\":{}}}", "summary[\"m\"].mean", "is required");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":\"1\"}}}", "summary[\"m\"].mean",
		    "must be a number, is a string");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"median\":1}}}", "summary[\"m\"].median",
		    "unknown key");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"stddev\":-1}}}", "summary[\"m\"].stddev",
		    "below 0");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"stddev\":1,\"stddev_pct\":1}}}",
		    "summary[\"m\"].stddev_pct", "cannot stand beside stddev");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"min\":2,\"max\":1}}}",
		    "summary[\"m\"].min", "greater than max");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"n\":2.5}}}", "summary[\"m\"].n",
		    "whole number");
	check_fault(HEAD "\"summary\":{\"m\":{\"fails\":7,\"runs\":6}}}", "summary[\"m\"].fails",
		    "greater than runs");
	check_fault(HEAD "\"summary\":{\"m\":{\"fails\":1}}}", "summary[\"m\"].runs",
		    "is required");
	check_fault(HEAD "\"summary\":{\"m\":{\"fails\":1,\"runs\":6,\"mean\":1}}}",
		    "summary[\"m\"].mean", "cannot stand beside fails");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"printed\":{\"change_pct\":1}}}}",
		    "summary[\"m\"].printed", "no base");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"printed\":{\"base\":\"v5.5\"}}}}",
		    "summary[\"m\"].printed", "0 changes");
	check_fault(HEAD "\"summary\":{\"m\":{\"mean\":1,\"printed\":{\"base\":\"v5.5\","
			 "\"change_pct\":1,\"change_abs\":2}}}}",
		    "summary[\"m\"].printed", "2 changes");
	check_fault(
		HEAD
		"\"summary\":{\"m\":{\"mean\":1,\"printed\":{\"base\":\"x\",\"change_pct\":1}}}}",
		"summary[\"m\"].printed.base", "neither a commit id");
	check_fault(HEAD "\"headline\":{\"base\":\"v5.5\"}," RUNS "}", "headline.metric",
		    "is required");
	check_fault(HEAD "\"report\":{\"date\":\"x\"}," RUNS "}", "report.date", "must be a time");
}

/* --- all at once
 * -------------------------------------------------------------------------------------- */

static void test_every_fault_of_every_item(void **state)
{
	static const char json[] = "[" HEAD RUNS "},\n"
				   "{\"axes\":{\"testcase\":\"\"},\"commit\":{\"id\":\"zz\"},"
				   "\"runs\":[{\"a\":\"1\"},{\"b\":\"2\"}],\"odd\":1},\n"
				   "7,\n" HEAD "\"matrix\":{\"x\":[1],\"y\":[1,2]}}]";
	static const struct fault expected[] = {
		{1, "odd", "unknown key"},
		{1, "axes.testcase", "must not be empty"},
		{1, "axes.tbox_group", "is required"},
		{1, "commit.id", "neither a commit id"},
		{1, "runs[0][\"a\"]", "must be a number, is a string"},
		{1, "runs[1][\"b\"]", "must be a number, is a string"},
		{2, "", "must be an object, is a number"},
		{3, "matrix[\"y\"]", "has 2 values, expected 1"},
	};
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(import_native(&f.in, json, strlen(json)), E_INVALID);
	assert_true(f.in.is_array);
	assert_int_equal(f.ctx.nfaults, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(f.ctx.faults[i].item, expected[i].item);
		assert_string_equal(f.ctx.faults[i].path, expected[i].path);
		assert_non_null(strstr(f.ctx.faults[i].message, expected[i].message));
	}
	assert_int_equal(f.ctx.item, -1);
	end(&f);
}

static void test_more_faults_than_are_kept(void **state)
{
	auto_out struct out o;
	struct fixture f;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, HEAD "\"runs\":[{");
	for (int i = 0; i < 1000; i++)
		out_fmt(&o, "%s\"m%d\":\"x\"", i ? "," : "", i);
	out_str(&o, "}]}");
	begin(&f);
	assert_int_equal(import_native(&f.in, o.p, o.len), E_INVALID);
	assert_int_equal(f.ctx.nfaults, FAULTS_MAX);
	assert_int_equal(f.ctx.faults_seen, 1000);
	end(&f);
}

static void test_long_names_are_cut_in_places(void **state)
{
	auto_out struct out o;
	struct fixture f;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, HEAD "\"runs\":[{\"");
	for (int i = 0; i < 1500; i++)
		out_str(&o, "\xc3\xa4");
	out_str(&o, "\":1}]}");
	begin(&f);
	assert_int_equal(import_native(&f.in, o.p, o.len), E_INVALID);
	assert_int_equal(f.ctx.nfaults, 1);
	assert_true(strlen(f.ctx.faults[0].path) < 200);
	assert_non_null(strstr(f.ctx.faults[0].message, "has 3000 bytes, at most 1024"));
	end(&f);
}

static void test_too_many_runs(void **state)
{
	auto_out struct out o;
	struct fixture f;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, HEAD "\"matrix\":{\"m\":[0");
	for (int i = 0; i < 10000; i++)
		out_str(&o, ",1");
	out_str(&o, "]}}");
	begin(&f);
	assert_int_equal(import_native(&f.in, o.p, o.len), E_INVALID);
	assert_string_equal(f.ctx.faults[0].path, "matrix[\"m\"]");
	assert_non_null(strstr(f.ctx.faults[0].message, "10001 runs, at most 10000"));
	end(&f);
}

static void test_too_many_metrics(void **state)
{
	auto_out struct out o;
	struct fixture f;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	out_str(&o, HEAD "\"runs\":[{\"m\":0");
	for (int i = 0; i < 50000; i++)
		out_fmt(&o, ",\"m%d\":1", i);
	out_str(&o, "}]}");
	begin(&f);
	assert_int_equal(import_native(&f.in, o.p, o.len), E_INVALID);
	assert_string_equal(f.ctx.faults[0].path, "runs[0]");
	assert_non_null(strstr(f.ctx.faults[0].message, "50001 metrics, at most 50000"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_level),
		cmocka_unit_test(test_axes),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_every_fault_of_every_item),
		cmocka_unit_test(test_more_faults_than_are_kept),
		cmocka_unit_test(test_long_names_are_cut_in_places),
		cmocka_unit_test(test_too_many_runs),
		cmocka_unit_test(test_too_many_metrics),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("native_faults", tests, NULL, NULL);
}
