/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The upload path of the store: what refuses a job before it writes, duplicates in the store and in
 * the job, what a stored submission leaves in each table, and that a job can run again after a
 * rollback. */
#include "db/runs.h"

#include "tests/unit/db_lab.h"

#include "db/commits.h"
#include "db/series.h"
#include "server/base/clock.h"

#define ID(c)      c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c
#define AXES       "\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"lkp-icl-2sp2\"}, "
#define OTHER_AXES "\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"lkp-skl-d01\"}, "
#define AT_A       "\"commit\": {\"id\": \"" ID("a") "\"}, "
#define RUN(key, value)                                                                            \
	"{\"key\": \"" key "\", " AXES AT_A "\"runs\": [{\"m\": " value "}, {\"m\": 9}]}"

SQL(test_count_submissions, "SELECT count(*) FROM submission")
SQL(test_count_runs, "SELECT count(*) FROM run")
SQL(test_count_audit, "SELECT count(*) FROM audit")
SQL(test_count_queue, "SELECT count(*) FROM analysis_queue")
SQL(test_count_all, "SELECT (SELECT count(*) FROM series) + (SELECT count(*) FROM commits)"
		    " + (SELECT count(*) FROM metric) + (SELECT count(*) FROM submission)"
		    " + (SELECT count(*) FROM audit) + (SELECT count(*) FROM layout)")

/* Checks a document that must be refused; nothing is stored. Returns the number of faults. */
static size_t refused(struct db_lab *l, const char *json, int want)
{
	struct import in = lab_parse(l, json);
	struct accepted *done = arena_array(l->c.arena, struct accepted, in.n);
	int64_t before = lab_number(l, &test_count_all);

	ctx_clear(&l->c);
	lab_begin(l);
	assert_int_equal(submissions_check(&l->c, in.subs, in.n, done), want);
	assert_int_equal(l->c.item, -1);
	lab_rollback(l);
	assert_int_equal(lab_number(l, &test_count_all), before);
	size_t n = l->c.nfaults;
	l->c.err = E_OK;
	l->c.nfaults = 0;
	return n;
}

