/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filebench: the line "IO Summary:" in its three forms, and the operations above it one by one
 * ("<flow>.operations/s"). An output ends with its summary; another one behind it is another run.
 */
#include "importers/formats.h"
#include "importers/program_output.h"

/* Whether the line is the summary; what follows the label, or NULL. */
static const char *summary(const char *line)
{
	return text_find(line, "IO Summary:");
}

static bool ends(const char *line)
{
	return summary(line) != NULL;
}

/* The number before a word such as "ops/s", which must end there. False: the word is not there. */
static bool number_before(const char *s, const char *word, double *v)
{
	size_t n = strlen(word);

	for (const char *at = s; (at = strstr(at, word)); at += n) {
		const char *begin = at, *p;

		if (at[n] && !strchr(" ,)\t", at[n]))
			continue;
		while (begin > s && begin[-1] == ' ')
			begin--;
		while (begin > s && strchr("0123456789.+-eE", begin[-1]))
			begin--;
		p = begin;
		if (begin < at && text_number(&p, false, v))
			return true;
	}
	return false;
}

/* "500/500 rd/wr" or "(26/52 r/w)" */
static bool reads_and_writes(const char *s, double *reads, double *writes)
{
	const char *p = strstr(s, " rd/wr");

	if (!p)
		p = strstr(s, " r/w");
	if (!p)
		return false;
	while (p > s && p[-1] != ' ' && p[-1] != '(')
		p--;
	return text_number(&p, false, reads) && *p++ == '/' && text_number(&p, false, writes);
}

static void read_summary(struct program_output *o, const char *line)
{
	const char *s = summary(line);
	double v, reads, writes;

	if (!number_before(s, "ops", &v)) {
		fault(o->in->ctx, "", "\"%.100s\": no number of ops", line);
		return;
	}
	output_value(o, "op", v, "sum_operations");
	if (number_before(s, "ops/s", &v))
		output_value(o, "op/s", v, "sum_operations/s");
	if (reads_and_writes(s, &reads, &writes)) {
		output_value(o, "op/s", reads, "sum_reads/s");
		output_value(o, "op/s", writes, "sum_writes/s");
	}
	if (number_before(s, "mb/s", &v))
		output_value(o, "MB/s", v, "sum_bytes_mb/s");
	if (number_before(s, "ms/op", &v) || number_before(s, "ms latency", &v))
		output_value(o, "ms", v, "sum_time_ms/op");
	if (number_before(s, "us cpu/op", &v))
		output_value(o, "us", v, "sum_cpu_us/op");
	output_next(o);
}

/* "closefile2  1000ops  500ops/s  0.0mb/s  0.041ms/op [0.003ms - 27.835ms]" */
static void read_operation(struct program_output *o, const char *line)
{
	const char *p = line, *range;
	char name[OUTPUT_WORD_MAX];
	double v, least, most;

	if (!text_word(&p, name, sizeof(name)) || !number_before(p, "ops", &v))
		return;
	if (!strchr(p, '/') || !strstr(p, "mb/s"))
		return;
	output_value(o, "op", v, "%s.operations", name);
	if (number_before(p, "ops/s", &v))
		output_value(o, "op/s", v, "%s.operations/s", name);
	if (number_before(p, "mb/s", &v))
		output_value(o, "MB/s", v, "%s.bytes_mb/s", name);
	if (number_before(p, "ms/op", &v))
		output_value(o, "ms", v, "%s.time_ms/op", name);
	if (number_before(p, "us/op-cpu", &v))
		output_value(o, "us", v, "%s.cpu_us/op", name);
	range = text_find(p, "[");
	if (!range || !text_number(&range, false, &least))
		return;
	range = text_after(range, "ms - ");
	if (!range || !text_number(&range, false, &most))
		return;
	output_value(o, "ms", least, "%s.time_min_ms", name);
	output_value(o, "ms", most, "%s.time_max_ms", name);
}

/* What stands behind the process and time in front of a line: "5311: 62.204: ". */
static const char *behind_times(const char *line)
{
	const char *p = past_spaces(line);

	for (;;) {
		size_t n = strspn(p, "0123456789.");

		if (!n || p[n] != ':')
			return p;
		p = past_spaces(p + n + 1);
	}
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	struct output_lines l;
	const char *p;
	char *line;
	double v;

	output_next(o);
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if (summary(line))
			read_summary(o, line);
		else if ((p = text_find(line, "Run took ")) && text_number(&p, false, &v))
			output_value(o, "s", v, "run.seconds");
		else if ((p = text_after(line, "Filebench Version")))
			output_info(o, "filebench.version", past_spaces(p));
		else if (strstr(line, "personality successfully loaded"))
			output_info(o, "filebench.personality", behind_times(line));
		else
			read_operation(o, line);
	}
	output_lines_end(&l);
}

int import_filebench(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {
		.program = "filebench", .ends = ends, .read = read_output};

	return program_import(in, bytes, n, &form);
}

int filebench_sniff(const char *bytes, size_t n)
{
	bool known = sniff_finds(bytes, n, "rd/wr") || sniff_finds(bytes, n, " r/w)") ||
		     sniff_finds(bytes, n, "mb/s");

	return sniff_finds(bytes, n, "IO Summary:") && known ? 95 : 0;
}
