/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Corrections: what each kind changes, and that an undo puts back exactly what was there. After
 * every step the store agrees with itself. */
#include "db/corrections.h"

#include "tests/unit/correction_lab.h"

static void invalid_and_back(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct cell_data cell;
	struct correction k;
	const char *before;

	fill(l);
	before = dump(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box-a\", \"commit\": \"aaaaaaa\"},"
				 " \"set\": {\"status\": \"invalid\"}, \"reason\": \"hot\"}",
				 &plan),
			 1);
	assert_int_equal(plan.nruns, 3);
	assert_int_equal(plan.nsummaries, 0);
	assert_int_equal(plan.nseries, 1);
	assert_int_equal(plan.ncommits, 1);
	assert_int_equal(cell_load(&l->c, 1, 1, false, &cell), E_OK);
	assert_int_equal(cell.column.nruns, 0);
	assert_int_equal(cell.failed, 0);
	assert_int_equal(undo(l, 1), E_OK);
	assert_string_equal(dump(l), before);
	assert_int_equal(correction_get(&l->c, 1, &k), E_OK);
	assert_string_equal(k.who, "somebody");
	assert_string_equal(k.reason, "hot");
	assert_string_equal(k.undone_by, "another");
	assert_string_equal(correction_words(l->c.arena, &k, 3, 0, false),
			    "3 runs were marked invalid");
	/* again: there is nothing to undo any more */
	assert_int_equal(undo(l, 1), E_CONFLICT);
	assert_int_equal(undo(l, 2), E_NOTFOUND);
}

static void moved_to_a_commit(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct cell_data cell;
	struct commit k;
	const char *before;

	fill(l);
	before = dump(l);
	/* an id that nobody uploaded for is made; what is there already does not move */
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box-a\"}, \"set\":"
				 " {\"commit\": \"" N40 "\"}, \"reason\": \"wrong tree\"}",
				 &plan),
			 1);
	assert_int_equal(plan.nruns, 4);
	assert_int_equal(commit_resolve(&l->c, N40, &k, NULL), E_OK);
	assert_int_equal(cell_load(&l->c, 1, k.id, false, &cell), E_OK);
	assert_int_equal(cell.column.nruns, 4);
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box-a\"}, \"set\":"
				 " {\"commit\": \"0123456\"}, \"reason\": \"again\"}",
				 &plan),
			 E_INVALID);
	assert_int_equal(undo(l, 1), E_OK);
	assert_string_equal(dump(l), before);
}

static void moved_to_an_axis(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct series_metric *metrics;
	struct series s;
	struct cell_data cell;
	const char *before;
	size_t n;

	fill(l);
	before = dump(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"info.microcode\": \"1\"}, \"set\": {\"axis\":"
				 " {\"mode\": \"thread\"}}, \"reason\": \"it was threads\"}",
				 &plan),
			 1);
	assert_int_equal(plan.nruns, 2);
	assert_int_equal(series_get_id(&l->c, plan.moves[0].to, &s), E_OK);
	assert_string_equal(series_axis(&s, "mode"), "thread");
	assert_string_equal(series_axis(&s, "tbox_group"), "box-a");
	assert_int_equal(cell_load(&l->c, s.id, 1, false, &cell), E_OK);
	assert_int_equal(cell.column.nruns, 2);
	assert_int_equal(series_metrics(&l->c, s.id, &metrics, &n), E_OK);
	assert_int_equal(n, 2);
	assert_string_equal(metrics[0].unit, "KB/s");
	/* the same upload once more is still a duplicate */
	struct accepted *k = lab_store(
		l, "{\"key\": \"k1\", \"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-a\"},"
		   " \"commit\": {\"id\": \"" A40 "\"}, \"info\": {\"microcode\": \"1\"},"
		   " \"units\": {\"m\": \"KB/s\"}, \"runs\": [{\"m\": 1, \"n\": 2}, {\"m\": 3}]}");
	assert_true(k[0].duplicate);
	assert_int_equal(k[0].nruns, 2);
	assert_int_equal(undo(l, 1), E_OK);
	assert_string_equal(dump(l), before);
}

static void a_summary_moves_too(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	const char *before;

	fill(l);
	before = dump(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box-b\"}, \"set\": {\"axis\":"
				 " {\"tbox_group\": \"box-a\"}}, \"reason\": \"r\"}",
				 &plan),
			 1);
	assert_int_equal(plan.nruns, 1);
	assert_int_equal(plan.nsummaries, 1);
	assert_int_equal(plan.moves[0].to, 1); /* it was there */
	assert_int_equal(undo(l, 1), E_OK);
	assert_string_equal(dump(l), before);
}

