/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the output of perf bench a line stands; for perf_bench.c and perf_bench_lines.c. */
#ifndef IMPORTERS_PERF_BENCH_H
#define IMPORTERS_PERF_BENCH_H

#include "importers/program_output.h"

struct perf_bench {
	struct program_output *o;
	const char *asked;                /* the test is perf-bench-<asked>; NULL: it is not */
	char suites[64][OUTPUT_WORD_MAX]; /* of this run */
	size_t nsuites;
	char prefix[OUTPUT_WORD_MAX + 1]; /* of the suite: "sched-pipe." */
	char function[OUTPUT_WORD_MAX];   /* mem: the function that is measured */
	char test[OUTPUT_WORD_MAX + 1];   /* numa: "RAM-bw-local." */
	char took[OUTPUT_WORD_MAX];       /* internals: what the last average was of */
	char group[OUTPUT_WORD_MAX + 1];  /* internals, find_bit: "2_threads.", "1_of_8_bits." */
};

/* A line of the suite that was begun. */
void perf_bench_line(struct perf_bench *b, const char *line);

#endif
