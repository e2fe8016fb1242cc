/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison's model over a real store: which tables there are, what passes the filters, what
 * differs around the runs, and which commit is the older. Figures are published samples and hand
 * arithmetic.
 */
#include "compare_lab.h"

#include <math.h>

#include "server/model/compare.h"

static struct arena *used[100];
static size_t nused;

/* The tables of the last comparison, each in an arena that is not reused. */
static struct compare_table *tables;

static int take_tables(struct lab *l, const struct compare_query *q, struct compare *cmp, int rc)
{
	tables = arena_array(l->c.arena, struct compare_table, q->limit);
	for (size_t n = 0; rc >= 0; n++) {
		struct arena *scratch = arena_new();

		rc = compare_next(&l->c, q, cmp, scratch, &tables[n % q->limit]);
		if (rc != COMPARE_TABLE) {
			arena_free(scratch);
			return rc;
		}
		used[nused++] = scratch;
	}
	return rc;
}

static int close_all(void **state)
{
	while (nused)
		arena_free(used[--nused]);
	return lab_close(state);
}

static int load(struct lab *l, struct compare_query *q, const char *a, const char *b, const char *d,
		struct compare *cmp, struct commit_list *many)
{
	const char **asked = arena_array(l->c.arena, const char *, 3);

	asked[0] = a;
	asked[1] = b;
	asked[2] = d;
	q->asked = asked;
	q->nasked = a == NULL ? 0 : b == NULL ? 1 : d == NULL ? 2 : 3;
	if (!q->limit)
		q->limit = 100;
	ctx_clear(&l->c);
	return take_tables(l, q, cmp, compare_load(&l->c, q, cmp, many));
}

static void two(struct lab *l, struct compare_query q, struct compare *cmp)
{
	assert_int_equal(load(l, &q, BASE_ID, NEXT_ID, NULL, cmp, NULL), E_OK);
}

#define QUERY                                                                                      \
	(struct compare_query)                                                                     \
	{                                                                                          \
		.role = -1                                                                         \
	}

