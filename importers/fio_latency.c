/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fio's three readers make of latencies: figures and distributions. See the head of fio.c for
 * the units that they are in.
 */
#include "importers/fio.h"

#include <math.h>

#include "server/base/arena.h"

#define COUNT_MAX 9e15 /* operations that can be counted in a double */

/* Bytes of "99.900000" that are kept: "99.9"; of "1.00" "1", as the robot does. */
static int short_percentile(const char *name)
{
	size_t n = strlen(name);

	if (strchr(name, '.')) {
		while (name[n - 1] == '0')
			n--;
		n -= name[n - 1] == '.';
	}
	return (int)n;
}

void fio_add_latency(struct fio_outputs *all, struct fio_job *j, const struct fio_latency *l)
{
	struct arena *a = j->a;
	/* JSON's names are the robot's, which took "_us" from times that it was true in */
	const char *mean = strcmp(l->kind, "slat") != 0 ? l->unit : "us";
	const double weight = l->weight > 0 ? l->weight : l->operations;
	const char *average = "mean", *of_spread = l->of_json ? "" : "_us";
	char name[40], spread[60];

	if (!l->of_json)
		average = strcmp(l->kind, "slat") != 0 ? "mean" : "avg";
	snprintf(name, sizeof(name), "%s%s", l->side, l->kind);
	snprintf(spread, sizeof(spread), "%s_stddev%s", name, of_spread);
	fio_add(all, j, FIO_MIN, 0, l->unit, l->min, "%s_min_%s", name, l->unit);
	fio_add(all, j, FIO_MAX, 0, l->unit, l->max, "%s_max_%s", name, l->unit);
	fio_add(all, j, FIO_MEAN, weight, l->unit, l->mean, "%s_%s_%s", name, average, mean);
	fio_add_spread(all, j, weight, l->unit, l->stddev, l->mean, spread);
	for (size_t i = 0; i < l->npercentiles; i++)
		fio_add(all, j, FIO_MEAN, weight, l->unit, l->percentiles[i].value, "%s_%.*s%%_%s",
			name, short_percentile(l->percentiles[i].name), l->percentiles[i].name,
			l->unit);
	if (!l->npercentiles && !l->nbuckets)
		return;
	fio_add_distribution(j, &(const struct distribution_in){
					.metric = arena_fmt(a, "%s_%s", name, l->unit),
					.unit = l->unit,
					.min = l->min,
					.max = l->max,
					.mean = l->mean,
					.stddev = l->stddev,
					.n = l->operations > 0 && l->operations < COUNT_MAX
						     ? (int64_t)l->operations
						     : -1,
					.percentiles = l->percentiles,
					.npercentiles = l->npercentiles,
					.buckets = l->buckets,
					.nbuckets = l->nbuckets,
				});
}

void fio_add_bandwidth(struct fio_outputs *all, struct fio_job *j, const char *side, double kib)
{
	fio_add(all, j, FIO_SUM, 0, "MiB/s", kib / 1024, "%sbw_MBps", side);
}

/* --- buckets --- */

static double upper_end(const struct fio_share *s, const char *unit, double max)
{
	const double ns = *s->unit == 'n' ? 1 : *s->unit == 'u' ? 1e3 : 1e6;
	double end = strtod(s->word, NULL) * ns / (*unit == 'n' ? 1 : 1e3);

	return *s->word == '>' ? max : end;
}

static int by_end(const void *a, const void *b)
{
	const struct bucket_in *x = a, *y = b;

	return (x->le > y->le) - (x->le < y->le);
}

void fio_add_shares(struct fio_outputs *all, struct fio_job *j, const struct fio_share *list,
		    size_t n, double operations, double max, const char *unit)
{
	struct bucket_in *buckets = arena_array(j->a, struct bucket_in, n);
	size_t nbuckets = 0, kept = 0;
	int64_t counted = 0;

	for (size_t i = 0; i < n; i++) {
		double end = upper_end(&list[i], unit, max);
		double count = round(list[i].percent / 100 * operations);

		fio_add(all, j, FIO_SHARE, operations, "%", list[i].percent, "latency_%s%s%%",
			list[i].word, list[i].unit);
		if (isfinite(end) && end > 0 && count > 0 && count < COUNT_MAX)
			buckets[nbuckets++] = (struct bucket_in){end, (int64_t)count};
	}
	if (nbuckets)
		qsort(buckets, nbuckets, sizeof(*buckets), by_end);
	for (size_t i = 0; i < nbuckets; i++) { /* "1000 us" and "1 ms" end at one place */
		if (kept && buckets[kept - 1].le == buckets[i].le)
			buckets[kept - 1].count += buckets[i].count;
		else
			buckets[kept++] = buckets[i];
		counted += buckets[i].count;
	}
	if (!kept)
		return;
	fio_add_distribution(j, &(const struct distribution_in){
					.metric = arena_fmt(j->a, "latency_%s", unit),
					.unit = unit,
					.min = NAN,
					.max = NAN,
					.mean = NAN,
					.stddev = NAN,
					/* shares are rounded, the operations are not */
					.n = operations >= 1 && operations < COUNT_MAX
						     ? (int64_t)operations
						     : counted,
					.buckets = buckets,
					.nbuckets = kept,
				});
}
