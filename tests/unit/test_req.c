/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of a page, its own addresses, and the answers to errors. */
#include "server/pages/req.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <jansson.h>

#include "db/submission.h"
#include "server/base/clock.h"
#include "server/view/url.h"

static struct req r;
static struct out out;

static const struct param query[] = {
	{"limit", "20"},    {"limit", "30"}, {"empty", ""},          {"bad", "12x"},
	{"big", "1000"},    {"word", "b"},   {"flag", "1"},          {"since", "2023-07-20"},
	{"axis.nr", "4"},   {"q", "a&b=c"},  {"axis.ipc", "socket"}, {"axis.nr", "5"},
	{"format", "html"},
};

static int set_up(void **state)
{
	static struct arena *a;

	(void)state;
	arena_free(a);
	a = arena_new();
	memset(&r, 0, sizeof(r));
	ctx_init(&r.ctx, a, NULL);
	out_free(&out);
	out_init(&out, 1 << 20);
	r.out = &out;
	r.path = "/compare";
	r.method = "GET";
	r.id = "abc-1";
	r.css_href = r.js_href = "/static/x";
	r.params = query;
	r.nparams = sizeof(query) / sizeof(query[0]);
	return 0;
}

static void test_the_last_of_a_name_counts(void **state)
{
	(void)state;
	assert_string_equal(req_param(&r, "limit"), "30");
	assert_string_equal(req_param(&r, "empty"), "");
	assert_null(req_param(&r, "absent"));
	assert_int_equal(req_int(&r, "limit", 1, 100, 7), 30);
	assert_int_equal(req_int(&r, "absent", 1, 100, 7), 7);
	assert_int_equal(req_status(&r), E_OK);
}

static void test_all_bad_values_are_named(void **state)
{
	static const char *const words[] = {"x", "y", NULL};

	(void)state;
	assert_int_equal(req_int(&r, "bad", 0, 100, 7), 7);
	assert_int_equal(req_int(&r, "big", 0, 999, 8), 8);
	assert_int_equal(req_int(&r, "empty", 0, 999, 9), 9);
	assert_int_equal(req_enum(&r, "word", words, 1), 1);
	assert_true(req_bool(&r, "limit", true));
	assert_true(req_time(&r, "word") == TIME_NONE);
	assert_int_equal(req_status(&r), E_INVALID);
	assert_int_equal(r.ctx.nfaults, 6);
	assert_string_equal(r.ctx.faults[0].path, "bad");
	assert_int_equal(r.ctx.faults[0].item, -1);
}

static void test_typed_values(void **state)
{
	static const char *const words[] = {"a", "b", NULL};

	(void)state;
	assert_int_equal(req_enum(&r, "word", words, 0), 1);
	assert_int_equal(req_enum(&r, "absent", words, -1), -1);
	assert_true(req_bool(&r, "flag", false));
	assert_int_equal(req_time(&r, "since"), 1689811200); /* date -u -d 2023-07-20 +%s */
	assert_int_equal(req_status(&r), E_OK);
}

static void test_axes_are_sorted(void **state)
{
	const struct pair *axes;
	size_t n;

	(void)state;
	req_axes(&r, "axis.", &axes, &n);
	assert_int_equal(n, 2);
	assert_string_equal(axes[0].name, "ipc");
	assert_string_equal(axes[1].name, "nr");
	assert_string_equal(axes[1].value, "5");
}

static void test_bad_axes(void **state)
{
	static struct param many[70];
	static char names[70][24];
	const struct pair *axes;
	size_t n;

	(void)state;
	for (int i = 0; i < 70; i++) {
		snprintf(names[i], sizeof(names[i]), "axis.%d", i);
		many[i] = (struct param){names[i], "v"};
	}
	many[0].name = "axis.";
	r.params = many;
	r.nparams = 70;
	req_axes(&r, "axis.", &axes, &n);
	assert_int_equal(n, 64);
	assert_int_equal(r.ctx.nfaults, 1 + 70 - 1 - 64);
}

static void test_a_name_comes_from_path_or_query(void **state)
{
	(void)state;
	assert_string_equal(req_name(&r, 0, "q"), "a&b=c");
	r.captures[0] = "path";
	assert_string_equal(req_name(&r, 0, "q"), "path");
	r.captures[0] = NULL;
	assert_null(req_name(&r, 0, "empty"));
	assert_null(req_name(&r, 0, "absent"));
}

