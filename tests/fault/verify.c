/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold of a database after any fault: the engine's and the store's own checks, nothing
 * that belongs to no submission, every document whole and with its own values, each upload there as
 * a whole or not at all, and those that were acknowledged there.
 */
#include "tests/fault/lab.h"

#include <unistd.h>

#include "db/check.h"
#include "db/migrate.h"
#include "tests/fault/vfs.h"

/* clang-format off */
SQL(fault_orphans,
    "SELECT 'series', count(*) FROM series s WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.series_id = s.series_id)"
    " UNION ALL SELECT 'axis', count(*) FROM series_axis s WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.series_id = s.series_id)"
    " UNION ALL SELECT 'commit', count(*) FROM commits k WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.commit_id = k.commit_id) AND NOT EXISTS"
	" (SELECT 1 FROM commit_parent p WHERE p.parent_id = k.commit_id)"
    " UNION ALL SELECT 'parent', count(*) FROM commit_parent p WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.commit_id = p.commit_id)"
    " UNION ALL SELECT 'build', count(*) FROM build b WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.commit_id = b.commit_id)"
    " UNION ALL SELECT 'metric', count(*) FROM metric m WHERE NOT EXISTS"
	" (SELECT 1 FROM series_metric x WHERE x.metric_id = m.metric_id)"
    " UNION ALL SELECT 'layout', count(*) FROM layout l WHERE NOT EXISTS"
	" (SELECT 1 FROM run r WHERE r.layout_id = l.layout_id)"
    " UNION ALL SELECT 'series_layout', count(*) FROM series_layout l WHERE NOT EXISTS"
	" (SELECT 1 FROM run r WHERE r.layout_id = l.layout_id AND r.series_id = l.series_id)"
    " UNION ALL SELECT 'info', count(*) FROM info i WHERE NOT EXISTS"
	" (SELECT 1 FROM run r WHERE r.info_id = i.info_id) AND NOT EXISTS"
	" (SELECT 1 FROM summary s WHERE s.info_id = i.info_id)"
	" AND NOT EXISTS (SELECT 1 FROM submission u WHERE u.kind = 2)"
    " UNION ALL SELECT 'report', count(*) FROM report r WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.report_id = r.report_id)"
    " UNION ALL SELECT 'measured', count(*) FROM measured m WHERE NOT EXISTS"
	" (SELECT 1 FROM submission u WHERE u.series_id = m.series_id"
	" AND u.commit_id = m.commit_id)"
    " UNION ALL SELECT 'queue', count(*) FROM analysis_queue q WHERE NOT EXISTS"
	" (SELECT 1 FROM measured m WHERE m.series_id = q.series_id"
	" AND m.commit_id = q.commit_id)"
    " UNION ALL SELECT 'unqueued', count(*) FROM measured m WHERE NOT EXISTS"
	" (SELECT 1 FROM analysis_queue q WHERE m.series_id = q.series_id"
	" AND m.commit_id = q.commit_id)"
    " UNION ALL SELECT 'note', count(*) FROM submission u WHERE u.kind = 2 AND NOT EXISTS"
	" (SELECT 1 FROM headline h WHERE h.submission_id = u.submission_id)")
SQL(fault_submissions,
    "SELECT u.submission_id, u.key, u.kind, u.series_id, u.commit_id,"
    " (SELECT count(*) FROM run r WHERE r.submission_id = u.submission_id),"
    " (SELECT count(*) FROM summary s WHERE s.submission_id = u.submission_id),"
    " (SELECT count(*) FROM distribution d JOIN run r ON r.run_id = d.run_id"
	" WHERE r.submission_id = u.submission_id),"
    " (SELECT count(*) FROM submission p WHERE p.replaced_by = u.submission_id)"
    " FROM submission u ORDER BY u.submission_id")
SQL(fault_runs, "SELECT run_id FROM run WHERE submission_id = $1 ORDER BY position")
SQL(fault_audit, "SELECT count(*) FROM audit WHERE action = $1")
SQL(fault_tokens, "SELECT count(*) FROM token")
SQL(fault_generation, "SELECT n FROM generation")
/* clang-format on */

