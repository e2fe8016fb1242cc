/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what was measured: cells with runs, boots, info and merged summaries; histories; single
 * runs and lists of them. Samples are those published for the slab patch; the rest is small enough
 * to see. */
#include "db/runs.h"

#include "tests/unit/db_lab.h"

#include <math.h>

#include "db/commits.h"
#include "server/base/clock.h"

#define ID(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c
#define AXES  "\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"lkp-icl-2sp2\"}, "
#define AT(c) "\"commit\": {\"id\": \"" ID(c) "\"}, "

static int64_t commit_of(struct db_lab *l, const char *name)
{
	struct commit k;

	assert_int_equal(commit_resolve(&l->c, name, &k, NULL), E_OK);
	return k.id;
}

static double value_of(const struct sample_run *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++) {
		assert_true(i == 0 || r->metrics[i]->id > r->metrics[i - 1]->id);
		if (!strcmp(r->metrics[i]->name, name))
			return r->values[i];
	}
	return (double)NAN;
}

static void cell_of_runs(void **state)
{
	static const double published[] = {480199.7631014502, 478713.21886768367,
					   480692.1967633392, 476795.9313413859,
					   478545.2225235285, 479309.7938967886};
	struct db_lab *l = *state;
	struct cell_data d;

	lab_store(l,
		  "{" AXES AT(
			  "a") "\"info\": {\"boot\": \"b1\", \"microcode\": \"0x1\", \"a\": \"x\"},"
			       " \"matrix\": {\"hackbench.throughput\": [480199.7631014502, "
			       "478713.21886768367,"
			       " 480692.1967633392], \"vmstat.in\": [1, null, -0.0]}}");
	lab_store(
		l,
		"{" AXES AT(
			"a") "\"status\": \"failed\", \"runs\": [{\"hackbench.throughput\": 1}]}");
	lab_store(l, "{" AXES AT("a") "\"status\": \"incomplete\", \"runs\": [{\"x\": 1}, {}]}");
	lab_store(l,
		  "{" AXES AT("a") "\"info\": {\"boot\": \"b2\"}, \"runs\": ["
				   "{\"hackbench.throughput\": 476795.9313413859},"
				   "{\"hackbench.throughput\": 478545.2225235285, \"a.first\": 7},"
				   "{\"hackbench.throughput\": 479309.7938967886}]}");
	lab_store(l, "{" AXES AT("b") "\"runs\": [{\"hackbench.throughput\": 5}]}");

	assert_int_equal(cell_load(&l->c, 1, commit_of(l, "aaaaaaa"), true, &d), E_OK);
	assert_int_equal(d.column.nruns, 6);
	assert_int_equal(d.column.ncells, 0);
	assert_int_equal(d.failed, 3);
	assert_int_equal(d.boots, 2);
	for (size_t i = 0; i < 6; i++) {
		assert_true(value_of(&d.column.runs[i], "hackbench.throughput") == published[i]);
		assert_true(i == 0 || d.column.runs[i].run_id > d.column.runs[i - 1].run_id);
	}
	assert_int_equal(d.column.runs[1].n, 1); /* absent is not 0 */
	assert_true(signbit(value_of(&d.column.runs[2], "vmstat.in")));
	assert_true(value_of(&d.column.runs[4], "a.first") == 7);
	assert_ptr_equal(d.column.runs[0].metrics, d.column.runs[2].metrics);
	assert_int_equal(d.ninfos[0], 2);
	assert_string_equal(d.infos[0][0].name, "a");
	assert_string_equal(d.infos[0][1].name, "microcode");
	assert_string_equal(d.infos[0][1].value, "0x1");
	assert_int_equal(d.ninfos[5], 0);

	assert_int_equal(cell_load(&l->c, 1, commit_of(l, "bbbbbbb"), false, &d), E_OK);
	assert_int_equal(d.column.nruns, 1);
	assert_int_equal(d.boots, -1);
	assert_null(d.infos);
	assert_int_equal(cell_load(&l->c, 1, 99, true, &d), E_OK);
	assert_int_equal(d.column.nruns + d.column.ncells, 0);
	assert_int_equal(d.failed, 0);
}

static const struct summary_cell *cell_of(const struct comparison_column *k, const char *name)
{
	for (size_t i = 0; i < k->ncells; i++) {
		assert_true(i == 0 || k->cells[i].metric->id > k->cells[i - 1].metric->id);
		if (!strcmp(k->cells[i].metric->name, name))
			return &k->cells[i];
	}
	return NULL;
}

