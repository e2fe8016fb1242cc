/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The k-th operation of a kind fails, k growing until the body gets by without it: once, so that
 * the program must go on by itself, and from then on, as a broken or full disk does. After each k
 * the database is looked at three times: as a crash at that moment would leave it, after everything
 * was sent again to the same writer, and reopened. FAULTS=long walks every k of every body; the
 * short form takes strides where there are many.
 */
#include "tests/fault/lab.h"

#include <sqlite3.h>

#include "tests/fault/vfs.h"

static struct lab lab;
static char template[100];

/* What is done while faults are armed. The uploads were added by its prepare(). */
struct body {
	const char *name;
	bool fresh;   /* there is no database yet; else a copy of the template, being written */
	bool started; /* the writer runs when it begins */
	void (*prepare)(struct lab *l);
	void (*run)(struct lab *l);
	int stride; /* of the short form, after the first few k: syncs and opens are few */
};

static const struct fault_kind {
	enum vfs_op op;
	int code;
	bool rare; /* seldom in the short form */
} kinds[] = {
	{VFS_WRITE, SQLITE_IOERR_WRITE, false},       {VFS_WRITE, SQLITE_FULL, false},
	{VFS_SYNC, SQLITE_IOERR_FSYNC, false},        {VFS_OPEN, SQLITE_CANTOPEN, false},
	{VFS_TRUNCATE, SQLITE_IOERR_TRUNCATE, false}, {VFS_DELETE, SQLITE_IOERR_DELETE, false},
	{VFS_SHM, SQLITE_IOERR_SHMMAP, false},        {VFS_READ, SQLITE_IOERR_READ, true},
	{VFS_LOCK, SQLITE_IOERR_LOCK, true},          {VFS_SIZE, SQLITE_IOERR_FSTAT, true},
};

static const struct doc RUNS = DOC(DOC_RUNS, 2, 5, 1);
static const struct doc ONE = DOC(DOC_RUNS, 1, 5, 1);
static const struct doc WIDE = DOC(DOC_RUNS, 3, 600, 40); /* values over several pages */
static const struct doc FIGURES = DOC(DOC_SUMMARY, 0, 7, 3);
static const struct doc NOTE = DOC(DOC_NOTE, 0, 0, 0);

static void nothing(struct lab *l)
{
	(void)l;
}

static void one_upload(struct lab *l)
{
	lab_add(l, JOB_OBJECT, 1, WIDE);
}

static void one_summary(struct lab *l)
{
	lab_add(l, JOB_OBJECT, 1, FIGURES);
}

/* Small and large, arrays and summaries, one that contradicts what is stored. */
static void a_batch(struct lab *l)
{
	lab_add(l, JOB_OBJECT, 1, RUNS);
	lab_add(l, JOB_ARRAY, 3, RUNS);
	lab_add_conflict(l, 0);
	lab_add(l, JOB_OBJECT, 1, FIGURES);
	lab_add(l, JOB_OBJECT, 1, NOTE);
	lab_add(l, JOB_OBJECT, 1, ONE);
	lab_add(l, JOB_ARRAY, 2, WIDE);
}

/* Of the template's first document. */
static void a_replacement(struct lab *l)
{
	lab_add(l, JOB_OBJECT, 1,
		(struct doc){
			.kind = DOC_RUNS, .runs = 1, .metrics = 4, .first = 2, .replaces = true});
}

static void twenty_lines(struct lab *l)
{
	lab_add(l, JOB_LINES, 20, RUNS);
}

static void run_open(struct lab *l)
{
	lab_start(l);
}

/* Where the template's uploads end. */
static int first, first_doc;

static void run_send(struct lab *l)
{
	lab_send(l, first, l->nuploads - first);
}

static void run_together(struct lab *l)
{
	lab_send_together(l, first, l->nuploads - first);
}

static void run_import(struct lab *l)
{
	if (lab_start(l) < 0)
		return;
	run_send(l);
	lab_stop(l); /* with its checkpoint */
}

static void run_token(struct lab *l)
{
	lab_token(l);
}

