/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log lines as they arrive on standard error, and the failures that log and errors share. */
#include "server/base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "server/base/arena.h"
#include "server/base/err.h"

static int saved_stderr, reader;
static char got[8192];

static void catch_begin(void)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	saved_stderr = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	reader = ends[0];
}

/* What was written since catch_begin(), without the time stamp of the first line. */
static const char *catch_end(void)
{
	ssize_t n;
	char *space;

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	n = read(reader, got, sizeof(got) - 1);
	close(reader);
	got[n > 0 ? n : 0] = '\0';
	space = strchr(got, ' ');
	return space ? space + 1 : got;
}

static void a_line_has_its_pairs(void **state)
{
	struct logline l;

	(void)state;
	catch_begin();
	log_begin(&l, LOG_WARN, "upload");
	log_str(&l, "key", "lkp-icl/0-5");
	log_str(&l, "absent", NULL);
	log_str(&l, "empty", "");
	log_int(&l, "us", -12);
	log_end(&l);
	assert_string_equal(catch_end(),
			    "level=warn event=upload key=lkp-icl/0-5 empty=\"\" us=-12\n");
	assert_memory_equal(got, "ts=20", 5);
}

static void a_hostile_text_stays_in_its_quotes(void **state)
{
	struct logline l;

	(void)state;
	catch_begin();
	log_begin(&l, LOG_INFO, "x");
	log_str(&l, "k", "a b\"\\\r\nlevel=error\x1b[2J\x7f");
	log_str(&l, "u", "grün \xff\xc2\x9b\xe2\x80\xa8");
	log_end(&l);
	assert_string_equal(
		catch_end(),
		"level=info event=x k=\"a b\\\"\\\\\\x0d\\x0alevel=error\\x1b[2J\\x7f\" "
		"u=\"grün \\xff\\xc2\\x9b\\xe2\\x80\\xa8\"\n");
}

static void a_long_line_is_cut_and_still_one_line(void **state)
{
	char text[5000];
	struct logline l;
	const char *line;
	size_t n;

	(void)state;
	for (size_t shift = 0; shift < 8; shift++) {
		memset(text, 'a', sizeof(text));
		for (size_t i = shift; i + 4 < sizeof(text); i += 4)
			memcpy(text + i, i % 8 ? "\n  \"" : "ü\\é", 4);
		text[sizeof(text) - 1] = '\0';
		catch_begin();
		log_begin(&l, LOG_INFO, "x");
		log_str(&l, "k", text);
		log_str(&l, "later", "dropped");
		log_end(&l);
		line = catch_end();
		n = strlen(line);
		assert_true(strlen(got) <= sizeof(l.buf));
		assert_ptr_equal(strchr(line, '\n'), line + n - 1);
		assert_memory_equal(line + n - 5, "…\"\n", 5);
		assert_null(strstr(line, "later"));
	}
}

static void lower_levels_are_dropped(void **state)
{
	(void)state;
	catch_begin();
	log_msg(LOG_DEBUG, "x", "quiet");
	log_set_level(LOG_ERROR);
	log_msg(LOG_WARN, "x", "quiet");
	log_msg(LOG_ERROR, "x", "loud %d", 1);
	log_set_level(LOG_INFO);
	assert_string_equal(catch_end(), "level=error event=x msg=\"loud 1\"\n");
}

static size_t occurrences(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, part)); p++)
		n++;
	return n;
}

static void gathered_lines_come_in_order_and_none_is_lost(void **state)
{
	(void)state;
	catch_begin();
	log_gather_begin();
	log_msg(LOG_INFO, "first", "a");
	log_msg(LOG_WARN, "second", "b"); /* takes the first along */
	for (int i = 0; i < 40; i++)
		log_msg(LOG_INFO, "third", "c");
	log_gather_end();
	log_msg(LOG_INFO, "fourth", "d"); /* a write of its own again */
	const char *text = catch_end();
	assert_true(strstr(text, "event=first") < strstr(text, "event=second"));
	assert_int_equal(occurrences(text, "event=third"), 40);
	assert_true(strstr(text, "event=second") < strstr(text, "event=third"));
	assert_non_null(strstr(text, "event=fourth"));
	assert_int_equal(occurrences(text, "\n"), 43);
}

static void the_first_failure_wins(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct ctx c;

	(void)state;
	ctx_init(&c, a, NULL);
	assert_int_equal(fail(&c, E_NOTFOUND, "no run %d", 7), E_NOTFOUND);
	assert_int_equal(fail(&c, E_INTERNAL, "later"), E_NOTFOUND); /* text and code agree */
	assert_int_equal(c.err, E_NOTFOUND);
	assert_string_equal(c.detail, "no run 7");
	ctx_clear(&c);
	assert_int_equal(c.err, E_OK);
	assert_ptr_equal(c.arena, a);
	assert_int_equal(err_status(E_NOTFOUND), 404);
	assert_string_equal(err_title(404), "Not Found");
	assert_string_equal(err_title(299), "Unknown");
}

static void faults_are_collected_up_to_a_cap(void **state)
{
	auto_arena struct arena *a = arena_new();
	char path[3000];
	struct ctx c;

	(void)state;
	ctx_init(&c, a, NULL);
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	c.item = 3;
	assert_int_equal(fault(&c, "runs[1]", "is %s", "wrong"), E_INVALID);
	c.item = 4;
	for (int i = 0; i < 1000; i++)
		fault(&c, path, "again");
	assert_int_equal(c.err, E_INVALID);
	assert_string_equal(c.detail, "is wrong");
	assert_int_equal(c.nfaults, FAULTS_MAX);
	assert_int_equal(c.faults_seen, 1001);
	assert_int_equal(c.faults[0].item, 3);
	assert_string_equal(c.faults[0].path, "runs[1]");
	assert_string_equal(c.faults[0].message, "is wrong");
	assert_int_equal(c.faults[99].item, 4);
	assert_true(strlen(c.faults[99].path) < 1000);
}

/* A text that is too long ends at a whole character: 399 bytes hold 199 of two bytes. */
static void a_cut_detail_is_still_utf8(void **state)
{
	auto_arena struct arena *a = arena_new();
	char text[801];
	struct ctx c;

	(void)state;
	for (size_t i = 0; i < 800; i += 2)
		memcpy(text + i, "ü", 2);
	text[800] = '\0';
	ctx_init(&c, a, NULL);
	fail(&c, E_INVALID, "%s", text);
	assert_int_equal(strlen(c.detail), 398);
	ctx_clear(&c);
	fail(&c, E_INVALID, "x%s", text);
	assert_true(strlen(c.detail) == 399 || strlen(c.detail) == 397);
	assert_memory_equal(c.detail, "xü", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_pairs),
		cmocka_unit_test(a_hostile_text_stays_in_its_quotes),
		cmocka_unit_test(a_long_line_is_cut_and_still_one_line),
		cmocka_unit_test(lower_levels_are_dropped),
		cmocka_unit_test(gathered_lines_come_in_order_and_none_is_lost),
		cmocka_unit_test(the_first_failure_wins),
		cmocka_unit_test(faults_are_collected_up_to_a_cap),
		cmocka_unit_test(a_cut_detail_is_still_utf8),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
