/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schbench: tables of percentiles in microseconds. Old versions have one ("Latency percentiles"),
 * new ones three: wakeups, requests, and requests a second. Tables on the way (-i) are the same
 * run so far, each later one replaces the one before; a table of a shorter run begins the next.
 * Names, behind "schbench.", are the robot's:
 *
 *	latency_<p>%_us, latency_min_us, latency_max_us
 *	wakeup_latency_<p>%_us …, request_latency_<p>%_us …
 *	rps_<p>%, rps_min, rps_max, average_rps, current_rps
 *	sched_delay_message_us, sched_delay_worker_us
 *	worker_transfer_ops/s, worker_transfer_MB/s   of -p, which passes messages
 *	wakeup_samples, wakeup_runtime …   of each table
 *
 * Outputs of several at once, each behind a line "Instance: N", are one run: each figure has the
 * mean of them all, and with ".instanceN" that of one; an instance met again, behind others,
 * begins the next run.
 *
 * Each table of latencies is a distribution too (schbench.wakeup_latency), the samples between two
 * percentiles being its buckets.
 */
#include <math.h>

#include "importers/formats.h"
#include "importers/program_output.h"
#include "importers/text_map.h"
#include "server/base/arena.h"

#define ROWS_MAX      64
#define INSTANCES_MAX 4096
#define MEANS_MAX     200000 /* figures of a run with instances */

struct table {
	double runtime;                                    /* seconds, -1: not said */
	double samples;                                    /* -1 */
	bool had;                                          /* in this run */
	double min, max;                                   /* NAN */
	double at[ROWS_MAX], v[ROWS_MAX], count[ROWS_MAX]; /* count -1: not said */
	char names[ROWS_MAX][16];
	size_t n;
};

enum { PLAIN, WAKEUP, REQUEST, RPS, TABLES };

static const struct {
	const char *head, *name, *of, *unit;
} kinds[TABLES] = {{"Latency percentiles (usec)", "latency", "", "us"},
		   {"Wakeup Latencies percentiles (usec)", "wakeup_latency", "wakeup_", "us"},
		   {"Request Latencies percentiles (usec)", "request_latency", "request_", "us"},
		   {"RPS percentiles (requests)", "rps", "rps_", "requests/s"}};

/* A figure of a run with instances. */
struct mean {
	const char *unit;
	double sum;
	size_t n;
};

struct schbench {
	struct program_output *o;
	struct instances *several; /* NULL: there are none */
	struct table t[TABLES];
	struct table *open;                       /* the table whose rows follow */
	double average, current, message, worker; /* NAN */
	double transfers, megabytes;              /* NAN */
};

struct instances {
	size_t number;           /* lines belong to; 0: none yet */
	bool met[INSTANCES_MAX]; /* in this run, by number - 1 */
	struct arena *own;       /* of this run's means */
	struct text_map names;
	struct mean *means; /* by the number of the name */
	size_t cap;
};

static void reset(struct schbench *s)
{
	struct program_output *o = s->o;
	struct instances *several = s->several;

	memset(s, 0, sizeof(*s));
	s->o = o;
	s->several = several;
	s->average = s->current = s->message = s->worker = (double)NAN;
	s->transfers = s->megabytes = (double)NAN;
}

static void add_mean(struct schbench *s, const char *unit, double v, const char *name)
{
	struct instances *k = s->several;
	size_t len = strlen(name), i = text_map_find(&k->names, name, len);
	bool fresh;

	if (i == TEXT_MAP_NONE) {
		if (k->names.n == MEANS_MAX)
			return;
		i = text_map_add(&k->names, name, len, &fresh);
		k->means = arena_grow(k->own, k->means, &k->cap, i + 1, sizeof(*k->means));
		k->means[i] = (struct mean){.unit = unit};
	}
	k->means[i].sum += v;
	k->means[i].n++;
}

/* A figure of the run, or of the instance. */
__attribute__((format(printf, 4, 5))) static void put(struct schbench *s, const char *unit,
						      double v, const char *fmt, ...)
{
	char name[96], own[128];
	va_list ap;

	if (!isfinite(v))
		return;
	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (!s->several) {
		output_value(s->o, unit, v, "%s", name);
		return;
	}
	add_mean(s, unit, v, name);
	snprintf(own, sizeof(own), "%s.instance%zu", name, s->several->number);
	add_mean(s, unit, v, own);
}

