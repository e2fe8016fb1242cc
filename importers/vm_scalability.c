/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vm-scalability: a line for each task, "N bytes / U usecs = K KB/s" and the other forms that its
 * cases print. A line with "./case-…" begins another iteration. As the robot has it, a file is one
 * run: throughput is the sum over tasks, and the mean over iterations; median is that of the tasks
 * (of the two in the middle the greater), its mean over iterations; stddev% and median_stddev% are
 * spreads (population) over the iterations in percent of their mean. Of a single iteration stddev%
 * is the spread of its tasks in percent of their mean, times their number: so the robot has it, and
 * one name cannot mean two things in one series (the distribution has the plain one). What tasks
 * fault in ("bytes faulted") gives the same figures with _fault. The speeds of all tasks are kept
 * as a distribution, each speed a bucket. A file with several cases has a run for each iteration,
 * parted by case.
 */
#include "importers/formats.h"

#include <math.h>

#include "db/distributions.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

struct numbers {
	double *v;
	size_t n, cap;
};

/* One kind of work: copying, or faulting in. */
struct work {
	struct numbers all;                 /* KiB/s of the tasks of all iterations */
	size_t begin;                       /* of this iteration's among them */
	struct numbers throughput, medians; /* of the iterations that are over */
};

/* What only a mean is made of. */
struct sum {
	double v;
	size_t n;
};

struct reading {
	struct program_output *o;
	struct arena *a;
	struct work plain, fault;
	struct sum free_time, migrated;
	double bytes;
};

/* There may be millions of them: an arena would keep what they outgrow. */
static void push(struct numbers *list, double v)
{
	if (!isfinite(v))
		return;
	if (list->n == list->cap) {
		list->cap = list->cap ? 2 * list->cap : 64;
		list->v = realloc(list->v, list->cap * sizeof(*list->v));
		if (!list->v)
			die("out of memory");
	}
	list->v[list->n++] = v;
}

static double mean(const struct numbers *list)
{
	double sum = 0;

	for (size_t i = 0; i < list->n; i++)
		sum += list->v[i];
	return sum / (double)list->n;
}

/* Population standard deviation in percent of the mean. */
static double spread(const struct numbers *list)
{
	double middle = mean(list), squares = 0;

	for (size_t i = 0; i < list->n; i++)
		squares += (list->v[i] - middle) * (list->v[i] - middle);
	return middle != 0 ? 100 * sqrt(squares / (double)list->n) / middle : 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(struct numbers *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_value);
}

static void end_iteration(struct work *w)
{
	struct numbers tasks = {.n = w->all.n - w->begin};

	if (!tasks.n)
		return;
	tasks.v = w->all.v + w->begin;
	push(&w->throughput, mean(&tasks) * (double)tasks.n);
	sort(&tasks);
	push(&w->medians, tasks.v[tasks.n / 2]);
	w->begin = w->all.n;
}

static void end_work(struct work *w)
{
	free(w->all.v);
	free(w->throughput.v);
	free(w->medians.v);
}

static void count(struct sum *s, double v)
{
	s->v += v;
	s->n++;
}

/* --- lines --- */

/* The whole number at *p, digits alone. */
static bool digits(const char **p, double *v)
{
	const char *begin = past_spaces(*p);

	if (*begin < '0' || *begin > '9')
		return false;
	*p = begin;
	return text_number(p, false, v);
}

/* The number that ends before a word: *bytes, and what follows the word; NULL: not there. */
static const char *number_then(const char *line, const char *word, double *v)
{
	const char *at = strstr(line, word), *begin = at, *p;

	while (begin && begin > line && begin[-1] >= '0' && begin[-1] <= '9')
		begin--;
	p = begin;
	return at && digits(&p, v) ? at + strlen(word) : NULL;
}

static void add_task(struct reading *s, struct work *w, double bytes, double rate)
{
	push(&w->all, rate);
	if (w == &s->plain)
		s->bytes += bytes;
}

/* "N bytes truncated in B-A seconds": the two times, the later one first. */
static bool read_interval(struct reading *s, const char *line, const char *word, struct work *w)
{
	double bytes, later, earlier;
	const char *p = number_then(line, word, &bytes);

	if (!p || !digits(&p, &later) || *p++ != '-' || !digits(&p, &earlier) || later <= earlier)
		return false;
	add_task(s, w, bytes, floor(bytes / 1024) / (later - earlier));
	return true;
}

static bool read_copied(struct reading *s, const char *line)
{
	double bytes, time;
	const char *p = number_then(line, " bytes (", &bytes);

	p = p ? text_find(p, ") copied, ") : NULL;
	if (!p || !digits(&p, &time) || strncmp(p, " s", 2) != 0 || time <= 0)
		return false;
	add_task(s, &s->plain, bytes, floor(bytes / 1024) / time);
	return true;
}

static bool read_migrated(struct reading *s, const char *line)
{
	const char *p = line;
	double n, size, time, rate;

	if (!strstr(line, " bytes migrated, ") || !digits(&p, &n))
		return false;
	p = text_after(p, "* ");
	if (!p || !digits(&p, &size) || !(p = text_after(p, "bytes migrated,")) ||
	    !digits(&p, &time) || !(p = text_after(p, "usecs,")) || !digits(&p, &rate))
		return false;
	s->bytes += n * size;
	count(&s->migrated, rate);
	return true;
}