static void units_cannot_contradict(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;

	fill(l);
	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-c\"},"
		     " \"commit\": {\"id\": \"" A40 "\"}, \"units\": {\"m\": \"MB/s\"},"
		     " \"runs\": [{\"m\": 1}]}");
	const char *before = dump(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box-c\"}, \"set\": {\"axis\":"
				 " {\"tbox_group\": \"box-a\"}}, \"reason\": \"r\"}",
				 &plan),
			 E_INVALID);
	assert_string_equal(l->c.faults[0].path, "set.axis");
	assert_non_null(strstr(l->c.faults[0].message, "MB/s"));
	/* two that go to the same new series contradict each other */
	assert_int_equal(correct(l,
				 "{\"select\": {\"commit\": \"aaaaaaa\"}, \"set\": {\"axis\":"
				 " {\"tbox_group\": \"box-d\"}}, \"reason\": \"r\"}",
				 &plan),
			 E_INVALID);
	assert_string_equal(dump(l), before);
}

SQL(deleted_values, "SELECT count(*) FROM run WHERE status = 5 AND length(samples) > 0")

static void deleted_runs_are_kept(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct cell_data cell;
	struct run run;
	const char *before;

	fill(l);
	before = dump(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"run\": 3}, \"set\": {\"delete\": true},"
				 " \"reason\": \"secret\"}",
				 &plan),
			 1);
	assert_int_equal(plan.nruns, 1);
	assert_int_equal(lab_number(l, &deleted_values), 1);
	assert_int_equal(cell_load(&l->c, 1, 1, false, &cell), E_OK);
	assert_int_equal(cell.column.nruns, 2);
	assert_int_equal(run_get(&l->c, 3, &run), E_OK);
	assert_string_equal(run_status_name(run.status), "deleted");
	assert_int_equal(run.n, 1);
	assert_true(run.values[0] == 5);
	/* only the undo brings it back */
	assert_int_equal(correct(l,
				 "{\"select\": {\"run\": 3}, \"set\": {\"status\": \"ok\"},"
				 " \"reason\": \"r\"}",
				 &plan),
			 E_INVALID);
	assert_int_equal(undo(l, 1), E_OK);
	assert_string_equal(dump(l), before);
}

static void undone_newest_first(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	const char *before;

	fill(l);
	before = dump(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"run\": 1}, \"set\": {\"status\": \"invalid\"},"
				 " \"reason\": \"r\"}",
				 &plan),
			 1);
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box-a\"}, \"set\": {\"axis\":"
				 " {\"x\": \"y\"}}, \"reason\": \"r\"}",
				 &plan),
			 2);
	assert_int_equal(correct(l,
				 "{\"select\": {\"run\": 4}, \"set\": {\"delete\": true},"
				 " \"reason\": \"r\"}",
				 &plan),
			 3);
	assert_int_equal(undo(l, 1), E_CONFLICT);
	assert_non_null(strstr(l->c.detail, "correction 2"));
	assert_int_equal(undo(l, 2), E_CONFLICT);
	assert_non_null(strstr(l->c.detail, "correction 3"));
	assert_int_equal(undo(l, 3), E_OK);
	assert_int_equal(undo(l, 2), E_OK);
	assert_int_equal(undo(l, 1), E_OK);
	assert_string_equal(dump(l), before);
}

/* A correction, then a later upload replaces the runs: the undo does not bring them back, neither
 * of what was marked nor of what was deleted; nor does a correction. */
static void replaced_meanwhile(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct run run;

	fill(l);
	correct(l,
		"{\"select\": {\"run\": 1}, \"set\": {\"status\": \"invalid\"}, \"reason\": \"r\"}",
		&plan);
	correct(l, "{\"select\": {\"run\": 2}, \"set\": {\"delete\": true}, \"reason\": \"r\"}",
		&plan);
	lab_store(l, "{\"key\": \"k2\", \"replaces\": \"k1\", \"axes\": {\"testcase\": \"t\","
		     " \"tbox_group\": \"box-a\"}, \"commit\": {\"id\": \"" A40 "\"},"
		     " \"runs\": [{\"m\": 2}]}");
	sound(l);
	assert_int_equal(correct(l,
				 "{\"select\": {\"run\": 1}, \"set\": {\"status\": \"ok\"},"
				 " \"reason\": \"r\"}",
				 &plan),
			 E_INVALID);
	assert_int_equal(undo(l, 2), E_OK);
	assert_int_equal(undo(l, 1), E_OK);
	for (int64_t id = 1; id <= 2; id++) {
		assert_int_equal(run_get(&l->c, id, &run), E_OK);
		assert_int_equal(run.status, RUN_REPLACED);
	}
}

