/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects what an importer meets. Each metric name is cleaned and kept once, in a table; a run is
 * the list of its names' numbers and values, in the order they came; a run that goes on as the one
 * before did has no list of numbers of its own. record_end.c makes submissions of it.
 */
#include "importers/record.h"

#include <math.h>
#include <stdarg.h>

#include "importers/json_read.h"
#include "importers/native.h"
#include "importers/record_parts.h"
#include "server/base/arena.h"
#include "server/base/utf8.h"

#define NAME_BUFFER   4096 /* of a name as the importer writes it */
#define INFO_MAX      (4 * JSON_TEXT_MAX)
#define NAMES_MAX     500000 /* metrics of all runs of one submission */
#define INFO_KEYS_MAX 1000   /* kept of one file */
#define FIRST_SLOTS   64     /* a power of two */

struct record *record_begin(struct import *in, const char *testcase)
{
	struct record *r = arena_array(in->ctx->arena, struct record, 1);

	r->in = in;
	r->ctx = in->ctx;
	r->testcase = testcase;
	import_add(in);
	r->sub = in->n - 1;
	for (size_t i = 0; i < in->naxes; i++) {
		r->axes = arena_grow(r->ctx->arena, r->axes, &r->axis_cap, i + 1, sizeof(*r->axes));
		r->axes[r->naxes++] = in->axes[i];
	}
	if (testcase)
		record_axis(r, "testcase", testcase);
	return r;
}

struct submission *record_submission(struct record *r)
{
	return &r->in->subs[r->sub];
}

void record_axis(struct record *r, const char *name, const char *value)
{
	struct arena *a = r->ctx->arena;
	size_t i;

	if (!name || !value || !import_text_valid(name, JSON_NAME_MAX) ||
	    !import_text_valid(value, JSON_TEXT_MAX))
		return;
	for (i = 0; i < r->naxes && strcmp(r->axes[i].name, name) != 0; i++)
		;
	if (i < r->in->naxes || i > NATIVE_AXES_MAX) /* the request's stand first */
		return;
	if (i == r->naxes) {
		r->axes = arena_grow(a, r->axes, &r->axis_cap, i + 1, sizeof(*r->axes));
		r->axes[r->naxes++].name = arena_str(a, name);
	}
	r->axes[i].value = arena_str(a, value);
}

void record_info(struct record *r, const char *key, const char *value)
{
	struct arena *a = r->ctx->arena;
	size_t i;

	if (!key || !value || !import_text_valid(key, JSON_NAME_MAX) ||
	    !import_text_valid(value, INFO_MAX))
		return;
	for (i = 0; i < r->ninfo && strcmp(r->info[i].name, key) != 0; i++)
		;
	if (i == INFO_KEYS_MAX)
		return;
	if (i == r->ninfo) {
		r->info = arena_grow(a, r->info, &r->info_cap, i + 1, sizeof(*r->info));
		r->info[r->ninfo++].name = arena_str(a, key);
	}
	r->info[i].value = arena_str(a, value);
}

const char *record_commit_name(struct arena *a, const char *id, bool *is_hex)
{
	struct ctx c;

	ctx_init(&c, a, NULL);
	return native_commit_name(&c, &(const struct json_at){0}, id, is_hex);
}

void record_commit(struct record *r, const char *id)
{
	struct commit_in *k = &record_submission(r)->commit;
	const char *name;
	bool is_hex = false;

	name = id ? record_commit_name(r->ctx->arena, id, &is_hex) : NULL;
	if (!name)
		return;
	k->id = name;
	k->is_hex = is_hex;
}

/* --- values --- */

void record_run(struct record *r)
{
	r->runs = arena_grow(r->ctx->arena, r->runs, &r->run_cap, r->nruns + 1, sizeof(*r->runs));
	r->runs[r->nruns++] = (struct one_run){0};
}

void record_expect_runs(struct record *r, size_t n)
{
	if (r->nruns || n <= r->run_cap)
		return;
	r->runs = arena_array(r->ctx->arena, struct one_run, n);
	r->run_cap = n;
}

size_t record_runs(const struct record *r)
{
	return r->nruns;
}

static struct one_run *last_run(struct record *r)
{
	if (!r->nruns)
		record_run(r);
	return &r->runs[r->nruns - 1];
}

/* Whatever must not be in a name becomes '_'; at most METRIC_NAME_MAX bytes, no half character. */
static size_t clean_name(const char *s, char *out)
{
	size_t left = strlen(s), n = 0;

	while (left) {
		size_t bytes = utf8_length(s, left);
		bool bad = !bytes || (unsigned char)*s < 0x20 || *s == 0x7f ||
			   (bytes == 2 && utf8_is_c1(s));
		size_t take = bad ? 1 : bytes;

		if (n + take > METRIC_NAME_MAX)
			break;
		memcpy(out + n, bad ? "_" : s, take);
		n += take;
		if (!bytes)
			bytes = 1;
		s += bytes;
		left -= bytes;
	}
	out[n] = '\0';
	return n;
}

static void place(struct record *r, uint32_t id)
{
	size_t i = r->metrics[id].hash & (r->nslots - 1);

	while (r->slots[i])
		i = (i + 1) & (r->nslots - 1);
	r->slots[i] = id + 1;
}

