/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up comparisons whose truth is known: a base, a change and commits before, of many metrics,
 * some of which really moved. Everything follows from the seed; the same bytes on every machine
 * whose libm rounds alike. This file was finished before the rule was first run on it, and is not
 * to be tuned to it.
 */
#ifndef TESTS_EVALUATE_GENERATE_H
#define TESTS_EVALUATE_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum shape {
	SHAPE_NORMAL,   /* logarithms are normal */
	SHAPE_HEAVY,    /* Student's t of 3 degrees of freedom on the logarithms */
	SHAPE_BIMODAL,  /* each run in one of two modes, 4 to 12 % apart */
	SHAPE_INTEGER,  /* normal, rounded to whole numbers between about 20 and 2000 */
	SHAPE_POISSON,  /* counts with zeros, mean .3 to 8 */
	SHAPE_CONSTANT, /* every run the same, or all but one in a hundred */
	SHAPE_DRIFTING, /* from run to run, and by up to .3 % from commit to commit */
	SHAPES,         /* … and this is all of them mixed */
};
extern const char *const shape_names[SHAPES + 1];

#define METRICS     200 /* of a comparison */
#define RUNS_MAX    10
#define HISTORY_MAX 20

struct made {
	double x[RUNS_MAX], y[RUNS_MAX];
	double history[HISTORY_MAX][RUNS_MAX]; /* nearest last */
	bool moved;                            /* the truth */
};

/* METRICS metrics of one comparison, n runs on every commit, K commits before the base. A tenth of
 * them moved: by 2 to 15 % up or down, counts with zeros by a factor of 1.5 to 3. Half of the
 * metrics have a noise of their own from commit to commit, up to once that from run to run, beside
 * the change: that is no change. */
void generate(struct made *out, enum shape shape, size_t n, size_t k, uint64_t seed);

/* The generator of random numbers, for whoever injects changes into real data. */
struct random {
	uint64_t at;
};
uint64_t random_bits(struct random *r);
double random_unit(struct random *r); /* in (0, 1) */

#endif
