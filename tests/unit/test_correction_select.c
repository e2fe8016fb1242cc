/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Corrections: what a selection finds, which faults are listed, and that many corrections, undone
 * in any order that is allowed, leave nothing behind. */
#include "db/corrections.h"

#include "tests/unit/correction_lab.h"

static const struct selection {
	const char *select;
	int runs, summaries; /* -1: refused */
} selections[] = {
	{"\"machine\": \"box-a\"", 4, 0},
	{"\"machine\": \"box-b\"", 1, 1},
	{"\"machine\": \"box-x\"", -1, 0},
	{"\"machine\": \"box-a' OR '1'='1\"", -1, 0},
	{"\"commit\": \"aaaaaaa\"", 4, 1},
	{"\"commit\": \"aaaaaaa\", \"machine\": \"box-b\"", 1, 1},
	{"\"commit\": \"ccccccc\"", -1, 0},
	{"\"series\": 1", 4, 0},
	{"\"series\": \"2\", \"commit\": \"aaaaaaa\"", 1, 1},
	{"\"series\": 2, \"commit\": \"bbbbbbb\"", -1, 0},
	{"\"series\": 2, \"machine\": \"box-a\"", -1, 0},
	{"\"series\": 77", -1, 0},
	{"\"run\": 5", 1, 0},
	{"\"run\": 5, \"machine\": \"box-a\"", -1, 0},
	{"\"run\": 99", -1, 0},
	{"\"info.microcode\": \"1\"", 2, 0},
	{"\"info.microcode\": \"2\", \"info.boot\": \"b2\"", 1, 0},
	{"\"info.microcode\": \"1\", \"info.boot\": \"b2\"", -1, 0},
	{"\"info.none\": \"\"", -1, 0},
	/* LAB_TIME is 2023-07-20T03:01:00Z; a minute each */
	{"\"received\": [\"2023-07-20T03:01:00Z\", \"2023-07-20T03:01:00Z\"]", 2, 0},
	{"\"received\": [\"2023-07-20T03:02:00Z\", null]", 3, 1},
	{"\"received\": [null, \"2023-07-20T03:02:00Z\"]", 3, 0},
	{"\"received\": [\"2023-07-20\", \"2023-07-20\"]", 5, 1},
	{"\"received\": [\"2023-07-21\", null]", -1, 0},
	{"\"token\": \"nobody\"", -1, 0},
};

static void selections_hold_together(void **state)
{
	struct db_lab *l = *state;

	fill(l);
	for (size_t i = 0; i < sizeof(selections) / sizeof(selections[0]); i++) {
		const struct selection *s = &selections[i];
		struct correction_plan plan;
		struct correction_in in;
		char json[400];

		snprintf(json, sizeof(json),
			 "{\"select\": {%s}, \"set\": {\"delete\": true}, \"reason\": \"r\"}",
			 s->select);
		ctx_clear(&l->c);
		if (order_read_correction(&l->c, json, strlen(json), &in) < 0)
			fail_msg("%s: %s", s->select, l->c.detail);
		int e = correction_plan(&l->c, &in, &plan);
		if (s->runs < 0 ? e != E_INVALID
				: (e < 0 || (int)plan.nruns != s->runs ||
				   (int)plan.nsummaries != s->summaries))
			fail_msg("%s: %d, runs %zu, summaries %zu: %s", s->select, e, plan.nruns,
				 plan.nsummaries, l->c.detail);
	}
}

static const struct wrong {
	const char *json;
	int faults;
} wrongs[] = {
	{"{}", 3},
	{"5", 1},
	{"{\"select\": {}, \"set\": {}, \"reason\": \"\", \"colour\": 1}", 4},
	{"{\"select\": {\"machine\": 5, \"box\": \"x\", \"run\": 0, \"received\": [1]},"
	 " \"set\": {\"status\": \"fine\"}, \"reason\": \"r\"}",
	 5},
	{"{\"select\": {\"run\": 1}, \"set\": {\"status\": \"ok\", \"delete\": true},"
	 " \"reason\": \"r\", \"dry_run\": 1}",
	 2},
	{"{\"select\": {\"run\": 1}, \"set\": {\"delete\": false}, \"reason\": \"r\"}", 1},
	{"{\"select\": {\"run\": 1}, \"set\": {\"axis\": {}}, \"reason\": \"r\"}", 1},
	{"{\"select\": {\"run\": 1}, \"set\": {\"axis\": {\"a\": 5}}, \"reason\": \"r\"}", 1},
	{"{\"select\": {\"run\": 1}, \"set\": {\"commit\": \"../x\"}, \"reason\": \"r\"}", 1},
	{"{\"select\": {\"received\": [null, null]}, \"set\": {\"delete\": true},"
	 " \"reason\": \"r\"}",
	 1},
	{"{\"select\": {\"received\": [\"2023-07-21\", \"2023-07-20\"]}, \"set\": {\"delete\":"
	 " true}, \"reason\": \"r\"}",
	 1},
	{"{\"select\": {\"info.\": \"x\"}, \"set\": {\"delete\": true}, \"reason\": \"r\"}", 1},
};

