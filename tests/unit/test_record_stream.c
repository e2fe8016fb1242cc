/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records whose submissions are handed on as they are filled. All is tried without a stream, too,
 * which must make the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "importers/record.h"
#include "tests/unit/stream_lab.h"

/* What a test looks at of each submission. */
struct seen {
	size_t nruns, nnames, ndistributions, nunits;
	double first; /* value of the first run */
	char key[100], note[40];
};

struct lab {
	struct ctx ctx;
	struct import in;
	struct import_stream stream;
	struct seen seen[20];
	size_t n;
	size_t refuse; /* the n-th taking fails; 0: none */
};

static void look(struct lab *l)
{
	for (size_t i = 0; i < l->in.n; i++) {
		const struct submission *s = &l->in.subs[i];
		struct seen *k = &l->seen[l->n++];

		*k = (struct seen){s->nruns,
				   s->nruns ? s->runs[0].names->n : 0,
				   s->ndistributions,
				   s->nunits,
				   0,
				   "",
				   ""};
		if (k->nnames)
			k->first = s->runs[0].values[0];
		snprintf(k->key, sizeof(k->key), "%s", s->key);
		for (size_t j = 0; j < s->ninfo; j++)
			if (!strcmp(s->info[j].name, "note"))
				snprintf(k->note, sizeof(k->note), "%s", s->info[j].value);
	}
}

static int take(struct import *in, void *arg)
{
	struct lab *l = arg;

	assert_int_equal(in->n, 1);
	look(l);
	return l->n == l->refuse ? fail(in->ctx, E_CONFLICT, "not this one") : E_OK;
}

static void begin(struct lab *l, bool stream)
{
	static const struct pair axes[] = {{"tbox_group", "rig-1"}};

	*l = (struct lab){.stream = {.take = take, .arg = l}};
	ctx_init(&l->ctx, arena_new(), NULL);
	l->in = (struct import){.ctx = &l->ctx,
				.axes = axes,
				.naxes = 1,
				.commit = "v6.5",
				.source = "a",
				.stream = stream ? &l->stream : NULL};
	l->stream.records = arena_new();
	l->stream.made = arena_new();
}

static void end(struct lab *l)
{
	if (!l->in.stream)
		look(l);
	assert_int_equal(l->stream.open, 0);
	assert_int_equal(arena_used(l->stream.records), 0);
	assert_int_equal(arena_used(l->stream.made), 0);
	arena_free(l->stream.records);
	arena_free(l->stream.made);
	arena_free(l->ctx.arena);
}

static void one_run(struct record *r, double v)
{
	record_run(r);
	record_value(r, NULL, v, "t.a");
}

/* 25,000 runs: what is said while the 12,000th and the 20,001st are filled belongs to the second
 * and the third submission. */
static void settled_runs(bool stream)
{
	struct lab l;
	struct record *r;
	size_t used = 0;

	begin(&l, stream);
	r = record_begin(&l.in, "t");
	record_axis(r, "mode", "x");
	record_settled(r);
	record_axis(r, "mode", "too late");
	for (int i = 0; i < 25000; i++) {
		one_run(r, i);
		if (i == 12000) {
			record_info(r, "note", "one");
			record_value(r, "us", 1, "t.a"); /* replaces, and tells the unit */
		}
		if (i == 20000)
			record_info(r, "note", "two");
		if (i == 9999)
			used = arena_used(l.stream.records);
	}
	assert_int_equal(record_runs(r), 25000);
	if (stream) {
		assert_int_equal(l.n, 2);
		/* the same memory again, but for the note */
		assert_true(arena_used(l.stream.records) < used + 1000);
		assert_true(used < 10000 * 40);
	}
	assert_int_equal(record_end(r), E_OK);
	end(&l);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.seen[0].nruns, 10000);
	assert_int_equal(l.seen[1].nruns, 10000);
	assert_int_equal(l.seen[2].nruns, 5000);
	assert_true(l.seen[2].first == 20000);
	assert_string_equal(l.seen[0].note, "");
	assert_string_equal(l.seen[1].note, "one");
	assert_string_equal(l.seen[2].note, "two");
	assert_int_equal(l.seen[0].nunits, 0);
	assert_int_equal(l.seen[1].nunits, 1);
	assert_int_equal(strlen(l.seen[0].key), 2 + 16);
	assert_string_equal(l.seen[1].key + 18, "/1");
	assert_string_equal(l.seen[2].key + 18, "/2");
}