static void same_key_twice(void **state)
{
	struct db_lab *l = *state;
	struct accepted *first = lab_store(l, RUN("k", "1")), *again = lab_store(l, RUN("k", "1"));

	assert_false(first->duplicate);
	assert_int_equal(first->nruns, 2);
	assert_true(again->duplicate);
	assert_int_equal(again->nruns, 2);
	assert_int_equal(again->run_ids[1], first->run_ids[1]);
	assert_int_equal(again->series_id, first->series_id);
	assert_string_equal(again->series_digest, first->series_digest);
	assert_int_equal(lab_number(l, &test_count_runs), 2);
	assert_int_equal(lab_number(l, &test_count_audit), 1);

	assert_int_equal(refused(l, RUN("k", "2"), E_CONFLICT), 1);
	assert_string_equal(l->c.faults[0].path, "key");
	assert_int_equal(l->c.faults[0].item, -1);
	/* Of another series it is another key. */
	lab_store(l, "{\"key\": \"k\", " OTHER_AXES AT_A "\"runs\": [{\"m\": 2}]}");
	/* Without a key the content is the key, and texts are no content. */
	first = lab_store(l, "{" AXES AT_A "\"runs\": [{\"m\": 1}]}");
	again = lab_store(l, "{" AXES "\"commit\": {\"id\": \"" ID(
				     "a") "\", \"subject\": \"s\"},"
					  " \"units\": {\"m\": \"s\"}, \"runs\": [{\"m\": 1}]}");
	assert_true(again->duplicate);
	assert_string_equal(again->key, first->key);
	assert_int_equal(strlen(first->key), 32);
	static const char *const others[] = {
		"{" AXES AT_A "\"runs\": [{\"m\": 2}]}",
		"{" AXES AT_A "\"runs\": [{\"n\": 1}]}",
		"{" AXES AT_A "\"runs\": [{\"m\": -0.0}]}",
		"{" AXES AT_A "\"runs\": [{\"m\": 0}]}",
		"{" AXES AT_A "\"runs\": [{\"m\": 1}, {\"m\": 1}]}",
		"{" AXES AT_A "\"runs\": [{\"m\": 1}], \"status\": \"failed\"}",
		"{" AXES AT_A "\"runs\": [{\"m\": 1}], \"info\": {\"boot\": \"1\"}}",
		"{" AXES AT_A "\"runs\": [{\"m\": 1}], \"info\": {\"x\": \"1\"}}",
		"{" AXES AT_A "\"runs\": [{\"m\": 1}], \"started\": \"2023-07-20T03:01:00Z\"}",
		"{" AXES "\"commit\": {\"id\": \"aaaaaaa\"}, \"runs\": [{\"m\": 1}]}",
		"{" AXES AT_A "\"summary\": {\"m\": {\"mean\": 1}}}",
		"{" AXES AT_A "\"summary\": {\"m\": {\"mean\": 1, \"n\": 1}}}",
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (lab_store(l, others[i])->duplicate)
			fail_msg("%s", others[i]);
}

#define TAGGED(tree) "{" AXES "\"commit\": {\"id\": \"v6.1\"" tree "}, \"runs\": [{\"m\": 1}]}"

/* A tag is another commit in another tree; for an id the tree is no more than a text. */
static void same_tag_in_two_trees(void **state)
{
	struct db_lab *l = *state;

	assert_false(lab_store(l, TAGGED(", \"tree\": \"one\""))->duplicate);
	assert_false(lab_store(l, TAGGED(", \"tree\": \"two\""))->duplicate);
	assert_false(lab_store(l, TAGGED(""))->duplicate);
	assert_true(lab_store(l, TAGGED(", \"tree\": \"two\""))->duplicate);
	assert_int_equal(lab_number(l, &test_count_runs), 3);
	lab_store(l, "{" AXES AT_A "\"runs\": [{\"m\": 1}]}");
	assert_true(lab_store(l, "{" AXES "\"commit\": {\"id\": \"" ID(
					 "a") "\", \"tree\": \"one\"}, \"runs\": [{\"m\": 1}]}")
			    ->duplicate);
}

static void same_key_twice_in_one_job(void **state)
{
	struct db_lab *l = *state;
	struct accepted *done =
		lab_store(l, "[" RUN("k", "1") "," RUN("j", "1") "," RUN("k", "1") "]");

	assert_false(done[0].duplicate);
	assert_false(done[1].duplicate);
	assert_true(done[2].duplicate);
	assert_int_equal(done[2].nruns, 2);
	assert_ptr_equal(done[2].run_ids, done[0].run_ids);
	assert_int_equal(done[2].series_id, done[0].series_id);
	assert_int_equal(lab_number(l, &test_count_runs), 4);

	assert_int_equal(
		refused(l, "[" RUN("n", "1") "," RUN("i", "1") "," RUN("n", "2") "]", E_CONFLICT),
		1);
	assert_int_equal(l->c.faults[0].item, 2);
	/* One refuses all; each that is wrong is named. */
	assert_int_equal(
		refused(l, "[" RUN("k", "3") "," RUN("new", "1") "," RUN("j", "2") "]", E_CONFLICT),
		2);
	assert_int_equal(l->c.faults[0].item, 0);
	assert_int_equal(l->c.faults[1].item, 2);
	assert_int_equal(lab_number(l, &test_count_submissions), 2);
}

#define UNIT(unit, more)                                                                           \
	"{" AXES AT_A "\"units\": {\"m\": \"" unit "\"}, \"runs\": [{\"m\": " more "}]}"

static void units_that_contradict(void **state)
{
	struct db_lab *l = *state;
	const char *unit;

	lab_store(l, UNIT("KB/s", "1"));
	lab_store(l, UNIT("KB/s", "2"));
	assert_int_equal(refused(l, UNIT("MB/s", "3"), E_INVALID), 1);
	assert_string_equal(l->c.faults[0].path, "units[\"m\"]");
	assert_non_null(strstr(l->c.faults[0].message, "KB/s"));
	assert_int_equal(refused(l, "[" UNIT("KB/s", "4") "," UNIT("s", "5") "]", E_INVALID), 2);
	assert_int_equal(l->c.faults[0].item, 1);
	/* In another series nothing was said yet, but the job contradicts itself. */
	assert_int_equal(
		refused(l,
			"[{" OTHER_AXES AT_A "\"units\": {\"m\": \"a\"}, \"runs\": [{\"m\": 1}]},"
			"{" OTHER_AXES AT_A "\"units\": {\"m\": \"b\"}, \"runs\": [{\"m\": 2}]}]",
			E_INVALID),
		1);
	assert_int_equal(l->c.faults[0].item, 1);
	lab_store(l, "{" OTHER_AXES AT_A "\"units\": {\"m\": \"a\"}, \"runs\": [{\"m\": 1}]}");
	assert_int_equal(series_unit(&l->c, 2, metric_by_name(&l->c, "m")->id, &unit), E_OK);
	assert_string_equal(unit, "a");
}

#define MANY "{" AXES AT_A "\"units\": {%s\"z\": \"%s\"}, \"runs\": [{%s\"z\": %s}]}"

/* Units of many metrics are read at once, and not written again. */
static void units_of_many_metrics(void **state)
{
	struct db_lab *l = *state;
	char *units = arena_str(l->c.arena, ""), *values = units;
	const char *unit;

	for (int i = 0; i < 30; i++) {
		units = arena_fmt(l->c.arena, "%s\"m%d\": \"u%d\", ", units, i, i);
		values = arena_fmt(l->c.arena, "%s\"m%d\": 1, ", values, i);
	}
	assert_false(
		lab_store(l, arena_fmt(l->c.arena, MANY, units, "s", values, "1"))->units_known);
	assert_true(
		lab_store(l, arena_fmt(l->c.arena, MANY, units, "s", values, "2"))->units_known);
	assert_int_equal(
		refused(l, arena_fmt(l->c.arena, MANY, units, "ms", values, "3"), E_INVALID), 1);
	assert_string_equal(l->c.faults[0].path, "units[\"z\"]");
	for (int i = 0; i < 30; i++) {
		char *name = arena_fmt(l->c.arena, "m%d", i);

		assert_int_equal(series_unit(&l->c, 1, metric_by_name(&l->c, name)->id, &unit),
				 E_OK);
		assert_string_equal(unit, arena_fmt(l->c.arena, "u%d", i));
	}
}

SQL(test_boots, "SELECT boot_order FROM run ORDER BY run_id")
SQL(test_audit, "SELECT who, action, object, detail FROM audit WHERE audit_id = 1")

static void what_is_left_in_the_tables(void **state)
{
	static const int64_t orders[] = {0, 1, 2, 0, 0};
	struct db_lab *l = *state;
	struct measured *m;
	struct report *r;
	size_t n;

	lab_store(l, "{\"key\": \"k\", " AXES AT_A
		     "\"info\": {\"boot\": \"b1\"}, \"runs\": [{\"m\": 1}, {\"m\": 2}]}");
	lab_store(l, "{" AXES AT_A "\"info\": {\"boot\": \"b1\"}, \"runs\": [{\"m\": 3}]}");
	lab_store(l,
		  "{" AXES AT_A
		  "\"info\": {\"boot\": \"b2\"}, \"status\": \"failed\", \"runs\": [{\"m\": 3}]}");
	lab_store(l, "{" OTHER_AXES AT_A "\"runs\": [{\"m\": 3}]}");
	lab_store(l, "{" AXES AT_A
		     "\"summary\": {\"m\": {\"mean\": 1}}, \"report\": {\"message_id\": \"<1@x>\","
		     " \"subject\": \"regression\"}, \"headline\": {\"metric\": \"m\", \"base\": "
		     "\"v6.1\","
		     " \"change_pct\": -12.5, \"verdict\": \"regression\"}}");
	lab_store(l, "{" OTHER_AXES AT_A "\"summary\": {\"m\": {\"mean\": 1}},"
		     " \"report\": {\"message_id\": \"<1@x>\", \"subject\": \"regression\"}}");
	lab_store(l, "{" AXES
		     "\"commit\": {\"id\": \"bbbbbbb\", \"build\": {\"status\": \"failed\"}}}");

	{
		auto_stmt struct stmt *st = db_stmt(&l->c, &test_boots);

		for (size_t i = 0; i < 5; i++) {
			assert_int_equal(stmt_step(st), STMT_ROW);
			assert_int_equal(col_int(st, 0), orders[i]);
		}
	}
	assert_int_equal(measured_of_series(&l->c, 1, 10, &m, &n), E_OK);
	assert_int_equal(n, 1); /* a note is no measurement */
	assert_int_equal(m[0].runs, 3);
	assert_int_equal(m[0].failed, 1);
	assert_int_equal(m[0].summaries, 1);
	assert_int_equal(m[0].first_received, LAB_TIME);
	assert_int_equal(m[0].last_received, LAB_TIME + 4 * 60);
	assert_int_equal(lab_number(l, &test_count_queue), 2);
	assert_int_equal(lab_number(l, &test_count_audit), 7);

	auto_stmt struct stmt *st = db_stmt(&l->c, &test_audit);
	assert_int_equal(stmt_step(st), STMT_ROW);
	assert_string_equal(col_text_peek(st, 0), "command line");
	assert_string_equal(col_text_peek(st, 1), "upload");
	assert_non_null(strstr(col_text_peek(st, 2), " k"));
	assert_string_equal(col_text_peek(st, 3),
			    "submissions 1, runs 2, summaries 0, duplicates 0");

	assert_int_equal(commit_reports(&l->c, m[0].commit_id, &r, &n), E_OK);
	assert_int_equal(n, 2); /* one mail: once with what it claimed, once without */
	assert_string_equal(r[0].message_id, "<1@x>");
	assert_string_equal(r[0].metric, "m");
	assert_true(r[0].change_pct == -12.5);
	assert_null(r[1].metric);
}

static void a_job_runs_again_after_a_rollback(void **state)
{
	struct db_lab *l = *state;
	struct import in = lab_parse(l, "[" RUN("k", "1") "," UNIT("KB/s", "4") "]");
	struct accepted *done = arena_array(l->c.arena, struct accepted, 2);
	struct cell_data d;

	for (int i = 0; i < 2; i++) {
		lab_begin(l);
		assert_int_equal(submissions_check(&l->c, in.subs, in.n, done), E_OK);
		assert_false(done[0].duplicate);
		assert_int_equal(submissions_store(&l->c, in.subs, in.n, -1, l->now, done), E_OK);
		if (i == 0)
			lab_rollback(l);
		else
			lab_commit(l);
		assert_int_equal(lab_number(l, &test_count_runs), i ? 3 : 0);
	}
	assert_int_equal(cell_load(&l->c, 1, 1, true, &d), E_OK);
	assert_int_equal(d.column.nruns, 3);
	assert_true(d.column.runs[2].values[0] == 4);
}

static void one_line_of_many_is_numbered(void **state)
{
	struct db_lab *l = *state;

	lab_store(l, RUN("k", "1"));
	struct import in = lab_parse(l, RUN("k", "2"));
	struct accepted done;
	lab_begin(l);
	l->c.item = 0; /* an array of one */
	assert_int_equal(submissions_check(&l->c, in.subs, 1, &done), E_CONFLICT);
	assert_int_equal(l->c.faults[0].item, 0);
	lab_rollback(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(same_key_twice),
		LAB_TEST(same_tag_in_two_trees),
		LAB_TEST(same_key_twice_in_one_job),
		LAB_TEST(units_that_contradict),
		LAB_TEST(units_of_many_metrics),
		LAB_TEST(what_is_left_in_the_tables),
		LAB_TEST(a_job_runs_again_after_a_rollback),
		LAB_TEST(one_line_of_many_is_numbered),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("submissions", tests, NULL, NULL);
}
