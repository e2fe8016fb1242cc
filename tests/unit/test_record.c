/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What importers hand in, and the submissions that come of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <math.h>

#include "importers/native_write.h"
#include "importers/record.h"
#include "server/base/arena.h"

struct fixture {
	struct ctx ctx;
	struct import in;
};

static const struct pair machine[] = {{"tbox_group", "rig-1"}};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ctx_init(&f->ctx, arena_new(), NULL);
	f->in = (struct import){
		.ctx = &f->ctx, .axes = machine, .naxes = 1, .commit = "v6.4", .source = NULL};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	arena_free(f->ctx.arena);
	free(f);
	return 0;
}

static bool has_fault(const struct ctx *c, const char *path, const char *text)
{
	for (size_t i = 0; i < c->nfaults; i++) {
		if (!strcmp(c->faults[i].path, path) && strstr(c->faults[i].message, text))
			return true;
	}
	return false;
}

static double value_of(const struct run_in *run, const char *metric)
{
	for (size_t i = 0; i < run->names->n; i++) {
		if (!strcmp(run->names->names[i], metric))
			return run->values[i];
	}
	return NAN;
}

static void test_sorted_and_shared(void **state)
{
	struct fixture *f = *state;
	struct record *r = record_begin(&f->in, "t");
	const struct submission *s;

	record_value(r, "s", 2, "t.b");
	record_value(r, NULL, 1, "t.a");
	record_value(r, "B", 3, "t.%s", "ab");
	record_run(r);
	record_value(r, "s", 5, "t.b");
	record_value(r, NULL, 4, "t.a");
	record_value(r, "B", 6, "t.ab");
	record_run(r);
	record_value(r, NULL, 7, "t.a");
	assert_int_equal(record_runs(r), 3);
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.n, 1);
	s = f->in.subs;
	assert_int_equal(s->kind, SUBMISSION_RUNS);
	assert_int_equal(s->nruns, 3);
	assert_string_equal(s->runs[0].names->names[0], "t.a");
	assert_string_equal(s->runs[0].names->names[1], "t.ab");
	assert_string_equal(s->runs[0].names->names[2], "t.b");
	assert_true(value_of(&s->runs[0], "t.b") == 2 && value_of(&s->runs[1], "t.b") == 5);
	assert_true(value_of(&s->runs[1], "t.ab") == 6 && value_of(&s->runs[2], "t.a") == 7);
	assert_ptr_equal(s->runs[0].names, s->runs[1].names);
	assert_int_equal(s->runs[2].names->n, 1);
	assert_int_equal(s->nunits, 2);
	assert_string_equal(s->units[0].name, "t.ab");
	assert_string_equal(s->units[1].value, "s");
	assert_string_equal(s->testcase, "t");
	assert_string_equal(s->tbox_group, "rig-1");
	assert_string_equal(s->commit.id, "v6.4");
	assert_false(s->commit.is_hex);
	assert_false(s->key_given);
	assert_int_equal(strlen(s->key), 32);
}

/* The same as if it had been sent in the native form: written and read back, digests agree. */
static void test_is_what_native_makes(void **state)
{
	static const char json[] =
		"{\"axes\":{\"testcase\":\"t\",\"tbox_group\":\"rig-1\",\"mode\":\"x\"},"
		"\"commit\":{\"id\":\"v6.4\"},\"info\":{\"a\":\"1\",\"boot\":\"b7\"},"
		"\"runs\":[{\"t.b\":2,\"t.a\":1.5}],\"units\":{\"t.a\":\"s\"},"
		"\"distributions\":{\"t.d\":{\"unit\":\"us\",\"n\":4,\"mean\":2.5,\"percentiles\":"
		"{\"50.00\":2,\"99.00\":4},\"buckets\":[[2,1],[4,3]]}}}";
	static const struct percentile_in ps[] = {{"99.00", 4}, {"50.00", 2}};
	static const struct bucket_in bs[] = {{2, 1}, {4, 3}};
	struct fixture *f = *state;
	struct import native = {.ctx = &f->ctx};
	struct record *r = record_begin(&f->in, "t");
	struct distribution_in d = {.metric = "t.d",
				    .unit = "us",
				    .n = 4,
				    .mean = 2.5,
				    .stddev = NAN,
				    .min = NAN,
				    .max = NAN,
				    .percentiles = ps,
				    .npercentiles = 2,
				    .buckets = bs,
				    .nbuckets = 2};
	auto_out struct out ours, theirs;

	record_axis(r, "mode", "x");
	record_info(r, "boot", "b7");
	record_info(r, "a", "0");
	record_info(r, "a", "1");
	record_info(r, "b", "line\nbreak");
	record_info(r, "c", "");
	record_value(r, NULL, 2, "t.b");
	record_value(r, "s", 1.5, "t.a");
	record_distribution(r, &d);
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(import_native(&native, json, strlen(json)), E_OK);
	out_init(&ours, OUT_MAX_DEFAULT);
	out_init(&theirs, OUT_MAX_DEFAULT);
	native_write(&ours, f->in.subs);
	native_write(&theirs, native.subs);
	assert_string_equal(ours.p, theirs.p);
	assert_string_equal(f->in.subs->boot, "b7");
	assert_true(digest_equal(&f->in.subs->content, &native.subs->content));
	assert_true(digest_equal(&f->in.subs->runs[0].names->digest,
				 &native.subs->runs[0].names->digest));
}

