/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AIM Multiuser Benchmark, Suite VII. A table is a run (see job_table.h for tables of several
 * loads). Names, behind "aim7.", are the robot's: jobs-per-min, jti, jobs-per-min-per-task, real,
 * cpu; and tasks.
 */
#include "importers/formats.h"
#include "importers/job_table.h"

static bool head(const char *line)
{
	return text_after(line, "Tasks") && strstr(line, "jobs/min") && strstr(line, "jti");
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	static const struct job_table_form form = {
		.program = "aim7",
		.head = head,
		.columns = {{"jobs-per-min", "jobs/min"},
			    {"jti", NULL},
			    {"jobs-per-min-per-task", "jobs/min"},
			    {"real", "s"},
			    {"cpu", "s"}},
		.ncolumns = 5,
		.rate = 0,
	};

	job_table_read(o, &form, bytes, n);
}

int import_aim7(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "aim7", .read = read_output};

	return program_import(in, bytes, n, &form);
}

int aim7_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "AIM Multiuser Benchmark"))
		return 90;
	return sniff_finds(bytes, n, "jobs/min  jti  jobs/min/task") ? 85 : 0;
}
