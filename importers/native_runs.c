/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two forms of samples: "runs", an object for each run, and "matrix", an array for each metric.
 * Both end as runs with sorted names and values beside them; a metric that a run did not measure is
 * not in its names.
 */
#include "importers/native.h"

#include "server/base/arena.h"

static void fault_value(struct ctx *c, const struct json_at *at, const json_t *v, const char *also)
{
	json_read_fault(c, at, "must be a number%s, is %s", also, json_read_kind(v));
}

static void read_run(struct native *nv, json_t *v, const struct json_at *at, struct submission *s,
		     struct run_in *runs)
{
	struct native_names *names;
	double *values;
	size_t i = 0;

	if (!json_is_object(v)) {
		json_read_fault(nv->ctx, at, "must be an object, is %s", json_read_kind(v));
		return;
	}
	if (json_object_size(v) > NATIVE_METRICS_MAX) {
		json_read_fault(nv->ctx, at, "has %zu metrics, at most %d are allowed",
				json_object_size(v), NATIVE_METRICS_MAX);
		return;
	}
	if (!json_object_size(v) && s->status == RUN_OK)
		json_read_fault(nv->ctx, at, "has no metric, which only a run that is not ok may");
	names = native_names_of(nv, v, at);
	values = arena_array(nv->ctx->arena, double, json_object_size(v));
	for (void *it = json_object_iter(v); it; it = json_object_iter_next(v, it), i++) {
		const json_t *value = json_object_iter_value(it);

		if (!json_is_real(value))
			fault_value(nv->ctx, JSON_AT_ENTRY(at, json_object_iter_key(it)), value,
				    "");
		else if (names)
			values[names->rank[i]] = json_real_value(value);
	}
	if (names)
		runs[s->nruns++] = (struct run_in){&names->sorted, values};
}

static bool check_count(struct ctx *c, const struct json_at *at, size_t n)
{
	if (n == 0)
		json_read_fault(c, at, "has no runs");
	else if (n > NATIVE_RUNS_MAX)
		json_read_fault(c, at, "has %zu runs, at most %d are allowed", n, NATIVE_RUNS_MAX);
	return n > 0 && n <= NATIVE_RUNS_MAX;
}

void native_read_runs(struct native *nv, json_t *v, const struct json_at *at, struct submission *s)
{
	size_t n = json_array_size(v);
	struct run_in *runs;

	if (!json_is_array(v)) {
		json_read_fault(nv->ctx, at, "must be an array, is %s", json_read_kind(v));
		return;
	}
	if (!check_count(nv->ctx, at, n))
		return;
	s->runs = runs = arena_array(nv->ctx->arena, struct run_in, n);
	for (size_t i = 0; i < n; i++)
		read_run(nv, json_array_get(v, i), JSON_AT_INDEX(at, i), s, runs);
}

/* Checks the shape of a matrix and its values; the number of runs, or 0 when there was a fault. */
static size_t check_matrix(struct ctx *c, json_t *v, const struct json_at *at)
{
	const char *first = NULL, *key;
	size_t seen = c->faults_seen, runs = 0;
	json_t *row;

	json_object_foreach(v, key, row)
	{
		const struct json_at *place = JSON_AT_ENTRY(at, key);

		if (!json_is_array(row)) {
			json_read_fault(c, place, "must be an array, is %s", json_read_kind(row));
			continue;
		}
		if (!first) {
			first = key;
			runs = json_array_size(row);
			check_count(c, place, runs);
		} else if (json_array_size(row) != runs) {
			json_read_fault(c, place, "has %zu values, expected %zu as in \"%.80s\"",
					json_array_size(row), runs, first);
		}
		for (size_t i = 0; i < json_array_size(row); i++) {
			const json_t *value = json_array_get(row, i);

			if (!json_is_real(value) && !json_is_null(value))
				fault_value(c, JSON_AT_INDEX(place, i), value, " or null");
		}
	}
	return c->faults_seen == seen ? runs : 0;
}

/* The names of a run that lacks some; shared with an earlier run of this matrix that lacks the
 * same, if that is among the last few: names are one copy, so pointers can be compared. */
static const struct metric_names *part_names(struct ctx *c, const struct submission *s,
					     const char *const *names, size_t n)
{
	enum { LOOK_BACK = 16 };
	struct metric_names *made;
	struct digest_state d;

	for (size_t i = 0; i < LOOK_BACK && i < s->nruns; i++) {
		const struct metric_names *old = s->runs[s->nruns - 1 - i].names;

		if (old->n == n && memcmp(old->names, names, n * sizeof(*names)) == 0)
			return old;
	}
	made = arena_array(c->arena, struct metric_names, 1);
	digest_init(&d);
	for (size_t i = 0; i < n; i++)
		digest_add_str(&d, names[i]);
	*made = (struct metric_names){arena_copy(c->arena, names, n * sizeof(*names)), n,
				      digest_end(&d)};
	return made;
}

/* What native_read_matrix keeps while it turns columns into runs. */
struct columns {
	const struct native_names *names;
	json_t **rows;        /* in the order of the sorted names */
	const char **present; /* room for the names of one run */
	struct run_in *runs;
};

static void add_column(struct native *nv, const struct columns *m, const struct json_at *at,
		       struct submission *s)
{
	size_t run = s->nruns, n = 0;
	double *values = arena_array(nv->ctx->arena, double, m->names->n);
	const struct metric_names *own = &m->names->sorted;

	for (size_t i = 0; i < m->names->n; i++) {
		const json_t *value = json_array_get(m->rows[i], run);

		if (json_is_null(value))
			continue;
		m->present[n] = m->names->sorted.names[i];
		values[n++] = json_real_value(value);
	}
	if (n == 0 && s->status == RUN_OK)
		json_read_fault(nv->ctx, at,
				"run %zu has no value, which only a run that is not ok may", run);
	if (n != m->names->n)
		own = part_names(nv->ctx, s, m->present, n);
	m->runs[s->nruns++] = (struct run_in){own, values};
}

void native_read_matrix(struct native *nv, json_t *v, const struct json_at *at,
			struct submission *s)
{
	struct columns m = {0};
	size_t runs, i = 0;

	if (!json_is_object(v)) {
		json_read_fault(nv->ctx, at, "must be an object, is %s", json_read_kind(v));
		return;
	}
	if (!json_object_size(v)) {
		json_read_fault(nv->ctx, at, "has no metric");
		return;
	}
	runs = check_matrix(nv->ctx, v, at);
	m.names = native_names_of(nv, v, at);
	if (!runs || !m.names)
		return;
	m.rows = arena_array(nv->ctx->arena, json_t *, m.names->n);
	m.present = arena_array(nv->ctx->arena, const char *, m.names->n);
	for (void *it = json_object_iter(v); it; it = json_object_iter_next(v, it), i++)
		m.rows[m.names->rank[i]] = json_object_iter_value(it);
	s->runs = m.runs = arena_array(nv->ctx->arena, struct run_in, runs);
	while (s->nruns < runs)
		add_column(nv, &m, at, s);
}
