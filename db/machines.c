/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines and tests are what the axes tbox_group and testcase name: their lists are made of the
 * series and of the counts in measured, never of runs. What was told about a machine (description,
 * state) is beside it. Runs of status ok are counted, as for a series.
 */
#include "db/machines.h"

#include "server/base/arena.h"

#define NAMES_MAX 10000 /* in a list: more would be no page for people */

/* --- machines --- */

#define MACHINE_COLUMNS                                                                            \
	"SELECT n.name, min(m.description), coalesce(min(m.state), 'active'),"                     \
	" count(DISTINCT s.series_id), CAST(coalesce(sum(x.runs), 0) AS bigint),"                  \
	" max(x.last_received), min(m.expect_every), min(m.changed) FROM "
#define MACHINE_TABLES                                                                             \
	" n LEFT JOIN series s ON s.tbox_group = n.name"                                           \
	" LEFT JOIN measured x ON x.series_id = s.series_id"                                       \
	" LEFT JOIN machine m ON m.name = n.name GROUP BY n.name ORDER BY n.name LIMIT "

SQL(machine_all, MACHINE_COLUMNS
    "(SELECT tbox_group AS name FROM series UNION SELECT name FROM machine)" MACHINE_TABLES "$1")
SQL(machine_one,
    MACHINE_COLUMNS "(SELECT tbox_group AS name FROM series WHERE tbox_group = $2"
		    " UNION SELECT name FROM machine WHERE name = $2)" MACHINE_TABLES "$1")

static void read_machine(struct stmt *st, struct machine *m)
{
	m->name = col_text(st, 0);
	m->description = col_text(st, 1);
	m->state = col_text(st, 2);
	m->series = col_int(st, 3);
	m->runs = col_int(st, 4);
	m->last_upload = col_time(st, 5);
	m->expect_every = col_null(st, 6) ? -1 : col_int(st, 6);
	m->changed = col_time(st, 7);
}

int machine_list(struct ctx *c, struct machine **out, size_t *n)
{
	size_t cap = 0;
	auto_stmt struct stmt *st = db_stmt(c, &machine_all);

	*out = NULL;
	*n = 0;
	bind_int(st, 1, NAMES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof **out);
		read_machine(st, &(*out)[(*n)++]);
	}
	return stmt_status(st);
}

int machine_get(struct ctx *c, const char *name, struct machine *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &machine_one);

	bind_int(st, 1, 1);
	bind_text(st, 2, name);
	int r = stmt_step(st);
	if (r == STMT_DONE)
		return fail(c, E_NOTFOUND, "no results came from a machine called %s", name);
	if (r == STMT_ROW)
		read_machine(st, out);
	return stmt_status(st);
}

SQL(machine_quarantined, "SELECT 1 FROM machine WHERE name = $1 AND state = 'quarantined'")

int machine_is_quarantined(struct ctx *c, const char *name, bool *is)
{
	auto_stmt struct stmt *st = db_stmt(c, &machine_quarantined);

	bind_text(st, 1, name);
	*is = stmt_step(st) == STMT_ROW;
	return stmt_status(st);
}

SQL(machine_last_uploads,
    "SELECT DISTINCT x.last_received FROM series s JOIN measured x ON x.series_id = s.series_id"
    " WHERE s.tbox_group = $1 ORDER BY x.last_received DESC LIMIT $2")

int machine_uploads(struct ctx *c, const char *name, size_t limit, int64_t **times, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &machine_last_uploads);

	*n = 0;
	*times = arena_array(c->arena, int64_t, limit);
	bind_text(st, 1, name);
	bind_int(st, 2, (int64_t)limit);
	while (*n < limit && stmt_step(st) == STMT_ROW)
		(*times)[(*n)++] = col_int(st, 0);
	return stmt_status(st);
}

/* --- tests --- */

#define TESTCASE_COLUMNS                                                                           \
	"SELECT s.testcase, count(DISTINCT s.series_id),"                                          \
	" CAST(coalesce(sum(x.runs), 0) AS bigint), max(x.last_received)"                          \
	" FROM series s LEFT JOIN measured x ON x.series_id = s.series_id"

SQL(testcase_all, TESTCASE_COLUMNS " GROUP BY s.testcase ORDER BY s.testcase LIMIT $1")
SQL(testcase_one, TESTCASE_COLUMNS " WHERE s.testcase = $1 GROUP BY s.testcase")

static void read_testcase(struct stmt *st, struct testcase *t)
{
	t->name = col_text(st, 0);
	t->series = col_int(st, 1);
	t->runs = col_int(st, 2);
	t->last_upload = col_time(st, 3);
}

int testcase_list(struct ctx *c, struct testcase **out, size_t *n)
{
	size_t cap = 0;
	auto_stmt struct stmt *st = db_stmt(c, &testcase_all);

	*out = NULL;
	*n = 0;
	bind_int(st, 1, NAMES_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof **out);
		read_testcase(st, &(*out)[(*n)++]);
	}
	return stmt_status(st);
}

int testcase_get(struct ctx *c, const char *name, struct testcase *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &testcase_one);

	bind_text(st, 1, name);
	int r = stmt_step(st);
	if (r == STMT_DONE)
		return fail(c, E_NOTFOUND, "no results came from a test called %s", name);
	if (r == STMT_ROW)
		read_testcase(st, out);
	return stmt_status(st);
}

/* --- the whole --- */

/* The big tables are not counted but read at their end: their ids are given without gaps, and rows
 * are corrected rather than deleted. Values are estimated from the latest runs. */
SQL(store_sizes, "SELECT (SELECT count(*) FROM series), (SELECT count(*) FROM metric),"
		 " (SELECT coalesce(max(commit_id), 0) FROM commits),"
		 " (SELECT coalesce(max(run_id), 0) FROM run),"
		 " (SELECT coalesce(max(submission_id), 0) FROM submission)")
SQL(store_run_bytes, "SELECT CAST(coalesce(avg(t.bytes), 0) AS bigint) FROM"
		     " (SELECT length(samples) AS bytes FROM run ORDER BY run_id DESC LIMIT $1) t")

#define RUNS_LOOKED_AT 200

int store_counts(struct ctx *c, struct store_counts *out)
{
	auto_stmt struct stmt *sizes = db_stmt(c, &store_sizes);
	auto_stmt struct stmt *bytes = db_stmt(c, &store_run_bytes);

	*out = (struct store_counts){0};
	if (stmt_step(sizes) == STMT_ROW) {
		out->series = col_int(sizes, 0);
		out->metrics = col_int(sizes, 1);
		out->commits = col_int(sizes, 2);
		out->runs = col_int(sizes, 3);
		out->submissions = col_int(sizes, 4);
	}
	bind_int(bytes, 1, RUNS_LOOKED_AT);
	if (stmt_step(bytes) == STMT_ROW)
		out->values_estimate = out->runs * (col_int(bytes, 0) / (int64_t)sizeof(double));
	return stmt_status(sizes) < 0 ? stmt_status(sizes) : stmt_status(bytes);
}
