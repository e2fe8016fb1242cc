/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mails FILE N: a mailbox of N report mails, each with a table of 200 rows, a quoted copy of half
 * of it and a page of prose. No two mails have the same figures. For `importing read robot-mail
 * FILE`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 200

static const char block[] =
	"====================================================================="
	"====================\n"
	"compiler/kconfig/nr_threads/rootfs/tbox_group/testcase:\n"
	"  gcc-12/x86_64-rhel-8.3/100%%/debian-11.1-x86_64-20220510.cgz/lkp-box-%d/hackbench\n\n"
	"commit: \n  %010x (\"one subject of a commit\")\n  %010x (\"and another\")\n\n"
	"%016x %027x \n---------------- --------------------------- \n"
	"         %%stddev     %%change         %%stddev\n"
	"             \\          |                \\  \n";

static void write_rows(FILE *f, int mail, int n, const char *quote)
{
	for (int i = 0; i < n; i++) {
		double mean = 1000.0 + mail * 7 + i * 131.25, change = (i * 37 + mail) % 400 - 200;

		fprintf(f,
			"%s%10.2f ±%3d%%  %+10.1f%% %10.2f ±%3d%%  perf-stat.group%d.metric_%d\n",
			quote, mean, i % 60 + 3, change / 10, mean * (1 + change / 1000),
			i % 40 + 3, i % 9, i);
	}
}

static void write_prose(FILE *f, int lines)
{
	for (int i = 0; i < lines; i++)
		fputs("> What a reader thinks of the figures above, in a line of the usual "
		      "length.\n",
		      f);
}

static void write_mail(FILE *f, int i)
{
	fprintf(f,
		"From rat@example.org Thu Jan  1 00:00:00 1970\nFrom: Lab Rat <rat@example.org>\n"
		"Date: Wed, 5 Jun 2024 10:00:00 +0200\nSubject: figures, number %d\n"
		"Message-ID: <%d@example.org>\nContent-Type: text/plain; charset=utf-8\n\n",
		i, i);
	write_prose(f, 20);
	fprintf(f, block, i % 50, 0xa0000000u + (unsigned)i, 0xb0000000u + (unsigned)i,
		0xa0000000u + (unsigned)i, 0xb0000000u + (unsigned)i);
	write_rows(f, i, ROWS, "");
	fputs("\n\n", f);
	write_prose(f, 20);
	write_rows(f, i, ROWS / 2, "> > ");
	fputs("\n", f);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[1], "w") : NULL;

	if (!f) {
		fputs("usage: mails FILE N\n", stderr);
		return 2;
	}
	for (int i = 0; i < (int)strtol(argv[2], NULL, 10); i++)
		write_mail(f, i);
	return fclose(f) ? 1 : 0;
}
