/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HTML: whatever a text holds, it stays text; and the pieces that pages share. */
#include "server/view/html.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static struct out o;

static int start(void **state)
{
	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	out_free(&o);
	return 0;
}

/* What was written since the last call. */
static const char *written(void)
{
	static char text[4096];

	assert_true(o.len < sizeof(text));
	memcpy(text, o.p ? o.p : "", o.len + 1);
	out_truncate(&o, 0);
	return text;
}

static void texts_cannot_leave_their_place(void **state)
{
	const char *volatile absent = NULL; /* the compiler would warn of a plain one */

	(void)state;
	html(&o, "<td title=\"%s\">%s</td>", "\" onmouseover='x()", "<script>alert(1)</script>");
	assert_string_equal(written(), "<td title=\"&#34; onmouseover=&#39;x()\">"
				       "&lt;script&gt;alert(1)&lt;/script&gt;</td>");
	html(&o, "%s|%s", "a&amp;b", "100%s%n");
	assert_string_equal(written(), "a&amp;amp;b|100%s%n");
	html(&o, "[%s]", absent);
	assert_string_equal(written(), "[]");
}

static void control_characters_and_broken_utf8_are_replaced(void **state)
{
#define R "\xef\xbf\xbd"
	(void)state;
	html(&o, "%s", "a\x01\x1b[31m\r\x7f|\t\n");
	assert_string_equal(written(), "a" R R "[31m" R R "|\t\n");
	/* good: two, three and four bytes */
	html(&o, "%s", "ü – 😀");
	assert_string_equal(written(), "ü – 😀");
	/* stray continuation, overlong '/', surrogate, above U+10FFFF, C1 control */
	html(&o, "%s", "\x80|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xc2\x85|");
	assert_string_equal(written(), R "|" R R "|" R R R "|" R R R R "|" R "|");
	/* cut in the middle, also by the end of the text; what follows survives */
	html(&o, "%s", "\xe2\x80<b>");
	assert_string_equal(written(), R R "&lt;b&gt;");
	html(&o, "%s", "x\xf0\x9f\x98");
	assert_string_equal(written(), "x" R R R);
	html_text(&o, "\xe2\x80\x93", 2);
	assert_string_equal(written(), R R);
#undef R
}

static void numbers_are_printed_as_by_printf(void **state)
{
	(void)state;
	html(&o, "%d %i %u %ld %lld %zu %%", -1, 2, 4000000000u, -5L, -7000000000LL, SIZE_MAX);
	assert_string_equal(written(), "-1 2 4000000000 -5 -7000000000 18446744073709551615 %");
	html(&o, "%x %X %o %08.3f|%-6d|%+.1f|%e|%.3g|%5d", 255u, 255u, 8u, 3.14159, 42, -12.459,
	     1e10, 0.012345, 7);
	assert_string_equal(written(), "ff FF 10 0003.142|42    |-12.5|1.000000e+10|0.0123|    7");
	html(&o, "%x %ju %td", (unsigned)-1, (uintmax_t)5, (ptrdiff_t)-3);
	assert_string_equal(written(), "ffffffff 5 -3");
}

