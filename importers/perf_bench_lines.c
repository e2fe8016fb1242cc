/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the benchmarks of perf bench print. Each prints in its own way, but the ways are few: a
 * number and its unit, an average with its spread, a line a thread, "… in 0.0210 ms (+-26.82%)".
 */
#include "importers/perf_bench.h"

#include <strings.h>

/* "(+- 2.48%)", "(+-26.82%)", "(+- 21.060 usec)" */
static bool spread(const char *p, double *v)
{
	const char *q = text_find(p, "(+-");

	return q && text_number(&q, false, v);
}

static const char *unit_of(const char *p)
{
	p = past_spaces(p);
	return !strncmp(p, "usec", 4)                           ? "us"
	       : !strncmp(p, "msec", 4) || !strncmp(p, "ms", 2) ? "ms"
	       : !strncmp(p, "nsec", 4)                         ? "ns"
	       : !strncmp(p, "sec", 3)                          ? "s"
	       : !strncmp(p, "KB", 2)                           ? "KB"
								: NULL;
}

/* --- a number and its unit --- */

/* "50.730519 GB/sec" of a function; GB here are 2^30 bytes. */
static bool read_memory(struct perf_bench *b, double v, const char *unit)
{
	static const struct {
		const char *unit;
		double giga;
	} scales[] = {{"GB/sec", 1},
		      {"MB/sec", 1.0 / 1024},
		      {"KB/sec", 1.0 / 1024 / 1024},
		      {"B/sec", 1.0 / 1024 / 1024 / 1024}};
	const char *function = *b->function ? b->function : "default";
	const char *fault = strstr(unit, "(with prefault)") ? ".prefault" : "";

	if (!strncasecmp(unit, "cycles/byte", 11) || !strncasecmp(unit, "cycle/byte", 10)) {
		output_value(b->o, "cycles/B", v, "%s%s%s.cycles_per_byte", b->prefix, function,
			     fault);
		return true;
	}
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		size_t len = strlen(scales[i].unit);

		if (!strncasecmp(unit, scales[i].unit, len) && (!unit[len] || unit[len] == ' ')) {
			output_value(b->o, "GB/s", v * scales[i].giga, "%s%s%s.GB_per_sec",
				     b->prefix, function, fault);
			return true;
		}
	}
	return false;
}

/* The figures of numa, as they are printed for people and, behind a comma, for programs. */
static bool read_numa(struct perf_bench *b, double v, const char *unit)
{
	static const struct {
		const char *people, *programs, *name, *unit;
	} known[] = {
		{"secs slowest (max) thread-runtime", "runtime-max/thread", "secs_slowest", "s"},
		{"secs fastest (min) thread-runtime", "runtime-min/thread", "secs_fastest", "s"},
		{"secs average thread-runtime", "runtime-avg/thread", "secs_avg", "s"},
		{"% difference between max/avg runtime", "spread-runtime/thread", "max_avg_diff",
		 "%"},
		{"GB data processed, per thread", "data/thread", "GB_per_thread", "GB"},
		{"GB data processed, total", "data-total", "GB_total", "GB"},
		{"nsecs/byte/thread runtime", "runtime/byte/thread", "nsecs_byte_thread", "ns/B"},
		{"GB/sec/thread speed", "thread-speed", "GB_sec_thread", "GB/s"},
		{"GB/sec total speed", "total-speed", "GB_sec_total", "GB/s"},
		{"secs latency to NUMA-converge", "NUMA-convergence-latency", "secs_latency", "s"},
	};
	const char *last = strrchr(unit, ',');

	last = last ? past_spaces(last + 1) : "";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(unit, known[i].people) || !strcmp(last, known[i].programs)) {
			output_value(b->o, known[i].unit, v, "%s%s%s", b->prefix, b->test,
				     known[i].name);
			return true;
		}
	}
	return false;
}

