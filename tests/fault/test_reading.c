/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The disk fails while a page is made: the k-th read, lock or mapping of the shared index, once or
 * from then on. A page either says that it failed or is the same to the byte as without the fault:
 * a page that quietly leaves out what could not be read would be kept by every cache.
 */
#include "tests/fault/lab.h"

#include <sqlite3.h>

#include "server/pages/compare.h"
#include "server/pages/history.h"
#include "server/pages/pages.h"
#include "server/pages/req.h"
#include "tests/fault/vfs.h"

#define COMMIT_1 "0000000000000000000000000000000000000001"
#define COMMIT_2 "0000000000000000000000000000000000000008"

static struct lab lab;

static const struct asked {
	const char *name;
	int (*page)(struct req *r);
	const char *path, *capture;
	struct param params[3];
} asked[] = {
	{"home", page_home, "/", NULL, {{0}}},
	{"series", page_series_list, "/series", NULL, {{0}}},
	{"one series", page_series, "/series/1", "1", {{0}}},
	{"commit", page_commit, "/commit/" COMMIT_1, COMMIT_1, {{0}}},
	{"run", page_run, "/run/2", "2", {{0}}},
	{"runs", page_runs, "/runs", NULL, {{0}}},
	{"metric", page_metric, "/metric/lab.m3", "lab.m3", {{0}}},
	{"testcases", page_testcases, "/testcases", NULL, {{0}}},
	{"testcase", page_testcase, "/testcase/lab", "lab", {{0}}},
	{"machines", page_machines, "/machines", NULL, {{0}}},
	{"machine", page_machine, "/machine/box0", "box0", {{0}}},
	{"search", page_search, "/search", NULL, {{"q", "lab"}}},
	{"events", page_events, "/events", NULL, {{0}}},
	{"findings", page_findings, "/findings", NULL, {{0}}},
	{"compare", page_compare, "/compare", NULL, {{"commits", COMMIT_1 "," COMMIT_2}}},
	{"history", page_history, "/history", NULL, {{"series", "1"}, {"metric", "lab.m3"}}},
};
#define ASKED (sizeof(asked) / sizeof(asked[0]))

static const struct {
	enum vfs_op op;
	int code;
} kinds[] = {
	{VFS_READ, SQLITE_IOERR_READ},
	{VFS_LOCK, SQLITE_IOERR_LOCK},
	{VFS_SHM, SQLITE_IOERR_SHMMAP},
	{VFS_SIZE, SQLITE_IOERR_FSTAT},
};

/* The page as the server makes it: a reader of its own, one snapshot. Nothing is in any cache. */
static int make_page(const struct asked *q, enum form form, struct out *out, enum vfs_op op,
		     int64_t k, int64_t times, int code)
{
	struct arena *a = arena_new();
	struct req r = {.form = form, .method = "GET", .path = q->path, .out = out};
	struct db *db;
	int e;

	metrics_forget_all();
	ctx_init(&r.ctx, a, NULL);
	assert_int_equal(db_open(&r.ctx, lab.path, DB_READ, &db), E_OK);
	r.ctx.db = db;
	r.captures[0] = q->capture;
	r.params = q->params;
	while (r.nparams < 3 && q->params[r.nparams].name)
		r.nparams++;
	out_truncate(out, 0);
	vfs_fail_at(op, k, times, code);
	e = db_begin_read(&r.ctx);
	if (e >= 0)
		e = q->page(&r);
	db_end_read(&r.ctx);
	vfs_fail_at(op, 0, 0, 0);
	db_close(db);
	arena_free(a);
	return e;
}

static int64_t walk(const struct asked *q, enum form form, size_t kind, int64_t times)
{
	enum vfs_op op = kinds[kind].op;
	struct out want, got;
	int64_t reached = 0;
	int status;

	out_init(&want, OUT_MAX_DEFAULT);
	out_init(&got, OUT_MAX_DEFAULT);
	status = make_page(q, form, &want, op, 0, 0, 0);
	if (status != 200)
		broken("%s without a fault: %d", q->name, status);
	for (int64_t k = 1, more = true; more; k += lab_long() || k < 4 ? 1 : 5) {
		status = make_page(q, form, &got, op, k, times, kinds[kind].code);
		more = vfs_failed();
		reached += more;
		if (status == E_INTERNAL || status == E_BUSY)
			continue;
		if (status != 200)
			broken("%s (form %d): %s %lld fails %s: status %d", q->name, form,
			       vfs_op_name(op), (long long)k, times == 1 ? "once" : "and on",
			       status);
		if (got.len != want.len || memcmp(got.p, want.p, want.len) != 0)
			broken("%s (form %d): %s %lld fails %s: another page of status 200",
			       q->name, form, vfs_op_name(op), (long long)k,
			       times == 1 ? "once" : "and on");
	}
	out_free(&want);
	out_free(&got);
	return reached;
}

static void test_pages(void **state)
{
	int64_t reached = 0, pages = 0;

	(void)state;
	for (size_t i = 0; i < ASKED; i++) {
		for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
			for (enum form f = FORM_HTML; f <= FORM_JSON; f++) {
				reached += walk(&asked[i], f, kind, 1);
				reached += walk(&asked[i], f, kind, VFS_FOREVER);
			}
		}
		pages += 2;
	}
	printf("# reading %lld pages: %lld k\n", (long long)pages, (long long)reached);
	assert_true(reached > pages);
}

static int setup(void **state)
{
	static const struct doc runs = DOC(DOC_RUNS, 2, 5, 1), figures = DOC(DOC_SUMMARY, 0, 7, 3);

	(void)state;
	vfs_install();
	lab_init(&lab);
	lab_add(&lab, JOB_ARRAY, 12, runs);
	lab_add(&lab, JOB_ARRAY, 4, figures);
	assert_int_equal(lab_start(&lab), E_OK);
	lab_send(&lab, 0, 2);
	lab_stop(&lab);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_end(&lab);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reading", tests, setup, teardown);
}
