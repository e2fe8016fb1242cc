/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lkp-stats, lkp-matrix and lkp-json, on bytes. */
#include "lkp_lab.h"

#undef fail
#include <cmocka.h>

static int run(struct lab *l, int (*importer)(struct import *, const char *, size_t),
	       const char *text)
{
	return importer(&l->in, text, strlen(text));
}

static void stats_become_a_run(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	assert_int_equal(run(&l, import_lkp_stats,
			     "{\n \"hackbench.throughput\": 479042.68774902937,\n \"b\\u00e4r\": "
			     "-0.0, \"n\": NaN,\n \"i\": Infinity, \"z\": null,\n"
			     " \"e\": 1.5e-3, \"big\": 12345678901234567890 }\n"),
			 E_OK);
	assert_int_equal(l.in.n, 1);
	const struct submission *s = l.in.subs;
	assert_int_equal(s->nruns, 1);
	assert_int_equal(s->runs[0].names->n, 4); /* what is no number was not measured */
	assert_true(lab_value(s, 0, "hackbench.throughput") == 479042.68774902937);
	assert_true(lab_value(s, 0, "e") == 0.0015);
	assert_true(lab_value(s, 0, "big") == 12345678901234567890.0);
	assert_true(signbit(lab_value(s, 0, "bär")) && lab_value(s, 0, "bär") == 0);
	assert_string_equal(lab_axis(s, "tbox_group"), "box");
	assert_string_equal(s->commit.id, "a0fd217e6d6f");
	lab_end(&l);
}

/* Numerals of every length against strtod, which is exact. */
static void numbers_are_exact(void **state)
{
	static const char *const numerals[] = {
		"0",
		"-1",
		"0.1",
		"123456789012345",
		"999999999999999.9",
		"12345678901234.5",
		"0.000000000000001",
		"1234567890123456",
		"9007199254740993",
		"4.35",
		"0.3",
		"1e22",
		"1e23",
		"5e-324",
		"2.2250738585072011e-308",
		"100000000000000000000.25",
		"184467440737095516150.5",
		"1944370.3570741501",
		"4377065160921.7260",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(numerals) / sizeof(numerals[0]); i++) {
		char text[100];
		struct lab l;

		lab_begin(&l, true);
		snprintf(text, sizeof(text), "{\"m\": %s}", numerals[i]);
		assert_int_equal(run(&l, import_lkp_stats, text), E_OK);
		assert_true(lab_value(l.in.subs, 0, "m") == strtod(numerals[i], NULL));
		lab_end(&l);
	}
}

static void what_is_wrong_is_named_by_line(void **state)
{
	static const struct {
		const char *text, *says;
		int code;
	} bad[] = {
		{"", "line 1, column 1: it ends before its end", E_SYNTAX},
		{"[1]", "line 1, column 1: '{' expected: an object of metrics", E_SYNTAX},
		{"{\"a\": 1,\n \"b\": x}", "line 2, column 7: a value expected", E_SYNTAX},
		{"{\"a\": 01}", "line 1, column 7: no number, or one that is too large", E_SYNTAX},
		{"{\"a\": 1e999}", "line 1, column 7: no number, or one that is too large",
		 E_SYNTAX},
		{"{\"a\": 1.}", "line 1, column 7: no number, or one that is too large", E_SYNTAX},
		{"{\"a\": -}", "line 1, column 7: no number, or one that is too large", E_SYNTAX},
		{"{\"a\": 1 \"b\": 2}", "line 1, column 9: ',' or '}' expected", E_SYNTAX},
		{"{\"a\": 1,}", "line 1, column 9: a name in quotes expected", E_SYNTAX},
		{"{\"a\": 1} 2", "line 1, column 10: nothing may follow the object", E_SYNTAX},
		{"{\"a\\x\": 1}", "line 1, column 4: no such escape", E_SYNTAX},
		{"{\"\\ud800\": 1}", "line 1, column 3: no such escape", E_SYNTAX},
		{"{\"\\ud800\\u0041\": 1}", "line 1, column 3: no such escape", E_SYNTAX},
		{"{\"a\xff\": 1}", "line 1, column 3: a text that is not UTF-8", E_SYNTAX},
		{"{\"a\nb\": 1}", "line 1, column 4: a control character in a text", E_SYNTAX},
		{"{\n\"a\": \"1\"}",
		 "line 2: \"a\" must be a number or an array of numbers, is a text", E_INVALID},
		{"{\n\n\"a\": {\"b\": [1, {}]}}",
		 "line 3: \"a\" must be a number or an array of numbers, is an object", E_INVALID},
		{"{\"a\": true}",
		 "line 1: \"a\" must be a number or an array of numbers, is no number", E_INVALID},
		{"{\"a\": [1]}", "line 1: \"a\" must be a number, is an array", E_INVALID},
		{"{\"\": 1}", "line 1: \"\" is no name: 1 to 1024 bytes without control characters",
		 E_INVALID},
		{"{}", "no figure was found in it", E_INVALID},
		{"{\"a\": NaN}", "no figure was found in it", E_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lab l;

		lab_begin(&l, true);
		assert_int_equal(run(&l, import_lkp_stats, bad[i].text), bad[i].code);
		assert_string_equal(lab_fault(&l), bad[i].says);
		lab_end(&l);
	}
}

static void every_fault_is_listed(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	assert_int_equal(
		run(&l, import_lkp_stats, "{\"a\": \"x\",\n\"b\": [],\n\"c\": 1,\n\"d\": {}}"),
		E_INVALID);
	assert_int_equal(l.ctx.faults_seen, 3);
	lab_end(&l);
}

static void what_the_file_lacks_is_asked_for(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, false);
	assert_int_equal(run(&l, import_lkp_stats, "{\"a\": 1}"), E_INVALID);
	assert_int_equal(l.ctx.nfaults, 3);
	assert_string_equal(l.ctx.faults[0].path, "commit");
	lab_end(&l);
}