static bool read_figure(struct perf_bench *b, const char *line)
{
	static const struct {
		const char *unit, *name, *kept;
	} known[] = {{"usecs/op", "usecs_per_op", "us"},
		     {"ops/sec", "ops_per_sec", "ops/s"},
		     {"usecs/op/cpu", "usecs_per_op_per_cpu", "us"},
		     {"nsecs/op", "nsecs_per_op", "ns"},
		     {"ops/sec/cpu", "ops_per_sec_per_cpu", "ops/s"}};
	const char *p = line;
	double v;

	if (!text_number(&p, true, &v) || *p != ' ')
		return false;
	p = past_spaces(p);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(p, known[i].unit)) {
			output_value(b->o, known[i].kept, v, "%s%s", b->prefix, known[i].name);
			return true;
		}
	}
	return read_numa(b, v, p) || read_memory(b, v, p);
}

/* " RAM-bw-local,   21.180, secs,   NUMA-convergence-latency" */
static bool read_numa_line(struct perf_bench *b, const char *line)
{
	const char *comma = strchr(line, ','), *p = comma ? comma + 1 : NULL;
	double v;

	if (!p || !text_number(&p, false, &v) || *p != ',')
		return false;
	line = past_spaces(line);
	if (!strncmp(line, "main,", 5) || !strncmp(line, "\"main,", 6) || comma == line)
		*b->test = '\0';
	else
		snprintf(b->test, sizeof(b->test), "%.*s.", (int)(comma - line), line);
	return read_numa(b, v, past_spaces(p + 1));
}

/* --- a line a thread --- */

/* "[thread  0] futexes: 0x… [ 2243584 ops/sec ]", "[thread 1] … [ add: 212544 ops; … ]" */
static bool read_thread(struct perf_bench *b, const char *line)
{
	static const char *const kinds[] = {"add", "mod", "del"};
	const char *p = text_after(line, "[thread"), *figures;
	double thread, v;
	char label[8];

	if (!p || !text_number(&p, false, &thread) || *p != ']' || !(figures = strrchr(p, '[')))
		return false;
	p = figures + 1;
	if (text_number(&p, true, &v) && text_after(p, "ops/sec"))
		output_value(b->o, "ops/s", v, "%sthread_%.0f.ops/s", b->prefix, thread);
	for (size_t i = 0; i < 3; i++) {
		snprintf(label, sizeof(label), " %s:", kinds[i]);
		if (number_behind(figures, label, &v))
			output_value(b->o, "ops", v, "%sthread_%.0f.%s_ops", b->prefix, thread,
				     kinds[i]);
	}
	return true;
}

/* "Averaged 2189312 operations/sec (+- 2.48%), total secs = 1", "Averaged 217760 ADD operations (+-
 * …)" */
static bool read_averaged(struct perf_bench *b, const char *line)
{
	const char *p = text_after(line, "Averaged ");
	char kind[OUTPUT_WORD_MAX];
	double v, x;

	if (!p || !text_number(&p, true, &v))
		return false;
	if (text_after(p, "operations/sec")) {
		output_value(b->o, "ops/s", v, "%sops/s", b->prefix);
		if (spread(p, &x))
			output_value(b->o, "%", x, "%sstddev%%", b->prefix);
		if (number_behind(p, "total secs =", &x))
			output_value(b->o, "s", x, "%stotal_secs", b->prefix);
	} else if (text_word(&p, kind, sizeof(kind)) && text_after(p, "operations")) {
		output_value(b->o, "ops", v, "%s%s_operations", b->prefix, kind);
		if (spread(p, &x))
			output_value(b->o, "%", x, "%s%s_operations.stddev%%", b->prefix, kind);
	}
	return true;
}

/* --- what was woken --- */

/* "[Run 3]: Wokeup 2 of 2 threads in 0.0620 ms", and the average without "[Run 3]: ". */
static bool read_woken(struct perf_bench *b, const char *line)
{
	static const char *const kinds[][2] = {{"Wokeup ", "wakeup_ms"},
					       {"Avg per-thread latency ", "wakeup_latency_ms"},
					       {"Requeued ", "requeue_ms"}};
	const char *p = text_after(line, "[Run "), *end;
	double run = -1, v, x;

	if (p && (!text_number(&p, false, &run) || *p++ != ']' || *p++ != ':'))
		return false;
	p = p ? p : line;
	for (size_t i = 0; i < 3; i++) {
		if (!text_after(p, kinds[i][0]) || !(end = text_find(p, " in ")) ||
		    !text_number(&end, false, &v) || !text_after(end, "ms"))
			continue;
		if (run >= 0) {
			output_value(b->o, "ms", v, "%s%s.run%.0f", b->prefix, kinds[i][1], run);
			return true;
		}
		output_value(b->o, "ms", v, "%s%s", b->prefix, kinds[i][1]);
		if (spread(end, &x))
			output_value(b->o, "%", x, "%s%s.stddev%%", b->prefix, kinds[i][1]);
		return true;
	}
	return false;
}

