/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest: the lines "T: 0 (…) … Max: 69" (a screen that is printed anew again and again: the
 * last of each thread counts), the histogram of -h and -H, and --json. Names, behind "cyclictest.":
 *
 *	min_latency, avg_latency, max_latency   over all threads; the average weighted by cycles
 *	T<n>.min, .act, .avg, .max, .cycles     of a thread (microseconds)
 *	T<n>.overflows                          beyond the histogram
 *
 * A histogram is the distribution cyclictest.T<n>.latency. The numbers of the cycles that
 * overflowed are not taken: they are places, not figures.
 */
#include "importers/cyclictest.h"

#include <math.h>

#include "importers/formats.h"
#include "server/base/arena.h"

struct cyclic_thread *cyclic_thread(struct cyclictest *c, size_t number)
{
	if (number >= CYCLIC_THREADS_MAX)
		return NULL;
	for (; c->n <= number; c->n++) {
		struct cyclic_thread *t;

		c->threads = arena_grow(c->own, c->threads, &c->cap, c->n + 1, sizeof(*c->threads));
		t = &c->threads[c->n];
		*t = (struct cyclic_thread){.pid = -1, .cycles = -1, .overflows = -1};
		t->min = t->act = t->avg = t->max = (double)NAN;
	}
	return &c->threads[number];
}

void cyclic_bucket(struct cyclictest *c, struct cyclic_thread *t, double us, double count)
{
	if (!(count > 0 && count < 1e15) || (t->nbuckets && us <= t->buckets[t->nbuckets - 1].le))
		return;
	if (c->nbuckets++ == CYCLIC_BUCKETS_MAX)
		fail(c->o->in->ctx, E_TOO_LARGE, "the histograms of a run have more than %d counts",
		     CYCLIC_BUCKETS_MAX);
	if (c->nbuckets > CYCLIC_BUCKETS_MAX)
		return;
	t->buckets = arena_grow(c->buckets, t->buckets, &t->bucket_cap, t->nbuckets + 1,
				sizeof(*t->buckets));
	t->buckets[t->nbuckets++] = (struct bucket_in){us, (int64_t)count};
}

static void write_thread(struct cyclictest *c, const struct cyclic_thread *t, size_t number)
{
	struct program_output *o = c->o;
	const char *unit = c->ns ? "ns" : "us";
	bool sane = t->min <= t->max;
	char metric[60];

	output_value(o, unit, t->min, "T%zu.min", number);
	output_value(o, unit, t->act, "T%zu.act", number);
	output_value(o, unit, t->avg, "T%zu.avg", number);
	output_value(o, unit, t->max, "T%zu.max", number);
	if (t->cycles >= 0)
		output_value(o, "cycles", t->cycles, "T%zu.cycles", number);
	if (t->overflows >= 0)
		output_value(o, "cycles", t->overflows, "T%zu.overflows", number);
	if (!t->nbuckets)
		return;
	snprintf(metric, sizeof(metric), "cyclictest.T%zu.latency", number);
	output_distribution(o, &(struct distribution_in){.metric = metric,
							 .unit = unit,
							 .mean = t->avg,
							 .stddev = (double)NAN,
							 .min = sane ? t->min : (double)NAN,
							 .max = sane ? t->max : (double)NAN,
							 .n = t->cycles >= 0 && t->cycles < 1e15
								      ? (int64_t)t->cycles
								      : -1,
							 .buckets = t->buckets,
							 .nbuckets = t->nbuckets});
}

void cyclic_flush(struct cyclictest *c)
{
	double min = (double)NAN, max = (double)NAN, sum = 0, cycles = 0;
	const char *unit = c->ns ? "ns" : "us";
	struct program_output *o = c->o;

	for (size_t i = 0; i < c->n; i++) {
		const struct cyclic_thread *t = &c->threads[i];

		if (t->cycles == 0) /* it had not run yet */
			continue;
		write_thread(c, t, i);
		min = fmin(min, t->min);
		max = fmax(max, t->max);
		if (!isnan(t->avg) && t->cycles > 0) {
			sum += t->avg * t->cycles;
			cycles += t->cycles;
		}
	}
	output_value(o, unit, min, "min_latency");
	output_value(o, unit, max, "max_latency");
	if (cycles > 0)
		output_value(o, unit, sum / cycles, "avg_latency");
	output_next(o);
	c->n = c->nbuckets = 0;
	c->histogram = c->ns = false;
	arena_reset(c->buckets);
}

