/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report mails made here: what nobody sends on purpose. test_robot_mail.c has the real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <math.h>

#include "importers/formats.h"
#include "server/base/arena.h"

struct lab {
	struct ctx ctx;
	struct import in;
};

#define HEADS                                                                                      \
	"7bc162d5cc4de5c3 a0fd217e6d6fbd23e91f8796787\n"                                           \
	"---------------- ---------------------------\n"

static void import_text(struct lab *l, const char *text)
{
	*l = (struct lab){0};
	ctx_init(&l->ctx, arena_new(), NULL);
	l->in.ctx = &l->ctx;
	assert_int_equal(import_robot_mail(&l->in, text, strlen(text)), E_OK);
}

/* The same without a table's block above it, in the mail that follows: known, whatever its machine.
 */
static void test_a_table_cut_from_its_block_is_known(void **state)
{
	static const char *const part[] = {
		"From a@b Thu Jan  1 00:00:00 1970\nFrom: a@example.org\nSubject: x\n\n"
		"a/tbox_group/testcase:\n  1/box/t\n\n",
		"7bc162d5cc4de5c3 a0fd217e6d6fbd23e91f8796787\n"
		"---------------- ---------------------------\n"
		"    479042           -12.5%     419357        hackbench.throughput\n",
		"\nFrom a@b Thu Jan  1 00:00:00 1970\nFrom: a@example.org\nSubject: x\n\n",
	};
	struct lab l;
	char text[2000];

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s%s", part[0], part[1], part[2], part[1]);
	import_text(&l, text);
	assert_int_equal(l.in.n, 2);
	arena_free(l.ctx.arena);
}

/* Names from outside are taken as they are, or not at all; none becomes another. */
static void test_hostile_names(void **state)
{
	static const char *const names[] = {
		"a.\"><script>alert(1)</script>", /* in a text it is only a name */
		"a.$(reboot)`x`",
		"a.../../../etc/passwd",
		"a.%s%n%n",
	};
	char text[8000], longest[1200];
	struct lab l;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text), "x\n\n" HEADS "  1.00  +1.0%%  2.00  %s\n", names[i]);
		import_text(&l, text);
		assert_string_equal(l.in.subs[0].cells[0].metric, names[i]);
		arena_free(l.ctx.arena);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[1] = '.';
	longest[1024] = '\0'; /* as long as a metric may be */
	snprintf(text, sizeof(text),
		 "x\n\n" HEADS "  1.00  +1.0%%  2.00  %s\n  1.00  +1.0%%  2.00  %sx\n", longest,
		 longest);
	import_text(&l, text);
	assert_int_equal(l.in.subs[0].ncells, 1);
	assert_string_equal(l.in.subs[0].cells[0].metric, longest);
	arena_free(l.ctx.arena);
	import_text(&l, "From: a\nSubject: \033[31mred\nDate: never\n\ncommit: \n"
			"  a0fd217e6d (\"an \\\"end\\\" and <b>\")\n\n" HEADS
			"  1.00  +1.0%  2.00  a.\001b\n  1.00  +1.0%  2.00  a.c\n");
	assert_int_equal(l.in.subs[0].ncells, 1); /* "b" stands alone, which is no note */
	assert_string_equal(l.in.subs[0].cells[0].metric, "a.c");
	assert_string_equal(l.in.subs[1].commit.subject, "an \\\"end\\\" and <b>");
	assert_true(!l.in.subs[0].report.subject || !strchr(l.in.subs[0].report.subject, '\033'));
	arena_free(l.ctx.arena);
}

/* A mailer wrapped what is quoted and left the rest of each line without its marks. */
static void test_rests_of_lines_without_marks(void **state)
{
	struct lab l;

	(void)state;
	import_text(&l, "x\n\n"
			"> > a/kconfig/rootfs/some_other_name/tbox_group/testcase/testtime:\n"
			"> >   1/x86_64-rhel-8.3/debian-11.1-x86_64-20220510.cgz/y/box/t/60s\n"
			"> >\n"
			"> > 7bc162d5cc4de5c3 a0fd217e6d6fbd23e91f8796787\n"
			"v6.5-rc1\n"
			"> > ---------------- ---------------------------\n"
			"----------------\n"
			"> >     479042           -12.5%     419357            -1.0%     474251\n"
			"hackbench.throughput\n"
			"> >     477310           -12.5%     417480            +1.0%     482083 ±\n"
			"5%  hackbench.throughput_best\n"
			"> >\n");
	assert_int_equal(l.in.n, 3);
	assert_string_equal(l.in.subs[2].commit.id, "v6.5-rc1");
	assert_string_equal(l.in.subs[2].tbox_group, "box");
	assert_int_equal(l.in.subs[2].ncells, 2);
	assert_true(l.in.subs[2].cells[0].mean == 474251);
	assert_true(l.in.subs[2].cells[1].stddev_pct == 5);
	arena_free(l.ctx.arena);
}