/* Runs a format in a child; true when it was stopped by an assertion. */
static bool is_refused(void (*format)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		format();
		_exit(0);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void format_char(void)
{
	html(&o, "%c", '<');
}

static void format_pointer(void)
{
	html(&o, "%p", (void *)&o);
}

static void format_precision(void)
{
	html(&o, "%.3s", "<b>");
}

static void format_width(void)
{
	html(&o, "%20s", "<b>");
}

static void format_good(void)
{
	html(&o, "%s %5d", "<b>", 1);
}

static void formats_that_would_not_escape_end_the_process(void **state)
{
	(void)state;
	assert_true(is_refused(format_char));
	assert_true(is_refused(format_pointer));
	assert_true(is_refused(format_precision));
	assert_true(is_refused(format_width));
	assert_false(is_refused(format_good));
}

static void large_texts_and_the_maximum(void **state)
{
	static char million[1000001];
	auto_out struct out small;

	(void)state;
	memset(million, '<', 1000000);
	html(&o, "%s", million);
	assert_int_equal(o.len, 4000000);
	assert_null(memchr(o.p, '<', o.len));
	out_init(&small, 1000);
	html(&small, "<p>%s</p>", million);
	assert_true(small.failed);
	assert_true(small.len <= 1000);
	assert_null(memchr(small.p + 1, '<', small.len - 1));
}

static void links_carry_the_address_and_the_text(void **state)
{
	auto_arena struct arena *a = arena_new();

	(void)state;
	html_link(&o, url_history(a, "d41d", "a&b\"c"), "<x>");
	assert_string_equal(written(),
			    "<a href=\"/history?series=d41d&amp;metric=a%26b%22c\">&lt;x&gt;</a>");
	html_link_class(&o, "num", url_run(a, 7), "run 7");
	assert_string_equal(written(), "<a class=\"num\" href=\"/run/7\">run 7</a>");
}

static void values_are_readable(void **state)
{
	static const struct {
		double v;
		const char *unit, *text;
	} known[] = {
		{479042.68774902937, NULL, "479042"},
		{12.3, NULL, "12.3"},
		{0.123456, NULL, "0.1235"},
		{4.77e10, NULL, "4.77e+10"},
		{44902070, NULL, "44902070"},
		{NAN, "ns", "–"},
		{INFINITY, NULL, "∞"},
		{2343000, "ns", "2.34 ms"},
		{1200, "MB/s", "1.2 GB/s"},
		{1200, "MBps", "1.2 GB/s"},
		{1536, "KiB/s", "1.5 MiB/s"},
		{0.5, "ms", "500 µs"},
		{-2343000, "ns", "-2.34 ms"},
		{999.96, "us", "1 ms"},
		{148.89, "s", "148.9 s"},
		{0, "ns", "0 ns"},
		{38.5, "%", "38.5 %"},
		{5, "ops", "5 ops"},
		{5, "ps", "5 ps"},
		{7, "<b>/s", "7 &lt;b&gt;/s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		layout_quantity(&o, known[i].v, known[i].unit);
		assert_string_equal(written(), known[i].text);
	}
	layout_percent(&o, -12.459253971775096);
	assert_string_equal(written(), "-12.5 %");
	layout_percent(&o, 1.9e12);
	assert_string_equal(written(), "+1.9e+12 %");
	layout_percent(&o, INFINITY);
	assert_string_equal(written(), "from 0");
	layout_percent(&o, NAN);
	assert_string_equal(written(), "–");
	layout_time(&o, 1689822060);
	assert_string_equal(written(),
			    "<time datetime=\"2023-07-20T03:01:00Z\">2023-07-20 03:01</time>");
	layout_time(&o, TIME_NONE);
	assert_string_equal(written(), "–");
	layout_pager(&o, NULL);
	assert_string_equal(written(), "");
}

static void the_frame_escapes_what_it_is_given(void **state)
{
	const char *forms[] = {"JSON", "/x.json?a=1&b=\"", NULL};
	struct page_frame l = {.title = "</title><script>",
			       .nav = "series",
			       .css_href = "/static/app.css",
			       .query = "\"><img src=x>",
			       .forms = forms};
	const char *page;

	(void)state;
	layout_begin(&o, &l);
	layout_end(&o);
	page = written();
	assert_non_null(strstr(page, "<title>&lt;/title&gt;&lt;script&gt; · Plumbline</title>"));
	assert_non_null(strstr(page, "<h1>&lt;/title&gt;&lt;script&gt;</h1>"));
	assert_non_null(strstr(page, "value=\"&#34;&gt;&lt;img src=x&gt;\""));
	assert_non_null(strstr(page, "href=\"/x.json?a=1&amp;b=&#34;\">JSON</a>"));
	assert_non_null(strstr(page, "<a href=\"/series\" aria-current=\"page\">Series</a>"));
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "style="));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(texts_cannot_leave_their_place),
		TEST(control_characters_and_broken_utf8_are_replaced),
		TEST(numbers_are_printed_as_by_printf),
		TEST(formats_that_would_not_escape_end_the_process),
		TEST(large_texts_and_the_maximum),
		TEST(links_carry_the_address_and_the_text),
		TEST(values_are_readable),
		TEST(the_frame_escapes_what_it_is_given),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
