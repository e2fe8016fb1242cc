/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One metric over commits: the order of the points, what each holds, printed figures beside
 * samples, and the four forms of the page. Figures are hand arithmetic.
 */
#include "compare_lab.h"

#include <math.h>

#include "server/model/history.h"
#include "server/pages/compare.h"

#define ID(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c

/* Uploaded out of order: the newest commit first, one without a date, one that was only printed,
 * one without it. */
static void fill(struct lab *l)
{
	lab_put(l, "fio",
		"\"id\": \"" ID("c") "\", \"date\": \"2023-03-01T00:00:00Z\", "
				     "\"subject\": \"third\"",
		"\"runs\": [{\"fio.iops\": 30}, {\"fio.iops\": 34}]");
	lab_put(l, "fio",
		"\"id\": \"" ID("a") "\", \"date\": \"2023-01-01T00:00:00Z\", "
				     "\"subject\": \"first\"",
		"\"runs\": [{\"fio.iops\": 10}, {\"fio.iops\": 12}, {\"fio.iops\": 14}]");
	lab_put(l, "fio", "\"id\": \"" ID("b") "\", \"date\": \"2023-02-01T00:00:00Z\"",
		"\"summary\": {\"fio.iops\": {\"mean\": 20, \"stddev_pct\": 5, \"printed\": {}}}");
	lab_put(l, "fio", "\"id\": \"v9.0\", \"date\": \"2023-04-01T00:00:00Z\"",
		"\"runs\": [{\"fio.other\": 1}]");
	/* More runs of the first, later: they belong to its point. */
	lab_put(l, "fio", "\"id\": \"" ID("a") "\"",
		"\"key\": \"more\", \"runs\": [{\"fio.iops\": 16}]");
}

static void points_in_order_of_commits(void **state)
{
	struct lab *l = *state;
	struct history h;

	fill(l);
	assert_int_equal(history_load(&l->c, "1", "fio.iops", HISTORY_BY_COMMIT, &h), E_OK);
	assert_int_equal(h.npoints, 3);
	assert_int_equal(h.without, 1);
	assert_string_equal(h.points[0].shown, "aaaaaaaaaa");
	assert_int_equal(h.points[0].d.n, 4);
	assert_true(h.points[0].values[0] == 10 && h.points[0].values[3] == 16);
	assert_true(h.points[0].d.mean == 13);
	/* deviations -3 -1 1 3: sum of squares 20, over 3 */
	assert_true(fabs(h.points[0].d.stddev - sqrt(20.0 / 3)) < 1e-12);
	assert_true(fabs(history_spread_pct(&h.points[0]) - 100 * sqrt(20.0 / 3) / 13) < 1e-12);
	assert_true(h.points[0].d.median == 13);
	assert_true(h.points[1].printed);
	assert_int_equal(h.points[1].d.n, 0);
	assert_true(h.points[1].d.mean == 20);
	assert_true(history_spread_pct(&h.points[1]) == 5);
	assert_string_equal(h.points[2].subject, "third");
	assert_true(h.points[2].d.mean == 32);
}

static void points_in_order_of_upload(void **state)
{
	struct lab *l = *state;
	struct history h;

	fill(l);
	assert_int_equal(history_load(&l->c, "1", "fio.iops", HISTORY_BY_UPLOAD, &h), E_OK);
	assert_string_equal(h.points[0].shown, "cccccccccc");
	assert_string_equal(h.points[1].shown, "aaaaaaaaaa");
	assert_string_equal(h.points[2].shown, "bbbbbbbbbb");
	assert_int_equal(h.points[1].d.n, 4);
}

static void samples_beat_what_was_printed(void **state)
{
	struct lab *l = *state;
	struct history h;

	fill(l);
	lab_put(l, "fio", "\"id\": \"" ID("b") "\"",
		"\"key\": \"s\", \"runs\": [{\"fio.iops\": 22}]");
	assert_int_equal(history_load(&l->c, "1", "fio.iops", HISTORY_BY_COMMIT, &h), E_OK);
	assert_false(h.points[1].printed);
	assert_true(h.points[1].d.mean == 22);
	assert_true(isnan(history_spread_pct(&h.points[1])));
}

static void what_is_not_there(void **state)
{
	struct lab *l = *state;
	struct history h;

	fill(l);
	lab_put(l, "dbench", "\"id\": \"v1.0\"", "\"runs\": [{\"dbench.x\": 1}]");
	assert_int_equal(history_load(&l->c, "1", "fio.nope", HISTORY_BY_COMMIT, &h), E_NOTFOUND);
	ctx_clear(&l->c);
	assert_int_equal(history_load(&l->c, "1", "dbench.x", HISTORY_BY_COMMIT, &h), E_NOTFOUND);
	ctx_clear(&l->c);
	assert_int_equal(history_load(&l->c, "77", "fio.iops", HISTORY_BY_COMMIT, &h), E_NOTFOUND);
}

