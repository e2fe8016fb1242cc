/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native form, read and written: what sound documents become. The faults are in
 * test_native_faults.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <math.h>
#include <pthread.h>

#include "importers/import.h"
#include "importers/native_write.h"
#include "server/analysis/comparison.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/out.h"

#define AXES   "\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"lkp-icl-2sp2\"}"
#define COMMIT "\"commit\":{\"id\":\"a0fd217e6d6f\"}"

struct fixture {
	struct ctx ctx;
	struct import in;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ctx_init(&f->ctx, arena_new(), NULL);
	f->in.ctx = &f->ctx;
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

static const struct submission *read_one(struct fixture *f, const char *json)
{
	int e = import_native(&f->in, json, strlen(json));

	if (e < 0)
		print_message("%s\n", f->ctx.detail);
	assert_int_equal(e, E_OK);
	assert_int_equal(f->in.n, 1);
	return &f->in.subs[0];
}

static double value_of(const struct run_in *run, const char *metric)
{
	for (size_t i = 0; i < run->names->n; i++) {
		if (!strcmp(run->names->names[i], metric))
			return run->values[i];
	}
	return NAN;
}

/* --- the whole form -----------------------------------------------------------------------------
 */

static const char whole_document[] =
	"{ \"key\": \"lkp-icl-2sp2/hackbench/a0fd217e6d6f/0-5\",\n"
	"  \"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"lkp-icl-2sp2\", \"ipc\": "
	"\"socket\",\n"
	"           \"nr_threads\": \"100%\", \"compiler\": \"gcc-12\"},\n"
	"  \"commit\": {\"id\": \"A0FD217E6D6FBD23E91F8796787B621E7D576088\",\n"
	"     \"subject\": \"mm/slub: Optimize slub memory usage\", \"message\": "
	"\"two\\nlines\\n\",\n"
	"     \"author\": {\"name\": \"J. Doe\", \"email\": \"j@example.org\", \"date\": "
	"\"2023-06-28T12:00:00+02:00\"},\n"
	"     \"date\": \"2023-06-29\", \"parents\": [\"7BC162D5CC4D\", \"0123456\"], \"tree\": "
	"\"vbabka/slab\",\n"
	"     \"label\": \"the test patch\",\n"
	"     \"patch\": {\"message_id\": \"1@x\", \"version\": 2, \"index\": 1, \"total\": 3, "
	"\"base\": \"v6.4\", \"diff\": \"--- a\\n\"},\n"
	"     \"build\": {\"config\": \"c\", \"compiler\": \"gcc\", \"status\": \"warnings\",\n"
	"        \"warnings\": [{\"file\": \"mm/slub.c\", \"line\": 12, \"column\": 3, "
	"\"message\": \"unused\"}, {\"message\": \"x\"}]}},\n"
	"  \"started\": \"2023-07-20T03:01:00Z\", \"status\": \"incomplete\",\n"
	"  \"info\": {\"hostname\": \"lkp-icl-2sp2-1\", \"boot\": \"b1\", \"cpus\": 128, \"ht\": "
	"true, \"load\": 0.5, \"note\": \"\"},\n"
	"  \"runs\": [{\"hackbench.throughput\": 422654.2688081149, \"hackbench.a\": 1},\n"
	"           {\"hackbench.throughput\": 419017.82222470525}],\n"
	"  \"units\": {\"hackbench.throughput\": \"KB/s\"},\n"
	"  \"report\": {\"message_id\": \"2@x\", \"subject\": \"s\", \"url\": "
	"\"https://example.org/\", \"date\": \"1970-01-02\"},\n"
	"  \"headline\": {\"metric\": \"hackbench.throughput\", \"base\": \"7bc162d5cc\", "
	"\"change_pct\": -12.5, \"verdict\": \"regression\"}\n"
	"}\n";

static void test_whole_axes_and_info(void **state)
{
	static const char *const names[] = {"compiler", "ipc", "nr_threads", "tbox_group",
					    "testcase"};
	const struct submission *s = read_one(*state, whole_document);

	assert_string_equal(s->key, "lkp-icl-2sp2/hackbench/a0fd217e6d6f/0-5");
	assert_true(s->key_given);
	assert_int_equal(s->naxes, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(s->axes[i].name, names[i]);
	assert_string_equal(s->axes[2].value, "100%");
	assert_string_equal(s->testcase, "hackbench");
	assert_string_equal(s->tbox_group, "lkp-icl-2sp2");
	assert_int_equal(s->started, 1689822060); /* date -u -d 2023-07-20T03:01:00Z +%s */
	assert_int_equal(s->status, RUN_INCOMPLETE);
	assert_string_equal(s->boot, "b1");
	assert_int_equal(s->ninfo, 5);
	assert_string_equal(s->info[0].name, "cpus");
	assert_string_equal(s->info[0].value, "128");
	assert_string_equal(s->info[2].value, "true");
	assert_string_equal(s->info[3].value, "0.5");
	assert_string_equal(s->info[4].name, "note");
	assert_string_equal(s->info[4].value, "");
	assert_null(s->replaces);
}

static void test_whole_commit(void **state)
{
	const struct commit_in *k = &read_one(*state, whole_document)->commit;

	assert_string_equal(k->id, "a0fd217e6d6fbd23e91f8796787b621e7d576088");
	assert_true(k->is_hex);
	assert_string_equal(k->subject, "mm/slub: Optimize slub memory usage");
	assert_string_equal(k->message, "two\nlines\n");
	assert_string_equal(k->author.email, "j@example.org");
	assert_int_equal(k->author.date, 1687946400);
	assert_null(k->committer.name);
	assert_int_equal(k->committer.date, TIME_NONE);
	assert_int_equal(k->date, 1687996800);
	assert_int_equal(k->nparents, 2);
	assert_string_equal(k->parents[0], "7bc162d5cc4d");
	assert_string_equal(k->tree, "vbabka/slab");
	assert_string_equal(k->label, "the test patch");
	assert_true(k->patch.given);
	assert_int_equal(k->patch.version, 2);
	assert_int_equal(k->patch.total, 3);
	assert_string_equal(k->patch.base, "v6.4");
	assert_true(k->build.given);
	assert_int_equal(k->build.nwarnings, 2);
	assert_string_equal(k->build.warnings[0].file, "mm/slub.c");
	assert_int_equal(k->build.warnings[0].line, 12);
	assert_int_equal(k->build.warnings[1].line, -1);
	assert_null(k->build.warnings[1].file);
}

static void test_whole_results(void **state)
{
	const struct submission *s = read_one(*state, whole_document);

	assert_int_equal(s->kind, SUBMISSION_RUNS);
	assert_int_equal(s->nruns, 2);
	assert_int_equal(s->runs[0].names->n, 2);
	assert_string_equal(s->runs[0].names->names[0], "hackbench.a");
	assert_true(s->runs[0].values[0] == 1.0);
	assert_true(s->runs[0].values[1] == 422654.2688081149);
	assert_int_equal(s->runs[1].names->n, 1);
	assert_true(s->runs[1].values[0] == 419017.82222470525);
	assert_int_equal(s->nunits, 1);
	assert_string_equal(s->units[0].value, "KB/s");
	assert_true(s->report.given);
	assert_int_equal(s->report.date, 86400);
	assert_true(s->headline.given);
	assert_true(s->headline.change_pct == -12.5);
	assert_string_equal(s->headline.base, "7bc162d5cc");
}

/* --- samples ------------------------------------------------------------------------------------
 */

static void test_names_are_shared_and_sorted(void **state)
{
	const struct submission *s = read_one(
		*state, "{" AXES "," COMMIT ",\"runs\":[{\"b\":1,\"a\":2,\"ab\":3,\"B\":4},"
			"{\"b\":5,\"a\":6,\"ab\":7,\"B\":8},{\"a\":9,\"b\":10,\"ab\":11,\"B\":12},{"
			"\"b\":13,\"a\":14}]}");
	static const char *const sorted[] = {"B", "a", "ab", "b"};
	static const double first[] = {4, 2, 3, 1}, third[] = {12, 9, 11, 10};

	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(s->runs[0].names->names[i], sorted[i]);
		assert_true(s->runs[0].values[i] == first[i]);
		assert_true(s->runs[2].values[i] == third[i]);
	}
	assert_ptr_equal(s->runs[0].names, s->runs[1].names);
	assert_true(s->runs[1].values[0] == 8.0);
	/* another order is the same set */
	assert_true(digest_equal(&s->runs[0].names->digest, &s->runs[2].names->digest));
	assert_int_equal(s->runs[3].names->n, 2);
	assert_false(digest_equal(&s->runs[0].names->digest, &s->runs[3].names->digest));
}

static void test_digest_of_names(void **state)
{
	const struct submission *s =
		read_one(*state, "{" AXES "," COMMIT ",\"runs\":[{\"b\":1,\"a\":2}]}");
	struct digest_state d;
	struct digest expected;

	digest_init(&d);
	digest_add(&d, "a\0b", 4);
	expected = digest_end(&d);
	assert_true(digest_equal(&s->runs[0].names->digest, &expected));
}

/* A thread remembers the last names; what comes out must not depend on it. */
static void test_names_across_bodies(void **state)
{
	static const char *const bodies[] = {
		"{" AXES "," COMMIT ",\"runs\":[{\"zz\":1,\"aa\":2,\"mm\":3}]}",
		"{" AXES "," COMMIT ",\"runs\":[{\"zz\":1,\"aa\":2,\"mm\":3}]}",
		"{" AXES "," COMMIT ",\"runs\":[{\"zz\":1,\"aa\":2,\"mn\":3}]}",
		"{" AXES "," COMMIT ",\"runs\":[{\"zz\":1,\"aa\":2}]}",
		"{" AXES "," COMMIT ",\"runs\":[{\"zz\":1,\"aa\":2,\"mm\":3}]}",
	};
	static const char *const third[] = {"mm", "mm", "mn", NULL, "mm"};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct fixture f = {0};
		const struct submission *s;

		ctx_init(&f.ctx, arena_new(), NULL);
		f.in.ctx = &f.ctx;
		s = read_one(&f, bodies[i]);
		assert_true(value_of(&s->runs[0], "zz") == 1.0);
		assert_true(value_of(&s->runs[0], "aa") == 2.0);
		assert_int_equal(s->runs[0].names->n, third[i] ? 3 : 2);
		if (third[i])
			assert_true(value_of(&s->runs[0], third[i]) == 3.0);
		arena_free(f.ctx.arena);
	}
}

