/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What judging costs: two commits of RUNS runs with METRICS metrics, beside COMMITS commits of
 * history whose moments are kept, as the service keeps them. Prints the medians in milliseconds:
 * with history, without, and making one commit of history.
 *	judge [ROUNDS]
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

#define METRICS 2000
#define RUNS    6
#define COMMITS 20

static uint64_t seed = 1;

static double unit(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Like a run of a lab: figures that vary by some percent, counts with zeros, percentages. */
static double value_of(size_t metric)
{
	double z = unit() + unit() + unit() + unit() - 2;

	switch (metric % 10) {
	case 0:
		return floor(unit() * 4);
	case 1:
	case 2:
		return 40 + (double)(metric % 50) + z;
	case 3:
		return z;
	default:
		return (1 + (double)metric * 100) * exp(0.03 * z);
	}
}

static struct comparison_column make_column(struct arena *a, const struct metric *const *list)
{
	struct sample_run *runs = arena_array(a, struct sample_run, RUNS);

	for (size_t r = 0; r < RUNS; r++) {
		double *v = arena_array(a, double, METRICS);

		for (size_t i = 0; i < METRICS; i++)
			v[i] = value_of(i);
		runs[r] = (struct sample_run){list, v, METRICS, (int64_t)r};
	}
	return (struct comparison_column){.runs = runs, .nruns = RUNS};
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double judge(struct comparison_column cols[2], const struct comparison_history *h,
		    size_t rounds)
{
	double *took = calloc(rounds, sizeof(*took)), median;
	struct arena *a = arena_new();

	cols[1].history = h;
	for (size_t i = 0; i < rounds; i++) {
		struct comparison c;
		double from;

		arena_reset(a);
		from = now_ms();
		if (!comparison_build(a, "t", cols, 2, &c))
			return NAN;
		took[i] = now_ms() - from;
	}
	qsort(took, rounds, sizeof(*took), by_size);
	median = took[rounds / 2];
	arena_free(a);
	free(took);
	return median;
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	struct arena *a = arena_new();
	struct metric *metrics = arena_array(a, struct metric, METRICS);
	const struct metric **list = arena_array(a, const struct metric *, METRICS);
	struct comparison_column cols[2];
	struct history_cell cells[COMMITS];
	const struct history_cell *of[COMMITS];
	struct comparison_history history = {of, COMMITS};
	double from, fill;

	for (size_t i = 0; i < METRICS; i++) {
		const char *name = arena_fmt(a, i % 10 == 1 ? "m.m%zu%%" : "m.m%zu", i);

		metrics[i] = (struct metric){.id = (uint32_t)i + 1,
					     .name = name,
					     .name_len = strlen(name),
					     .facts = metric_facts_of(name)};
		list[i] = &metrics[i];
	}
	cols[0] = make_column(a, list);
	cols[1] = make_column(a, list);
	from = now_ms();
	for (size_t i = 0; i < COMMITS; i++) {
		struct comparison_column col = make_column(a, list);

		if (i == 0)
			from = now_ms();
		history_cell_fill(a, &col, COMPARISON_VALUES_MAX, &cells[i]);
		if (i == 0)
			fill = now_ms() - from;
		of[i] = &cells[i];
	}
	printf("%.3f %.3f %.3f\n", judge(cols, &history, rounds), judge(cols, NULL, rounds), fill);
	arena_free(a);
	return 0;
}
