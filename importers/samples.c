/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files tell all samples of a metric one after the other, the store wants all metrics of a run. So
 * a metric's samples lie in a column, 8 bytes each, as long as each is of the run behind the last
 * one; from the first that is not, they are strays of 16 bytes, which are sorted by run at the end.
 * All are read out run by run then, and handed on as they come.
 */
#include <math.h>
#include <stdarg.h>

#include "importers/block_list.h"
#include "importers/result_file.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/digest.h"

#define NAME_BUFFER 4096
#define FULL_BUFFER (3 * NAME_BUFFER)
#define UNIT_MAX    64
#define ASKED_EVERY 1024 /* samples */
#define RUNS_MAX    1000000
#define LINK_MAX    511 /* samples of a link: 4 KiB with its pointer */
#define FIRST_SLOTS 16  /* a power of two */

/* A column is a chain of them, each about twice as long as the one before. */
struct link {
	struct link *next;
	double v[];
};

struct sampled {
	const char *unit;
	struct link *first, *now; /* now: the last, and the one being read out */
	uint32_t n;               /* samples in the column: of runs 0 … n - 1 */
	uint16_t used, cap;       /* of now */
	bool strays;              /* later ones are no longer in the column */
	bool refused;             /* its units differ */
	uint32_t next;            /* run of the next sample that tells none */
};

struct stray {
	uint32_t metric, run;
	double v;
};

struct samples {
	struct import *in;
	struct arena *a;
	struct record *r;
	const char *prefix;
	struct block_list metrics; /* of struct sampled, by number in the record */
	struct block_list strays;
	uint32_t *slots; /* open addressing: number of a stray + 1, or 0 */
	size_t nslots;
	size_t n, runs;
	bool stopped;
	struct summary_in *cells;
	size_t ncells, cell_cap;
	struct text_map cell_names;
	struct pair *units; /* of cells */
	size_t nunits, unit_cap;
};

struct samples *samples_begin_bare(struct import *in, const char *testcase)
{
	struct record *r = record_begin(in, testcase);
	struct samples *s = arena_array(record_arena(r), struct samples, 1);

	s->in = in;
	s->a = record_arena(r);
	s->r = r;
	block_list_init(&s->metrics, s->a, sizeof(struct sampled));
	block_list_init(&s->strays, s->a, sizeof(struct stray));
	text_map_init(&s->cell_names, s->a);
	return s;
}

struct samples *samples_begin(struct import *in, const char *testcase)
{
	const char *given = result_asked(in, "testcase");
	struct samples *s = samples_begin_bare(in, testcase);

	s->prefix = given ? given : arena_str(s->a, testcase);
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
	return import_text_valid(full, RESULT_TEXT_MAX) ? full
							: result_clean(s->a, full, strlen(full));
}

/* Whoever bounds the memory says when it is enough; a failure is set then. */
static bool asked_to_stop(struct samples *s)
{
	s->stopped = s->stopped ||
		     (s->in->after_document && s->in->after_document(s->in->after_arg) < 0);
	return s->stopped;
}

static struct sampled *sampled_at(const struct samples *s, size_t i)
{
	return block_list_at(&s->metrics, i);
}

/* Figures in two units cannot stand side by side. */
static void set_unit(struct samples *s, const char *name, struct sampled *m, const char *unit)
{
	if (m->unit && !strcmp(m->unit, unit))
		return;
	unit = result_clean_to(s->a, unit, strlen(unit), UNIT_MAX);
	if (!m->unit) {
		m->unit = unit;
		record_name(s->r, unit, name);
	} else if (strcmp(m->unit, unit) != 0 && !m->refused) {
		json_read_fault(
			s->in->ctx,
			JSON_AT_ENTRY(JSON_AT_KEY(&(const struct json_at){0}, "units"), name),
			"is \"%s\" in one place and \"%s\" in another", m->unit, unit);
	}
	m->refused = strcmp(m->unit, unit) != 0;
}

static uint32_t metric_of(struct samples *s, const char *full)
{
	uint32_t id = record_name(s->r, NULL, full);

	while (id != RECORD_NO_METRIC && s->metrics.n <= id)
		*(struct sampled *)block_list_add(&s->metrics) = (struct sampled){0};
	return id;
}