struct verifying {
	struct lab *l;
	struct ctx c;
	const char *place;
	int seen[LAB_DOCS]; /* how often each document is there */
};

static void say(void *arg, const char *complaint)
{
	const struct verifying *v = arg;

	printf("# %s: %s\n", v->place, complaint);
}

#define must(v, cond, ...)                                                                         \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("# %s: ", (v)->place);                                              \
			printf(__VA_ARGS__);                                                       \
			printf(" (%s)\n", (v)->c.detail);                                          \
			if ((v)->l->in_child) {                                                    \
				fflush(stdout);                                                    \
				_exit(4);                                                          \
			}                                                                          \
			assert_true(cond);                                                         \
		}                                                                                  \
	} while (0)

static int64_t number(struct verifying *v, const struct sql *sql, const char *text)
{
	auto_stmt struct stmt *st = db_stmt(&v->c, sql);

	if (text)
		bind_text(st, 1, text);
	must(v, stmt_step(st) == STMT_ROW, "%s", sql->id);
	return col_int(st, 0);
}

static void verify_run(struct verifying *v, int64_t run_id, const struct doc *d, int position)
{
	struct run r;

	must(v, run_get(&v->c, run_id, &r) >= 0, "document %d has no run %d", d->number, position);
	must(v, r.position == position && r.n == (size_t)d->metrics,
	     "document %d: run %d has place %d and %zu metrics", d->number, position,
	     (int)r.position, r.n);
	for (size_t i = 0; i < r.n; i++) {
		int m = -1;

		must(v,
		     sscanf(r.metrics[i]->name, "lab.m%d", &m) == 1 && m >= d->first &&
			     m < d->first + d->metrics,
		     "document %d has the metric %s", d->number, r.metrics[i]->name);
		must(v, r.values[i] == d->number * 1000000 + position * 1000 + m + 0.5,
		     "document %d: run %d has %s %f", d->number, position, r.metrics[i]->name,
		     r.values[i]);
	}
}

static void verify_summary(struct verifying *v, struct stmt *row, const struct doc *d)
{
	struct cell_data cell;
	size_t found = 0;

	must(v, cell_load(&v->c, col_int(row, 3), col_int(row, 4), false, &cell) >= 0, "a cell");
	for (size_t i = 0; i < cell.column.ncells; i++) {
		int m = -1;

		sscanf(cell.column.cells[i].metric->name, "lab.m%d", &m);
		found += m >= d->first && m < d->first + d->metrics &&
			 cell.column.cells[i].mean == d->number * 1000000 + m + 0.5;
	}
	must(v, found == (size_t)d->metrics, "summary %d has %zu of %d figures", d->number, found,
	     d->metrics);
}

/* The row that st stands on against what its key promises. */
static void verify_submission(struct verifying *v, struct stmt *row)
{
	struct doc d = {0};
	char kind = 0;
	int position = 0;
	bool runs, known;

	known = sscanf(col_text_peek(row, 1), "%c%d-%d-%d-%d", &kind, &d.number, &d.runs,
		       &d.metrics, &d.first) == 5 &&
		d.number < v->l->ndocs;
	must(v, known, "an unknown key %s", col_text_peek(row, 1));
	v->seen[d.number]++;
	runs = kind == DOC_RUNS;
	must(v, col_int(row, 5) == (runs ? d.runs : 0), "document %d has %d runs", d.number,
	     (int)col_int(row, 5));
	must(v, col_int(row, 6) == (kind == DOC_SUMMARY), "document %d has %d summaries", d.number,
	     (int)col_int(row, 6));
	must(v, col_int(row, 7) == (runs && d.runs == 1), "document %d has %d distributions",
	     d.number, (int)col_int(row, 7));
	must(v, col_int(row, 8) == v->l->docs[d.number].replaces, "document %d replaces %d others",
	     d.number, (int)col_int(row, 8));
	if (kind == DOC_SUMMARY)
		verify_summary(v, row, &d);
	if (!runs)
		return;
	auto_stmt struct stmt *st = db_stmt(&v->c, &fault_runs);
	bind_int(st, 1, col_int(row, 0));
	while (stmt_step(st) == STMT_ROW)
		verify_run(v, col_int(st, 0), &d, position++);
	must(v, stmt_status(st) == E_OK && position == d.runs, "runs");
}

