/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of URLs, and how a path is cut, decoded and matched. */
#include "server/http/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include "server/base/arena.h"
#include "server/base/err.h"
#include "server/http/conn.h"
#include "server/pages/req.h"

#include <cmocka.h>

static char path_buffer[1000];
static char *segments[8];
static const char *captures[4];
static char allow[64];

static int cut(const char *path)
{
	snprintf(path_buffer, sizeof(path_buffer), "%s", path);
	return route_cut(path_buffer, segments, 8);
}

static const struct route *find(const char *method, const char *path)
{
	int n = cut(path);

	assert_true(n >= 0);
	return route_find(method, segments, (size_t)n, captures, allow);
}

static void test_cut_comes_before_decoding(void **state)
{
	(void)state;
	assert_int_equal(cut("/"), 0);
	assert_int_equal(cut("/a%2Fb/c"), 2);
	assert_string_equal(segments[0], "a/b");
	assert_string_equal(segments[1], "c");
	assert_int_equal(cut("/x/%41%62+/"), 3);
	assert_string_equal(segments[1], "Ab+"); /* a plus is a plus in a path */
	assert_string_equal(segments[2], "");
	assert_int_equal(cut("//a"), 2);
	assert_string_equal(segments[0], "");
	assert_int_equal(cut("/../."), 2);
	assert_string_equal(segments[0], "..");
}

static void test_bad_paths_are_refused(void **state)
{
	static const char *const bad[] = {"",
					  "a/b",
					  "*",
					  "/a%",
					  "/a%4",
					  "/%zz",
					  "/%g0/x",
					  "/a%00",
					  "/%0",
					  "/%-1",
					  "/% 1",
					  "/a/%00b",
					  "/1/2/3/4/5/6/7/8/9"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cut(bad[i]), -1);
	assert_int_equal(cut("/1/2/3/4/5/6/7/8"), 8);
}

static void test_decode_of_a_query_part(void **state)
{
	char text[] = "a+b%2Bc%3d";

	(void)state;
	assert_int_equal(route_decode(text, true), 6);
	assert_string_equal(text, "a b+c=");
}

static void test_rows_are_found(void **state)
{
	(void)state;
	assert_string_equal(find("GET", "/")->pattern, "/");
	assert_string_equal(find("HEAD", "/compare")->pattern, "/compare");
	assert_string_equal(find("GET", "/series")->pattern, "/series");
	assert_string_equal(find("GET", "/series/0123abcd")->pattern, "/series/:series");
	assert_string_equal(captures[0], "0123abcd");
	assert_null(captures[1]);
	assert_string_equal(find("POST", "/api/v1/runs")->pattern, "/api/v1/runs");
}

static void test_a_tail_keeps_its_slashes(void **state)
{
	(void)state;
	assert_non_null(find("GET", "/metric/filebench.sum_operations/s"));
	assert_string_equal(captures[0], "filebench.sum_operations/s");
	assert_non_null(find("GET", "/c/vbabka%2Fslab"));
	assert_string_equal(captures[0], "vbabka/slab");
	assert_non_null(find("GET", "/metric/a//b"));
	assert_string_equal(captures[0], "a//b");
	assert_non_null(find("GET", "/metric/../x"));
	assert_string_equal(captures[0], "../x"); /* a name like any other */
}

static void test_what_no_row_takes(void **state)
{
	(void)state;
	assert_null(find("GET", "/nothing"));
	assert_string_equal(allow, "");
	assert_null(find("GET", "/series/a/b"));
	assert_null(find("GET", "/series/"));
	assert_null(find("GET", "/metric/"));
	assert_null(find("GET", "//"));
	assert_null(find("GET", "/Series"));
	assert_null(find("POST", "/compare"));
	assert_string_equal(allow, "GET, HEAD");
	assert_null(find("GET", "/api/v1/runs"));
	assert_string_equal(allow, "POST");
	assert_null(find("get", "/compare"));
}