static void *read_in_thread(void *arg)
{
	test_names_across_bodies(arg);
	return arg;
}

static void test_thread_keeps_nothing(void **state)
{
	static int done;
	pthread_t t;
	void *result = NULL;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, read_in_thread, &done), 0);
	assert_int_equal(pthread_join(t, &result), 0);
	assert_ptr_equal(result, &done); /* the sanitizer build sees what it left behind */
}

static void test_numbers(void **state)
{
	const struct submission *s =
		read_one(*state, "{" AXES "," COMMIT ",\"runs\":[{\"a\":-0,\"b\":-0.0,\"c\":0,"
				 "\"d\":18446744073709551617,\"e\":1e300,\"f\":5e-324,\"g\":-7}]}");
	const double *v = s->runs[0].values;

	assert_true(v[0] == 0 && signbit(v[0]));
	assert_true(v[1] == 0 && signbit(v[1]));
	assert_true(v[2] == 0 && !signbit(v[2]));
	assert_true(v[3] == 18446744073709551616.0);
	assert_true(v[4] == 1e300);
	assert_true(v[5] == 5e-324);
	assert_true(v[6] == -7.0);
}

static void test_matrix(void **state)
{
	const struct submission *s = read_one(
		*state, "{" AXES "," COMMIT ",\"matrix\":{\"x\":[1,2,null,4],\"b\":[5,null,7,8],"
			"\"c\":[9,10,null,12]}}");

	assert_int_equal(s->kind, SUBMISSION_RUNS);
	assert_int_equal(s->nruns, 4);
	assert_int_equal(s->runs[0].names->n, 3);
	assert_true(value_of(&s->runs[0], "x") == 1 && value_of(&s->runs[0], "b") == 5 &&
		    value_of(&s->runs[0], "c") == 9);
	assert_int_equal(s->runs[1].names->n, 2);
	assert_true(value_of(&s->runs[1], "x") == 2 && value_of(&s->runs[1], "c") == 10);
	assert_int_equal(s->runs[2].names->n, 1);
	assert_true(value_of(&s->runs[2], "b") == 7);
	assert_ptr_equal(s->runs[3].names, s->runs[0].names);
	assert_true(value_of(&s->runs[3], "c") == 12);
}