static void verify_documents(struct verifying *v)
{
	auto_stmt struct stmt *st = db_stmt(&v->c, &fault_submissions);

	while (stmt_step(st) == STMT_ROW)
		verify_submission(v, st);
	must(v, stmt_status(st) == E_OK, "submissions");
	auto_stmt struct stmt *orphans = db_stmt(&v->c, &fault_orphans);
	while (stmt_step(orphans) == STMT_ROW)
		must(v, col_int(orphans, 1) == 0, "%d of %s belong to nothing",
		     (int)col_int(orphans, 1), col_text_peek(orphans, 0));
	must(v, stmt_status(orphans) == E_OK, "orphans");
}

/* Whole or not at all, acknowledged ones whole; returns how many jobs left a row of audit. */
static int verify_uploads(struct verifying *v, bool all)
{
	int rows = 0;

	for (int i = 0; i < v->l->nuploads; i++) {
		const struct upload *u = &v->l->uploads[i];
		int there = 0;

		if (u->conflicting)
			continue;
		for (int d = u->from; d < u->from + u->n; d++) {
			must(v, v->seen[d] <= 1, "document %d is there %d times", d, v->seen[d]);
			there += v->seen[d];
		}
		must(v, there == 0 || there == u->n, "upload %d: %d of %d documents", i, there,
		     u->n);
		must(v, there || !(u->acknowledged || all),
		     "upload %d was acknowledged and is lost", i);
		v->l->checked += u->acknowledged;
		v->l->unconfirmed += there && !u->acknowledged;
		rows += !there ? 0 : u->form == JOB_LINES ? u->n : 1;
	}
	return rows;
}

static void verify(struct lab *l, const char *path, const char *place, bool all)
{
	struct verifying v = {.l = l, .place = place};
	struct arena *a = arena_new();
	struct db *db = NULL;
	int64_t tokens;
	int audits;

	ctx_init(&v.c, a, NULL);
	must(&v, db_open_migrated(&v.c, path, &db) >= 0, "the database does not open");
	v.c.db = db;
	/* SQLite's own check takes a page that it has no memory for as a damaged one. */
	if (!l->in_child)
		must(&v, db_integrity(&v.c, say, &v) == 0, "the engine complains");
	must(&v, db_begin_read(&v.c) >= 0, "begin");
	must(&v, store_check(&v.c, say, &v) == 0, "the store complains");
	verify_documents(&v);
	audits = verify_uploads(&v, all);
	must(&v, number(&v, &fault_audit, "upload") == audits, "%d rows of audit for %d uploads",
	     (int)number(&v, &fault_audit, "upload"), audits);
	tokens = number(&v, &fault_tokens, NULL);
	must(&v, tokens >= l->tokens && number(&v, &fault_audit, "token create") == tokens,
	     "%d tokens, %d acknowledged", (int)tokens, l->tokens);
	must(&v, number(&v, &fault_generation, NULL) >= 1, "the generation");
	db_end_read(&v.c);
	db_close(db);
	arena_free(a);
}

void lab_verify(struct lab *l, const char *path, const char *place)
{
	verify(l, path, place, false);
}

void lab_verify_all(struct lab *l, const char *path, const char *place)
{
	verify(l, path, place, true);
}

void lab_resend(struct lab *l, const char *place)
{
	bool before[LAB_JOBS];

	if (!l->w && lab_start(l) < 0)
		broken("%s: the writer does not start", place);
	for (int i = 0; i < l->nuploads; i++)
		before[i] = l->uploads[i].acknowledged;
	lab_send(l, 0, l->nuploads);
	for (int i = 0; i < l->nuploads; i++) {
		const struct upload *u = &l->uploads[i];

		if (u->conflicting ? u->result != E_CONFLICT : u->result < 0)
			broken("%s: upload %d sent again: %d, %s", place, i, u->result, u->detail);
		/* What the client was told is on disk, the server must know again. */
		if (before[i] && u->duplicates != u->n)
			broken("%s: upload %d was stored twice", place, i);
	}
	lab_verify_all(l, l->path, place);
}
