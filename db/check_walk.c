/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walks of the check: series with their layouts, layouts, samples, summaries and infos, a piece
 * of rows at a time. A digest is made again from what it names; what was packed is unpacked, and a
 * value that no upload can bring (it is not finite) is damage.
 */
#include "db/check_walk.h"

#include <math.h>

#include "db/artifacts.h"
#include "db/distributions.h"
#include "db/info.h"
#include "db/metrics.h"
#include "db/samples.h"
#include "db/series.h"
#include "server/base/arena.h"

#define PIECE       200 /* rows of a walk that are held at once */
#define LAYOUTS_MAX 100000

/* --- series --- */

SQL(check_has_metric, "SELECT 1 FROM series_metric WHERE series_id = $1 AND metric_id = $2")

static bool has_metric(struct ctx *c, int64_t series_id, uint32_t metric_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &check_has_metric);

	bind_int(st, 1, series_id);
	bind_int(st, 2, metric_id);
	return stmt_step(st) == STMT_ROW;
}

SQL(check_series_layouts, "SELECT l.layout_id, l.metric_ids FROM series_layout x"
			  " JOIN layout l ON l.layout_id = x.layout_id WHERE x.series_id = $1"
			  " ORDER BY l.layout_id LIMIT $2")

/* Lists of a series' metrics come from its notes: each metric of its layouts must be in them. */
static int check_noted(struct checking *k, struct ctx *c, int64_t series_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &check_series_layouts);

	bind_int(st, 1, series_id);
	bind_int(st, 2, LAYOUTS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		size_t nbytes, n = 0;
		const void *bytes = col_blob_peek(st, 1, &nbytes);
		const uint32_t *ids = layout_unpack(c->arena, bytes, nbytes, &n);
		bool noted = true;

		for (size_t i = 0; ids && i < n && noted; i++)
			noted = has_metric(c, series_id, ids[i]);
		if (!noted)
			complain(k,
				 "series %lld, layout %lld: a metric is not noted for the series",
				 (long long)series_id, (long long)col_int(st, 0));
	}
	return stmt_status(st);
}

static bool is_axis(const struct series *s, const char *name, const char *value)
{
	const char *axis = series_axis(s, name);

	return axis && strcmp(axis, value) == 0;
}

static int check_one_series(struct checking *k, struct ctx *c, const struct series *s)
{
	struct digest d = series_digest(s->axes, s->naxes);
	char hex[DIGEST_HEX + 1];

	digest_hex(&d, hex);
	if (strcmp(hex, s->digest) != 0)
		complain(k, "series %lld: its digest does not fit its axes", (long long)s->id);
	else if (!is_axis(s, "testcase", s->testcase) || !is_axis(s, "tbox_group", s->tbox_group))
		complain(k, "series %lld: its name is not that of its axes", (long long)s->id);
	return check_noted(k, c, s->id);
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
		for (size_t i = 0; e >= 0 && i < n; i++) {
			e = check_one_series(k, &c, &list[i]);
			after = list[i].id;
		}
		if (e < 0)
			return fail(k->c, (enum err)e, "%s", c.detail);
	} while (n == PIECE);
	return E_OK;
}

