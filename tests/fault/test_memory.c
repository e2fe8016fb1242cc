/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The k-th allocation fails, of the program itself (its calls of malloc are wrapped by the linker),
 * of SQLite or of jansson, once or from then on, while a child process opens a database and stores
 * uploads. The program ends at a failed allocation by design: the child must end by die() and say
 * so, or report an error that is not the client's, or succeed. Afterwards the database is whole and
 * what was acknowledged is there.
 */
#include "tests/fault/lab.h"

#include <jansson.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/vfs.h"

enum owner { PROGRAM, SQLITE, JANSSON, OWNERS };
static const char *const owner_names[OWNERS] = {"the program", "SQLite", "jansson"};

static struct shared {
	bool reached;
	int result[LAB_JOBS];
	bool acknowledged[LAB_JOBS];
} * shared;

static struct {
	atomic_int owner; /* OWNERS: nobody's fail */
	atomic_llong k, times, seen;
} armed = {.owner = OWNERS};

static struct lab lab;
static char template[100], words[100];

/* Whether this allocation is one that fails. */
static bool turn(enum owner who)
{
	long long n;

	if (atomic_load(&armed.owner) != (int)who)
		return false;
	n = atomic_fetch_add(&armed.seen, 1) + 1;
	if (n < atomic_load(&armed.k) || n - atomic_load(&armed.k) >= atomic_load(&armed.times))
		return false;
	shared->reached = true;
	return true;
}

/* --- the program's: see WRAPPED in the Makefile --- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

static _Thread_local bool for_jansson, jansson_fails;

void *__wrap_malloc(size_t n)
{
	if (for_jansson ? jansson_fails : turn(PROGRAM))
		return NULL;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return turn(PROGRAM) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return turn(PROGRAM) ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return turn(PROGRAM) ? NULL : __real_strdup(s);
}

/* --- jansson's, which the program may have given a function of its own --- */

static json_malloc_t jansson_malloc;

static void *faulty_jansson_malloc(size_t n)
{
	void *p;

	jansson_fails = turn(JANSSON);
	for_jansson = true;
	p = jansson_fails && jansson_malloc == __real_malloc ? NULL : jansson_malloc(n);
	for_jansson = false;
	return p;
}

/* --- SQLite's --- */

static sqlite3_mem_methods real_sqlite;

static void *faulty_sqlite_malloc(int n)
{
	return turn(SQLITE) ? NULL : real_sqlite.xMalloc(n);
}

static void *faulty_sqlite_realloc(void *p, int n)
{
	return turn(SQLITE) ? NULL : real_sqlite.xRealloc(p, n);
}

static void install(void)
{
	sqlite3_mem_methods faulty;
	json_free_t jansson_free;

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_sqlite), SQLITE_OK);
	faulty = real_sqlite;
	faulty.xMalloc = faulty_sqlite_malloc;
	faulty.xRealloc = faulty_sqlite_realloc;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty), SQLITE_OK);
	/* Small pieces would come from a pool. */
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
	json_get_alloc_funcs(&jansson_malloc, &jansson_free);
	json_set_alloc_funcs(faulty_jansson_malloc, jansson_free);
	vfs_install();
}

/* --- the child --- */

static void note_ack(const struct lab *l, int upload)
{
	(void)l;
	shared->acknowledged[upload] = true;
}

static void write_uploads(void)
{
	if (lab_start(&lab) < 0)
		_exit(1);
	lab_send(&lab, 1, lab.nuploads - 1);
	for (int i = 0; i < lab.nuploads; i++)
		shared->result[i] = lab.uploads[i].result;
	lab_stop(&lab);
}

/* Nothing that is read may look like something else. */
static void read_all(void)
{
	lab_verify(&lab, lab.path, "reading");
}

static _Noreturn void child(enum owner who, int64_t k, int64_t times, void (*body)(void))
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	if (!freopen(words, "w", stderr))
		_exit(3);
	lab.on_ack = note_ack;
	lab.in_child = true;
	atomic_store(&armed.k, k);
	atomic_store(&armed.times, times);
	atomic_store(&armed.seen, 0);
	atomic_store(&armed.owner, (int)who);
	body();
	_exit(0);
}

/* --- the parent --- */

