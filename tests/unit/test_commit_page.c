/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit page in its four forms, the search that leads to it, and hostile names on every page,
 * called without a socket. What they say is held against what was uploaded.
 */
#include "compare_lab.h"

#include "server/pages/pages.h"

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

static void put_patched(struct lab *l)
{
	lab_put_hackbench(l);
	lab_put(l, "hackbench",
		"\"id\": \"" NEXT_ID "\", \"parents\": [\"" BASE_ID
		"\"], \"author\": {\"name\": \"J P\", "
		"\"email\": \"j@example.org\"}, \"message\": \"Optimize slub memory\\n\\nIt is "
		"large.\\n\\n"
		"Signed-off-by: J P <j@example.org>\", \"patch\": {\"message_id\": "
		"\"1.2-3@example.org\"}, "
		"\"build\": {\"status\": \"ok\", \"warnings\": [{\"file\": \"mm/slub.c\", "
		"\"line\": 12, "
		"\"column\": 3, \"message\": \"unused variable\"}]}",
		"\"report\": {\"message_id\": \"r@example.org\", \"subject\": \"12.5% down\", "
		"\"url\": \"javascript:alert(1)\"}, "
		"\"headline\": {\"metric\": \"hackbench.throughput\", \"base\": \"" BASE_ID "\", "
		"\"change_pct\": -12.5, \"verdict\": \"regression\"}");
}

static void commit_in_all_forms(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_patched(l);
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_JSON, "rev=a0fd217e6d6f"), 200);
	j = lab_json(l);
	assert_text_at(j, "id", NEXT_ID);
	assert_text_at(j, "author.email", "j@example.org");
	assert_text_at(j, "parents.0", BASE_ID);
	assert_text_at(j, "trailers.0.name", "Signed-off-by");
	assert_text_at(j, "warnings.0.file", "mm/slub.c");
	assert_int_equal(json_integer_value(json_at(j, "warnings.0.line")), 12);
	assert_text_at(j, "reported_in.0.verdict", "regression");
	assert_true(json_is_null(json_at(j, "files")));
	assert_true(json_is_null(json_at(j, "fixed_by")));
	assert_text_at(j, "results.0.base", BASE_ID);
	assert_text_at(j, "results.0.series.axes.testcase", "hackbench");
	assert_text_at(j, "results.0.worst.0.metric", "hackbench.throughput");
	assert_text_at(j, "results.0.worst.0.verdict", "regression");
	assert_true(json_real_value(json_at(j, "results.0.worst.0.change_pct")) < -12.459);
	assert_int_equal(json_integer_value(json_at(j, "results.0.same")), 2);
	assert_int_equal(count_at(j, "results.0.best"), 0);
	assert_int_equal(count_at(j, "findings"), 0);
	json_decref(j);
	lab_page(l, page_commit, "/commit", FORM_HTML, "rev=a0fd217e6d6f");
	assert_contains(
		l, "worse in 1 of 1 test on 1 of 1 machine, worst -12.5 % hackbench.throughput");
	assert_contains(l, "▼ regression");
	assert_contains(l, "No change in <b>2</b> metrics, of what the test itself measures: ");
	assert_contains(l, "href=\"https://lore.kernel.org/r/1.2-3@example.org\"");
	assert_contains(l, "<code>mm/slub.c:12:3:</code> unused variable");
	assert_lacks(l, "href=\"javascript:");
	lab_page(l, page_commit, "/commit", FORM_TXT, "rev=a0fd217e6d6f");
	assert_contains(l, "  ▼ regression         -12.5 %    479042       ->    419357      "
			   "  hackbench.throughput (KB/s, higher is better)\n");
	assert_contains(l, "build warning: mm/slub.c:12:3: unused variable\n");
	lab_page(l, page_commit, "/commit", FORM_CSV, "rev=a0fd217e6d6f");
	assert_contains(l, ",hackbench.throughput,KB/s,higher,primary,479042.6877490");
	assert_contains(l, ",regression,judged\r\n");
}

static void commit_that_is_not_one(void **state)
{
	struct lab *l = *state;

	lab_put(l, "t",
		"\"id\": \"1234567aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"subject\": \"one\"",
		"\"runs\": [{\"t.x\": 1}]");
	lab_put(l, "t",
		"\"id\": \"1234567bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\", \"parents\": [\"feedbeef\"]",
		"\"runs\": [{\"t.x\": 1}]");
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_HTML, "rev=1234567"), 300);
	assert_contains(l, "href=\"/commit/1234567aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"");
	assert_contains(l, "1234567bbbbb");
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_JSON, "rev=1234567"),
			 E_AMBIGUOUS);
	assert_int_equal(l->c.nfaults, 2);
	assert_string_equal(l->c.faults[0].message, "one");
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_HTML, "rev=deadbeef"), 404);
	assert_contains(l, "href=\"/search?q=deadbeef\"");
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_JSON, "rev=deadbeef"),
			 E_NOTFOUND);
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_HTML, "rev=feedbeef"), 200);
	assert_contains(l, "Nothing was measured on this commit");
	assert_contains(l, "Only the beginning of this commit's id is known");
}