/* On an I/O thread a page of megabytes would hold up whoever came in on the same thread. */
static void test_pages_that_grow_with_the_data_go_to_the_workers(void **state)
{
	static const char *const paths[] = {"/compare", "/history", "/commit", "/commit/v5.7",
					    "/c/v5.7"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_true(find("GET", paths[i])->flags & SLOW);
	assert_false(find("GET", "/healthz")->flags & SLOW);
	assert_false(find("GET", "/readyz")->flags & SLOW);
}

static void test_flags_make_sense(void **state)
{
	const struct route *row;

	(void)state;
	for (size_t i = 0; (row = route_at(i)); i++) {
		bool writes = strcmp(row->method, "GET") != 0;
		bool needs = row->flags & (NEEDS_UPLOAD | NEEDS_TRIAGE | NEEDS_ADMIN);
		assert_non_null(row->page);
		assert_int_equal(row->pattern[0], '/');
		/* GET never changes anything; what is pasted is looked at and stored nowhere */
		if (strcmp(row->pattern, "/paste") != 0)
			assert_int_equal(writes, needs);
		if (row->flags & CACHED)
			assert_true(row->flags & READ);
		if (writes) { /* what waits for the writer is suspended, and has no snapshot */
			assert_true(row->flags & SLOW);
			assert_false(row->flags & (READ | CACHED));
		}
	}
}

static void test_suffixes(void **state)
{
	int form;

	(void)state;
	assert_int_equal(form_suffix("/compare.json", &form), 5);
	assert_int_equal(form, FORM_JSON);
	assert_int_equal(form_suffix("/commit/v5.7-rc1.txt", &form), 4);
	assert_int_equal(form, FORM_TXT);
	assert_int_equal(form_suffix("/a.csv", &form), 4);
	assert_int_equal(form_suffix("/commit/v5.7-rc1", &form), 0);
	assert_int_equal(form, -1);
	assert_int_equal(form_suffix("/.json", &form), 0);
	assert_int_equal(form_suffix("/a/.json", &form), 0);
	assert_int_equal(form_suffix("/a.html", &form), 0);
	assert_int_equal(form_suffix("/ajson", &form), 0);
}

static void check_choice(unsigned flags, int suffix, const char *format, const char *accept,
			 int expected)
{
	auto_arena struct arena *a = arena_new();
	enum form form = FORM_HTML;
	struct ctx c;

	ctx_init(&c, a, NULL);
	int e = form_choose(&c, flags, suffix, format, accept, &form);
	assert_int_equal(e < 0 ? e : (int)form, expected);
}

static void test_forms_are_chosen(void **state)
{
	const unsigned all = HAS_JSON | HAS_CSV | HAS_TXT;

	(void)state;
	check_choice(all, -1, NULL, NULL, FORM_HTML);
	check_choice(all, -1, NULL, "*/*", FORM_TXT);
	check_choice(HAS_JSON, -1, NULL, "*/*", FORM_HTML);
	check_choice(all, -1, NULL, "text/html,application/xhtml+xml,*/*;q=0.8", FORM_HTML);
	check_choice(all, -1, NULL, "application/json, text/html", FORM_HTML);
	check_choice(all, -1, NULL, "Application/JSON;q=0.9, */*", FORM_JSON);
	check_choice(HAS_TXT, -1, NULL, "application/json, */*", FORM_TXT);
	check_choice(all, -1, NULL, "text/csv", FORM_CSV);
	check_choice(all, -1, NULL, "text/plain", FORM_TXT);
	check_choice(all, -1, NULL, "image/png", FORM_HTML);
	check_choice(all, FORM_CSV, NULL, "text/html", FORM_CSV);
	check_choice(all, -1, "html", "*/*", FORM_HTML);
	check_choice(all, -1, "json", "text/html", FORM_JSON);
	check_choice(all, FORM_JSON, "csv", NULL, FORM_CSV);
	check_choice(all, -1, "xml", NULL, E_INVALID);
	check_choice(all, -1, "", NULL, E_INVALID);
	check_choice(HAS_JSON, FORM_CSV, NULL, NULL, E_NOTFOUND);
	check_choice(NO_HTML, FORM_JSON, NULL, NULL, E_NOTFOUND);
	check_choice(NO_HTML | HAS_JSON, -1, NULL, "text/html", FORM_JSON);
	check_choice(NO_HTML, -1, NULL, NULL, FORM_TXT);
}

static void test_forms_of_errors(void **state)
{
	(void)state;
	assert_int_equal(form_guess("/api/v1/runs", "text/html"), FORM_JSON);
	assert_int_equal(form_guess("/nope.json?x=a.csv", "text/html"), FORM_JSON);
	assert_int_equal(form_guess("/nope.txt", "text/html"), FORM_TXT);
	assert_int_equal(form_guess("/nope?q=.json", "*/*"), FORM_TXT);
	assert_int_equal(form_guess("/nope", "application/json"), FORM_JSON);
	assert_int_equal(form_guess("/nope", NULL), FORM_HTML);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_comes_before_decoding),
		cmocka_unit_test(test_bad_paths_are_refused),
		cmocka_unit_test(test_decode_of_a_query_part),
		cmocka_unit_test(test_rows_are_found),
		cmocka_unit_test(test_a_tail_keeps_its_slashes),
		cmocka_unit_test(test_what_no_row_takes),
		cmocka_unit_test(test_pages_that_grow_with_the_data_go_to_the_workers),
		cmocka_unit_test(test_flags_make_sense),
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_forms_are_chosen),
		cmocka_unit_test(test_forms_of_errors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
