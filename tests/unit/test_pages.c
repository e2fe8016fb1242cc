/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages besides compare and history, called without a socket: on an empty database, and on a
 * small lab. What they say is held against what was uploaded.
 */
#include "compare_lab.h"

#include "server/pages/pages.h"

/* Pages that need no name; help has no other form. */
static const struct {
	int (*page)(struct req *r);
	const char *path;
	bool json;
} lists[] = {
	{page_home, "/", true},
	{page_series_list, "/series", true},
	{page_runs, "/runs", true},
	{page_machines, "/machines", true},
	{page_testcases, "/testcases", true},
	{page_search, "/search", true},
	{page_findings, "/findings", true},
	{page_events, "/events", true},
	{page_help_reading, "/help/reading", false},
	{page_help_upload, "/help/upload", false},
	{page_help_verdicts, "/help/verdicts", false},
};

static void assert_text_at(json_t *j, const char *path, const char *want)
{
	const char *s = json_string_value(json_at(j, path));

	if (!s || strcmp(s, want) != 0)
		fail_msg("%s is %s, not %s", path, s ? s : "no text", want);
}

static size_t count_at(json_t *j, const char *path)
{
	json_t *list = json_at(j, path);

	if (!json_is_array(list))
		fail_msg("%s is no list", path);
	return json_array_size(list);
}

static void every_list(struct lab *l)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (lab_page(l, lists[i].page, lists[i].path, FORM_HTML, "") != 200)
			fail_msg("%s: %s", lists[i].path, l->c.detail);
		assert_contains(l, "</main>");
		if (!lists[i].json)
			continue;
		assert_int_equal(lab_page(l, lists[i].page, lists[i].path, FORM_JSON, ""), 200);
		json_decref(lab_json(l));
	}
}

static void on_an_empty_database(void **state)
{
	struct lab *l = *state;

	every_list(l);
	lab_page(l, page_home, "/", FORM_HTML, "");
	assert_contains(l, "Upload the first result");
	lab_page(l, page_series_list, "/series", FORM_JSON, "");
	assert_string_equal(l->out.p, "{\"series\":[],\"next\":null}");
	lab_page(l, page_findings, "/findings", FORM_JSON, "");
	assert_string_equal(l->out.p, "{\"findings\":[],\"next\":null}");
}

static void home(void **state)
{
	struct lab *l = *state;

	lab_put_hackbench(l);
	every_list(l);
	lab_page(l, page_home, "/", FORM_HTML, "");
	assert_contains(l, "Optimize slub memory");
	assert_contains(l, "href=\"/commit/" NEXT_ID "\"");
	assert_contains(l, "href=\"/machine/lkp-icl-2sp2\"");
	assert_contains(l, "href=\"/testcase/hackbench\"");
	assert_contains(l, "<b>12 runs</b> in <b>1 series</b> on <b>1 machine</b>, with 3 metrics; "
			   "2 commits are known");
}

/* Two series: the second has another axis. */
static void put_two_series(struct lab *l)
{
	lab_put_hackbench(l);
	lab_store(l, "{\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"lkp-icl-2sp2\", "
		     "\"mode\": "
		     "\"threads\"}, \"commit\": {\"id\": \"" NEXT_ID "\"}, \"runs\": "
		     "[{\"hackbench.throughput\": 1}]}");
	lab_store(l, "{\"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"lkp-skl-fpga01\", "
		     "\"mode\": "
		     "\"process\"}, \"commit\": {\"id\": \"" NEXT_ID "\"}, \"runs\": "
		     "[{\"hackbench.throughput\": 2}]}");
}