static void test_names_are_made_valid(void **state)
{
	struct fixture *f = *state;
	struct record *r = record_begin(&f->in, "t");
	char longest[METRIC_NAME_MAX + 10];
	const struct metric_names *names;

	memset(longest, 'x', sizeof(longest));
	memcpy(longest + METRIC_NAME_MAX - 1, "\xc3\xa4", 3); /* half of it would fit */
	record_value(r, NULL, 1, "a\tb\n\x7f");
	record_value(r, NULL, 2, "c\xff\xc3(\xc2\x85\xc3\xa4");
	record_value(r, NULL, 3, "%s", longest);
	record_value(r, NULL, 4, "%s", "");
	record_value(r, NULL, (double)INFINITY, "inf");
	record_value(r, NULL, (double)NAN, "nan");
	record_value(r, "bad\nunit", 5, "u");
	record_value(r, NULL, 6, "u");
	assert_int_equal(record_end(r), E_OK);
	names = f->in.subs->runs[0].names;
	assert_int_equal(names->n, 4);
	assert_string_equal(names->names[0], "a_b__");
	assert_string_equal(names->names[1], "c__(_\xc3\xa4");
	assert_string_equal(names->names[2], "u");
	assert_int_equal(strlen(names->names[3]), METRIC_NAME_MAX - 1);
	assert_true(value_of(&f->in.subs->runs[0], "u") == 6); /* the later one */
	assert_int_equal(f->in.subs->nunits, 0);
}

static void test_request_wins(void **state)
{
	static const struct pair axes[] = {
		{"nr", "8"}, {"tbox_group", "rig-2"}, {"testcase", "my"}};
	struct fixture *f = *state;
	struct record *r;

	f->in.axes = axes;
	f->in.naxes = 3;
	f->in.tree = "next";
	f->in.commit = "ABCDEF0123";
	r = record_begin(&f->in, "t");
	record_axis(r, "nr", "9");
	record_axis(r, "ipc", "pipe");
	record_axis(r, "tbox_group", "other");
	record_commit(r, "v1.0");
	record_value(r, NULL, 1, "t.a");
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.subs->naxes, 4);
	assert_string_equal(f->in.subs->axes[0].value, "pipe");
	assert_string_equal(f->in.subs->axes[1].value, "8");
	assert_string_equal(f->in.subs->testcase, "my");
	assert_string_equal(f->in.subs->tbox_group, "rig-2");
	assert_string_equal(f->in.subs->commit.id, "abcdef0123");
	assert_true(f->in.subs->commit.is_hex);
	assert_string_equal(f->in.subs->commit.tree, "next");
}

static void test_what_is_missing(void **state)
{
	struct fixture *f = *state;
	struct record *r;

	f->in.naxes = 0;
	f->in.commit = NULL;
	r = record_begin(&f->in, NULL);
	record_commit(r, "no");
	assert_int_equal(record_end(r), E_INVALID);
	assert_int_equal(f->ctx.nfaults, 4);
	assert_true(has_fault(&f->ctx, "testcase", "--axis testcase=NAME"));
	assert_true(has_fault(&f->ctx, "tbox_group", "axis.tbox_group=NAME"));
	assert_true(has_fault(&f->ctx, "commit", "--commit ID"));
	assert_true(has_fault(&f->ctx, "", "no figure was found"));
}