#define PLACE                                                                                      \
	"fio-basic/4k-performance/lkp-csl-2sp6/debian.cgz/x86_64-rhel-8.3/gcc-9/"                  \
	"361a2a229fa31ab7f2b236b5946e434964d00762"
#define KEY                                                                                        \
	"lkp-csl-2sp6/fio-basic/4k-performance/debian.cgz/x86_64-rhel-8.3/gcc-9/"                  \
	"361a2a229fa31ab7f2b236b5946e434964d00762"

static void the_path_says_what_it_is(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, false);
	l.in.source = "/lkp/result/" PLACE "/3/stats.json";
	assert_int_equal(run(&l, import_lkp_stats,
			     "{\"fio.read_iops\": 5, \"last_state.is_incomplete_run\": 1}"),
			 E_OK);
	assert_string_equal(l.in.subs[0].key, KEY "/3");
	assert_string_equal(lab_axis(l.in.subs, "testcase"), "fio-basic");
	assert_string_equal(lab_axis(l.in.subs, "tbox_group"), "lkp-csl-2sp6");
	assert_string_equal(lab_axis(l.in.subs, "path_params"), "4k-performance");
	assert_string_equal(lab_axis(l.in.subs, "compiler"), "gcc-9");
	assert_string_equal(l.in.subs[0].commit.id, "361a2a229fa31ab7f2b236b5946e434964d00762");
	assert_int_equal(l.in.subs[0].status, RUN_INCOMPLETE);
	lab_end(&l);
}

/* Three runs. "late" was first measured by the second: its first 0 was filled in, and so was that
 * of "seen.zero", but there the monitor ran. The last run has no "short". */
static void a_matrix_is_runs(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	assert_int_equal(run(&l, import_lkp_matrix,
			     "{\"hackbench.throughput\": [1, 2.5, 3],\n"
			     " \"late.x\": [0, 7, 8], \"late.y\": [0, 0, 5],\n"
			     " \"seen.a\": [4, 4, 4], \"seen.zero\": [0, 6, 0],\n"
			     " \"short.x\": [9, 9], \"nan.x\": [1, NaN, null],\n"
			     " \"hackbench.time.elapsed\": [0, 0, 2]}"),
			 E_OK);
	assert_int_equal(l.in.n, 1);
	const struct submission *s = l.in.subs;
	assert_int_equal(s->nruns, 3);
	assert_true(lab_value(s, 1, "hackbench.throughput") == 2.5);
	assert_true(isnan(lab_value(s, 0, "late.x")));
	assert_true(lab_value(s, 1, "late.x") == 7);
	assert_true(isnan(lab_value(s, 0, "late.y")));
	assert_true(lab_value(s, 1, "late.y") == 0); /* late.x says that it ran */
	assert_true(lab_value(s, 0, "seen.zero") == 0);
	assert_true(lab_value(s, 2, "seen.zero") == 0);
	assert_true(lab_value(s, 1, "short.x") == 9);
	assert_true(isnan(lab_value(s, 2, "short.x")));
	assert_true(lab_value(s, 0, "nan.x") == 1);
	assert_true(isnan(lab_value(s, 1, "nan.x")));
	assert_true(isnan(lab_value(s, 2, "nan.x")));
	assert_true(isnan(lab_value(s, 0, "hackbench.time.elapsed")));
	lab_end(&l);
}

