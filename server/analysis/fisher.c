/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hypergeometric distribution of the fails after, given all fails and both numbers of runs.
 * Weights go from the mode outwards by their ratios, so nothing overflows and no logarithm of a
 * factorial loses digits; they are summed from the smallest.
 */
#include "server/analysis/fisher.h"

#include <math.h>

#define RUNS_MOST 1000000

/* Of all fails, k are among the runs after: k + 1 is so many times as likely. */
static double ratio_at(double k, double fails, double before, double after)
{
	return (fails - k) * (after - k) / ((k + 1) * (before - fails + k + 1));
}

/* Weights from the mode m, whose weight is 1: down to low and up to high, each added where it
 * belongs. seen is the weight of what was seen. */
struct tails {
	double fails, before, after; /* runs */
	double low, high, mode, seen_at;
	double seen, first, last;
	double below, above, rest, as_rare; /* below and above: with what was seen */
};

static void take_weight(struct tails *t, double k, double w)
{
	if (k <= t->seen_at)
		t->below += w;
	if (k >= t->seen_at)
		t->above += w;
	/* As rare, but for rounding: 1e-7 is what R and scipy allow. */
	if (w <= t->seen * (1 + 1e-7))
		t->as_rare += w;
	t->rest += w;
	if (k <= t->low)
		t->first = w;
	if (k >= t->high)
		t->last = w;
}

static double weight_at(const struct tails *t, double k)
{
	double w = 1;

	for (double at = t->mode; at < k; at++)
		w *= ratio_at(at, t->fails, t->before, t->after);
	for (double at = t->mode; at > k; at--)
		w /= ratio_at(at - 1, t->fails, t->before, t->after);
	return w;
}

struct fisher fisher_exact(int64_t fails_a, int64_t runs_a, int64_t fails_b, int64_t runs_b)
{
	struct fisher f = {NAN, NAN, NAN, NAN, NAN};
	struct tails t = {.fails = (double)(fails_a + fails_b),
			  .before = (double)runs_a,
			  .after = (double)runs_b,
			  .seen_at = (double)fails_b};
	double w;

	if (fails_a < 0 || fails_b < 0 || fails_a > runs_a || fails_b > runs_b || !runs_a ||
	    !runs_b || runs_a > RUNS_MOST || runs_b > RUNS_MOST)
		return f;
	t.low = fmax(0, t.fails - t.before);
	t.high = fmin(t.fails, t.after);
	t.mode = floor((t.fails + 1) * (t.after + 1) / (t.before + t.after + 2));
	t.seen = weight_at(&t, t.seen_at);
	w = 1;
	take_weight(&t, t.mode, w);
	for (double k = t.mode; k < t.high; k++) {
		w *= ratio_at(k, t.fails, t.before, t.after);
		take_weight(&t, k + 1, w);
	}
	w = 1;
	for (double k = t.mode; k > t.low; k--) {
		w /= ratio_at(k - 1, t.fails, t.before, t.after);
		take_weight(&t, k - 1, w);
	}
	f.more = fmin(1, t.above / t.rest);
	f.fewer = fmin(1, t.below / t.rest);
	f.both = fmin(1, t.as_rare / t.rest);
	f.least_more = t.last / t.rest;
	f.least_fewer = t.first / t.rest;
	return f;
}
