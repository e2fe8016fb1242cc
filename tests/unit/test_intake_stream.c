/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submissions that come one by one out of a large file. The format here is one native document a
 * line, each handed on at once, and a line "fail" or "much" for what importers do.
 */
#include "server/model/intake_stream.h"

#include <pthread.h>
#include <semaphore.h>

#include "importers/native.h"
#include "tests/unit/db_lab.h"
#undef fail

SQL(stream_test_runs, "SELECT count(*) FROM run")
SQL(stream_test_audits, "SELECT count(*) FROM audit WHERE action = 'upload'")

#define DOCUMENT(key, value)                                                                       \
	"{\"key\":\"" key "\",\"axes\":{\"testcase\":\"t\",\"tbox_group\":\"b\"},"                 \
	"\"commit\":{\"id\":\"abcdef123456\"},\"runs\":[{\"t.a\":" value "}]}\n"
#define WITH_UNIT(key, unit)                                                                       \
	"{\"key\":\"" key "\",\"axes\":{\"testcase\":\"t\",\"tbox_group\":\"b\"},"                 \
	"\"commit\":{\"id\":\"abcdef123456\"},\"runs\":[{\"t.a\":1}],\"units\":{\"t.a\":\"" unit   \
	"\"}}\n"

/* 1 MiB of every arena, a hundred times. */
static int take_much(struct import *in)
{
	struct arena *const all[] = {in->ctx->arena, in->stream->records, in->stream->made};

	for (size_t i = 0; i < 300; i++) {
		arena_alloc(all[i % 3], (size_t)1 << 20);
		if (in->after_document(in->after_arg) < 0)
			return in->ctx->err;
	}
	return E_OK;
}

static int read_test_line(struct import *in, const char *p, size_t n)
{
	if (n == 4 && !memcmp(p, "fail", 4))
		return fault(in->ctx, "a.b", "the file is bad");
	if (n == 4 && !memcmp(p, "much", 4))
		return take_much(in);
	in->is_array = true;
	if (import_native_line(in, p, n) < 0)
		return in->ctx->err;
	return import_take(in);
}

static int import_test(struct import *in, const char *bytes, size_t n)
{
	const char *p = bytes, *end = bytes + n, *stop;
	int e = E_OK;

	for (; p < end && e >= 0; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		e = read_test_line(in, p, (size_t)(stop - p));
	}
	return e;
}

static const struct importer format = {.name = "test", .run = import_test};
static const struct import nothing_given = {.ctx = NULL};

static struct intake_bytes bytes(const char *text)
{
	return (struct intake_bytes){&format, &nothing_given, text, strlen(text), NULL};
}

/* --- looking --- */

struct looked {
	char keys[64];
	size_t len;
	long items[8];
	size_t n, stop_at, most, asked;
};

static int note(struct ctx *c, const struct submission *s, void *arg)
{
	struct looked *l = arg;

	l->len += (size_t)snprintf(l->keys + l->len, sizeof(l->keys) - l->len, "%s ", s->key);
	l->items[l->n++] = c->item;
	return l->n == l->stop_at ? fail(c, E_FORBIDDEN, "no more of %s", s->key) : E_OK;
}

static int held(struct ctx *c, size_t n, void *arg)
{
	struct looked *l = arg;

	(void)c;
	l->asked++;
	l->most = n > l->most ? n : l->most;
	return E_OK;
}

static int look(struct db_lab *l, const char *text, struct looked *to)
{
	const struct intake_bytes from = bytes(text);
	const struct intake_eye eye = {note, held, to};

	ctx_clear(&l->c);
	return intake_look(&l->c, &from, &eye);
}

static void test_look(void **state)
{
	struct looked seen = {.keys = ""};

	assert_int_equal(
		look(*state, DOCUMENT("k1", "1") DOCUMENT("k2", "2") DOCUMENT("k3", "3"), &seen),
		E_OK);
	assert_string_equal(seen.keys, "k1 k2 k3 ");
	for (long i = 0; i < 3; i++)
		assert_int_equal(seen.items[i], i);
	assert_true(seen.asked >= 3);
	assert_true(seen.most > 100 && seen.most < 100000);
}

