/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects what an importer meets. Each metric name is cleaned and kept once, in a table; a run is
 * the list of its names' numbers and values, in the order they came (record_runs.c). record_end.c
 * makes submissions of it.
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
#define NAMES_MAX     200000 /* metrics of all runs of one submission */
#define INFO_KEYS_MAX 1000   /* kept of one file */
#define FIRST_SLOTS   16     /* a power of two */
#define FIRST_AXES    4

struct record *record_begin(struct import *in, const char *testcase)
{
	struct arena *a = in->stream ? in->stream->records : in->ctx->arena;
	struct record *r = arena_array(a, struct record, 1);

	r->in = in;
	r->ctx = in->ctx;
	r->a = a;
	if (in->stream)
		in->stream->open++;
	if (in->after_document) /* what it fails with ends the reading: see record_end */
		in->after_document(in->after_arg);
	import_blank(&r->own);
	r->info_changed = true;
	block_list_init(&r->metrics, a, sizeof(struct metric_seen));
	record_runs_init(r);
	r->axis_cap = in->naxes + FIRST_AXES;
	r->axes = arena_array(a, struct pair, r->axis_cap);
	for (; r->naxes < in->naxes; r->naxes++)
		r->axes[r->naxes] = in->axes[r->naxes];
	r->testcase = arena_str(a, testcase);
	if (testcase)
		record_axis(r, "testcase", testcase);
	return r;
}

struct record *record_begin_like(const struct record *r)
{
	struct record *like = record_begin(r->in, r->testcase);

	for (size_t i = 0; i < r->naxes; i++)
		record_axis(like, r->axes[i].name, r->axes[i].value);
	for (size_t i = 0; i < r->ninfo; i++)
		record_info(like, r->info[i].name, r->info[i].value);
	like->own.commit = r->own.commit;
	like->own.started = r->own.started;
	like->own.status = r->own.status;
	return like;
}

struct submission *record_submission(struct record *r)
{
	return &r->own;
}

struct arena *record_arena(const struct record *r)
{
	return r->a;
}

void record_settled(struct record *r)
{
	r->settled = true;
}

void record_axis(struct record *r, const char *name, const char *value)
{
	size_t i;

	if (r->settled || !name || !value || !import_text_valid(name, JSON_NAME_MAX) ||
	    !import_text_valid(value, JSON_TEXT_MAX))
		return;
	for (i = 0; i < r->naxes && strcmp(r->axes[i].name, name) != 0; i++)
		;
	if (i < r->in->naxes || i > NATIVE_AXES_MAX) /* the request's stand first */
		return;
	if (i == r->naxes) {
		r->axes = arena_grow(r->a, r->axes, &r->axis_cap, i + 1, sizeof(*r->axes));
		r->axes[r->naxes++].name = arena_str(r->a, name);
	}
	r->axes[i].value = arena_str(r->a, value);
}

/* Over the one before, where that has the room and no submission has it any more: each output of a
 * file may say the same key otherwise. */
static void set_info(struct record *r, struct pair *p, const char *value)
{
	size_t n = strlen(value) + 1;

	if (p->value && !strcmp(p->value, value))
		return;
	if (r->in->stream && p->value && strlen(p->value) + 1 >= n)
		memcpy((char *)p->value, value, n);
	else
		p->value = arena_strn(r->a, value, n - 1);
	r->info_changed = true;
}

void record_info(struct record *r, const char *key, const char *value)
{
	size_t i;

	if (!key || !value || !import_text_valid(key, JSON_NAME_MAX) ||
	    !import_text_valid(value, INFO_MAX))
		return;
	for (i = 0; i < r->ninfo && strcmp(r->info[i].name, key) != 0; i++)
		;
	if (i == INFO_KEYS_MAX)
		return;
	if (i == r->ninfo) {
		r->info = arena_grow(r->a, r->info, &r->info_cap, i + 1, sizeof(*r->info));
		r->info[r->ninfo++].name = arena_str(r->a, key);
	}
	set_info(r, &r->info[i], value);
}

const char *record_commit_name(struct arena *a, const char *id, bool *is_hex)
{
	struct ctx c;

	ctx_init(&c, a, NULL);
	return native_commit_name(&c, &(const struct json_at){0}, id, is_hex);
}

void record_commit(struct record *r, const char *id)
{
	struct commit_in *k = &r->own.commit;
	const char *name;
	bool is_hex = false;

	name = id && !r->settled ? record_commit_name(r->a, id, &is_hex) : NULL;
	if (!name)
		return;
	k->id = name;
	k->is_hex = is_hex;
}

/* --- values --- */

/* Whether there is a whole submission of finished runs. */
static bool is_full(const struct record *r)
{
	const struct one_run *last;

	if (!r->settled || !r->runs.n)
		return false;
	last = block_list_at(&r->runs, r->runs.n - 1);
	return last->distributions || r->runs.n >= NATIVE_RUNS_MAX;
}

