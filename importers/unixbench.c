/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of UnixBench 5; that of version 4 is refused. A report has a part for one copy of the
 * tests and one for as many as there are processors: the axis nr_task tells them apart when a file
 * has both, and the axis test (the first one) parts of other tests. Names, behind "unixbench.":
 *
 *	score                             of all tests, also of some ("Partial Only"), or of the
 *	                                  graphics when there is no other
 *	<Test>.index, .result, .baseline  of a test, its name's words joined by '_'
 *	<Test>.time, .samples             from the line that the test itself prints
 *	throughput, workload              when one test alone ran: its result, and that times
 *	                                  the part's duration in seconds, as the robot has it
 *	test.pass or test.fail            whether the part came to a result: some tests are in no
 *	                                  index and have no score
 *	<Graphics>.score                  of the 2D and 3D graphics indexes
 */
#include <math.h>

#include "importers/formats.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

struct unixbench {
	struct program_output *o;
	double duration; /* seconds, 0: not said */
	size_t tests;    /* that printed their line */
	size_t indexed;  /* in the index table */
	double result;   /* of the last of them */
	char unit[64];   /* of the last line that a test printed */
	double graphics; /* score of the graphics; NAN */
	bool begun, scored;
};

static bool begins(const char *line)
{
	return text_after(line, "Benchmark Run:") != NULL;
}

/* Of a report that was quoted without those lines. */
static bool begins_bare(const char *line)
{
	return strstr(line, " in system; running ") != NULL;
}

/* "06:58:59" at *p as seconds. */
static bool clock_time(const char **p, double *v)
{
	double part;

	*v = 0;
	for (int i = 0; i < 3; i++) {
		if (!text_number(p, false, &part) || part < 0 || part > 60)
			return false;
		*v = *v * 60 + part;
		if (i < 2 && *(*p)++ != ':')
			return false;
	}
	return true;
}