/* What an eye says ends the reading; what the importer says reaches who asked. */
static void test_look_ends(void **state)
{
	struct db_lab *l = *state;
	struct looked seen = {.keys = "", .stop_at = 2}, other = {.keys = ""};

	assert_int_equal(
		look(l, DOCUMENT("k1", "1") DOCUMENT("k2", "2") DOCUMENT("k3", "3"), &seen),
		E_FORBIDDEN);
	assert_string_equal(seen.keys, "k1 k2 ");
	assert_string_equal(l->c.detail, "no more of k2");
	assert_int_equal(look(l, DOCUMENT("k1", "1") "fail\n" DOCUMENT("k2", "2"), &other),
			 E_INVALID);
	assert_string_equal(other.keys, "k1 ");
	assert_int_equal(l->c.nfaults, 1);
	assert_string_equal(l->c.faults[0].path, "a.b");
	assert_string_equal(l->c.faults[0].message, "the file is bad");
}

/* More than may be held, over all that it is held in, is refused. */
static void test_held(void **state)
{
	struct db_lab *l = *state;
	struct looked seen = {.keys = ""};

	assert_int_equal(look(l, "much\n", &seen), E_TOO_LARGE);
	assert_non_null(strstr(l->c.detail, "112 MiB"));
	assert_int_equal(seen.most >> 20, 112);
	assert_int_equal(seen.asked, 112);
}

/* --- storing --- */

struct told {
	int begun, created, duplicates;
	int64_t run;
	int broken; /* the first attempts that are to fail as the engine does */
};

static void begin_told(void *arg)
{
	struct told *t = arg;

	t->begun++;
	t->created = t->duplicates = 0;
}

static int stored(struct ctx *c, const struct accepted *k, void *arg)
{
	struct told *t = arg;

	(void)c;
	t->created += !k->duplicate;
	t->duplicates += k->duplicate;
	assert_int_equal(k->nruns, 1);
	t->run = k->run_ids[0];
	return E_OK;
}

static const struct uploader by = {.now = LAB_TIME};
static const struct writer_limits limits = {10, 1 << 20, 0};

static void make_job(struct intake_stream *t, struct ctx *c, const char *text, struct told *told)
{
	const struct intake_bytes from = bytes(text);

	ctx_init(c, arena_new(), NULL);
	intake_stream(t, &from, &by);
	t->begin = begin_told;
	t->stored = stored;
	t->arg = told;
	t->job.ctx = c;
}

static int run_text(struct db_lab *l, const char *text, struct intake_stream *t, struct ctx *c,
		    struct told *told)
{
	struct writer *w;
	int e;

	assert_int_equal(writer_start(&l->c, l->path, &limits, &w), E_OK);
	make_job(t, c, text, told);
	e = writer_run(w, &t->job);
	writer_stop(w);
	return e;
}

static void test_store(void **state)
{
	struct db_lab *l = *state;
	struct intake_stream t;
	struct told told = {0};
	struct ctx c;

	assert_int_equal(run_text(l, DOCUMENT("k1", "1") DOCUMENT("k2", "2") DOCUMENT("k1", "1"),
				  &t, &c, &told),
			 E_OK);
	assert_int_equal(told.created, 2);
	assert_int_equal(told.duplicates, 1);
	assert_int_equal(told.run, 1); /* that of the first */
	assert_int_equal(t.seen, 3);
	assert_int_equal(lab_number(l, &stream_test_runs), 2);
	assert_int_equal(lab_number(l, &stream_test_audits), 1);
	arena_free(c.arena);
	told = (struct told){0};
	assert_int_equal(run_text(l, DOCUMENT("k1", "1") DOCUMENT("k2", "2"), &t, &c, &told), E_OK);
	assert_int_equal(told.duplicates, 2);
	assert_int_equal(lab_number(l, &stream_test_audits), 1);
	arena_free(c.arena);
}

