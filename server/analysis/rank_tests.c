/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranks. The distribution of a rank sum with ties comes from dynamic programming over doubled
 * midranks, which are whole numbers: ways[k][s] counts the choices of k of the values seen so far
 * with doubled ranks summing to s. Memory is n_a times N(N+1) doubles, below 1 MiB at the limit.
 */
#include "server/analysis/rank_tests.h"

#include <math.h>
#include <stdint.h>

#include "server/analysis/special.h"
#include "server/base/err.h"

/* Values of both sides, sorted, with the doubled midrank of each. */
struct ranked {
	double value;
	bool of_a;
	double rank2;
};

static int by_value(const void *x, const void *y)
{
	double a = ((const struct ranked *)x)->value, b = ((const struct ranked *)y)->value;

	return (a > b) - (a < b);
}

static void *must_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory (%zu ranks)", n);
	return p;
}

/* Ranks all; returns the sum of t^3 - t over groups of t ties. */
static double rank_all(struct ranked *r, size_t n)
{
	double ties = 0;

	qsort(r, n, sizeof(*r), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && !(r[i].value < r[end].value);)
			end++;
		for (size_t k = i; k < end; k++)
			r[k].rank2 = (double)(i + 1 + end);
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

/* How many choices of na of the n doubled ranks have each sum; the caller frees. */
static double *count_ways(const struct ranked *r, size_t n, size_t na, size_t sums)
{
	double *ways = must_alloc((na + 1) * sums, sizeof(*ways)), *of_na;

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank2 = (size_t)r[i].rank2;

		for (size_t k = i + 1 < na ? i + 1 : na; k > 0; k--)
			for (size_t s = sums; s-- > rank2;)
				ways[k * sums + s] += ways[(k - 1) * sums + s - rank2];
	}
	of_na = must_alloc(sums, sizeof(*of_na));
	memcpy(of_na, ways + na * sums, sums * sizeof(*of_na));
	free(ways);
	return of_na;
}

static void count_tails(struct mann_whitney *m, const struct ranked *r, size_t n, size_t na,
			double sum2)
{
	size_t sums = n * (n + 1) + 1;
	double *ways = count_ways(r, n, na, sums);
	double mean2 = (double)na * ((double)n + 1), far = fabs(sum2 - mean2);

	for (size_t s = 0; s < sums; s++) {
		double at = (double)s;

		m->all += ways[s];
		m->at_most += at <= sum2 ? ways[s] : 0;
		m->at_least += at >= sum2 ? ways[s] : 0;
		m->as_far += fabs(at - mean2) >= far ? ways[s] : 0;
	}
	free(ways);
	m->exact = true;
	m->p = fmin(1, 2 * fmin(m->at_most, m->at_least) / m->all);
}

struct mann_whitney mann_whitney(const double *a, size_t na, const double *b, size_t nb)
{
	struct mann_whitney m = {.u_a = NAN, .u_b = NAN, .p = NAN};
	size_t n = na + nb;
	double sum2 = 0, pairs = (double)na * (double)nb, ties, sd, far;
	struct ranked *r;

	m.p_normal = m.p_normal_plain = NAN;
	if (!na || !nb)
		return m;
	r = must_alloc(n, sizeof(*r));
	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){.value = i < na ? a[i] : b[i - na], .of_a = i < na};
	ties = rank_all(r, n);
	for (size_t i = 0; i < n; i++)
		sum2 += r[i].of_a ? r[i].rank2 : 0;
	m.u_a = sum2 / 2 - (double)na * ((double)na + 1) / 2;
	m.u_b = pairs - m.u_a;
	sd = sqrt(pairs / 12 * ((double)n + 1 - ties / ((double)n * ((double)n - 1))));
	far = fabs(m.u_a - pairs / 2);
	m.p_normal_plain = 2 * normal_tail(far / sd);
	m.p_normal = sd > 0 ? fmin(1, 2 * normal_tail((far - 0.5) / sd)) : 1;
	m.p = m.p_normal;
	if (n <= MANN_WHITNEY_EXACT)
		count_tails(&m, r, n, na, sum2);
	free(r);
	return m;
}

/* --- Hodges and Lehmann ------------------------------------------------------------------------
 */

/* Doubles in their own order as integers, so that a search by halves ends at neighbours. */
static int64_t order_of(double v)
{
	int64_t i;

	memcpy(&i, &v, sizeof(i));
	return i < 0 ? INT64_MIN - i : i;
}

static double value_of(int64_t i)
{
	double v;

	i = i < 0 ? INT64_MIN - i : i;
	memcpy(&v, &i, sizeof(v));
	return v;
}

struct sides {
	double *a, *b; /* sorted */
	size_t na, nb;
};

/* How many differences b - a are at most t. */
static double count_up_to(const struct sides *s, double t)
{
	double count = 0;
	size_t i = 0; /* a[i] and all after it are near enough to b[j]; grows with j */

	for (size_t j = 0; j < s->nb; j++) {
		while (i < s->na && s->b[j] - s->a[i] > t)
			i++;
		count += (double)(s->na - i);
	}
	return count;
}

/* The k-th smallest of all differences, k from 1: the smallest double t with k of them up to it. */
static double kth_difference(const struct sides *s, double k)
{
	int64_t low = order_of(s->b[0] - s->a[s->na - 1]);
	int64_t high = order_of(s->b[s->nb - 1] - s->a[0]);

	while (low < high) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (count_up_to(s, value_of(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return value_of(low);
}

/* The largest c with P(U < c) <= alpha / 2: the c-th differences from both ends are the limits. */
static double limit_of(size_t na, size_t nb, double alpha)
{
	size_t n = na + nb, sums = n * (n + 1) + 1;
	double pairs = (double)na * (double)nb, tail = 0, all = 0, *ways, c = 0;
	struct ranked *r;

	if (n > MANN_WHITNEY_EXACT) {
		double z = normal_quantile(1 - alpha / 2);

		return fmax(0, floor(pairs / 2 - z * sqrt(pairs * ((double)n + 1) / 12)));
	}
	r = must_alloc(n, sizeof(*r));
	for (size_t i = 0; i < n; i++)
		r[i].rank2 = (double)(2 * i + 2);
	ways = count_ways(r, n, na, sums);
	for (size_t s = 0; s < sums; s++)
		all += ways[s];
	for (size_t s = na * (na + 1); s < sums; s += 2, c++) {
		tail += ways[s];
		if (tail / all > alpha / 2)
			break;
	}
	free(ways);
	free(r);
	return c;
}

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double *sorted(const double *v, size_t n)
{
	double *s = must_alloc(n, sizeof(*s));

	memcpy(s, v, n * sizeof(*s));
	qsort(s, n, sizeof(*s), compare_doubles);
	return s;
}

struct shift hodges_lehmann(const double *a, size_t na, const double *b, size_t nb, double alpha)
{
	struct shift out = {NAN, NAN, NAN};
	struct sides s;
	double pairs = (double)na * (double)nb, c;

	if (!na || !nb)
		return out;
	s = (struct sides){sorted(a, na), sorted(b, nb), na, nb};
	out.median = kth_difference(&s, floor((pairs + 1) / 2)) / 2 +
		     kth_difference(&s, floor((pairs + 2) / 2)) / 2;
	c = limit_of(na, nb, alpha);
	out.low = c >= 1 ? kth_difference(&s, c) : -INFINITY;
	out.high = c >= 1 ? kth_difference(&s, pairs + 1 - c) : INFINITY;
	free(s.a);
	free(s.b);
	return out;
}