static void notes_of_a_place(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct correction_note *notes;
	size_t n;

	fill(l);
	correct(l,
		"{\"select\": {\"run\": 1}, \"set\": {\"status\": \"invalid\"}, \"reason\": "
		"\"hot\"}",
		&plan);
	correct(l,
		"{\"select\": {\"run\": 2}, \"set\": {\"commit\": \"" B40 "\"}, \"reason\": \"r\"}",
		&plan);
	assert_int_equal(correction_notes(&l->c, 1, 1, &notes, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(notes[0].correction.id, 2);
	assert_int_equal(notes[1].correction.id, 1);
	assert_string_equal(notes[1].correction.reason, "hot");
	assert_int_equal(notes[1].runs, 1);
	assert_false(notes[1].came);
	assert_string_equal(correction_words(l->c.arena, &notes[0].correction, 1, 0, false),
			    "1 run was moved to commit " B40);
	assert_int_equal(correction_notes(&l->c, 1, 2, &notes, &n), E_OK);
	assert_int_equal(n, 1);
	assert_true(notes[0].came);
	assert_string_equal(correction_words(l->c.arena, &notes[0].correction, 1, 0, true),
			    "1 run was moved here");
	/* what was undone is no note */
	undo(l, 2);
	assert_int_equal(correction_notes(&l->c, 1, 2, &notes, &n), E_OK);
	assert_int_equal(n, 0);
	assert_int_equal(correction_notes(&l->c, 1, 0, &notes, &n), E_OK);
	assert_int_equal(n, 1);
}

SQL(audit_rows, "SELECT count(*) FROM audit WHERE action LIKE 'correction%'")

static void every_write_is_in_the_audit(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;

	fill(l);
	correct(l, "{\"select\": {\"run\": 1}, \"set\": {\"delete\": true}, \"reason\": \"r\"}",
		&plan);
	undo(l, 1);
	undo(l, 1);
	assert_int_equal(lab_number(l, &audit_rows), 2);
}

#define FINDING                                                                                    \
	"INSERT INTO finding (series_id, metric_id, good_commit, bad_commit, verdict, state,"      \
	" rule, reason, opened, changed) VALUES "

static void keep_different(void *arg, const char *complaint)
{
	if (strstr(complaint, "different series"))
		snprintf(arg, 200, "%s", complaint);
}

/* A run in another series than its upload is damage, unless a correction says why. */
static void only_corrections_move(void **state)
{
	struct db_lab *l = *state;
	char text[200] = "";

	fill(l);
	assert_int_equal(db_exec(&l->c, "BEGIN"), E_OK);
	assert_int_equal(db_exec(&l->c, "UPDATE run SET series_id = 2, commit_id = 1, status = 3"
					" WHERE run_id = 4"),
			 E_OK);
	assert_true(store_check(&l->c, keep_different, text) > 0);
	assert_non_null(strstr(text, "different series"));
	assert_int_equal(db_exec(&l->c, "ROLLBACK"), E_OK);
}

/* Findings whose good or bad commit loses a run, each once. */
static void findings_are_named(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;

	fill(l);
	lab_exec(l, FINDING "(1, 1, 1, 2, 'regression', 'new', 'r', 'r', 1, 1)");
	lab_exec(l, FINDING "(1, 1, 1, 2, 'regression', 'new', 'r', 'r', 1, 1)");
	lab_exec(l, FINDING "(2, 1, 2, 1, 'regression', 'new', 'r', 'r', 1, 1)");
	correct(l,
		"{\"select\": {\"machine\": \"box-a\"}, \"set\": {\"delete\": true}, \"reason\":"
		" \"r\"}",
		&plan);
	assert_int_equal(plan.nfindings, 2);
	assert_int_equal(plan.findings[0], 1);
	assert_int_equal(plan.findings[1], 2);
	correct(l, "{\"select\": {\"run\": 5}, \"set\": {\"delete\": true}, \"reason\": \"r\"}",
		&plan);
	assert_int_equal(plan.nfindings, 1);
	assert_int_equal(plan.findings[0], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(invalid_and_back),        LAB_TEST(moved_to_a_commit),
		LAB_TEST(moved_to_an_axis),        LAB_TEST(a_summary_moves_too),
		LAB_TEST(units_cannot_contradict), LAB_TEST(deleted_runs_are_kept),
		LAB_TEST(undone_newest_first),     LAB_TEST(replaced_meanwhile),
		LAB_TEST(notes_of_a_place),        LAB_TEST(every_write_is_in_the_audit),
		LAB_TEST(only_corrections_move),   LAB_TEST(findings_are_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("corrections", tests, NULL, NULL);
}
