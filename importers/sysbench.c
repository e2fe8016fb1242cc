/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysbench 0.4, 0.5 and 1.0: cpu, memory, threads, mutex, fileio and oltp. When a file has outputs
 * of other tests or numbers of threads, the axes test and nr_threads tell them apart. Names,
 * behind "sysbench.", are those of the robot's parsers of oltp and fileio where they have one:
 *
 *	total_time, total_events, event_execution_time (seconds)
 *	latency_min_ms, latency_avg_ms, latency_max_ms, latency_sum_ms,
 *	latency_95th_ms (or another percentile)
 *	thread_events_avg, thread_events_stddev, thread_events_stddev%; so for thread_time
 *	throughput_events/s                               cpu
 *	throughput_ops/s, throughput_MB/s (of 2^20 B)     memory
 *	read_operations/s, write_operations/s, fsync_operations/s, read_bytes_MiB/s … fileio
 *	read, write, other, total_queries, transactions, transactions/s …             oltp
 *
 * --histogram becomes the distribution sysbench.latency_ms. Reports on the way (--report-interval)
 * are not taken: they are the same run again.
 */
#include "db/distributions.h"
#include "importers/formats.h"
#include "importers/program_output.h"

#include <math.h>

#include "server/base/arena.h"

struct sysbench {
	struct program_output *o;
	bool latency, queries; /* in the section */
	struct arena *own;     /* of the buckets */
	struct bucket_in *buckets;
	size_t nbuckets, cap;
	double min, max, avg, p95; /* NAN */
	bool histogram;
};

static bool begins(const char *line)
{
	const char *p = text_after(line, "sysbench ");

	return p && *p >= '0' && *p <= '9' && strchr(p, '.');
}

static bool setup(const char *line, size_t axis, char *value)
{
	static const char *const kinds[][2] = {
		{"Prime numbers limit", "cpu"},      {"CPU performance benchmark", "cpu"},
		{"memory speed test", "memory"},     {"Memory operations type", "memory"},
		{"file open flags", "fileio"},       {"SQL statistics", "oltp"},
		{"OLTP test statistics", "oltp"},    {"thread subsystem performance", "threads"},
		{"mutex performance test", "mutex"}, {NULL, NULL}};
	double threads;

	if (axis == 1) {
		if (!text_after(line, "Number of threads:") ||
		    !number_behind(line, "threads:", &threads))
			return false;
		snprintf(value, OUTPUT_WORD_MAX, "%.0f", threads);
		return true;
	}
	for (size_t i = 0; kinds[i][0]; i++) {
		if (strstr(line, kinds[i][0])) {
			snprintf(value, OUTPUT_WORD_MAX, "%s", kinds[i][1]);
			return true;
		}
	}
	return false;
}

/* "label:  value": the number behind a label that begins the line, *rest behind it. */
static bool labelled(const char *line, const char *label, double *v, const char **rest)
{
	const char *p = text_after(line, label);

	if (!p || !text_number(&p, false, v))
		return false;
	*rest = p;
	return true;
}

/* A figure and its pair: "5071.0000/0.00" */
static void read_fairness(struct program_output *o, double avg, const char *rest, const char *name,
			  const char *unit)
{
	double stddev;

	output_value(o, unit, avg, "%s_avg", name);
	if (*rest++ != '/' || !text_number(&rest, false, &stddev))
		return;
	output_value(o, unit, stddev, "%s_stddev", name);
	if (avg > 0)
		output_value(o, "%", 100 * stddev / avg, "%s_stddev%%", name);
}

/* "95th percentile:   0.21" or "approx.  95 percentile:   2.94ms" */
static bool percentile(const char *line, double *which, double *v, const char **rest)
{
	const char *p = past_spaces(line), *q = text_after(p, "approx.");

	p = q ? q : p;
	if (!text_number(&p, false, which) || *which < 0 || *which > 100)
		return false;
	if (!strncmp(p, "th", 2))
		p += 2;
	p = text_after(p, "percentile:");
	return p && text_number(&p, false, v) && (*rest = p);
}

/* Of the latency: in milliseconds, with or without "ms" behind it; very old ones print seconds. */
static double in_ms(double v, const char *rest)
{
	return *past_spaces(rest) == 's' ? v * 1000 : v;
}

static bool read_latency(struct sysbench *s, const char *line)
{
	const struct {
		const char *label, *name;
		double *kept;
	} figures[] = {{"min:", "min", &s->min},
		       {"avg:", "avg", &s->avg},
		       {"max:", "max", &s->max},
		       {"sum:", "sum", NULL}};
	const char *rest;
	double v, which;

	for (size_t i = 0; i < 4; i++) {
		if (!labelled(line, figures[i].label, &v, &rest))
			continue;
		output_value(s->o, "ms", in_ms(v, rest), "latency_%s_ms", figures[i].name);
		if (figures[i].kept)
			*figures[i].kept = in_ms(v, rest);
		return true;
	}
	if (!percentile(line, &which, &v, &rest))
		return false;
	output_value(s->o, "ms", in_ms(v, rest), "latency_%gth_ms", which);
	if (which == 95)
		s->p95 = in_ms(v, rest);
	return true;
}

