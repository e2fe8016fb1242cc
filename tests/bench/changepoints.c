/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long finding the change points of a series takes: 2000 metrics over 500 commits, one thread.
 * Every tenth metric has a step, every tenth drifts. Prints milliseconds and the changes found. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "server/analysis/changepoint.h"
#include "server/base/arena.h"

#define METRICS 2000
#define COMMITS 500

static uint64_t seed = 42;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(seed >> 11) + .5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(void)
{
	static double mean[METRICS][COMMITS], runs[COMMITS];
	size_t changes = 0, drifts = 0;

	for (size_t i = 0; i < COMMITS; i++)
		runs[i] = 6;
	for (size_t m = 0; m < METRICS; m++)
		for (size_t i = 0; i < COMMITS; i++)
			mean[m][i] = normal() * .01 + (m % 10 == 0 && i >= 250 ? .05 : 0) +
				     (m % 10 == 5 ? 2e-4 * (double)i : 0);
	auto_arena struct arena *a = arena_new();
	double from = now_ms();
	for (size_t m = 0; m < METRICS; m++) {
		struct changepoint_series s = {
			.mean = mean[m], .runs = runs, .n = COMMITS, .within = 1e-4};
		struct segmentation g;

		arena_reset(a);
		g = changepoint_find(a, &s);
		changes += g.n - 1;
		for (size_t i = 0; i < g.n; i++)
			drifts += g.segments[i].drift;
	}
	printf("%.0f ms, %zu changes (200 are there), %zu drifts (200 are there)\n",
	       now_ms() - from, changes, drifts);
	return 0;
}