static void series_by_axes_and_paged(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_two_series(l);
	lab_page(l, page_series_list, "/series", FORM_JSON, "axis.testcase=hackbench");
	j = lab_json(l);
	assert_int_equal(count_at(j, "series"), 3);
	assert_int_equal(json_integer_value(json_at(j, "series.0.commits")), 2);
	assert_int_equal(json_integer_value(json_at(j, "series.0.runs")), 12);
	assert_int_equal(json_integer_value(json_at(j, "series.0.metrics")), 3);
	assert_text_at(j, "series.0.last_upload",
		       "2023-07-20T03:03:00Z"); /* the lab's third minute */
	assert_text_at(j, "series.0.axes.mode", "process");
	json_decref(j);
	lab_page(l, page_series_list, "/series", FORM_JSON, "axis.mode=threads&axis.testcase=");
	j = lab_json(l);
	assert_int_equal(count_at(j, "series"), 1);
	assert_text_at(j, "series.0.axes.mode", "threads");
	json_decref(j);
	lab_page(l, page_series_list, "/series", FORM_JSON, "name=mode&value=threads");
	j = lab_json(l);
	assert_int_equal(count_at(j, "series"), 1);
	json_decref(j);
	lab_page(l, page_series_list, "/series", FORM_JSON, "limit=2");
	j = lab_json(l);
	assert_int_equal(count_at(j, "series"), 2);
	assert_int_equal(json_integer_value(json_at(j, "next")), 2);
	json_decref(j);
	lab_page(l, page_series_list, "/series", FORM_JSON, "limit=2&cursor=2");
	j = lab_json(l);
	assert_int_equal(count_at(j, "series"), 1);
	assert_true(json_is_null(json_at(j, "next")));
	json_decref(j);
	assert_int_equal(lab_page(l, page_series_list, "/series", FORM_JSON, "limit=0"), E_INVALID);
	lab_page(l, page_series_list, "/series", FORM_CSV, "axis.mode=threads");
	assert_contains(l, ",hackbench,lkp-icl-2sp2,mode: threads,1,1,1,2023-07-20T03:04:00Z\r\n");
}

static void one_series(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_two_series(l);
	assert_int_equal(lab_page(l, page_series, "/series/1", FORM_JSON, "series=1"), 200);
	j = lab_json(l);
	assert_int_equal(count_at(j, "metrics"), 3);
	assert_text_at(j, "metrics.0.metric", "hackbench.idle%");
	assert_text_at(j, "metrics.1.metric", "hackbench.throughput");
	assert_text_at(j, "metrics.1.unit", "KB/s");
	assert_text_at(j, "metrics.1.direction", "higher");
	assert_text_at(j, "metrics.2.role", "monitor");
	assert_text_at(j, "commits.0.id", NEXT_ID); /* newest first */
	assert_text_at(j, "commits.1.id", BASE_ID);
	assert_int_equal(count_at(j, "peers"), 1);
	assert_text_at(j, "peers.0.axes.tbox_group", "lkp-skl-fpga01");
	json_decref(j);
	lab_page(l, page_series, "/series/1", FORM_HTML, "series=1");
	assert_contains(l, "higher is better");
	assert_contains(l, "compare with the one before");
	assert_contains(l, BASE_ID "," NEXT_ID); /* base first */
	lab_page(l, page_series, "/series/1", FORM_TXT, "series=1&limit=1");
	assert_contains(l, "and 1 older ones");
	lab_page(l, page_series, "/series/1", FORM_CSV, "series=1");
	assert_contains(l, "hackbench.throughput,KB/s,higher,value,primary,419357.542649");
	assert_int_equal(lab_page(l, page_series, "/series/77", FORM_JSON, "series=77"),
			 E_NOTFOUND);
	assert_int_equal(lab_page(l, page_series, "/series/x", FORM_JSON, "series=x"), E_INVALID);
}

