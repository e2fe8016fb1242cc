/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power cuts. A workload runs once and everything that reached its files is recorded; then, for
 * each operation k, the files are made as a disk may have them when the power goes just before it:
 * what was synced is there; of what was not, nothing survives, or everything, or any sectors of 512
 * bytes; a created or removed file may be so or not until its folder was synced. From these bytes
 * the database is opened again: what was acknowledged before k must be there.
 *
 * FAULTS=long cuts at every k with many seeds; the short form takes a stride.
 */
#include "tests/fault/lab.h"

#include <unistd.h>

#include "db/migrate.h"
#include "tests/fault/vfs.h"

#define SECTOR   512
#define INODES   64
#define MAX_FILE ((size_t)64 << 20)

/* A file's bytes: as synced, and what was done since (numbers of operations). */
struct inode {
	unsigned char *synced;
	size_t size, cap;
	size_t *since, nsince, since_cap;
};

static struct lab lab;
static struct inode inodes[INODES];
static int ninodes;
/* Inode of each name, -1 for none: as programs see it, and as it was when the folder was synced. */
static int entry[TRACE_FILES], synced_entry[TRACE_FILES];
static uint64_t random_state;

static uint32_t random_next(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33);
}

/* --- the disk --- */

static void reserve(struct inode *n, size_t size)
{
	assert_true(size <= MAX_FILE);
	if (size <= n->cap)
		return;
	n->cap = size * 2;
	n->synced = realloc(n->synced, n->cap);
	assert_non_null(n->synced);
}

static void set_size(struct inode *n, size_t size)
{
	reserve(n, size);
	if (size > n->size)
		memset(n->synced + n->size, 0, size - n->size);
	n->size = size;
}

static void put(struct inode *n, size_t at, const void *data, size_t length)
{
	if (at + length > n->size)
		set_size(n, at + length);
	memcpy(n->synced + at, data, length);
}

static void apply(struct inode *n, const struct trace_op *op)
{
	if (op->kind == TRACE_TRUNCATE)
		set_size(n, (size_t)op->offset);
	else
		put(n, (size_t)op->offset, op->data, (size_t)op->length);
}

static void sync_folder(void)
{
	memcpy(synced_entry, entry, sizeof(entry));
}

static void disk_clear(void)
{
	for (int i = 0; i < ninodes; i++) {
		free(inodes[i].synced);
		free(inodes[i].since);
	}
	memset(inodes, 0, sizeof(inodes));
	ninodes = 0;
	for (int f = 0; f < TRACE_FILES; f++)
		entry[f] = synced_entry[f] = -1;
}

/* The disk after the operation. */
static void disk_step(const struct trace *t, size_t i)
{
	const struct trace_op *op = &t->ops[i];
	struct inode *n;

	if (op->kind == TRACE_ACK)
		return;
	if (op->kind == TRACE_CREATE) {
		assert_true(ninodes < INODES);
		entry[op->file] = ninodes++;
		return;
	}
	if (op->kind == TRACE_DELETE) {
		entry[op->file] = -1;
		if (op->folder)
			sync_folder();
		return;
	}
	n = &inodes[entry[op->file]];
	if (op->kind == TRACE_SYNC) {
		for (size_t k = 0; k < n->nsince; k++)
			apply(n, &t->ops[n->since[k]]);
		n->nsince = 0;
		if (op->folder)
			sync_folder();
		return;
	}
	if (n->nsince == n->since_cap) {
		n->since_cap = n->since_cap ? 2 * n->since_cap : 64;
		n->since = realloc(n->since, n->since_cap * sizeof(*n->since));
		assert_non_null(n->since);
	}
	n->since[n->nsince++] = i;
}

/* --- a cut --- */

enum survival { NOTHING, EVERYTHING, SOME };

/* Sectors of a write that reach the disk, each with a chance of odds / 256. */
static void apply_torn(struct inode *n, const struct trace_op *op, unsigned odds)
{
	size_t at = (size_t)op->offset, end = at + (size_t)op->length;

	if (op->kind == TRACE_TRUNCATE) {
		if (random_next() % 256 < odds)
			apply(n, op);
		return;
	}
	while (at < end) {
		size_t stop = (at / SECTOR + 1) * SECTOR;

		if (stop > end)
			stop = end;
		if (random_next() % 256 < odds)
			put(n, at, op->data + (at - (size_t)op->offset), stop - at);
		at = stop;
	}
}

static void write_file(const struct trace *t, const struct inode *from, const char *name,
		       enum survival how)
{
	unsigned odds = random_next() % 256;
	struct inode n = {0};
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	if (from->size)
		put(&n, 0, from->synced, from->size);
	for (size_t k = 0; how != NOTHING && k < from->nsince; k++) {
		const struct trace_op *op = &t->ops[from->since[k]];

		if (how == EVERYTHING)
			apply(&n, op);
		else
			apply_torn(&n, op, odds);
	}
	if (n.size)
		assert_int_equal(fwrite(n.synced, 1, n.size, f), n.size);
	assert_int_equal(fclose(f), 0);
	free(n.synced);
}