static void summaries_are_merged(void **state)
{
	struct db_lab *l = *state;
	struct cell_data d;
	const struct summary_cell *s;

	lab_store(l,
		  "{" AXES AT("a") "\"summary\": {"
				   "\"m.both\": {\"mean\": 10, \"stddev_pct\": 5, \"printed\": {}},"
				   "\"m.old\": {\"mean\": -0.0, \"printed\": {\"base\": \"v6.1\", "
				   "\"change_pct\": -0.0}}}}");
	lab_store(l,
		  "{" AXES AT("a") "\"key\": \"2\", \"summary\": {"
				   "\"a.new\": {\"fails\": 3, \"runs\": 6,"
				   " \"printed\": {\"base\": \"v6.1\", \"reproduction_pct\": 50}},"
				   "\"m.both\": {\"mean\": 11, \"stddev\": 2, \"n\": 4, \"min\": "
				   "9, \"max\": 12}}}");
	lab_store(l, "{" AXES AT("a") "\"key\": \"3\", \"status\": \"failed\","
				      " \"summary\": {\"m.both\": {\"mean\": 99}}}");
	assert_int_equal(cell_load(&l->c, 1, commit_of(l, "aaaaaaa"), false, &d), E_OK);
	assert_int_equal(d.column.ncells, 3);
	assert_int_equal(d.column.nruns, 0);
	s = cell_of(&d.column, "m.both");
	assert_true(s->mean == 11 && s->stddev == 2 && s->min == 9 && s->max == 12);
	assert_int_equal(s->n, 4);
	assert_true(isnan(s->stddev_pct));
	assert_int_equal(s->printed, PRINTED_NO);
	s = cell_of(&d.column, "m.old");
	assert_true(s->mean == 0 && signbit(s->mean) && signbit(s->printed_change));
	assert_int_equal(s->printed, PRINTED_PCT);
	assert_string_equal(s->printed_base, "v6.1");
	assert_ptr_equal(s->printed_base, cell_of(&d.column, "a.new")->printed_base);
	s = cell_of(&d.column, "a.new");
	assert_int_equal(s->fails, 3);
	assert_int_equal(s->runs, 6);
	assert_true(isnan(s->mean));
	assert_int_equal(s->n, -1);
}

static void values_of_a_history(void **state)
{
	struct db_lab *l = *state;
	struct history_value *v;
	size_t n;

	lab_store(
		l,
		"{" AXES AT(
			"a") "\"runs\": [{\"m\": 1, \"a\": 0}, {\"b\": 0, \"m\": 2}, {\"a\": 3}]}");
	lab_store(l, "{" AXES AT("b") "\"runs\": [{\"m\": 4}]}");
	lab_store(l, "{" AXES AT("a") "\"runs\": [{\"m\": 3}]}");
	lab_store(l, "{" AXES AT("b") "\"status\": \"failed\", \"runs\": [{\"m\": 5}]}");
	int64_t a = commit_of(l, "aaaaaaa"), b = commit_of(l, "bbbbbbb");
	uint32_t m = metric_by_name(&l->c, "m")->id;

	assert_int_equal(history_values(&l->c, 1, m, &v, &n), E_OK);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(v[i].commit_id, i < 3 ? a : b);
		assert_true(v[i].value == (double)(i + 1));
	}
	assert_int_equal(history_values(&l->c, 1, 99, &v, &n), E_OK);
	assert_int_equal(n, 0);
	assert_int_equal(history_values(&l->c, 2, m, &v, &n), E_OK);
	assert_int_equal(n, 0);
}

#define NOTE(c, more)                                                                              \
	"{" AXES "\"commit\": {\"id\": \"" ID(c) "\"" more "}, \"runs\": [{\"m\": 1}]}"
#define DAY(d)      ", \"date\": \"2023-01-0" d "T00:00:00Z\""
#define CHILD_OF(c) ", \"parents\": [\"" ID(c) "\"]"

