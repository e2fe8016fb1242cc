/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packed forms, against bytes written down by hand, and against every way of damaging them. */
#include "db/samples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#include <cmocka.h> /* last: it has a macro called fail */

/* 1.5 is 3ff8000000000000, -0.0 is 8000000000000000. */
static const unsigned char two_values[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x80};

static void test_samples(void **state)
{
	auto_arena struct arena *a = arena_new();
	auto_out struct out o;
	const double values[] = {1.5, -0.0};
	_Alignas(8) char shifted[17];

	(void)state;
	out_init(&o, 1000);
	samples_pack(values, 2, &o);
	assert_int_equal(o.len, 16);
	assert_memory_equal(o.p, two_values, 16);
	memcpy(shifted + 1, two_values, 16); /* blobs come at any address */
	const double *back = samples_unpack(a, shifted + 1, 16, 2);
	assert_non_null(back);
	assert_int_equal((uintptr_t)back % 8, 0);
	assert_true(back[0] == 1.5);
	assert_true(back[1] == 0 && signbit(back[1]));
	memcpy(shifted, two_values, 16);
	assert_ptr_equal(samples_unpack(a, shifted, 16, 2), shifted); /* borrowed */
	assert_null(samples_unpack(a, shifted, 16, 3));
	assert_null(samples_unpack(a, shifted, 15, 1));
	assert_null(samples_unpack(a, shifted, 8, SIZE_MAX / 8 + 2)); /* a product that overflows */
	assert_non_null(samples_unpack(a, "", 0, 0));
}

static void test_layout(void **state)
{
	static const unsigned char bytes[] = {1, 0, 0, 0, 0x2c, 1, 0, 0, 0xff, 0xff, 0xff, 0xff};
	static const unsigned char twice[] = {1, 0, 0, 0, 1, 0, 0, 0};
	auto_arena struct arena *a = arena_new();
	auto_out struct out o;
	const uint32_t ids[] = {1, 300, UINT32_MAX};
	size_t n = 99;

	(void)state;
	out_init(&o, 1000);
	layout_pack(ids, 3, &o);
	assert_int_equal(o.len, 12);
	assert_memory_equal(o.p, bytes, 12);
	const uint32_t *back = layout_unpack(a, bytes, 12, &n);
	assert_non_null(back);
	assert_int_equal(n, 3);
	assert_memory_equal(back, ids, sizeof ids);
	assert_null(layout_unpack(a, bytes, 11, &n));
	assert_null(layout_unpack(a, twice, 8, &n));

	struct layout l = {.n = 3, .metric_ids = ids};
	assert_int_equal(layout_find(&l, 1), 0);
	assert_int_equal(layout_find(&l, 300), 1);
	assert_int_equal(layout_find(&l, UINT32_MAX), 2);
	assert_int_equal(layout_find(&l, 0), -1);
	assert_int_equal(layout_find(&l, 299), -1);
	l.n = 0;
	assert_int_equal(layout_find(&l, 1), -1);
}

/* Nothing but a mean of 1.5, and a functional cell with 3 fails of 6 runs. */
static const unsigned char two_cells[] = {
	1, 2, 0,   0,   0,                      /* version, count */
	7, 0, 0,   0,   0x01, 0,    0,          /* metric 7: a mean */
	0, 0, 0,   0,   0,    0,    0xf8, 0x3f, /* 1.5 */
	8, 0, 0,   0,   0xa0, 0x03, 4, /* metric 8: change, fails, runs, base; reproduction */
	0, 0, 0,   0,   0,    0,    0x49, 0x40,                         /* 50.0 */
	3, 0, 0,   0,   0,    0,    0,    0,    6, 0, 0, 0, 0, 0, 0, 0, /* 3, 6 */
	2, 0, 'v', '6',
};

static void two_cells_in(struct stored_cell k[2])
{
	for (int i = 0; i < 2; i++)
		k[i] = (struct stored_cell){.metric_id = 7 + (uint32_t)i,
					    .mean = NAN,
					    .stddev = NAN,
					    .stddev_pct = NAN,
					    .min = NAN,
					    .max = NAN,
					    .n = -1,
					    .fails = -1,
					    .runs = -1,
					    .printed_change = NAN};
	k[0].mean = 1.5;
	k[1].fails = 3;
	k[1].runs = 6;
	k[1].printed = PRINTED_REPRODUCTION;
	k[1].printed_change = 50;
	k[1].printed_base = "v6";
}

