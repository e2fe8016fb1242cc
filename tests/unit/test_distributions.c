/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packed form of a distribution: its bytes, and that nothing but such bytes is taken. */
#include "db/distributions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include "server/base/arena.h"

#include <cmocka.h> /* last: its macro fail() would hide ours */

/* Written by hand from the description in distributions.h. 1.0 is 3ff0…, 2.5 is 4004…, -0.0 8000…:
 * little-endian. */
static const uint8_t bytes[] = {
	1,                                                             /* version */
	1 | 8 | 16,                                                    /* mean, max, n */
	0,          0,   0,    0,    0,   0,   0x04, 0x40,             /* mean 2.5 */
	0,          0,   0,    0,    0,   0,   0,    0x80,             /* max -0.0 */
	0x2c,       1,   0,    0,    0,   0,   0,    0,                /* n 300 */
	2,          0,                                                 /* percentiles */
	1,          '5', 0,    0,    0,   0,   0,    0,    0xf0, 0x3f, /* 5: 1 */
	5,          '9', '9',  '.',  '0', '0', 0,    0,    0,    0,
	0,          0,   0x04, 0x40,                       /* 99.00: 2.5 */
	1,          0,   0,    0,                          /* buckets */
	0,          0,   0,    0,    0,   0,   0x04, 0x40, /* up to 2.5 */
	7,          0,   0,    0,    0,   0,   0,    0,    /* 7 */
};

static const struct percentile_in percentiles[] = {{"5", 1.0}, {"99.00", 2.5}};
static const struct bucket_in buckets[] = {{2.5, 7}};
static const struct distribution_in whole = {
	.mean = 2.5,
	.stddev = NAN,
	.min = NAN,
	.max = -0.0,
	.n = 300,
	.percentiles = percentiles,
	.npercentiles = 2,
	.buckets = buckets,
	.nbuckets = 1,
};

static void packs(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, 1 << 16);
	distribution_pack(&whole, &o);
	assert_int_equal(o.len, sizeof(bytes));
	assert_memory_equal(o.p, bytes, sizeof(bytes));
	out_free(&o);
}

static void unpacks(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct distribution_in d;
	struct ctx c;

	(void)state;
	ctx_init(&c, a, NULL);
	assert_int_equal(distribution_unpack(&c, bytes, sizeof(bytes), &d), E_OK);
	assert_true(d.mean == 2.5 && isnan(d.stddev) && isnan(d.min));
	assert_true(d.max == 0 && signbit(d.max));
	assert_int_equal(d.n, 300);
	assert_int_equal(d.npercentiles, 2);
	assert_string_equal(d.percentiles[1].name, "99.00");
	assert_true(d.percentiles[1].value == 2.5);
	assert_int_equal(d.nbuckets, 1);
	assert_true(d.buckets[0].le == 2.5);
	assert_int_equal(d.buckets[0].count, 7);
}

static int unpack(const uint8_t *p, size_t n)
{
	auto_arena struct arena *a = arena_new();
	uint8_t *exact = arena_alloc(a, n); /* so that a read past the end is seen */
	struct distribution_in d;
	struct ctx c;

	ctx_init(&c, a, NULL);
	if (n)
		memcpy(exact, p, n);
	return distribution_unpack(&c, exact, n, &d);
}

static void refuses_damage(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} wrong[] = {
		{0, 2},              /* version */
		{1, 32},             /* an unknown flag */
		{9, 0x7f},           /* with the byte before: no number */
		{25, 0x80},          /* n below 0 */
		{26, 3},             /* more percentiles than there are */
		{27, 0xff},          /* far more */
		{28, 17},            /* a name that is too long */
		{29, 'x'},           /* no decimal */
		{29, '-'},  {52, 2}, /* more buckets than there are */
		{55, 0xff},          /* far more */
		{71, 0x80},          /* a count below 0 */
	};
	uint8_t copy[sizeof(bytes)];

	(void)state;
	for (size_t n = 0; n < sizeof(bytes); n++)
		assert_int_equal(unpack(bytes, n), E_INTERNAL);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(copy, bytes, sizeof(copy));
		copy[wrong[i].at] = wrong[i].value;
		if (wrong[i].at == 9)
			copy[8] = 0xf0;
		if (unpack(copy, sizeof(copy)) != E_INTERNAL)
			fail_msg("byte %zu", wrong[i].at);
	}
}

static void percentile_names(void **state)
{
	static const char *const good[] = {"0",   "100", "99.00", "99.999900",
					   "0.1", "007", "100.00"};
	static const char *const bad[] = {"",   ".",   "5.",  ".5",  "-1",
					  "+1", "1e1", "101", "nan", "100.1",
					  " 1", "1 ",  "0x1", "1,5", "50.000000000000001"};
	double v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!percentile_parse(good[i], &v))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (percentile_parse(bad[i], &v))
			fail_msg("%s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packs),
		cmocka_unit_test(unpacks),
		cmocka_unit_test(refuses_damage),
		cmocka_unit_test(percentile_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("distributions", tests, NULL, NULL);
}