/* By a connection of its own, beside the writer. */
static void run_checkpoint(struct lab *l)
{
	struct arena *a = arena_new();
	struct ctx c;
	struct db *db;

	ctx_init(&c, a, NULL);
	if (db_open(&c, l->path, DB_WRITE, &db) >= 0) {
		db_checkpoint(db);
		db_close(db);
	}
	arena_free(a);
	run_send(l);
}

static const struct body bodies[] = {
	{"open and migrate a new database", true, false, one_upload, run_open, 29},
	{"open a database", false, false, one_upload, run_open, 5},
	{"an upload", false, true, one_upload, run_send, 11},
	{"a summary", false, true, one_summary, run_send, 11},
	{"a batch with a conflict", false, true, a_batch, run_together, 19},
	{"twenty lines imported", false, false, twenty_lines, run_import, 23},
	{"a token", false, false, nothing, run_token, 13},
	{"a replacement", false, true, a_replacement, run_send, 7},
	{"a checkpoint", false, true, one_upload, run_checkpoint, 13},
};
#define BODIES (sizeof(bodies) / sizeof(bodies[0]))

/* A database with a checkpointed part and a log, which every k starts from. */
static void make_template(struct lab *l)
{
	lab_add(l, JOB_OBJECT, 1, RUNS);
	lab_add(l, JOB_ARRAY, 2, RUNS);
	assert_int_equal(lab_start(l), E_OK);
	lab_send(l, 0, 1);
	lab_stop(l);
	assert_int_equal(lab_start(l), E_OK);
	lab_send(l, 1, 1);
	lab_verify_all(l, l->path, "the template");
	snprintf(template, sizeof(template), "%s/template.db", l->dir);
	lab_copy(l->path, template);
	lab_stop(l);
	first = l->nuploads;
	first_doc = l->ndocs;
}

static int setup(void **state)
{
	(void)state;
	vfs_install();
	lab_init(&lab);
	make_template(&lab);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_remove(template);
	lab_end(&lab);
	return 0;
}

/* The state that a k begins with. */
static void begin(const struct body *b)
{
	lab_stop(&lab);
	lab_forget(&lab);
	lab_remove(lab.path);
	if (!b->fresh) {
		lab_copy(template, lab.path);
		for (int i = 0; i < first; i++)
			lab.uploads[i].acknowledged = true;
	}
	if (b->started)
		assert_int_equal(lab_start(&lab), E_OK);
}

static void check_results(const struct fault_kind *f, const char *place)
{
	for (int i = first; i < lab.nuploads; i++) {
		const struct upload *u = &lab.uploads[i];
		bool fine = u->result >= 0 || u->result == E_INTERNAL || u->result == E_BUSY ||
			    (u->conflicting && u->result == E_CONFLICT) ||
			    (f->code == SQLITE_FULL && u->result == E_DISK_FULL);

		if (!fine || (u->conflicting && u->result >= 0))
			broken("%s: upload %d ended with %d", place, i, u->result);
	}
}

/* After the body, faults off. The running writer comes first: looking into another database would
 * fill the process's dictionary from there. */
static void examine(const char *place)
{
	static struct lab crash;

	lab_copy(lab.path, lab.crash);
	crash = lab;
	crash.checked = crash.unconfirmed = 0;
	lab_resend(&lab, place);
	lab_stop(&lab);
	lab_verify(&crash, lab.crash, place);
	lab.checked += crash.checked;
	lab.unconfirmed += crash.unconfirmed;
	metrics_forget_all();
}

/* All k of one body and one kind of fault; returns how many were reached. */
static int64_t walk(const struct body *b, const struct fault_kind *f, int64_t times)
{
	int64_t step = lab_long() ? 1 : f->rare ? 5 * b->stride : b->stride, reached = 0;
	char place[160];

	FAULT_LOOP(k, k < 4 ? 1 : step, (begin(b), vfs_fail_at(f->op, k, times, f->code)))
	{
		snprintf(place, sizeof(place), "%s: %s %lld (%s) fails with %d", b->name,
			 vfs_op_name(f->op), (long long)k, times == 1 ? "once" : "and on", f->code);
		b->run(&lab);
		vfs_fail_at(f->op, 0, 0, 0);
		if (vfs_failed()) {
			reached++;
			check_results(f, place);
		} else {
			for (int i = first; b->run != run_open && i < lab.nuploads; i++)
				if (!lab.uploads[i].conflicting)
					assert_true(lab.uploads[i].result >= 0);
		}
		examine(place);
	}
	return reached;
}

