/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series and their axes. Three digests are stored with each: over all axes, over all but the
 * machine's, and over the test's alone, so that "other machines" and "neighbours" are index
 * look-ups. Filters by axes are driven by the first of them and probe the others, since SQL texts
 * are fixed.
 */
#include "db/series.h"

#include <ctype.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

#define RELATED_MAX 1000

enum axis_class axis_class_of(const char *name)
{
	static const struct {
		const char *name;
		enum axis_class class;
	} axes[] = {
#define AXIS(n, c) {n, c},
#include "db/axes.def"
#undef AXIS
	};

	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (!strcmp(axes[i].name, name))
			return axes[i].class;
	return AXIS_TEST;
}

/* Over the axes whose class has its bit in classes. */
static struct digest digest_classes(const struct pair *axes, size_t naxes, unsigned classes)
{
	struct digest_state d;

	digest_init(&d);
	for (size_t i = 0; i < naxes; i++) {
		if (!(classes & 1u << axis_class_of(axes[i].name)))
			continue;
		digest_add_str(&d, axes[i].name);
		digest_add_str(&d, axes[i].value);
	}
	return digest_end(&d);
}

struct digest series_digest(const struct pair *axes, size_t naxes)
{
	struct digest_state d;

	digest_init(&d);
	for (size_t i = 0; i < naxes; i++) {
		digest_add_str(&d, axes[i].name);
		digest_add_str(&d, axes[i].value);
	}
	return digest_end(&d);
}

SQL(series_axes,
    "SELECT name, value FROM series_axis WHERE series_id = $1 ORDER BY name LIMIT 1000")

static int read_axes(struct ctx *c, struct series *s)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_axes);
	struct pair *axes = NULL;
	size_t cap = 0;

	s->naxes = 0;
	bind_int(st, 1, s->id);
	while (stmt_step(st) == STMT_ROW) {
		axes = arena_grow(c->arena, axes, &cap, s->naxes + 1, sizeof(*axes));
		axes[s->naxes++] = (struct pair){col_text(st, 0), col_text(st, 1)};
	}
	s->axes = axes;
	return stmt_status(st);
}

SQL(series_row, "SELECT digest, testcase, tbox_group FROM series WHERE series_id = $1")

int series_get_id(struct ctx *c, int64_t id, struct series *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_row);

	bind_int(st, 1, id);
	int r = stmt_step(st);
	if (r < 0)
		return r;
	if (r != STMT_ROW)
		return fail(c, E_NOTFOUND, "there is no series %lld", (long long)id);
	*out = (struct series){.id = id};
	snprintf(out->digest, sizeof(out->digest), "%s", col_text_peek(st, 0));
	out->testcase = col_text(st, 1);
	out->tbox_group = col_text(st, 2);
	out->last_upload = TIME_NONE;
	return read_axes(c, out);
}

SQL(series_counts, "SELECT count(CASE WHEN " MEASURED_IN_VIEW
		   " THEN 1 END), CAST(coalesce(sum(m.runs), 0) AS BIGINT), max(m.last_received),"
		   " (SELECT count(*) FROM series_metric WHERE series_id = $1)"
		   " FROM measured m WHERE m.series_id = $1")

int series_count(struct ctx *c, struct series *s)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_counts);

	bind_int(st, 1, s->id);
	if (stmt_step(st) == STMT_ROW) {
		s->commits = col_int(st, 0);
		s->runs = col_int(st, 1);
		s->last_upload = col_time(st, 2);
		s->metrics = col_int(st, 3);
	}
	return stmt_status(st);
}

SQL(series_by_digest, "SELECT series_id FROM series WHERE digest >= $1 AND digest < $2"
		      " ORDER BY digest LIMIT 2")