/* All conflicts of the file are told, under their numbers, and nothing is stored. */
static void test_conflicts(void **state)
{
	struct db_lab *l = *state;
	struct intake_stream t;
	struct told told = {0};
	struct ctx c;

	lab_store(l, DOCUMENT("k2", "7"));
	lab_store(l, WITH_UNIT("k5", "s"));
	assert_int_equal(run_text(l,
				  DOCUMENT("k1", "1") DOCUMENT("k2", "2") DOCUMENT("k3", "3")
					  WITH_UNIT("k4", "ms") DOCUMENT("k6", "6"),
				  &t, &c, &told),
			 E_CONFLICT);
	assert_true(t.refused);
	assert_int_equal(t.seen, 5);
	assert_int_equal(told.created, 1); /* before it was known */
	assert_int_equal(c.nfaults, 2);
	assert_int_equal(c.faults[0].item, 1);
	assert_string_equal(c.faults[0].path, "key");
	assert_int_equal(c.faults[1].item, 3);
	assert_string_equal(c.faults[1].path, "units[\"t.a\"]");
	assert_int_equal(lab_number(l, &stream_test_runs), 2);
	arena_free(c.arena);
	assert_int_equal(run_text(l, DOCUMENT("k1", "1") "fail\n", &t, &c, &told), E_INVALID);
	assert_true(t.refused);
	assert_int_equal(t.seen, 0);
	assert_int_equal(lab_number(l, &stream_test_runs), 2);
	arena_free(c.arena);
}

/* --- beside others --- */

static sem_t entered, go;

static int wait_for_go(struct ctx *c, struct job *j)
{
	(void)c;
	(void)j;
	sem_post(&entered);
	return sem_wait(&go);
}

static sem_t all_done;

static void count_done(struct job *j)
{
	(void)j;
	sem_post(&all_done);
}

/* Two in one transaction, of which the second is refused: both run again alone. The first is told
 * everything a second time and is stored once; the faults of the other are not doubled. */
static void test_batch(void **state)
{
	struct db_lab *l = *state;
	struct job gate = {.store = wait_for_go, .done = count_done};
	struct intake_stream good, bad;
	struct told told = {0}, other = {0};
	struct ctx c, d, of_gate;
	struct writer *w;

	lab_store(l, DOCUMENT("k9", "9"));
	sem_init(&entered, 0, 0);
	sem_init(&go, 0, 0);
	sem_init(&all_done, 0, 0);
	assert_int_equal(writer_start(&l->c, l->path, &limits, &w), E_OK);
	ctx_init(&of_gate, arena_new(), NULL);
	gate.ctx = &of_gate;
	assert_int_equal(writer_submit(w, &gate), E_OK);
	sem_wait(&entered);
	make_job(&good, &c, DOCUMENT("k1", "1") DOCUMENT("k2", "2"), &told);
	make_job(&bad, &d, DOCUMENT("k3", "3") DOCUMENT("k9", "8"), &other);
	good.job.done = bad.job.done = count_done;
	assert_int_equal(writer_submit(w, &good.job), E_OK);
	assert_int_equal(writer_submit(w, &bad.job), E_OK);
	sem_post(&go);
	for (int i = 0; i < 3; i++)
		sem_wait(&all_done);
	writer_stop(w);
	assert_int_equal(good.job.result, E_OK);
	assert_int_equal(told.begun, 2);
	assert_int_equal(told.created, 2);
	assert_int_equal(bad.job.result, E_CONFLICT);
	assert_true(bad.refused);
	assert_int_equal(other.begun, 2);
	assert_int_equal(d.nfaults, 1);
	assert_int_equal(d.faults[0].item, 1);
	assert_int_equal(lab_number(l, &stream_test_runs), 3);
	arena_free(c.arena);
	arena_free(d.arena);
	arena_free(of_gate.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(test_look),  LAB_TEST(test_look_ends), LAB_TEST(test_held),
		LAB_TEST(test_store), LAB_TEST(test_conflicts), LAB_TEST(test_batch),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("intake_stream", tests, NULL, NULL);
}
