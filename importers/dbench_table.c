/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dbench 3 and 4, and tbench. Each line "Throughput … MB/sec" ends an output, which is a run;
 * outputs of other numbers of clients get submissions of their own, told apart by the axis
 * nr_threads. Names, behind "dbench." or "tbench.":
 *
 *	throughput_MB/s, clients, procs, max_latency
 *	throughput_MB/s_harmonic_mean  over the outputs of one setup in the file: one figure,
 *	max_latency_harmonic_mean      so it stands in the last run alone. A table of operations
 *	                               between them tells of another start of the program, which
 *	                               may be of another kernel: no mean is made over these
 *	<Operation>.count, .avg_latency, .max_latency  of the table (milliseconds)
 */
#include "importers/dbench_table.h"

#include "importers/program_output.h"

/* Whether the line is the last of an output; its rest. */
static const char *throughput(const char *line, double *v)
{
	const char *p = text_after(line, "Throughput ");

	if (!p || !text_number(&p, false, v))
		return NULL;
	return text_after(p, "MB/sec");
}

static bool ends(const char *line)
{
	double v;

	return throughput(line, &v) != NULL;
}

/* The number before a word: "2 clients" */
static bool count_of(const char *line, const char *word, double *v)
{
	const char *p = strstr(line, word);

	if (!p)
		return false;
	while (p > line && p[-1] == ' ')
		p--;
	while (p > line && p[-1] != ' ' && p[-1] != '\t')
		p--;
	return text_number(&p, false, v);
}

static bool setup(const char *line, size_t axis, char *value)
{
	double clients, v;

	(void)axis;
	if (!throughput(line, &v) || !count_of(line, " clients", &clients))
		return false;
	snprintf(value, OUTPUT_WORD_MAX, "%.0f", clients);
	return true;
}

/* n / (1/x1 + 1/x2 …), where every x is above 0. */
struct harmonic {
	double sum;
	size_t n;
	bool impossible;
};

static void harmonic_add(struct harmonic *h, double x)
{
	h->impossible = h->impossible || !(x > 0);
	h->sum += x > 0 ? 1 / x : 0;
	h->n++;
}

struct means {
	struct harmonic throughput, latency;
	bool several; /* starts of the program */
};

static void harmonic_write(struct program_output *o, const struct harmonic *h, const char *unit,
			   const char *name)
{
	if (h->n && !h->impossible)
		output_value(o, unit, (double)h->n / h->sum, "%s_harmonic_mean", name);
}

static void finish(struct program_output *o)
{
	const struct means *m = o->state;

	if (m->several)
		return;
	harmonic_write(o, &m->throughput, "MB/s", "throughput_MB/s");
	harmonic_write(o, &m->latency, "ms", "max_latency");
}

/* "Throughput 1149.56 MB/sec  2 clients  2 procs  max_latency=4.642 ms" */
static void read_throughput(struct program_output *o, double v, const char *rest)
{
	struct means *m = o->state;
	double x;

	output_value(o, "MB/s", v, "throughput_MB/s");
	harmonic_add(&m->throughput, v);
	if (count_of(rest, " clients", &x))
		output_value(o, "clients", x, "clients");
	if (count_of(rest, " procs", &x))
		output_value(o, "procs", x, "procs");
	if (number_behind(rest, "max_latency=", &x)) {
		output_value(o, "ms", x, "max_latency");
		harmonic_add(&m->latency, x);
	}
}

/* " NTCreateX      74582     0.009     4.345" */
static void read_operation(struct program_output *o, const char *line)
{
	double count, average, longest;
	char name[OUTPUT_WORD_MAX];
	const char *p = line;

	if (!text_word(&p, name, sizeof(name)) || !text_number(&p, false, &count) ||
	    !text_number(&p, false, &average) || !text_number(&p, false, &longest) ||
	    *past_spaces(p))
		return;
	output_value(o, "operations", count, "%s.count", name);
	output_value(o, "ms", average, "%s.avg_latency", name);
	output_value(o, "ms", longest, "%s.max_latency", name);
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	struct means *m = o->state;
	bool table = false;
	struct output_lines l;
	const char *rest;
	char *line;
	double v;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if ((rest = text_after(line, "dbench version ")) ||
		    (rest = text_after(line, "tbench version ")))
			output_info(o, "program_version", past_spaces(rest));
		else if (text_after(line, "Operation ") && strstr(line, "AvgLat")) {
			table = true;
			m->several = m->several || m->throughput.n > 0;
		} else if ((rest = throughput(line, &v))) {
			read_throughput(o, v, rest);
		} else if (table) {
			read_operation(o, line);
		}
	}
	output_lines_end(&l);
}

int dbench_table_import(struct import *in, const char *bytes, size_t n, const char *program)
{
	const struct program_form form = {.program = program,
					  .ends = ends,
					  .axes = {"nr_threads"},
					  .setup = setup,
					  .read = read_output,
					  .finish = finish,
					  .state = sizeof(struct means)};

	return program_import(in, bytes, n, &form);
}

int dbench_table_sniff(const char *bytes, size_t n, const char *program, const char *other)
{
	bool named = sniff_finds(bytes, n, program), also = sniff_finds(bytes, n, other);

	if (!sniff_line(bytes, n, "Throughput ") || !sniff_finds(bytes, n, " clients") ||
	    !sniff_finds(bytes, n, "MB/sec"))
		return 0;
	return named && !also ? 90 : !named && also ? 0 : 60;
}
