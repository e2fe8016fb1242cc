/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Message-Ids and subjects tell of a series, and the difference of two patches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/arena.h"
#include "server/model/interdiff.h"
#include "server/model/mail_name.h"

#include <cmocka.h>

static int begin(void **state)
{
	*state = arena_new();
	return 0;
}

static int end(void **state)
{
	arena_free(*state);
	return 0;
}

static void assert_same_sending(struct arena *a, const char *x, const char *y)
{
	struct mail_name m = mail_name_read(a, x), n = mail_name_read(a, y);

	assert_non_null(m.sending);
	assert_non_null(n.sending);
	assert_string_equal(m.sending, n.sending);
}

static void assert_other_sending(struct arena *a, const char *x, const char *y)
{
	struct mail_name m = mail_name_read(a, x), n = mail_name_read(a, y);

	assert_string_not_equal(m.sending ? m.sending : "none", n.sending ? n.sending : "neither");
}

static void names_of_mails(void **state)
{
	struct arena *a = *state;
	struct mail_name n;

	assert_same_sending(a, "20230720102337.2069722-1-ann@example.org",
			    "20230720102337.2069722-12-ann@example.org");
	assert_other_sending(a, "20230720102337.2069722-1-ann@example.org",
			     "20230721102337.2069722-1-ann@example.org");
	assert_same_sending(a, "cover.1689848429.git.ann@example.org",
			    "0a1b2c3d4e.1689848429.git.ann@example.org");
	assert_same_sending(a, "20230720-less-v2-0-0a1b2c3d@example.org",
			    "20230720-less-v2-3-4e5f6a7b@example.org");
	assert_other_sending(a, "20230720-less-v2-1-0a1b2c3d@example.org",
			     "20230720-less-v3-1-0a1b2c3d@example.org");
	n = mail_name_read(a, "20230720-less-v2-more-v10-1-0a1b2c3d@example.org");
	assert_int_equal(n.version, 10);
	assert_string_equal(n.change,
			    mail_name_read(a, "20230801-less-v2-more-v11-4-ff@example.org").change);
	assert_null(mail_name_read(a, "CAHk-=wh1@mail.example.org").sending);
	assert_null(mail_name_read(a, "").sending);
	assert_null(mail_name_read(a, "20230720--v1@x").sending);
	assert_null(mail_name_read(a, "20230720-v1-1-aa@x").change);
}

static void subjects(void **state)
{
	struct subject_tag t =
		subject_tag_read("Re: [RFC PATCH net-next v4 03/17] tcp: [sic] less");

	(void)state;
	assert_int_equal(t.version, 4);
	assert_int_equal(t.index, 3);
	assert_int_equal(t.total, 17);
	assert_string_equal(subject_bare("[RFC PATCH v4 3/17][PATCH] tcp: [sic] less"),
			    "tcp: [sic] less");
	assert_string_equal(subject_bare("[tip: x86] not one"), "[tip: x86] not one");
	t = subject_tag_read("mm: v2 of 3/4");
	assert_int_equal(t.version, -1);
	assert_int_equal(t.index, -1);
	t = subject_tag_read("[PATCH 99999999999999999999/3] x");
	assert_true(t.index > 0);
	assert_int_equal(subject_tag_read("[PATCH").version, -1);
}

static char *told(struct arena *a, const struct interdiff *d)
{
	char *s = arena_str(a, "");

	for (size_t i = 0; i < d->n; i++)
		s = arena_fmt(a, "%s%c%.*s|", s, d->lines[i].kind, (int)d->lines[i].n,
			      d->lines[i].text);
	return s;
}

static void differences(void **state)
{
	struct arena *a = *state;
	struct interdiff d;
	const char *one = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n";

	interdiff_make(a, one,
		       "--- a/x\t2023\n+++ b/x\n@@ -90,3 +91,4 @@ f()\n z\n-b\n+c\n+d\n y\n", &d);
	assert_false(d.different);
	assert_int_equal(d.n, 0);
	interdiff_make(a, one, "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+e\n", &d);
	assert_true(d.different);
	assert_string_equal(told(a, &d), "fx| -b|-+c|-+d|++e|");
	interdiff_make(a, one, "", &d);
	assert_string_equal(told(a, &d), "fx|--b|-+c|-+d|");
	interdiff_make(a, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+--- a/trap\n",
		       "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+--- a/trap\n+++ b/trap\n", &d);
	assert_string_equal(told(a, &d), "fn| +--- a/trap|++++ b/trap|");
	interdiff_make(a, "",
		       "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n-b\n+c\n--- a/y\n+++ b/y\n@@ -1,2 "
		       "+0,0 @@\n-d\n-e\n--- a/z\n+++ b/z\n@@ -1 +1,2 @@\n f\n+g\n",
		       &d);
	assert_string_equal(told(a, &d), "fx|+-a|+-b|++c|fy|+-d|+-e|fz|++g|");
	interdiff_make(a, "@@ -1 +1 @@\n+lost\n", "no patch at all", &d);
	assert_false(d.different);
}

/* Far apart changes are shown with two lines around, what lies between is left out. */
static void long_ones_are_short(void **state)
{
	struct arena *a = *state;
	char *x = arena_str(a, "--- a/f\n+++ b/f\n@@ -0,0 +1,30 @@\n"), *y = x;
	struct interdiff d;

	for (int i = 0; i < 30; i++) {
		x = arena_fmt(a, "%s+%d\n", x, i);
		y = arena_fmt(a, "%s+%d\n", y, i == 3 || i == 20 ? i + 100 : i);
	}
	interdiff_make(a, x, y, &d);
	assert_string_equal(told(a, &d),
			    "ff| +1| +2|-+3|++103| +4| +5|@…| +18| +19|-+20|++120| +21|"
			    " +22|");
}

static size_t head(char *text, size_t n)
{
	return (size_t)snprintf(text, 64, "--- a/f\n+++ b/f\n@@ -0,0 +1,%zu @@\n", n);
}

/* Two versions of 3000 lines that have nothing in common are not compared line by line. */
static void large_ones_are_bounded(void **state)
{
	struct arena *a = *state;
	size_t n = 3000;
	char *x = arena_alloc(a, 8 * n + 64), *y = arena_alloc(a, 8 * n + 64);
	size_t nx = head(x, n), ny = head(y, n);
	struct interdiff d;

	for (size_t i = 0; i < n; i++) {
		nx += (size_t)snprintf(x + nx, 8, "+x%zu\n", i);
		ny += (size_t)snprintf(y + ny, 8, "+y%zu\n", i);
	}
	interdiff_make(a, x, y, &d);
	assert_true(d.different && d.cut);
	assert_int_equal(d.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_of_mails, begin, end),
		cmocka_unit_test(subjects),
		cmocka_unit_test_setup_teardown(differences, begin, end),
		cmocka_unit_test_setup_teardown(long_ones_are_short, begin, end),
		cmocka_unit_test_setup_teardown(large_ones_are_bounded, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("mail_name", tests, NULL, NULL);
}