uint32_t samples_metric(struct samples *s, const char *name)
{
	char buf[FULL_BUFFER];

	return metric_of(s, full_name(s, name, buf));
}

/* --- columns and strays --- */

static void put_in_column(struct samples *s, struct sampled *m, double v)
{
	if (m->used == m->cap) {
		size_t cap = m->cap ? 2 * (size_t)m->cap + 1 : 1;
		struct link *more;

		m->cap = (uint16_t)(cap < LINK_MAX ? cap : LINK_MAX);
		more = arena_alloc(s->a, sizeof(*more) + m->cap * sizeof(double));
		if (m->now)
			m->now->next = more;
		else
			m->first = more;
		m->now = more;
		m->used = 0;
	}
	m->now->v[m->used++] = v;
	m->n++;
}

/* The next sample of a column that is read from its beginning. */
static double next_of_column(struct sampled *m)
{
	if (m->used == m->cap) {
		m->now = m->cap ? m->now->next : m->first;
		m->cap = (uint16_t)(m->cap ? 2 * (size_t)m->cap + 1 : 1);
		m->cap = m->cap < LINK_MAX ? m->cap : LINK_MAX;
		m->used = 0;
	}
	return m->now->v[m->used++];
}

static struct stray *stray_at(const struct samples *s, size_t i)
{
	return block_list_at(&s->strays, i);
}

static size_t slot_of(const struct samples *s, uint32_t metric, uint32_t run)
{
	uint64_t both = (uint64_t)metric << 32 | run;

	return hash_bytes(&both, sizeof(both)) & (s->nslots - 1);
}

static void place(struct samples *s, size_t stray)
{
	size_t i = slot_of(s, stray_at(s, stray)->metric, stray_at(s, stray)->run);

	while (s->slots[i])
		i = (i + 1) & (s->nslots - 1);
	s->slots[i] = (uint32_t)stray + 1;
}

/* NULL: there is none. */
static struct stray *find_stray(const struct samples *s, uint32_t metric, size_t run)
{
	if (!s->nslots)
		return NULL;
	for (size_t i = slot_of(s, metric, (uint32_t)run); s->slots[i];
	     i = (i + 1) & (s->nslots - 1)) {
		struct stray *k = stray_at(s, s->slots[i] - 1);

		if (k->metric == metric && k->run == run)
			return k;
	}
	return NULL;
}

/* A later one of the same run replaces it. */
static void put_stray(struct samples *s, uint32_t metric, size_t run, double v)
{
	struct stray *k = find_stray(s, metric, run);

	if (k) {
		k->v = v;
		return;
	}
	*(struct stray *)block_list_add(&s->strays) = (struct stray){metric, (uint32_t)run, v};
	if (2 * s->strays.n > s->nslots) {
		s->nslots = s->nslots ? 2 * s->nslots : FIRST_SLOTS;
		s->slots = arena_array(s->a, uint32_t, s->nslots);
		for (size_t i = 0; i + 1 < s->strays.n; i++)
			place(s, i);
	}
	place(s, s->strays.n - 1);
}

bool samples_has(const struct samples *s, uint32_t metric, size_t run)
{
	if (metric == SAMPLES_NO_METRIC)
		return false;
	return run < sampled_at(s, metric)->n || find_stray(s, metric, run);
}

/* --- adding --- */

static bool run_is_one_too_many(struct samples *s, size_t run)
{
	if (run < RUNS_MAX)
		return false;
	fail(s->in->ctx, E_TOO_LARGE, "it has more than %d runs of one setup: import it in parts",
	     RUNS_MAX);
	s->stopped = true;
	return true;
}

