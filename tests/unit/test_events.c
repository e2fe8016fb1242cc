/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that the writer makes from what machines say of themselves, in whatever order uploads
 * come; machines that are told of; how long to wait for one; verdicts that are held back.
 */
#include "db/events.h"

#include "tests/unit/db_lab.h"

#include "db/machines.h"
#include "server/base/clock.h"
#include "server/base/out.h"
#include "server/model/silence.h"

#define HOUR 3600

/* A run on box that started so many hours after LAB_TIME and said this of itself. */
static void say(struct db_lab *l, const char *box, int hour, const char *info)
{
	char at[TIME_TEXT], json[600];

	clock_rfc3339(LAB_TIME + (int64_t)hour * HOUR, at);
	snprintf(
		json, sizeof(json),
		"{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"%s\"}, \"started\": \"%s\","
		" \"commit\": {\"id\": \"aaaaaaaaaaaa\"}, \"info\": {%s}, \"runs\": [{\"m\": %d}]}",
		box, at, info, hour);
	lab_store(l, json);
}

/* "3 microcode 1>2;": hour, key and values of each, oldest first. */
static const char *told(struct db_lab *l, const char *box)
{
	struct event *list;
	size_t n;
	char *text = arena_str(l->c.arena, "");

	assert_int_equal(event_range(&l->c, box, 0, INT64_MAX, 100, &list, &n), E_OK);
	for (size_t i = 0; i < n; i++)
		text = arena_fmt(l->c.arena, "%s%lld %s %s>%s;", text,
				 (long long)(list[i].at - LAB_TIME) / HOUR, list[i].key,
				 list[i].old_value, list[i].new_value);
	return text;
}

static void in_order(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 1, "\"microcode\": \"1\", \"load\": \"5\"");
	say(l, "a", 2, "\"microcode\": \"1\", \"load\": \"6\"");
	assert_string_equal(told(l, "a"), "");
	say(l, "a", 3, "\"microcode\": \"2\", \"bios\": \"x\"");
	say(l, "a", 4, "\"microcode\": \"2\", \"bios\": \"x\"");
	say(l, "a", 5, "\"load\": \"1\""); /* says nothing of it */
	say(l, "a", 6, "\"microcode\": \"1\", \"bios\": \"y\"");
	assert_string_equal(told(l, "a"), "3 microcode 1>2;6 bios x>y;6 microcode 2>1;");
	assert_string_equal(told(l, "b"), "");
}

/* One for each key and change, not one a series. */
static void one_for_all_series(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 1, "\"microcode\": \"1\"");
	for (int i = 0; i < 5; i++) {
		char json[400];

		snprintf(json, sizeof(json),
			 "{\"axes\": {\"testcase\": \"t%d\", \"tbox_group\": \"a\"}, \"started\":"
			 " \"2023-07-21\", \"commit\": {\"id\": \"aaaaaaaaaaaa\"},"
			 " \"info\": {\"microcode\": \"2\"}, \"runs\": [{\"m\": 1}]}",
			 i);
		lab_store(l, json);
	}
	assert_string_equal(told(l, "a"), "20 microcode 1>2;");
}