static bool read_general(struct program_output *o, const char *line)
{
	const char *rest;
	double v;

	if (labelled(line, "total time:", &v, &rest))
		output_value(o, "s", v, "total_time");
	else if (labelled(line, "total number of events:", &v, &rest))
		output_value(o, "events", v, "total_events");
	else if (labelled(line, "total time taken by event execution:", &v, &rest))
		output_value(o, "s", v, "event_execution_time");
	else if (labelled(line, "events per second:", &v, &rest))
		output_value(o, "events/s", v, "throughput_events/s");
	else if (labelled(line, "events (avg/stddev):", &v, &rest))
		read_fairness(o, v, rest, "thread_events", "events");
	else if (labelled(line, "execution time (avg/stddev):", &v, &rest))
		read_fairness(o, v, rest, "thread_time", "s");
	else
		return false;
	return true;
}

/* "Total operations: 1048576 (7745679.66 per second)", "1024.00 MiB transferred (7564.14 MiB/sec)"
 */
static bool read_memory(struct program_output *o, const char *line)
{
	const char *rest, *p = line;
	double v, rate;

	if ((labelled(line, "Total operations:", &v, &rest) ||
	     labelled(line, "Operations performed:", &v, &rest)) &&
	    strchr(rest, '(') && !strstr(rest, "Read")) {
		output_value(o, "operations", v, "operations");
		if (number_behind(rest, "(", &rate))
			output_value(o, "ops/s", rate, "throughput_ops/s");
		return true;
	}
	if (!text_number(&p, false, &v) || (!(rest = text_after(p, "MiB transferred")) &&
					    !(rest = text_after(p, "MB transferred"))))
		return false;
	output_value(o, "MiB", v, "transferred_MiB");
	if (number_behind(rest, "(", &rate))
		output_value(o, "MiB/s", rate, "throughput_MB/s");
	return true;
}

/* "read:  IOPS=3211.07 50.02 MiB/s (52.61 MB/s)", of 1.1 */
static bool read_iops(struct program_output *o, const char *line)
{
	static const char *const kinds[][2] = {
		{"read:", "read"}, {"write:", "write"}, {"fsync:", "fsync"}};
	const char *p;
	double v;

	for (size_t i = 0; i < 3; i++) {
		p = text_after(line, kinds[i][0]);
		if (!p || !(p = text_after(p, "IOPS=")) || !text_number(&p, false, &v))
			continue;
		output_value(o, "ops/s", v, "%s_operations/s", kinds[i][1]);
		if (text_number(&p, false, &v) && text_after(p, "MiB/s"))
			output_value(o, "MiB/s", v, "%s_bytes_MiB/s", kinds[i][1]);
		if (number_behind(p, "(", &v))
			output_value(o, "MB/s", v, "%s_bytes_MB/s", kinds[i][1]);
		return true;
	}
	return false;
}

/* "67.938Mb" as MiB: sysbench 0.4 counts in 1024 and writes a small b. */
static bool scaled_mib(const char *p, double *v)
{
	if (!text_number(&p, false, v))
		return false;
	*v *= *p == 'b'   ? 1.0 / (1024 * 1024)
	      : *p == 'K' ? 1.0 / 1024
	      : *p == 'G' ? 1024
	      : *p == 'T' ? 1024 * 1024
			  : 1;
	return true;
}

/* "Operations performed:  4348 Read, 2898 Write, 9216 Other = 16462 Total" and the two lines below
 */
static bool read_fileio_old(struct program_output *o, const char *line)
{
	static const char *const counted[][2] = {{" Read", "read_operations"},
						 {" Write", "write_operations"},
						 {" Other", "other_operations"},
						 {" Total", "total_operations"}};
	const char *p = text_after(line, "Operations performed:"), *mark;
	double v;

	if (p) {
		for (size_t i = 0; i < 4 && (mark = strstr(p, counted[i][0])); i++) {
			while (mark > p && mark[-1] != ' ')
				mark--;
			if (text_number(&mark, false, &v))
				output_value(o, "operations", v, "%s", counted[i][1]);
		}
		return true;
	}
	if ((p = text_after(line, "Read ")) && strstr(p, "Total transferred")) {
		if (scaled_mib(p, &v))
			output_value(o, "MiB", v, "read_MiB");
		if ((mark = text_find(p, "Written ")) && scaled_mib(mark, &v))
			output_value(o, "MiB", v, "written_MiB");
		if ((mark = text_find(p, "transferred ")) && scaled_mib(mark, &v))
			output_value(o, "MiB", v, "transferred_MiB");
		if ((mark = text_find(p, "(")) && scaled_mib(mark, &v))
			output_value(o, "MiB/s", v, "throughput_MB/s");
		return true;
	}
	p = line;
	if (!text_number(&p, false, &v) || !text_after(p, "Requests/sec executed"))
		return false;
	output_value(o, "requests/s", v, "requests/s");
	return true;
}

