/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mean, spread and order of a set of samples. Values are finite; sets are small (two to ten runs)
 * but may be any size, so that what needs them sorted copies them to the stack first and to the
 * heap only when they are many. No state, no I/O.
 */
#include "server/analysis/describe.h"

#include <math.h>

#include "server/base/err.h"

#define FEW 64 /* values that are sorted on the stack */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The values in ascending order, in few when they fit there; else the caller frees what he gets. */
static double *sort_copy(const double *v, size_t n, double few[FEW])
{
	double *s = few;

	if (n > FEW) {
		s = malloc(n * sizeof(*s));
		if (!s)
			die("out of memory (%zu values)", n);
		memcpy(s, v, n * sizeof(*s));
		qsort(s, n, sizeof(*s), compare_doubles);
		return s;
	}
	for (size_t i = 0; i < n; i++) {
		size_t j = i;

		for (; j > 0 && s[j - 1] > v[i]; j--)
			s[j] = s[j - 1];
		s[j] = v[i];
	}
	return s;
}

/* Mean of values that are not all equal, never outside [min, max]. */
static double mean_of(const double *v, size_t n, double min, double max)
{
	double sum = 0, rest = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	mean = sum / (double)n;
	if (!isfinite(sum)) {
		mean = 0;
		for (size_t i = 0; i < n; i++)
			mean += v[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		rest += v[i] - mean;
	if (isfinite(rest))
		mean += rest / (double)n;
	return fmin(fmax(mean, min), max);
}

/* Sum of squared deviations in units of scale^2; scale is 1 unless squares would leave the range
 * of a double. */
static double squares_of(const double *v, size_t n, double mean, double widest, double *scale)
{
	double sum = 0;

	*scale = widest > 1e-140 && widest < 1e140 ? 1 : widest;
	for (size_t i = 0; i < n; i++) {
		double d = (v[i] - mean) / *scale;

		sum += d * d;
	}
	return sum;
}

struct description describe(const double *v, size_t n)
{
	struct description d = {.n = n, .mean = NAN, .stddev = NAN, .stddev_pop = NAN};
	double few[FEW], *s, scale, squares;

	d.min = d.median = d.max = NAN;
	if (!n)
		return d;
	s = sort_copy(v, n, few);
	d.min = s[0];
	d.max = s[n - 1];
	d.median = n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
	if (isinf(d.median))
		d.median = s[n / 2 - 1] / 2 + s[n / 2] / 2;
	if (s != few)
		free(s);
	d.stddev_pop = 0;
	if (n > 1)
		d.stddev = 0;
	d.mean = d.min;
	if (!(d.min < d.max))
		return d;
	d.mean = mean_of(v, n, d.min, d.max);
	squares = squares_of(v, n, d.mean, fmax(d.max - d.mean, d.mean - d.min), &scale);
	d.stddev = sqrt(squares / (double)(n - 1)) * scale;
	d.stddev_pop = sqrt(squares / (double)n) * scale;
	return d;
}

/* The value at place h = i + f of sorted values: between the i-th and the next. */
static double at_place(const double *s, size_t n, double h)
{
	size_t i = (size_t)h;
	double f = h - (double)i;

	if (i + 1 >= n)
		return s[n - 1];
	return s[i] * (1 - f) + s[i + 1] * f;
}

struct quartiles quartiles_of(const double *v, size_t n)
{
	struct quartiles q = {NAN, NAN, NAN};
	double few[FEW], *s, last = (double)n - 1;

	if (!n)
		return q;
	s = sort_copy(v, n, few);
	q.first = at_place(s, n, last / 4);
	q.second = at_place(s, n, last / 2);
	q.third = at_place(s, n, last * 3 / 4);
	if (s != few)
		free(s);
	return q;
}

static void swap(double *a, double *b)
{
	double keep = *a;

	*a = *b;
	*b = keep;
}

static void insertion_sort(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double moved = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1] > moved; k--)
			v[k] = v[k - 1];
		v[k] = moved;
	}
}

/* Puts the k-th smallest value into its place, smaller ones before it (Hoare 1961). Input that
 * makes this slow is sorted instead. */
static void select_place(double *v, size_t n, size_t k)
{
	size_t low = 0, high = n;

	for (int rounds = 0; high - low > 24; rounds++) {
		double pivot = v[low + (high - low) / 2];
		size_t i = low, j = high - 1;

		if (rounds > 64) {
			qsort(v + low, high - low, sizeof(*v), compare_doubles);
			return;
		}
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		if (k < i)
			high = i;
		else
			low = i;
	}
	insertion_sort(v + low, high - low);
}

double median_take(double *v, size_t n)
{
	double below;

	if (!n)
		return NAN;
	select_place(v, n, n / 2);
	if (n % 2)
		return v[n / 2];
	below = v[0];
	for (size_t i = 1; i < n / 2; i++)
		below = v[i] > below ? v[i] : below;
	return below / 2 + v[n / 2] / 2;
}

double median_deviation(const double *v, size_t n)
{
	double few[FEW], *s, middle, deviation;

	if (!n)
		return NAN;
	s = sort_copy(v, n, few);
	middle = at_place(s, n, ((double)n - 1) / 2);
	for (size_t i = 0; i < n; i++)
		s[i] = fabs(s[i] - middle);
	deviation = median_take(s, n);
	if (s != few)
		free(s);
	return deviation;
}

/* Pairs with b > a less pairs with b < a, every pair looked at. */
static double pairs_ahead(const double *a, size_t na, const double *b, size_t nb)
{
	long ahead = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			ahead += (b[j] > a[i]) - (b[j] < a[i]);
	return (double)ahead;
}

/* The same by walking two sorted sets. */
static double pairs_ahead_sorted(const double *a, size_t na, const double *b, size_t nb)
{
	double ahead = 0;
	size_t less = 0, not_more = 0;

	for (size_t j = 0; j < nb; j++) {
		while (less < na && a[less] < b[j])
			less++;
		while (not_more < na && a[not_more] <= b[j])
			not_more++;
		ahead += (double)less - (double)(na - not_more);
	}
	return ahead;
}

double cliff_delta(const double *a, size_t na, const double *b, size_t nb)
{
	double few_a[FEW], few_b[FEW], *sa, *sb, ahead;

	if (!na || !nb)
		return NAN;
	if (na <= FEW && nb <= FEW)
		return pairs_ahead(a, na, b, nb) / ((double)na * (double)nb);
	sa = sort_copy(a, na, few_a);
	sb = sort_copy(b, nb, few_b);
	ahead = pairs_ahead_sorted(sa, na, sb, nb);
	if (sa != few_a)
		free(sa);
	if (sb != few_b)
		free(sb);
	return ahead / ((double)na * (double)nb);
}