static void late_upload_moves_a_change(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 1, "\"microcode\": \"1\"");
	say(l, "a", 9, "\"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "9 microcode 1>2;");
	say(l, "a", 5, "\"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "5 microcode 1>2;");
	say(l, "a", 3, "\"microcode\": \"1\"");
	assert_string_equal(told(l, "a"), "5 microcode 1>2;");
	/* between them it was something else */
	say(l, "a", 4, "\"microcode\": \"3\"");
	assert_string_equal(told(l, "a"), "4 microcode 1>3;5 microcode 3>2;");
}

static void late_upload_before_all(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 5, "\"microcode\": \"2\"");
	say(l, "a", 4, "\"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "");
	say(l, "a", 1, "\"microcode\": \"1\"");
	assert_string_equal(told(l, "a"), "4 microcode 1>2;");
	say(l, "a", 0, "\"microcode\": \"0\"");
	assert_string_equal(told(l, "a"), "1 microcode 0>1;4 microcode 1>2;");
}

/* An upload that comes late and differs from what was said before and after it. */
static void late_upload_inside(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 1, "\"microcode\": \"1\"");
	say(l, "a", 9, "\"microcode\": \"1\"");
	say(l, "a", 5, "\"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "5 microcode 1>2;9 microcode 2>1;");
	say(l, "a", 6, "\"microcode\": \"2\"");
	say(l, "a", 10, "\"microcode\": \"1\"");
	say(l, "a", 3, "\"microcode\": \"1\"");
	assert_string_equal(told(l, "a"), "5 microcode 1>2;9 microcode 2>1;");
}

/* Hosts of one group are told apart. */
static void hosts(void **state)
{
	struct db_lab *l = *state;

	for (int i = 0; i < 6; i++)
		say(l, "a", i,
		    i % 2 ? "\"hostname\": \"a-1\", \"microcode\": \"1\""
			  : "\"hostname\": \"a-2\", \"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "");
	say(l, "a", 7, "\"hostname\": \"a-1\", \"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "7 microcode 1>2;");
}

static void command_line_of_another_kernel(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 1, "\"cmdline\": \"BOOT_IMAGE=/pkg/v1 root=/dev/ram0  quiet commit=aaa\"");
	say(l, "a", 2, "\"cmdline\": \"BOOT_IMAGE=/pkg/v2 root=/dev/ram0 quiet commit=bbb\"");
	assert_string_equal(told(l, "a"), "");
	say(l, "a", 3, "\"cmdline\": \"BOOT_IMAGE=/pkg/v2 root=/dev/ram0 nosmt\"");
	assert_string_equal(told(l, "a"), "3 cmdline root=/dev/ram0 quiet>root=/dev/ram0 nosmt;");
}

static void two_at_once(void **state)
{
	struct db_lab *l = *state;

	say(l, "a", 1, "\"microcode\": \"1\"");
	say(l, "a", 1, "\"microcode\": \"2\"");
	assert_string_equal(told(l, "a"), "");
}

/* Any order of the same uploads tells of the same values: there is a change where neighbours
 * differ. */
static void any_order(void **state)
{
	static const char *const values = "1112221133";
	struct db_lab *l = *state;

	for (int way = 0; way < 40; way++) {
		char box[16], info[40];

		snprintf(box, sizeof(box), "w%d", way);
		for (int i = 0; i < 10; i++) {
			/* 3 and 7 have no common factor with 10 */
			int hour = (i * (way % 2 ? 3 : 7) + way) % 10;

			snprintf(info, sizeof(info), "\"microcode\": \"%c\"", values[hour]);
			say(l, box, hour, info);
		}
		struct event *list;
		size_t n;
		assert_int_equal(event_range(&l->c, box, 0, INT64_MAX, 100, &list, &n), E_OK);
		for (size_t i = 0; i < n; i++) {
			int64_t hour = (list[i].at - LAB_TIME) / HOUR;

			assert_int_equal(list[i].new_value[0], values[hour]);
			assert_true(strcmp(list[i].old_value, list[i].new_value) != 0);
			if (i > 0)
				assert_string_equal(list[i].old_value, list[i - 1].new_value);
		}
		/* 1>2, 2>1, 1>3; what came late inside may be told a little apart */
		assert_true(n >= 3);
	}
}

/* --- machines --- */

static void machine_in_parts(void **state)
{
	struct db_lab *l = *state;
	struct machine m;
	bool is;

	say(l, "a", 0, "");
	lab_begin(l);
	struct machine_change k = {.state = "quarantined", .sets_every = true, .expect_every = 600};
	assert_int_equal(machine_write(&l->c, "a", &k, 0, "me", l->now), E_OK);
	k = (struct machine_change){.sets_description = true, .description = "A \"box\" <x>"};
	assert_int_equal(machine_write(&l->c, "a", &k, 0, "me", l->now + 1), E_OK);
	assert_int_equal(machine_write(&l->c, "told", &k, 0, "me", l->now + 1), E_OK);
	k = (struct machine_change){.state = "quarantined"};
	assert_int_equal(machine_write(&l->c, "a", &k, 0, "me", l->now + 2), E_OK);
	lab_commit(l);
	assert_int_equal(machine_get(&l->c, "a", &m), E_OK);
	assert_string_equal(m.state, "quarantined");
	assert_string_equal(m.description, "A \"box\" <x>");
	assert_int_equal(m.expect_every, 600);
	assert_int_equal(m.runs, 1);
	assert_int_equal(machine_is_quarantined(&l->c, "a", &is), E_OK);
	assert_true(is);
	/* told of before it sent anything */
	assert_int_equal(machine_get(&l->c, "told", &m), E_OK);
	assert_string_equal(m.state, "active");
	assert_int_equal(m.series, 0);
	assert_int_equal(machine_get(&l->c, "b", &m), E_NOTFOUND);
	struct machine *list;
	size_t n;
	assert_int_equal(machine_list(&l->c, &list, &n), E_OK);
	assert_int_equal(n, 2);
}

static void waits(void **state)
{
	struct db_lab *l = *state;
	/* gaps of 1, 2 and 9 days: the median is 2 */
	const int64_t d = 86400, uneven[] = {12 * d, 11 * d, 9 * d, 0}, close[] = {600, 300, 0};
	/* gaps 1 and 3 */
	const int64_t even[] = {4 * d, 3 * d, 0};

	assert_int_equal(silence_wait(l->c.arena, uneven, 4), 10 * d);
	assert_int_equal(silence_wait(l->c.arena, even, 3), 10 * d);
	assert_int_equal(silence_wait(l->c.arena, close, 3), 2 * d);
	assert_int_equal(silence_wait(l->c.arena, close, 1), 2 * d);
	assert_int_equal(silence_wait(l->c.arena, close, 0), 2 * d);
}

static void silent_machines(void **state)
{
	struct db_lab *l = *state;
	struct machine m = {.name = "a",
			    .state = "active",
			    .last_upload = 1000,
			    .expect_every = 3600,
			    .changed = 5};
	struct silence s;

	assert_int_equal(silence_of(&l->c, &m, 4600, &s), E_OK);
	assert_false(s.silent);
	assert_int_equal(s.expected_by, 4600);
	assert_int_equal(silence_of(&l->c, &m, 4601, &s), E_OK);
	assert_true(s.silent);
	m.state = "retired";
	assert_int_equal(silence_of(&l->c, &m, 4601, &s), E_OK);
	assert_false(s.silent);
	m.state = "quarantined";
	assert_int_equal(silence_of(&l->c, &m, 4601, &s), E_OK);
	assert_false(s.silent);
	/* never sent, but expected since it was told of */
	m = (struct machine){.name = "n",
			     .state = "active",
			     .last_upload = TIME_NONE,
			     .expect_every = 60,
			     .changed = 100};
	assert_int_equal(silence_of(&l->c, &m, 161, &s), E_OK);
	assert_true(s.silent);
	m.expect_every = -1;
	assert_int_equal(silence_of(&l->c, &m, 161, &s), E_OK);
	assert_false(s.silent);

	/* nobody said how often: every minute here, so two days after the last */
	say(l, "q", 0, "");
	say(l, "q", 1, "");
	assert_int_equal(machine_get(&l->c, "q", &m), E_OK);
	assert_int_equal(m.last_upload, LAB_TIME + 60);
	assert_int_equal(silence_of(&l->c, &m, LAB_TIME + 60 + 2 * 86400, &s), E_OK);
	assert_false(s.silent);
	assert_int_equal(silence_of(&l->c, &m, LAB_TIME + 61 + 2 * 86400, &s), E_OK);
	assert_true(s.silent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(in_order),
		LAB_TEST(one_for_all_series),
		LAB_TEST(late_upload_moves_a_change),
		LAB_TEST(late_upload_before_all),
		LAB_TEST(late_upload_inside),
		LAB_TEST(hosts),
		LAB_TEST(command_line_of_another_kernel),
		LAB_TEST(two_at_once),
		LAB_TEST(any_order),
		LAB_TEST(machine_in_parts),
		LAB_TEST(waits),
		LAB_TEST(silent_machines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