static void forget_means(struct instances *k)
{
	arena_reset(k->own);
	text_map_init(&k->names, k->own);
	k->means = NULL;
}

static void end_instances(struct schbench *s)
{
	struct instances *k = s->several;

	for (size_t i = 0; i < k->names.n; i++)
		output_value(s->o, k->means[i].unit, k->means[i].sum / (double)k->means[i].n, "%s",
			     k->names.list[i].text);
	if (k->names.n)
		output_next(s->o);
	memset(k->met, 0, sizeof(k->met));
	forget_means(k);
}

static void write_distribution(struct schbench *s, const struct table *t, const char *name)
{
	struct percentile_in p[ROWS_MAX];
	struct bucket_in b[ROWS_MAX];
	char metric[80];
	size_t np = 0, nb = 0;

	snprintf(metric, sizeof(metric), "schbench.%s", name);

	for (size_t i = 0; i < t->n; i++) {
		p[np++] = (struct percentile_in){t->names[i], t->v[i]};
		if (t->count[i] < 0 || t->count[i] > 1e15)
			continue;
		if (!nb || t->v[i] > b[nb - 1].le)
			b[nb++] = (struct bucket_in){t->v[i], (int64_t)t->count[i]};
		else if (t->v[i] == b[nb - 1].le) /* two percentiles of one value */
			b[nb - 1].count += (int64_t)t->count[i];
	}
	output_distribution(
		s->o, &(struct distribution_in){
			      .metric = metric,
			      .unit = "us",
			      .mean = (double)NAN,
			      .stddev = (double)NAN,
			      .min = t->min <= t->max ? t->min : (double)NAN,
			      .max = t->min <= t->max ? t->max : (double)NAN,
			      .n = t->samples >= 0 && t->samples < 1e15 ? (int64_t)t->samples : -1,
			      .percentiles = p,
			      .npercentiles = np,
			      .buckets = b,
			      .nbuckets = nb});
}

static void write_table(struct schbench *s, int kind)
{
	const struct table *t = &s->t[kind];
	const char *name = kinds[kind].name, *unit = kinds[kind].unit,
		   *us = kind == RPS ? "" : "_us";
	char own[60];

	for (size_t i = 0; i < t->n; i++)
		put(s, unit, t->v[i], "%s_%g%%%s", name, t->at[i], us);
	put(s, unit, t->min, "%s_min%s", name, us);
	put(s, unit, t->max, "%s_max%s", name, us);
	if (t->samples >= 0)
		put(s, "samples", t->samples, "%ssamples", kinds[kind].of);
	if (t->runtime >= 0)
		put(s, "s", t->runtime, "%sruntime", kinds[kind].of);
	if (s->several)
		snprintf(own, sizeof(own), "%s.instance%zu", name, s->several->number);
	if (kind != RPS && t->n)
		write_distribution(s, t, s->several ? own : name);
}

/* The run's end. */
static void flush(struct schbench *s)
{
	for (int i = 0; i < TABLES; i++) {
		if (s->t[i].had)
			write_table(s, i);
	}
	put(s, "requests/s", s->average, "average_rps");
	put(s, "requests/s", s->current, "current_rps");
	put(s, "us", s->message, "sched_delay_message_us");
	put(s, "us", s->worker, "sched_delay_worker_us");
	put(s, "ops/s", s->transfers, "worker_transfer_ops/s");
	put(s, "MB/s", s->megabytes, "worker_transfer_MB/s");
	if (!s->several)
		output_next(s->o);
	reset(s);
}

/* "Wakeup Latencies percentiles (usec) runtime 10 (s) (14851444 total samples)" */
static bool begin_table(struct schbench *s, const char *line)
{
	double runtime = -1, samples = -1;
	const char *rest, *open;

	for (int i = 0; i < TABLES; i++) {
		rest = text_after(line, kinds[i].head);
		if (!rest)
			continue;
		if (!number_behind(rest, "runtime ", &runtime))
			runtime = -1;
		open = strrchr(rest, '(');
		if (!open || !strstr(open, "total samples") || !number_behind(open, "(", &samples))
			samples = -1;
		if (s->t[i].had && (runtime < 0 || runtime <= s->t[i].runtime))
			flush(s);
		memset(&s->t[i], 0, sizeof(s->t[i]));
		s->open = &s->t[i];
		s->open->had = true;
		s->open->runtime = runtime;
		s->open->samples = samples;
		s->open->min = s->open->max = (double)NAN;
		return true;
	}
	return false;
}