/* The same reply as it stands in a bug tracker; a long word went to the next line, without a mark.
 */
static void test_an_indented_reply(void **state)
{
	struct lab l;

	(void)state;
	import_text(&l, "x\n\n"
			"    > testcase/path_params/tbox_group/run:\n"
			"    will-it-scale/unlink2-performance/lkp-sb03\n"
			"    > \n"
			"    > 7bc162d5cc4de5c3 a0fd217e6d6fbd23e91f8796787\n"
			"    > ---------------- ---------------------------\n"
			"    >     479042           -12.5%     419357        x.throughput\n"
			"    Yes.\n"
			"    >     477310           -12.5%     417480        x.throughput_best\n");
	assert_int_equal(l.in.n, 2);
	assert_string_equal(l.in.subs[0].tbox_group, "lkp-sb03");
	assert_int_equal(l.in.subs[0].ncells, 2);
	arena_free(l.ctx.arena);
}

/* What archives and mailers make of the plus-minus sign. */
static void test_signs(void **state)
{
	static const char *const signs[] = {
		"±",     "+-",         "+/-", "A+-", "~",   "?",  "__",
		"\\261", "\\302\\261", "=B1", "ą",   "ï¿½", "Â±", "",
	};
	char text[1000];
	struct lab l;

	(void)state;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		snprintf(text, sizeof(text),
			 "x\n\n" HEADS " 2506952 %s  2%%     +28.1%%    3212076 %s 17%%  a.b\n",
			 signs[i], signs[i]);
		import_text(&l, text);
		assert_true(l.in.subs[0].cells[0].stddev_pct == 2);
		assert_true(l.in.subs[1].cells[0].stddev_pct == 17);
		arena_free(l.ctx.arena);
	}
}

/* A file that begins with empty lines is the mail below them. */
static void test_empty_lines_before_the_head(void **state)
{
	struct lab l;

	(void)state;
	import_text(
		&l,
		"\n\r\n\nFrom: a@example.org\nSubject: x\nDate: Fri, 26 Jun 2020 15:16:43 +0800\n"
		"Content-Type: text/plain; charset=utf-8\n"
		"Content-Transfer-Encoding: base64\n\n"
		/* HEADS and a row */
		"N2JjMTYyZDVjYzRkZTVjMyBhMGZkMjE3ZTZkNmZiZDIzZTkxZjg3OTY3ODcKLS0tLS0tLS0tLS0t\n"
		"LS0tLSAtLS0tLS0tLS0tLS0tLS0tLS0tLS0tLS0tLS0KMSArMSUgMiBhLmIK\n");
	assert_int_equal(l.in.n, 2);
	assert_string_equal(l.in.subs[1].report.subject, "x");
	arena_free(l.ctx.arena);
}

/* What stands around and below tables: profiles, plots, patches, kernel logs, other tools' tables.
 */
static void test_what_is_no_row(void **state)
{
	struct lab l;

	(void)state;
	import_text(&l,
		    "x\n\n" HEADS "    479042           -12.5%     419357        x.throughput\n\n"
		    "    12.31%     -2.10%  [kernel.kallsyms]    [k] native_queued_spin_lock\n"
		    "     3.20      +1.50%  4.70\n"
		    "            --95.31%--__libc_write\n"
		    "     1.20                1.50        libc.so.6\n"
		    "     0.55            -0.1        0.45 +- 12%  a.b and some words behind it\n"
		    "  480000 +-------------------------------------------+\n"
		    "  470000 |-+  .+..+.+..+                             |\n"
		    "  460000 O-O    O O  O    O    O  O O  O O  O    O O  |\n"
		    "  0.06   *.*    x.time\n"
		    "-    479042           -12.5%     419357        x.old\n"
		    "+    479042           -12.5%     419357        x.new\n"
		    "        -:   10:int main.c(void)\n"
		    "      100:   11:  foo.bar = 2.c\n"
		    "[   12.345678] BUG: soft.lockup\n"
		    " 12.3 45.6 dmesg.foo\n"
		    "    100  -50%  50  mm/slub.c\n"
		    "Hmean     1      479042.00 (   0.00%)      419357.00 * -12.46%*\n"
		    "10.20.30.40 -1.0% 5 a.b\n"
		    "0x1234 +1% 55 a.b\n"
		    "2020-01-01 -1% 3 a.b\n");
	assert_int_equal(l.in.n, 2);
	assert_int_equal(l.in.subs[0].ncells, 1);
	assert_int_equal(l.in.subs[1].ncells, 1);
	arena_free(l.ctx.arena);
}

