/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small store to correct, and its state as text: what an undo must bring back. */
#ifndef TESTS_CORRECTION_LAB_H
#define TESTS_CORRECTION_LAB_H

#include "tests/unit/db_lab.h"

#include "db/check.h"
#include "db/commits.h"
#include "db/corrections.h"
#include "db/series.h"
#include "importers/orders.h"
#include "server/base/out.h"

#define A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B40 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define N40 "0123456789abcdef0123456789abcdef01234567"

/* Runs 1 2 (box-a, A), 3 (box-a, A, microcode 2, boot b2), 4 (box-a, B), 5 (box-b, A, failed), a
 * summary of box-b on A. Received a minute after each other from LAB_TIME on. */
static inline void fill(struct db_lab *l)
{
	lab_store(l,
		  "{\"key\": \"k1\", \"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-a\"},"
		  " \"commit\": {\"id\": \"" A40 "\"}, \"info\": {\"microcode\": \"1\"},"
		  " \"units\": {\"m\": \"KB/s\"}, \"runs\": [{\"m\": 1, \"n\": 2}, {\"m\": 3}]}");
	lab_store(l,
		  "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-a\"},"
		  " \"commit\": {\"id\": \"" A40 "\"},"
		  " \"info\": {\"microcode\": \"2\", \"boot\": \"b2\"}, \"runs\": [{\"m\": 5}]}");
	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-a\"},"
		     " \"commit\": {\"id\": \"" B40 "\"}, \"runs\": [{\"m\": 7}]}");
	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-b\"}, \"status\":"
		     " \"failed\", \"commit\": {\"id\": \"" A40 "\"}, \"runs\": [{\"m\": 9}]}");
	lab_store(l, "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box-b\"},"
		     " \"commit\": {\"id\": \"" A40 "\"}, \"summary\": {\"s\": {\"mean\": 4}}}");
}

SQL(dump_runs,
    "SELECT run_id, series_id, commit_id, status, submission_id FROM run ORDER BY run_id")
SQL(dump_summaries, "SELECT summary_id, series_id, commit_id, status, submission_id FROM summary"
		    " ORDER BY summary_id")
SQL(dump_measured, "SELECT series_id, commit_id, runs, failed, summaries FROM measured"
		   " ORDER BY series_id, commit_id")
SQL(dump_times, "SELECT series_id, commit_id, first_received, last_received, 0 FROM measured"
		" ORDER BY series_id, commit_id")
SQL(dump_series, "SELECT series_id, 0, 0, 0, 0 FROM series ORDER BY series_id")

/* All that a correction may change, as text in the arena. */
static inline const char *dump(struct db_lab *l)
{
	static const struct sql *const all[] = {&dump_runs, &dump_summaries, &dump_measured,
						&dump_times, &dump_series};
	struct out o;
	const char *text;

	out_init(&o, 1 << 20);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		auto_stmt struct stmt *st = db_stmt(&l->c, all[i]);

		while (stmt_step(st) == STMT_ROW)
			for (int k = 0; k < 5; k++)
				out_fmt(&o, "%lld%c", (long long)col_int(st, k),
					k < 4 ? ' ' : '\n');
		out_str(&o, "--\n");
	}
	text = arena_str(l->c.arena, o.p);
	out_free(&o);
	return text;
}

static inline void say(void *arg, const char *complaint)
{
	snprintf(arg, 200, "%s", complaint);
}

static inline void sound(struct db_lab *l)
{
	char text[200] = "";

	metrics_forget_all();
	assert_int_equal(db_begin_read(&l->c), E_OK);
	int n = store_check(&l->c, say, text);
	db_end_read(&l->c);
	if (n)
		fail_msg("%d complaints: %s", n, text);
}

/* Plans and stores; the number, or the failure. */
static inline int64_t correct(struct db_lab *l, const char *json, struct correction_plan *plan)
{
	struct correction_in in;
	int64_t id = 0;
	int e;

	ctx_clear(&l->c);
	e = order_read_correction(&l->c, json, strlen(json), &in);
	if (e < 0)
		return e;
	lab_begin(l);
	e = correction_plan(&l->c, &in, plan);
	if (e >= 0)
		e = correction_store(&l->c, &in, plan, 0, "somebody", l->now, &id);
	if (e < 0) {
		lab_rollback(l);
		return e;
	}
	lab_commit(l);
	sound(l);
	return id;
}

static inline int undo(struct db_lab *l, int64_t id)
{
	ctx_clear(&l->c);
	lab_begin(l);
	int e = correction_undo_check(&l->c, id);
	if (e >= 0)
		e = correction_undo(&l->c, id, 0, "another", l->now);
	if (e < 0) {
		lab_rollback(l);
		return e;
	}
	lab_commit(l);
	sound(l);
	return e;
}

#endif
