/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arena: alignment, zeroes, growth over many blocks, reset, texts. */
#include "server/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
	auto_arena struct arena *a = arena_new();
	unsigned char *piece[500];

	(void)state;
	for (size_t i = 0; i < 500; i++) {
		piece[i] = arena_alloc(a, i);
		assert_int_equal((uintptr_t)piece[i] % 16, 0);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(piece[i][k], 0);
		memset(piece[i], (int)(i & 0xff), i);
	}
	for (size_t i = 0; i < 500; i++) {
		for (size_t k = 0; k < i; k++)
			assert_int_equal(piece[i][k], i & 0xff);
	}
	assert_int_equal(arena_used(a), 499 * 500 / 2);
}

static void large_pieces_leave_the_small_ones_in_place(void **state)
{
	auto_arena struct arena *a = arena_new();
	char *before = arena_alloc(a, 16);
	char *large = arena_alloc(a, (size_t)5 << 20);
	char *after = arena_alloc(a, 16);

	(void)state;
	memset(large, 'x', (size_t)5 << 20);
	/* The half-used block is still the one in use. */
	assert_true(after > before && after - before <= 64);
}

static void reset_forgets_and_zeroes_again(void **state)
{
	auto_arena struct arena *a = arena_new();
	char *first = arena_alloc(a, 100);

	(void)state;
	memset(first, 'x', 100);
	for (int i = 0; i < 100; i++)
		arena_alloc(a, 50000);
	arena_reset(a);
	assert_int_equal(arena_used(a), 0);
	assert_ptr_equal(arena_alloc(a, 100), first);
	for (int i = 0; i < 100; i++)
		assert_int_equal(first[i], 0);
}

static void arrays_grow_by_doubling_and_keep_their_content(void **state)
{
	auto_arena struct arena *a = arena_new();
	size_t cap = 0;
	int moves = 0;
	int *v = NULL;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		int *grown = arena_grow(a, v, &cap, (size_t)i + 1, sizeof(*v));

		moves += grown != v;
		v = grown;
		assert_int_equal(v[i], 0);
		v[i] = i;
	}
	for (int i = 0; i < 10000; i++)
		assert_int_equal(v[i], i);
	assert_true(cap >= 10000 && moves <= 12);
}

static void texts_are_copied_whole(void **state)
{
	auto_arena struct arena *a = arena_new();
	char million[1000001];
	char *copy;

	(void)state;
	memset(million, 'm', 1000000);
	million[1000000] = '\0';
	assert_null(arena_str(a, NULL));
	assert_string_equal(arena_str(a, ""), "");
	assert_string_equal(arena_strn(a, "abcdef", 3), "abc");
	assert_memory_equal(arena_copy(a, "a\0b", 3), "a\0b", 3);
	assert_string_equal(arena_fmt(a, "%d-%s", 7, "x"), "7-x");
	copy = arena_fmt(a, "<%s>", million);
	assert_int_equal(strlen(copy), 1000002);
	assert_int_equal(copy[1000001], '>');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
		cmocka_unit_test(large_pieces_leave_the_small_ones_in_place),
		cmocka_unit_test(reset_forgets_and_zeroes_again),
		cmocka_unit_test(arrays_grow_by_doubling_and_keep_their_content),
		cmocka_unit_test(texts_are_copied_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
