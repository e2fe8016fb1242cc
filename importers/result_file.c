/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples are kept in the order in which they come, 16 bytes each, and sorted by run at the end:
 * files tell all samples of a metric one after the other, the store wants all metrics of a run.
 * They lie in blocks, so that their memory grows evenly and by no more than they are.
 */
#include "importers/result_file.h"

#include <math.h>
#include <stdarg.h>

#include "db/commits.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/digest.h"
#include "server/base/num.h"
#include "server/base/utf8.h"

#define NAME_BUFFER  4096
#define FULL_BUFFER  (3 * NAME_BUFFER)
#define UNIT_MAX     64
#define CLEAN_MAX    1024 /* bytes of a text that is longer, with its digest */
#define ASKED_EVERY  1024 /* samples */
#define BLOCK        1024 /* samples */
#define RUNS_MAX     1000000
#define DIGEST_SHOWN 16

struct sampled {
	const char *unit;
	uint32_t n; /* samples so far */
	bool refused;
};

struct sample {
	uint32_t metric, run;
	double v;
};

struct samples {
	struct import *in;
	struct arena *a;
	struct record *r, *summary; /* summary: NULL until there is a cell */
	const char *testcase, *prefix;
	struct text_map names;
	struct sampled *metrics; /* by number in names */
	size_t metric_cap;
	struct sample **blocks;
	size_t block_cap, first_cap, n, runs;
	bool stopped;
	struct summary_in *cells;
	size_t ncells, cell_cap;
	struct text_map cell_names;
	struct pair *units; /* of cells */
	size_t nunits, unit_cap;
};

/* A digest that tells a cut text from others with the same beginning. */
static const char *with_digest(struct arena *a, const char *cut, const char *s, size_t n)
{
	char hex[DIGEST_HEX + 1];
	struct digest_state d;
	struct digest whole;

	digest_init(&d);
	digest_add(&d, s, n);
	whole = digest_end(&d);
	digest_hex(&whole, hex);
	return arena_fmt(a, "%s#%.*s", cut, DIGEST_SHOWN, hex);
}

static const char *clean(struct arena *a, const char *s, size_t n, size_t max)
{
	char *out = arena_alloc(a, (n < max ? n : max) + 1);
	size_t room = n <= max ? max : max - DIGEST_SHOWN - 1, len = 0, bytes, i;

	for (i = 0; i < n; i += bytes) {
		bool bad;

		bytes = utf8_length(s + i, n - i);
		bad = !bytes || (unsigned char)s[i] < 0x20 || s[i] == 0x7f ||
		      (bytes == 2 && utf8_is_c1(s + i));
		bytes = bytes ? bytes : 1;
		if (len + (bad ? 1 : bytes) > room)
			break;
		memcpy(out + len, bad ? "_" : s + i, bad ? 1 : bytes);
		len += bad ? 1 : bytes;
	}
	return i < n ? with_digest(a, out, s, n) : out;
}

const char *result_asked(const struct import *in, const char *axis)
{
	for (size_t i = 0; i < in->naxes; i++) {
		if (!strcmp(in->axes[i].name, axis))
			return in->axes[i].value;
	}
	return NULL;
}

struct samples *samples_begin_bare(struct import *in, const char *testcase)
{
	struct samples *s = arena_array(in->ctx->arena, struct samples, 1);

	s->in = in;
	s->a = in->ctx->arena;
	s->testcase = testcase;
	s->r = record_begin(in, testcase);
	text_map_init(&s->names, s->a);
	text_map_init(&s->cell_names, s->a);
	return s;
}

struct samples *samples_begin(struct import *in, const char *testcase)
{
	const char *given = result_asked(in, "testcase");
	struct samples *s = samples_begin_bare(in, testcase);

	s->prefix = given ? given : testcase;
	return s;
}

struct record *samples_record(struct samples *s)
{
	return s->r;
}