static int reset(void **state)
{
	(void)state;
	vfs_fail_at(VFS_WRITE, 0, 0, 0);
	lab_stop(&lab);
	lab.nuploads = first;
	lab.ndocs = first_doc;
	return 0;
}

static void test_body(const struct body *b)
{
	int64_t total = 0, checked = lab.checked, unconfirmed = lab.unconfirmed;

	b->prepare(&lab);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int64_t n = 0;

		n += walk(b, &kinds[i], 1);
		n += walk(b, &kinds[i], VFS_FOREVER);
		total += n;
		if (lab_long())
			printf("#   %s: %s (%d): %lld k\n", b->name, vfs_op_name(kinds[i].op),
			       kinds[i].code, (long long)n);
	}
	printf("# %s: %lld k; %lld acknowledged uploads looked for, %lld more found that were "
	       "reported as failed\n",
	       b->name, (long long)total, (long long)(lab.checked - checked),
	       (long long)(lab.unconfirmed - unconfirmed));
	assert_true(total > 0);
}

#define BODY_TEST(n)                                                                               \
	static void test_body_##n(void **state)                                                    \
	{                                                                                          \
		(void)state;                                                                       \
		test_body(&bodies[n]);                                                             \
	}
BODY_TEST(0)
BODY_TEST(1)
BODY_TEST(2)
BODY_TEST(3)
BODY_TEST(4)
BODY_TEST(5)
BODY_TEST(6)
BODY_TEST(7)
BODY_TEST(8)

/* Space runs out at the k-th write of a batch and returns after some more, or after the batch. Jobs
 * that met it say so; later ones succeed on the same writer, and no number that was handed out and
 * undone is used again for something else. */
static void test_disk_full(void **state)
{
	static const int64_t lasts[] = {1, 2, 3, 7, 40, VFS_FOREVER};
	int64_t tried = 0, refused = 0;

	(void)state;
	a_batch(&lab);
	for (size_t n = 0; n < sizeof(lasts) / sizeof(lasts[0]); n++) {
		FAULT_LOOP(k, lab_long() || k < 4 ? 1 : 23,
			   (begin(&bodies[4]), vfs_fail_at(VFS_WRITE, k, lasts[n], SQLITE_FULL)))
		{
			char place[80];
			int fine = 0;

			snprintf(place, sizeof(place), "disk full from write %lld for %lld",
				 (long long)k, (long long)lasts[n]);
			run_together(&lab);
			vfs_fail_at(VFS_WRITE, 0, 0, 0);
			for (int i = first; i < lab.nuploads; i++) {
				const struct upload *u = &lab.uploads[i];

				if (u->conflicting)
					continue;
				if (u->result < 0 && u->result != E_DISK_FULL)
					broken("%s: upload %d: %d", place, i, u->result);
				refused += u->result < 0;
				fine += u->result >= 0;
			}
			/* The batch failed, and each job was tried alone after it. */
			if (lasts[n] == 1 && fine != lab.nuploads - first - 1)
				broken("%s: only %d uploads got through", place, fine);
			examine(place);
			tried += vfs_failed();
		}
	}
	printf("# disk full in a batch: %lld k, %lld uploads refused\n", (long long)tried,
	       (long long)refused);
	assert_true(refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{bodies[0].name, test_body_0, NULL, reset, NULL},
		{bodies[1].name, test_body_1, NULL, reset, NULL},
		{bodies[2].name, test_body_2, NULL, reset, NULL},
		{bodies[3].name, test_body_3, NULL, reset, NULL},
		{bodies[4].name, test_body_4, NULL, reset, NULL},
		{bodies[5].name, test_body_5, NULL, reset, NULL},
		{bodies[6].name, test_body_6, NULL, reset, NULL},
		{bodies[7].name, test_body_7, NULL, reset, NULL},
		{bodies[8].name, test_body_8, NULL, reset, NULL},
		cmocka_unit_test_teardown(test_disk_full, reset),
	};

	_Static_assert(BODIES == 9, "a row for each body");
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("faults", tests, setup, teardown);
}