/* "Benchmark Run: Sun May 12 2019 06:58:59 - 07:29:20" */
static void read_begin(struct unixbench *u, const char *rest)
{
	const char *p = strchr(rest, ':');
	double from, to;

	u->begun = true;
	output_info(u->o, "benchmark_run", past_spaces(rest));
	while (p && p > rest && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (!p || !clock_time(&p, &from))
		return;
	p = past_spaces(p);
	if (*p++ != '-')
		return;
	if (!clock_time(&p, &to))
		return;
	u->duration = to >= from ? to - from : to - from + 86400;
}

/* The last word of the line's first n bytes; n becomes what stands before it. */
static const char *last_word(const char *line, size_t *n)
{
	size_t end = *n, begin;

	while (end && line[end - 1] == ' ')
		end--;
	for (begin = end; begin && line[begin - 1] != ' '; begin--)
		;
	*n = begin;
	while (*n && line[*n - 1] == ' ')
		--*n;
	return end ? line + begin : NULL;
}

/* The last word as a number; nothing else in it. */
static bool last_number(const char *line, size_t *n, double *v)
{
	const char *p = last_word(line, n), *end;

	if (!p)
		return false;
	end = p + strcspn(p, " ");
	return text_number(&p, false, v) && p == end;
}

/* "Pipe Throughput   919266.7 lps   (10.0 s, 7 samples)" */
struct test_line {
	char name[OUTPUT_WORD_MAX], unit[64];
	double result, seconds, samples;
};

static bool parse_test(const char *line, struct test_line *t)
{
	const char *open = strrchr(line, '('), *p = open ? open + 1 : NULL, *unit;
	size_t n;

	if (!p || !text_number(&p, false, &t->seconds) || !(p = text_after(p, "s,")) ||
	    !text_number(&p, false, &t->samples) ||
	    !text_after(p, t->samples == 1 ? "sample" : "samples)"))
		return false;
	n = (size_t)(open - line);
	unit = last_word(line, &n);
	if (!unit || !last_number(line, &n, &t->result) || !n)
		return false;
	join_words(line, n, t->name);
	snprintf(t->unit, sizeof(t->unit), "%.*s", (int)strcspn(unit, " "), unit);
	return true;
}

static bool read_test(struct unixbench *u, const char *line)
{
	struct test_line t;

	if (!parse_test(line, &t))
		return false;
	snprintf(u->unit, sizeof(u->unit), "%s", t.unit);
	u->tests++;
	u->result = t.result;
	output_value(u->o, t.unit, t.result, "%s.result", t.name);
	output_value(u->o, "s", t.seconds, "%s.time", t.name);
	output_value(u->o, "samples", t.samples, "%s.samples", t.name);
	return true;
}

/* "Pipe Throughput   12440.0   919266.7   739.0" */
static void read_index(struct unixbench *u, const char *line)
{
	char name[OUTPUT_WORD_MAX];
	double baseline, result, index;
	size_t n = strlen(line);

	if (!last_number(line, &n, &index) || !last_number(line, &n, &result) ||
	    !last_number(line, &n, &baseline) || !n)
		return;
	join_words(line, n, name);
	output_value(u->o, NULL, index, "%s.index", name);
	output_value(u->o, NULL, result, "%s.result", name);
	output_value(u->o, NULL, baseline, "%s.baseline", name);
	u->result = result;
	u->indexed++;
}

/* "System Benchmarks Index Score (Partial Only)   2526.6" */
static bool read_score(struct unixbench *u, const char *line)
{
	const char *mark = strstr(line, " Benchmarks Index Score");
	char kind[OUTPUT_WORD_MAX];
	size_t n = strlen(line);
	double score;

	if (!mark)
		return false;
	if (!last_number(line, &n, &score))
		return true;
	join_words(line, (size_t)(mark - line), kind);
	if (strcmp(kind, "System") != 0) {
		output_value(u->o, NULL, score, "%s.score", kind);
		u->graphics = score;
		return true;
	}
	output_value(u->o, NULL, score, "score");
	u->scored = true;
	return true;
}

/* The number of copies, and the first test. */
static bool setup(const char *line, size_t axis, char *value)
{
	struct test_line t;
	double copies;

	if (axis == 1) {
		if (!parse_test(line, &t))
			return false;
		snprintf(value, OUTPUT_WORD_MAX, "%s", t.name);
		return true;
	}
	if (!number_behind(line, "; running ", &copies) || !strstr(line, " parallel cop"))
		return false;
	snprintf(value, OUTPUT_WORD_MAX, "%.0f", copies);
	return true;
}

static void end_report(struct unixbench *u)
{
	struct program_output *o = u->o;

	if (!u->scored && !isnan(u->graphics)) {
		output_value(o, NULL, u->graphics, "score");
		u->scored = true;
	}
	if (u->indexed == 1 || (!u->indexed && u->tests == 1)) {
		output_value(o, *u->unit ? u->unit : NULL, u->result, "throughput");
		if (u->duration > 0)
			output_value(o, NULL, u->result * u->duration, "workload");
	}
	if (u->begun || u->scored)
		output_value(o, NULL, 1, u->scored || u->tests ? "test.pass" : "test.fail");
}

/* The table of tests behind a score belongs to the next report: quoted ones have no head. */
static void next_report(struct unixbench *u)
{
	if (!u->scored)
		return;
	end_report(u);
	output_next(u->o);
	*u = (struct unixbench){.o = u->o, .graphics = (double)NAN};
}

static void read_report(struct program_output *o, const char *bytes, size_t n)
{
	struct unixbench u = {.o = o, .graphics = (double)NAN};
	bool table = false;
	struct output_lines l;
	const char *rest;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if ((rest = text_after(line, "Benchmark Run:")))
			read_begin(&u, rest);
		else if ((rest = text_after(line, "OS:")))
			output_info(o, "os", past_spaces(rest));
		else if ((rest = text_after(line, "Machine:")))
			output_info(o, "machine", past_spaces(rest));
		else if (strstr(line, " Index") && strstr(line, "BASELINE")) {
			if (text_find(line, "System Benchmarks "))
				next_report(&u);
			table = true;
		} else if (read_score(&u, line))
			table = false;
		else if (!read_test(&u, line) && table)
			read_index(&u, line);
	}
	output_lines_end(&l);
	end_report(&u);
}

int import_unixbench(struct import *in, const char *bytes, size_t n)
{
	const struct program_form form = {
		.program = "unixbench",
		.begins = sniff_line(bytes, n, "Benchmark Run:") ? begins : begins_bare,
		.axes = {"nr_task", "test"},
		.setup = setup,
		.read = read_report};

	if (!memmem(bytes, n, "System Benchmarks", 17) && memmem(bytes, n, "INDEX VALUES", 12))
		return fault(in->ctx, "",
			     "it is a report of UnixBench 4, whose index is another: those of "
			     "version 5 are read");
	return program_import(in, bytes, n, &form);
}

int unixbench_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "BYTE UNIX Benchmarks"))
		return 95;
	return sniff_finds(bytes, n, "System Benchmarks Index") ||
			       sniff_finds(bytes, n, "System Benchmarks Partial Index")
		       ? 85
		       : 0;
}