void record_run(struct record *r)
{
	record_close_run(r);
	if (is_full(r) && !r->ctx->err)
		record_hand_on(r);
	else if (is_full(r))
		record_forget_runs(r, r->in->stream != NULL);
	record_open_run(r);
}

size_t record_runs(const struct record *r)
{
	return r->begun;
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
	size_t i = record_metric_at(r, id)->hash & (r->nslots - 1);

	while (r->slots[i])
		i = (i + 1) & (r->nslots - 1);
	r->slots[i] = id + 1;
}

/* Keeps the table at most half full. */
static void make_room(struct record *r)
{
	if (2 * (r->metrics.n + 1) <= r->nslots)
		return;
	r->nslots = r->nslots ? 2 * r->nslots : FIRST_SLOTS;
	r->slots = arena_array(r->a, uint32_t, r->nslots);
	for (size_t i = 0; i < r->metrics.n; i++)
		place(r, (uint32_t)i);
}

uint32_t record_metric(struct record *r, const char *name, size_t len)
{
	uint32_t hash = (uint32_t)hash_bytes(name, len);
	struct metric_seen *m;

	make_room(r);
	for (size_t i = hash & (r->nslots - 1); r->slots[i]; i = (i + 1) & (r->nslots - 1)) {
		m = record_metric_at(r, r->slots[i] - 1);
		if (m->hash == hash && !strcmp(m->name, name))
			return r->slots[i] - 1;
	}
	m = block_list_add(&r->metrics);
	*m = (struct metric_seen){.name = arena_strn(r->a, name, len), .hash = hash};
	place(r, (uint32_t)r->metrics.n - 1);
	return (uint32_t)r->metrics.n - 1;
}

/* The first unit that is said counts; another one would put figures side by side that cannot be
 * compared. */
static void set_unit(struct record *r, struct metric_seen *m, const char *unit)
{
	if (!unit || m->refused || !import_text_valid(unit, NATIVE_UNIT_MAX))
		return;
	if (!m->unit) {
		m->unit = arena_str(r->a, unit);
	} else if (strcmp(m->unit, unit) != 0) {
		m->refused = true;
		json_read_fault(
			r->ctx,
			JSON_AT_ENTRY(JSON_AT_KEY(&(const struct json_at){0}, "units"), m->name),
			"is \"%s\" in one place and \"%s\" in another", m->unit, unit);
	}
}

/* Faults, once: what comes after it would only fill the memory. */
static bool too_many_names(struct record *r)
{
	if (r->metrics.n <= NAMES_MAX)
		return false;
	if (!r->too_many)
		fault(r->ctx, "", "the runs have more than %d different metrics", NAMES_MAX);
	r->too_many = true;
	return true;
}

static bool too_many_values(struct record *r)
{
	if (r->n < NATIVE_METRICS_MAX)
		return false;
	r->too_many = true;
	fault(r->ctx, "", "run %u has more than %d metrics", r->begun, NATIVE_METRICS_MAX);
	return true;
}

uint32_t record_name(struct record *r, const char *unit, const char *name)
{
	char own[METRIC_NAME_MAX + 1];
	size_t len = clean_name(name, own);
	uint32_t id;

	if (!len || r->too_many)
		return RECORD_NO_METRIC;
	id = record_metric(r, own, len);
	set_unit(r, record_metric_at(r, id), unit);
	return too_many_names(r) ? RECORD_NO_METRIC : id;
}

const char *record_name_of(const struct record *r, uint32_t metric)
{
	return record_metric_at(r, metric)->name;
}

void record_number(struct record *r, uint32_t metric, double v)
{
	struct metric_seen *m;

	if (metric == RECORD_NO_METRIC || r->too_many || !isfinite(v))
		return;
	if (!r->open)
		record_run(r);
	m = record_metric_at(r, metric);
	if (m->run == r->begun) {
		r->now[m->at] = v;
	} else if (!too_many_values(r)) {
		m->run = r->begun;
		m->at = (uint32_t)r->n;
		record_put(r, metric, v);
	}
}

void record_value(struct record *r, const char *unit, double v, const char *fmt, ...)
{
	char name[NAME_BUFFER];
	va_list ap;

	if (!isfinite(v))
		return;
	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	record_number(r, record_name(r, unit, name), v);
}

void record_distribution(struct record *r, const struct distribution_in *d)
{
	auto_arena struct arena *scratch = arena_new();
	char name[METRIC_NAME_MAX + 1];
	struct distribution_in own = *d;
	struct metric_seen *m;
	size_t len = clean_name(d->metric, name);

	if (!r->open)
		record_run(r);
	if (!len || !record_distribution_clean(r->ctx, scratch, name, &own))
		return;
	m = record_metric_at(r, record_metric(r, name, len));
	set_unit(r, m, d->unit);
	own.metric = m->name;
	own.unit = m->unit;
	record_distribution_keep(r, &own);
	if (m->distributed != r->begun) {
		m->distributed = r->begun;
		m->distribution = r->distributions ? (uint32_t)r->distributions->n : 0;
		record_put_distribution(r);
	}
	r->distributions->list[m->distribution] = own;
}