static int get_by_digest(struct ctx *c, const char *ref, struct series *out)
{
	char low[DIGEST_HEX + 1], high[DIGEST_HEX + 2];
	size_t n = strlen(ref);

	for (size_t i = 0; i < n; i++)
		low[i] = (char)tolower((unsigned char)ref[i]);
	low[n] = '\0';
	snprintf(high, sizeof(high), "%sg", low); /* above every longer digest that begins so */

	int64_t ids[2] = {0};
	int found = 0;
	auto_stmt struct stmt *st = db_stmt(c, &series_by_digest);
	bind_text(st, 1, low);
	bind_text(st, 2, high);
	while (found < 2 && stmt_step(st) == STMT_ROW)
		ids[found++] = col_int(st, 0);
	if (stmt_status(st) < 0)
		return stmt_status(st);
	if (!found)
		return fail(c, E_NOTFOUND, "there is no series with the digest %s", low);
	if (found > 1)
		return fail(c, E_AMBIGUOUS, "several series have a digest that begins with %s",
			    low);
	return series_get_id(c, ids[0], out);
}

int series_get(struct ctx *c, const char *ref, struct series *out)
{
	size_t n = strlen(ref);
	int64_t id;

	if (n > 0 && n < 8 && strspn(ref, "0123456789") == n) {
		if (num_parse_int(ref, 0, 9999999, &id))
			return series_get_id(c, id, out);
		return fail(c, E_NOTFOUND, "there is no series %s", ref);
	}
	if (n < 8 || n > DIGEST_HEX || strspn(ref, "0123456789abcdefABCDEF") != n)
		return fail(c, E_INVALID,
			    "\"%.40s\" is neither a series number (under 8 digits) nor a digest or "
			    "its first 8 or more hex digits",
			    ref);
	return get_by_digest(c, ref, out);
}

const char *series_axis(const struct series *s, const char *name)
{
	for (size_t i = 0; i < s->naxes; i++)
		if (!strcmp(s->axes[i].name, name))
			return s->axes[i].value;
	return NULL;
}

SQL(series_has_axis, "SELECT 1 FROM series_axis WHERE series_id = $1 AND name = $2 AND value = $3")

static int has_axes(struct ctx *c, int64_t id, const struct pair *axes, size_t n, bool *all)
{
	*all = true;
	for (size_t i = 0; i < n && *all; i++) {
		auto_stmt struct stmt *st = db_stmt(c, &series_has_axis);

		bind_int(st, 1, id);
		bind_text(st, 2, axes[i].name);
		bind_text(st, 3, axes[i].value);
		int r = stmt_step(st);
		if (r < 0)
			return r;
		*all = r == STMT_ROW;
	}
	return E_OK;
}

/* Loads the series of a list of ids. */
static int get_all(struct ctx *c, const int64_t *ids, size_t nids, struct series **out, size_t *n)
{
	*n = 0;
	*out = arena_array(c->arena, struct series, nids);
	for (size_t i = 0; i < nids; i++) {
		int e = series_get_id(c, ids[i], &(*out)[i]);

		if (e < 0 || (e = series_count(c, &(*out)[i])) < 0)
			return e;
		*n = i + 1;
	}
	return E_OK;
}

SQL(series_ids_all, "SELECT series_id FROM series WHERE series_id > $1 ORDER BY series_id LIMIT $2")
SQL(series_ids_by_axis, "SELECT series_id FROM series_axis WHERE name = $3 AND value = $4"
			" AND series_id > $1 ORDER BY series_id LIMIT $2")

int series_list(struct ctx *c, const struct pair *axes, size_t naxes, int64_t after, size_t limit,
		struct series **out, size_t *n)
{
	int64_t *ids = arena_array(c->arena, int64_t, limit);
	size_t found = 0;