/* --- averages --- */

/* Words of a figure; a '.' would look like a part of the name: "num. events" -> "num_events". */
static void figure_name(const char *p, size_t n, char *out)
{
	char *to = out;

	join_words(p, n, out);
	for (const char *c = out; *c; c++) {
		if (*c != '.')
			*to++ = *c;
		else if (c[1] && c[1] != '_')
			*to++ = '_';
	}
	*to = '\0';
}

/* The last number that stands alone before a "(+-", and where the words before it end. */
static bool number_at_end(const char *p, size_t *words, double *v, const char **unit)
{
	for (const char *q = p; *q; q++) {
		const char *at = q;

		if ((q > p && q[-1] != ' ' && q[-1] != '\t') || !text_number(&at, false, v) ||
		    at == q || (*at && *at != ' '))
			continue;
		*words = (size_t)(q - p);
		*unit = at;
		return true;
	}
	return false;
}

/* "Average synthesis took: 272.540 usec (+- 81.908 usec)", "Average time per event 8.792 usec",
 * "Average num. events: 31.000 (+- 0.000)": the latter two belong to what took. */
static bool read_average(struct perf_bench *b, const char *line)
{
	const char *p = text_after(line, "Average "), *unit, *took;
	char name[OUTPUT_WORD_MAX];
	double v, x;
	size_t n;

	if (!p || !number_at_end(p, &n, &v, &unit))
		return false;
	took = strstr(p, " took:");
	if (took) {
		figure_name(p, (size_t)(took - p), b->took);
		snprintf(name, sizeof(name), "took");
	} else {
		figure_name(p, n, name);
	}
	output_value(b->o, unit_of(unit), v, "%s%s%s%s%s", b->prefix, b->group, b->took,
		     *b->took ? "." : "", name);
	if (spread(unit, &x))
		output_value(b->o, unit_of(unit), x, "%s%s%s%s%s.stddev", b->prefix, b->group,
			     b->took, *b->took ? "." : "", name);
	return true;
}

/* Lines that say what the figures below them are of. */
static bool read_group(struct perf_bench *b, const char *line)
{
	const char *p, *end;
	double v, set;

	if ((p = text_find(line, "# function '")) && (end = strchr(p, '\''))) {
		snprintf(b->function, sizeof(b->function), "%.*s", (int)(end - p), p);
		return true;
	}
	if ((p = text_after(line, "# Running ")) && (end = strchr(p, ','))) {
		if (!strncmp(p, "main,", 5))
			*b->test = '\0';
		else
			snprintf(b->test, sizeof(b->test), "%.*s.", (int)(end - p), p);
		return true;
	}
	if (number_behind(line, "Number of synthesis threads:", &v)) {
		snprintf(b->group, sizeof(b->group), "%.0f_threads.", v);
		return true;
	}
	p = strstr(line, " bits set of ");
	if (!p || !number_behind(p, " bits set of ", &v) ||
	    !number_behind(line, " operations ", &set))
		return false;
	snprintf(b->group, sizeof(b->group), "%.0f_of_%.0f_bits.", set, v);
	return true;
}

void perf_bench_line(struct perf_bench *b, const char *line)
{
	char name[OUTPUT_WORD_MAX];
	const char *p, *colon;
	double v;

	if (number_behind(line, "Total time:", &v)) {
		output_value(b->o, "s", v, "%stotal_time_sec", b->prefix);
	} else if (read_group(b, line)) {
		return;
	} else if ((p = text_after(line, "Number of ")) && (colon = strchr(p, ':')) &&
		   number_behind(colon, ":", &v)) {
		figure_name(p, (size_t)(colon - p), name);
		output_value(b->o, NULL, v, "%snumber_of_%s", b->prefix, name);
	} else if (!read_average(b, line) && !read_averaged(b, line) && !read_thread(b, line) &&
		   !read_woken(b, line) && !read_figure(b, line)) {
		read_numa_line(b, line);
	}
}
