/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consistency of the store. The map of what was measured is counted again, packed values are held
 * against their layouts, digests against what they name, and everything packed is unpacked once.
 * Each kind of fault is one statement that finds those rows that are wrong, or one walk in pieces,
 * so memory stays small.
 */
#include "db/check.h"

#include <stdarg.h>

#include "db/samples.h"
#include "db/series.h"
#include "server/base/arena.h"

#define PIECE 200 /* rows of a walk that are held at once */

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
    " WHERE s.series_id <> r.series_id ORDER BY r.run_id LIMIT $1")
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
};

struct checking {
	struct ctx *c;
	void (*say)(void *arg, const char *complaint);
	void *arg;
	int n;
};

__attribute__((format(printf, 2, 3))) static void complain(struct checking *k, const char *fmt, ...)
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

static int check_series(struct checking *k)
{
	int64_t after = 0;
	size_t n;

	do {
		auto_arena struct arena *a = arena_new();
		struct ctx c;
		struct series *list;
		ctx_init(&c, a, k->c->db);
		int e = series_list(&c, NULL, 0, after, PIECE, &list, &n);
		if (e < 0)
			return fail(k->c, (enum err)e, "%s", c.detail);
		for (size_t i = 0; i < n; i++) {
			char hex[DIGEST_HEX + 1];
			struct digest d = series_digest(list[i].axes, list[i].naxes);
			digest_hex(&d, hex);
			if (strcmp(hex, list[i].digest) != 0)
				complain(k, "series %lld: its digest does not fit its axes",
					 (long long)list[i].id);
			after = list[i].id;
		}
	} while (n == PIECE);
	return 0;
}

/* clang-format off */
SQL(check_layouts_walk,
    "SELECT layout_id, metric_ids, (SELECT coalesce(max(metric_id), 0) FROM metric) FROM layout"
    " WHERE layout_id > $1 ORDER BY layout_id LIMIT $2")
SQL(check_summaries_walk,
    "SELECT summary_id, cells FROM summary WHERE summary_id > $1 ORDER BY summary_id LIMIT $2")
/* clang-format on */

static bool good_layout(struct arena *a, struct stmt *st)
{
	size_t nbytes, n;
	const void *bytes = col_blob_peek(st, 1, &nbytes);
	const uint32_t *ids = layout_unpack(a, bytes, nbytes, &n);

	if (!ids && nbytes)
		return false;
	for (size_t i = 1; i < n; i++)
		if (ids[i] <= ids[i - 1])
			return false;
	return !n || ids[n - 1] <= col_int(st, 2);
}

static bool good_summary(struct arena *a, struct stmt *st)
{
	struct stored_cell *cells;
	struct ctx c;
	size_t nbytes, n;
	const void *bytes = col_blob_peek(st, 1, &nbytes);

	ctx_init(&c, a, NULL);
	return summary_unpack(&c, bytes, nbytes, &cells, &n) >= 0;
}

/* Looks at every row of a table, a piece at a time. */
static int walk(struct checking *k, const struct sql *sql,
		bool (*good)(struct arena *, struct stmt *), const char *what)
{
	int64_t after = 0;
	int in_piece;

	do {
		auto_arena struct arena *a = arena_new();
		auto_stmt struct stmt *st = db_stmt(k->c, sql);
		in_piece = 0;
		bind_int(st, 1, after);
		bind_int(st, 2, PIECE);
		while (stmt_step(st) == STMT_ROW) {
			after = col_int(st, 0);
			in_piece++;
			if (!good(a, st))
				complain(k, "%s %lld: its bytes are damaged", what,
					 (long long)after);
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	} while (in_piece == PIECE);
	return 0;
}

int store_check(struct ctx *c, void (*say)(void *arg, const char *complaint), void *arg)
{
	struct checking k = {c, say, arg, 0};
	int e = 0;

	for (size_t i = 0; e == 0 && i < sizeof(pair_checks) / sizeof(pair_checks[0]); i++)
		e = check_pairs(&k, &pair_checks[i]);
	if (e == 0)
		e = check_series(&k);
	if (e == 0)
		e = walk(&k, &check_layouts_walk, good_layout, "layout");
	if (e == 0)
		e = walk(&k, &check_summaries_walk, good_summary, "summary");
	return e < 0 ? e : k.n;
}