static void test_commit_of_the_file(void **state)
{
	struct fixture *f = *state;
	struct record *r;

	f->in.commit = NULL;
	r = record_begin(&f->in, "t");
	record_commit(r, "0123456789ABCDEF");
	record_commit(r, "not one");
	record_value(r, NULL, 1, "t.a");
	assert_int_equal(record_end(r), E_OK);
	assert_string_equal(f->in.subs->commit.id, "0123456789abcdef");
}

static void test_empty_runs(void **state)
{
	struct fixture *f = *state;
	struct record *r = record_begin(&f->in, "t");

	record_run(r);
	record_run(r);
	record_value(r, NULL, 1, "t.a");
	record_run(r);
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.subs->nruns, 1);
	r = record_begin(&f->in, "t");
	record_run(r);
	assert_int_equal(record_end(r), E_INVALID);
	assert_true(has_fault(&f->ctx, "", "no figure of t was found"));
	ctx_clear(&f->ctx);
	r = record_begin(&f->in, "t");
	record_submission(r)->status = RUN_FAILED;
	record_run(r);
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.subs[1].nruns, 1);
	assert_int_equal(f->in.subs[1].runs[0].names->n, 0);
}

static void test_distributions_part_the_runs(void **state)
{
	struct fixture *f = *state;
	struct distribution_in d = {.metric = "t.lat",
				    .unit = "us",
				    .n = -1,
				    .mean = 1,
				    .stddev = 0,
				    .min = 1,
				    .max = 1};
	struct record *r;

	f->in.source = "a/b.txt";
	r = record_begin(&f->in, "t");
	record_axis(r, "mode", "x");
	for (int i = 0; i < 3; i++) {
		record_run(r);
		record_value(r, "s", i, "t.a");
		d.mean = i == 2 ? (double)NAN : i; /* the last is replaced below */
		record_distribution(r, &d);
	}
	d.mean = 7;
	record_distribution(r, &d);
	record_value(r, NULL, 1, "t.only");
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.n, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct submission *s = &f->in.subs[i];

		assert_int_equal(s->nruns, 1);
		assert_true(value_of(&s->runs[0], "t.a") == (double)i);
		assert_int_equal(s->ndistributions, 1);
		assert_true(s->distributions[0].mean == (i == 2 ? 7 : (double)i));
		assert_int_equal(s->nunits, 2);
		assert_string_equal(s->units[1].name, "t.lat");
		assert_int_equal(s->naxes, 3);
		assert_memory_equal(s->key, "a/b.txt#", 8);
		assert_int_equal(strlen(s->key), 8 + 16 + (i ? 2 : 0));
	}
	assert_string_equal(f->in.subs[2].key + 24, "/2");
	assert_true(f->in.subs[2].key_given);
}

/* The same file: the same keys. Another file, or another value: others. */
static void test_keys(void **state)
{
	static const char *const sources[] = {"one", "one", "two", "one"};
	struct fixture *f = *state;
	const char *keys[4];

	for (int i = 0; i < 4; i++) {
		struct import in = f->in;
		struct record *r;

		in.source = sources[i];
		r = record_begin(&in, "t");
		record_value(r, NULL, i == 3, "t.a");
		assert_int_equal(record_end(r), E_OK);
		keys[i] = in.subs->key;
	}
	assert_string_equal(keys[0], keys[1]);
	assert_string_not_equal(keys[0], keys[2]);
	assert_string_not_equal(keys[0], keys[3]);
	assert_memory_equal(keys[0] + 4, keys[2] + 4, 16); /* the content is the same */
}

static void test_hostile_source(void **state)
{
	struct fixture *f = *state;
	struct record *r;

	f->in.source = "bad\nname";
	r = record_begin(&f->in, "t");
	record_value(r, NULL, 1, "t.a");
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(strlen(f->in.subs->key), 32 + 1 + 16);
	assert_null(strchr(f->in.subs->key, '\n'));
}

static void test_units_that_differ(void **state)
{
	struct fixture *f = *state;
	struct record *r = record_begin(&f->in, "t");

	record_value(r, "s", 1, "t.a");
	record_run(r);
	record_value(r, "ms", 1, "t.a");
	record_run(r);
	record_value(r, "us", 1, "t.a");
	assert_int_equal(record_end(r), E_INVALID);
	assert_int_equal(f->ctx.nfaults, 1);
	assert_true(has_fault(&f->ctx, "units[\"t.a\"]", "\"s\" in one place and \"ms\""));
}

