/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text from outside in Markdown: by the rules of CommonMark and GFM a backslash before ASCII
 * punctuation makes it text, a pipe ends a cell unless it is escaped, and an underscore inside a
 * word is no emphasis.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/report/markdown_table.h"

#include <cmocka.h> /* last: its macro fail() would hide ours */

static void assert_text(const char *in, const char *want)
{
	auto_out struct out o;

	out_init(&o, 1000);
	markdown_text(&o, in);
	assert_string_equal(o.p ? o.p : "", want);
}

static void plain_text_stays(void **state)
{
	(void)state;
	assert_text("", "");
	assert_text("hackbench.time.elapsed_time", "hackbench.time.elapsed_time");
	assert_text("perf-profile.calltrace.cycles-pp.do_syscall_64",
		    "perf-profile.calltrace.cycles-pp.do_syscall_64");
	assert_text("größer 100%", "größer 100%");
}

static void markup_is_text(void **state)
{
	(void)state;
	assert_text("a|b", "a\\|b");
	assert_text("*a* _b_ __init", "\\*a\\* \\_b\\_ \\_\\_init");
	assert_text("[x](javascript:1)", "\\[x\\](javascript:1)");
	assert_text("<img src=x>", "\\<img src=x\\>");
	assert_text("`a` \\ ~~b~~ &lt;", "\\`a\\` \\\\ \\~\\~b\\~\\~ \\&lt;");
}

static void lines_cannot_break(void **state)
{
	(void)state;
	assert_text("a\nb\r\tc\x1b[31m\x7f", "a?b??c?\\[31m?");
	assert_text("a\xc2\x85z", "a?z");
	assert_text("end_", "end\\_");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(markup_is_text),
		cmocka_unit_test(lines_cannot_break),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("markdown_table", tests, NULL, NULL);
}
