/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consistency of the store. The map of what was measured is counted again, packed values are held
 * against their layouts, digests against what they name, and everything packed is unpacked once.
 * Each kind of fault is one statement that finds those rows that are wrong, or one walk in pieces,
 * so memory stays small. The walks are in check_walk.c.
 */
#include "db/check.h"

#include <stdarg.h>

#include "db/check_walk.h"

/* clang-format off */
SQL(check_measured,
    "SELECT m.series_id, m.commit_id FROM measured m WHERE"
    " m.runs <> (SELECT count(*) FROM run r WHERE r.series_id = m.series_id"
	" AND r.commit_id = m.commit_id AND r.status = 0)"
    " OR m.failed <> (SELECT count(*) FROM run r WHERE r.series_id = m.series_id"
	" AND r.commit_id = m.commit_id AND r.status IN (1, 2))"
    " OR m.summaries <> (SELECT count(*) FROM summary s WHERE s.series_id = m.series_id"
	" AND s.commit_id = m.commit_id AND s.status = 0)"
    " ORDER BY m.series_id, m.commit_id LIMIT $1")
SQL(check_runs_unmeasured,
    "SELECT r.series_id, r.commit_id FROM run r WHERE NOT EXISTS (SELECT 1 FROM measured m"
    " WHERE m.series_id = r.series_id AND m.commit_id = r.commit_id)"
    " ORDER BY r.series_id, r.commit_id LIMIT $1")
SQL(check_summaries_unmeasured,
    "SELECT s.series_id, s.commit_id FROM summary s WHERE NOT EXISTS (SELECT 1 FROM measured m"
    " WHERE m.series_id = s.series_id AND m.commit_id = s.commit_id)"
    " ORDER BY s.series_id, s.commit_id LIMIT $1")
SQL(check_samples,
    "SELECT r.run_id, r.layout_id FROM run r JOIN layout l ON l.layout_id = r.layout_id"
    " WHERE length(r.samples) <> 2 * length(l.metric_ids) ORDER BY r.run_id LIMIT $1")
SQL(check_run_layouts,
    "SELECT r.run_id, r.layout_id FROM run r WHERE NOT EXISTS (SELECT 1 FROM series_layout x"
    " WHERE x.series_id = r.series_id AND x.layout_id = r.layout_id) ORDER BY r.run_id LIMIT $1")
SQL(check_run_series,
    "SELECT r.run_id, r.submission_id FROM run r"
    " JOIN submission s ON s.submission_id = r.submission_id"
    " WHERE s.series_id <> r.series_id AND NOT EXISTS (SELECT 1 FROM correction_run x"
	" WHERE x.run_id = r.run_id AND x.new_series_id = r.series_id)"
    " ORDER BY r.run_id LIMIT $1")
SQL(check_submissions_empty,
    "SELECT s.submission_id, s.series_id FROM submission s WHERE"
    " (s.kind = 0 AND NOT EXISTS (SELECT 1 FROM run r WHERE r.submission_id = s.submission_id))"
    " OR (s.kind = 1 AND NOT EXISTS"
	" (SELECT 1 FROM summary y WHERE y.submission_id = s.submission_id))"
    " ORDER BY s.submission_id LIMIT $1")
SQL(check_replaced_runs,
    "SELECT r.run_id, r.submission_id FROM run r"
    " JOIN submission s ON s.submission_id = r.submission_id WHERE"
    " (s.replaced_by IS NOT NULL AND r.status NOT IN (4, 5))"
    " OR (s.replaced_by IS NULL AND r.status = 4) ORDER BY r.run_id LIMIT $1")
SQL(check_replaced_summaries,
    "SELECT y.summary_id, y.submission_id FROM summary y"
    " JOIN submission s ON s.submission_id = y.submission_id WHERE"
    " (s.replaced_by IS NOT NULL AND y.status NOT IN (4, 5))"
    " OR (s.replaced_by IS NULL AND y.status = 4) ORDER BY y.summary_id LIMIT $1")
SQL(check_replacers,
    "SELECT o.submission_id, o.replaced_by FROM submission o"
    " JOIN submission n ON n.submission_id = o.replaced_by"
    " WHERE n.series_id <> o.series_id OR n.submission_id <= o.submission_id"
    " ORDER BY o.submission_id LIMIT $1")
SQL(check_run_files,
    "SELECT x.run_id, x.series_id FROM run_artifact x JOIN run r ON r.run_id = x.run_id"
    " WHERE r.series_id <> x.series_id ORDER BY x.run_id LIMIT $1")
SQL(check_run_distributions,
    "SELECT d.run_id, d.series_id FROM distribution d JOIN run r ON r.run_id = d.run_id"
    " WHERE r.series_id <> d.series_id ORDER BY d.run_id LIMIT $1")
SQL(check_commit_names,
    "SELECT commit_id, kind FROM commits WHERE (kind = 0 AND length(name) <> 40)"
    " OR (kind = 1 AND length(name) NOT BETWEEN 7 AND 39) ORDER BY commit_id LIMIT $1")
/* clang-format on */

static const struct pair_check {
	const struct sql *sql;
	const char *first, *second,
		*what; /* what the two numbers of a row are, and what is wrong */
} pair_checks[] = {
	{&check_measured, "series", "commit", "the counts of what was measured are wrong"},
	{&check_runs_unmeasured, "series", "commit", "there are runs, but no row in the map"},
	{&check_summaries_unmeasured, "series", "commit",
	 "there are summaries, but no row in the map"},
	{&check_samples, "run", "layout", "the values do not fit the layout"},
	{&check_run_layouts, "run", "layout", "the layout is not noted for the series"},
	{&check_run_series, "run", "submission", "they are of different series"},
	{&check_submissions_empty, "submission", "series", "nothing was stored of it"},
	{&check_replaced_runs, "run", "submission",
	 "its status and whether it was replaced differ"},
	{&check_replaced_summaries, "summary", "submission",
	 "its status and whether it was replaced differ"},
	{&check_replacers, "submission", "submission", "the one cannot replace the other"},
	{&check_run_files, "run", "series", "an artifact lies under the wrong series"},
	{&check_run_distributions, "run", "series", "a distribution lies under the wrong series"},
	{&check_commit_names, "commit", "kind", "the name is not of its kind"},
};

void complain(struct checking *k, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	k->n++;
	k->say(k->arg, text);
}

static int check_pairs(struct checking *k, const struct pair_check *p)
{
	auto_stmt struct stmt *st = db_stmt(k->c, p->sql);

	bind_int(st, 1, CHECK_MOST);
	while (stmt_step(st) == STMT_ROW)
		complain(k, "%s %lld, %s %lld: %s", p->first, (long long)col_int(st, 0), p->second,
			 (long long)col_int(st, 1), p->what);
	return stmt_status(st);
}

int store_check(struct ctx *c, void (*say)(void *arg, const char *complaint), void *arg)
{
	struct checking k = {c, say, arg, 0};
	int e = 0;

	for (size_t i = 0; e == 0 && i < sizeof(pair_checks) / sizeof(pair_checks[0]); i++)
		e = check_pairs(&k, &pair_checks[i]);
	if (e == 0)
		e = check_walks(&k);
	return e < 0 ? e : k.n;
}
