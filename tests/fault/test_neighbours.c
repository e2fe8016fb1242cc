/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two processes on one file: a second server is refused, a writer that cannot get in says so after
 * its timeout and goes on later, a neighbour that dies inside its transaction leaves nothing, and
 * two writers at once lose nothing and do not mix up their numbers.
 */
#include "tests/fault/lab.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/migrate.h"
#include "db/tokens.h"
#include "tests/fault/vfs.h"

static struct shared {
	bool acknowledged[LAB_JOBS];
} * shared;

static struct lab lab;

static const struct doc RUNS = DOC(DOC_RUNS, 2, 5, 1);
static const struct doc WIDE = DOC(DOC_RUNS, 3, 600, 40);

/* Another process, which says when it is ready and waits until it is told to go on. */
struct neighbour {
	pid_t pid;
	int ready, go; /* the test's ends */
};

static void step(int ready, int go)
{
	char c = 'r';

	if (write(ready, &c, 1) != 1 || read(go, &c, 1) != 1)
		_exit(2);
}

static void wait_ready(const struct neighbour *n)
{
	char c;

	assert_int_equal(read(n->ready, &c, 1), 1);
}

/* Forked while this process has nothing open: SQLite's own state must not be inherited. */
static struct neighbour start(void (*body)(int ready, int go))
{
	struct neighbour n;
	int ready[2], go[2];

	lab_stop(&lab);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	fflush(stdout);
	n.pid = fork();
	assert_true(n.pid >= 0);
	if (n.pid == 0) {
		close(ready[0]);
		close(go[1]);
		body(ready[1], go[0]);
		_exit(0);
	}
	close(ready[1]);
	close(go[0]);
	n.ready = ready[0];
	n.go = go[1];
	wait_ready(&n);
	return n;
}

static void go_on(const struct neighbour *n)
{
	assert_int_equal(write(n->go, "g", 1), 1);
}

static void end(struct neighbour *n, int status_wanted)
{
	int status;

	assert_int_equal(waitpid(n->pid, &status, 0), n->pid);
	assert_int_equal(status, status_wanted);
	close(n->ready);
	close(n->go);
}

/* --- a second server --- */

static void serve(int ready, int go)
{
	struct ctx c;
	int fd;

	ctx_init(&c, arena_new(), NULL);
	if (db_lock_server(&c, lab.path, &fd) < 0)
		_exit(1);
	step(ready, go);
}

static void test_a_second_server(void **state)
{
	struct arena *a = arena_new();
	struct neighbour n = start(serve);
	struct ctx c;
	int fd;

	(void)state;
	ctx_init(&c, a, NULL);
	assert_int_equal(lab_start(&lab), E_OK);
	assert_int_equal(db_lock_server(&c, lab.path, &fd), E_BUSY);
	assert_non_null(strstr(c.detail, "another server runs on"));
	/* A command beside it may write. */
	lab_send(&lab, 0, 1);
	assert_int_equal(lab.uploads[0].result, E_OK);
	kill(n.pid, SIGKILL);
	end(&n, SIGKILL);
	ctx_clear(&c);
	assert_int_equal(db_lock_server(&c, lab.path, &fd), E_OK); /* it dies with its holder */
	close(fd);
	arena_free(a);
}

/* --- a neighbour inside a transaction --- */

static struct db *neighbour_db(struct ctx *c)
{
	struct db *db;

	ctx_init(c, arena_new(), NULL);
	if (db_open(c, lab.path, DB_WRITE, &db) < 0)
		_exit(1);
	c->db = db;
	return db;
}

static void hold(int ready, int go)
{
	struct ctx c;
	struct db *db;

	step(ready, go);
	db = neighbour_db(&c);
	if (db_begin_write(&c) < 0 || audit_add(&c, 1, -1, "neighbour", "held", NULL, NULL) < 0)
		_exit(1);
	step(ready, go);
	if (db_commit(&c) < 0)
		_exit(1);
	db_close(db);
}

/* Its pages go to the log before the commit that never comes. */
static void hold_much(int ready, int go)
{
	struct ctx c;

	step(ready, go);
	neighbour_db(&c);
	if (db_exec(&c, "PRAGMA cache_size = 4") < 0 || db_begin_write(&c) < 0 ||
	    db_exec(&c,
		    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		    "3000) INSERT INTO metric (name, created) SELECT 'neighbour.' || i, 1 FROM n") <
		    0)
		_exit(1);
	step(ready, go);
	abort();
}