static void test_matrix_equals_runs(void **state)
{
	struct fixture *f = *state;
	const char *json = "[{" AXES "," COMMIT ",\"matrix\":{\"x\":[1,2],\"b\":[null,4]}},"
			   "{" AXES "," COMMIT ",\"runs\":[{\"x\":1},{\"b\":4,\"x\":2}]}]";

	assert_int_equal(import_native(&f->in, json, strlen(json)), E_OK);
	assert_int_equal(f->in.n, 2);
	assert_true(f->in.is_array);
	assert_true(digest_equal(&f->in.subs[0].content, &f->in.subs[1].content));
	assert_string_equal(f->in.subs[0].key, f->in.subs[1].key);
	assert_false(f->in.subs[0].key_given);
	assert_int_equal(strlen(f->in.subs[0].key), 32);
}

static void test_failed_run_without_metric(void **state)
{
	const struct submission *s =
		read_one(*state, "{" AXES "," COMMIT ",\"status\":\"failed\",\"runs\":[{}]}");

	assert_int_equal(s->status, RUN_FAILED);
	assert_int_equal(s->nruns, 1);
	assert_int_equal(s->runs[0].names->n, 0);
}

/* --- what is printed, and notes ------------------------------------------------------------------
 */

static void test_summary(void **state)
{
	const struct submission *s = read_one(
		*state,
		"{" AXES ",\"commit\":{\"id\":\"v5.7-rc1\",\"tree\":\"linus\"},\"summary\":{"
		"\"z\":{\"mean\":58.8,\"stddev_pct\":3,\"n\":6,\"min\":1,\"max\":99,"
		"\"printed\":{\"base\":\"b1b4705d54ab\",\"change_pct\":-0.0}},"
		"\"a\":{\"mean\":1,\"stddev\":0.5,\"printed\":{}},"
		"\"f\":{\"fails\":3,\"runs\":6,\"printed\":{\"base\":\"v5.5\",\"reproduction_pct\":"
		"50}},"
		"\"p%\":{\"mean\":2,\"printed\":{\"base\":\"v5.5\",\"change_abs\":-1.5}}}}");

	assert_int_equal(s->kind, SUBMISSION_SUMMARY);
	assert_false(s->commit.is_hex);
	assert_int_equal(s->ncells, 4);
	assert_string_equal(s->cells[0].metric, "a");
	assert_int_equal(s->cells[0].printed, PRINTED_BASE);
	assert_null(s->cells[0].printed_base);
	assert_true(s->cells[0].stddev == 0.5 && isnan(s->cells[0].stddev_pct));
	assert_int_equal(s->cells[0].n, -1);
	assert_int_equal(s->cells[1].fails, 3);
	assert_int_equal(s->cells[1].runs, 6);
	assert_true(isnan(s->cells[1].mean));
	assert_int_equal(s->cells[1].printed, PRINTED_REPRODUCTION);
	assert_int_equal(s->cells[2].printed, PRINTED_ABS);
	assert_true(s->cells[2].printed_change == -1.5);
	assert_string_equal(s->cells[3].metric, "z");
	assert_int_equal(s->cells[3].printed, PRINTED_PCT);
	assert_true(s->cells[3].printed_change == 0 && signbit(s->cells[3].printed_change));
	assert_string_equal(s->cells[3].printed_base, "b1b4705d54ab");
	assert_true(s->cells[3].max == 99 && s->cells[3].n == 6);
	assert_int_equal(s->cells[3].fails, -1);
}