/* The same test with another compiler: what differs is said. */
static void neighbours(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\", \"compiler\": "
		     "\"gcc-12\"}, "
		     "\"commit\": {\"id\": \"" NEXT_ID "\"}, \"runs\": [{\"t.x\": 1}]}");
	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\", \"compiler\": "
		     "\"clang-14\"}, "
		     "\"commit\": {\"id\": \"" NEXT_ID "\"}, \"runs\": [{\"t.x\": 1}]}");
	lab_page(l, page_series, "/series/1", FORM_JSON, "series=1");
	j = lab_json(l);
	assert_int_equal(count_at(j, "neighbours"), 1);
	assert_text_at(j, "neighbours.0.difference", "compiler: gcc-12 here, clang-14 there");
	assert_text_at(j, "neighbours.0.axes.compiler", "clang-14");
	json_decref(j);
}

static void one_run(void **state)
{
	struct lab *l = *state;
	json_t *j;

	lab_put_hackbench(l);
	assert_int_equal(lab_page(l, page_run, "/run/1", FORM_JSON, "run=1"), 200);
	j = lab_json(l);
	assert_int_equal(json_object_size(json_at(j, "values")), 3);
	assert_true(json_real_value(json_object_get(json_at(j, "values"),
						    "hackbench.throughput")) == 480199.7631014502);
	assert_text_at(j, "commit.id", BASE_ID);
	assert_text_at(j, "info.microcode", "0xd000389");
	assert_text_at(j, "boot", "b1");
	assert_text_at(j, "status", "ok");
	assert_text_at(j, "received", "2023-07-20T03:01:00Z");
	json_decref(j);
	lab_page(l, page_run, "/run/1", FORM_HTML, "run=1");
	assert_contains(l, "480199.7631014502");
	assert_contains(l, "0xd000389");
	assert_int_equal(lab_page(l, page_run, "/run/99", FORM_HTML, "run=99"), E_NOTFOUND);
	assert_int_equal(lab_page(l, page_run, "/run/x", FORM_HTML, "run=x"), E_NOTFOUND);
}

static size_t runs_shown(struct lab *l, const char *query)
{
	json_t *j;
	size_t n;

	if (lab_page(l, page_runs, "/runs", FORM_JSON, query) != 200)
		fail_msg("%s: %s", query, l->c.detail);
	j = lab_json(l);
	n = count_at(j, "runs");
	json_decref(j);
	return n;
}

static void runs_by_filters(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_two_series(l); /* received from 03:01 to 03:05: 3, 3, 6, 1 and 1 runs */
	assert_int_equal(runs_shown(l, ""), 14);
	assert_int_equal(runs_shown(l, "machine=lkp-skl-fpga01"), 1);
	assert_int_equal(runs_shown(l, "testcase=hackbench&machine="), 14);
	assert_int_equal(runs_shown(l, "testcase=fio"), 0);
	assert_int_equal(runs_shown(l, "commit=7bc162d5cc4d"), 6);
	assert_int_equal(runs_shown(l, "series=2"), 1);
	assert_int_equal(runs_shown(l, "received=2023-07-20"), 14);
	assert_int_equal(runs_shown(l, "received=2023-07-19"), 0);
	assert_int_equal(runs_shown(l, "received=..2023-07-20T03:02:30Z"), 6);
	assert_int_equal(runs_shown(l, "received=2023-07-20T03:03:30Z.."), 2);
	assert_int_equal(lab_page(l, page_runs, "/runs", FORM_JSON, "received=noon"), E_INVALID);
	lab_page(l, page_runs, "/runs", FORM_JSON, "limit=3");
	j = lab_json(l);
	assert_int_equal(json_integer_value(json_at(j, "runs.0.id")), 14);
	assert_int_equal(json_integer_value(json_at(j, "next")), 12);
	json_decref(j);
	assert_int_equal(runs_shown(l, "cursor=12"), 11);
}

