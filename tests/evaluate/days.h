/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same code measured on several days: what differs is noise, and what is added is not. */
#ifndef TESTS_EVALUATE_DAYS_H
#define TESTS_EVALUATE_DAYS_H

#include "tests/evaluate/rivals.h"

struct days;

/* Reads lines of "day TAB benchmark TAB values by spaces", '#' begins a comment. Ends the program
 * with a message when it cannot. */
struct days *days_read(const char *path);
size_t days_count(const struct days *d);

/* n runs of every day, chosen by the seed: day base against the one after it, the days before it as
 * history. A tenth of the benchmarks are made 5 % larger or smaller. Returns how many benchmarks
 * both days have; all lives until the next call. *k: days of history. */
size_t days_trials(struct days *d, size_t base, size_t n, uint64_t seed, struct trial **trials,
		   size_t *k);

#endif