static bool read_task(struct reading *s, const char *line)
{
	double bytes, time, rate;
	const char *p = number_then(line, " bytes / ", &bytes);

	if (p && digits(&p, &time) && (p = text_after(p, "usecs =")) && digits(&p, &rate)) {
		add_task(s, &s->plain, bytes, rate);
		return true;
	}
	p = number_then(line, " bytes remapped, ", &bytes);
	if (p && digits(&p, &time) && time > 0) {
		add_task(s, &s->plain, bytes, bytes / 1024 / (time / 1e6));
		return true;
	}
	if (number_then(line, " usecs to free memory", &time)) {
		count(&s->free_time, time / 1e6);
		return true;
	}
	return read_copied(s, line) || read_migrated(s, line) ||
	       read_interval(s, line, " bytes truncated in ", &s->plain) ||
	       read_interval(s, line, " bytes faulted in ", &s->fault);
}

/* "./case-anon-cow-seq" anywhere in the line: its name. */
static bool case_name(const char *line, char name[OUTPUT_WORD_MAX])
{
	const char *p = text_find(line, "./case-");
	size_t n = p ? strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-_") : 0;

	if (!n || n + sizeof("case-") > OUTPUT_WORD_MAX)
		return false;
	snprintf(name, OUTPUT_WORD_MAX, "case-%.*s", (int)n, p);
	return true;
}

static bool begins(const char *line)
{
	char name[OUTPUT_WORD_MAX];

	return case_name(line, name);
}

static bool setup(const char *line, size_t axis, char *value)
{
	(void)axis;
	return case_name(line, value);
}

/* --- the run --- */

static void add_speeds(struct reading *s, struct work *w, const char *name)
{
	struct bucket_in *buckets;
	struct distribution_in d = {.metric = name, .unit = "KB/s", .n = (int64_t)w->all.n};
	size_t n = 0, different = 1;

	sort(&w->all);
	for (size_t i = 1; i < w->all.n; i++)
		different += w->all.v[i] != w->all.v[i - 1];
	different = different <= BUCKETS_MAX ? different : 0; /* the store takes no more */
	buckets = arena_array(s->a, struct bucket_in, different);
	for (size_t i = 0; different && i < w->all.n; i++) {
		if (!n || buckets[n - 1].le != w->all.v[i])
			buckets[n++].le = w->all.v[i];
		buckets[n - 1].count++;
	}
	d.min = w->all.v[0];
	d.max = w->all.v[w->all.n - 1];
	d.mean = mean(&w->all);
	d.stddev = spread(&w->all) * d.mean / 100;
	d.buckets = buckets;
	d.nbuckets = n;
	output_distribution(s->o, &d);
}

static void add_work(struct reading *s, struct work *w, const char *suffix)
{
	double stddev;

	if (!w->throughput.n)
		return;
	stddev = w->throughput.n > 1 ? spread(&w->throughput) : spread(&w->all) * (double)w->all.n;
	output_value(s->o, "KB/s", mean(&w->throughput), "throughput%s", suffix);
	output_value(s->o, "%", stddev, "stddev%s%%", suffix);
	output_value(s->o, "KB/s", mean(&w->medians), "median%s", suffix);
	output_value(s->o, "%", spread(&w->medians), "median%s_stddev%%", suffix);
	add_speeds(s, w, *suffix ? "vm-scalability.tasks_fault" : "vm-scalability.tasks");
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	auto_arena struct arena *own = arena_new();
	struct reading s = {.o = o, .a = own};
	char name[OUTPUT_WORD_MAX], told[OUTPUT_WORD_MAX] = "";
	struct output_lines l;
	char *line;

	output_next(o);
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if (read_task(&s, line) || !case_name(line, name))
			continue;
		end_iteration(&s.plain);
		end_iteration(&s.fault);
		if (strcmp(told, name) != 0)
			output_info(o, "vm-scalability.case", name);
		memcpy(told, name, sizeof(told));
	}
	output_lines_end(&l);
	end_iteration(&s.plain);
	end_iteration(&s.fault);
	add_work(&s, &s.plain, "");
	add_work(&s, &s.fault, "_fault");
	if (s.free_time.n)
		output_value(o, "s", s.free_time.v / (double)s.free_time.n, "free_time");
	if (s.migrated.n)
		output_value(o, "MB/s", s.migrated.v / (double)s.migrated.n, "migrate_mbps");
	if (s.bytes > 0)
		output_value(o, "KiB", s.bytes / 1024, "workload");
	end_work(&s.plain);
	end_work(&s.fault);
}

static bool has_several_cases(const char *bytes, size_t n)
{
	char first[OUTPUT_WORD_MAX] = "", name[OUTPUT_WORD_MAX];
	struct output_lines l;
	bool several = false;
	char *line;

	output_lines_begin(&l, bytes, n);
	while (!several && (line = output_line(&l))) {
		if (!case_name(line, name))
			continue;
		if (!*first)
			memcpy(first, name, sizeof(first));
		several = strcmp(first, name) != 0;
	}
	output_lines_end(&l);
	return several;
}

int import_vm_scalability(struct import *in, const char *bytes, size_t n)
{
	struct program_form form = {.program = "vm-scalability",
				    .begins = has_several_cases(bytes, n) ? begins : NULL,
				    .axes = {"test"},
				    .setup = setup,
				    .read = read_output};

	return program_import(in, bytes, n, &form);
}

int vm_scalability_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, " bytes / ") && sniff_finds(bytes, n, " usecs = "))
		return 90;
	return sniff_finds(bytes, n, "./case-") && sniff_finds(bytes, n, " bytes ") ? 60 : 0;
}