static void test_notes(void **state)
{
	struct fixture *f = *state;
	const char *json = "[{" AXES "," COMMIT ",\"headline\":{\"metric\":\"m\"}},"
			   "{" AXES ",\"commit\":{\"id\":\"1234567\",\"build\":{}}}]";

	assert_int_equal(import_native(&f->in, json, strlen(json)), E_OK);
	assert_int_equal(f->in.n, 2);
	assert_int_equal(f->in.subs[0].kind, SUBMISSION_NOTE);
	assert_true(isnan(f->in.subs[0].headline.change_pct));
	assert_int_equal(f->in.subs[1].kind, SUBMISSION_NOTE);
	assert_true(f->in.subs[1].commit.build.given);
}

static void test_what_the_file_does_not_say(void **state)
{
	struct fixture *f = *state;
	static const struct pair axes[] = {{"tbox_group", "box"}, {"testcase", "other"}};
	const struct submission *s;

	f->in.axes = axes;
	f->in.naxes = 2;
	f->in.commit = "v6.1";
	f->in.tree = "stable";
	s = read_one(f, "{\"axes\":{\"testcase\":\"fio\"},\"runs\":[{\"a\":1}]}");
	assert_int_equal(s->naxes, 2);
	assert_string_equal(s->testcase, "fio");
	assert_string_equal(s->tbox_group, "box");
	assert_string_equal(s->commit.id, "v6.1");
	assert_string_equal(s->commit.tree, "stable");
}

