/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat: for people, with -x (any separator) and with -j. An output is a run; without a heading
 * the first event met again at the same place begins the next. An event that groups of metrics
 * count twice is "<event>.2" the second time. Names, behind "perf-stat.":
 *
 *	<event>                      the count; with -A and the like the sum over all places
 *	<place>.<event>              of a processor, socket, core, node or thread
 *	<event>.stddev%              the variance that -r prints
 *	<event>.run_time, .running%  nanoseconds counted; below 100 % where events took turns
 *	<event>.<metric>             what is printed behind it: CPUs_utilized, insn_per_cycle,
 *	                             of_all_branches%, per_sec (K, M, G are multiplied out)
 *	elapsed_time, user_time, system_time; elapsed_time.stddev and .stddev%
 *	i., ps., total., overall.    with -I, as the robot has them: perf_stat_sums.c
 *
 * Events that were not counted or not supported are named in info, as are those that were counted
 * for less than the whole time; what is not there is no 0.
 */
#include "importers/perf_stat.h"

#include <math.h>

#include "importers/formats.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/num.h"

#define LIST_MAX 4000 /* bytes of a list of events in info */
#define MET_KEPT 1000 /* events whose names stay for the next run */
#define MET_MAX  20000
#define UNIT_MAX 64

struct perf_stat {
	struct program_output *o;
	struct perf_sums *sums;
	char first[2][OUTPUT_WORD_MAX]; /* place and event that the run began with */
	char last[OUTPUT_WORD_MAX];     /* the event of the line before */
	double time;                    /* end of the interval; NAN */
	bool headed;                    /* the run has a heading: what is below it is one run */
	bool grouped;                   /* a group of metrics was written */
	struct text_map met;            /* "<place>.<event>" … */
	struct met {
		size_t run;     /* … the last one that had it … */
		unsigned times; /* … and how often */
	} * times;
	size_t times_cap, run;
	struct arena *a; /* of these */
	char not_counted[LIST_MAX], not_supported[LIST_MAX], shared[LIST_MAX];
};

struct perf_stat *perf_stat_begin(struct program_output *o)
{
	struct perf_stat *p = arena_array(o->in->ctx->arena, struct perf_stat, 1);

	p->o = o;
	p->sums = perf_sums_begin();
	p->time = (double)NAN;
	p->a = arena_new();
	text_map_init(&p->met, p->a);
	return p;
}