static void every_fault_is_listed(void **state)
{
	struct db_lab *l = *state;
	struct correction_in in;

	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		ctx_clear(&l->c);
		int e = order_read_correction(&l->c, wrongs[i].json, strlen(wrongs[i].json), &in);
		if (e != E_INVALID || (int)l->c.faults_seen != wrongs[i].faults) {
			for (size_t k = 0; k < l->c.nfaults; k++)
				print_message("# %s: %s\n", l->c.faults[k].path,
					      l->c.faults[k].message);
			fail_msg("%s: %d, %zu faults", wrongs[i].json, e, l->c.faults_seen);
		}
	}
	ctx_clear(&l->c);
	assert_int_equal(order_read_correction(&l->c, "{\"select\":", 10, &in), E_SYNTAX);
}

/* --- many of them --- */

static uint64_t dice;

static unsigned roll(unsigned sides)
{
	dice = dice * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice >> 33) % sides;
}

static void any_order(void **state)
{
	static const char *const selects[] = {"\"machine\": \"box-a\"",
					      "\"machine\": \"box-b\"",
					      "\"commit\": \"aaaaaaa\"",
					      "\"commit\": \"bbbbbbb\"",
					      "\"run\": 1",
					      "\"run\": 4",
					      "\"run\": 5",
					      "\"info.microcode\": \"1\"",
					      "\"received\": [\"2023-07-20T03:03:00Z\", null]"};
	static const char *const sets[] = {"\"status\": \"invalid\"",
					   "\"status\": \"ok\"",
					   "\"delete\": true",
					   "\"commit\": \"" A40 "\"",
					   "\"commit\": \"" B40 "\"",
					   "\"axis\": {\"x\": \"1\"}",
					   "\"axis\": {\"x\": \"2\", \"y\": \"\\u00e9\"}",
					   "\"axis\": {\"tbox_group\": \"box-b\"}"};
	struct db_lab *l = *state;
	int64_t newest = 0;
	int done = 0, undone = 0;

	fill(l);
	const char *before = dump(l);
	dice = 7;
	for (int i = 0; i < 150; i++) {
		struct correction_plan plan;
		char json[400];

		if (newest && roll(3) == 0) {
			undone += undo(l, 1 + roll((unsigned)newest)) == E_OK;
			continue;
		}
		snprintf(json, sizeof(json), "{\"select\": {%s}, \"set\": {%s}, \"reason\": \"r\"}",
			 selects[roll(sizeof(selects) / sizeof(selects[0]))],
			 sets[roll(sizeof(sets) / sizeof(sets[0]))]);
		int64_t id = correct(l, json, &plan);
		if (id > 0) {
			assert_int_equal(id, newest + 1);
			newest = id;
			done++;
		} else {
			assert_int_equal(id, E_INVALID);
		}
	}
	assert_true(done > 20 && undone > 5);
	for (int64_t id = newest; id > 0; id--) {
		int e = undo(l, id);
		if (e != E_OK && e != E_CONFLICT)
			fail_msg("undo %lld: %s", (long long)id, l->c.detail);
	}
	assert_string_equal(dump(l), before);
}

/* Two uploads of 6000 runs: more than one correction may change, but either alone is fine. */
static void the_limit(void **state)
{
	struct db_lab *l = *state;
	struct correction_plan plan;
	struct out o;

	out_init(&o, 1 << 20);
	for (int upload = 0; upload < 2; upload++) {
		out_truncate(&o, 0);
		out_fmt(&o,
			"{\"key\": \"%d\", \"axes\": {\"testcase\": \"t\", \"tbox_group\":"
			" \"box\"}, \"commit\": {\"id\": \"" A40 "\"}, \"matrix\": {\"m\": [0",
			upload);
		for (int i = 1; i < CORRECTION_MOST * 6 / 10; i++)
			out_fmt(&o, ",%d", i);
		out_str(&o, "]}}");
		lab_store(l, o.p);
	}
	out_free(&o);
	assert_int_equal(correct(l,
				 "{\"select\": {\"machine\": \"box\"}, \"set\": {\"delete\":"
				 " true}, \"reason\": \"r\"}",
				 &plan),
			 E_INVALID);
	assert_non_null(strstr(l->c.faults[0].message, "more than 10000 runs"));
	assert_int_equal(correct(l,
				 "{\"select\": {\"received\": [null, \"2023-07-20T03:01:00Z\"]},"
				 " \"set\": {\"axis\": {\"x\": \"y\"}}, \"reason\": \"r\"}",
				 &plan),
			 1);
	assert_int_equal(plan.nruns, CORRECTION_MOST * 6 / 10);
	assert_int_equal(undo(l, 1), E_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(selections_hold_together),
		LAB_TEST(every_fault_is_listed),
		LAB_TEST(any_order),
		LAB_TEST(the_limit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("correction_select", tests, NULL, NULL);
}