__attribute__((format(printf, 5, 0))) static void add(struct samples *s, const size_t *run,
						      const char *unit, double v, const char *fmt,
						      va_list ap)
{
	char name[NAME_BUFFER], buf[FULL_BUFFER];
	const char *full;
	struct sampled *m;
	uint32_t id;
	size_t at;

	vsnprintf(name, sizeof(name), fmt, ap);
	if (!isfinite(v) || s->stopped)
		return;
	full = full_name(s, name, buf);
	id = metric_of(s, full);
	if (id == RECORD_NO_METRIC) { /* after a fault for too many it would go on for nothing */
		s->stopped = s->in->ctx->err != E_OK;
		return;
	}
	m = sampled_at(s, id);
	if (unit && *unit)
		set_unit(s, full, m, unit);
	if (s->n % ASKED_EVERY == ASKED_EVERY - 1 && asked_to_stop(s))
		return;
	at = run ? *run : m->next;
	if (run_is_one_too_many(s, at))
		return;
	s->n++;
	m->next = m->next <= at ? (uint32_t)at + 1 : m->next;
	s->runs = at < s->runs ? s->runs : at + 1;
	m->strays = m->strays || at != m->n;
	if (m->strays)
		put_stray(s, id, at, v);
	else
		put_in_column(s, m, v);
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
	own.printed_base = arena_str(s->a, own.printed_base);
	clean_cell(&own);
	s->cells = arena_grow(s->a, s->cells, &s->cell_cap, s->ncells + 1, sizeof(own));
	s->cells[s->ncells++] = own;
	if (!unit || !*unit)
		return;
	s->units = arena_grow(s->a, s->units, &s->unit_cap, s->nunits + 1, sizeof(*s->units));
	s->units[s->nunits++] =
		(struct pair){own.metric, result_clean_to(s->a, unit, strlen(unit), UNIT_MAX)};
}

/* --- reading out --- */

/* Where the strays of each run begin in order, by a counting sort. begin has runs + 2 elements;
 * those of a run end where the next one's begin. */
static uint32_t *sort_strays(const struct samples *s, uint32_t **begin)
{
	uint32_t *order = arena_array(s->a, uint32_t, s->strays.n);
	uint32_t *at = *begin = arena_array(s->a, uint32_t, s->runs + 2);

	for (size_t i = 0; i < s->strays.n; i++)
		at[stray_at(s, i)->run + 2]++;
	for (size_t i = 2; i < s->runs + 2; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < s->strays.n; i++)
		order[at[stray_at(s, i)->run + 1]++] = (uint32_t)i;
	return order;
}

/* The samples that are in columns. list: those that are not at their end; returns how many stay. */
static size_t read_columns(struct samples *s, uint32_t *list, size_t n, size_t run)
{
	size_t stay = 0;

	for (size_t i = 0; i < n; i++) {
		struct sampled *m = sampled_at(s, list[i]);

		record_number(s->r, list[i], next_of_column(m));
		if (run + 1 < m->n)
			list[stay++] = list[i];
	}
	return stay;
}

/* Sets all columns to their beginning. */
static size_t list_columns(struct samples *s, uint32_t *list)
{
	size_t n = 0;

	for (size_t i = 0; i < s->metrics.n; i++) {
		struct sampled *m = sampled_at(s, i);

		m->now = NULL;
		m->used = m->cap = 0;
		if (m->n)
			list[n++] = (uint32_t)i;
	}
	return n;
}

/* There may be gaps in the numbers of runs. When something is wrong one of them is enough to say
 * what else is. */
static void make_runs(struct samples *s)
{
	uint32_t *list = arena_array(s->a, uint32_t, s->metrics.n), *order, *begin;
	size_t columns = list_columns(s, list), done = 0, asked = 0;

	order = sort_strays(s, &begin);
	for (size_t run = 0; run < s->runs && !(done && s->in->ctx->err); run++) {
		size_t strays = begin[run + 1] - begin[run];

		if (!columns && !strays)
			continue;
		if (done >= asked) {
			if (asked_to_stop(s))
				return;
			asked = done + ASKED_EVERY;
		}
		record_run(s->r);
		done += columns + strays;
		columns = read_columns(s, list, columns, run);
		for (size_t i = 0; i < strays; i++) {
			const struct stray *k = stray_at(s, order[begin[run] + i]);

			record_number(s->r, k->metric, k->v);
		}
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

/* The means that stand beside samples are a submission of the same setup. */
int samples_end(struct samples *s)
{
	struct record *summary = s->n && s->ncells ? record_begin_like(s->r) : NULL;
	int e;

	if (s->ncells)
		take_cells(s, summary ? summary : s->r);
	record_settled(s->r);
	if (s->n && !s->stopped)
		make_runs(s);
	if (s->stopped)
		return s->in->ctx->err;
	e = record_end(s->r);
	return summary ? record_end(summary) : e;
}
