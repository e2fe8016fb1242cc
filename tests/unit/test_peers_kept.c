/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of judged peers: by its whole key, not for ever, not more than there is room for. */
#include "server/model/peers_kept.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include "server/base/arena.h"

#include <cmocka.h>

static struct peer_key key_of(uint64_t database, int64_t generation, unsigned n)
{
	struct peer_key key = {.database = database, .generation = generation};

	memcpy(key.what.b, &n, sizeof(n));
	return key;
}

/* A peer of so many rows in two columns; each row's words are of the given length. */
static struct compare_peer make_peer(struct arena *a, const char *machine, size_t nrows,
				     size_t words)
{
	static const struct metric m = {.id = 7, .name = "work.throughput"};
	struct pair axis = {"tbox_group", machine};
	struct compare_peer p = {.nrows = nrows, .ncols = 2};
	char *reason = arena_alloc(a, words + 1);

	memset(reason, 'r', words);
	p.series.axes = arena_copy(a, &axis, sizeof(axis));
	p.series.naxes = 1;
	p.series.testcase = "work";
	p.series.tbox_group = machine;
	p.rows = arena_array(a, struct peer_row, nrows);
	for (size_t i = 0; i < nrows; i++) {
		struct cell *cells = arena_array(a, struct cell, 2);

		cells[1] = (struct cell){.mean = 80, .verdict = VERDICT_REGRESSION};
		cells[1].reason = reason;
		p.rows[i].metric = &m;
		p.rows[i].unit = "KB/s";
		p.rows[i].cells = arena_array(a, const struct cell *, 2);
		p.rows[i].cells[0] = &cells[0];
		p.rows[i].cells[1] = &cells[1];
	}
	return p;
}

static bool is_kept(uint64_t database, int64_t generation, unsigned n)
{
	struct peer_key key = key_of(database, generation, n);
	struct kept_peer *held;
	bool is = peers_kept_take(&key, &held) != NULL;

	peers_kept_release(held);
	return is;
}

static void add(uint64_t database, int64_t generation, unsigned n, size_t words)
{
	struct arena *a = arena_new();
	struct compare_peer p = make_peer(a, "box", 1, words);
	struct peer_key key = key_of(database, generation, n);

	peers_kept_add(&key, &p);
	arena_free(a);
}

static void test_whole(void **state)
{
	struct arena *a = arena_new();
	struct compare_peer p = make_peer(a, "box-a", 3, 10);
	struct peer_key key = key_of(1, 5, 1);
	const struct compare_peer *kept;
	struct kept_peer *held;

	(void)state;
	p.quarantined = "box-a";
	peers_kept_add(&key, &p);
	arena_free(a); /* nothing of it may lie there */
	kept = peers_kept_take(&key, &held);
	assert_non_null(kept);
	assert_string_equal(kept->series.tbox_group, "box-a");
	assert_string_equal(kept->series.axes[0].value, "box-a");
	assert_string_equal(kept->quarantined, "box-a");
	assert_int_equal(kept->nrows, 3);
	assert_string_equal(kept->rows[2].unit, "KB/s");
	assert_string_equal(kept->rows[2].cells[1]->reason, "rrrrrrrrrr");
	assert_int_equal(kept->rows[2].cells[1]->verdict, VERDICT_REGRESSION);
	assert_false(is_kept(2, 5, 1));
	assert_false(is_kept(1, 4, 1));
	assert_false(is_kept(1, 5, 2));
	/* a later state sends it away, but not from who has it */
	add(2, 6, 1, 10);
	assert_true(is_kept(1, 5, 1));
	add(1, 6, 1, 10);
	assert_false(is_kept(1, 5, 1));
	assert_string_equal(kept->rows[0].cells[1]->reason, "rrrrrrrrrr");
	peers_kept_release(held);
	peers_kept_release(NULL);
}

/* With a MiB of words each counts for at least two: eight fit into 16 MiB, nine do not. */
static void test_bounded(void **state)
{
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		add(3, 1, i, 1 << 20);
		assert_true(is_kept(3, 1, i));
		assert_true(i == 0 || is_kept(3, 1, 0)); /* used again and again, it stays */
	}
	for (unsigned i = 0; i < 20; i++)
		n += is_kept(3, 1, i);
	assert_in_range(n, 2, 8);
	assert_true(is_kept(3, 1, 19));
	assert_false(is_kept(3, 1, 1));
	add(3, 1, 100, (4 << 20) + 1); /* one that is too large takes the place of none */
	assert_false(is_kept(3, 1, 100));
	assert_true(is_kept(3, 1, 19));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("peers_kept", tests, NULL, NULL);
}