static void test_line(void **state)
{
	struct fixture *f = *state;
	const char *json = "  {" AXES "," COMMIT ",\"runs\":[{\"a\":1}]} \r";

	assert_int_equal(import_native_line(&f->in, json, strlen(json)), E_OK);
	assert_int_equal(f->in.n, 1);
	assert_false(f->in.is_array);
}

/* --- written and read again
 * ----------------------------------------------------------------------- */

static void check_round_trip(struct fixture *f, const char *json)
{
	size_t n;

	assert_int_equal(import_native(&f->in, json, strlen(json)), E_OK);
	n = f->in.n;
	for (size_t i = 0; i < n; i++) {
		auto_out struct out first, second;

		out_init(&first, OUT_MAX_DEFAULT);
		out_init(&second, OUT_MAX_DEFAULT);
		native_write(&first, &f->in.subs[i]);
		assert_null(memchr(first.p, '\n', first.len));
		assert_int_equal(import_native_line(&f->in, first.p, first.len), E_OK);
		native_write(&second, &f->in.subs[f->in.n - 1]);
		assert_string_equal(first.p, second.p);
		assert_true(digest_equal(&f->in.subs[i].content, &f->in.subs[f->in.n - 1].content));
		assert_string_equal(f->in.subs[i].key, f->in.subs[f->in.n - 1].key);
	}
}

static void test_round_trip(void **state)
{
	check_round_trip(*state, whole_document);
	check_round_trip(*state,
			 "[{" AXES "," COMMIT ",\"runs\":[{\"<b>\\\"&\":-0.0,\"x\\\\y\":0.1}]},"
			 "{" AXES ",\"commit\":{\"id\":\"v5.7\",\"patch\":{}},\"summary\":{"
			 "\"a\":{\"mean\":-0.0,\"stddev_pct\":0,\"printed\":{\"base\":\"v5.5\","
			 "\"change_pct\":-0.0}},"
			 "\"b\":{\"fails\":0,\"runs\":6,\"printed\":{}},"
			 "\"c\":{\"mean\":1,\"printed\":{\"base\":\"v5.5\",\"change_abs\":2}}}},"
			 "{" AXES "," COMMIT ",\"headline\":{\"metric\":\"m\"}}]");
}

static void test_written_text(void **state)
{
	struct fixture *f = *state;
	auto_out struct out o;

	out_init(&o, OUT_MAX_DEFAULT);
	native_write(&o, read_one(f, "{" AXES "," COMMIT ",\"runs\":[{\"b\":-0.0,\"a\":1.5}]}"));
	assert_string_equal(
		o.p,
		"{\"axes\":{\"tbox_group\":\"lkp-icl-2sp2\",\"testcase\":\"hackbench\"}," COMMIT
		",\"status\":\"ok\",\"runs\":[{\"a\":1.5,\"b\":-0.0}]}");
}

/* --- the table of formats
 * ------------------------------------------------------------------------- */

static void test_table(void **state)
{
	const struct importer *native = importer_find("native");

	(void)state;
	assert_non_null(native);
	assert_true(importer_count() >= 1);
	assert_null(importer_at(importer_count()));
	assert_null(importer_find("nosuch"));
	assert_true(native->run == import_native);
	assert_true(native->sniff(whole_document, strlen(whole_document)) > 50);
	assert_int_equal(native->sniff("hello", 5), 0);
	assert_int_equal(native->sniff("{\"a\":1}", 7), 0);
	assert_int_equal(native->sniff("", 0), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_whole_axes_and_info),
		T(test_whole_commit),
		T(test_whole_results),
		T(test_names_are_shared_and_sorted),
		T(test_digest_of_names),
		T(test_names_across_bodies),
		T(test_thread_keeps_nothing),
		T(test_numbers),
		T(test_matrix),
		T(test_matrix_equals_runs),
		T(test_failed_run_without_metric),
		T(test_summary),
		T(test_notes),
		T(test_what_the_file_does_not_say),
		T(test_line),
		T(test_round_trip),
		T(test_written_text),
		T(test_table),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
