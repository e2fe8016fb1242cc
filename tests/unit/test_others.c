/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several machines say together, and which series are machines of one test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "server/base/arena.h"
#include "server/model/others.h"

#include <cmocka.h>

static const struct metric rate = {.name = "t.rate"};
static const struct metric fails = {.name = "dmesg.oops", .facts.kind = KIND_FUNCTIONAL};

static struct cell cell(enum verdict v, double change)
{
	return (struct cell){.present = true,
			     .judged = v != VERDICT_NO_DATA,
			     .mean = 100 + change,
			     .change_abs = change,
			     .reproduction_pct = change,
			     .verdict = v};
}

static const struct cell base = {.present = true, .mean = 100};

/* Joins one's own cell with others, each "machine verdict change". */
struct told {
	const char *machine;
	enum verdict v;
	double change;
};
static struct others join(const struct metric *m, struct told own, const struct told *all, size_t n)
{
	static struct cell cells[OTHERS_MAX];
	static struct series series[OTHERS_MAX];
	static struct other list[OTHERS_MAX];
	struct others o = {.list = list, .n = n};
	struct cell c = cell(own.v, own.change);

	for (size_t i = 0; i < n; i++) {
		cells[i] = cell(all[i].v, all[i].change);
		series[i] = (struct series){.tbox_group = all[i].machine};
		list[i] = (struct other){.series = &series[i], .base = &base, .now = &cells[i]};
	}
	others_join(&o, m, &base, &c);
	return o;
}
#define JOIN(m, own, ...)                                                                          \
	join(m, (struct told)own, (const struct told[]){__VA_ARGS__},                              \
	     sizeof((const struct told[]){__VA_ARGS__}) / sizeof(struct told))
#define OWN(v, change)                                                                             \
	{                                                                                          \
		"own", VERDICT_##v, change                                                         \
	}

static void together(void **state)
{
	struct others o;
	struct arena *a = arena_new();

	(void)state;
	o = JOIN(&rate, OWN(REGRESSION, -10), {"a", VERDICT_REGRESSION, -5},
		 {"b", VERDICT_SAME, -1});
	assert_int_equal(o.joint, JOINT_CONFIRMED);
	assert_string_equal(others_words(a, &o), "confirmed on 1 of 2 other machines");
	o = JOIN(&rate, OWN(REGRESSION, -10), {"a", VERDICT_IMPROVEMENT, 5});
	assert_int_equal(o.joint, JOINT_CONTRADICTED);
	assert_string_equal(others_words(a, &o), "the other way on 1 of 1 other machine");
	o = JOIN(&rate, OWN(REGRESSION, -10), {"a", VERDICT_SUSPECT, -9}, {"b", VERDICT_SAME, 0});
	assert_int_equal(o.joint, JOINT_ONLY_HERE);
	assert_string_equal(others_words(a, &o), "only here, but suspect on 1 of 2 other machines");
	o = JOIN(&rate, OWN(REGRESSION, -10), {"a", VERDICT_SUSPECT, 9}, {"b", VERDICT_SAME, 0});
	assert_int_equal(o.joint, JOINT_ONLY_HERE);
	assert_string_equal(others_words(a, &o), "only here, not on 2 other machines");
	/* One that agrees outweighs one that does not, and a machine counts once. */
	o = JOIN(&rate, OWN(CHANGED, 10), {"a", VERDICT_CHANGED, -5}, {"b", VERDICT_CHANGED, 5},
		 {"b", VERDICT_CHANGED, 7}, {"b", VERDICT_SAME, 0});
	assert_int_equal(o.joint, JOINT_CONFIRMED);
	assert_int_equal(o.measured, 2);
	assert_int_equal(o.confirmed, 1);
	assert_int_equal(o.contradicted, 1);
	/* A suspect asks others, too; what did not change has nothing to confirm. */
	o = JOIN(&rate, OWN(SUSPECT, -10), {"a", VERDICT_REGRESSION, -5});
	assert_int_equal(o.joint, JOINT_CONFIRMED);
	o = JOIN(&rate, OWN(SAME, -1), {"a", VERDICT_REGRESSION, -5});
	assert_int_equal(o.joint, JOINT_NONE);
	assert_null(others_words(a, &o));
	o = JOIN(&fails, OWN(REGRESSION, 50), {"a", VERDICT_REGRESSION, 100});
	assert_int_equal(o.joint, JOINT_CONFIRMED);
	/* No run ended well: only the same elsewhere confirms it. */
	o = JOIN(&rate, OWN(FAILED, NAN), {"a", VERDICT_FAILED, NAN},
		 {"b", VERDICT_REGRESSION, -5});
	assert_int_equal(o.confirmed, 1);
	arena_free(a);
}