	*n = 0;
	{
		auto_stmt struct stmt *st =
			db_stmt(c, naxes ? &series_ids_by_axis : &series_ids_all);
		int e;

		bind_int(st, 1, after);
		bind_int(st, 2, naxes > 1 ? INT64_MAX : (int64_t)limit);
		if (naxes) {
			bind_text(st, 3, axes[0].name);
			bind_text(st, 4, axes[0].value);
		}
		while (found < limit && stmt_step(st) == STMT_ROW) {
			bool all = true;

			ids[found] = col_int(st, 0);
			if (naxes > 1) {
				e = has_axes(c, ids[found], axes + 1, naxes - 1, &all);
				if (e < 0)
					return e;
			}
			found += all;
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	return get_all(c, ids, found, out, n);
}

SQL(series_ids_peers, "SELECT p.series_id FROM series s JOIN series p"
		      " ON p.peer_digest = s.peer_digest AND p.tbox_group <> s.tbox_group"
		      " WHERE s.series_id = $1 ORDER BY p.tbox_group, p.series_id LIMIT $2")
SQL(series_ids_neighbours, "SELECT p.series_id FROM series s JOIN series p"
			   " ON p.test_digest = s.test_digest AND p.tbox_group = s.tbox_group"
			   " AND p.series_id <> s.series_id"
			   " WHERE s.series_id = $1 ORDER BY p.series_id LIMIT $2")

static int related(struct ctx *c, const struct sql *sql, int64_t id, struct series **out, size_t *n)
{
	int64_t *ids = NULL;
	size_t found = 0, cap = 0;

	*n = 0;
	{
		auto_stmt struct stmt *st = db_stmt(c, sql);

		bind_int(st, 1, id);
		bind_int(st, 2, RELATED_MAX);
		while (stmt_step(st) == STMT_ROW) {
			ids = arena_grow(c->arena, ids, &cap, found + 1, sizeof(*ids));
			ids[found++] = col_int(st, 0);
		}
		if (stmt_status(st) < 0)
			return stmt_status(st);
	}
	return get_all(c, ids, found, out, n);
}

int series_peers(struct ctx *c, const struct series *s, struct series **out, size_t *n)
{
	return related(c, &series_ids_peers, s->id, out, n);
}

int series_neighbours(struct ctx *c, const struct series *s, struct series **out, size_t *n)
{
	return related(c, &series_ids_neighbours, s->id, out, n);
}

SQL(series_find_digest, "SELECT series_id FROM series WHERE digest = $1")

int series_find(struct ctx *c, const char *digest, int64_t *series_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &series_find_digest);

	bind_text(st, 1, digest);
	int r = stmt_step(st);
	*series_id = r == STMT_ROW ? col_int(st, 0) : 0;
	return r < 0 ? r : E_OK;
}

SQL(series_insert,
    "INSERT INTO series (digest, peer_digest, test_digest, testcase, tbox_group, created)"
    " VALUES ($1, $2, $3, $4, $5, $6) RETURNING series_id")
SQL(series_insert_axis, "INSERT INTO series_axis (series_id, name, value) VALUES ($1, $2, $3)")

static int series_create(struct ctx *c, const char *hex, const struct submission *sub, int64_t now,
			 int64_t *series_id)
{
	struct digest peer =
		digest_classes(sub->axes, sub->naxes, 1u << AXIS_BUILD | 1u << AXIS_TEST);
	struct digest test = digest_classes(sub->axes, sub->naxes, 1u << AXIS_TEST);
	char peer_hex[DIGEST_HEX + 1], test_hex[DIGEST_HEX + 1];
	auto_stmt struct stmt *st = db_stmt(c, &series_insert);

	digest_hex(&peer, peer_hex);
	digest_hex(&test, test_hex);
	bind_text(st, 1, hex);
	bind_text(st, 2, peer_hex);
	bind_text(st, 3, test_hex);
	bind_text(st, 4, sub->testcase);
	bind_text(st, 5, sub->tbox_group);
	bind_int(st, 6, now);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	*series_id = col_int(st, 0);

	for (size_t i = 0; i < sub->naxes; i++) {
		auto_stmt struct stmt *axis = db_stmt(c, &series_insert_axis);

		bind_int(axis, 1, *series_id);
		bind_text(axis, 2, sub->axes[i].name);
		bind_text(axis, 3, sub->axes[i].value);
		int e = stmt_run(axis);
		if (e < 0)
			return e;
	}
	return E_OK;
}

int series_ensure(struct ctx *c, const struct submission *sub, int64_t now, int64_t *series_id)
{
	struct digest all = series_digest(sub->axes, sub->naxes);
	char hex[DIGEST_HEX + 1];

	digest_hex(&all, hex);
	int e = series_find(c, hex, series_id);
	if (e < 0 || *series_id)
		return e;
	return series_create(c, hex, sub, now, series_id);
}