static void test_addresses_of_this_page(void **state)
{
	static const struct param two[] = {{"q", "a&b=c d"}, {"format", "json"}, {"p", "1"}};

	(void)state;
	r.params = two;
	r.nparams = 3;
	assert_string_equal(req_url_form(&r, FORM_JSON)->s, "/compare.json?q=a%26b%3Dc%20d&p=1");
	assert_string_equal(req_url_form(&r, FORM_HTML)->s, "/compare?q=a%26b%3Dc%20d&p=1");
	assert_string_equal(req_url_with(&r, "p", "2")->s, "/compare?q=a%26b%3Dc%20d&p=2");
	assert_string_equal(req_url_with(&r, "q", NULL)->s, "/compare?p=1");
	r.form = FORM_CSV;
	assert_string_equal(req_url_with(&r, "q", "x")->s, "/compare.csv?p=1&q=x");
	r.nparams = 0;
	r.path = "/metric/stats.json"; /* a name that ends like a form */
	assert_string_equal(req_url_form(&r, FORM_JSON)->s, "/metric/stats.json?format=json");
	assert_string_equal(req_url_form(&r, FORM_HTML)->s, "/metric/stats.json?format=html");
	r.path = "/";
	assert_string_equal(req_url_form(&r, FORM_JSON)->s, "/?format=json");
}

static void test_an_error_as_problem_json(void **state)
{
	json_t *o;

	(void)state;
	r.form = FORM_JSON;
	r.ctx.item = 2;
	fault(&r.ctx, "axes.testcase", "is \"missing\"");
	r.ctx.item = -1;
	fault(&r.ctx, "commit", "is bad");
	out_str(&out, "half a page that must not be seen");
	req_error(&r, 422);
	assert_string_equal(r.answer_type, "application/problem+json");
	o = json_loads(out.p, 0, NULL);
	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "type")), "about:blank");
	assert_int_equal(json_integer_value(json_object_get(o, "status")), 422);
	json_t *errors = json_object_get(o, "errors");
	assert_int_equal(json_array_size(errors), 2);
	json_t *first = json_array_get(errors, 0), *second = json_array_get(errors, 1);
	assert_int_equal(json_integer_value(json_object_get(first, "item")), 2);
	assert_string_equal(json_string_value(json_object_get(first, "path")), "axes.testcase");
	assert_string_equal(json_string_value(json_object_get(first, "message")), "is \"missing\"");
	assert_true(json_is_null(json_object_get(second, "item")));
	json_decref(o);
}

static void test_what_is_ours_stays_inside(void **state)
{
	static const enum form forms[] = {FORM_HTML, FORM_JSON, FORM_TXT, FORM_CSV};

	(void)state;
	(fail)(&r.ctx, E_INTERNAL, "SELECT secret FROM /var/lib");
	for (size_t i = 0; i < 4; i++) {
		r.form = forms[i];
		req_error(&r, 500);
		assert_null(strstr(out.p, "secret"));
		assert_non_null(strstr(out.p, "abc-1"));
	}
}

static void test_an_error_page_escapes_and_helps(void **state)
{
	(void)state;
	r.form = FORM_HTML;
	(fail)(&r.ctx, E_NOTFOUND, "no commit <script>");
	req_error(&r, 404);
	assert_null(strstr(out.p, "<script>"));
	assert_non_null(strstr(out.p, "no commit &lt;script&gt;"));
	assert_non_null(strstr(out.p, "action=\"/search\""));
	assert_true(r.no_store);
}

static void test_an_error_as_text(void **state)
{
	(void)state;
	r.form = FORM_TXT;
	fault(&r.ctx, "limit", "is too big");
	req_error(&r, 422);
	assert_string_equal(out.p, "422 Unprocessable Content: is too big\nlimit: is too big\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_last_of_a_name_counts, set_up),
		cmocka_unit_test_setup(test_all_bad_values_are_named, set_up),
		cmocka_unit_test_setup(test_typed_values, set_up),
		cmocka_unit_test_setup(test_axes_are_sorted, set_up),
		cmocka_unit_test_setup(test_bad_axes, set_up),
		cmocka_unit_test_setup(test_a_name_comes_from_path_or_query, set_up),
		cmocka_unit_test_setup(test_addresses_of_this_page, set_up),
		cmocka_unit_test_setup(test_an_error_as_problem_json, set_up),
		cmocka_unit_test_setup(test_what_is_ours_stays_inside, set_up),
		cmocka_unit_test_setup(test_an_error_page_escapes_and_helps, set_up),
		cmocka_unit_test_setup(test_an_error_as_text, set_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("req", tests, NULL, NULL);
}
