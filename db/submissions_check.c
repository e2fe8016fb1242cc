/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checking the submissions of a job before anything of it is written, by reading only: a key that
 * was used for other content, a unit that contradicts the series', and both of them among the
 * submissions of the job itself. Whatever can refuse an upload is here; storing can only fail with
 * the engine.
 */
#include "db/runs.h"

#include "db/metrics.h"
#include "db/series.h"
#include "db/series_units.h"
#include "db/submission_write.h"
#include "server/base/arena.h"

#define UNITS_ASKED_SINGLY 16 /* more are read at once */

SQL(submission_find,
    "SELECT submission_id, content FROM submission WHERE series_id = $1 AND key = $2")
SQL(submission_run_ids,
    "SELECT run_id FROM run WHERE submission_id = $1 ORDER BY run_id LIMIT 100000")

static int read_run_ids(struct ctx *c, int64_t submission_id, struct accepted *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &submission_run_ids);
	size_t cap = 0;

	bind_int(st, 1, submission_id);
	while (stmt_step(st) == STMT_ROW) {
		out->run_ids = arena_grow(c->arena, out->run_ids, &cap, out->nruns + 1,
					  sizeof(*out->run_ids));
		out->run_ids[out->nruns++] = col_int(st, 0);
	}
	return stmt_status(st);
}

static void refuse_key(struct ctx *c, const char *key, const char *where)
{
	fail(c, E_CONFLICT, "the key \"%.100s\" was used %s for other content", key, where);
	fault(c, "key", "\"%.200s\" was used %s for other content of the same series", key, where);
}

/* Holds a submission against what is stored. */
static int check_key(struct ctx *c, const struct submission *s, struct accepted *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &submission_find);
	size_t n;

	bind_int(st, 1, out->series_id);
	bind_text(st, 2, s->key);
	int r = stmt_step(st);
	if (r != STMT_ROW)
		return r;
	const void *content = col_blob_peek(st, 1, &n);
	if (n != DIGEST_LEN || memcmp(content, s->content.b, n) != 0) {
		refuse_key(c, s->key, "before");
		return E_OK;
	}
	out->duplicate = true;
	return read_run_ids(c, col_int(st, 0), out);
}

static void refuse_unit(struct ctx *c, const struct pair *unit, const char *other,
			const char *where)
{
	char *path = arena_fmt(c->arena, "units[\"%.200s\"]", unit->name);

	fault(c, path, "the unit is \"%.60s\" here, but \"%.60s\" %s", unit->value, other, where);
}

/* Units of the series by metric id; without a list the database is asked for each. */
struct told {
	int64_t series_id;
	struct series_unit *list;
	size_t n;
	bool listed;
};

static int unit_told(struct ctx *c, const struct told *t, uint32_t metric_id, const char **unit)
{
	size_t lo = 0, hi = t->n;

	if (!t->listed)
		return series_unit(c, t->series_id, metric_id, unit);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->list[mid].metric_id < metric_id)
			lo = mid + 1;
		else
			hi = mid;
	}
	*unit = lo < t->n && t->list[lo].metric_id == metric_id ? t->list[lo].unit : NULL;
	return E_OK;
}

static int check_units(struct ctx *c, const struct submission *s, struct accepted *out)
{
	struct told told = {.series_id = out->series_id, .listed = s->nunits > UNITS_ASKED_SINGLY};
	size_t known = 0;
	int e = told.listed ? series_units(c, told.series_id, &told.list, &told.n) : E_OK;

	for (size_t i = 0; i < s->nunits && e >= 0; i++) {
		const struct metric *m = metric_by_name(c, s->units[i].name);
		const char *unit;

		if (!m)
			continue; /* new; or the database failed, and then storing says so */
		e = unit_told(c, &told, m->id, &unit);
		if (e < 0)
			return e;
		if (unit && strcmp(unit, s->units[i].value) != 0)
			refuse_unit(c, &s->units[i], unit, "in the series so far");
		known += unit != NULL;
	}
	out->units_known = known == s->nunits;
	return e;
}