static int shorten(struct ctx *c, struct job *j)
{
	(void)j;
	return db_exec(c, "PRAGMA busy_timeout = 5");
}

/* The neighbour is inside its transaction when this returns. The writer waits for others as long as
 * a rig can be kept waiting; not so here. */
static struct neighbour start_holding(void (*body)(int ready, int go))
{
	struct neighbour n = start(body);
	struct ctx c;
	struct job j = {.store = shorten, .ctx = &c};

	assert_int_equal(lab_start(&lab), E_OK);
	ctx_init(&c, arena_new(), NULL);
	assert_int_equal(writer_run(lab.w, &j), E_OK);
	arena_free(c.arena);
	go_on(&n);
	wait_ready(&n);
	return n;
}

static void test_a_held_database(void **state)
{
	struct neighbour n = start_holding(hold);

	(void)state;
	lab_send(&lab, 0, 1);
	assert_int_equal(lab.uploads[0].result, E_BUSY);
	lab_send_together(&lab, 0, lab.nuploads);
	for (int i = 0; i < lab.nuploads; i++)
		assert_int_equal(lab.uploads[i].result, E_BUSY);
	go_on(&n);
	end(&n, 0);
	lab_resend(&lab, "after a neighbour held the database");
}

static void test_a_neighbour_that_dies(void **state)
{
	struct neighbour n = start_holding(hold_much);

	(void)state;
	lab_send(&lab, 0, 1);
	assert_int_equal(lab.uploads[0].result, E_BUSY);
	kill(n.pid, SIGKILL);
	end(&n, SIGKILL);
	/* The lock and the half transaction went with it: no restart, no orphans. */
	lab_send_together(&lab, 0, lab.nuploads);
	for (int i = 0; i < lab.nuploads; i++)
		assert_int_equal(lab.uploads[i].result, E_OK);
	lab_resend(&lab, "after a neighbour died");
}

/* --- two writers --- */

static void note_ack(const struct lab *l, int upload)
{
	(void)l;
	shared->acknowledged[upload] = true;
}

/* Every other upload from this one on, until all are stored: busy is no failure. */
static void send_every_other(int from)
{
	for (int i = from; i < lab.nuploads; i += 2) {
		do
			lab_send(&lab, i, 1);
		while (lab.uploads[i].result == E_BUSY);
	}
}

static void write_beside(int ready, int go)
{
	lab.on_ack = note_ack;
	if (lab_start(&lab) < 0)
		_exit(1);
	step(ready, go);
	send_every_other(1);
	lab_stop(&lab);
}

static void test_two_writers(void **state)
{
	int rounds = lab_long() ? 20 : 2;

	(void)state;
	for (int i = 0; i < 30; i++)
		lab_add(&lab, i % 5 ? JOB_OBJECT : JOB_ARRAY, i % 5 ? 1 : 2, i % 7 ? RUNS : WIDE);
	for (int r = 0; r < rounds; r++) {
		struct neighbour n;

		lab_stop(&lab);
		lab_remove(lab.path);
		lab_forget(&lab);
		memset(shared, 0, sizeof(*shared));
		n = start(write_beside);
		assert_int_equal(lab_start(&lab), E_OK);
		go_on(&n);
		send_every_other(0);
		end(&n, 0);
		for (int i = 0; i < lab.nuploads; i++) {
			lab.uploads[i].acknowledged |= shared->acknowledged[i];
			assert_true(lab.uploads[i].acknowledged);
		}
		lab_verify_all(&lab, lab.path, "two writers");
		lab_resend(&lab, "two writers");
	}
	printf("# %d rounds of two writers, %d uploads each\n", rounds, lab.nuploads);
}

static int setup(void **state)
{
	(void)state;
	lab_init(&lab);
	for (int i = 0; i < 4; i++)
		lab_add(&lab, JOB_OBJECT, 1, RUNS);
	return lab_start(&lab);
}

static int teardown(void **state)
{
	(void)state;
	lab_end(&lab);
	return 0;
}

static int setup_all(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	vfs_install();
	return 0;
}

#define ON_LAB(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_LAB(test_a_second_server),
		ON_LAB(test_a_held_database),
		ON_LAB(test_a_neighbour_that_dies),
		ON_LAB(test_two_writers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("neighbours", tests, setup_all, NULL);
}
