/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of one run summed up over places and intervals, and what the robot makes of those of
 * -I: "i." is the mean of the intervals, "ps." a second of the whole time, "total." the sum, and
 * rates of one event to another come as "i." and as "overall.". The last interval, which is cut
 * short by the program's end, is left out of means of intervals when there are others.
 */
#include "importers/perf_stat.h"

#include <math.h>

#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/num.h"

#define EVENTS_MAX  20000 /* different ones of a run */
#define NAMES_KEPT  1000
#define MEMORY_KEPT ((size_t)4 << 20)

/* Of one event, or of one figure that is derived from events. */
struct sum {
	const char *name, *unit; /* unit NULL: not told */
	const char *kept_unit;   /* the last that was told in any run */
	double total;            /* of all places and intervals */
	size_t places;           /* that were added */
	double now;              /* in the interval that is open */
	bool here;               /* it was in that one */
	double rates;            /* sum over the intervals that are over */
	size_t intervals;        /* that it was in */
};

struct sums {
	struct text_map names;
	struct sum *list;
	size_t cap;
};

struct perf_sums {
	struct arena *a; /* of names and units */
	struct sums events, derived;
	size_t added;   /* figures of this run */
	size_t over;    /* intervals that are in the means */
	double begin;   /* of the interval that is open, seconds */
	double end;     /* of it; NAN: no interval was met */
	double counted; /* end of the last one that has a figure */
};

static void forget(struct perf_sums *s)
{
	arena_reset(s->a);
	s->events = s->derived = (struct sums){.list = NULL};
	text_map_init(&s->events.names, s->a);
	text_map_init(&s->derived.names, s->a);
}

struct perf_sums *perf_sums_begin(void)
{
	struct perf_sums *s = calloc(1, sizeof(*s));

	if (!s)
		die("out of memory");
	s->a = arena_new();
	forget(s);
	perf_sums_reset(s);
	return s;
}

void perf_sums_end(struct perf_sums *s)
{
	arena_free(s->a);
	free(s);
}

static void empty(struct sums *t)
{
	for (size_t i = 0; i < t->names.n; i++)
		t->list[i] =
			(struct sum){.name = t->list[i].name, .kept_unit = t->list[i].kept_unit};
}

void perf_sums_reset(struct perf_sums *s)
{
	/* names stay, for the next run has them too, unless there were very many */
	if (s->events.names.n > NAMES_KEPT || arena_used(s->a) > MEMORY_KEPT)
		forget(s);
	empty(&s->events);
	empty(&s->derived);
	s->added = s->over = 0;
	s->begin = 0;
	s->end = s->counted = (double)NAN;
}

bool perf_sums_any(const struct perf_sums *s)
{
	return s->added > 0;
}

/* NULL: there are too many. */
static struct sum *sum_of(struct arena *a, struct sums *t, const char *name)
{
	size_t len = strlen(name), i = text_map_find(&t->names, name, len);
	bool fresh;

	if (i != TEXT_MAP_NONE)
		return &t->list[i];
	if (t->names.n == EVENTS_MAX)
		return NULL;
	i = text_map_add(&t->names, name, len, &fresh);
	t->list = arena_grow(a, t->list, &t->cap, i + 1, sizeof(*t->list));
	t->list[i] = (struct sum){.name = t->names.list[i].text};
	return &t->list[i];
}

static void add_event(struct perf_sums *s, const char *event, const char *unit, double v)
{
	struct sum *e = sum_of(s->a, &s->events, event);

	if (!e)
		return;
	if (!e->unit && *unit) {
		if (!e->kept_unit || strcmp(e->kept_unit, unit) != 0)
			e->kept_unit = arena_str(s->a, unit);
		e->unit = e->kept_unit;
	}
	e->total += v;
	e->places++;
	s->added++;
	e->now += v;
	e->here = true;
}

/* "cpu_core/cpu-cycles/" counts what "cpu-cycles" does on one kind of processors: the name inside.
 */
static bool kind_of_processor(const char *event, char *name)
{
	const char *slash = strchr(event, '/'), *inside = slash ? slash + 1 : "", *p = inside;

	if (strncmp(event, "cpu_", 4) != 0)
		return false;
	while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
	       *p == '-' || *p == '_' || *p == '.')
		p++;
	if (p == inside || *p != '/' || p - inside >= OUTPUT_WORD_MAX)
		return false;
	snprintf(name, OUTPUT_WORD_MAX, "%.*s", (int)(p - inside), inside);
	return true;
}

/* --- rates of one event to another --- */

typedef void emit_derived(struct perf_sums *s, struct program_output *o, const char *name,
			  const char *unit, double v);

struct deriving {
	struct perf_sums *s;
	struct program_output *o;
	bool now; /* of the interval that is open, else of all */
	emit_derived *emit;
};

/* 0: there is none. */
static double figure(const struct deriving *d, const char *stem, const char *end)
{
	char name[2 * OUTPUT_WORD_MAX];
	size_t i;

	snprintf(name, sizeof(name), "%s%s", stem, end);
	i = text_map_find(&d->s->events.names, name, strlen(name));
	if (i == TEXT_MAP_NONE)
		return 0;
	return d->now ? d->s->events.list[i].now : d->s->events.list[i].total;
}

static void derive(const struct deriving *d, const char *name, const char *unit, double v)
{
	if (isfinite(v))
		d->emit(d->s, d->o, name, unit, v);
}

