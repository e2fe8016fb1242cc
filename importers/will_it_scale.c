/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * will-it-scale's table: "tasks,processes,processes_idle,threads,threads_idle,linear" and a line
 * for each number of tasks. Each table is a run. A mode that did not run has 0 operations, and is
 * left out with its idle time; so is a line in which neither ran. scalability is that of the last
 * line: processes over what they would be if they scaled linearly.
 */
#include "importers/formats.h"
#include "importers/program_output.h"

#define HEAD "tasks,processes,processes_idle,threads,threads_idle,linear"

enum { TASKS, PROCESSES, PROCESSES_IDLE, THREADS, THREADS_IDLE, LINEAR, COLUMNS };

struct sums {
	double per_process, per_thread; /* of the lines that have them */
	size_t processes, threads;      /* such lines */
	double workload, scalability;   /* scalability 0: none */
};

static bool begins(const char *line)
{
	return text_after(line, HEAD) != NULL;
}

/* False: no line of a table. */
static bool read_columns(const char *line, double v[COLUMNS])
{
	const char *p = past_spaces(line);

	for (size_t i = 0; i < COLUMNS; i++) {
		if (i && *p++ != ',')
			return false;
		if (*p < '0' || *p > '9' || !text_number(&p, false, &v[i]))
			return false;
	}
	return !*p || *p == ' ' || *p == '\t';
}

static void read_line(struct program_output *o, const double v[COLUMNS], struct sums *s)
{
	if (v[TASKS] <= 0)
		return;
	if (v[PROCESSES] > 0) {
		output_value(o, "op", v[PROCESSES], "%.0f.processes", v[TASKS]);
		output_value(o, "%", v[PROCESSES_IDLE], "%.0f.processes_idle", v[TASKS]);
		s->per_process += v[PROCESSES] / v[TASKS];
		s->processes++;
	}
	if (v[THREADS] > 0) {
		output_value(o, "op", v[THREADS], "%.0f.threads", v[TASKS]);
		output_value(o, "%", v[THREADS_IDLE], "%.0f.threads_idle", v[TASKS]);
		s->per_thread += v[THREADS] / v[TASKS];
		s->threads++;
	}
	if (v[LINEAR] > 0 && (v[PROCESSES] > 0 || v[THREADS] > 0))
		output_value(o, "op", v[LINEAR], "%.0f.linear", v[TASKS]);
	if (v[LINEAR] > 0 && v[TASKS] > 1 && v[PROCESSES] > 0)
		s->scalability = v[PROCESSES] / v[LINEAR];
	s->workload += v[PROCESSES] + v[THREADS];
}

/* "context_switch1: x.c:33: child: Assertion `ret == 1' failed." */
static void read_assertion(struct program_output *o, const char *line)
{
	const char *p = strstr(line, "Assertion "), *end = p ? strstr(p, " failed") : NULL;
	char name[OUTPUT_WORD_MAX];
	size_t n = 0;

	if (!end)
		return;
	end += strlen(" failed");
	for (; p < end && n + 1 < sizeof(name); p++) {
		bool kept = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || strchr("<>!=", *p);

		if (kept || (n && name[n - 1] != '_'))
			name[n++] = kept ? *p : '_';
	}
	name[n] = '\0';
	output_value(o, NULL, 1, "%s", name);
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	struct sums s = {0};
	struct output_lines l;
	double v[COLUMNS];
	bool table = false;
	char *line;

	output_next(o);
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if (begins(line))
			table = true;
		else if (table && read_columns(line, v))
			read_line(o, v, &s);
		else
			read_assertion(o, line);
	}
	output_lines_end(&l);
	if (s.processes)
		output_value(o, "op", s.per_process / (double)s.processes, "per_process_ops");
	if (s.threads)
		output_value(o, "op", s.per_thread / (double)s.threads, "per_thread_ops");
	if (s.scalability > 0)
		output_value(o, NULL, s.scalability, "scalability");
	if (s.workload > 0)
		output_value(o, "op", s.workload, "workload");
}

int import_will_it_scale(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {
		.program = "will-it-scale", .begins = begins, .read = read_output};

	return program_import(in, bytes, n, &form);
}

int will_it_scale_sniff(const char *bytes, size_t n)
{
	return sniff_line(bytes, n, HEAD) ? 97 : 0;
}