/* A list in info: "cycles, instructions", each once. */
static void list_event(char *list, const char *event)
{
	size_t n = strlen(list), len = strlen(event);
	const char *at = strstr(list, event);

	if (at && (at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
		return;
	if (n + len + 3 < LIST_MAX)
		snprintf(list + n, LIST_MAX - n, "%s%s", n ? ", " : "", event);
}

/* --- what a metric is called --- */

/* What has a name of its own: "K/sec  page_faults_per_second" -> factor 1000, the unit "1/s". */
static double name_named(const char *u, const char *own, char *name, char *unit)
{
	const char *scaled = u;
	double factor = text_scale(&scaled);

	join_words(own, OUTPUT_WORD_MAX - 2, name);
	if (!strncmp(scaled, "/sec ", 5)) {
		snprintf(unit, UNIT_MAX, "1/s");
		return factor;
	}
	snprintf(unit, UNIT_MAX, "%.*s", (int)strcspn(u, " "), u);
	return 1;
}

/* "K/sec" -> factor 1000 and "per_sec"; "of all branches" of a percentage -> "of_all_branches%". */
static double name_metric(const struct perf_row *r, char *name, char *unit)
{
	const char *u = past_spaces(r->metric_unit), *scaled = u, *own = strstr(u, "  ");
	bool percent = r->percent || *u == '%';
	double factor;
	size_t n;

	if (own && *past_spaces(own) && *u != '%')
		return name_named(u, past_spaces(own), name, unit);
	if (*u == '%')
		u = past_spaces(u + 1);
	factor = *scaled == 'B' && scaled[1] == '/' ? 1e9 : text_scale(&scaled);
	if (*scaled == 'B')
		scaled++;
	if (!strcmp(scaled, "/sec")) {
		snprintf(name, OUTPUT_WORD_MAX, "per_sec");
		snprintf(unit, UNIT_MAX, "1/s");
		return factor;
	}
	percent = percent || !strncmp(u, "of all", 6);
	join_words(u, OUTPUT_WORD_MAX - 2, name);
	n = strlen(name);
	if (percent && (!n || name[n - 1] != '%'))
		snprintf(name + n, OUTPUT_WORD_MAX - n, "%%");
	snprintf(unit, UNIT_MAX, "%s", percent ? "%" : !strcmp(u, "GHz") ? "GHz" : "");
	return 1;
}

/* The product as a person would write it: 15 digits, so that 123.785558 K is 123785.558. */
static double multiplied(double v, double factor)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", v * factor);
	num_parse_real(text, &v);
	return v;
}

static void write_metric(struct perf_stat *p, const struct perf_row *r, const char *prefix)
{
	char name[OUTPUT_WORD_MAX], unit[UNIT_MAX];
	double factor;

	if (isnan(r->metric) || !*past_spaces(r->metric_unit))
		return;
	factor = name_metric(r, name, unit);
	if (*name)
		output_value(p->o, *unit ? unit : NULL,
			     factor == 1 ? r->metric : multiplied(r->metric, factor), "%s.%s",
			     prefix, name);
}

/* --- rows --- */

static void write_event(struct perf_stat *p, const struct perf_row *r, const char *event)
{
	char name[2 * OUTPUT_WORD_MAX];

	snprintf(name, sizeof(name), "%s%s%s", r->where, *r->where ? "." : "", event);
	output_value(p->o, *r->unit ? r->unit : NULL, r->value, "%s", name);
	output_value(p->o, "%", r->variance, "%s.stddev%%", name);
	output_value(p->o, "ns", r->run_time, "%s.run_time", name);
	output_value(p->o, "%", r->running, "%s.running%%", name);
	write_metric(p, r, name);
}

/* An interval ends at the time. */
static void note_time(struct perf_stat *p, double time)
{
	if (time < p->time) /* the clock began anew: another output */
		perf_stat_next(p);
	p->time = time;
	perf_sums_time(p->sums, time);
}

/* How often the event was met in this run, with this time; 1 as well when it has very many. */
static unsigned count_event(struct perf_stat *p, const struct perf_row *r)
{
	char name[2 * OUTPUT_WORD_MAX];
	bool fresh;
	size_t i;

	snprintf(name, sizeof(name), "%s.%s", r->where, r->event);
	if (p->met.n == MET_MAX)
		return 1;
	i = text_map_add(&p->met, name, strlen(name), &fresh);
	p->times = arena_grow(p->a, p->times, &p->times_cap, i + 1, sizeof(*p->times));
	if (fresh || p->times[i].run != p->run)
		p->times[i] = (struct met){p->run, 0};
	return ++p->times[i].times;
}

void perf_stat_row(struct perf_stat *p, const struct perf_row *r)
{
	const char *event = *r->event ? r->event : p->last;
	char name[2 * OUTPUT_WORD_MAX];
	char again[OUTPUT_WORD_MAX];
	unsigned times = 1;

	if (!*event)
		return;
	if (*r->event && !r->missing && isnan(r->value)) { /* a group, of which metrics follow */
		join_words(r->event, strlen(r->event), p->last);
		if (isnan(r->time)) {
			write_metric(p, r, p->last);
			p->grouped = true;
		}
		return;
	}
	if (!isnan(r->time)) {
		note_time(p, r->time);
	} else if (*r->event) {
		if (!p->headed && !strcmp(p->first[1], event) && !strcmp(p->first[0], r->where))
			perf_stat_next(p);
		if (!*p->first[1]) {
			snprintf(p->first[0], sizeof(p->first[0]), "%s", r->where);
			snprintf(p->first[1], sizeof(p->first[1]), "%s", event);
		}
		times = count_event(p, r);
		if (times > 1) {
			snprintf(again, sizeof(again), "%.240s.%u", event, times);
			event = again;
		}
	}
	if (r->missing)
		list_event(!strcmp(r->missing, "not counted") ? p->not_counted : p->not_supported,
			   event);
	else if (!isnan(r->running) && r->running < 100)
		list_event(p->shared, event);
	/* lines without a time below intervals tell what these come to (--summary): no more of it
	 */
	if (*r->event && !r->missing && !isnan(r->value) && times == 1 &&
	    (!isnan(r->time) || isnan(p->time)))
		perf_sums_add(p->sums, r->time, event, r->unit, r->value);
	if (!isnan(r->time)) {
		snprintf(p->last, sizeof(p->last), "%s", event);
		return;
	}
	if (*r->event && !r->missing) {
		write_event(p, r, event);
	} else if (!*r->event) {
		snprintf(name, sizeof(name), "%s%s%s", r->where, *r->where ? "." : "", event);
		write_metric(p, r, name);
	}
	if (event != p->last)
		snprintf(p->last, sizeof(p->last), "%s", event);
}

void perf_stat_whole(struct perf_stat *p, const char *name, double seconds, double stddev,
		     double variance)
{
	output_value(p->o, "s", seconds, "%s", name);
	output_value(p->o, "s", stddev, "%s.stddev", name);
	output_value(p->o, "%", variance, "%s.stddev%%", name);
}

void perf_stat_next(struct perf_stat *p)
{
	struct program_output *o = p->o;

	perf_sums_write(p->sums, o);
	if (*p->not_counted)
		output_info(o, "perf-stat.not_counted", p->not_counted);
	if (*p->not_supported)
		output_info(o, "perf-stat.not_supported", p->not_supported);
	if (*p->shared)
		output_info(o, "perf-stat.multiplexed", p->shared);
	if (perf_sums_any(p->sums) || p->grouped)
		output_next(o);
	perf_sums_reset(p->sums);
	p->time = (double)NAN;
	p->headed = p->grouped = false;
	p->run++;
	if (p->met.n > MET_KEPT) {
		arena_reset(p->a);
		text_map_init(&p->met, p->a);
		p->times = NULL;
		p->times_cap = 0;
	}
	*p->first[0] = *p->first[1] = *p->last = '\0';
	*p->not_counted = *p->not_supported = *p->shared = '\0';
}

void perf_stat_end(struct perf_stat *p)
{
	perf_stat_next(p);
	perf_sums_end(p->sums);
	arena_free(p->a);
}

/* --- files --- */

/* "0.050966 +- 0.000342 seconds time elapsed  ( +-  0.67% )", "0.001 seconds user" */
static bool read_whole(struct perf_stat *p, const char *line)
{
	static const char *const kinds[][2] = {{"seconds time elapsed", "elapsed_time"},
					       {"seconds user", "user_time"},
					       {"seconds sys", "system_time"}};
	double v, stddev = (double)NAN, variance = (double)NAN;
	const char *q = line, *rest;

	if (!text_number(&q, true, &v))
		return false;
	q = past_spaces(q);
	if (!strncmp(q, "+-", 2)) {
		q += 2;
		if (!text_number(&q, false, &stddev))
			return false;
	}
	for (size_t i = 0; i < 3; i++) {
		rest = text_after(q, kinds[i][0]);
		if (!rest)
			continue;
		if (!number_behind(rest, "+-", &variance))
			variance = (double)NAN;
		perf_stat_whole(p, kinds[i][1], v, stddev, variance);
		return true;
	}
	return false;
}

/* "'sleep 1' (5 runs):" without what stands around; "process id '123':" */
static void note_command(struct program_output *o, const char *s)
{
	const char *last = strrchr(s, '\'');
	char command[LIST_MAX];
	bool quoted = *s == '\'' && last > s;
	size_t n = !last ? strlen(s) : quoted ? (size_t)(last - s) - 1 : (size_t)(last - s) + 1;

	snprintf(command, sizeof(command), "%.*s", (int)(n < LIST_MAX ? n : LIST_MAX), s + quoted);
	output_info(o, "command", command);
}

/* A heading or remark; true: it is not a line of figures. */
static bool read_head(struct program_output *o, struct perf_stat *p, const char *line,
		      bool *interval)
{
	const char *head = text_find(line, "Performance counter stats for "),
		   *mark = text_after(line, "#");

	if (head) {
		if (isnan(p->time) || p->headed) /* else what the intervals above come to */
			perf_stat_next(p);
		*interval = false;
		p->headed = true;
		note_command(o, past_spaces(head));
		return true;
	}
	if (!mark)
		return false;
	if (text_after(mark, "started on "))
		perf_stat_next(p);
	if (text_after(mark, "time ") && strstr(mark, "counts")) {
		if (p->headed)
			perf_stat_next(p);
		*interval = true;
	}
	return text_after(mark, "started on ") || *interval;
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	const char *separator = perf_stat_separator(bytes, n);
	struct perf_stat *p = perf_stat_begin(o);
	bool interval = false, table = false;
	struct output_lines l;
	struct perf_row r;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		bool found;

		if (!separator && perf_stat_foreign_line(line)) {
			fault(o->in->ctx, "",
			      "line %ld: figures of perf stat with a comma for the point are not "
			      "read: run it with LC_ALL=C",
			      l.t.number);
			break;
		}
		if (!strncmp(line, "^C", 2)) /* what a terminal shows of the key that ended it */
			line += 2;
		if (read_head(o, p, line, &interval)) {
			table = true;
			continue;
		}
		if (read_whole(p, line))
			continue;
		if (*past_spaces(line) == '{')
			found = perf_stat_json_line(l.own, line, &r);
		else if (separator)
			found = perf_stat_csv_line(line, separator, &r);
		else
			found = (table || strchr(line, '#')) &&
				perf_stat_plain_line(line, interval, &r);
		if (found)
			perf_stat_row(p, &r);
	}
	output_lines_end(&l);
	perf_stat_end(p);
}

int import_perf_stat(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "perf-stat", .read = read_output};

	return program_import(in, bytes, n, &form);
}

int perf_stat_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "Performance counter stats for "))
		return 95;
	if (sniff_finds(bytes, n, "\"counter-value\" :") ||
	    sniff_finds(bytes, n, "\"counter-value\":"))
		return 95;
	if (sniff_finds(bytes, n, "counts unit events"))
		return 90;
	return perf_stat_separator(bytes, n) ? 70 : 0;
}
