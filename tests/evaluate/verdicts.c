/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often the rule is wrong and how much it finds, beside three others on the same data: made-up
 * comparisons of known truth, then real figures of the same code with changes put in. The same seed
 * gives the same table.
 *	verdicts [-r COMPARISONS] [DAYS.tsv]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/analysis/verdict.h"
#include "tests/evaluate/days.h"
#include "tests/evaluate/generate.h"

#define HISTORY    10 /* printed as such below */
#define SEEDS      30
#define DAYS_KNOWN 6 /* days before a base, so that the noise between days is known */

static const size_t run_counts[] = {2, 3, 5, 10};
#define COUNTS (sizeof(run_counts) / sizeof(run_counts[0]))

static void print_head(const char *title)
{
	printf("\n%s\n%-16s %2s %8s", title, "", "n", "history");
	for (int i = 0; i < RIVALS; i++)
		printf(" | %-21s", rival_names[i]);
	printf(" | Welch*\n%-28s", "");
	for (int i = 0; i < RIVALS; i++)
		printf(" | %-7s%-7s%-7s", "false", "of all", "found");
	printf(" | found\n");
}

/* What came of one line of the table. */
struct line {
	struct score of[RIVALS];
	struct welch_list welch;
};

static void print_row(const char *name, size_t n, const char *k, struct line *l)
{
	const struct score *rule = &l->of[RIVAL_RULE];
	size_t found = welch_list_found(&l->welch, score_false_share(rule));

	printf("%-16s %2zu %8s", name, n, k);
	for (int i = 0; i < RIVALS; i++)
		printf(" | %-7.3f%-7.4f%-7.2f", score_false_share(&l->of[i]),
		       score_false_rate(&l->of[i]), score_power(&l->of[i]));
	printf(" | %.2f\n", (double)found / (double)rule->moved);
	fflush(stdout);
	free(l->welch.of);
}

static void to_trial(const struct made *m, size_t n, size_t k, struct trial *t)
{
	*t = (struct trial){.x = m->x, .y = m->y, .nx = n, .ny = n, .moved = m->moved};
	for (size_t c = 0; c < k; c++) {
		t->history[c] = m->history[c];
		t->nhistory[c] = n;
	}
}

/* Judges one comparison, into the line and into that of all. */
static void judge_all(const struct trial *trials, size_t n, size_t k, struct line *l,
		      struct line *all)
{
	bool *flags = calloc(n, sizeof(*flags));

	for (int i = 0; i < RIVALS; i++) {
		rival_judge((enum rival)i, trials, n, k, flags);
		score_add(&l->of[i], trials, flags, n);
		if (all)
			score_add(&all->of[i], trials, flags, n);
	}
	welch_list_add(&l->welch, trials, n);
	if (all)
		welch_list_add(&all->welch, trials, n);
	free(flags);
}

/* One line of the table. */
static void simulate(enum shape shape, size_t n, size_t k, size_t comparisons, struct line *all)
{
	struct made *made = calloc(METRICS, sizeof(*made));
	struct trial *trials = calloc(METRICS, sizeof(*trials));
	struct line l = {.welch = {0}};

	for (size_t seed = 1; seed <= comparisons; seed++) {
		generate(made, shape, n, k, seed);
		for (size_t i = 0; i < METRICS; i++)
			to_trial(&made[i], n, k, &trials[i]);
		judge_all(trials, METRICS, k, &l, all);
	}
	print_row(shape_names[shape], n, k ? "10" : "0", &l);
	free(made);
	free(trials);
}

static void simulate_all(size_t k, size_t comparisons)
{
	struct line all[COUNTS] = {{.welch = {0}}};

	for (int shape = 0; shape <= SHAPES; shape++)
		for (size_t i = 0; i < COUNTS; i++)
			simulate((enum shape)shape, run_counts[i], k, comparisons, &all[i]);
	for (size_t i = 0; i < COUNTS; i++)
		print_row("sum of all", run_counts[i], k ? "10" : "0", &all[i]);
}

/* Real figures; known: what was measured of 23 days of the same source, when the rule was chosen.
 */
static void same_code(const char *path)
{
	static const char *const known[] = {
		"", "rule .034 / .67; no overlap .280 / .86; Welch .011 / .33; Mann-Whitney 0 / 0",
		"rule .017 / .78; no overlap .038 / .79; Welch .011 / .66; Mann-Whitney .31 / .85",
		"rule .005 / .87; no overlap .001 / .66; Welch .006 / .85; Mann-Whitney .41 / .99"};
	struct days *d = days_read(path);

	for (size_t i = 1; i < COUNTS; i++) {
		struct line l = {.welch = {0}};

		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			for (size_t base = DAYS_KNOWN; base + 1 < days_count(d); base++) {
				struct trial *trials;
				size_t k,
					n = days_trials(d, base, run_counts[i], seed, &trials, &k);

				judge_all(trials, n, k, &l, NULL);
			}
		print_row("same code", run_counts[i], "6 to 11", &l);
		printf("%-28s when the rule was chosen (false / found): %s\n", "", known[i]);
	}
}

int main(int argc, char **argv)
{
	size_t comparisons = 20;
	int option;

	while ((option = getopt(argc, argv, "r:")) == 'r')
		comparisons = strtoul(optarg, NULL, 10);
	printf("%s. false: share of the flags that are wrong; of all: share of what did not move "
	       "that "
	       "is flagged;\nfound: share of what moved. %d metrics a comparison, a tenth moved, "
	       "%zu "
	       "comparisons a line.\n",
	       VERDICT_RULE, METRICS, comparisons);
	print_head("Made up, without history");
	simulate_all(0, comparisons);
	print_head("Made up, with history");
	simulate_all(HISTORY, comparisons);
	print_head("Real: the same code on several days, 5 % put into a tenth of the benchmarks");
	same_code(optind < argc ? argv[optind] : "tests/data/same-code-days.tsv");
	return 0;
}
