/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of perf stat in any of its three forms, and what becomes of them; for perf_stat*.c. */
#ifndef IMPORTERS_PERF_STAT_H
#define IMPORTERS_PERF_STAT_H

#include "importers/program_output.h"

/* Texts are borrowed; "" where the line has none. */
struct perf_row {
	double time;             /* end of the interval in seconds, NAN */
	const char *where;       /* "CPU0", "S0", "S0-D0-C0", "bash-123" … */
	const char *event;       /* "": a further metric of the event before it */
	const char *unit;        /* "msec", "Joules" … */
	const char *missing;     /* "not counted", "not supported", or NULL: */
	double value;            /* NAN: none */
	double variance;         /* percent of the mean of several runs, NAN */
	double run_time;         /* nanoseconds that the event was counted, NAN */
	double running;          /* percent of the time that it was, NAN */
	double metric;           /* derived from it, NAN */
	const char *metric_unit; /* "CPUs utilized", "K/sec", "of all branches" */
	bool percent;            /* the metric is one */
};

struct perf_stat;
struct perf_stat *perf_stat_begin(struct program_output *o);
void perf_stat_row(struct perf_stat *p, const struct perf_row *r);
/* A figure of the whole command: "elapsed_time" in seconds; variance in percent or NAN. */
void perf_stat_whole(struct perf_stat *p, const char *name, double seconds, double stddev,
		     double variance);
/* What follows is another output. */
void perf_stat_next(struct perf_stat *p);
void perf_stat_end(struct perf_stat *p);

/* The events of a run, summed up over places and intervals. */
struct perf_sums;
struct perf_sums *perf_sums_begin(void);
void perf_sums_end(struct perf_sums *s);
/* time: end of the interval, not before the last one; NAN: there are no intervals. */
void perf_sums_add(struct perf_sums *s, double time, const char *event, const char *unit, double v);
/* The same of an interval in which nothing may have been counted. */
void perf_sums_time(struct perf_sums *s, double time);
bool perf_sums_any(const struct perf_sums *s);
/* Into the run, which is over: sums of several places, and the figures of intervals. */
void perf_sums_write(struct perf_sums *s, struct program_output *o);
void perf_sums_reset(struct perf_sums *s);

/* The separator of a file of -x, found by what its lines become with it; NULL: it is no such file.
 */
const char *perf_stat_separator(const char *bytes, size_t n);
/* A line, which is changed, cut at the separator. */
bool perf_stat_csv_line(char *line, const char *separator, struct perf_row *r);
/* A line of -j. The texts are in a. */
bool perf_stat_json_line(struct arena *a, const char *line, struct perf_row *r);
/* A line for people, which is changed. interval: lines begin with the time. */
bool perf_stat_plain_line(char *line, bool interval, struct perf_row *r);
/* Whether the line has figures as other locales write them: "3,4814 seconds time elapsed" and
 * "( +-  2,04% )", where the C locale has no comma. */
bool perf_stat_foreign_line(const char *line);

#endif