static void test_summary_bytes(void **state)
{
	auto_arena struct arena *a = arena_new();
	auto_out struct out o;
	struct stored_cell in[2], *back;
	struct ctx c;
	size_t n;

	(void)state;
	ctx_init(&c, a, NULL);
	out_init(&o, 1000);
	two_cells_in(in);
	summary_pack(in, 2, &o);
	assert_int_equal(o.len, sizeof two_cells);
	assert_memory_equal(o.p, two_cells, sizeof two_cells);
	assert_int_equal(summary_unpack(&c, two_cells, sizeof two_cells, &back, &n), E_OK);
	assert_int_equal(n, 2);
	assert_true(back[0].mean == 1.5 && isnan(back[0].stddev) && isnan(back[0].printed_change));
	assert_int_equal(back[0].n, -1);
	assert_null(back[0].printed_base);
	assert_int_equal(back[0].printed, PRINTED_NO);
	assert_int_equal(back[1].metric_id, 8);
	assert_int_equal(back[1].fails, 3);
	assert_int_equal(back[1].runs, 6);
	assert_int_equal(back[1].printed, PRINTED_REPRODUCTION);
	assert_true(isnan(back[1].mean) && back[1].printed_change == 50);
	assert_string_equal(back[1].printed_base, "v6");
}

static void test_summary_keeps_every_figure(void **state)
{
	auto_arena struct arena *a = arena_new();
	auto_out struct out o;
	struct stored_cell *back;
	struct ctx c;
	size_t n;
	const struct stored_cell in = {.metric_id = UINT32_MAX,
				       .mean = -0.0,
				       .stddev = 5e-324,
				       .stddev_pct = 0,
				       .min = -1.7976931348623157e308,
				       .max = 2,
				       .n = 0,
				       .fails = INT64_MAX,
				       .runs = 1,
				       .printed = PRINTED_ABS,
				       .printed_base = "",
				       .printed_change = -2.9};

	(void)state;
	ctx_init(&c, a, NULL);
	out_init(&o, 1000);
	summary_pack(&in, 1, &o);
	assert_int_equal(summary_unpack(&c, o.p, o.len, &back, &n), E_OK);
	assert_int_equal(back->metric_id, UINT32_MAX);
	assert_true(back->mean == 0 && signbit(back->mean));
	assert_true(back->stddev == 5e-324);
	assert_true(back->stddev_pct == 0); /* 0 is not unknown */
	assert_true(back->min == -1.7976931348623157e308 && back->max == 2);
	assert_true(back->n == 0 && back->fails == INT64_MAX && back->runs == 1);
	assert_int_equal(back->printed, PRINTED_ABS);
	assert_string_equal(back->printed_base, "");
	assert_true(back->printed_change == -2.9);
	out_truncate(&o, 0);
	summary_pack(NULL, 0, &o);
	assert_int_equal(summary_unpack(&c, o.p, o.len, &back, &n), E_OK);
	assert_int_equal(n, 0);
}

static void refused(const unsigned char *bytes, size_t len)
{
	auto_arena struct arena *a = arena_new();
	struct stored_cell *back;
	struct ctx c;
	size_t n;

	ctx_init(&c, a, NULL);
	assert_int_equal(summary_unpack(&c, bytes, len, &back, &n), E_INTERNAL);
	assert_string_equal(c.detail, "a stored summary is damaged");
}

static void test_damaged_summary(void **state)
{
	unsigned char b[sizeof two_cells + 1];
	static const struct {
		size_t at;
		unsigned char value;
	} faults[] = {
		{0, 2},     /* another version */
		{1, 1},     /* bytes are left over */
		{1, 3},     /* a cell is missing */
		{4, 255},   /* more cells than memory */
		{10, 4},    /* a flag nobody knows */
		{11, 5},    /* a kind nobody knows */
		{20, 7},    /* the same metric twice */
		{42, 0x80}, /* a negative count */
		{51, 9},    /* a base longer than the bytes */
	};

	(void)state;
	for (size_t len = 0; len < sizeof two_cells; len++)
		refused(two_cells, len);
	memcpy(b, two_cells, sizeof two_cells);
	b[sizeof two_cells] = 0;
	refused(b, sizeof b);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		memcpy(b, two_cells, sizeof two_cells);
		b[faults[i].at] = faults[i].value;
		refused(b, sizeof two_cells);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_summary_bytes),
		cmocka_unit_test(test_summary_keeps_every_figure),
		cmocka_unit_test(test_damaged_summary),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