/* --- lines --- */

/* "T: 0 (32455) P: 0 I:1000 C:    200 Min:     58 Act:   63 Avg:   63 Max:      69" */
static bool read_thread(struct cyclictest *c, const char *line)
{
	const char *p = text_after(line, "T:");
	double number, pid = -1, cycles = -1;
	struct cyclic_thread *t;

	if (!p || !text_number(&p, false, &number) || number < 0 || !strstr(p, "Min:"))
		return false;
	number_behind(p, "(", &pid);
	number_behind(p, " C:", &cycles);
	t = number < CYCLIC_THREADS_MAX ? cyclic_thread(c, (size_t)number) : NULL;
	if (!t)
		return true;
	if ((t->pid > 0 && pid > 0 && pid != t->pid) || cycles < t->cycles) {
		cyclic_flush(c);
		t = cyclic_thread(c, (size_t)number);
	}
	t->pid = pid;
	t->cycles = cycles;
	number_behind(p, "Min:", &t->min);
	number_behind(p, "Act:", &t->act);
	number_behind(p, "Avg:", &t->avg);
	number_behind(p, "Max:", &t->max);
	return true;
}

/* "000062 000013\t000012", of -H with the sum in one column more. */
static void read_bucket(struct cyclictest *c, const char *line)
{
	const char *p = line;
	double us, count;

	if (!text_number(&p, false, &us) || us < 0)
		return;
	for (size_t i = 0; i < CYCLIC_THREADS_MAX && text_number(&p, false, &count); i++) {
		struct cyclic_thread *t = cyclic_thread(c, i);

		cyclic_bucket(c, t, us, count);
	}
}

/* "# Min Latencies: 00062 00039" and the like. */
static void read_foot(struct cyclictest *c, const char *line)
{
	static const char *const kinds[] = {"# Total:", "# Min Latencies:", "# Avg Latencies:",
					    "# Max Latencies:", "# Histogram Overflows:"};
	const char *p = NULL;
	size_t kind, n = 0;
	double v;

	for (kind = 0; kind < 5 && !(p = text_after(line, kinds[kind])); kind++)
		;
	while (p && n < c->n && text_number(&p, false, &v)) {
		struct cyclic_thread *t = &c->threads[n++];

		*(kind == 0   ? &t->cycles
		  : kind == 1 ? &t->min
		  : kind == 2 ? &t->avg
		  : kind == 3 ? &t->max
			      : &t->overflows) = v;
	}
	if (kind == 1 && n) /* a column more is the sum of -H */
		c->n = n;
}

static void read_line(struct cyclictest *c, const char *line)
{
	char policy[64];
	const char *p;

	if (read_thread(c, line))
		return;
	if (text_after(line, "# Histogram") && !strchr(line, ':')) {
		if (c->histogram)
			cyclic_flush(c);
		c->histogram = true;
	} else if ((p = text_after(line, "# /dev/cpu_dma_latency set to "))) {
		output_info(c->o, "cpu_dma_latency", p);
	} else if ((p = text_after(line, "policy:"))) {
		snprintf(policy, sizeof(policy), "%.*s", (int)strcspn(past_spaces(p), ":"),
			 past_spaces(p));
		output_info(c->o, "policy", policy);
	} else if (*past_spaces(line) == '#') {
		read_foot(c, line);
	} else if (c->histogram) {
		read_bucket(c, line);
	}
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	auto_arena struct arena *own = arena_new(), *buckets = arena_new();
	struct cyclictest c = {.o = o, .own = own, .buckets = buckets};
	struct output_lines l;
	char *line;

	if (cyclic_json(&c, bytes, n))
		return;
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l)))
		read_line(&c, line);
	output_lines_end(&l);
	cyclic_flush(&c);
}

int import_cyclictest(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "cyclictest", .read = read_output};

	return program_import(in, bytes, n, &form);
}

int cyclictest_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "\"rt_test_version:\"") ||
	    (sniff_finds(bytes, n, "\"cmdline:\"") && sniff_finds(bytes, n, "cyclictest")))
		return 95;
	if (sniff_line(bytes, n, "T: 0 (") && sniff_finds(bytes, n, " Act:"))
		return 90;
	return sniff_line(bytes, n, "# Histogram") && sniff_finds(bytes, n, "# Min Latencies:") ? 90
												: 0;
}
