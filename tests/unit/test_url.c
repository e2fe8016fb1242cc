/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses: encoding, names that no path can carry, and addresses from outside. */
#include "server/view/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "server/base/arena.h"

static struct arena *a;

static int start(void **state)
{
	(void)state;
	a = arena_new();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	arena_free(a);
	return 0;
}

static void plain_pages(void **state)
{
	(void)state;
	assert_string_equal(url_home(a)->s, "/");
	assert_string_equal(url_commit(a, "a0fd217e6d6f")->s, "/commit/a0fd217e6d6f");
	assert_string_equal(url_commit(a, "v5.6-rc4")->s, "/commit/v5.6-rc4");
	assert_string_equal(url_series(a, "cae66941")->s, "/series/cae66941");
	assert_string_equal(url_run(a, 17)->s, "/run/17");
	assert_string_equal(url_machine(a, "lkp-icl-2sp2")->s, "/machine/lkp-icl-2sp2");
	assert_string_equal(url_testcase(a, "fio-basic")->s, "/testcase/fio-basic");
	assert_string_equal(url_compare(a, "7bc162d5cc,a0fd217e6d", NULL)->s,
			    "/compare?commits=7bc162d5cc,a0fd217e6d");
	assert_string_equal(url_compare(a, "A^,A", "cae66941")->s,
			    "/compare?commits=A%5E,A&series=cae66941");
	assert_string_equal(url_history(a, "cae66941", "hackbench.throughput")->s,
			    "/history?series=cae66941&metric=hackbench.throughput");
	assert_string_equal(url_search(a, "mm/slub: <b> 100% +1&x=#y")->s,
			    "/search?q=mm/slub:%20%3Cb%3E%20100%25%20%2B1%26x%3D%23y");
}

static void names_that_no_path_can_carry_go_into_the_query(void **state)
{
	(void)state;
	assert_string_equal(url_metric(a, "filebench.sum_operations/s")->s,
			    "/metric?name=filebench.sum_operations/s");
	assert_string_equal(url_commit(a, "vbabka/slab")->s, "/commit?rev=vbabka/slab");
	assert_string_equal(url_machine(a, "")->s, "/machine?name=");
	assert_string_equal(url_machine(a, ".")->s, "/machine?name=.");
	assert_string_equal(url_machine(a, "..")->s, "/machine?name=..");
	assert_string_equal(url_metric(a, "x.JSON")->s, "/metric?name=x.JSON");
	assert_string_equal(url_metric(a, "x.csv")->s, "/metric?name=x.csv");
	assert_string_equal(url_testcase(a, ".txt")->s, "/testcase?name=.txt");
	assert_string_equal(url_metric(a, "json")->s, "/metric/json");
	assert_string_equal(url_metric(a, "...")->s, "/metric/...");
}

static void every_byte_is_encoded_or_harmless(void **state)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789-._~%/:@,?=&";

	(void)state;
	for (int c = 1; c < 256; c++) {
		char name[3] = {'x', (char)c, '\0'};
		struct url *u = url_metric(a, name);

		assert_int_equal(strspn(u->s, harmless), strlen(u->s));
		url_param(a, u, name, name);
		assert_int_equal(strspn(u->s, harmless), strlen(u->s));
	}
	assert_string_equal(url_metric(a, "a?b#c d\n\xff")->s, "/metric/a%3Fb%23c%20d%0A%FF");
	assert_string_equal(url_metric(a, "\xc3\xbc%2e")->s, "/metric/%C3%BC%252e");
}

static void parameters_are_added(void **state)
{
	struct url *u = url_path(a, "/x");

	(void)state;
	url_param(a, u, "none", NULL);
	url_param(a, u, "axis.a b", "1&2");
	url_param_int(a, u, "limit", -5);
	url_param(a, u, "e", "");
	assert_string_equal(u->s, "/x?axis.a%20b=1%262&limit=-5&e=");
	assert_string_equal(url_absolute(a, "https://perf.example.org", u),
			    "https://perf.example.org/x?axis.a%20b=1%262&limit=-5&e=");
	assert_string_equal(url_absolute(a, "", u), u->s);
}

static void only_web_addresses_come_in(void **state)
{
	static const char *const refused[] = {
		"",
		"javascript:alert(1)",
		"JaVaScRiPt:alert(1)//http://x.example",
		" http://x.example",
		"data:text/html,<script>",
		"//x.example/",
		"/local",
		"ftp://x.example/",
		"http:/x.example",
		"http://",
		"http:///x",
		"https://?x",
		"https://x.example/a b",
		"https://x.example/\nSet-Cookie: a",
		"https://x.example/\x7f",
		"https://known.example@other.example/",
		"https://known.example:443@other.example/",
	};
	static char large[1000001];

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_null(url_external(a, refused[i]));
	assert_null(url_external(a, NULL));
	memset(large, 'x', 1000000);
	memcpy(large, "https://", 8);
	assert_null(url_external(a, large));
	assert_string_equal(url_external(a, "https://lore.example/all/20230720@mail.example/")->s,
			    "https://lore.example/all/20230720@mail.example/");
	assert_string_equal(url_external(a, "HTTP://x.example:80/a?b=%20&c=[1]#d")->s,
			    "HTTP://x.example:80/a?b=%20&c=[1]#d");
	assert_string_equal(url_external(a, "https://x.example/\"><b>'\\")->s,
			    "https://x.example/%22%3E%3Cb%3E%27%5C");
	assert_string_equal(
		url_absolute(a, "https://perf.example.org", url_external(a, "http://x.example/")),
		"http://x.example/");
}

static void large_names_are_carried(void **state)
{
	static char large[1000001];

	(void)state;
	memset(large, '<', 1000000);
	assert_int_equal(strlen(url_metric(a, large)->s), strlen("/metric/") + 3000000);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(plain_pages),
		TEST(names_that_no_path_can_carry_go_into_the_query),
		TEST(every_byte_is_encoded_or_harmless),
		TEST(parameters_are_added),
		TEST(only_web_addresses_come_in),
		TEST(large_names_are_carried),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