/* Groups of addresses inside each other, as deep as nobody's stack; the table is read all the same.
 */
static void test_groups_of_addresses(void **state)
{
	static const char *const fields[] = {"\nTo:", "\nFROM:\n\t", "\nReply-To: \"x\":"};
	static char text[300000];
	struct lab l;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t n = (size_t)snprintf(text, sizeof(text),
					    "Message-Id: <1@example.org>\nSubject: x%s", fields[i]);

		while (n < 200000)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "a:\n ");
		snprintf(text + n, sizeof(text) - n,
			 "\n\na/tbox_group/testcase:\n  1/box/t\n\n" HEADS
			 "    479042           -12.5%%     419357        hackbench.throughput\n");
		import_text(&l, text);
		assert_int_equal(l.in.n, 2);
		arena_free(l.ctx.arena);
	}
}

/* Rows that are nobody's are not dropped without a word. */
static void test_rows_without_a_head_are_told(void **state)
{
#define ROWS                                                                                       \
	"      1.00           +50.0%       1.50        vmstat.procs.a\n"                           \
	"      2.00 ±  5%     -50.0%       1.00 ±  7%  vmstat.procs.b\n"
	static const char lost[] = "From: a@example.org\nSubject: cut\n\n" ROWS "\nand so on\n";
	struct lab l = {0};

	(void)state;
	ctx_init(&l.ctx, arena_new(), NULL);
	l.in.ctx = &l.ctx;
	assert_int_equal(import_robot_mail(&l.in, lost, strlen(lost)), E_INVALID);
	assert_string_equal(l.ctx.detail,
			    "2 rows of figures stand in it, but no row of commits above them: it "
			    "says whose they are, and must be kept");
	arena_free(l.ctx.arena);
	import_text(&l, "From: a@example.org\nSubject: two\n\n" HEADS ROWS
			"\nThis is what we saw before that one:\n\n"
			"      3.00           +50.0%       4.50        vmstat.procs.c\n");
	assert_int_equal(l.in.n, 2);
	assert_int_equal(l.in.subs[0].ncells, 2);
	assert_string_equal(l.in.remark, "left out: 1 row of figures under no row of commits "
					 "(first in \"two\")");
	arena_free(l.ctx.arena);
}

/* A deviation of a mean below 0 is below 0 itself; -1 of another stood for none. */
static void test_figures_stay_as_printed(void **state)
{
	const struct summary_in *base, *change;
	struct lab l;

	(void)state;
	import_text(&l, HEADS "     -2.00 ± -5%     +50.0%      -3.00 ±-12%  sched_debug.a.min\n"
			      "      2.00 ± -1%      +Inf%       1.00 ±  7%  sched_debug.b.min\n"
			      "      0.00            -Inf%      -1.00        sched_debug.c.min\n");
	assert_int_equal(l.in.n, 2);
	assert_int_equal(l.in.subs[1].ncells, 3);
	base = l.in.subs[0].cells;
	change = l.in.subs[1].cells;
	assert_true(base[0].stddev_pct == -5);
	assert_true(change[0].stddev_pct == -12);
	assert_true(isnan(base[1].stddev_pct));
	assert_true(isinf(change[1].printed_change) && change[1].printed_change > 0);
	assert_true(isinf(change[2].printed_change) && change[2].printed_change < 0);
	arena_free(l.ctx.arena);
}

/* "commit:" in the text is the parent, the claim in the subject is about the other. */
static void test_a_subject_about_another_commit(void **state)
{
	const struct submission *claimed = NULL;
	struct lab l;

	(void)state;
	import_text(&l, "From: a@example.org\n"
			"Subject: [drm/x] 90f479ae51: vm-scalability.median -18.8% regression\n\n"
			"commit: f1f8555dfb9a70a2 drm/y: a shadow\n"
			"in testcase: vm-scalability\n\n"
			"f1f8555dfb9a70a2 90f479ae51afa45efab97afdde\n"
			"---------------- --------------------------\n"
			"     43785            +50.0%      65677        vmstat.procs.r\n");
	assert_int_equal(l.in.n, 3);
	for (size_t i = 0; i < l.in.n; i++) {
		assert_string_equal(l.in.subs[i].testcase, "vm-scalability");
		if (l.in.subs[i].headline.given)
			claimed = &l.in.subs[i];
	}
	assert_non_null(claimed);
	assert_int_equal(strncmp(claimed->commit.id, "90f479ae51", 10), 0);
	assert_string_equal(claimed->headline.metric, "vm-scalability.median");
	arena_free(l.ctx.arena);
}