/* "  * 99.0th: 70   (1316815 samples)", "min=1, max=13318" */
static bool read_row(struct table *t, const char *line)
{
	const char *p = past_spaces(line), *begin;
	double at, v, count;

	if (text_find(p, "min=") && text_find(p, "max=")) {
		number_behind(p, "min=", &t->min);
		number_behind(p, "max=", &t->max);
		return true;
	}
	if (*p == '*')
		p = past_spaces(p + 1);
	begin = p;
	if (!text_number(&p, false, &at) || at < 0 || at > 100 || strncmp(p, "th:", 3) != 0)
		return false;
	if (t->n == ROWS_MAX || p - begin >= (long)sizeof(t->names[0]))
		return true;
	snprintf(t->names[t->n], sizeof(t->names[0]), "%.*s", (int)(p - begin), begin);
	p += 3;
	if (!text_number(&p, false, &v))
		return true;
	if (!number_behind(p, "(", &count) || !strstr(p, "samples)"))
		count = -1;
	t->at[t->n] = at;
	t->v[t->n] = v;
	t->count[t->n++] = count;
	return true;
}

/* "Instance: 2" */
static bool instance_of(const char *line, size_t *number)
{
	const char *p = text_after(line, "Instance:");
	double v;

	if (!p || !text_number(&p, false, &v) || !(v >= 1 && v <= INSTANCES_MAX))
		return false;
	*number = (size_t)v;
	return true;
}

/* Whether there are several in the file. */
static bool has_instances(const char *bytes, size_t n)
{
	size_t number, first = 0;
	struct output_lines l;
	bool several = false;
	char *line;

	output_lines_begin(&l, bytes, n);
	while (!several && (line = output_line(&l))) {
		if (!instance_of(line, &number))
			continue;
		several = first && number != first;
		first = number;
	}
	output_lines_end(&l);
	return several;
}

static void begin_instance(struct schbench *s, size_t number)
{
	struct instances *k = s->several;

	flush(s);
	if (k->met[number - 1] && number != k->number)
		end_instances(s);
	k->met[number - 1] = true;
	k->number = number;
}

/* "28211.91 ops/sec 13.78MB/s": old versions KB, MB or GB as it fits. */
static void read_transfer(struct schbench *s, const char *p)
{
	double v;

	if (!text_number(&p, false, &v) || !(p = text_after(p, "ops/sec")))
		return;
	s->transfers = v;
	if (!text_number(&p, false, &v) || !strstr(p, "B/s"))
		return;
	s->megabytes = *p == 'K' ? v / 1024 : *p == 'G' ? v * 1024 : *p == 'M' ? v : v / 1048576;
}

static void read_line(struct schbench *s, const char *line)
{
	const char *p;
	size_t number;

	if (s->several && instance_of(line, &number)) {
		begin_instance(s, number);
		return;
	}
	if (begin_table(s, line) || (s->open && read_row(s->open, line)))
		return;
	s->open = NULL;
	if ((p = text_after(line, "average rps:")))
		number_behind(p, "", &s->average);
	else if ((p = text_after(line, "current rps:")))
		number_behind(p, "", &s->current);
	else if ((p = text_after(line, "avg worker transfer:")))
		read_transfer(s, p);
	else if ((p = text_after(line, "sched delay:"))) {
		number_behind(p, "message ", &s->message);
		number_behind(p, "worker ", &s->worker);
	}
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new(), *means = arena_new();
	struct schbench *s = arena_array(a, struct schbench, 1);
	struct output_lines l;
	char *line;

	s->o = o;
	if (has_instances(bytes, n)) {
		s->several = arena_array(a, struct instances, 1);
		s->several->own = means;
		forget_means(s->several);
	}
	reset(s);
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l)))
		read_line(s, line);
	output_lines_end(&l);
	flush(s);
	if (s->several)
		end_instances(s);
}

int import_schbench(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "schbench", .read = read_output};

	return program_import(in, bytes, n, &form);
}

int schbench_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "Wakeup Latencies percentiles (usec)") ||
	    sniff_finds(bytes, n, "Request Latencies percentiles (usec)"))
		return 95;
	return sniff_line(bytes, n, "Latency percentiles (usec)") ? 90 : 0;
}