static bool read_fileio(struct program_output *o, const char *line)
{
	static const struct {
		const char *label, *unit, *name;
	} known[] = {{"reads/s:", "ops/s", "read_operations/s"},
		     {"writes/s:", "ops/s", "write_operations/s"},
		     {"fsyncs/s:", "ops/s", "fsync_operations/s"},
		     {"read, MiB/s:", "MiB/s", "read_bytes_MiB/s"},
		     {"written, MiB/s:", "MiB/s", "write_bytes_MiB/s"}};
	const char *rest;
	double v;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (labelled(line, known[i].label, &v, &rest)) {
			output_value(o, known[i].unit, v, "%s", known[i].name);
			return true;
		}
	}
	return read_iops(o, line) || read_fileio_old(o, line);
}

/* Below "queries performed:", and lines "transactions:   9639747 (16065.20 per sec.)" */
static bool read_oltp(struct sysbench *s, const char *line)
{
	static const char *const counted[][2] = {{"read:", "read"},
						 {"write:", "write"},
						 {"other:", "other"},
						 {"total:", "total_queries"}};
	const char *colon = strchr(line, ':'), *p;
	char name[OUTPUT_WORD_MAX];
	double v, rate;

	for (size_t i = 0; s->queries && i < 4; i++) {
		if (labelled(line, counted[i][0], &v, &p)) {
			output_value(s->o, "queries", v, "%s", counted[i][1]);
			return true;
		}
	}
	if (!colon || !strstr(colon, " per sec.)"))
		return false;
	p = colon + 1;
	if (!text_number(&p, false, &v) || !number_behind(p, "(", &rate))
		return false;
	line = past_spaces(line);
	if (!*join_words(line, (size_t)(colon - line), name))
		return false;
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '_' : *c;
	output_value(s->o, name, v, "%s", name);
	output_value(s->o, "1/s", rate, "%s/s", name);
	return true;
}

/* "       0.185 |****                           121" */
static bool read_bucket(struct sysbench *s, const char *line)
{
	const char *p = line, *count;
	double le, n;

	if (!text_number(&p, false, &le) || *(p = past_spaces(p)) != '|')
		return false;
	count = strrchr(p, ' ');
	if (!count || !text_number(&count, false, &n) || *count || n < 0 || n > 1e15)
		return true;
	if ((s->nbuckets && le <= s->buckets[s->nbuckets - 1].le) ||
	    s->nbuckets > BUCKETS_MAX) /* one more than the store takes */
		return true;
	s->buckets = arena_grow(s->own, s->buckets, &s->cap, s->nbuckets + 1, sizeof(*s->buckets));
	s->buckets[s->nbuckets++] = (struct bucket_in){le, (int64_t)n};
	return true;
}

static void read_line(struct sysbench *s, const char *line)
{
	if (begins(line)) {
		output_info(s->o, "program_version", line);
	} else if (strstr(line, "Latency histogram")) {
		s->histogram = true;
	} else if (text_after(line, "Latency (ms):") ||
		   text_after(line, "per-request statistics:") ||
		   text_after(line, "response time:")) {
		s->latency = true;
	} else if (text_after(line, "queries performed:")) {
		s->queries = true;
	} else if (text_after(line, "Threads fairness:") ||
		   text_after(line, "General statistics:")) {
		s->latency = s->queries = false;
	} else if (s->histogram && read_bucket(s, line)) {
		return;
	} else if (!(s->latency && read_latency(s, line)) && !read_general(s->o, line) &&
		   !read_memory(s->o, line) && !read_oltp(s, line)) {
		read_fileio(s->o, line);
	}
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	auto_arena struct arena *own = arena_new();
	struct sysbench s = {.o = o,
			     .own = own,
			     .min = (double)NAN,
			     .max = (double)NAN,
			     .avg = (double)NAN,
			     .p95 = (double)NAN};
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l)))
		read_line(&s, line);
	output_lines_end(&l);
	if (s.nbuckets) {
		const struct percentile_in p = {"95", s.p95};
		int64_t total = 0;

		for (size_t i = 0; i < s.nbuckets; i++)
			total += s.buckets[i].count;
		output_distribution(
			o, &(struct distribution_in){.metric = "sysbench.latency_ms",
						     .unit = "ms",
						     .mean = s.avg,
						     .stddev = (double)NAN,
						     .min = s.min,
						     .max = s.max,
						     .n = total,
						     .percentiles = &p,
						     .npercentiles = isfinite(s.p95) ? 1 : 0,
						     .buckets = s.buckets,
						     .nbuckets = s.nbuckets});
	}
}

int import_sysbench(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "sysbench",
						 .begins = begins,
						 .axes = {"test", "nr_threads"},
						 .setup = setup,
						 .read = read_output};

	return program_import(in, bytes, n, &form);
}

int sysbench_sniff(const char *bytes, size_t n)
{
	if (sniff_line(bytes, n, "sysbench 1.") || sniff_line(bytes, n, "sysbench 0."))
		return 95;
	return sniff_line(bytes, n, "Threads fairness:") && sniff_finds(bytes, n, "(avg/stddev)")
		       ? 85
		       : 0;
}