/* With the testcase before it, and clean: two that differ in what cannot be kept are samples of
 * one. */
static const char *full_name(struct samples *s, const char *name, char buf[FULL_BUFFER])
{
	const char *full = name;

	if (s->prefix) {
		snprintf(buf, FULL_BUFFER, "%.*s%s%s", NAME_BUFFER, s->prefix, *name ? "." : "",
			 name);
		full = buf;
	}
	return import_text_valid(full, CLEAN_MAX) ? full : result_clean(s->a, full, strlen(full));
}

/* Whoever bounds the memory says when it is enough; a failure is set then. */
static bool asked_to_stop(struct samples *s)
{
	s->stopped = s->stopped ||
		     (s->in->after_document && s->in->after_document(s->in->after_arg) < 0);
	return s->stopped;
}

/* Figures in two units cannot stand side by side. */
static void set_unit(struct samples *s, const char *name, struct sampled *m, const char *unit)
{
	if (m->unit && !strcmp(m->unit, unit))
		return;
	unit = clean(s->a, unit, strlen(unit), UNIT_MAX);
	if (!m->unit)
		m->unit = unit;
	else if (strcmp(m->unit, unit) != 0 && !m->refused)
		json_read_fault(
			s->in->ctx,
			JSON_AT_ENTRY(JSON_AT_KEY(&(const struct json_at){0}, "units"), name),
			"is \"%s\" in one place and \"%s\" in another", m->unit, unit);
	m->refused = strcmp(m->unit, unit) != 0;
}

static struct sample *sample_at(const struct samples *s, size_t i)
{
	return &s->blocks[i / BLOCK][i % BLOCK];
}

static void put_sample(struct samples *s, struct sample k)
{
	if (s->n % BLOCK == 0)
		s->blocks = arena_grow(s->a, s->blocks, &s->block_cap, s->n / BLOCK + 1,
				       sizeof(*s->blocks));
	if (s->n < BLOCK) /* a file may have many submissions of few samples */
		s->blocks[0] = arena_grow(s->a, s->n ? s->blocks[0] : NULL, &s->first_cap, s->n + 1,
					  sizeof(k));
	else if (s->n % BLOCK == 0)
		s->blocks[s->n / BLOCK] = arena_array(s->a, struct sample, BLOCK);
	*sample_at(s, s->n++) = k;
}

__attribute__((format(printf, 5, 0))) static void add(struct samples *s, const size_t *run,
						      const char *unit, double v, const char *fmt,
						      va_list ap)
{
	char name[NAME_BUFFER], buf[FULL_BUFFER];
	const char *full;
	struct sampled *m;
	size_t id, at;
	bool fresh;

	vsnprintf(name, sizeof(name), fmt, ap);
	if (!isfinite(v) || s->stopped)
		return;
	full = full_name(s, name, buf);
	id = text_map_add(&s->names, full, strlen(full), &fresh);
	if (fresh)
		s->metrics = arena_grow(s->a, s->metrics, &s->metric_cap, id + 1, sizeof(*m));
	m = &s->metrics[id];
	if (unit && *unit)
		set_unit(s, full, m, unit);
	if (s->n % ASKED_EVERY == ASKED_EVERY - 1 && asked_to_stop(s))
		return;
	at = run ? *run : m->n;
	if (at >= RUNS_MAX) {
		fail(s->in->ctx, E_TOO_LARGE,
		     "it has more than %d runs of one setup: import it in parts", RUNS_MAX);
		s->stopped = true;
		return;
	}
	m->n = m->n <= at ? (uint32_t)at + 1 : m->n;
	s->runs = at < s->runs ? s->runs : at + 1;
	put_sample(s, (struct sample){(uint32_t)id, (uint32_t)at, v});
}

void samples_add(struct samples *s, const char *unit, double v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(s, NULL, unit, v, fmt, ap);
	va_end(ap);
}