static const struct comparison_row *row_of(const struct compare_table *t, const char *name)
{
	for (size_t i = 0; i < t->nrows; i++)
		if (strcmp(t->rows[i].metric->name, name) == 0)
			return &t->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void hackbench(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	const struct compare_table *t;
	const struct comparison_row *row;

	lab_put_hackbench(l);
	two(l, QUERY, &cmp);
	assert_int_equal(cmp.ntables, 1);
	assert_int_equal(cmp.next, -1);
	t = &tables[0];
	assert_int_equal(t->nrows, 3);
	row = row_of(t, "hackbench.throughput");
	assert_true(fabs(row->cells[0].mean - 479042.68774902937) < 1e-9);
	assert_true(fabs(row->cells[1].mean - 419357.54264916026) < 1e-9);
	assert_true(fabs(row->cells[1].change_pct + 12.459253971775096) < 1e-12);
	assert_int_equal(row->verdict, VERDICT_REGRESSION);
	assert_int_equal(t->runs[0], 6);
	assert_int_equal(t->boots[0], 2);
	assert_int_equal(t->boots[1], -1);
	assert_int_equal(t->failed[1], 0);
	assert_false(t->printed[0]);
	assert_string_equal(cmp.commits[0].name, "7bc162d5cc");
}

static void unit_as_uploaded_else_by_rule(void **state)
{
	struct lab *l = *state;
	struct compare cmp;

	lab_put_hackbench(l);
	two(l, QUERY, &cmp);
	for (size_t i = 0; i < tables[0].nrows; i++) {
		const struct metric *m = tables[0].rows[i].metric;
		const char *unit = tables[0].units[i];

		if (strcmp(m->name, "hackbench.throughput") == 0)
			assert_string_equal(unit, "KB/s");
		else
			assert_ptr_equal(unit, m->facts.unit);
	}
}

static void filters_do_not_change_verdicts(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	const struct compare_table *all;
	struct compare_query q = QUERY;
	const struct comparison_row *a, *b;

	lab_put_hackbench(l);
	two(l, q, &cmp);
	all = tables;
	q.metric_glob = "*.through*";
	q.role = ROLE_PRIMARY;
	two(l, q, &cmp);
	assert_int_equal(tables[0].nrows, 1);
	a = row_of(all, "hackbench.throughput");
	b = row_of(&tables[0], "hackbench.throughput");
	assert_true(a->cells[1].q == b->cells[1].q);
	assert_int_equal(a->verdict, b->verdict);
	q.role = ROLE_MONITOR;
	two(l, q, &cmp);
	assert_int_equal(tables[0].nrows, 0);
}

static void changed_only_counts_what_it_hides(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	struct compare_query q = QUERY;

	lab_put_hackbench(l);
	q.changed_only = true;
	two(l, q, &cmp);
	assert_int_equal(tables[0].nrows, 1);
	assert_int_equal(tables[0].hidden, 2);
	assert_int_equal(tables[0].counts[VERDICT_REGRESSION], 1);
	assert_int_equal(tables[0].counts[VERDICT_SAME], 2);
	assert_int_equal(tables[0].primary[VERDICT_SAME], 1); /* hackbench.idle% */
}

#define ONE_RUN(metric, v) "\"runs\": [{\"" metric "\": " v "}]"

static void a_table_needs_the_base_and_one_other(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	struct compare_query q = QUERY;

	lab_put(l, "fio", "\"id\": \"v6.1\"", ONE_RUN("fio.iops", "10"));
	lab_put(l, "fio", "\"id\": \"v6.3\"", ONE_RUN("fio.iops", "30"));
	lab_put(l, "dbench", "\"id\": \"v6.2\"", ONE_RUN("dbench.x", "1"));
	lab_put(l, "dbench", "\"id\": \"v6.3\"", ONE_RUN("dbench.x", "1"));
	assert_int_equal(load(l, &q, "v6.1", "v6.2", "v6.3", &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 1); /* dbench lacks the base */
	assert_string_equal(tables[0].series.testcase, "fio");
	assert_true(tables[0].rows[0].cells[0].present);
	assert_false(tables[0].rows[0].cells[1].present);
	assert_true(tables[0].rows[0].cells[2].present);
	assert_int_equal(load(l, &q, "v6.1", "v6.2", NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 0);
	/* One alone: its values, of all its series. */
	assert_int_equal(load(l, &q, "v6.3", NULL, NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 2);
	assert_int_equal(tables[0].nrows, 1);
}

static void unknown_and_ambiguous(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	struct commit_list many = {0};
	struct compare_query q = QUERY;

	lab_put(l, "fio", "\"id\": \"abcdef0123456789abcdef0123456789abcdef01\"",
		ONE_RUN("fio.iops", "10"));
	lab_put(l, "fio", "\"id\": \"abcdef0fffffffffffffffffffffffffffffffff\"",
		ONE_RUN("fio.iops", "10"));
	assert_int_equal(load(l, &q, "abcdef01", "1234567", NULL, &cmp, &many), E_NOTFOUND);
	assert_non_null(strstr(l->c.detail, "1234567"));
	assert_int_equal(load(l, &q, "abcdef01", "abcdef0", NULL, &cmp, &many), E_AMBIGUOUS);
	assert_int_equal(many.n, 2);
	assert_int_equal(cmp.ncommits, 1); /* how far it came */
	assert_int_equal(load(l, &q, NULL, NULL, NULL, &cmp, NULL), E_INVALID);
}

static void paged_by_tables(void **state)
{
	static const char *const tests[] = {"fio", "dbench", "netperf"};
	struct lab *l = *state;
	struct compare cmp;
	struct compare_query q = QUERY;
	struct pair axis = {"testcase", "netperf"};

	for (size_t i = 0; i < 3; i++) {
		lab_put(l, tests[i], "\"id\": \"v6.1\"", ONE_RUN("x.y", "1"));
		lab_put(l, tests[i], "\"id\": \"v6.2\"", ONE_RUN("x.y", "1"));
	}
	q.limit = 2;
	assert_int_equal(load(l, &q, "v6.1", "v6.2", NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 2);
	assert_int_equal(cmp.next, tables[1].series.id);
	q.after = cmp.next;
	assert_int_equal(load(l, &q, "v6.1", "v6.2", NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 1);
	assert_string_equal(tables[0].series.testcase, "netperf");
	assert_int_equal(cmp.next, -1);
	/* An axis is a filter before the limit counts. */
	q = QUERY;
	q.limit = 1;
	q.axes = &axis;
	q.naxes = 1;
	assert_int_equal(load(l, &q, "v6.1", "v6.2", NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 1);
	assert_string_equal(tables[0].series.testcase, "netperf");
	/* So is the series' digest, by a prefix too. */
	q = QUERY;
	q.series = arena_strn(l->c.arena, tables[0].series.digest, 10);
	assert_int_equal(load(l, &q, "v6.1", "v6.2", NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 1);
	assert_string_equal(tables[0].series.testcase, "netperf");
	axis.value = "fio";
	q.axes = &axis;
	q.naxes = 1;
	assert_int_equal(load(l, &q, "v6.1", "v6.2", NULL, &cmp, NULL), E_OK);
	assert_int_equal(cmp.ntables, 0);
}

static void put_info(struct lab *l, const char *commit, const char *info, const char *key)
{
	lab_put(l, "fio", arena_fmt(l->c.arena, "\"id\": \"%s\"", commit),
		arena_fmt(l->c.arena, "\"key\": \"%s\", \"info\": %s, \"runs\": [{\"fio.x\": 1}]",
			  key, info));
}

static void info_differences(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	struct compare_query q = QUERY;
	const struct compare_table *t;

	put_info(l, "v1.0", "{\"bios\": \"A\", \"host\": \"h1\", \"same\": \"s\"}", "1");
	put_info(l, "v1.0", "{\"bios\": \"A\", \"host\": \"h2\", \"same\": \"s\"}", "2");
	put_info(l, "v2.0", "{\"bios\": \"B\", \"host\": \"h1\", \"same\": \"s\"}", "3");
	put_info(l, "v3.0", "{\"bios\": \"A\", \"host\": \"h1\"}", "4");
	put_info(l, "v4.0", "{}", "5");
	put_info(l, "v5.0", "{\"bios\": \"A\", \"host\": \"h1\", \"same\": \"s\"}", "6");
	put_info(l, "v5.0", "{\"bios\": \"A\", \"host\": \"h2\", \"same\": \"s\"}", "7");
	assert_int_equal(load(l, &q, "v1.0", "v2.0", NULL, &cmp, NULL), E_OK);
	t = &tables[0];
	assert_int_equal(t->ninfos, 2);
	assert_string_equal(t->infos[0].key, "bios");
	assert_string_equal(t->infos[0].values[0], "A");
	assert_string_equal(t->infos[0].values[1], "B");
	assert_string_equal(t->infos[1].key, "host");
	assert_string_equal(t->infos[1].values[0], "h1, h2");
	/* Told on one side only: a difference where the other side told anything, none where it was
	 * silent. */
	assert_int_equal(load(l, &q, "v2.0", "v3.0", NULL, &cmp, NULL), E_OK);
	t = &tables[0];
	assert_int_equal(t->ninfos, 2);
	assert_string_equal(t->infos[1].key, "same");
	assert_null(t->infos[1].values[1]);
	/* Runs of each column disagree in the same way: still not one surrounding. */
	assert_int_equal(load(l, &q, "v1.0", "v5.0", NULL, &cmp, NULL), E_OK);
	assert_int_equal(tables[0].ninfos, 1);
	assert_string_equal(tables[0].infos[0].key, "host");
	assert_int_equal(load(l, &q, "v2.0", "v4.0", NULL, &cmp, NULL), E_OK);
	assert_int_equal(tables[0].ninfos, 0);
}

static void which_is_older(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	struct compare_query q = QUERY;

	/* Dates lie: the child is dated before its parent, and parents win. */
	lab_put(l, "fio",
		"\"id\": \"1111111111111111111111111111111111111111\", "
		"\"date\": \"2023-05-02T00:00:00Z\"",
		ONE_RUN("fio.x", "1"));
	lab_put(l, "fio",
		"\"id\": \"2222222222222222222222222222222222222222\", "
		"\"date\": \"2023-05-01T00:00:00Z\", "
		"\"parents\": [\"1111111111111111111111111111111111111111\"]",
		ONE_RUN("fio.x", "1"));
	lab_put(l, "fio", "\"id\": \"v9.9\", \"date\": \"2024-01-01T00:00:00Z\"",
		ONE_RUN("fio.x", "1"));
	lab_put(l, "fio", "\"id\": \"v0.0\"", ONE_RUN("fio.x", "1"));
	load(l, &q, "1111111", "2222222", NULL, &cmp, NULL);
	assert_false(cmp.base_is_younger);
	load(l, &q, "2222222", "1111111", NULL, &cmp, NULL);
	assert_true(cmp.base_is_younger);
	load(l, &q, "v9.9", "1111111", NULL, &cmp, NULL); /* by date */
	assert_true(cmp.base_is_younger);
	load(l, &q, "1111111", "v9.9", "2222222", &cmp, NULL);
	assert_false(cmp.base_is_younger);
	load(l, &q, "v9.9", "v0.0", NULL, &cmp, NULL); /* one date unknown: nobody knows */
	assert_false(cmp.base_is_younger);
	load(l, &q, "v9.9", "v9.9", NULL, &cmp, NULL);
	assert_false(cmp.base_is_younger);
}

#define PRINTED(mean, printed)                                                                     \
	"\"summary\": {\"filebench.sum_bytes_mb/s\": {\"mean\": " mean ", \"printed\": " printed   \
	"}}"

static void printed_against_the_base_asked_for(void **state)
{
	struct lab *l = *state;
	struct compare cmp;
	struct compare_query q = QUERY;
	const struct cell *c;

	lab_put(l, "filebench", "\"id\": \"b1b4705d54abedfd69dcdf42779c521aa1e0fbd3\"",
		PRINTED("59.4", "{}"));
	lab_put(l, "filebench", "\"id\": \"v5.5\"",
		PRINTED("58.93", "{\"base\": \"b1b4705d54abedfd\", \"change_pct\": -0.8}"));
	assert_int_equal(load(l, &q, "b1b4705d54", "v5.5", NULL, &cmp, NULL), E_OK);
	c = &tables[0].rows[0].cells[1];
	assert_true(c->show_printed);
	assert_true(tables[0].printed[0]);
	assert_int_equal(tables[0].runs[0], 0);
	assert_true(c->reported);
	/* Against another base than the one it was printed against. */
	lab_put(l, "filebench", "\"id\": \"v5.7-rc1\"",
		PRINTED("58.8", "{\"base\": \"b1b4705d54abedfd\", \"change_pct\": -1.0}"));
	assert_int_equal(load(l, &q, "v5.5", "v5.7-rc1", NULL, &cmp, NULL), E_OK);
	c = &tables[0].rows[0].cells[1];
	assert_false(c->show_printed);
	assert_true(c->from_rounded);
	/* The other way round it was not printed. */
	assert_int_equal(load(l, &q, "v5.5", "b1b4705d54", NULL, &cmp, NULL), E_OK);
	c = &tables[0].rows[0].cells[1];
	assert_false(c->show_printed);
	assert_true(c->from_rounded);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, lab_open, close_all)
	const struct CMUnitTest tests[] = {
		T(hackbench),
		T(unit_as_uploaded_else_by_rule),
		T(filters_do_not_change_verdicts),
		T(changed_only_counts_what_it_hides),
		T(a_table_needs_the_base_and_one_other),
		T(unknown_and_ambiguous),
		T(paged_by_tables),
		T(info_differences),
		T(which_is_older),
		T(printed_against_the_base_asked_for),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("compare_model", tests, NULL, NULL);
}