static void not_measured(void **state)
{
	struct arena *a = arena_new();
	struct series one = {.tbox_group = "a"};
	struct other absent = {.series = &one};
	struct others o = {.list = &absent, .n = 1};
	struct cell own = cell(VERDICT_REGRESSION, -10), none = cell(VERDICT_NO_DATA, NAN);

	(void)state;
	others_join(&o, &rate, &base, &own);
	assert_int_equal(o.joint, JOINT_NOT_MEASURED);
	assert_string_equal(others_words(a, &o), "not measured on other machines");
	absent.base = &base;
	absent.now = &none;
	others_join(&o, &rate, &base, &own);
	assert_int_equal(o.joint, JOINT_NOT_MEASURED);
	o.more = true;
	assert_string_equal(others_words(a, &o), "other machines were not looked at");
	arena_free(a);
}

/* What came printed counts as what it says, and is marked when nothing else confirms. */
static void printed(void **state)
{
	struct summary_cell s = {.printed = PRINTED_PCT, .printed_change = -5};
	struct cell own = cell(VERDICT_REGRESSION, -10), there = cell(VERDICT_REGRESSION, 5);
	struct cell below = {.present = true, .mean = -100};
	struct series one = {.tbox_group = "a"}, two = {.tbox_group = "b"};
	struct cell judged = cell(VERDICT_REGRESSION, -3);
	struct other list[] = {{.series = &one, .base = &base, .now = &there},
			       {.series = &two, .base = &base, .now = &judged}};
	struct others o = {.list = list, .n = 1};
	struct arena *a = arena_new();

	(void)state;
	there.reported = there.show_printed = true;
	there.summary = &s;
	assert_int_equal(cell_way(&rate, &base, &there), -1); /* as printed, not as computed */
	assert_int_equal(cell_way(&rate, &below, &there), 1); /* less of a negative value */
	others_join(&o, &rate, &base, &own);
	assert_string_equal(others_words(a, &o), "confirmed on 1 of 1 other machine, as reported");
	o.n = 2;
	others_join(&o, &rate, &base, &own);
	assert_string_equal(others_words(a, &o), "confirmed on 2 of 2 other machines");
	arena_free(a);
}

static void peers(void **state)
{
	const struct pair a[] = {{"mode", "x"}, {"tbox_group", "a"}, {"testcase", "t"}};
	const struct pair b[] = {
		{"mode", "x"}, {"tbox_group", "b"}, {"testcase", "t"}, {"ucode", "1"}};
	const struct pair c[] = {{"mode", "y"}, {"tbox_group", "b"}, {"testcase", "t"}};
	const struct pair d[] = {
		{"kconfig", "k"}, {"mode", "x"}, {"tbox_group", "b"}, {"testcase", "t"}};
	const struct series sa = {.axes = a, .naxes = 3, .tbox_group = "a"};
	const struct series sb = {.axes = b, .naxes = 4, .tbox_group = "b"};
	const struct series sc = {.axes = c, .naxes = 3, .tbox_group = "b"};
	const struct series sd = {.axes = d, .naxes = 4, .tbox_group = "b"};

	(void)state;
	assert_true(series_is_peer(&sa, &sb) && series_is_peer(&sb, &sa));
	assert_false(series_is_peer(&sa, &sc));                             /* another test */
	assert_false(series_is_peer(&sa, &sd) || series_is_peer(&sd, &sa)); /* another build */
	assert_false(series_is_peer(&sa, &sa));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(together),
		cmocka_unit_test(not_measured),
		cmocka_unit_test(printed),
		cmocka_unit_test(peers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("others", tests, NULL, NULL);
}