static int check_one(struct ctx *c, const struct submission *s, struct accepted *out)
{
	struct digest d = series_digest(s->axes, s->naxes);

	*out = (struct accepted){.key = s->key, .duplicate_of = -1};
	digest_hex(&d, out->series_digest);
	int e = series_find(c, out->series_digest, &out->series_id);
	if (e < 0 || !out->series_id)
		return e;
	e = check_key(c, s, out);
	return e < 0 ? e : check_units(c, s, out);
}

/* --- among themselves --------------------------------------------------------------------------
 */

/* A key, or a metric with its unit, in a series. */
struct claim {
	const char *series, *name, *unit; /* unit NULL: a key */
	size_t item;
};

static int by_claim(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int d = strcmp(x->series, y->series);

	if (!d)
		d = strcmp(x->name, y->name);
	return d ? d : (x->item > y->item) - (x->item < y->item);
}

static bool same_claim(const struct claim *x, const struct claim *y)
{
	return !strcmp(x->series, y->series) && !strcmp(x->name, y->name);
}

/* Neighbours in the sorted list with the same key: the first of them is stored, the others repeat
 * it. */
static void check_keys_among(struct ctx *c, const struct submission *subs, struct claim *claims,
			     size_t n, struct accepted *out)
{
	size_t first = 0;

	qsort(claims, n, sizeof(*claims), by_claim);
	for (size_t i = 1; i < n; i++) {
		if (!same_claim(&claims[first], &claims[i])) {
			first = i;
			continue;
		}
		size_t a = claims[first].item, b = claims[i].item;
		if (out[b].duplicate)
			continue; /* the store has said so already */
		if (digest_equal(&subs[a].content, &subs[b].content)) {
			out[b].duplicate = true;
			out[b].duplicate_of = (int64_t)a;
		} else if (!out[a].duplicate) {
			c->item = (long)b;
			refuse_key(c, subs[b].key, "in this upload");
		}
	}
}

static void check_units_among(struct ctx *c, struct claim *claims, size_t n)
{
	size_t first = 0;

	if (n)
		qsort(claims, n, sizeof(*claims), by_claim);
	for (size_t i = 1; i < n; i++) {
		if (!same_claim(&claims[first], &claims[i])) {
			first = i;
			continue;
		}
		if (strcmp(claims[first].unit, claims[i].unit) != 0) {
			struct pair unit = {claims[i].name, claims[i].unit};

			c->item = (long)claims[i].item;
			refuse_unit(c, &unit, claims[first].unit, "earlier in this upload");
		}
	}
}

static void check_among(struct ctx *c, const struct submission *subs, size_t n,
			struct accepted *out)
{
	struct claim *keys = arena_array(c->arena, struct claim, n), *units;
	size_t nunits = 0;

	for (size_t i = 0; i < n; i++) {
		keys[i] = (struct claim){out[i].series_digest, subs[i].key, NULL, i};
		nunits += subs[i].nunits;
	}
	check_keys_among(c, subs, keys, n, out);

	units = arena_array(c->arena, struct claim, nunits);
	nunits = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t u = 0; u < subs[i].nunits; u++)
			units[nunits++] =
				(struct claim){out[i].series_digest, subs[i].units[u].name,
					       subs[i].units[u].value, i};
	check_units_among(c, units, nunits);
}

int submissions_check(struct ctx *c, const struct submission *subs, size_t n, struct accepted *out)
{
	long item = c->item;
	bool numbered = n > 1 || item >= 0;

	for (size_t i = 0; i < n; i++) {
		c->item = numbered ? (long)i : -1;
		int e = check_one(c, &subs[i], &out[i]);
		if (e < 0) {
			c->item = item;
			return e;
		}
	}
	if (n > 1)
		check_among(c, subs, n, out);
	int e = replaces_check(c, subs, n, out, numbered);
	c->item = item;
	if (e < 0)
		return e;
	return (int)c->err;
}
