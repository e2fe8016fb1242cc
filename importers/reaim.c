/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reaim, the rewrite of AIM7. A table is a run (see job_table.h for tables of several loads).
 * Names, behind "reaim.", are the robot's: parent_time, child_systime, child_utime, jobs_per_min,
 * jobs_per_min_child, std_dev_time, std_dev_percent, jti, max_jobs_per_min (as printed, or the best
 * row's), workload; and tasks. workload is the number of jobs of all loads and repetitions, which
 * only the command's line tells ("./reaim -s8 -e16 -i8 … -r2 -j100"): it stands in the last run.
 */
#include <math.h>

#include "importers/formats.h"
#include "importers/job_table.h"

static bool head(const char *line)
{
	return text_after(line, "Forked") && strstr(line, "UTime") && strstr(line, "Minute");
}

/* Jobs that a command asked for, over all of the file's commands. */
struct asked {
	double jobs;
};

static void read_command(struct asked *a, const char *line)
{
	static const char *const labels[] = {" -s", " -e", " -i", " -r", " -j"};
	enum { FROM, TO, STEP, REPEATED, JOBS, OPTIONS };
	const char *p = strstr(line, "reaim -");
	double v[OPTIONS], loads;

	for (size_t i = 0; i < OPTIONS; i++) {
		if (!p || !number_behind(p, labels[i], &v[i]) || v[i] < 1 || v[i] > 1e6)
			return;
	}
	if (v[TO] < v[FROM])
		return;
	loads = floor((v[TO] - v[FROM]) / v[STEP]) + 1;
	a->jobs += loads * (v[FROM] + (loads - 1) * v[STEP] / 2) * v[JOBS] * v[REPEATED];
}

static void finish(struct program_output *o)
{
	const struct asked *a = o->state;

	if (a->jobs > 0)
		output_value(o, "jobs", a->jobs, "workload");
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	static const struct job_table_form form = {
		.program = "reaim",
		.head = head,
		.columns = {{"parent_time", "s"},
			    {"child_systime", "s"},
			    {"child_utime", "s"},
			    {"jobs_per_min", "jobs/min"},
			    {"jobs_per_min_child", "jobs/min"},
			    {"std_dev_time", "s"},
			    {"std_dev_percent", "%"},
			    {"jti", NULL}},
		.ncolumns = 8,
		.rate = 3,
		.maximum = true,
	};
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l)))
		read_command(o->state, line);
	output_lines_end(&l);
	job_table_read(o, &form, bytes, n);
}

int import_reaim(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "reaim",
						 .read = read_output,
						 .finish = finish,
						 .state = sizeof(struct asked)};

	return program_import(in, bytes, n, &form);
}

int reaim_sniff(const char *bytes, size_t n)
{
	if (sniff_line(bytes, n, "REAIM Workload"))
		return 95;
	return sniff_finds(bytes, n, "Forked  Time     SysTime UTime") ? 90 : 0;
}
