/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four ways to say which metrics of one comparison changed, on the same data. */
#ifndef TESTS_EVALUATE_RIVALS_H
#define TESTS_EVALUATE_RIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_COMMITS 20

/* The runs of one metric. */
struct trial {
	const double *x, *y;
	size_t nx, ny;
	const double *history[HISTORY_COMMITS]; /* nearest last, NULL: no value there */
	size_t nhistory[HISTORY_COMMITS];
	bool moved; /* the truth */
};

enum rival {
	RIVAL_OVERLAP, /* no two samples overlap, medians differ by 1 %: the kernel test robot's */
	RIVAL_RANKS,   /* exact Mann-Whitney, p < .05 */
	RIVAL_WELCH,   /* Welch on logarithms where all are > 0, Benjamini-Hochberg, means 1 % */
	RIVAL_RULE,    /* ours, beside k commits of history */
	RIVALS,
};
extern const char *const rival_names[RIVALS];

/* Sets flags[i] where metric i of n is said to have changed. k: commits of history. */
void rival_judge(enum rival rival, const struct trial *trials, size_t n, size_t k, bool *flags);

/* What came of it. */
struct score {
	size_t flags, false_flags, moved, still;
};
void score_add(struct score *s, const struct trial *trials, const bool *flags, size_t n);

/* Welch's p of all trials of 1 % and more, whatever the threshold. */
struct welch_list {
	struct welch_p {
		double p;
		bool moved;
	} * of;
	size_t n, cap;
};
void welch_list_add(struct welch_list *l, const struct trial *trials, size_t n);
/* How many of what moved it finds with the one threshold on p, chosen in knowledge of the truth, at
 * which this share of its flags is false. Sorts the list. */
size_t welch_list_found(struct welch_list *l, double false_share);
double score_false_share(const struct score *s); /* of the flags; 0 when there are none */
double score_power(const struct score *s);       /* share of what moved that was found */
double score_false_rate(const struct score *s);  /* share of what did not move that was flagged */

#endif