/* By date it would be d b a c: but b is told to come after c, through e, which nobody measured. */
static void order_of_a_history(void **state)
{
	struct db_lab *l = *state;
	struct history_commit *k;
	size_t n;

	lab_store(l, NOTE("a", DAY("3")));
	lab_store(l, NOTE("b", DAY("2") CHILD_OF("e")));
	lab_store(l, NOTE("c", DAY("4")));
	lab_store(l,
		  NOTE("d",
		       ", \"committer\": {\"name\": \"x\", \"date\": \"2023-01-01T00:00:00Z\"}"));
	lab_store(l, NOTE("f", "")); /* no date: received in July */
	lab_store(
		l,
		"{\"axes\": {\"testcase\": \"fio\", \"tbox_group\": \"x\"}, \"runs\": [{\"m\": 1}],"
		" \"commit\": {\"id\": \"" ID("e") "\"" CHILD_OF("c") "}}");
	lab_store(l,
		  "{" AXES AT("a") "\"summary\": {\"m\": {\"mean\": 5, \"stddev\": 1, \"n\": 3}}}");
	assert_int_equal(history_commits(&l->c, 1, metric_by_name(&l->c, "m")->id, &k, &n), E_OK);
	assert_int_equal(n, 5);
	assert_string_equal(k[0].name, ID("d"));
	assert_string_equal(k[1].name, ID("c"));
	assert_string_equal(k[2].name, ID("b"));
	assert_string_equal(k[3].name, ID("a"));
	assert_string_equal(k[4].name, ID("f"));
	assert_int_equal(k[0].date, 1672531200);
	assert_true(k[4].date == TIME_NONE);
	assert_int_equal(k[4].first_received, LAB_TIME + 4 * 60);
	assert_true(k[3].printed && k[3].mean == 5 && k[3].stddev == 1);
	assert_false(k[0].printed);
	assert_true(isnan(k[0].mean));
}

static void parents_in_a_circle_end(void **state)
{
	struct db_lab *l = *state;
	struct history_commit *k;
	size_t n;

	lab_store(l, NOTE("a", CHILD_OF("c")));
	lab_store(l, NOTE("b", CHILD_OF("a")));
	lab_store(l, NOTE("c", CHILD_OF("b")));
	assert_int_equal(history_commits(&l->c, 1, 1, &k, &n), E_OK);
	assert_int_equal(n, 3);
}

static void a_run_with_everything(void **state)
{
	struct db_lab *l = *state;
	struct run r;
	struct accepted *done = lab_store(l, "{\"key\": \"k1\", " AXES
					     "\"commit\": {\"id\": \"AAAAAAAA\", \"build\":"
					     " {\"status\": \"ok\"}}, \"started\": "
					     "\"2023-07-20T03:01:00Z\", \"status\": \"incomplete\","
					     " \"info\": {\"boot\": \"b1\", \"hostname\": \"h\"}, "
					     "\"runs\": [{\"z\": 1.5, \"a\": 2.5},"
					     " {\"a\": 4}]}");

	assert_int_equal(done->nruns, 2);
	assert_int_equal(run_get(&l->c, done->run_ids[0], &r), E_OK);
	assert_int_equal(r.series_id, done->series_id);
	assert_string_equal(r.key, "k1");
	assert_string_equal(r.commit_as, "aaaaaaaa");
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_string_equal(run_status_name(r.status), "incomplete");
	assert_int_equal(r.started, 1689822060);
	assert_int_equal(r.received, LAB_TIME);
	assert_string_equal(r.boot, "b1");
	assert_null(r.token);
	assert_int_equal(r.position, 0);
	assert_int_equal(r.build_id, 1);
	assert_int_equal(r.ninfo, 1);
	assert_string_equal(r.info[0].value, "h");
	assert_int_equal(r.n, 2);
	assert_string_equal(r.metrics[0]->name, "a");
	assert_true(r.values[0] == 2.5 && r.values[1] == 1.5);
	assert_int_equal(run_get(&l->c, done->run_ids[1], &r), E_OK);
	assert_int_equal(r.position, 1);
	assert_int_equal(run_get(&l->c, 99, &r), E_NOTFOUND);
}

static size_t listed(struct db_lab *l, struct run_filter f, int64_t *first)
{
	struct run *r;
	size_t n;

	assert_int_equal(run_list(&l->c, &f, 10, &r, &n), E_OK);
	for (size_t i = 1; i < n; i++)
		assert_true(r[i].id < r[i - 1].id);
	*first = n ? r[0].id : 0;
	return n;
}

#define ANY                                                                                        \
	.series_id = -1, .commit_id = -1, .received_from = TIME_NONE, .received_to = TIME_NONE,    \
	.before = INT64_MAX

