/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process dies while it writes, and its log is damaged on top: cut short at every frame and
 * within, or a byte of it turned. What was checkpointed, and every upload whose frames end before
 * the damage, is there; the rest is whole or not there, and nothing crashes.
 */
#include "tests/fault/lab.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/vfs.h"

#define WAL_HEAD  32
#define WAL_FRAME (24 + 8192)

/* What the child leaves behind: how long the log was when each upload was acknowledged. */
static struct shared {
	int64_t log_end[LAB_JOBS]; /* 0: it was not */
} * shared;

static struct lab lab;
static char killed[100]; /* the database as the dead process left it */
static int64_t damages;

static const struct doc RUNS = DOC(DOC_RUNS, 2, 5, 1);
static const struct doc WIDE = DOC(DOC_RUNS, 3, 600, 40);
static const struct doc FIGURES = DOC(DOC_SUMMARY, 0, 7, 3);

static int64_t log_length(const char *path)
{
	char name[120];
	struct stat s;

	snprintf(name, sizeof(name), "%s-wal", path);
	return stat(name, &s) == 0 ? (int64_t)s.st_size : 0;
}

static void note_end(const struct lab *l, int upload)
{
	shared->log_end[upload] = log_length(l->path);
}

/* The first upload is in the database file, the others come to the log. */
static void make_base(void)
{
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	assert_int_equal(lab_start(&lab), E_OK);
	lab_send(&lab, 0, 1);
	lab_stop(&lab);
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_ARRAY, 3, RUNS);
	lab_add(&lab, JOB_OBJECT, 1, FIGURES);
	lab_add(&lab, JOB_OBJECT, 1, WIDE);
	lab_add(&lab, JOB_LINES, 3, RUNS);
	lab_copy(lab.path, lab.crash);
}

/* Writes in another process, which dies before its k-th write; false: it got through all. */
static void write_and_die(int64_t k)
{
	pid_t child;
	int status;

	memset(shared, 0, sizeof(*shared));
	lab_copy(lab.crash, lab.path);
	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		lab.on_ack = note_end;
		vfs_exit_at_write(k);
		if (lab_start(&lab) < 0)
			_exit(1);
		lab_send(&lab, 1, lab.nuploads - 1);
		_exit(0); /* closes nothing */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	lab_copy(lab.path, killed);
}

/* Acknowledged are those whose log ends at most at the offset. */
static void expect_up_to(int64_t offset)
{
	for (int i = 1; i < lab.nuploads; i++)
		lab.uploads[i].acknowledged = shared->log_end[i] && shared->log_end[i] <= offset;
}

static void look(const char *what, int64_t k, int64_t offset)
{
	char place[100];

	snprintf(place, sizeof(place), "killed at write %lld, log %s at %lld", (long long)k, what,
		 (long long)offset);
	metrics_forget_all();
	lab_verify(&lab, lab.path, place);
	if (damages++ % 16 == 0) {
		metrics_forget_all();
		lab_resend(&lab, place);
		lab_stop(&lab);
	}
}

static void cut_log(int64_t k, int64_t offset)
{
	char name[120];

	lab_copy(killed, lab.path);
	snprintf(name, sizeof(name), "%s-wal", lab.path);
	assert_int_equal(truncate(name, offset), 0);
	expect_up_to(offset);
	look("cut", k, offset);
}

static void turn_byte(int64_t k, int64_t offset)
{
	char name[120];
	FILE *f;
	int c;

	lab_copy(killed, lab.path);
	snprintf(name, sizeof(name), "%s-wal", lab.path);
	f = fopen(name, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, offset, SEEK_SET), 0);
	c = fgetc(f);
	assert_int_equal(fseek(f, offset, SEEK_SET), 0);
	fputc(c ^ 0x20, f);
	assert_int_equal(fclose(f), 0);
	expect_up_to(offset);
	look("damaged", k, offset);
}

static void damage_everywhere(int64_t k)
{
	int64_t length = log_length(killed), step = lab_long() ? 1 : 3;

	expect_up_to(INT64_MAX);
	lab_copy(killed, lab.path);
	look("whole", k, length);
	for (int64_t i = 0; i < WAL_HEAD && i < length; i += lab_long() ? 1 : 8)
		turn_byte(k, i);
	for (int64_t i = 0; i < WAL_HEAD && i < length; i += 13)
		cut_log(k, i);
	for (int64_t at = WAL_HEAD; at < length; at += step * WAL_FRAME) {
		cut_log(k, at);
		cut_log(k, at + 24 < length ? at + 24 : length);
		turn_byte(k, at + (at / WAL_FRAME) % 24); /* its head: page, size, salt, sum */
		if (at + 24 + 4000 < length) {
			cut_log(k, at + 24 + 4000);
			turn_byte(k, at + 24 + 4000);
		}
	}
}

static void test_torn_logs(void **state)
{
	static const int64_t few[] = {75, INT64_MAX}, many[] = {3, 20, 41, 60, 75, 90, INT64_MAX};
	const int64_t *points = lab_long() ? many : few;
	size_t n = lab_long() ? sizeof(many) / sizeof(many[0]) : sizeof(few) / sizeof(few[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		write_and_die(points[i]);
		damage_everywhere(points[i]);
	}
	printf("# %zu dead writers, %lld logs; %lld acknowledged uploads looked for, %lld more "
	       "found\n",
	       n, (long long)damages, (long long)lab.checked, (long long)lab.unconfirmed);
	assert_true(lab.checked > damages);
}

static int setup(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	vfs_install();
	lab_init(&lab);
	snprintf(killed, sizeof(killed), "%s/killed.db", lab.dir);
	make_base();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_remove(killed);
	lab_end(&lab);
	munmap(shared, sizeof(*shared));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_torn_logs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("torn", tests, setup, teardown);
}