static void a_last_zero_is_certain(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	assert_int_equal(run(&l, import_lkp_matrix, "{\"a.x\": [1, 1], \"b.x\": [0, 0]}"), E_OK);
	assert_true(isnan(lab_value(l.in.subs, 0, "b.x")));
	assert_true(lab_value(l.in.subs, 1, "b.x") == 0);
	lab_end(&l);
}

/* stats_source names the runs, also one that has no value at the end of any array. */
static void a_matrix_with_sources(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, false);
	assert_int_equal(run(&l, import_lkp_matrix,
			     "{\"fio.read_iops\": [10, 11, 12],\n"
			     "\"last_state.is_incomplete_run\": [0, 1],\n\"stats_source\": [\n"
			     "\"/result/" PLACE "/0/stats.json\", \"/result/" PLACE
			     "/2/stats.json\", \"/result/" PLACE "/10/stats.json\"]}"),
			 E_OK);
	assert_int_equal(l.in.n, 3);
	assert_string_equal(l.in.subs[0].key, KEY "/0");
	assert_string_equal(l.in.subs[1].key, KEY "/2");
	assert_string_equal(l.in.subs[2].key, KEY "/10");
	assert_int_equal(l.in.subs[0].status, RUN_OK);
	assert_int_equal(l.in.subs[1].status, RUN_INCOMPLETE);
	assert_true(lab_value(&l.in.subs[2], 0, "fio.read_iops") == 12);
	assert_string_equal(lab_axis(&l.in.subs[2], "rootfs"), "debian.cgz");
	lab_end(&l);
}

static void a_matrix_that_is_none(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"{\"a\": 5}", "line 1: \"a\" must be an array of numbers"},
		{"{\"a\": []}", "has no run"},
		{"{\"a\": [1, \"x\"]}", "line 1: \"a\" must hold numbers, has a text at 1"},
		{"{\"a\": [1, [2]]}", "line 1: \"a\" must hold numbers, has an array at 1"},
		{"{\"stats_source\": [\"x\", 1]}",
		 "line 1: \"stats_source\" has texts and numbers"},
		{"{\"a\": [1, 2],\n\"stats_source\": [\"0/stats.json\"]}",
		 "line 1: \"a\" has 2 values, but stats_source names 1 runs"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lab l;

		lab_begin(&l, true);
		assert_int_equal(run(&l, import_lkp_matrix, bad[i].text), E_INVALID);
		assert_string_equal(lab_fault(&l), bad[i].says);
		lab_end(&l);
	}
}

static void a_series_in_time_is_no_matrix(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	l.in.source = "/lkp/result/" PLACE "/3/matrix.json.gz";
	assert_int_equal(run(&l, import_lkp_matrix, "{\"vmstat.cs\": [1, 2, 3]}"), E_INVALID);
	assert_non_null(strstr(lab_fault(&l), "samples over time"));
	lab_end(&l);
}

static void a_monitor_is_its_mean(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	l.in.source = "/x/vmstat.json";
	assert_int_equal(run(&l, import_lkp_json,
			     "{\"vmstat.cs\": [1, 2, 6], \"vmstat.in\": [NaN, 4], \"one\": 8, "
			     "\"none\": []}"),
			 E_OK);
	assert_int_equal(l.in.subs[0].nruns, 1);
	assert_true(lab_value(l.in.subs, 0, "vmstat.cs") == 3);
	assert_true(lab_value(l.in.subs, 0, "vmstat.in") == 4);
	assert_true(lab_value(l.in.subs, 0, "one") == 8);
	assert_true(isnan(lab_value(l.in.subs, 0, "none")));
	lab_end(&l);
}

static void averages_are_a_summary(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, false);
	l.in.source = "/lkp/result/" PLACE "/avg.json";
	assert_int_equal(run(&l, import_lkp_json, "{\"b.x\": 2, \"a.x\": 1.5, \"c.x\": null}"),
			 E_OK);
	const struct submission *s = l.in.subs;
	assert_int_equal(s->kind, SUBMISSION_SUMMARY);
	assert_int_equal(s->ncells, 2);
	assert_string_equal(s->cells[0].metric, "a.x");
	assert_true(s->cells[0].mean == 1.5 && isnan(s->cells[0].stddev));
	assert_int_equal(s->cells[0].n, -1);
	assert_string_equal(lab_axis(s, "testcase"), "fio-basic");
	lab_end(&l);

	lab_begin(&l, false);
	l.in.source = "/lkp/result/" PLACE "/avg.json";
	assert_int_equal(run(&l, import_lkp_json, "{\"a\": 2,\n\"a\": 1}"), E_INVALID);
	assert_string_equal(lab_fault(&l), "line 2: \"a\" is there twice");
	lab_end(&l);

	lab_begin(&l, true);
	l.in.source = "/x/stddev.json";
	assert_int_equal(run(&l, import_lkp_json, "{\"a\": 2}"), E_INVALID);
	lab_end(&l);
}

