/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions of a native submission: percentiles and buckets of latencies, beside the samples of
 * one run. The names of percentiles are decimals and are kept as they came; both lists end in
 * ascending order, which buckets must have already.
 */
#include "importers/native.h"

#include <math.h>

#include "db/distributions.h"
#include "server/base/arena.h"

/* A percentile and its place in the scale. */
struct ranked {
	struct percentile_in p;
	double at;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Sorted by rank; "99.0" and "99.00" are one percentile. */
static void finish_percentiles(struct ctx *c, const struct json_at *at, struct ranked *ranked,
			       size_t n, struct distribution_in *out)
{
	struct percentile_in *list = arena_array(c->arena, struct percentile_in, n);

	if (n)
		qsort(ranked, n, sizeof(*ranked), by_rank);
	for (size_t i = 0; i < n; i++) {
		list[i] = ranked[i].p;
		if (i && ranked[i].at == ranked[i - 1].at)
			json_read_fault(c, JSON_AT_ENTRY(at, ranked[i].p.name),
					"is the same percentile as \"%s\"", ranked[i - 1].p.name);
	}
	out->percentiles = list;
	out->npercentiles = n;
}

static void read_percentiles(struct ctx *c, json_t *v, const struct json_at *at,
			     struct distribution_in *out)
{
	struct ranked *ranked;
	const char *key;
	json_t *value;
	size_t n = 0;

	if (!json_is_object(v)) {
		json_read_fault(c, at, "must be an object, is %s", json_read_kind(v));
		return;
	}
	if (json_object_size(v) > PERCENTILES_MAX) {
		json_read_fault(c, at, "has %zu percentiles, at most %d are allowed",
				json_object_size(v), PERCENTILES_MAX);
		return;
	}
	ranked = arena_array(c->arena, struct ranked, json_object_size(v));
	json_object_foreach(v, key, value)
	{
		const struct json_at *place = JSON_AT_ENTRY(at, key);
		double rank = 0;
		bool named = percentile_parse(key, &rank);

		if (!named)
			json_read_fault(c, place,
					"is no percentile: a decimal from 0 to 100 of at most %d "
					"characters",
					PERCENTILE_NAME_MAX);
		if (!json_is_number(value))
			json_read_fault(c, place, "must be a number, is %s", json_read_kind(value));
		else if (named)
			ranked[n++] = (struct ranked){
				{arena_str(c->arena, key), json_number_value(value)}, rank};
	}
	finish_percentiles(c, at, ranked, n, out);
}

/* One [le, count]. */
static void read_bucket(struct ctx *c, json_t *v, const struct json_at *at, struct bucket_in *out)
{
	const json_t *le = json_array_get(v, 0), *count = json_array_get(v, 1);
	double n = json_number_value(count);

	*out = (struct bucket_in){.le = (double)NAN};
	if (!json_is_array(v) || json_array_size(v) != 2) {
		json_read_fault(c, at, "must be an array of the upper end and the count");
		return;
	}
	if (json_is_number(le))
		out->le = json_number_value(le);
	else
		json_read_fault(c, JSON_AT_INDEX(at, 0), "must be a number, is %s",
				json_read_kind(le));
	if (!json_is_number(count))
		json_read_fault(c, JSON_AT_INDEX(at, 1), "must be a number, is %s",
				json_read_kind(count));
	else if (n < 0 || n > JSON_WHOLE_MAX || n != floor(n))
		json_read_fault(c, JSON_AT_INDEX(at, 1),
				"must be a whole number of at least 0, is %.17g", n);
	else
		out->count = (int64_t)n;
}

static void read_buckets(struct ctx *c, json_t *v, const struct json_at *at,
			 struct distribution_in *out)
{
	size_t n = json_array_size(v);
	struct bucket_in *list;

	if (!json_is_array(v)) {
		json_read_fault(c, at, "must be an array, is %s", json_read_kind(v));
		return;
	}
	if (n > BUCKETS_MAX) {
		json_read_fault(c, at, "has %zu buckets, at most %d are allowed", n, BUCKETS_MAX);
		return;
	}
	list = arena_array(c->arena, struct bucket_in, n);
	for (size_t i = 0; i < n; i++) {
		read_bucket(c, json_array_get(v, i), JSON_AT_INDEX(at, i), &list[i]);
		if (i && list[i].le <= list[i - 1].le) /* false where one of them is not known */
			json_read_fault(c, JSON_AT_INDEX(at, i),
					"ends at %.17g, which is not above the bucket before it",
					list[i].le);
	}
	out->buckets = list;
	out->nbuckets = n;
}

static void read_distribution(struct ctx *c, json_t *v, const struct json_at *at,
			      struct distribution_in *out)
{
	static const char *const known[] = {"unit",   "n",           "min",     "max", "mean",
					    "stddev", "percentiles", "buckets", NULL};
	struct json_object o;
	json_t *part;