/* --- rows by their number --- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

SQL(check_layouts_walk, "SELECT layout_id, metric_ids, digest FROM layout"
			" WHERE layout_id > $1 ORDER BY layout_id LIMIT $2")

static bool good_layout(struct ctx *c, struct stmt *st)
{
	struct digest_state state;
	size_t nbytes, n;
	const void *bytes = col_blob_peek(st, 1, &nbytes);
	const uint32_t *ids = layout_unpack(c->arena, bytes, nbytes, &n);

	if (!ids)
		return false;
	const char **names = arena_array(c->arena, const char *, n);
	for (size_t i = 0; i < n; i++) {
		const struct metric *m = metric_by_id(c, ids[i]);

		if (!m)
			return false;
		names[i] = m->name;
	}
	if (n)
		qsort(names, n, sizeof(*names), by_text);
	digest_init(&state);
	for (size_t i = 0; i < n; i++)
		digest_add_str(&state, names[i]);
	struct digest d = digest_end(&state);
	const void *kept = col_blob_peek(st, 2, &nbytes);
	return nbytes == DIGEST_LEN && memcmp(kept, d.b, DIGEST_LEN) == 0;
}

SQL(check_samples_walk,
    "SELECT run_id, samples FROM run WHERE run_id > $1 ORDER BY run_id LIMIT $2")

/* That they fit their layout is another check. */
static bool good_samples(struct ctx *c, struct stmt *st)
{
	size_t nbytes;
	const void *bytes = col_blob_peek(st, 1, &nbytes);
	const double *values = samples_unpack(c->arena, bytes, nbytes - nbytes % 8, nbytes / 8);

	for (size_t i = 0; i < nbytes / 8; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

SQL(check_summaries_walk, "SELECT summary_id, cells, series_id FROM summary"
			  " WHERE summary_id > $1 ORDER BY summary_id LIMIT $2")

static bool good_summary(struct ctx *c, struct stmt *st)
{
	struct stored_cell *cells;
	size_t nbytes, n;
	const void *bytes = col_blob_peek(st, 1, &nbytes);

	if (summary_unpack(c, bytes, nbytes, &cells, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!has_metric(c, col_int(st, 2), cells[i].metric_id))
			return false;
	return true;
}

SQL(check_infos_walk,
    "SELECT info_id, digest FROM info WHERE info_id > $1 ORDER BY info_id LIMIT $2")

static bool good_info(struct ctx *c, struct stmt *st)
{
	struct digest_state state;
	const struct pair *pairs;
	size_t n, nbytes;

	if (info_get(c, col_int(st, 0), &pairs, &n) < 0)
		return false;
	digest_init(&state);
	for (size_t i = 0; i < n; i++) {
		digest_add_str(&state, pairs[i].name);
		digest_add_str(&state, pairs[i].value);
	}
	struct digest d = digest_end(&state);
	const void *kept = col_blob_peek(st, 1, &nbytes);
	return nbytes == DIGEST_LEN && memcmp(kept, d.b, DIGEST_LEN) == 0;
}

static const struct table_walk {
	const struct sql *sql; /* its first column is the row's number */
	bool (*good)(struct ctx *c, struct stmt *st);
	const char *row, *what;
} tables[] = {
	{&check_layouts_walk, good_layout, "layout", "its bytes are damaged"},
	{&check_samples_walk, good_samples, "run", "its values are damaged"},
	{&check_summaries_walk, good_summary, "summary", "its bytes are damaged"},
	{&check_infos_walk, good_info, "info", "its text is damaged"},
};

static int walk(struct checking *k, const struct table_walk *t)
{
	int64_t after = 0;
	int in_piece;

	do {
		auto_arena struct arena *a = arena_new();
		auto_stmt struct stmt *st = db_stmt(k->c, t->sql);

		in_piece = 0;
		bind_int(st, 1, after);
		bind_int(st, 2, PIECE);
		while (stmt_step(st) == STMT_ROW) {
			struct ctx c;

			ctx_init(&c, a, k->c->db);
			after = col_int(st, 0);
			in_piece++;
			if (!t->good(&c, st))
				complain(k, "%s %lld: %s", t->row, (long long)after, t->what);
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	} while (in_piece == PIECE);
	return E_OK;
}

/* --- rows without a number --- */

SQL(check_distributions_walk, "SELECT series_id, run_id, metric_id, data FROM distribution"
			      " ORDER BY series_id, run_id, metric_id LIMIT $1")

static int check_distributions(struct checking *k)
{
	auto_stmt struct stmt *st = db_stmt(k->c, &check_distributions_walk);
	auto_arena struct arena *a = arena_new();

	bind_int(st, 1, INT64_MAX);
	while (stmt_step(st) == STMT_ROW) {
		struct distribution_in d;
		struct ctx c;
		size_t nbytes;
		const void *bytes = col_blob_peek(st, 3, &nbytes);

		arena_reset(a);
		ctx_init(&c, a, k->c->db);
		if (distribution_unpack(&c, bytes, nbytes, &d) < 0 ||
		    !has_metric(&c, col_int(st, 0), (uint32_t)col_int(st, 2)))
			complain(k, "run %lld, metric %lld: its distribution is damaged",
				 (long long)col_int(st, 1), (long long)col_int(st, 2));
	}
	return stmt_status(st);
}

SQL(check_artifacts_walk,
    "SELECT digest, size, encoding, data FROM artifact ORDER BY digest LIMIT $1")

static int check_artifacts(struct checking *k)
{
	auto_stmt struct stmt *st = db_stmt(k->c, &check_artifacts_walk);
	auto_arena struct arena *a = arena_new();

	bind_int(st, 1, INT64_MAX);
	while (stmt_step(st) == STMT_ROW) {
		struct artifact f = {.size = col_int(st, 1), .encoding = col_text_peek(st, 2)};
		const char *plain;
		char hex[ARTIFACT_HEX + 1];
		struct ctx c;
		size_t n;
		const void *digest = col_blob_peek(st, 0, &n);

		if (n == sizeof(f.digest.b))
			memcpy(f.digest.b, digest, n);
		f.data = col_blob_peek(st, 3, &f.ndata);
		arena_reset(a);
		ctx_init(&c, a, k->c->db);
		artifact_hex(&f.digest, hex);
		if (artifact_unpack(&c, &f, &plain) < 0)
			complain(k, "artifact %s: its bytes are damaged", hex);
	}
	return stmt_status(st);
}

int check_walks(struct checking *k)
{
	int e = check_series(k);

	for (size_t i = 0; e >= 0 && i < sizeof(tables) / sizeof(tables[0]); i++)
		e = walk(k, &tables[i]);
	if (e >= 0)
		e = check_distributions(k);
	return e < 0 ? e : check_artifacts(k);
}