static void test_settled_runs(void **state)
{
	(void)state;
	settled_runs(false);
	settled_runs(true);
}

static void one_distribution(struct record *r, double mean)
{
	char name[8] = "99.00";
	struct percentile_in p = {name, mean};
	struct distribution_in d = {.metric = "t.lat",
				    .n = -1,
				    .mean = mean,
				    .stddev = NAN,
				    .min = NAN,
				    .max = NAN,
				    .percentiles = &p,
				    .npercentiles = 1};

	record_distribution(r, &d);
	memset(name, 'x', 5); /* it was copied */
}

/* Runs that have a distribution stand alone; the others before, between and behind gather. */
static void mixed_runs(bool stream, bool settled)
{
	static const size_t runs[] = {2, 1, 1, 3};
	struct lab l;
	struct record *r;

	begin(&l, stream);
	r = record_begin(&l.in, "t");
	if (settled)
		record_settled(r);
	for (int i = 0; i < 7; i++) {
		one_run(r, i);
		if (i == 2 || i == 3)
			one_distribution(r, i);
	}
	if (stream)
		assert_int_equal(l.n, settled ? 3 : 0);
	assert_int_equal(record_end(r), E_OK);
	end(&l);
	assert_int_equal(l.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(l.seen[i].nruns, runs[i]);
		assert_int_equal(l.seen[i].ndistributions, i == 1 || i == 2);
	}
}

static void test_mixed_runs(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		mixed_runs(i & 1, i & 2);
}

/* Submissions stand in the order in which their records end. */
static void two_records(bool stream)
{
	struct lab l;
	struct record *first, *second, *like;

	begin(&l, stream);
	first = record_begin(&l.in, "t");
	second = record_begin(&l.in, "t");
	record_info(first, "note", "1");
	record_info(second, "note", "2");
	one_run(first, 1);
	one_run(second, 2);
	one_run(first, 3);
	assert_int_equal(record_end(second), E_OK);
	like = record_begin_like(first);
	one_run(like, 4);
	assert_int_equal(record_end(first), E_OK);
	one_run(like, 5);
	assert_int_equal(record_end(like), E_OK);
	record_drop(record_begin(&l.in, "t"));
	end(&l);
	assert_int_equal(l.n, 3);
	assert_string_equal(l.seen[0].note, "2");
	assert_int_equal(l.seen[0].nruns, 1);
	assert_string_equal(l.seen[1].note, "1");
	assert_int_equal(l.seen[1].nruns, 2);
	assert_string_equal(l.seen[2].note, "1");
	assert_true(l.seen[2].first == 4);
	assert_int_equal(l.seen[2].nruns, 2);
}

static void test_two_records(void **state)
{
	(void)state;
	two_records(false);
	two_records(true);
}

/* After a refusal nothing is handed on any more, and what comes takes no more memory. */
static void test_refused(void **state)
{
	struct lab l;
	struct record *r;
	size_t used = 0;

	(void)state;
	begin(&l, true);
	l.refuse = 2;
	r = record_begin(&l.in, "t");
	record_settled(r);
	for (int i = 0; i < 90000; i++) {
		one_run(r, i);
		if (i == 30000)
			used = arena_used(l.stream.records);
	}
	assert_int_equal(l.n, 2);
	assert_int_equal(arena_used(l.stream.records), used);
	assert_int_equal(record_end(r), E_CONFLICT);
	assert_string_equal(l.ctx.detail, "not this one");
	assert_int_equal(l.ctx.nfaults, 0);
	end(&l);
}

/* What is missing is said once, however many runs there are. */
static void test_missing(void **state)
{
	struct lab l;
	struct record *r;

	(void)state;
	begin(&l, true);
	l.in.naxes = 0;
	r = record_begin(&l.in, "t");
	record_settled(r);
	for (int i = 0; i < 30000; i++)
		one_run(r, i);
	assert_int_equal(record_end(r), E_INVALID);
	assert_int_equal(l.n, 0);
	assert_int_equal(l.ctx.nfaults, 1);
	assert_string_equal(l.ctx.faults[0].path, "tbox_group");
	end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settled_runs), cmocka_unit_test(test_mixed_runs),
		cmocka_unit_test(test_two_records),  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_missing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("record_stream", tests, NULL, NULL);
}
