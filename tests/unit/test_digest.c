/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digests against figures from another implementation of BLAKE2b (Python's hashlib). */
#include "server/base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *hex_of(struct digest d)
{
	static char hex[DIGEST_HEX + 1];

	digest_hex(&d, hex);
	return hex;
}

static void known_digests(void **state)
{
	struct digest_state d;

	(void)state;
	digest_init(&d);
	assert_string_equal(hex_of(digest_end(&d)), "cae66941d9efbd404e4d88758ea67670");
	digest_init(&d);
	digest_add(&d, "a", 1);
	digest_add(&d, NULL, 0);
	digest_add(&d, "bc", 2);
	assert_string_equal(hex_of(digest_end(&d)), "cf4ab791c62b8d2b2109c90275287816");
	digest_init(&d);
	digest_add_str(&d, "ipc");
	digest_add_str(&d, "socket");
	assert_string_equal(hex_of(digest_end(&d)), "49504caf683dc40c39d390276ecafcc3");
}

static struct digest digest_of(const char *a, const char *b)
{
	struct digest_state d;

	digest_init(&d);
	digest_add_str(&d, a);
	digest_add_str(&d, b);
	return digest_end(&d);
}

static void neighbours_do_not_run_together(void **state)
{
	struct digest one = digest_of("ab", "c"), other = digest_of("a", "bc");
	struct digest none = digest_of("ab", NULL), empty = digest_of("ab", "");

	(void)state;
	assert_false(digest_equal(&one, &other));
	assert_true(digest_equal(&one, &one));
	assert_true(digest_equal(&none, &empty));
}

/* Names that differ in one character, in 4096 drawers: the fullest of an even spread of 100,000
 * holds about 24 + 5 * sqrt(24) = 49. */
static void the_hash_spreads_similar_names(void **state)
{
	static int low[4096], high[4096];
	char name[64];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int n = snprintf(name, sizeof(name), "perf-profile.calltrace.%d.cycles", i);
		uint64_t h = hash_bytes(name, (size_t)n);

		low[h & 4095]++;
		high[h >> 52]++;
	}
	for (int i = 0; i < 4096; i++)
		assert_true(low[i] < 60 && high[i] < 60);
}

static void every_byte_and_the_length_count(void **state)
{
	char bytes[100] = {0};

	(void)state;
	for (size_t n = 0; n < sizeof(bytes); n++) {
		uint64_t h = hash_bytes(bytes, n);

		assert_true(h != hash_bytes(bytes, n + 1 < sizeof(bytes) ? n + 1 : 0));
		for (size_t i = 0; i < n; i++) {
			bytes[i] = 1;
			assert_true(h != hash_bytes(bytes, n));
			bytes[i] = 0;
		}
		assert_true(h == hash_bytes(bytes, n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_digests),
		cmocka_unit_test(neighbours_do_not_run_together),
		cmocka_unit_test(the_hash_spreads_similar_names),
		cmocka_unit_test(every_byte_and_the_length_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