static bool said_memory(void)
{
	char text[1000];
	FILE *f = fopen(words, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	if (strstr(text, "out of memory"))
		return true;
	printf("# it said: %s\n", text);
	return false;
}

/* One child; true when its fault was reached. */
static bool try(enum owner who, int64_t k, int64_t times, void (*body)(void), int64_t *died)
{
	char place[120];
	pid_t pid;
	int status;

	snprintf(place, sizeof(place), "allocation %lld of %s fails %s", (long long)k,
		 owner_names[who], times == 1 ? "once" : "and all after it");
	lab_copy(template, lab.path);
	memset(shared, 0, sizeof(*shared));
	for (int i = 1; i < lab.nuploads; i++) /* what the last child was told is not in the copy */
		lab.uploads[i].acknowledged = false;
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		child(who, k, times, body);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		if (WTERMSIG(status) != SIGABRT || !said_memory())
			broken("%s: signal %d", place, WTERMSIG(status));
		++*died;
	} else if (WEXITSTATUS(status) > 1) {
		broken("%s: exit %d", place, WEXITSTATUS(status));
	}
	for (int i = 1; i < lab.nuploads; i++) {
		int e = shared->result[i];

		lab.uploads[i].acknowledged = shared->acknowledged[i];
		if (e < 0 && e != E_INTERNAL && e != E_BUSY &&
		    !(e == E_CONFLICT && lab.uploads[i].conflicting))
			broken("%s: upload %d is told %d, as if it were wrong", place, i, e);
	}
	metrics_forget_all();
	lab_verify(&lab, lab.path, place);
	if (k % 16 == 1) {
		metrics_forget_all();
		lab_resend(&lab, place);
		lab_stop(&lab);
	}
	return shared->reached;
}

static void fail_all_of(enum owner who, int64_t stride, void (*body)(void))
{
	int64_t checked = lab.checked, died = 0, reached = 0;

	for (int n = 0; n < 2; n++) {
		/* Both parities of k, and neighbours, whatever the stride. */
		for (int64_t k = 1; try(who, k, n ? VFS_FOREVER : 1, body, &died); reached++)
			k += lab_long() ? 1 : k < 8 ? 1 : stride + k % 3;
	}
	printf("# %s, memory of %s: %lld k, the program ended itself %lld times; %lld acknowledged "
	       "uploads looked for\n",
	       body == read_all ? "reading" : "writing", owner_names[who], (long long)reached,
	       (long long)died, (long long)(lab.checked - checked));
	assert_true(reached > 0);
}

static void test_the_programs_memory(void **state)
{
	(void)state;
	fail_all_of(PROGRAM, 9, write_uploads);
	fail_all_of(PROGRAM, 9, read_all);
}

static void test_the_memory_of_sqlite(void **state)
{
	(void)state;
	fail_all_of(SQLITE, 97, write_uploads);
	fail_all_of(SQLITE, 97, read_all);
}

static void test_the_memory_of_jansson(void **state)
{
	(void)state;
	fail_all_of(JANSSON, 13, write_uploads);
	fail_all_of(JANSSON, 5, read_all);
}

static const struct doc RUNS = DOC(DOC_RUNS, 2, 5, 1);
static const struct doc FIGURES = DOC(DOC_SUMMARY, 0, 7, 3);

static int setup(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	install();
	lab_init(&lab);
	snprintf(template, sizeof(template), "%s/template.db", lab.dir);
	snprintf(words, sizeof(words), "%s/words", lab.dir);
	lab_add(&lab, JOB_OBJECT, 1, RUNS);
	lab_add(&lab, JOB_ARRAY, 2, RUNS);
	lab_add_conflict(&lab, 0);
	lab_add(&lab, JOB_OBJECT, 1, FIGURES);
	lab_add(&lab, JOB_LINES, 3, RUNS);
	assert_int_equal(lab_start(&lab), E_OK);
	lab_send(&lab, 0, 1);
	lab_copy(lab.path, template);
	lab_stop(&lab);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(words);
	lab_remove(template);
	lab_end(&lab);
	munmap(shared, sizeof(*shared));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_programs_memory),
		cmocka_unit_test(test_the_memory_of_sqlite),
		cmocka_unit_test(test_the_memory_of_jansson),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("memory", tests, setup, teardown);
}
