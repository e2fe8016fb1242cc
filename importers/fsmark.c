/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs_mark: a line a loop; each is a run, since a loop measures the same again. When a file has
 * outputs of other sizes of files or numbers of threads, the axes filesize and nr_threads tell them
 * apart. Names, behind "fsmark.": files_per_sec, app_overhead (microseconds), FSUse%, count, size,
 * and with -v of each system call <call>_min_us, <call>_avg_us, <call>_max_us (creat, write, fsync,
 * sync, close, unlink). What newer versions sum up below the table (average_files_per_sec,
 * p50_files_per_sec …) is of all loops and stands in the last run.
 */
#include "importers/formats.h"
#include "importers/program_output.h"

#define CALLS_MAX 16

struct fsmark {
	struct program_output *o;
	char calls[CALLS_MAX][32];
	size_t ncalls;
	bool table, rows; /* were had */
};

static bool begins(const char *line)
{
	const char *p = text_after(line, "#");

	return p && strstr(p, "fs_mark") && text_find(p, " -");
}

static bool setup(const char *line, size_t axis, char *value)
{
	const char *p = text_after(line, "#");
	double v;

	if (!p)
		return false;
	if (axis == 0) {
		if (!number_behind(p, "Files info: size ", &v))
			return false;
		snprintf(value, OUTPUT_WORD_MAX, "%.0fB", v);
		return true;
	}
	if (!strstr(p, " thread(s) starting") || !(p = strchr(p, ',')))
		return false;
	p++;
	if (!text_number(&p, false, &v))
		return false;
	snprintf(value, OUTPUT_WORD_MAX, "%.0f", v);
	return true;
}

/* "FSUse%  Count  Size  Files/sec  App Overhead   CREAT (Min/Avg/Max) …" */
static void read_head(struct fsmark *f, const char *p)
{
	char word[32], next[32];

	f->ncalls = 0;
	f->table = true;
	if (!text_word(&p, word, sizeof(word)))
		return;
	while (f->ncalls < CALLS_MAX && text_word(&p, next, sizeof(next))) {
		if (!strcmp(next, "(Min/Avg/Max)")) {
			for (char *c = word; *c; c++)
				*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
			memcpy(f->calls[f->ncalls++], word, sizeof(word));
		}
		memcpy(word, next, sizeof(word));
	}
}

static void read_row(struct fsmark *f, const char *line)
{
	static const struct {
		const char *name, *unit;
	} columns[] = {{"FSUse%", "%"},
		       {"count", "files"},
		       {"size", "B"},
		       {"files_per_sec", "files/s"},
		       {"app_overhead", "us"}};
	static const char *const kinds[] = {"min", "avg", "max"};
	enum { FIXED = sizeof(columns) / sizeof(columns[0]) };
	double v[FIXED + 3 * CALLS_MAX];
	const char *p = line;
	size_t n = 0;

	while (n < FIXED + 3 * f->ncalls && text_number(&p, false, &v[n]) && (!*p || *p == ' '))
		n++;
	if (n < FIXED || *past_spaces(p))
		return;
	output_next(f->o);
	f->rows = true;
	for (size_t i = 0; i < FIXED; i++)
		output_value(f->o, columns[i].unit, v[i], "%s", columns[i].name);
	for (size_t i = FIXED; i < n; i++)
		output_value(f->o, "us", v[i], "%s_%s_us", f->calls[(i - FIXED) / 3],
			     kinds[(i - FIXED) % 3]);
}

/* "Average Files/sec:   8324.0", "p99 Files/sec: 8324" */
static bool read_summary(struct fsmark *f, const char *line)
{
	const char *p = line, *rest;
	char word[32];
	double v;

	if (!f->rows || !text_word(&p, word, sizeof(word)) ||
	    !(rest = text_after(p, "Files/sec:")) || !text_number(&rest, false, &v))
		return false;
	output_value(f->o, "files/s", v, "%s_files_per_sec",
		     !strcmp(word, "Average") ? "average" : word);
	return true;
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	struct fsmark f = {.o = o};
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if (begins(line))
			output_info(o, "command", past_spaces(line + 1));
		else if (text_after(line, "FSUse%"))
			read_head(&f, line);
		else if (!read_summary(&f, line) && f.table)
			read_row(&f, line);
	}
	output_lines_end(&l);
}

int import_fsmark(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "fsmark",
						 .begins = begins,
						 .axes = {"filesize", "nr_threads"},
						 .setup = setup,
						 .read = read_output};

	return program_import(in, bytes, n, &form);
}

int fsmark_sniff(const char *bytes, size_t n)
{
	if (!sniff_line(bytes, n, "FSUse%"))
		return 0;
	return sniff_finds(bytes, n, "fs_mark") ? 95 : 85;
}