static void one_metric(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_two_series(l);
	assert_int_equal(
		lab_page(l, page_metric, "/metric", FORM_JSON, "name=hackbench.throughput"), 200);
	j = lab_json(l);
	assert_text_at(j, "name", "hackbench.throughput");
	assert_text_at(j, "direction", "higher");
	assert_int_equal(count_at(j, "series"), 3);
	assert_text_at(j, "series.0.unit", "KB/s");
	assert_text_at(j, "series.0.role", "primary");
	json_decref(j);
	lab_page(l, page_metric, "/metric", FORM_HTML, "name=hackbench.throughput");
	assert_contains(l, "higher is better");
	lab_page(l, page_metric, "/metric", FORM_HTML, "name=vmstat.system.in");
	assert_contains(l, "never called a regression");
	assert_int_equal(lab_page(l, page_metric, "/metric", FORM_HTML, "name=throughput"), 404);
	assert_contains(l, "hackbench.throughput</a>");
	assert_int_equal(lab_page(l, page_metric, "/metric", FORM_JSON, "name=throughput"),
			 E_NOTFOUND);
}

static void tests_and_machines(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_two_series(l);
	assert_int_equal(
		db_exec(&l->c,
			"INSERT INTO event (machine, at, key, old, new, created) VALUES "
			"('lkp-icl-2sp2', 1689822060, 'microcode', '0x1', '0x2', 1689822060)"),
		E_OK);
	lab_page(l, page_testcase, "/testcase", FORM_JSON, "name=hackbench");
	j = lab_json(l);
	assert_int_equal(count_at(j, "primary_metrics"), 2);
	assert_text_at(j, "primary_metrics.1.metric", "hackbench.throughput");
	assert_int_equal(count_at(j, "machines"), 2);
	assert_int_equal(count_at(j, "measured_as"), 3);
	json_decref(j);
	lab_page(l, page_testcase, "/testcase", FORM_HTML, "name=hackbench");
	assert_contains(l, "/machine/lkp-skl-fpga01");
	lab_page(l, page_machine, "/machine", FORM_JSON, "name=lkp-icl-2sp2");
	j = lab_json(l);
	assert_text_at(j, "state", "active");
	assert_int_equal(count_at(j, "measures"), 2);
	assert_int_equal(json_integer_value(json_at(j, "last_runs.0")), 13);
	assert_text_at(j, "events.0.new", "0x2");
	json_decref(j);
	assert_int_equal(lab_page(l, page_machine, "/machine", FORM_HTML, "name=lkp-icl-2sp2"),
			 200);
	assert_int_equal(lab_page(l, page_machine, "/machine", FORM_HTML, "name=nobody"),
			 E_NOTFOUND);
	assert_int_equal(lab_page(l, page_testcase, "/testcase", FORM_HTML, "name=nobody"),
			 E_NOTFOUND);
	lab_page(l, page_events, "/events", FORM_JSON, "machine=lkp-icl-2sp2");
	j = lab_json(l);
	assert_text_at(j, "events.0.key", "microcode");
	assert_text_at(j, "events.0.at", "2023-07-20T03:01:00Z");
	json_decref(j);
	lab_page(l, page_events, "/events", FORM_JSON, "machine=lkp-skl-fpga01");
	assert_contains(l, "\"events\":[]");
}

static void help(void **state)
{
	struct lab *l = *state;

	lab_page(l, page_help_reading, "/help/reading", FORM_HTML, "");
	assert_contains(l, "    479042           -12.5%     419357        hackbench.throughput\n");
	assert_contains(l, "2 % or less");
	assert_contains(l, "The sign is not the direction");
	lab_page(l, page_help_upload, "/help/upload", FORM_HTML, "");
	assert_contains(l, "curl -sS http://127.0.0.1:8080/api/v1/runs");
	assert_contains(l, "duplicate");
	lab_page(l, page_help_verdicts, "/help/verdicts", FORM_HTML, "");
	assert_contains(l, "Benjamini");
}

#define LAB(test) cmocka_unit_test_setup_teardown(test, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB(on_an_empty_database),
		LAB(home),
		LAB(series_by_axes_and_paged),
		LAB(one_series),
		LAB(neighbours),
		LAB(one_run),
		LAB(runs_by_filters),
		LAB(one_metric),
		LAB(tests_and_machines),
		LAB(help),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
