/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which commits count as measured before a base where git knows none of them: never one that is
 * known, or likely, to be younger. Labs of a commit a letter; each upload is a minute after the one
 * before.
 */
#include "tests/unit/db_lab.h"

#include "db/commits.h"
#include "server/history/ancestors.h"

#include <cmocka.h>

static const char *id_of(struct db_lab *l, char k)
{
	return arena_fmt(l->c.arena, "%039d%c", 0, k);
}

/* Uploads a run of commit k; date: a day of January 2020, 0: not told; parent 0: not told. */
static void put(struct db_lab *l, char k, int day, char parent)
{
	struct arena *a = l->c.arena;

	lab_store(
		l,
		arena_fmt(a,
			  "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\"}, "
			  "\"commit\": {\"id\": \"%s\"%s%s}, \"runs\": [{\"t.x\": 1}]}",
			  id_of(l, k),
			  day ? arena_fmt(a, ", \"date\": \"2020-01-%02dT00:00:00Z\"", day) : "",
			  parent ? arena_fmt(a, ", \"parents\": [\"%s\"]", id_of(l, parent)) : ""));
}

static int64_t row_of(struct db_lab *l, char k)
{
	struct commit x;

	assert_int_equal(commit_resolve(&l->c, id_of(l, k), &x, NULL), E_OK);
	return x.id;
}

/* The letters of what is before k, the nearest last. */
static void assert_before(struct db_lab *l, char k, const char *want)
{
	char got[16] = "";
	int64_t ids[8];
	size_t n;

	assert_int_equal(measured_before(&l->c, 1, row_of(l, k), 8, ids, &n), E_OK);
	for (size_t i = 0; i < n; i++)
		for (const char *x = "abcdef"; *x; x++) {
			struct commit found;

			if (commit_resolve(&l->c, id_of(l, *x), &found, NULL) == E_OK &&
			    found.id == ids[i])
				got[strlen(got)] = *x;
			ctx_clear(&l->c);
		}
	assert_string_equal(got, want);
}

/* The uploaded parents are all there is to know. */
static void undated_newest_first(void **state)
{
	struct db_lab *l = *state;

	for (char k = 'f'; k > 'a'; k--)
		put(l, k, 0, (char)(k - 1));
	put(l, 'a', 0, 0);
	assert_before(l, 'd', "abc");
	assert_before(l, 'b', "a");
	assert_before(l, 'a', "");
	assert_before(l, 'f', "abcde");
}

/* Nothing contradicts the order of the uploads, so it is believed. */
static void undated_oldest_first(void **state)
{
	struct db_lab *l = *state;

	for (char k = 'a'; k <= 'f'; k++)
		put(l, k, 0, 0);
	assert_before(l, 'd', "abc");
	assert_before(l, 'a', "");
}

/* b is told to be c's parent, and came later: then a may have come in any order, too. */
static void contradicted(void **state)
{
	struct db_lab *l = *state;

	put(l, 'a', 0, 0);
	put(l, 'c', 0, 'b');
	put(l, 'b', 0, 0);
	assert_before(l, 'b', "");
	assert_before(l, 'c', "b");
}

/* A date says nothing of a base that has none: it may be older still. */
static void dated_against_undated(void **state)
{
	struct db_lab *l = *state;

	put(l, 'a', 1, 0);
	put(l, 'b', 0, 0);
	put(l, 'c', 0, 0);
	assert_before(l, 'c', "b");
	assert_before(l, 'b', "");
}

/* What was measured before the base was made is older, whatever is known of it; later it may be
 * anything. The uploads of the lab begin in July 2023. */
static void undated_against_dated(void **state)
{
	struct db_lab *l = *state;
	struct arena *a = l->c.arena;

	put(l, 'a', 0, 0);
	put(l, 'b', 2, 0);
	assert_before(l, 'b', "");
	lab_store(l, arena_fmt(a,
			       "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\"}, "
			       "\"commit\": {\"id\": \"%s\", \"date\": \"2024-01-01\"}, "
			       "\"runs\": [{\"t.x\": 1}]}",
			       id_of(l, 'c')));
	assert_before(l, 'c', "ba");
}

/* Clocks lie: a child that is dated before its parent is not older. */
static void children_are_younger(void **state)
{
	struct db_lab *l = *state;

	put(l, 'a', 1, 0);
	put(l, 'b', 5, 0);
	put(l, 'c', 3, 'b');
	put(l, 'd', 2, 'c');
	assert_before(l, 'b', "a");
	assert_before(l, 'c', "ab");
}

/* The line goes on by dates where uploaded parents end, before the last of them. */
static void goes_on_by_dates(void **state)
{
	struct db_lab *l = *state;

	put(l, 'a', 1, 0);
	put(l, 'b', 3, 0);
	put(l, 'c', 6, 0);
	put(l, 'd', 4, 0);
	put(l, 'e', 8, 'd');
	assert_before(l, 'e', "abd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(undated_newest_first),  LAB_TEST(undated_oldest_first),
		LAB_TEST(contradicted),          LAB_TEST(dated_against_undated),
		LAB_TEST(undated_against_dated), LAB_TEST(children_are_younger),
		LAB_TEST(goes_on_by_dates),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("before", tests, NULL, NULL);
}