static void test_distribution_faults(void **state)
{
	static const struct bucket_in falling[] = {{2, 1}, {2, 1}}, negative[] = {{1, -1}};
	static const struct percentile_in ps[] = {{"x", 1},  {"50", (double)NAN}, {"100.5", 1},
						  {"99", 1}, {"99.0", 2},         {"1", 0}};
	struct fixture *f = *state;
	struct distribution_in d = {
		.metric = "t.d", .n = -1, .mean = NAN, .stddev = NAN, .min = NAN, .max = NAN};
	struct record *r = record_begin(&f->in, "t");
	struct distribution_in bad = d;

	record_distribution(r, &d); /* says nothing */
	bad.buckets = falling;
	bad.nbuckets = 2;
	record_distribution(r, &bad);
	bad.buckets = negative;
	bad.nbuckets = 1;
	record_distribution(r, &bad);
	bad = d;
	bad.min = 2;
	bad.max = 1;
	record_distribution(r, &bad);
	bad = d;
	bad.stddev = -1;
	record_distribution(r, &bad);
	assert_int_equal(f->ctx.nfaults, 4);
	ctx_clear(&f->ctx);
	d.percentiles = ps;
	d.npercentiles = 6;
	d.min = (double)INFINITY;
	record_distribution(r, &d);
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.subs->ndistributions, 1);
	assert_int_equal(f->in.subs->distributions[0].npercentiles, 2);
	assert_string_equal(f->in.subs->distributions[0].percentiles[0].name, "1");
	assert_string_equal(f->in.subs->distributions[0].percentiles[1].name, "99.0");
	assert_true(isnan(f->in.subs->distributions[0].min));
}

/* More runs than one submission may have; and many names, to make the table grow. */
static void test_many(void **state)
{
	struct fixture *f = *state;
	struct record *r = record_begin(&f->in, "t");

	for (int i = 0; i < 10001; i++) {
		record_run(r);
		record_value(r, NULL, i, "t.a");
	}
	for (int i = 0; i < 3000; i++)
		record_value(r, NULL, i, "t.%d", i);
	for (int i = 0; i < 3000; i++)
		record_value(r, NULL, -i, "t.%d", i);
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.n, 2);
	assert_int_equal(f->in.subs[0].nruns, 10000);
	assert_int_equal(f->in.subs[1].nruns, 1);
	assert_int_equal(f->in.subs[1].runs[0].names->n, 3001);
	assert_true(value_of(&f->in.subs[1].runs[0], "t.2999") == -2999);
	assert_true(value_of(&f->in.subs[0].runs[77], "t.a") == 77);
}

/* One metric too many is said once, and what follows takes no memory. */
static void test_too_many_metrics(void **state)
{
	struct fixture *f = *state;
	struct record *r = record_begin(&f->in, "t");
	size_t used;

	for (int i = 0; i <= 50000; i++)
		record_value(r, NULL, i, "t.%d", i);
	assert_int_equal(f->ctx.nfaults, 1);
	assert_true(has_fault(&f->ctx, "", "run 1 has more than 50000 metrics"));
	used = arena_used(f->ctx.arena);
	for (int i = 0; i <= 1000; i++)
		record_value(r, NULL, i, "t.more%d", i);
	assert_int_equal(arena_used(f->ctx.arena), used);
	assert_int_equal(record_end(r), E_INVALID);
	assert_int_equal(f->ctx.nfaults, 1);
}

static void test_summary_by_hand(void **state)
{
	struct fixture *f = *state;
	static const struct summary_in cells[] = {{.metric = "b", .mean = 1, .n = -1},
						  {.metric = "a", .mean = 2, .n = -1}};
	struct record *r = record_begin(&f->in, "t");

	record_submission(r)->cells = cells;
	record_submission(r)->ncells = 2;
	assert_int_equal(record_end(r), E_OK);
	assert_int_equal(f->in.subs->kind, SUBMISSION_SUMMARY);
	assert_string_equal(f->in.subs->cells[0].metric, "a");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sorted_and_shared),
		TEST(test_is_what_native_makes),
		TEST(test_names_are_made_valid),
		TEST(test_request_wins),
		TEST(test_what_is_missing),
		TEST(test_commit_of_the_file),
		TEST(test_empty_runs),
		TEST(test_distributions_part_the_runs),
		TEST(test_keys),
		TEST(test_hostile_source),
		TEST(test_units_that_differ),
		TEST(test_distribution_faults),
		TEST(test_many),
		TEST(test_summary_by_hand),
		TEST(test_too_many_metrics),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