static void lists_of_runs(void **state)
{
	struct db_lab *l = *state;
	struct run_filter f = {ANY};
	int64_t first;
	struct run *r;
	size_t n;

	lab_store(l, "{" AXES AT("a") "\"runs\": [{\"m\": 1}, {\"m\": 2}]}");
	lab_store(l, "{" AXES AT("b") "\"runs\": [{\"m\": 3}]}");
	lab_store(l, "{\"axes\": {\"testcase\": \"fio\", \"tbox_group\": \"x\"}, " AT(
			     "a") "\"runs\": [{\"m\": 4}]}");
	int64_t a = commit_of(l, "aaaaaaa");

	lab_exec(l, "INSERT INTO token (name, digest, scopes, created) VALUES ('rig', x'00', 1, 0);"
		    "UPDATE submission SET token_id = 1 WHERE submission_id = 2");
	assert_int_equal(listed(l, f, &first), 4);
	assert_int_equal(first, 4);
	assert_int_equal(listed(l, (struct run_filter){.machine = "lkp-icl-2sp2", ANY}, &first), 3);
	assert_int_equal(listed(l, (struct run_filter){.testcase = "fio", ANY}, &first), 1);
	assert_int_equal(first, 4);
	assert_int_equal(listed(l,
				(struct run_filter){.machine = "x", .testcase = "hackbench", ANY},
				&first),
			 0);
	assert_int_equal(listed(l, (struct run_filter){.token = "rig", ANY}, &first), 1);
	assert_int_equal(first, 3);
	f.series_id = 1;
	assert_int_equal(listed(l, f, &first), 3);
	f.commit_id = a;
	assert_int_equal(listed(l, f, &first), 2);
	f.series_id = -1;
	assert_int_equal(listed(l, f, &first), 3);
	f.machine = "x";
	assert_int_equal(listed(l, f, &first), 1);
	f = (struct run_filter){ANY};
	f.before = 3;
	assert_int_equal(listed(l, f, &first), 2);
	f.before = INT64_MAX;
	f.received_from = LAB_TIME + 60;
	assert_int_equal(listed(l, f, &first), 2);
	f.received_to = LAB_TIME + 60;
	assert_int_equal(listed(l, f, &first), 1);
	assert_int_equal(first, 3);
	f = (struct run_filter){ANY};
	assert_int_equal(run_list(&l->c, &f, 3, &r, &n), E_OK);
	assert_int_equal(n, 3);
	assert_string_equal(r[1].token, "rig");
	assert_int_equal(r[1].n, 0);
}

/* Memory goes by the values that are there: 10,000 runs of one metric beside a run of 4,000 are
 * 14,000 values, not 40 million. More than there is room for is refused before it is read. */
static void room_for_values(void **state)
{
	struct db_lab *l = *state;
	struct cell_data cell;
	size_t room = 13999;
	auto_out struct out json;

	out_init(&json, 1 << 20);
	out_str(&json, "{" AXES "\"commit\": {\"id\": \"aaaaaaa1\"}, \"matrix\": {\"m\": [0");
	for (int i = 1; i < 10000; i++)
		out_str(&json, ",0");
	out_str(&json, "]}}");
	out_char(&json, '\0');
	lab_store(l, json.p);
	out_truncate(&json, 0);
	out_str(&json, "{" AXES "\"commit\": {\"id\": \"aaaaaaa2\"}, \"runs\": [{\"m\": 1");
	for (int i = 1; i < 4000; i++)
		out_fmt(&json, ",\"m%d\": 1", i);
	out_str(&json, "}]}");
	out_char(&json, '\0');
	lab_store(l, json.p);

	assert_int_equal(cell_load_within(&l->c, 1, 1, false, &room, &cell), E_OK);
	assert_int_equal(cell.column.nruns, 10000);
	assert_int_equal(room, 3999);
	assert_int_equal(cell_load_within(&l->c, 1, 2, false, &room, &cell), E_TOO_LARGE);
	assert_non_null(strstr(l->c.detail, "series 1 "));
	ctx_clear(&l->c);
	room = 4000;
	assert_int_equal(cell_load_within(&l->c, 1, 2, false, &room, &cell), E_OK);
	assert_int_equal(room, 0);
	assert_int_equal(cell_load(&l->c, 1, 2, false, &cell), E_OK);
	assert_int_equal(cell.column.nruns, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(cell_of_runs),          LAB_TEST(room_for_values),
		LAB_TEST(summaries_are_merged),  LAB_TEST(values_of_a_history),
		LAB_TEST(order_of_a_history),    LAB_TEST(parents_in_a_circle_end),
		LAB_TEST(a_run_with_everything), LAB_TEST(lists_of_runs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