static int get(struct lab *l, enum form form, const char *query)
{
	return lab_page(l, page_history, "/history", form, query);
}

static void json_of_the_page(void **state)
{
	struct lab *l = *state;
	json_t *j;

	fill(l);
	assert_int_equal(get(l, FORM_JSON, "series=1&metric=fio.iops"), 200);
	j = lab_json(l);
	assert_string_equal(json_string_value(json_at(j, "schema")), "plumbline.history/1");
	assert_string_equal(json_string_value(json_at(j, "metric")), "fio.iops");
	assert_int_equal(json_array_size(json_at(j, "points")), 3);
	assert_string_equal(json_string_value(json_at(j, "points.0.commit.id")), ID("a"));
	assert_string_equal(json_string_value(json_at(j, "points.0.commit.name")), "aaaaaaaaaa");
	assert_string_equal(json_string_value(json_at(j, "points.0.commit.date")),
			    "2023-01-01T00:00:00Z");
	assert_int_equal(json_integer_value(json_at(j, "points.0.n")), 4);
	assert_int_equal(json_array_size(json_at(j, "points.0.values")), 4);
	assert_true(json_number_value(json_at(j, "points.0.values.1")) == 12);
	assert_true(json_is_null(json_at(j, "points.1.n")));
	assert_int_equal(json_array_size(json_at(j, "points.1.values")), 0);
	assert_true(json_number_value(json_at(j, "points.1.mean")) == 20);
	assert_int_equal(json_array_size(json_at(j, "change_points")), 0);
	assert_int_equal(json_array_size(json_at(j, "events")), 0);
	assert_int_equal(json_array_size(json_at(j, "findings")), 0);
	/* Git knows nothing here: no line, and each point stands by its date. */
	assert_true(json_is_null(json_at(j, "ref")));
	assert_string_equal(json_string_value(json_at(j, "points.0.place")), "date");
	assert_true(json_is_null(json_at(j, "points.0.beside")));
	assert_int_equal(json_array_size(json_at(j, "joined")), 0);
	json_decref(j);
}

static void other_forms(void **state)
{
	struct lab *l = *state;

	fill(l);
	assert_int_equal(get(l, FORM_HTML, "series=1&metric=fio.iops"), 200);
	assert_contains(l, "<svg");
	assert_contains(l, "higher is better");
	assert_contains(l, "compare with the previous");
	assert_contains(l, "1 commit of this series did not measure it.");
	assert_contains(l, "reported");
	/* newest first in the table */
	assert_true(strstr(strstr(l->out.p, "<tbody>"), "cccccccccc") <
		    strstr(strstr(l->out.p, "<tbody>"), "aaaaaaaaaa"));
	assert_int_equal(get(l, FORM_CSV, "series=1&metric=fio.iops"), 200);
	assert_contains(l, ID("a") ",first,2023-01-01T00:00:00Z,4,13,");
	assert_contains(l, ",10 12 14 16,date,,");
	assert_contains(l, ID("b") ",,2023-02-01T00:00:00Z,,20,");
	assert_int_equal(get(l, FORM_TXT, "series=1&metric=fio.iops"), 200);
	/* 13 to 20 is +53.8 %, 20 to 32 +60 % */
	assert_contains(l, "   +53.8%");
	assert_contains(l, "   +60.0%  third\n");
}

static void bad_requests(void **state)
{
	struct lab *l = *state;

	fill(l);
	assert_int_equal(get(l, FORM_JSON, ""), E_INVALID);
	assert_int_equal(l->c.nfaults, 2);
	assert_int_equal(get(l, FORM_JSON, "series=1"), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "series=1&metric=fio.iops&order=age"), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "series=99&metric=fio.iops"), E_NOTFOUND);
	/* a branch that nobody knows; joined over what the test measures, or over machines */
	assert_int_equal(get(l, FORM_JSON, "series=1&metric=fio.iops&ref=master"), E_NOTFOUND);
	assert_int_equal(get(l, FORM_JSON, "series=1&metric=fio.iops&join=bs"), E_INVALID);
	assert_int_equal(get(l, FORM_JSON, "series=1&metric=fio.iops&join=tbox_group"), E_INVALID);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)
	const struct CMUnitTest tests[] = {
		T(points_in_order_of_commits),
		T(points_in_order_of_upload),
		T(samples_beat_what_was_printed),
		T(what_is_not_there),
		T(json_of_the_page),
		T(other_forms),
		T(bad_requests),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