/* Cut anywhere, a file is refused: its end is its last byte. */
static void a_cut_file_is_refused(void **state)
{
	static const char text[] = "{\"h.t\": 1.25e1, \"q\\u00e4\": [1, -2.5, NaN, null, 3],\n"
				   " \"stats_source\": [\"/r/0/stats.json\", \"b\"], \"e\": []}";
	int (*const importers[])(struct import *, const char *,
				 size_t) = {import_lkp_stats, import_lkp_matrix, import_lkp_json};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		for (size_t n = 0; n + 1 < sizeof(text); n++) {
			char *cut = malloc(n + 1); /* to the byte: reading on is seen */
			struct lab l;

			assert_non_null(cut);
			memcpy(cut, text, n);
			lab_begin(&l, true);
			assert_int_equal(importers[k](&l.in, cut, n), E_SYNTAX);
			assert_string_not_equal(l.ctx.detail, "");
			lab_end(&l);
			free(cut);
		}
	}
}

static void hostile_names_pass_as_names(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, true);
	assert_int_equal(
		run(&l, import_lkp_stats,
		    "{\"<script>alert(1)</script>\": 1, \"a\\\"b\": 2, \"=cmd|' /c'!A1\": 3, "
		    "\"__proto__\": 4, \"../../etc\": 5, \"\\ud83d\\ude00\": 6}"),
		E_OK);
	assert_true(lab_value(l.in.subs, 0, "a\"b") == 2);
	assert_true(lab_value(l.in.subs, 0, "\xf0\x9f\x98\x80") == 6);
	lab_end(&l);

	lab_begin(&l, true);
	assert_int_equal(run(&l, import_lkp_stats, "{\"a\\u0000b\": 1, \"\\u0007\": 2}"),
			 E_INVALID);
	assert_int_equal(l.ctx.nfaults, 2);
	assert_null(strchr(lab_fault(&l), 7));
	lab_end(&l);
}

static void sniffers_tell_them_apart(void **state)
{
	static const struct {
		const char *text, *best;
	} files[] = {
		{"{\n  \"hackbench.throughput\": 479042.6,", "lkp-stats"},
		{"{\"vmstat.cs\": [1, 2], \"stats_source\": [\"0/stats.json\"]}", "lkp-matrix"},
		{"{\"vmstat.cs\": [1, 2]}", "lkp-matrix"},
		{"{\"axes\": {\"testcase\": \"x\"}, \"commit\": {}}", "native"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct import_guess g;

		importer_guess(files[i].text, strlen(files[i].text), &g);
		assert_true(g.n > 0);
		assert_string_equal(g.list[0].format->name, files[i].best);
	}
}

static void a_guess_in_words(void **state)
{
	static const char unsure[] = "{\"vmstat.cs\": [1, 2]}", none[] = "\x01\x02";
	auto_arena struct arena *a = arena_new();
	struct import_guess g;

	(void)state;
	importer_guess(unsure, sizeof(unsure) - 1, &g);
	assert_string_equal(importer_guess_words(a, &g),
			    "taken as lkp-matrix; it could be lkp-json as well");
	importer_guess(none, sizeof(none) - 1, &g);
	assert_int_equal(g.n, 0);
	assert_int_equal(strncmp(importer_guess_words(a, &g),
				 "no format of ours fits what is in it; there are: native ", 56),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats_become_a_run),
		cmocka_unit_test(numbers_are_exact),
		cmocka_unit_test(what_is_wrong_is_named_by_line),
		cmocka_unit_test(every_fault_is_listed),
		cmocka_unit_test(what_the_file_lacks_is_asked_for),
		cmocka_unit_test(the_path_says_what_it_is),
		cmocka_unit_test(a_matrix_is_runs),
		cmocka_unit_test(a_last_zero_is_certain),
		cmocka_unit_test(a_matrix_with_sources),
		cmocka_unit_test(a_matrix_that_is_none),
		cmocka_unit_test(a_series_in_time_is_no_matrix),
		cmocka_unit_test(a_monitor_is_its_mean),
		cmocka_unit_test(averages_are_a_summary),
		cmocka_unit_test(a_cut_file_is_refused),
		cmocka_unit_test(hostile_names_pass_as_names),
		cmocka_unit_test(sniffers_tell_them_apart),
		cmocka_unit_test(a_guess_in_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lkp", tests, NULL, NULL);
}