	if (!json_read_object(c, v, at, known, &o))
		return;
	if (!json_object_size(v) || (json_object_size(v) == 1 && json_read_member(&o, "unit")))
		json_read_fault(c, at, "says nothing of the distribution");
	out->unit = json_read_name(&o, "unit", NATIVE_UNIT_MAX);
	out->n = json_read_whole(&o, "n");
	out->min = json_read_real(&o, "min");
	out->max = json_read_real(&o, "max");
	out->mean = json_read_real(&o, "mean");
	out->stddev = json_read_real(&o, "stddev");
	if (out->min > out->max)
		json_read_fault(c, JSON_AT_KEY(at, "min"), "is greater than max");
	if (out->stddev < 0)
		json_read_fault(c, JSON_AT_KEY(at, "stddev"), "is below 0");
	if ((part = json_read_member(&o, "percentiles")))
		read_percentiles(c, part, JSON_AT_KEY(at, "percentiles"), out);
	if ((part = json_read_member(&o, "buckets")))
		read_buckets(c, part, JSON_AT_KEY(at, "buckets"), out);
}

static int by_metric(const void *a, const void *b)
{
	return strcmp(((const struct distribution_in *)a)->metric,
		      ((const struct distribution_in *)b)->metric);
}

/* Without samples a run is made that holds them. */
static void find_run(struct native *nv, const struct json_at *at, struct submission *s)
{
	struct metric_names *none;
	struct digest_state d;
	struct run_in *run;

	if (s->kind == SUBMISSION_SUMMARY)
		json_read_fault(nv->ctx, at, "cannot stand beside summary");
	else if (s->kind == SUBMISSION_RUNS && s->nruns != 1)
		json_read_fault(nv->ctx, at, "are of one run, but there are %zu", s->nruns);
	if (s->kind != SUBMISSION_NOTE)
		return;
	none = arena_array(nv->ctx->arena, struct metric_names, 1);
	run = arena_array(nv->ctx->arena, struct run_in, 1);
	digest_init(&d);
	none->digest = digest_end(&d);
	none->names = arena_array(nv->ctx->arena, const char *, 0);
	run->names = none;
	run->values = arena_array(nv->ctx->arena, double, 0);
	s->kind = SUBMISSION_RUNS;
	s->runs = run;
	s->nruns = 1;
}

void native_read_distributions(struct native *nv, json_t *v, const struct json_at *at,
			       struct submission *s)
{
	struct ctx *c = nv->ctx;
	struct distribution_in *list;
	const char *key;
	json_t *one;

	if (!json_is_object(v) || !json_object_size(v)) {
		json_read_fault(c, at, "must be an object with at least one metric, is %s",
				json_is_object(v) ? "empty" : json_read_kind(v));
		return;
	}
	find_run(nv, at, s);
	list = arena_array(c->arena, struct distribution_in, json_object_size(v));
	json_object_foreach(v, key, one)
	{
		const struct json_at *place = JSON_AT_ENTRY(at, key);
		struct distribution_in *d = &list[s->ndistributions++];

		json_read_key(c, place, key, strlen(key), JSON_METRIC_MAX);
		*d = (struct distribution_in){.metric = arena_str(c->arena, key)};
		read_distribution(c, one, place, d);
	}
	qsort(list, s->ndistributions, sizeof(*list), by_metric);
	s->distributions = list;
}

static int by_name(const void *name, const void *pair)
{
	return strcmp(name, ((const struct pair *)pair)->name);
}

void native_add_units(struct native *nv, const struct json_at *at, struct submission *s)
{
	size_t n = s->nunits;
	struct pair *all;

	if (!s->ndistributions)
		return;
	all = arena_array(nv->ctx->arena, struct pair, n + s->ndistributions);
	for (size_t i = 0; i < s->nunits; i++)
		all[i] = s->units[i];
	for (size_t i = 0; i < s->ndistributions; i++) {
		const struct distribution_in *d = &s->distributions[i];
		const struct pair *told =
			s->nunits ? bsearch(d->metric, s->units, s->nunits, sizeof(*told), by_name)
				  : NULL;

		if (!d->unit)
			continue;
		if (!told)
			all[n++] = (struct pair){d->metric, d->unit};
		else if (strcmp(told->value, d->unit) != 0)
			json_read_fault(nv->ctx, JSON_AT_KEY(JSON_AT_ENTRY(at, d->metric), "unit"),
					"is \"%s\", but units says \"%s\"", d->unit, told->value);
	}
	json_read_sort_pairs(all, n);
	s->units = all;
	s->nunits = n;
}