/* Keeps the table at most half full. */
static void make_room(struct record *r)
{
	if (2 * (r->nmetrics + 1) <= r->nslots)
		return;
	r->nslots = r->nslots ? 2 * r->nslots : FIRST_SLOTS;
	r->slots = arena_array(r->ctx->arena, uint32_t, r->nslots);
	for (size_t i = 0; i < r->nmetrics; i++)
		place(r, (uint32_t)i);
}

uint32_t record_metric(struct record *r, const char *name, size_t len)
{
	uint64_t hash = hash_bytes(name, len);
	struct metric_seen *m;

	make_room(r);
	for (size_t i = hash & (r->nslots - 1); r->slots[i]; i = (i + 1) & (r->nslots - 1)) {
		m = &r->metrics[r->slots[i] - 1];
		if (m->hash == hash && !strcmp(m->name, name))
			return r->slots[i] - 1;
	}
	r->metrics =
		arena_grow(r->ctx->arena, r->metrics, &r->metric_cap, r->nmetrics + 1, sizeof(*m));
	m = &r->metrics[r->nmetrics];
	*m = (struct metric_seen){.name = arena_strn(r->ctx->arena, name, len), .hash = hash};
	place(r, (uint32_t)r->nmetrics);
	return (uint32_t)r->nmetrics++;
}

/* The first unit that is said counts; another one would put figures side by side that cannot be
 * compared. */
static void set_unit(struct record *r, struct metric_seen *m, const char *unit)
{
	if (!unit || m->refused || !import_text_valid(unit, NATIVE_UNIT_MAX))
		return;
	if (!m->unit) {
		m->unit = arena_str(r->ctx->arena, unit);
	} else if (strcmp(m->unit, unit) != 0) {
		m->refused = true;
		json_read_fault(
			r->ctx,
			JSON_AT_ENTRY(JSON_AT_KEY(&(const struct json_at){0}, "units"), m->name),
			"is \"%s\" in one place and \"%s\" in another", m->unit, unit);
	}
}

/* A fault, once: what comes after it would only fill the memory. */
static bool too_many(struct record *r, const struct one_run *run)
{
	if (run->n < NATIVE_METRICS_MAX && r->nmetrics <= NAMES_MAX)
		return false;
	r->too_many = true;
	if (r->nmetrics > NAMES_MAX)
		fault(r->ctx, "", "the runs have more than %d different metrics", NAMES_MAX);
	else
		fault(r->ctx, "", "run %zu has more than %d metrics", r->nruns, NATIVE_METRICS_MAX);
	return true;
}

/* One more name in the run. Most runs have the names of the one before, in its order. */
static void put_id(struct record *r, struct one_run *run, uint32_t id)
{
	const struct one_run *last = r->nruns > 1 ? run - 1 : NULL;
	struct arena *a = r->ctx->arena;

	if (!run->n && last && last->n) {
		run->ids = last->ids;
		run->shared = true;
	}
	if (run->shared && run->n < last->n && run->ids[run->n] == id)
		return;
	if (run->shared) {
		run->cap = last->n + 1;
		run->ids = arena_array(a, uint32_t, run->cap);
		memcpy(run->ids, last->ids, run->n * sizeof(*run->ids));
		run->shared = false;
	}
	run->ids = arena_grow(a, run->ids, &run->cap, run->n + 1, sizeof(*run->ids));
	run->ids[run->n] = id;
}

static void put_value(struct record *r, struct one_run *run, double v)
{
	size_t likely = r->nruns > 1 ? run[-1].n : 0;

	if (!run->n && likely) { /* growing would leave as much behind */
		run->value_cap = likely;
		run->values = arena_array(r->ctx->arena, double, likely);
	}
	run->values = arena_grow(r->ctx->arena, run->values, &run->value_cap, run->n + 1,
				 sizeof(*run->values));
	run->values[run->n++] = v;
}

void record_value(struct record *r, const char *unit, double v, const char *fmt, ...)
{
	char raw[NAME_BUFFER], name[METRIC_NAME_MAX + 1];
	struct metric_seen *m;
	struct one_run *run;
	va_list ap;
	size_t len;
	uint32_t id;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	len = clean_name(raw, name);
	if (!len || !isfinite(v))
		return;
	run = last_run(r);
	if (r->too_many)
		return;
	id = record_metric(r, name, len);
	m = &r->metrics[id];
	set_unit(r, m, unit);
	if (m->run != r->nruns) {
		if (too_many(r, run))
			return;
		m->run = r->nruns;
		m->at = (uint32_t)run->n;
		put_id(r, run, id);
		put_value(r, run, v);
	}
	run->values[m->at] = v;
}

void record_distribution(struct record *r, const struct distribution_in *d)
{
	struct one_run *run = last_run(r);
	char name[METRIC_NAME_MAX + 1];
	struct distribution_in own = *d;
	struct metric_seen *m;
	size_t len = clean_name(d->metric, name);
	uint32_t id;

	if (!len || !record_distribution_clean(r->ctx, name, &own))
		return;
	id = record_metric(r, name, len); /* may move the metrics */
	m = &r->metrics[id];
	set_unit(r, m, d->unit);
	own.metric = m->name;
	own.unit = m->unit;
	if (m->distributed != r->nruns) {
		run->distributions =
			arena_grow(r->ctx->arena, run->distributions, &run->distribution_cap,
				   run->ndistributions + 1, sizeof(*run->distributions));
		m->distributed = r->nruns;
		m->distribution = (uint32_t)run->ndistributions++;
	}
	run->distributions[m->distribution] = own;
	r->distributed = true;
}
