/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `plumbline check` finds: each case damages a sound store in one place, by SQL behind the
 * back of the program, and must be complained about. */
#include "db/check.h"

#include "tests/unit/db_lab.h"

#include "db/artifacts.h"

#define AXES     "\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\"}, "
#define COMMIT_A "\"commit\": {\"id\": \"a0fd217e6d6fbd23e91f8796787b621e7d576088\"}, "

static void lab_file(struct db_lab *l, int64_t run_id, const char *name, const char *text)
{
	struct artifact_in in = {.run_id = run_id, .name = name, .who = "test"};

	artifact_pack(l->c.arena, text, strlen(text), &in.file);
	assert_string_equal(in.file.encoding, "zstd");
	lab_begin(l);
	assert_int_equal(artifact_check(&l->c, &in), E_OK);
	assert_int_equal(artifact_store(&l->c, &in, l->now), E_OK);
	lab_commit(l);
}

static void fill(struct db_lab *l)
{
	lab_store(l, "{" AXES COMMIT_A "\"info\": {\"x\": \"y\", \"a\": \"\"}, \"runs\": "
		     "[{\"m\": 1, \"n\": 2}, {\"n\": 2, \"zz\": -0.0}]}");
	lab_store(l, "{" AXES COMMIT_A "\"status\": \"failed\", \"runs\": [{}]}");
	lab_store(l, "{" AXES "\"commit\": {\"id\": \"7bc162d5cc4d\"}, \"summary\": "
		     "{\"s\": {\"mean\": 1}, \"n\": {\"fails\": 1, \"runs\": 6}}}");
	lab_store(l, "{" AXES COMMIT_A "\"headline\": {\"metric\": \"m\"}}");
	lab_store(l, "{" AXES COMMIT_A "\"key\": \"old\", \"runs\": [{\"m\": 1}]}");
	lab_store(l, "{" AXES COMMIT_A "\"key\": \"new\", \"replaces\": \"old\","
		     "\"distributions\": {\"lat\": {\"mean\": 1}}}");
	lab_store(l, "{" AXES COMMIT_A "\"key\": \"olds\", \"summary\": {\"s\": {\"mean\": 1}}}");
	lab_store(l, "{" AXES COMMIT_A "\"key\": \"news\", \"replaces\": \"olds\","
		     "\"summary\": {\"s\": {\"mean\": 1}}}");
	lab_file(l, 1, "dmesg", "text text text text text text text");
}

static void keep_last(void *arg, const char *complaint)
{
	snprintf(arg, 200, "%s", complaint);
}

static int complaints(struct db_lab *l, char last[200])
{
	last[0] = '\0';
	metrics_forget_all();
	assert_int_equal(db_begin_read(&l->c), E_OK);
	int n = store_check(&l->c, keep_last, last);
	db_end_read(&l->c);
	return n;
}

static void sound(void **state)
{
	struct db_lab *l = *state;
	char last[200];

	assert_int_equal(complaints(l, last), 0);
	fill(l);
	if (complaints(l, last) != 0)
		fail_msg("%s", last);
}