/* People write behind a value which runs it is of. */
static void test_notes_in_samples(void **state)
{
	struct lab l;

	(void)state;
	import_text(&l, "data for 4bad58ebc8bc4f20d89cff95417c9b4674769709:\n"
			"4bad58ebc8bc4f20d89cff95417c9b4674769709/matrix.json:  \"a.ops\": [\n"
			"4bad58ebc8bc4f20d89cff95417c9b4674769709/matrix.json-    6404491,\n"
			"4bad58ebc8bc4f20d89cff95417c9b4674769709/matrix.json-    6395917,  "
			"<------ new 14 runs\n"
			"4bad58ebc8bc4f20d89cff95417c9b4674769709/matrix.json-    6396872\n"
			"4bad58ebc8bc4f20d89cff95417c9b4674769709/matrix.json-  ],\n");
	assert_int_equal(l.in.n, 1);
	assert_int_equal(l.in.subs[0].nruns, 3);
	assert_true(l.in.subs[0].runs[1].values[0] == 6395917);
	assert_true(l.in.subs[0].runs[2].values[0] == 6396872);
	arena_free(l.ctx.arena);
}

/* Runs are successes and failures; what came 11 times in 10 boots is no share of them. */
static void test_boots(void **state)
{
	static const char *const metrics[] = {"dmesg.BUG:kernel_boot_hang", "dmesg.boot_failures",
					      "dmesg.kernel_BUG_at_arch/x86/mm/physaddr.c"};
	static const int fails[2][3] = {{0, 5, 5}, {-1, 10, 0}};
	struct lab l;

	(void)state;
	import_text(&l, "From: a@example.org\nSubject: [mm] BUG\n\n"
			"> commit 478e86d7c8c5f41e29abb81b05b459d24bdc71a2\n>\n"
			"> +----------------------------------+------------+------------+\n"
			"> |                                  | 81febe58a8 | 478e86d7c8 |\n"
			"> +----------------------------------+------------+------------+\n"
			"> | boot_successes                   | 10         | 0          |\n"
			"> | boot_failures                    | 5          | 10         |\n"
			"> | kernel_BUG_at_arch/x86/mm/physaddr.c | 5      |            |\n"
			"> | BUG:kernel_boot_hang             | 0          | 11         |\n"
			"> +----------------------------------+------------+------------+\n"
			"> |                                  | 81febe58a8 | 478e86d7c8 |\n"
			"> | speed                            | 1          | 2          |\n");
	assert_int_equal(l.in.n, 2);
	assert_string_equal(l.in.subs[0].commit.id, "81febe58a8");
	assert_string_equal(l.in.subs[1].commit.id, "478e86d7c8c5f41e29abb81b05b459d24bdc71a2");
	for (size_t i = 0; i < 2; i++) {
		const struct submission *s = &l.in.subs[i];
		size_t at = 0;

		for (size_t k = 0; k < 3; k++) {
			if (fails[i][k] < 0)
				continue;
			assert_string_equal(s->cells[at].metric, metrics[k]);
			assert_int_equal(s->cells[at].fails, fails[i][k]);
			assert_int_equal(s->cells[at].runs, i ? 10 : 15);
			assert_true(isnan(s->cells[at++].mean));
		}
		assert_int_equal(s->ncells, at);
	}
	arena_free(l.ctx.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_table_cut_from_its_block_is_known),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_rests_of_lines_without_marks),
		cmocka_unit_test(test_an_indented_reply),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_empty_lines_before_the_head),
		cmocka_unit_test(test_what_is_no_row),
		cmocka_unit_test(test_groups_of_addresses),
		cmocka_unit_test(test_rows_without_a_head_are_told),
		cmocka_unit_test(test_figures_stay_as_printed),
		cmocka_unit_test(test_a_subject_about_another_commit),
		cmocka_unit_test(test_notes_in_samples),
		cmocka_unit_test(test_boots),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("robot mail texts", tests, NULL, NULL);
}