void samples_set(struct samples *s, size_t run, const char *unit, double v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(s, &run, unit, v, fmt, ap);
	va_end(ap);
}

/* What cannot be true is left out: the mean is worth more than what stands beside it. */
static void clean_cell(struct summary_in *k)
{
	if (!(k->stddev >= 0) || !isfinite(k->stddev))
		k->stddev = (double)NAN;
	if (!isfinite(k->min) || !isfinite(k->max) || k->min > k->max)
		k->min = k->max = (double)NAN;
	if (k->n < 1 || k->n > (int64_t)JSON_WHOLE_MAX)
		k->n = -1;
}

void samples_add_cell(struct samples *s, const char *unit, const struct summary_in *cell)
{
	char buf[FULL_BUFFER];
	struct summary_in own = *cell;
	size_t at;
	bool fresh;

	if (!isfinite(cell->mean))
		return;
	own.metric = full_name(s, cell->metric, buf);
	at = text_map_add(&s->cell_names, own.metric, strlen(own.metric), &fresh);
	if (!fresh)
		return;
	own.metric = s->cell_names.list[at].text;
	clean_cell(&own);
	s->cells = arena_grow(s->a, s->cells, &s->cell_cap, s->ncells + 1, sizeof(own));
	s->cells[s->ncells++] = own;
	if (!unit || !*unit)
		return;
	s->units = arena_grow(s->a, s->units, &s->unit_cap, s->nunits + 1, sizeof(*s->units));
	s->units[s->nunits++] =
		(struct pair){own.metric, clean(s->a, unit, strlen(unit), UNIT_MAX)};
}

/* The samples run by run; there may be gaps in their numbers. A counting sort, which keeps the
 * order in which they came. */
static void make_runs(struct samples *s)
{
	size_t *begin = arena_array(s->a, size_t, s->runs + 1);
	uint32_t *order = arena_array(s->a, uint32_t, s->n);
	size_t run = SIZE_MAX;

	record_expect_runs(s->r, s->runs);
	for (size_t i = 0; i < s->n; i++)
		begin[sample_at(s, i)->run + 1]++;
	for (size_t i = 0; i < s->runs; i++)
		begin[i + 1] += begin[i];
	for (size_t i = 0; i < s->n; i++)
		order[begin[sample_at(s, i)->run]++] = (uint32_t)i;
	for (size_t i = 0; i < s->n; i++) {
		const struct sample *k = sample_at(s, order[i]);

		if (k->run != run)
			record_run(s->r);
		run = k->run;
		if (i % ASKED_EVERY == 0 && asked_to_stop(s))
			return;
		record_value(s->r, s->metrics[k->metric].unit, k->v, "%s",
			     s->names.list[k->metric].text);
	}
}

static void take_cells(struct samples *s, struct record *r)
{
	struct submission *sub = record_submission(r);

	json_read_sort_pairs(s->units, s->nunits);
	sub->cells = s->cells;
	sub->ncells = s->ncells;
	sub->units = s->units;
	sub->nunits = s->nunits;
}

/* The means that stand beside samples, with the same setup. */
static int end_summary(struct samples *s, const struct submission *like)
{
	struct record *r = record_begin(s->in, s->testcase);
	struct submission *sub = record_submission(r);

	sub->commit = like->commit;
	sub->started = like->started;
	sub->status = like->status;
	for (size_t i = 0; i < like->naxes; i++)
		record_axis(r, like->axes[i].name, like->axes[i].value);
	for (size_t i = 0; i < like->ninfo; i++)
		record_info(r, like->info[i].name, like->info[i].value);
	take_cells(s, r);
	return record_end(r);
}

int samples_end(struct samples *s)
{
	struct submission like;
	int e;

	if (s->n)
		make_runs(s);
	else if (s->ncells)
		take_cells(s, s->r);
	if (s->stopped)
		return s->in->ctx->err;
	e = record_end(s->r);
	if (e != E_OK || !s->n || !s->ncells)
		return e;
	like = *record_submission(s->r);
	return end_summary(s, &like);
}