static const struct damage {
	const char *sql, *complaint;
} damages[] = {
	/* a NaN, an infinity: one value of two */
	{"UPDATE run SET samples = x'000000000000f03f000000000000f87f' WHERE run_id = 1",
	 "run 1: its values are damaged"},
	{"UPDATE run SET samples = x'000000000000f0ff000000000000f03f' WHERE run_id = 1",
	 "run 1: its values are damaged"},
	{"UPDATE run SET samples = x'000000000000f03f' WHERE run_id = 1", "do not fit the layout"},
	{"UPDATE run SET samples = x'00' WHERE run_id = 1", "do not fit the layout"},
	{"UPDATE measured SET runs = runs + 1", "the counts of what was measured are wrong"},
	{"UPDATE measured SET failed = 0", "the counts of what was measured are wrong"},
	{"UPDATE measured SET summaries = 7", "the counts of what was measured are wrong"},
	{"DELETE FROM measured", "no row in the map"},
	{"UPDATE run SET status = 1 WHERE run_id = 1", "the counts of what was measured are wrong"},
	/* the two layouts of two metrics each other's: the same length, other metrics */
	{"UPDATE layout SET metric_ids = x'0200000004000000' WHERE layout_id = 1",
	 "layout 1: its bytes are damaged"},
	{"UPDATE layout SET digest = x'00112233445566778899aabbccddeeff' WHERE layout_id = 1",
	 "layout 1: its bytes are damaged"},
	{"UPDATE layout SET metric_ids = x'0200000001000000' WHERE layout_id = 1",
	 "layout 1: its bytes are damaged"},
	{"UPDATE metric SET name = 'other' WHERE name = 'm'", "its bytes are damaged"},
	{"DELETE FROM series_layout WHERE layout_id = 1", "the layout is not noted"},
	{"DELETE FROM series_metric WHERE metric_id = (SELECT metric_id FROM metric"
	 " WHERE name = 'zz')",
	 "a metric is not noted for the series"},
	{"DELETE FROM series_metric WHERE metric_id = (SELECT metric_id FROM metric"
	 " WHERE name = 's')",
	 "its bytes are damaged"},
	{"UPDATE summary SET cells = x'01'", "its bytes are damaged"},
	{"UPDATE series_axis SET value = 'q' WHERE name = 'testcase'", "its digest does not fit"},
	{"UPDATE series SET testcase = 'q'", "its name is not that of its axes"},
	{"UPDATE series SET tbox_group = 'q'", "its name is not that of its axes"},
	{"UPDATE info SET data = '{'", "info 1: its text is damaged"},
	{"UPDATE info SET data = '{\"x\":\"y\"}'", "info 1: its text is damaged"},
	{"UPDATE commits SET kind = 1 WHERE length(name) = 40", "the name is not of its kind"},
	{"UPDATE commits SET kind = 0 WHERE length(name) = 12", "the name is not of its kind"},
	{"UPDATE submission SET kind = 0 WHERE kind = 2", "nothing was stored of it"},
	{"UPDATE submission SET kind = 1 WHERE kind = 2", "nothing was stored of it"},
	{"UPDATE run SET status = 3 WHERE status = 4", "whether it was replaced differ"},
	{"UPDATE run SET status = 4 WHERE run_id = 3", "whether it was replaced differ"},
	{"UPDATE submission SET replaced_by = NULL", "whether it was replaced differ"},
	{"UPDATE summary SET status = 3 WHERE status = 4", "whether it was replaced differ"},
	{"UPDATE submission SET replaced_by = 1 WHERE key = 'old'", "cannot replace the other"},
	{"UPDATE distribution SET data = x'01'", "its distribution is damaged"},
	{"DELETE FROM series_metric WHERE metric_id = (SELECT metric_id FROM metric"
	 " WHERE name = 'lat')",
	 "its distribution is damaged"},
	{"UPDATE artifact SET data = x'00'", "its bytes are damaged"},
	{"UPDATE artifact SET size = size + 1", "its bytes are damaged"},
	{"UPDATE artifact SET encoding = 'identity'", "its bytes are damaged"},
	{"UPDATE artifact SET encoding = 'identity', data = zeroblob(size)",
	 "its bytes are damaged"},
};

static void damaged(void **state)
{
	struct db_lab *l = *state;
	char last[200];

	fill(l);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		assert_int_equal(db_exec(&l->c, "BEGIN"), E_OK);
		assert_int_equal(db_exec(&l->c, damages[i].sql), E_OK);
		metrics_forget_all();
		last[0] = '\0';
		int n = store_check(&l->c, keep_last, last);
		if (n < 1 || !strstr(last, damages[i].complaint))
			fail_msg("%s: %d, \"%s\" %s", damages[i].sql, n, last, l->c.detail);
		assert_int_equal(db_exec(&l->c, "ROLLBACK"), E_OK);
	}
	assert_int_equal(complaints(l, last), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(sound),
		LAB_TEST(damaged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
