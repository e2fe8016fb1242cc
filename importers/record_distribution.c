/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same rules as native_distributions.c has for what is sent as such, for figures that a program
 * printed: what cannot be true is a fault, what is no figure is left out.
 */
#include "importers/record_parts.h"

#include <math.h>

#include "db/distributions.h"
#include "importers/json_read.h"
#include "server/base/arena.h"

struct ranked {
	struct percentile_in p;
	double at;
	size_t came;
};

/* The last that came first, so that it is the one that stays. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->came < y->came) - (x->came > y->came);
}

static void clean_percentiles(struct arena *a, struct distribution_in *d)
{
	struct ranked *ranked = arena_array(a, struct ranked, d->npercentiles);
	struct percentile_in *list = arena_array(a, struct percentile_in, d->npercentiles);
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < d->npercentiles; i++) {
		struct ranked one = {d->percentiles[i], 0, i};

		if (isfinite(one.p.value) && percentile_parse(one.p.name, &one.at))
			ranked[n++] = one;
	}
	if (n)
		qsort(ranked, n, sizeof(*ranked), by_rank);
	for (size_t i = 0; i < n; i++) {
		if (!i || ranked[i].at != ranked[i - 1].at)
			list[kept++] = ranked[i].p;
	}
	d->percentiles = list;
	d->npercentiles = kept;
}

static bool refuse(struct ctx *c, const char *name, const char *what)
{
	const struct json_at top = {0};

	json_read_fault(c, JSON_AT_ENTRY(JSON_AT_KEY(&top, "distributions"), name), "%s", what);
	return false;
}

static bool buckets_ascend(const struct distribution_in *d)
{
	for (size_t i = 0; i < d->nbuckets; i++) {
		if (!isfinite(d->buckets[i].le) || (i && d->buckets[i].le <= d->buckets[i - 1].le))
			return false;
	}
	return true;
}

static bool counts_are_whole(const struct distribution_in *d)
{
	for (size_t i = 0; i < d->nbuckets; i++) {
		if (d->buckets[i].count < 0 || d->buckets[i].count > (int64_t)JSON_WHOLE_MAX)
			return false;
	}
	return true;
}

static void clean_figure(double *v)
{
	if (!isfinite(*v))
		*v = (double)NAN;
}

bool record_distribution_clean(struct ctx *c, struct arena *a, const char *name,
			       struct distribution_in *d)
{
	clean_figure(&d->mean);
	clean_figure(&d->stddev);
	clean_figure(&d->min);
	clean_figure(&d->max);
	if (d->n > (int64_t)JSON_WHOLE_MAX)
		d->n = -1;
	clean_percentiles(a, d);
	if (d->npercentiles > PERCENTILES_MAX)
		return refuse(c, name, "has more percentiles than are allowed");
	if (d->nbuckets > BUCKETS_MAX)
		return refuse(c, name, "has more buckets than are allowed");
	if (!buckets_ascend(d))
		return refuse(c, name, "has buckets that do not ascend");
	if (!counts_are_whole(d))
		return refuse(c, name, "has a bucket whose count is below 0 or too large");
	if (d->min > d->max)
		return refuse(c, name, "has a minimum above its maximum");
	if (d->stddev < 0)
		return refuse(c, name, "has a standard deviation below 0");
	return d->npercentiles || d->nbuckets || d->n >= 0 || !isnan(d->mean) ||
	       !isnan(d->stddev) || !isnan(d->min) || !isnan(d->max);
}

void record_distribution_keep(struct record *r, struct distribution_in *d)
{
	struct percentile_in *percentiles = record_rest(r, d->npercentiles * sizeof(*percentiles));
	struct bucket_in *buckets = record_rest(r, d->nbuckets * sizeof(*buckets));
	size_t text = 0;
	char *at;

	for (size_t i = 0; i < d->npercentiles; i++)
		text += strlen(d->percentiles[i].name) + 1;
	at = record_rest(r, text);
	for (size_t i = 0; i < d->npercentiles; i++) {
		size_t n = strlen(d->percentiles[i].name) + 1;

		percentiles[i].value = d->percentiles[i].value;
		percentiles[i].name = memcpy(at, d->percentiles[i].name, n);
		at += n;
	}
	if (d->nbuckets)
		memcpy(buckets, d->buckets, d->nbuckets * sizeof(*buckets));
	d->percentiles = percentiles;
	d->buckets = buckets;
}