/* --- what files say --- */

double result_number(const struct json_object *o, const char *key)
{
	const json_t *v = json_read_member(o, key);

	if (!v || json_is_null(v) || (json_is_string(v) && !json_string_length(v)))
		return (double)NAN;
	return json_read_real(o, key);
}

const char *result_clean(struct arena *a, const char *s, size_t n)
{
	return clean(a, s, n, CLEAN_MAX);
}

const char *result_name(const struct json_object *o, const char *key)
{
	const char *s = result_text(o, key);

	return s ? clean(o->ctx->arena, s, strlen(s), JSON_NAME_MAX) : NULL;
}

const char *result_text(const struct json_object *o, const char *key)
{
	const json_t *v = json_read_member(o, key);

	if (!v || json_is_null(v))
		return NULL;
	if (!json_is_string(v)) {
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be a string, is %s",
				json_read_kind(v));
		return NULL;
	}
	if (!json_string_length(v))
		return NULL;
	return result_clean(o->ctx->arena, json_string_value(v), json_string_length(v));
}

int64_t result_parse_time(const char *s)
{
	char utc[64];
	int64_t t;

	if (!s)
		return TIME_NONE;
	if (clock_parse(s, &t))
		return t;
	snprintf(utc, sizeof(utc), "%sZ", s);
	return strlen(s) < sizeof(utc) - 1 && clock_parse(utc, &t) ? t : TIME_NONE;
}

int64_t result_time(const struct json_object *o, const char *key)
{
	return result_parse_time(result_text(o, key));
}

bool result_object(struct ctx *c, json_t *v, const struct json_at *at, struct json_object *o)
{
	*o = (struct json_object){.ctx = c, .v = v, .at = at};
	if (v && !json_is_null(v) && !json_is_object(v))
		json_read_fault(c, at, "must be an object, is %s", json_read_kind(v));
	return json_is_object(v);
}

bool result_array(struct ctx *c, json_t *v, const struct json_at *at)
{
	if (v && !json_is_null(v) && !json_is_array(v))
		json_read_fault(c, at, "must be an array, is %s", json_read_kind(v));
	return json_is_array(v);
}

double result_element(struct ctx *c, json_t *array, size_t i, const struct json_at *at)
{
	const json_t *v = json_array_get(array, i);

	if (json_is_number(v))
		return json_number_value(v);
	if (!json_is_null(v) && !(json_is_string(v) && !json_string_length(v)))
		json_read_fault(c, JSON_AT_INDEX(at, i), "must be a number, is %s",
				json_read_kind(v));
	return (double)NAN;
}

void result_info(struct record *r, json_t *object, const char *prefix)
{
	struct arena *a = arena_new();
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v)
	{
		const char *name = clean(a, arena_fmt(a, "%s%s", prefix, key),
					 strlen(prefix) + strlen(key), JSON_NAME_MAX);
		char number[NUM_MAX + 1] = "";

		if (json_is_string(v)) {
			record_info(r, name,
				    result_clean(a, json_string_value(v), json_string_length(v)));
		} else if (json_is_number(v)) {
			number[num_shortest(json_number_value(v), number)] = '\0';
			record_info(r, name, number);
		} else if (json_is_boolean(v)) {
			record_info(r, name, json_is_true(v) ? "true" : "false");
		}
	}
	arena_free(a);
}

/* "v6.5-rc1", "6.5.0" */
static bool is_version(const char *s)
{
	static const char digits[] = "0123456789";
	size_t major;

	s += *s == 'v';
	major = strspn(s, digits);
	return major > 0 && s[major] == '.' && strchr(digits, s[major + 1]) && s[major + 1];
}

bool result_is_commit(const char *name)
{
	bool is_hex = false;

	return commit_name_valid(name, &is_hex) && (is_hex || is_version(name));
}

const char *result_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