/* The files of the disk as the power left them. */
static void cut(const struct trace *t, const char *path, enum survival how)
{
	lab_remove(path);
	for (int f = 0; f < TRACE_FILES; f++) {
		bool now = how == EVERYTHING || (how == SOME && random_next() % 2);
		int inode = now ? entry[f] : synced_entry[f];
		char name[120];

		if (inode < 0)
			continue;
		snprintf(name, sizeof(name), "%s%s", path, trace_suffixes[f]);
		write_file(t, &inodes[inode], name, how);
	}
}

/* --- workloads --- */

static const struct doc RUNS = DOC(DOC_RUNS, 2, 5, 1);
static const struct doc ONE = DOC(DOC_RUNS, 1, 5, 1);
static const struct doc WIDE = DOC(DOC_RUNS, 3, 600, 40);
static const struct doc LARGE = DOC(DOC_RUNS, 60, 2000, 1); /* three make a log of over 2 MiB */
static const struct doc FIGURES = DOC(DOC_SUMMARY, 0, 7, 3);

static void checkpoint(void)
{
	struct arena *a = arena_new();
	struct ctx c;
	struct db *db;

	ctx_init(&c, a, NULL);
	assert_int_equal(db_open(&c, lab.path, DB_WRITE, &db), E_OK);
	db_checkpoint(db);
	db_close(db);
	arena_free(a);
}

/* From no database at all: made, filled, the log moved and begun again, stopped and started. */
static void everything(void)
{
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_ARRAY, 3, ONE);
	lab_add_conflict(&lab, 0);
	lab_add(&lab, JOB_OBJECT, 1, FIGURES);
	lab_add(&lab, JOB_LINES, 4, RUNS);
	lab_add(&lab, JOB_OBJECT, 1, WIDE);
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_OBJECT, 1, FIGURES);
	assert_int_equal(lab_start(&lab), E_OK);
	lab_send(&lab, 0, 1);
	lab_send_together(&lab, 1, 3);
	checkpoint();
	lab_send(&lab, 4, 2);
	lab_stop(&lab);
	assert_int_equal(lab_start(&lab), E_OK);
	lab_send_together(&lab, 6, 2);
	lab_send(&lab, 8, 1);
	lab_stop(&lab);
}

/* A log that grows until the writer moves it while it idles, and is then overwritten. */
static void a_large_log(void)
{
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_ARRAY, 3, LARGE);
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_OBJECT, 1, FIGURES);
	assert_int_equal(lab_start(&lab), E_OK);
	lab_send(&lab, 0, 4);
	lab_stop(&lab);
}

/* --- the test --- */

static struct {
	int64_t cuts, points, resent;
} figures;

/* One cut, looked at. Now and then everything is sent again to what is left. */
static void try_cut(const struct trace *t, size_t k, int seed, const bool *acknowledged)
{
	enum survival how = seed == 0 ? NOTHING : seed == 1 ? EVERYTHING : SOME;
	char place[80];

	snprintf(place, sizeof(place), "power cut before operation %zu, seed %d", k, seed);
	random_state = k * 1000003u + (unsigned)seed;
	for (int i = 0; i < lab.nuploads; i++)
		lab.uploads[i].acknowledged = acknowledged[i];
	cut(t, lab.path, how);
	metrics_forget_all();
	lab_verify(&lab, lab.path, place);
	if (figures.cuts++ % 16 == 0) {
		metrics_forget_all();
		lab_resend(&lab, place);
		lab_stop(&lab);
		figures.resent++;
	}
}

static void cut_everywhere(void (*workload)(void), size_t stride, int seeds)
{
	bool acknowledged[LAB_JOBS] = {false};
	const struct trace *t;

	lab_init(&lab);
	memset(&figures, 0, sizeof(figures));
	vfs_trace_begin();
	workload();
	t = vfs_trace_end();
	for (int i = 0; i < lab.nuploads; i++)
		assert_true(lab.uploads[i].conflicting || lab.uploads[i].acknowledged);
	lab_verify_all(&lab, lab.path, "without a cut");
	disk_clear();
	for (size_t k = 0; k <= t->n; k++) {
		/* Always around what matters: a sync and an acknowledgement. */
		bool near =
			k < t->n && (t->ops[k].kind == TRACE_SYNC || t->ops[k].kind == TRACE_ACK ||
				     (k && t->ops[k - 1].kind == TRACE_ACK));

		if (k % stride == 0 || k == t->n || (near && t->n < 1000)) {
			figures.points++;
			for (int seed = 0; seed < seeds; seed++)
				try_cut(t, k, seed, acknowledged);
		}
		if (k == t->n)
			break;
		if (t->ops[k].kind == TRACE_ACK)
			acknowledged[t->ops[k].job] = true;
		disk_step(t, k);
	}
	printf("# %lld power cuts at %lld of %zu operations; %lld acknowledged uploads looked for, "
	       "%lld more found; sent again after %lld cuts\n",
	       (long long)figures.cuts, (long long)figures.points, t->n, (long long)lab.checked,
	       (long long)lab.unconfirmed, (long long)figures.resent);
	disk_clear();
	lab_end(&lab);
}

static void test_everything(void **state)
{
	(void)state;
	cut_everywhere(everything, lab_long() ? 1 : 7, lab_long() ? 12 : 3);
}

static void test_a_large_log(void **state)
{
	(void)state;
	cut_everywhere(a_large_log, lab_long() ? 3 : 67, lab_long() ? 4 : 3);
}

static int setup(void **state)
{
	(void)state;
	vfs_install();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_a_large_log),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("power", tests, setup, NULL);
}