/* Of "branch-misses" with the stem "branch". Where hits are counted apart, all are both. */
static void derive_misses(const struct deriving *d, const char *stem, double misses)
{
	static const char *const all[] = {"s", "-references", "-instructions", "es"};
	char name[2 * OUTPUT_WORD_MAX];
	double instructions = figure(d, "instructions", "");
	double cycles = figure(d, "cpu-cycles", "");

	cycles = cycles > 0 ? cycles : figure(d, "cycles", "");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		double of = figure(d, stem, all[i]);

		if (!(of > 0))
			continue;
		snprintf(name, sizeof(name), "%s-miss-rate%%", stem);
		derive(d, name, "%", 100 * misses / (i == 0 ? of + misses : of));
		break;
	}
	if (!strcmp(stem, "iTLB-load") && instructions > 0)
		derive(d, "instructions-per-iTLB-miss", NULL, instructions / misses);
	if (strcmp(stem, "cache") != 0)
		return;
	if (cycles > 0)
		derive(d, "cycles-between-cache-misses", NULL, cycles / misses);
	if (instructions > 0)
		derive(d, "MPKI", NULL, 1000 * misses / instructions);
}

static void derive_all(const struct deriving *d)
{
	static const char misses[] = "-misses";
	double instructions = figure(d, "instructions", "");
	double cycles = figure(d, "cpu-cycles", "");

	cycles = cycles > 0 ? cycles : figure(d, "cycles", "");
	for (size_t i = 0; i < d->s->events.names.n; i++) {
		const struct sum *e = &d->s->events.list[i];
		size_t n = strlen(e->name), end = sizeof(misses) - 1;
		char stem[OUTPUT_WORD_MAX];

		if (!(d->now ? e->here : e->places > 0) || n <= end || n - end >= sizeof(stem) ||
		    strcmp(e->name + n - end, misses) != 0)
			continue;
		snprintf(stem, sizeof(stem), "%.*s", (int)(n - end), e->name);
		derive_misses(d, stem, d->now ? e->now : e->total);
	}
	if (instructions > 0 && cycles > 0) {
		derive(d, "ipc", NULL, instructions / cycles);
		derive(d, "cpi", NULL, cycles / instructions);
	}
}

/* --- intervals --- */

static void keep_derived(struct perf_sums *s, struct program_output *o, const char *name,
			 const char *unit, double v)
{
	struct sum *d = sum_of(s->a, &s->derived, name);

	(void)o;
	if (!d)
		return;
	d->unit = unit;
	d->rates += v;
	d->intervals++;
}

/* The interval that is open is over. count: it is one of those whose mean is "i." */
static void end_interval(struct perf_sums *s, bool count)
{
	const struct deriving d = {.s = s, .now = true, .emit = keep_derived};
	double seconds = s->end - s->begin;
	bool any = false;

	count = count && seconds > 0;
	if (count)
		derive_all(&d);
	for (size_t i = 0; i < s->events.names.n; i++) {
		struct sum *e = &s->events.list[i];

		if (count && e->here) {
			e->rates += e->now / seconds;
			e->intervals++;
			any = true;
		}
		e->now = 0;
		e->here = false;
	}
	s->over += any;
	s->begin = s->end;
}

void perf_sums_time(struct perf_sums *s, double time)
{
	if (time > s->end)
		end_interval(s, true);
	s->end = time;
}

void perf_sums_add(struct perf_sums *s, double time, const char *event, const char *unit, double v)
{
	char inside[OUTPUT_WORD_MAX];

	if (!isnan(time)) {
		perf_sums_time(s, time);
		s->counted = time;
		if (kind_of_processor(event, inside))
			add_event(s, inside, unit, v);
	}
	add_event(s, event, unit, v);
}

/* --- what becomes of it --- */

/* A sum as a person would write it: 15 digits, so that 0.1 + 0.2 is 0.3. */
static double rounded(double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", v);
	num_parse_real(text, &v);
	return v;
}

static void write_overall(struct perf_sums *s, struct program_output *o, const char *name,
			  const char *unit, double v)
{
	(void)s;
	output_value(o, unit, v, "overall.%s", name);
}

static void write_intervals(struct perf_sums *s, struct program_output *o)
{
	const struct deriving d = {.s = s, .o = o, .emit = write_overall};
	char unit[80];

	end_interval(s, s->over == 0);
	for (size_t i = 0; i < s->events.names.n; i++) {
		const struct sum *e = &s->events.list[i];

		if (!e->places)
			continue;
		snprintf(unit, sizeof(unit), "%.60s/s", e->unit ? e->unit : "1");
		output_value(o, e->unit, rounded(e->total), "total.%s", e->name);
		output_value(o, unit, e->total / s->counted, "ps.%s", e->name);
		if (e->intervals)
			output_value(o, unit, e->rates / (double)e->intervals, "i.%s", e->name);
	}
	for (size_t i = 0; i < s->derived.names.n; i++) {
		const struct sum *v = &s->derived.list[i];

		if (v->intervals)
			output_value(o, v->unit, v->rates / (double)v->intervals, "i.%s", v->name);
	}
	derive_all(&d);
}

void perf_sums_write(struct perf_sums *s, struct program_output *o)
{
	if (s->end > 0) {
		write_intervals(s, o);
		return;
	}
	for (size_t i = 0; i < s->events.names.n; i++) {
		const struct sum *e = &s->events.list[i];

		if (e->places > 1)
			output_value(o, e->unit, rounded(e->total), "%s", e->name);
	}
}
