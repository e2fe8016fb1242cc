/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, addresses and ref patterns of repositories: what is taken, what is refused, and that no
 * password is shown. */
#include "server/history/repo_url.h"

#include "tests/unit/db_lab.h"

static void names(void **state)
{
	static const char *const good[] = {"linux", "vbabka/slab", "a.b_c-d", "v6.x", "..x", "x"};
	static const char *const bad[] = {
		"",     ".",   "..",  "a/..",  "../a",    "/a",     "a/",        "a//b", "-a",
		"a/-b", "a b", "a\n", "a.git", "a.git/b", "b.lock", "a\xc3\xa4", "a:b",  "a%2f"};
	char long_name[102];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!repo_name_valid(good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (repo_name_valid(bad[i]))
			fail_msg("%s", bad[i]);
	memset(long_name, 'a', sizeof(long_name));
	long_name[101] = '\0';
	assert_false(repo_name_valid(long_name));
	long_name[100] = '\0';
	assert_true(repo_name_valid(long_name));
}

static void addresses(void **state)
{
	static const char *const good[] = {
		"https://git.kernel.org/pub/scm/linux.git",
		"http://h/x",
		"git://h/x",
		"ssh://git@h:22/x",
		"file:///srv/x",
		"git@h:x.git",
		"h:x",
		"https://[::1]/x",
	};
	static const char *const bad[] = {
		"",
		"-oProxyCommand=x",
		"--upload-pack=x:y",
		"ext::sh -c x",
		"ext::sh",
		"fd::3",
		"a::https://h/x",
		"https://",
		"https://-h/x",
		"ssh://-oProxyCommand=x/y",
		"ssh://a@-o/y",
		"a@-oX:y",
		"https://h/a b",
		"https://h/\n",
		"ftp://h/x",
		"HTTPS://h/x",
		"javascript://h/",
		"https://h/\x7f",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (repo_url_fault(good[i]))
			fail_msg("%s: %s", good[i], repo_url_fault(good[i]));
		assert_true(repo_url_is_remote(good[i]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!repo_url_fault(bad[i]))
			fail_msg("%s", bad[i]);
	assert_false(repo_url_is_remote("/srv/linux"));
	assert_false(repo_url_is_remote("linux"));
	assert_false(repo_url_is_remote("./a:b"));
}

static void shown_without_credentials(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"https://me:secret@h/x", "https://h/x"},
		{"https://token@h/x", "https://h/x"},
		{"https://h/x@y", "https://h/x@y"},
		{"http://a:b@c:d@h:80/x", "http://h:80/x"},
		{"ssh://git@h/x", "ssh://git@h/x"},
		{"ssh://git:secret@h/x", "ssh://h/x"},
		{"git@h:x", "git@h:x"},
		{"unable to access 'https://me:secret@h/x/': no route, nor to ftp://u:p@i",
		 "unable to access 'https://h/x/': no route, nor to ftp://i"},
		{"a\x1b[31m\xff\xc2\x85 \xc3\xa4", "a?[31m?? \xc3\xa4"},
		{"://", "://"},
		{"", ""},
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(repo_url_shown(a, cases[i].text), cases[i].shown);
	arena_free(a);
}

static void patterns(void **state)
{
	static const char *const bad[] = {"",      "-x", "x y", "x..y",  "a:b",    "x~1",  "x^",
					  "*/*/*", "x/", "/x",  "refs/", "x.lock", "x//y", "x\n"};
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(repo_ref_pattern(a, "master"), "refs/heads/master");
	assert_string_equal(repo_ref_pattern(a, "heads/linux-6.*"), "refs/heads/linux-6.*");
	assert_string_equal(repo_ref_pattern(a, "tags/v6.*"), "refs/tags/v6.*");
	assert_string_equal(repo_ref_pattern(a, "refs/remotes/origin/x"), "refs/remotes/origin/x");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (repo_ref_pattern(a, bad[i]))
			fail_msg("%s", bad[i]);
	arena_free(a);

	assert_true(repo_ref_followed("", "refs/heads/a/b"));
	assert_true(repo_ref_followed("", "refs/tags/v1"));
	assert_false(repo_ref_followed("", "refs/remotes/origin/a"));
	assert_false(repo_ref_followed("", "refs/plumbline/a"));
	const char *two = "refs/heads/linux-6.*y\nrefs/tags/v6";
	assert_true(repo_ref_followed(two, "refs/heads/linux-6.1.y"));
	assert_true(repo_ref_followed(two, "refs/heads/linux-6.y"));
	assert_false(repo_ref_followed(two, "refs/heads/linux-6."));
	assert_false(repo_ref_followed(two, "refs/heads/linux-5.y"));
	assert_true(repo_ref_followed(two, "refs/tags/v6"));
	assert_false(repo_ref_followed(two, "refs/tags/v6.1"));
	assert_false(repo_ref_followed(two, "refs/heads/master"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(addresses),
		cmocka_unit_test(shown_without_credentials),
		cmocka_unit_test(patterns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("repo_url", tests, NULL, NULL);
}
