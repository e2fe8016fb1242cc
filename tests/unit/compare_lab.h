/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small lab for the tests of comparisons and histories: a database in a file of its own, filled
 * through the native importer and the store as an upload is, and pages called without a socket. */
#ifndef TESTS_COMPARE_LAB_H
#define TESTS_COMPARE_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <jansson.h>

#include "db/engine.h"
#include "db/metrics.h"
#include "db/migrate.h"
#include "db/runs.h"
#include "importers/import.h"
#include "server/base/arena.h"
#include "server/pages/req.h"

#include <cmocka.h> /* last: its macro fail() would hide ours */

#define BASE_ID "7bc162d5cc4de5c33c570dba48a03ebea54b10fd"
#define NEXT_ID "a0fd217e6d6fbd23e91f8796787b621e7d576088"

struct lab {
	char path[64];
	struct ctx c;
	int64_t now;
	struct out out; /* of the last page */
};

static inline int lab_open(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));
	struct db *d = NULL;
	int fd;

	assert_non_null(l);
	snprintf(l->path, sizeof(l->path), "/tmp/plumbline-lab-XXXXXX");
	fd = mkstemp(l->path);
	assert_true(fd >= 0);
	close(fd);
	unlink(l->path);
	ctx_init(&l->c, arena_new(), NULL);
	assert_int_equal(db_open_migrated(&l->c, l->path, &d), E_OK);
	l->c.db = d;
	l->now = 1689822060;
	out_init(&l->out, OUT_MAX_DEFAULT);
	*state = l;
	return 0;
}

static inline int lab_close(void **state)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	struct lab *l = *state;
	char name[80];

	db_close(l->c.db);
	metrics_forget_all(); /* the dictionary is the process's, the next database another */
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", l->path, ends[i]);
		unlink(name);
	}
	out_free(&l->out);
	arena_free(l->c.arena);
	free(l);
	return 0;
}

/* Stores a native document, a minute after the one before. */
static inline void lab_store(struct lab *l, const char *json)
{
	struct import in = {.ctx = &l->c};
	struct accepted *done;

	if (import_native(&in, json, strlen(json)) < 0)
		fail_msg("%s: %s", l->c.detail, l->c.nfaults ? l->c.faults[0].message : "");
	done = arena_array(l->c.arena, struct accepted, in.n);
	assert_int_equal(db_begin_write(&l->c), E_OK);
	assert_int_equal(submissions_check(&l->c, in.subs, in.n, done), E_OK);
	assert_int_equal(submissions_store(&l->c, in.subs, in.n, -1, l->now, done), E_OK);
	assert_int_equal(db_commit(&l->c), E_OK);
	metrics_publish();
	l->now += 60;
}

/* A document on the usual machine. commit: members of its object; more: further members, such as
 * runs. */
static inline void lab_put(struct lab *l, const char *testcase, const char *commit,
			   const char *more)
{
	lab_store(l,
		  arena_fmt(l->c.arena,
			    "{\"axes\": {\"testcase\": \"%s\", \"tbox_group\": \"lkp-icl-2sp2\", "
			    "\"mode\": \"process\"}, \"commit\": {%s}, %s}",
			    testcase, commit, more));
}

/* The six samples a side that were published for the slab patch; the base's from two boots. */
static inline void lab_put_hackbench(struct lab *l)
{
	lab_put(l, "hackbench", "\"id\": \"" BASE_ID "\", \"subject\": \"Merge slab branches\"",
		"\"units\": {\"hackbench.throughput\": \"KB/s\"}, "
		"\"info\": {\"microcode\": \"0xd000389\", \"boot\": \"b1\"}, "
		"\"matrix\": {\"hackbench.throughput\": [480199.7631014502, 478713.21886768367, "
		"480692.1967633392], \"hackbench.idle%\": [3.1, 3.2, 3.0], "
		"\"vmstat.system.in\": [100, 101, 99]}");
	lab_put(l, "hackbench", "\"id\": \"" BASE_ID "\"",
		"\"info\": {\"microcode\": \"0xd000389\", \"boot\": \"b2\"}, "
		"\"matrix\": {\"hackbench.throughput\": [476795.9313413859, 478545.2225235285, "
		"479309.7938967886], \"hackbench.idle%\": [3.1, 3.3, 3.1], "
		"\"vmstat.system.in\": [100, 102, 98]}");
	lab_put(l, "hackbench", "\"id\": \"" NEXT_ID "\", \"subject\": \"Optimize slub memory\"",
		"\"info\": {\"microcode\": \"0xd0003a5\"}, "
		"\"matrix\": {\"hackbench.throughput\": [422654.2688081149, 419017.82222470525, "
		"416817.183983105, 423286.39557524625, 414307.41610274825, 420062.1692010417], "
		"\"hackbench.idle%\": [3.1, 3.2, 3.0, 3.2, 3.3, 3.1], "
		"\"vmstat.system.in\": [101, 100, 99, 101, 100, 98]}");
}

/* Calls a page with "name=value&…" (no decoding; '+' ends no word here). Returns its status or
 * error. */
static inline int lab_page(struct lab *l, int (*page)(struct req *r), const char *path,
			   enum form form, const char *query)
{
	struct param *params = arena_array(l->c.arena, struct param, 20);
	struct req r = {.out = &l->out, .form = form, .method = "GET", .path = path};
	char *text = arena_str(l->c.arena, query), *part;
	int status;

	r.params = params;
	while ((part = strsep(&text, "&")))
		if (*part) {
			params[r.nparams].name = strsep(&part, "=");
			params[r.nparams++].value = part;
		}
	ctx_init(&r.ctx, l->c.arena, l->c.db);
	out_truncate(&l->out, 0);
	status = page(&r);
	l->c.nfaults = r.ctx.nfaults;
	l->c.faults = r.ctx.faults;
	snprintf(l->c.detail, sizeof(l->c.detail), "%s", r.ctx.detail);
	return status;
}

/* The last answer as JSON; the caller decrefs. */
static inline json_t *lab_json(struct lab *l)
{
	json_error_t e;
	json_t *j = json_loads(l->out.p, 0, &e);

	if (!j)
		fail_msg("%s in %s", e.text, l->out.p);
	return j;
}

/* Walks objects by name and arrays by number: json_at(j, "tables.0.rows"). Names hold no dots here.
 */
static inline json_t *json_at(json_t *j, const char *path)
{
	while (j && *path) {
		char name[40];
		size_t n = strcspn(path, ".");

		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		j = json_is_array(j) ? json_array_get(j, strtoul(name, NULL, 10))
				     : json_object_get(j, name);
		path += n + (path[n] == '.');
	}
	return j;
}

#define assert_contains(l, text)                                                                   \
	do {                                                                                       \
		if (!strstr((l)->out.p, (text)))                                                   \
			fail_msg("%s is not in %s", (text), (l)->out.p);                           \
	} while (0)
#define assert_lacks(l, text)                                                                      \
	do {                                                                                       \
		if (strstr((l)->out.p, (text)))                                                    \
			fail_msg("%s is in %s", (text), (l)->out.p);                               \
	} while (0)

#endif