/* Only what has the form of a Message-Id or of a web address becomes a link out of the house. */
static void links_out_of_the_house(void **state)
{
	struct lab *l = *state;

	lab_put(l, "t",
		"\"id\": \"" NEXT_ID "\", \"patch\": {\"message_id\": \"../../evil@example.org\"}",
		"\"runs\": [{\"t.x\": 1}], \"report\": {\"url\": "
		"\"https://example.org/report?a=1\", "
		"\"subject\": \"it fell\"}");
	assert_int_equal(lab_page(l, page_commit, "/commit", FORM_HTML, "rev=" NEXT_ID), 200);
	assert_contains(l, "../../evil@example.org");
	assert_lacks(l, "lore.kernel.org");
	assert_contains(l, "<a href=\"https://example.org/report?a=1\"");
}

static void search(void **state)
{
	struct lab *l = *state;
	json_t *j;

	put_patched(l);
	assert_int_equal(lab_page(l, page_search, "/search", FORM_HTML, "q=a0fd217e6d6f"), 302);
	assert_int_equal(lab_page(l, page_search, "/search", FORM_JSON, "q=a0fd217e6d6f"), 200);
	j = lab_json(l);
	assert_int_equal(count_at(j, "commits"), 1);
	assert_text_at(j, "commits.0.id", NEXT_ID);
	json_decref(j);
	lab_page(l, page_search, "/search", FORM_JSON, "q=HACKBENCH");
	j = lab_json(l);
	assert_int_equal(count_at(j, "series"), 1);
	assert_text_at(j, "testcases.0", "hackbench");
	json_decref(j);
	lab_page(l, page_search, "/search", FORM_JSON, "q=icl");
	j = lab_json(l);
	assert_text_at(j, "machines.0", "lkp-icl-2sp2");
	json_decref(j);
	lab_page(l, page_search, "/search", FORM_JSON, "q=throughput");
	j = lab_json(l);
	assert_text_at(j, "metrics.0", "hackbench.throughput");
	json_decref(j);
	lab_page(l, page_search, "/search", FORM_JSON, "q=1.2-3@example.org");
	assert_contains(l, NEXT_ID);
	assert_int_equal(lab_page(l, page_search, "/search", FORM_HTML, "q=no such thing"), 200);
	assert_contains(l, "Nothing here is called <b>no such thing</b>");
	assert_int_equal(lab_page(l, page_search, "/search", FORM_HTML, "q=x"), E_INVALID);
}

#define EVIL "\\\"><img src=x onerror=alert(1)>"

static void hostile_names(void **state)
{
	static const struct {
		int (*page)(struct req *r);
		const char *query;
	} asked[] = {
		{page_home, ""},
		{page_series_list, "axis.testcase=\"><img src=x>"},
		{page_series_list, "axis.\"><img src=x>=\"><img src=x>"},
		{page_series, "series=1"},
		{page_commit, "rev=" NEXT_ID},
		{page_commit, "rev=\"><img src=x>"},
		{page_run, "run=1"},
		{page_runs, ""},
		{page_runs, "token=\"><img src=x>"},
		{page_metric, "name=m\"><img src=x onerror=alert(1)>"},
		{page_metric, "name=\"><img src=x>"},
		{page_testcases, ""},
		{page_testcase, "name=t"},
		{page_machines, ""},
		{page_machine, "name=b"},
		{page_search, "q=\"><img src=x>"},
		{page_search, "q=<img"},
		{page_search, "q=onerror"},
	};
	struct lab *l = *state;

	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\", \"mode\": \"" EVIL
		     "\"}, \"commit\": "
		     "{\"id\": \"" BASE_ID "\", \"subject\": \"" EVIL "\"}, \"status\": \"ok\", "
		     "\"matrix\": {\"m" EVIL "\": [1, 2, 3], \"t." EVIL "\": [1, 2, 3]}}");
	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\", \"mode\": \"" EVIL
		     "\"}, \"commit\": "
		     "{\"id\": \"" NEXT_ID "\", \"subject\": \"" EVIL "\", \"message\": \"" EVIL
		     "\\n\\nCc: " EVIL "\", \"label\": \"" EVIL "\", \"author\": {\"name\": \"" EVIL
		     "\", \"email\": \"" EVIL "\"}, "
		     "\"parents\": [\"" BASE_ID "\"], \"patch\": {\"message_id\": \"" EVIL
		     "\"}, \"build\": "
		     "{\"config\": \"" EVIL "\", \"warnings\": [{\"file\": \"" EVIL
		     "\", \"message\": \"" EVIL "\"}]}}, "
		     "\"key\": \"" EVIL "\", \"info\": {\"" EVIL "\": \"" EVIL "\"}, "
		     "\"report\": {\"subject\": \"" EVIL "\", \"message_id\": \"" EVIL "\"}, "
		     "\"matrix\": {\"m" EVIL "\": [5, 6, 7], \"t." EVIL "\": [500, 600, 700]}}");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		int status = lab_page(l, asked[i].page, "/x", FORM_HTML, asked[i].query);

		if (status < 0 && status != E_NOTFOUND && status != E_INVALID)
			fail_msg("%s: %s", asked[i].query, l->c.detail);
		assert_lacks(l, "<img");
	}
	lab_page(l, page_commit, "/x", FORM_HTML, "rev=" NEXT_ID);
	assert_contains(l, "&lt;img src=x onerror=alert(1)&gt;");
}

#define LAB(test) cmocka_unit_test_setup_teardown(test, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB(commit_in_all_forms),    LAB(commit_that_is_not_one),
		LAB(links_out_of_the_house), LAB(search),
		LAB(hostile_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("commit_page", tests, NULL, NULL);
}
